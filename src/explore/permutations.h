// Runs the permutations of spec files exactly as PostgreSQL's isolationtester does: same order,
// same sessions throughout a file, steps of a blocked session waited for, nothing judged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/replay.h"
#include "heddle/scenario.h"

namespace heddle {

struct PermutationOptions {
  StoreAddresses on;
  std::uint32_t jobs = 1;
  std::uint32_t step_timeout_ms = 300'000;  // isolationtester's
  // All jobs begin at once, however little there is to do; for tests.
  bool is_eager = false;
};

struct PermutationsReport {
  std::string store;
  bool timed_out = false;  // a file ended because a step did not return
  bool failed = false;     // a file ended because its setup failed or a connection broke
};

// Called with the index of the file and the run of its next permutation, in order, one at a time.
// False ends the work: nobody wants to see more.
using RunReceiver = std::function<bool(std::size_t file, const Run& run)>;

// A file whose setup fails ends there, as with isolationtester; the next file goes on. Files that
// touch what the databases of a server share (roles, prepared transactions) run alone.
Result<PermutationsReport> run_permutations(const std::vector<Scenario>& scenarios,
                                            const PermutationOptions& options,
                                            const RunReceiver& receive);

}  // namespace heddle
