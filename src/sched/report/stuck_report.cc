#include "sched/report/stuck_report.h"

#include <cstdio>
#include <errno.h>
#include <vector>

#include "sched/report/places.h"
#include "sched/report/unseen_libraries.h"
#include "sched/runtime/backtrace.h"

namespace heddle::sched::runtime {

namespace {

std::vector<std::uintptr_t> frames_of(const SurveyedTask& task) {
  std::vector<std::uintptr_t> frames(task.frames.begin(), task.frames.begin() + task.count);
  drop_runtime_frames(frames);
  // What called the handler of the signal with which the process was asked.
  if (task.runs && !frames.empty()) frames.erase(frames.begin());
  return frames;
}

std::string describe_state(const SurveyedTask& task) {
  if (task.runs) return " runs in";
  if (task.count == 0) return " has not begun";
  return std::string(" ") + verb(task.announced) + ", in";
}

std::string describe_place(const SourcePlace& place) {
  const std::string function = place.function.empty() ? "?" : place.function;
  return "    " + function + (place.file.empty() ? "" : " at " + place.text()) + "\n";
}

}  // namespace

std::string describe_stuck(const Flight& flight, double seconds, const std::string& command) {
  std::vector<std::uintptr_t> addresses;
  for (std::uint32_t i = 0; i < flight.tasks; ++i) {
    const std::vector<std::uintptr_t> frames = frames_of(flight.told[i]);
    addresses.insert(addresses.end(), frames.begin(), frames.end());
  }
  const auto places = find_places(addresses);
  char after[64];
  snprintf(after, sizeof after, "%g", seconds);
  std::string text = std::string("heddle: stuck: no thread came to a step for ") + after +
                     " seconds: one waits or goes round in code that does not tell of it\n";
  const std::string unseen = describe_unseen(unseen_libraries());
  if (!unseen.empty()) text += "  " + unseen + "\n";
  if (flight.surveyed == 0) text += "  where its threads are could not be found out\n";
  for (std::uint32_t i = 0; i < flight.tasks && flight.surveyed != 0; ++i) {
    const SurveyedTask& task = flight.told[i];
    text += "  thread " + std::to_string(task.task) + describe_state(task) + "\n";
    for (const std::uintptr_t frame : frames_of(task)) {
      const auto found = places.find(frame);
      if (found == places.end()) continue;
      for (const SourcePlace& place : found->second) text += describe_place(place);
    }
  }
  const std::size_t departures = flight.choices;
  text +=
      "so far: " + (departures == 0 ? "each thread runs until it waits"
                                    : std::to_string(departures) +
                                          " departures from running each thread until it waits");
  const std::string token = print_token(
      {.schedule = flight.schedule(),
       .check = flight.number,
       .seed = flight.seed,
       .events = 0,
       .program = {flight.program.begin(), flight.program.begin() + flight.program_size}});
  return text + "\nagain: HEDDLE_REPLAY=" + token + " " +
         (command.empty() ? program_invocation_name : command) + "\n";
}

}  // namespace heddle::sched::runtime
