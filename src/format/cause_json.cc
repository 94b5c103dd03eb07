#include "format/cause_json.h"

#include "format/finding_json.h"
#include "format/json/json.h"
#include "program/redis_commands.h"

namespace heddle {

namespace {

std::string_view to_string(LevelOrigin origin) {
  switch (origin) {
    case LevelOrigin::given:
      return "given";
    case LevelOrigin::stated:
      return "stated";
    case LevelOrigin::fallback:
      return "fallback";
  }
  return "";
}

}  // namespace

CauseWriter::CauseWriter(const Program& program) : program_(program) {
  for (const Functionality& functionality : program.functionalities) {
    statements_.push_back(list_statements(functionality));
  }
}

Json CauseWriter::name_of(std::size_t functionality) const {
  return text_json(program_.functionalities[functionality].name);
}

Json CauseWriter::levels(const std::vector<FunctionalityLevel>& levels) const {
  Json array = Json::array();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    array.push_back({{"functionality", name_of(i)},
                     {"isolation", definition(levels[i].level).name},
                     {"origin", to_string(levels[i].origin)}});
  }
  return array;
}

Json CauseWriter::write(const FoundCause& cause) const {
  Json json = {{"kind", definition(cause.kind).slug}, {"id", cause.id}};
  if (cause.suppressed) json["suppressed"] = text_json(*cause.suppressed);
  json["status"] = "possible";
  if (cause.execution) {
    json["status"] = slug(cause.execution->status);
    json["runs"] = cause.execution->runs;
    json["reason"] = text_json(cause.execution->reason);
  }
  if (cause.execution && cause.execution->finding) {
    json["broken_invariants"] = texts_json(cause.execution->broken_invariants);
    if (!cause.execution->made_up_tables.empty()) {
      json["made_up_tables"] = texts_json(cause.execution->made_up_tables);
    }
    json["effect"] = heddle::to_string(cause.execution->finding->effect);
    if (const auto& program = cause.execution->by_program) {
      json["by_program"] = {{"confirmed", program->is_confirmed},
                            {"reason", text_json(program->reason)}};
    }
    json["finding"] = write_finding(*cause.execution->finding);
    json["further"] = Json::array();
    for (const FoundBreak& further : cause.execution->further) {
      json["further"].push_back({{"broken_invariants", texts_json(further.invariants)},
                                 {"finding", write_finding(further.finding)}});
    }
  }
  if (cause.needs_equal_arguments()) json["only_with_equal_arguments"] = true;
  json["cores"] = Json::array();
  for (const FoundCycle& cycle : cause.cores) json["cores"].push_back(write(cycle));
  json["extensions"] = Json::array();
  for (const FoundCycle& cycle : cause.extensions) json["extensions"].push_back(write(cycle));
  return json;
}

Json CauseWriter::write(const FoundCycle& cycle) const {
  Json json = {{"kind", definition(cycle.kind).slug}, {"decided", cycle.is_decided}};
  if (!cycle.prefix.empty()) json["prefix"] = Json::array();
  for (const std::size_t called : cycle.prefix) json["prefix"].push_back(name_of(called));
  if (!cycle.equal_arguments.empty()) json["equal_arguments"] = Json::array();
  for (const EqualArguments& equal : cycle.equal_arguments) {
    json["equal_arguments"].push_back(
        {{"transaction", equal.instance + 1},
         {"arguments", {text_json(equal.first), text_json(equal.second)}}});
  }
  json["operations"] = Json::array();
  for (const FoundNode& node : cycle.nodes) json["operations"].push_back(write(node));
  json["dependencies"] = Json::array();
  for (const FoundEdge& edge : cycle.edges) json["dependencies"].push_back(write(edge));
  return json;
}

Json CauseWriter::write(const FoundNode& node) const {
  const ProgramStatement& statement = *statements_[node.functionality][node.statement].statement;
  Json json = {{"transaction", node.instance + 1},
               {"functionality", name_of(node.functionality)},
               {"does", node.part == OperationPart::read ? "read" : "write"},
               {"file", text_json(statement.source.file)},
               {"line", statement.source.position.line},
               {"column", statement.source.position.column},
               {"text", text_json(program::shown_statement(statement))},
               {"rounds", node.rounds}};
  if (!statement.store.empty()) json["store"] = text_json(statement.store);
  if (node.call > 0) json["call"] = node.call + 1;
  return json;
}

Json CauseWriter::write(const FoundEdge& edge) {
  Json columns = Json::array();
  for (const std::string& column : edge.columns) columns.push_back(text_json(column));
  return {{"kind", heddle::to_string(edge.kind)},
          {"predicate", edge.predicate},
          {"by_lock", edge.by_lock},
          {"from", edge.from},
          {"to", edge.to},
          {"table", text_json(edge.table)},
          {"columns", std::move(columns)}};
}

}  // namespace heddle
