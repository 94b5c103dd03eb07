// The environment variables that overrule a test's options.
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/runtime/libc.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::array kStrategies{
    std::pair<std::string_view, sched::Strategy>{"automatic", sched::Strategy::automatic},
    std::pair<std::string_view, sched::Strategy>{"random", sched::Strategy::random},
    std::pair<std::string_view, sched::Strategy>{"pct", sched::Strategy::pct},
    std::pair<std::string_view, sched::Strategy>{"pos", sched::Strategy::pos},
    std::pair<std::string_view, sched::Strategy>{"round_robin", sched::Strategy::round_robin},
    std::pair<std::string_view, sched::Strategy>{"depth_first", sched::Strategy::depth_first},
};

constexpr std::uint64_t bit(OperationKind kind) {
  return std::uint64_t{1} << static_cast<unsigned>(kind);
}

constexpr std::array kBroken{
    std::pair<std::string_view, std::uint64_t>{"plain_stores", bit(OperationKind::write)},
    std::pair<std::string_view, std::uint64_t>{
        "notifies", bit(OperationKind::notify_one) | bit(OperationKind::notify_all)},
};

[[noreturn]] void refuse(const char* variable, std::string_view value, const char* wanted) {
  stop_program(
      (std::string("heddle: ") + variable + "=" + std::string(value) + ": " + wanted).c_str());
}

constexpr std::array kRaces{
    std::pair<std::string_view, sched::Races>{"fail", sched::Races::fail},
    std::pair<std::string_view, sched::Races>{"find", sched::Races::find},
    std::pair<std::string_view, sched::Races>{"ignore", sched::Races::ignore},
};

template <class Number>
void read_number(const char* variable, Number& number, const char* wanted) {
  const char* value = getenv(variable);
  if (value == nullptr) return;
  const std::string_view text(value);
  Number read{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc() || end != text.data() + text.size() || read < 0) {
    refuse(variable, text, wanted);
  }
  number = read;
}

template <class Named, std::size_t count>
void read_name(const char* variable, Named& named,
               const std::array<std::pair<std::string_view, Named>, count>& names,
               const char* wanted) {
  const char* value = getenv(variable);
  if (value == nullptr) return;
  for (const auto& [name, one] : names) {
    if (name != value) continue;
    named = one;
    return;
  }
  refuse(variable, value, wanted);
}

}  // namespace

Options with_environment(const Options& options) {
  Options read = options;
  read_number("HEDDLE_EXECUTIONS", read.executions, "give a whole number");
  read_number("HEDDLE_SECONDS", read.seconds, "give a number");
  read_number("HEDDLE_SEED", read.seed, "give a whole number");
  read_number("HEDDLE_STEPS", read.steps, "give a whole number");
  read_number("HEDDLE_JOBS", read.jobs, "give a whole number, or 0 for all processors");
  read_number("HEDDLE_FAULTS", read.faults, "give a whole number");
  read_number("HEDDLE_OUTSIDE", read.outside, "give a number of seconds");
  read_name("HEDDLE_STRATEGY", read.strategy, kStrategies,
            "there are automatic, random, pct, pos, round_robin and depth_first");
  // A debugger sees what happens in its own process.
  if (debugger_stop()) read.isolate = Isolate::no;
  read_name("HEDDLE_RACES", read.races, kRaces, "there are fail, find and ignore");
  return read;
}

double watchdog_seconds() {
  double seconds = 10;
  read_number("HEDDLE_WATCHDOG", seconds, "give a number of seconds, or 0");
  return seconds;
}

std::optional<DebuggerStop> debugger_stop() {
  const char* value = getenv("HEDDLE_SCHED_BREAK");
  if (value == nullptr) return std::nullopt;
  const std::string_view text(value);
  std::array<std::uint32_t, 3> numbers{};
  const char* at = text.data();
  const char* end = text.data() + text.size();
  bool is_well_formed = true;
  for (std::size_t i = 0; i < numbers.size() && is_well_formed; ++i) {
    if (i > 0) {
      is_well_formed = at != end && *at == '.';
      if (is_well_formed) ++at;
    }
    const auto [behind, error] = std::from_chars(at, end, numbers[i]);
    is_well_formed = is_well_formed && error == std::errc();
    at = behind;
  }
  if (!is_well_formed || at != end || numbers[0] >= kMostTasks) {
    refuse("HEDDLE_SCHED_BREAK", text, "give what a failure prints");
  }
  return DebuggerStop{{static_cast<TaskId>(numbers[0]), numbers[1]}, numbers[2]};
}

std::string break_text(const DebuggerStop& stop) {
  return std::to_string(stop.place.task) + "." + std::to_string(stop.place.operation) + "." +
         std::to_string(stop.above);
}

std::vector<std::string> execution_environment() {
  std::vector<std::string> set;
  for (const char* name :
       {"HEDDLE_RACES", "HEDDLE_FAULTS", "HEDDLE_STEPS", "HEDDLE_EXIT_CODE", "HEDDLE_OUTSIDE"}) {
    const char* value = getenv(name);
    if (value != nullptr) set.push_back(std::string(name) + "=" + value);
  }
  return set;
}

std::string report_folder() {
  const char* value = getenv("HEDDLE_SCHED_REPORT");
  return value == nullptr ? "" : value;
}

int expected_exit() {
  constexpr std::uint32_t kMost = 255;
  std::uint32_t code = 0;
  read_number("HEDDLE_EXIT_CODE", code, "give a number from 0 to 255");
  if (code > kMost) refuse("HEDDLE_EXIT_CODE", std::to_string(code), "give a number from 0 to 255");
  return static_cast<int>(code);
}

std::uint64_t broken_on_purpose() {
  const char* value = getenv("HEDDLE_SCHED_BROKEN");
  if (value == nullptr) return 0;
  for (const auto& [name, kinds] : kBroken) {
    if (name == value) return kinds;
  }
  refuse("HEDDLE_SCHED_BROKEN", value, "there are plain_stores and notifies");
}

}  // namespace heddle::sched::runtime
