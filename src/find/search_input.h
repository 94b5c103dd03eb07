// What the searches of all sets of functionalities share, and what each of them answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/interrupt.h"
#include "find/conflicts.h"
#include "find/known_constraints.h"
#include "find/rows.h"
#include "find/unfold.h"
#include "heddle/find.h"

namespace heddle::find {

// A functionality and what does not depend on the group that it is in.
struct Prepared {
  std::vector<FormedStatement> statements;
  std::vector<bool> in_loop;
  Changes changes;
};

using Clock = std::chrono::steady_clock;

// What all groups share; nobody changes it while they are searched.
struct SearchInput {
  const Program& program;
  const FindOptions& options;
  std::vector<FunctionalityLevel> levels = {};
  std::vector<Prepared> prepared = {};
  std::vector<std::vector<std::vector<Conflict>>> conflicts = {};  // by functionality
  Changes changes = {};
  KnownConstraints constraints = {};
  std::size_t max_length = 4;
  std::optional<Clock::time_point> deadline = {};

  // Whether the time is up, or somebody wants an end.
  bool is_late() const { return interrupted() || (deadline && Clock::now() > *deadline); }
};

// `levels`: of each functionality. Program and options outlive what is returned.
SearchInput prepare_search(const Program& program, const FindOptions& options,
                           std::vector<FunctionalityLevel> levels);

struct GroupResult {
  std::vector<FoundCycle> cycles;
  FindCounts counts;
  bool is_complete = true;
};

}  // namespace heddle::find
