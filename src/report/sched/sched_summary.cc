#include "report/sched/sched_summary.h"

#include <map>
#include <string_view>

namespace heddle {

namespace {

std::string step_text(const SchedFinding& finding, std::size_t number) {
  const SchedStep& step = finding.steps[number];
  constexpr std::string_view kWaits = "waits: ";
  const std::string text =
      step.text.starts_with(kWaits) ? step.text.substr(kWaits.size()) : step.text;
  const std::string at = step.place.line == 0 ? "" : " at " + place_text(step.place);
  return "thread " + std::to_string(step.thread) + " " + text + at + " (step " +
         std::to_string(step.number) + ")";
}

std::string no_return_text(const SchedFinding& finding) {
  const SchedNoReturn& point = *finding.no_return;
  const std::string tried = point.are_all ? "" : " tried";
  const bool are_two = point.are_all && point.continuations == 2;
  const std::string count = are_two ? "both" : "all " + std::to_string(point.continuations);
  if (!point.step && point.continuations == 1) return "there is one interleaving";
  if (!point.step) return count + " interleavings" + tried + " fail";
  const std::string from = "after step " + std::to_string(finding.steps[*point.step].number);
  if (point.continuations == 1) return from + " there is no other way";
  return from + " " + count + " continuations" + tried + " fail";
}

}  // namespace

std::string place_text(const SchedPlace& place) {
  const std::size_t slash = place.file.rfind('/');
  return (slash == std::string::npos ? place.file : place.file.substr(slash + 1)) + ":" +
         std::to_string(place.line);
}

std::string sched_title(const SchedFinding& finding) {
  return finding.oracle + ": " + finding.message;
}

bool is_deciding(const SchedFinding& finding, std::size_t step) {
  return finding.pair && (step == finding.pair->first || step == finding.pair->second);
}

std::string pair_text(const SchedFinding& finding) {
  const SchedPair& pair = *finding.pair;
  const std::string first = step_text(finding, pair.first);
  const std::string second = step_text(finding, pair.second);
  if (pair.is_race) return first + " and " + second + ": nothing orders them";
  const std::string under = pair.mutex.empty() ? "" : ", both under " + pair.mutex;
  const std::string others = pair.reversed > 1
                                 ? " with " + std::to_string(pair.reversed - 1) +
                                       (pair.reversed == 2 ? " other pair" : " other pairs")
                                 : "";
  return first + " before " + second + under + "; the other way round" + others + " it passes";
}

std::vector<std::string> why_lines(const SchedFinding& finding) {
  std::vector<std::string> lines;
  if (!finding.pattern.empty()) lines.push_back("pattern: " + finding.pattern);
  if (finding.pair) {
    lines.push_back((finding.pair->is_race ? "what races: " : "what decides: ") +
                    pair_text(finding));
  }
  if (finding.no_return) lines.push_back("no way back: " + no_return_text(finding));
  return lines;
}

std::string found_text(const SchedFinding& finding) {
  const std::string rest = " from running each thread until it waits";
  const std::string departures = finding.departures == 0 ? "each thread runs until it waits"
                                 : finding.departures == 1
                                     ? "one departure" + rest
                                     : std::to_string(finding.departures) + " departures" + rest;
  return "found in execution " + std::to_string(finding.executions) + "; " + departures;
}

std::vector<std::pair<std::string, std::string>> source_lines(const SchedFinding& finding) {
  std::map<std::pair<std::string, std::uint32_t>, const SchedPlace*> places;
  for (const SchedStep& step : finding.steps) {
    if (step.place.line != 0) places[{step.place.file, step.place.line}] = &step.place;
  }
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [key, place] : places) lines.emplace_back(place_text(*place), place->source);
  return lines;
}

std::string output_text(const SchedOutput& output) {
  return output.thread ? "thread " + std::to_string(*output.thread) + ": " + output.text
                       : output.text;
}

}  // namespace heddle
