// The tester that searches are measured by: it calls random functionalities with random arguments
// at the same time, lets their statements run in a random order and, where rows have several
// copies, at random places with random delivery, and looks at the end whether the invariants hold.
//
// It knows the program's tables and calls, and nothing of what its statements do to each other. It
// executes as heddle does otherwise: the same store, the same rows, the same runner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/replay.h"
#include "heddle/result.h"
#include "heddle/scenario.h"

namespace heddle::find {

struct RandomTest {
  const Program* program = nullptr;
  SourceText rows;  // SQL that fills the program's tables, before each run
  std::vector<Invariant> invariants;
  StoreAddresses on;
  IsolationLevel level = IsolationLevel::eventual;
};

// What becomes of copies of rows.
enum class RandomNetwork : std::uint8_t {
  any,     // clients move from replica to replica, and what they wrote is delivered at any time
  sticky,  // each call stays at a replica
  prompt,  // everything is delivered at once: orders of steps alone are random
};

struct RandomOptions {
  std::uint64_t seed = 1;
  std::size_t fewest_calls = 2;  // of one run
  std::size_t most_calls = 6;
  std::size_t clients = 6;   // of which one calls after the other
  std::size_t orders = 4;    // of steps in which the same calls run, each a run of its own
  std::size_t replicas = 3;  // where rows have several copies
  RandomNetwork network = RandomNetwork::any;
  std::optional<std::uint32_t> timeout_ms = {};
  std::optional<std::size_t> runs = {};  // REQUIRES of users: one of the two
  bool stops_when_all_are_broken = true;
};

// The first run that breaks an invariant.
struct RandomBreak {
  std::string invariant;
  std::size_t run = 0;  // from 1
  double seconds = 0;   // since the beginning
  std::string spec;     // the run as a spec file, with its order of steps
};

struct RandomReport {
  std::string store;
  std::vector<RandomBreak> breaks;  // in the order in which they were found
  std::size_t runs = 0;
  std::size_t calls = 0;
  std::size_t failed_calls = 0;  // that ended in an error of the program or the store
  // Runs that broke something which a serial order of the calls breaks, too: nothing is said of it.
  std::size_t serially_broken = 0;
  double seconds = 0;
};

// An invariant counts as broken when the rows that a run leaves, everything delivered, break it and
// no serial order of the same calls does: all of up to four calls, else 24 drawn ones. The same
// seed and number of runs give the same report, times apart, on a store in which nobody waits.
// `broken` is told at once; may be empty. Errors: the store refuses the tables or rows, or an
// invariant does not hold of them.
Result<RandomReport> test_at_random(const RandomTest& test, const RandomOptions& options,
                                    const std::function<void(const RandomBreak&)>& broken = {});

}  // namespace heddle::find
