/// What is told of an execution of a thread program that failed: data, from which text, drawings
/// and documents are written, by the program itself and by `heddle replay`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/replayed_runs.h"
#include "heddle/result.h"

namespace heddle {

/// A place in the source.
struct SchedPlace {
  std::string file;  ///< empty: nobody knows
  std::uint32_t line = 0;
  std::string source;  ///< what stands there; empty: the file is not there

  friend bool operator==(const SchedPlace&, const SchedPlace&) = default;
};

/// Something that a thread does.
struct SchedStep {
  std::size_t number = 0;  ///< from 1; of very many steps the middle ones are left out
  std::size_t thread = 0;
  std::string operation;     ///< "reads"
  std::string text;          ///< "reads 0 (A)"
  std::string object;        ///< what it is about, as it is called in the texts; empty: nothing
  std::uint64_t before = 0;  ///< the value of memory before and after
  std::uint64_t after = 0;
  bool is_write = false;
  bool is_call = false;  ///< of a property's command, or its answer
  bool waits = false;    ///< it is never made: its thread waits until nobody can go on
  SchedPlace place;

  friend bool operator==(const SchedStep&, const SchedStep&) = default;
};

/// Two steps that decide.
struct SchedPair {
  std::size_t first = 0;  ///< into the steps
  std::size_t second = 0;
  bool is_race = false;  ///< nothing orders them; else the test passes if the second comes first
  std::size_t reversed = 0;  ///< how many pairs come in the other order in the nearest execution
                             ///< that passes
  std::string mutex;         ///< under which both are made; empty: none

  friend bool operator==(const SchedPair&, const SchedPair&) = default;
};

/// From where on nothing can save the execution.
struct SchedNoReturn {
  std::optional<std::size_t> step;  ///< into the steps; none: from the beginning
  std::uint64_t continuations = 0;  ///< how many were tried, all of which fail
  bool are_all = false;             ///< there are no others

  friend bool operator==(const SchedNoReturn&, const SchedNoReturn&) = default;
};

/// Steps that repeat until there are too many.
struct SchedCycle {
  std::size_t first = 0;              ///< into the steps: the last round that was made as a whole
  std::size_t length = 0;             ///< how many steps a round has
  std::size_t rounds = 0;             ///< how many there are
  std::vector<std::size_t> left_out;  ///< threads that have not ended and make none of these steps

  friend bool operator==(const SchedCycle&, const SchedCycle&) = default;
};

/// A line that the program wrote.
struct SchedOutput {
  std::optional<std::size_t> thread;  ///< none: nobody knows
  std::string text;

  friend bool operator==(const SchedOutput&, const SchedOutput&) = default;
};

/// An execution that failed.
struct SchedFinding {
  std::string program;                 ///< the path by which it was started
  std::vector<std::string> arguments;  ///< with which it was started
  /// Variables by which executions differ: "HEDDLE_RACES=find".
  std::vector<std::string> environment;
  std::string test;    ///< what the test is called
  std::string oracle;  ///< "deadlock"
  std::string message;
  SchedPlace place;              ///< where it fails
  std::string token;             ///< HEDDLE_REPLAY=token executes exactly this
  std::size_t departures = 0;    ///< from running each thread until it waits
  std::uint64_t executions = 0;  ///< how many were made until it was found
  std::size_t threads = 0;
  std::vector<std::string> waiting;  ///< who waits for what, in sentences
  std::string commands;              ///< of a property: the program that fails, in lines
  std::vector<SchedStep> steps;
  std::optional<SchedPair> pair;
  std::optional<SchedNoReturn> no_return;
  std::optional<SchedCycle> cycle;
  std::string pattern;  ///< "lost update"; empty: none that has a name
  std::vector<SchedOutput> output;
  std::string again;     ///< the command that executes it again
  std::string debugger;  ///< the command that opens it at the deciding step; empty: there is none
  bool is_unsteady = false;  ///< the same schedule passes: something is not controlled

  friend bool operator==(const SchedFinding&, const SchedFinding&) = default;
};

/// What came of a token: a program that is asked for reports under HEDDLE_REPLAY writes it.
struct SchedExecution {
  std::string token;
  bool is_changed = false;              ///< other things happened than when the token was printed
  std::optional<SchedFinding> finding;  ///< none: it passed

  friend bool operator==(const SchedExecution&, const SchedExecution&) = default;
};

/// What running a finding again gave.
struct SchedReplayReport : ReplayedRuns {
  std::string program = {};  ///< that was started
  bool is_changed = false;   ///< other things happened than when it was found
  /// What the last run that confirmed it shows.
  std::optional<SchedFinding> shown = {};
};

/// The finding as a JSON document, "heddle": "sched-finding/1" (docs/formats/sched.md).
std::string to_json(const SchedFinding& finding);

/// As a JSON document, "heddle": "sched-execution/1".
std::string to_json(const SchedExecution& execution);

/// What running it again gave as a JSON document, "heddle": "sched-replay/1".
std::string to_json(const SchedReplayReport& report, const SchedFinding& finding);

/// Whether a JSON document says that it is a finding of a thread program.
bool is_sched_finding(std::string_view json);

/// Reads one; diagnostics name `file`, line and column.
Result<SchedFinding> parse_sched_finding(std::string_view json, std::string_view file);
Result<SchedExecution> parse_sched_execution(std::string_view json, std::string_view file);

}  // namespace heddle
