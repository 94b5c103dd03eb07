// What a process notes while it executes, in memory that it may share with whoever watches it: so
// much can be told of an execution that never comes back.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/runtime/event.h"
#include "sched/schedule/schedule.h"

namespace heddle::sched::runtime {

// Where a task is.
struct SurveyedTask {
  static constexpr std::size_t kMostFrames = 48;

  TaskId task = 0;
  bool runs = false;  // else it waits for its turn, at what it has announced
  OperationKind announced{};
  std::uintptr_t object = 0;
  std::uint32_t count = 0;
  std::array<std::uintptr_t, kMostFrames> frames{};  // return addresses, the innermost first
};

// REQUIRES: it is all zero at first, as fresh memory is.
struct Flight {
  static constexpr std::size_t kMostChoices = std::size_t{1} << 16;

  std::uint64_t beats;      // grows whenever a task comes to a step
  std::uint32_t executing;  // 1: from an execution's beginning to its end
  std::int32_t process;     // of whoever executes
  std::int32_t thread;      // the driver
  std::uint64_t number;     // of the test
  std::uint64_t seed;
  // Of a property test: its commands, as a token holds them; none if there are too many.
  static constexpr std::size_t kMostNumbers = 1024;
  std::uint32_t program_size;
  std::array<std::uint64_t, kMostNumbers> program;
  // What the execution did that is not the default, as far as it has come.
  std::uint32_t choices;
  std::array<Choice, kMostChoices> made;
  // Its tasks, when it was asked for them.
  std::uint32_t surveyed;  // 1: all of them stand here
  std::uint32_t tasks;
  std::array<SurveyedTask, kMostTasks> told;

  void begin_execution() {
    choices = 0;
    surveyed = 0;
    executing = 1;
  }
  void set_program(const std::vector<std::uint64_t>& numbers) {
    program_size = numbers.size() <= kMostNumbers ? static_cast<std::uint32_t>(numbers.size()) : 0;
    std::copy_n(numbers.begin(), program_size, program.begin());
  }
  // False: there is no room for more.
  [[gnu::always_inline]] bool note(TaskPlace place, Choice::Kind kind, std::uint32_t value) {
    if (choices == kMostChoices) [[unlikely]]
      return false;
    Choice& choice = made[choices++];
    choice.place.task = place.task;
    choice.place.operation = place.operation;
    choice.kind = kind;
    choice.value = value;
    return true;
  }
  Schedule schedule() const {
    return {.choices = {made.begin(), made.begin() + static_cast<std::ptrdiff_t>(choices)}};
  }
};

}  // namespace heddle::sched::runtime
