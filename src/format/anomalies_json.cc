#include "format/anomalies_json.h"

#include "format/json.h"

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

Json names_json(const std::vector<std::string>& names) {
  Json array = Json::array();
  for (const std::string& name : names) array.push_back(text_json(name));
  return array;
}

// What is found in one program.
class CauseWriter {
 public:
  explicit CauseWriter(const Program& program) : program_(program) {
    for (const Functionality& functionality : program.functionalities) {
      statements_.push_back(list_statements(functionality));
    }
  }

  Json name_of(std::size_t functionality) const {
    return text_json(program_.functionalities[functionality].name);
  }

  Json levels(const std::vector<FunctionalityLevel>& levels) const {
    Json array = Json::array();
    for (std::size_t i = 0; i < levels.size(); ++i) {
      array.push_back({{"functionality", name_of(i)},
                       {"isolation", definition(levels[i].level).name},
                       {"origin", to_string(levels[i].origin)}});
    }
    return array;
  }

  Json write(const FoundCause& cause) const {
    Json json = {{"kind", definition(cause.kind).slug}};
    json["status"] = "possible";
    if (cause.execution) {
      json["status"] = heddle::to_string(cause.execution->status);
      json["reason"] = text_json(cause.execution->reason);
    }
    if (cause.execution && cause.execution->finding) {
      json["broken_invariants"] = names_json(cause.execution->broken_invariants);
      json["effect"] = heddle::to_string(cause.execution->finding->effect);
      json["finding"] = Json::parse(to_json(*cause.execution->finding));
      json["further"] = Json::array();
      for (const FoundBreak& further : cause.execution->further) {
        json["further"].push_back({{"broken_invariants", names_json(further.invariants)},
                                   {"finding", Json::parse(to_json(further.finding))}});
      }
    }
    json["cores"] = Json::array();
    for (const FoundCycle& cycle : cause.cores) json["cores"].push_back(write(cycle));
    json["extensions"] = Json::array();
    for (const FoundCycle& cycle : cause.extensions) json["extensions"].push_back(write(cycle));
    return json;
  }

 private:
  Json write(const FoundCycle& cycle) const {
    Json json = {{"kind", definition(cycle.kind).slug}, {"decided", cycle.is_decided}};
    json["operations"] = Json::array();
    for (const FoundNode& node : cycle.nodes) json["operations"].push_back(write(node));
    json["dependencies"] = Json::array();
    for (const FoundEdge& edge : cycle.edges) json["dependencies"].push_back(write(edge));
    return json;
  }

  Json write(const FoundNode& node) const {
    const ProgramStatement& statement = *statements_[node.functionality][node.statement].statement;
    return {{"transaction", node.instance + 1},
            {"functionality", name_of(node.functionality)},
            {"does", node.part == OperationPart::read ? "read" : "write"},
            {"file", text_json(statement.source.file)},
            {"line", statement.source.position.line},
            {"column", statement.source.position.column},
            {"text", text_json(named_text(statement.statement.text, statement.arguments))},
            {"rounds", node.rounds}};
  }

  static Json write(const FoundEdge& edge) {
    Json columns = Json::array();
    for (const std::string& column : edge.columns) columns.push_back(text_json(column));
    return {{"kind", heddle::to_string(edge.kind)},
            {"predicate", edge.predicate},
            {"from", edge.from},
            {"to", edge.to},
            {"table", text_json(edge.table)},
            {"columns", std::move(columns)}};
  }

  const Program& program_;
  std::vector<std::vector<ListedStatement>> statements_;
};

}  // namespace

std::string to_json(const FindReport& report, const Program& program) {
  const CauseWriter writer(program);
  Json document = {{"heddle", "anomalies/1"}};
  document["levels"] = writer.levels(report.levels);
  document["constraints"] = report.constraints;
  document["max_length"] = report.max_length;
  document["causes"] = Json::array();
  for (const FoundCause& cause : report.causes) document["causes"].push_back(writer.write(cause));
  document["counts"] = {{"groups", report.counts.groups},
                        {"skeletons", report.counts.skeletons},
                        {"refuted", report.counts.refuted},
                        {"checks", report.counts.checks},
                        {"undecided", report.counts.undecided}};
  document["bound"] = report.bound;
  return document.dump(2) + "\n";
}

std::string to_json(const RemovedReport& report, const Program& program) {
  const CauseWriter writer(program);
  Json document = {{"heddle", "removed-anomalies/1"}};
  document["levels"] = writer.levels(report.levels);
  document["max_length"] = report.max_length;
  document["causes"] = Json::array();
  for (const RemovedCause& removed : report.causes) {
    Json json = writer.write(removed.cause);
    json["axioms"] = Json::array();
    for (const Axiom axiom : removed.axioms) json["axioms"].push_back(definition(axiom).name);
    document["causes"].push_back(std::move(json));
  }
  document["left"] = report.left;
  document["bound"] = report.bound;
  return document.dump(2) + "\n";
}

}  // namespace heddle
