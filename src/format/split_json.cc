#include "format/split_json.h"

#include "format/cause_json.h"
#include "format/coverage_json.h"
#include "format/cut_json.h"
#include "format/finding_json.h"
#include "format/json/json.h"
#include "format/split_failures_json.h"

namespace heddle {

namespace {

Json write_torn_key(const TornKey& key, const Cut& cut) {
  Json json = Json::object();
  if (!key.name.empty()) json["name"] = text_json(key.name);
  json["table"] = text_json(key.table);
  json["columns"] = texts_json(key.columns);
  json["service"] = text_json(cut.services[key.service].name);
  json["referenced_table"] = text_json(key.referenced_table);
  json["referenced_columns"] = texts_json(key.referenced_columns);
  json["referenced_service"] = text_json(cut.services[key.referenced_service].name);
  if (key.position.line > 0) {
    json["line"] = key.position.line;
    json["column"] = key.position.column;
  }
  return json;
}

Json service_of(const SplitReport& report, const SubTransaction& sub) {
  return text_json(report.cut.services[sub.service].name);
}

// Of one sub-transaction, as operations of cycles have them.
Json write_statements(const std::vector<ListedStatement>& all, const SubTransaction& sub) {
  Json statements = Json::array();
  for (const std::size_t number : sub.statements) {
    const ProgramStatement& statement = *all[number].statement;
    statements.push_back(
        {{"file", text_json(statement.source.file)},
         {"line", statement.source.position.line},
         {"column", statement.source.position.column},
         {"text", text_json(named_text(statement.statement.text, statement.arguments))}});
  }
  return statements;
}

Json write_functionality(const SplitReport& report, std::size_t number, const CauseWriter& writer) {
  const std::vector<ListedStatement> all =
      list_statements(report.chopped.program.functionalities[number]);
  Json services = Json::array();
  Json statements = Json::array();
  for (const SubTransaction& sub : report.chopped.sub_transactions[number]) {
    services.push_back(service_of(report, sub));
    statements.push_back(write_statements(all, sub));
  }
  Json json = {{"name", writer.name_of(number)},
               {"sub_transactions", std::move(services)},
               {"statements", std::move(statements)}};
  const std::size_t single = report.chopped.single_calls();
  if (number < single) return json;
  json["calls"] = Json::array();
  for (const std::size_t called : report.chopped.sessions[number - single]) {
    json["calls"].push_back(writer.name_of(called));
  }
  return json;
}

Json write_cause(const SplitCause& cause, const SplitReport& report, const CauseWriter& writer) {
  Json json = {{"kind", definition(cause.kind).slug}, {"core", cause.is_core}};
  json["tables"] = texts_json(cause.tables);
  json["functionalities"] = Json::array();
  for (const std::vector<SplitPart>& parts : cause.parts) {
    Json numbers = Json::array();
    Json services = Json::array();
    for (const SplitPart& part : parts) {
      numbers.push_back(part.number + 1);
      services.push_back(
          service_of(report, report.chopped.sub_transactions[part.functionality][part.number]));
    }
    json["functionalities"].push_back({{"name", writer.name_of(parts.front().functionality)},
                                       {"sub_transactions", std::move(numbers)},
                                       {"services", std::move(services)}});
  }
  if (cause.needs) json["needs"] = definition(*cause.needs).name;
  json["status"] = "possible";
  if (cause.execution) {
    json["status"] = slug(cause.execution->status);
    json["runs"] = cause.execution->runs;
    json["reason"] = text_json(cause.execution->reason);
  }
  if (cause.execution && cause.execution->finding) {
    json["effect"] = to_string(cause.execution->finding->effect);
    json["finding"] = write_finding(*cause.execution->finding);
  }
  json["cycles"] = Json::array();
  for (const FoundCycle& cycle : cause.cycles) json["cycles"].push_back(writer.write(cycle));
  return json;
}

}  // namespace

std::string to_json(const SplitReport& report, const FailureReport* failures) {
  const CauseWriter writer(report.chopped.program);
  Json document = {{"heddle", "split/1"}};
  document["services"] = write_cut(report.cut);
  document["torn_keys"] = Json::array();
  for (const TornKey& key : report.torn_keys) {
    document["torn_keys"].push_back(write_torn_key(key, report.cut));
  }
  document["isolation"] = definition(report.within).name;
  document["levels"] = Json::object();
  for (std::size_t i = 0; i < report.levels.size(); ++i) {
    document["levels"][report.cut.services[i].name] = definition(report.levels[i]).name;
  }
  document["across"] = report.across ? Json(definition(*report.across).name) : Json(nullptr);
  document["max_length"] = report.max_length;
  document["max_instances"] = report.max_instances;
  if (report.max_prefix > 0) document["max_prefix"] = report.max_prefix;
  document["only_cores"] = report.only_cores;
  document["functionalities"] = Json::array();
  for (std::size_t i = 0; i < report.chopped.sub_transactions.size(); ++i) {
    document["functionalities"].push_back(write_functionality(report, i, writer));
  }
  document["orders"] = Json::array();
  for (const ProposedOrder& order : report.orders) {
    document["orders"].push_back({{"name", writer.name_of(order.functionality)},
                                  {"statements", order.statements},
                                  {"before", order.before},
                                  {"after", order.after}});
  }
  document["merges"] = Json::array();
  for (const TableMerge& merge : report.merges) {
    document["merges"].push_back({{"table", text_json(merge.table)},
                                  {"service", text_json(report.cut.services[merge.service].name)},
                                  {"cores", merge.cores},
                                  {"causes", merge.causes}});
    if (merge.failures) document["merges"].back()["failures"] = *merge.failures;
  }
  document["causes"] = Json::array();
  for (const SplitCause& cause : report.causes) {
    document["causes"].push_back(write_cause(cause, report, writer));
  }
  document["in_uncut"] = report.in_uncut;
  document["bound"] = report.bound;
  document["coverage"] = coverage_json(report.chopped.program.coverage);
  if (failures != nullptr) document["failures"] = failures_json(*failures, report);
  return print_json_by_line(document);
}

}  // namespace heddle
