#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "format/json/finding_fields.h"
#include "format/json/json_reader.h"
#include "format/sched/sched_finding_json.h"
#include "heddle/sched_finding.h"

namespace heddle {

namespace {

// As many as the runtime has, which every row of a drawing has a cell for.
constexpr std::size_t kMostThreads = 64;

SchedPlace read_place(const JsonPlace& place) {
  if (place.is_absent()) return {};
  return {.file = place.at("file").text(),
          .line = static_cast<std::uint32_t>(place.at("line").index(UINT32_MAX)),
          .source = place.at("source").text()};
}

// All 64 bits, which JSON's numbers need not have.
std::uint64_t read_memory(const JsonPlace& place) {
  const std::string text = place.text();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!place.is_absent() && !is_number) place.complain("expected decimal digits");
  return value;
}

SchedStep read_step(const JsonPlace& place, std::size_t threads) {
  return {.number = place.at("number").number(),
          .thread = place.at("thread").index(threads),
          .operation = place.at("operation").text(),
          .text = place.at("text").text(),
          .object = place.at("object").text(),
          .before = read_memory(place.at("before")),
          .after = read_memory(place.at("after")),
          .is_write = place.at("writes").boolean(),
          .is_call = place.at("call").boolean(),
          .waits = place.at("waits").boolean(),
          .place = read_place(place.find("place"))};
}

SchedPair read_pair(const JsonPlace& place, std::size_t steps) {
  return {.first = place.at("first").index(steps),
          .second = place.at("second").index(steps),
          .is_race = place.at("race").boolean(),
          .reversed = place.at("reversed").number(),
          .mutex = place.at("mutex").text()};
}

SchedNoReturn read_no_return(const JsonPlace& place, std::size_t steps) {
  const JsonPlace step = place.find("step");
  return {.step = step.is_absent() ? std::nullopt : std::optional(step.index(steps)),
          .continuations = place.at("continuations").number(),
          .are_all = place.at("all").boolean()};
}

SchedCycle read_cycle(const JsonPlace& place, const SchedFinding& finding) {
  const std::size_t steps = finding.steps.size();
  SchedCycle cycle{.first = place.at("first").index(steps), .left_out = {}};
  cycle.length = place.at("length").index(steps - cycle.first + 1);
  if (cycle.length == 0) place.at("length").complain("expected a step at least");
  cycle.rounds = place.at("rounds").number();
  for (const JsonPlace& thread : place.at("left_out").elements()) {
    cycle.left_out.push_back(thread.index(finding.threads));
  }
  return cycle;
}

SchedOutput read_output(const JsonPlace& place, std::size_t threads) {
  const JsonPlace thread = place.find("thread");
  return {.thread = thread.is_absent() ? std::nullopt : std::optional(thread.index(threads)),
          .text = place.at("text").text()};
}

void read_steps(const JsonPlace& root, SchedFinding& finding) {
  finding.threads = root.at("threads").index(kMostThreads + 1);
  std::size_t last = 0;
  for (const JsonPlace& place : root.at("steps").elements()) {
    finding.steps.push_back(read_step(place, finding.threads));
    const std::size_t number = finding.steps.back().number;
    if (number <= last) place.at("number").complain("expected a greater number than before");
    last = number;
  }
  const JsonPlace pair = root.find("pair");
  if (!pair.is_absent()) finding.pair = read_pair(pair, finding.steps.size());
  const JsonPlace cycle = root.find("cycle");
  if (!cycle.is_absent()) finding.cycle = read_cycle(cycle, finding);
  const JsonPlace point = root.find("no_return");
  if (!point.is_absent()) finding.no_return = read_no_return(point, finding.steps.size());
  for (const JsonPlace& place : root.at("output").elements()) {
    finding.output.push_back(read_output(place, finding.threads));
  }
}

SchedFinding read_finding(const JsonPlace& root) {
  SchedFinding finding;
  check_document(root, kSchedFindingDocument,
                 "give a file that a program with HEDDLE_SCHED_REPORT wrote");
  finding.test = root.at("test").text();
  finding.oracle = root.at("oracle").text();
  finding.message = root.at("message").text();
  finding.place = read_place(root.find("place"));
  finding.pattern = root.at("pattern").text();
  finding.waiting = root.at("waiting").texts();
  finding.commands = root.at("commands").text();
  read_steps(root, finding);
  finding.departures = root.at("departures").number();
  finding.executions = root.at("executions").number();
  finding.is_unsteady = root.at("unsteady").boolean();
  finding.program = root.at("program").text();
  finding.arguments = root.at("arguments").texts();
  finding.environment = root.at("environment").texts();
  finding.token = root.at("token").text();
  finding.again = root.at("again").text();
  finding.debugger = root.at("debugger").text();
  return finding;
}

}  // namespace

bool is_sched_finding(std::string_view json) { return is_document(json, kSchedFindingDocument); }

Result<SchedFinding> parse_sched_finding(std::string_view json, std::string_view file) {
  JsonReader reader(json, file);
  SchedFinding finding = read_finding(reader.root());
  if (const std::optional<Diagnostic>& trouble = reader.trouble()) return *trouble;
  return finding;
}

Result<SchedExecution> parse_sched_execution(std::string_view json, std::string_view file) {
  JsonReader reader(json, file);
  const JsonPlace root = reader.root();
  SchedExecution execution;
  check_document(root, kSchedExecutionDocument);
  execution.token = root.at("token").text();
  execution.is_changed = root.at("changed").boolean();
  const JsonPlace finding = root.find("finding");
  if (!finding.is_absent()) execution.finding = read_finding(finding);
  if (const std::optional<Diagnostic>& trouble = reader.trouble()) return *trouble;
  return execution;
}

}  // namespace heddle
