#include "format/anomalies_json.h"

#include "format/cause_groups.h"
#include "format/cause_json.h"
#include "format/coverage_json.h"
#include "format/json/json.h"
#include "program/redis_commands.h"

namespace heddle {

namespace {

Json write_program_repair(const ProgramRepair& repair, const CauseWriter& writer) {
  Json json = {{"cheapest", repair.is_cheapest}};
  json["changes"] = Json::array();
  for (const ProgramChange& change : repair.changes) {
    Json one = {{"kind", to_string(change.kind)},
                {"functionality", writer.name_of(change.functionality)},
                {"sentence", text_json(change.sentence)}};
    if (change.statement) {
      one["file"] = text_json(change.source.file);
      one["line"] = change.source.position.line;
      if (!change.text.empty()) one["text"] = text_json(change.text);
    } else {
      one["isolation"] = definition(change.level).name;
    }
    json["changes"].push_back(std::move(one));
  }
  if (repair.execution) {
    json["executed"] = {{"causes", repair.execution->causes},
                        {"orders", repair.execution->orders},
                        {"bound", text_json(repair.execution->bound)}};
    if (!repair.execution->goes_wrong.empty()) {
      json["executed"]["goes_wrong"] = text_json(repair.execution->goes_wrong);
    }
  }
  return json;
}

Json write_program_repair(const ProgramRepairReport& report, const CauseWriter& writer) {
  Json json = {{"candidates", report.candidates}, {"searches", report.searches}};
  json["repairs"] = Json::array();
  for (const ProgramRepair& repair : report.repairs) {
    json["repairs"].push_back(write_program_repair(repair, writer));
  }
  json["refused"] = Json::array();
  for (const ProgramRepair& repair : report.refused) {
    json["refused"].push_back(write_program_repair(repair, writer));
  }
  json["left"] = Json::array();
  for (const std::vector<std::string>& names : report.left) {
    Json set = Json::array();
    for (const std::string& name : names) set.push_back(text_json(name));
    json["left"].push_back(std::move(set));
  }
  json["bound"] = report.bound;
  return json;
}

}  // namespace

std::string to_json(const FindReport& report, const Program& program,
                    const ProgramRepairReport* repairs) {
  const CauseWriter writer(program);
  Json document = {{"heddle", "anomalies/1"}};
  document["levels"] = writer.levels(report.levels);
  document["constraints"] = report.constraints;
  document["max_length"] = report.max_length;
  document["max_instances"] = report.max_instances;
  if (report.max_prefix > 0) document["max_prefix"] = report.max_prefix;
  document["rounds"] = report.rounds;
  if (report.all_within) {
    document["all_within"] = {{"length", report.all_within->length},
                              {"instances", report.all_within->instances}};
  }
  document["causes"] = Json::array();
  const std::vector<std::size_t> groups = cause_groups(report, program);
  for (std::size_t i = 0; i < report.causes.size(); ++i) {
    Json json = writer.write(report.causes[i]);
    json["group"] = groups[i];
    document["causes"].push_back(std::move(json));
  }
  document["counts"] = {{"groups", report.counts.groups},
                        {"skeletons", report.counts.skeletons},
                        {"refuted", report.counts.refuted},
                        {"checks", report.counts.checks},
                        {"undecided", report.counts.undecided}};
  document["own_rows"] = report.own_rows;
  document["external_left_out"] = report.external_left_out;
  document["bound"] = report.bound;
  document["coverage"] = coverage_json(program.coverage);
  if (repairs != nullptr) document["repair"] = write_program_repair(*repairs, writer);
  return print_json_by_line(document);
}

std::string to_json(const RemovedReport& report, const Program& program) {
  const CauseWriter writer(program);
  Json document = {{"heddle", "removed-anomalies/1"}};
  document["levels"] = writer.levels(report.levels);
  document["max_length"] = report.max_length;
  document["max_instances"] = report.max_instances;
  document["causes"] = Json::array();
  for (const RemovedCause& removed : report.causes) {
    Json json = writer.write(removed.cause);
    json["axioms"] = Json::array();
    for (const Axiom axiom : removed.axioms) json["axioms"].push_back(definition(axiom).name);
    document["causes"].push_back(std::move(json));
  }
  document["left"] = report.left;
  document["bound"] = report.bound;
  document["coverage"] = coverage_json(program.coverage);
  return print_json_by_line(document);
}

}  // namespace heddle
