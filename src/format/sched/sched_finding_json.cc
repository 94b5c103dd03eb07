// What people look for first comes first: what failed, why, and the steps; then what brings it
// back.
#include "format/sched/sched_finding_json.h"

#include <string>
#include <vector>

#include "format/sched/json_lines.h"
#include "heddle/sched_finding.h"

namespace heddle {

namespace {

std::string place_json(const SchedPlace& place) {
  if (place.line == 0) return "null";
  return json_line({{"file", json_of_text(place.file)},
                    {"line", json_of_number(place.line)},
                    {"source", json_of_text(place.source)}});
}

std::string step_json(const SchedStep& step) {
  return json_line({{"number", json_of_number(step.number)},
                    {"thread", json_of_number(step.thread)},
                    {"operation", json_of_text(step.operation)},
                    {"text", json_of_text(step.text)},
                    {"object", json_of_text(step.object)},
                    {"before", json_of_text(std::to_string(step.before))},
                    {"after", json_of_text(std::to_string(step.after))},
                    {"writes", json_of_truth(step.is_write)},
                    {"call", json_of_truth(step.is_call)},
                    {"waits", json_of_truth(step.waits)},
                    {"place", place_json(step.place)}});
}

std::string pair_json(const SchedFinding& finding) {
  if (!finding.pair) return "null";
  return json_line({{"first", json_of_number(finding.pair->first)},
                    {"second", json_of_number(finding.pair->second)},
                    {"race", json_of_truth(finding.pair->is_race)},
                    {"reversed", json_of_number(finding.pair->reversed)},
                    {"mutex", json_of_text(finding.pair->mutex)}});
}

std::string no_return_json(const SchedFinding& finding) {
  if (!finding.no_return) return "null";
  const SchedNoReturn& point = *finding.no_return;
  return json_line({{"step", point.step ? json_of_number(*point.step) : "null"},
                    {"continuations", json_of_number(point.continuations)},
                    {"all", json_of_truth(point.are_all)}});
}

std::string output_json(const SchedOutput& output) {
  return json_line({{"thread", output.thread ? json_of_number(*output.thread) : "null"},
                    {"text", json_of_text(output.text)}});
}

template <class Values, class Write>
std::string list_json(const Values& values, const Write& write, std::size_t indent) {
  std::vector<std::string> elements;
  for (const auto& value : values) elements.push_back(write(value));
  return json_list(elements, indent);
}

std::string finding_json(const SchedFinding& finding, std::size_t indent) {
  const std::size_t deeper = indent + 2;
  return json_object({{"heddle", json_of_text(kSchedFindingDocument)},
                      {"test", json_of_text(finding.test)},
                      {"oracle", json_of_text(finding.oracle)},
                      {"message", json_of_text(finding.message)},
                      {"place", place_json(finding.place)},
                      {"pattern", json_of_text(finding.pattern)},
                      {"pair", pair_json(finding)},
                      {"no_return", no_return_json(finding)},
                      {"waiting", list_json(finding.waiting, json_of_text, deeper)},
                      {"commands", json_of_text(finding.commands)},
                      {"threads", json_of_number(finding.threads)},
                      {"steps", list_json(finding.steps, step_json, deeper)},
                      {"output", list_json(finding.output, output_json, deeper)},
                      {"departures", json_of_number(finding.departures)},
                      {"executions", json_of_number(finding.executions)},
                      {"unsteady", json_of_truth(finding.is_unsteady)},
                      {"program", json_of_text(finding.program)},
                      {"arguments", list_json(finding.arguments, json_of_text, deeper)},
                      {"environment", list_json(finding.environment, json_of_text, deeper)},
                      {"token", json_of_text(finding.token)},
                      {"again", json_of_text(finding.again)},
                      {"debugger", json_of_text(finding.debugger)}},
                     indent);
}

}  // namespace

std::string to_json(const SchedFinding& finding) { return finding_json(finding, 0) + "\n"; }

std::string to_json(const SchedExecution& execution) {
  return json_object(
             {{"heddle", json_of_text(kSchedExecutionDocument)},
              {"token", json_of_text(execution.token)},
              {"changed", json_of_truth(execution.is_changed)},
              {"finding", execution.finding ? finding_json(*execution.finding, 2) : "null"}},
             0) +
         "\n";
}

}  // namespace heddle
