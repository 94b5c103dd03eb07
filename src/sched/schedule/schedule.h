// A schedule of tasks as a value: each task runs until it blocks, and a sparse list says where that
// is not so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sched/races/vector_clock.h"

namespace heddle::sched::runtime {

// A place in an execution: the operation that `task` is about to make, counted from 1. An operation
// is an access to memory, whoever else may see it, or what a task asks of another or of the clock.
struct TaskPlace {
  TaskId task = 0;
  std::uint32_t operation = 0;

  friend bool operator==(const TaskPlace&, const TaskPlace&) = default;
  friend auto operator<=>(const TaskPlace&, const TaskPlace&) = default;
};

// At `place` something else is done than by default.
struct Choice {
  enum class Kind : std::uint8_t {
    // `value` goes on in place of the task at `place`. By default a task goes on while it can, and
    // then
    // the next in the order of numbers that can.
    task,
    // `value` is what was chosen among several: who is notified, what `sched::choose` gives. By
    // default 0.
    data,
  };
  TaskPlace place;
  Kind kind = Kind::task;
  std::uint32_t value = 0;

  friend bool operator==(const Choice&, const Choice&) = default;
};

// What is done again and again from the end of a schedule on, while some tasks wait.
struct Round {
  std::uint32_t choices = 0;              // so many of the schedule's, the last ones
  std::uint64_t starving = 0;             // who waits meanwhile, a bit each; 0: there is no round
  std::vector<std::uint32_t> operations;  // how many each task makes in a round, by its number

  friend bool operator==(const Round&, const Round&) = default;
};

struct Schedule {
  std::vector<Choice> choices;  // in the order in which they are met
  Round round = {};

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// A schedule in few letters that go through any shell, with a check sum of the events of the run.
struct Token {
  Schedule schedule;
  std::uint64_t check = 0;             // which of the program's tests it is of, from 0
  std::uint64_t seed = 0;              // what the test's own random numbers began with
  std::uint32_t events = 0;            // check sum of the events
  std::vector<std::uint64_t> program;  // of a property test: its commands, as numbers
};
std::string print_token(const Token& token);

// None: the text is no token, or was cut or mistyped.
std::optional<Token> parse_token(std::string_view text);

}  // namespace heddle::sched::runtime
