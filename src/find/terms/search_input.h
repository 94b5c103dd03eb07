// What the searches of all sets of functionalities share, and what each of them answers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "find/forms/foreign_keys.h"
#include "find/forms/growing_columns.h"
#include "find/terms/conflicts.h"
#include "find/terms/known_constraints.h"
#include "find/terms/rows.h"
#include "find/terms/unfold.h"
#include "heddle/find.h"

namespace heddle::find {

// A functionality and what does not depend on the group that it is in.
struct Prepared {
  std::vector<FormedStatement> statements;
  std::vector<bool> runs_again;
  bool may_be_undone = false;  // a transaction may be rolled back, because of an error or not
  // Of a session of several calls: with which statement each call behind the first one begins.
  std::vector<std::size_t> later_calls = {};

  // Which call of the session a statement is of, from 0.
  std::size_t call_of(std::size_t statement) const {
    const auto after = std::ranges::upper_bound(later_calls, statement);
    return static_cast<std::size_t>(after - later_calls.begin());
  }

  // What its statements change. Made anew each time: of many functionalities that may change
  // anything it would fill the memory.
  void add_changes(Changes& changes) const;
};

struct Skeleton;
struct SkeletonEdge;

using Clock = std::chrono::steady_clock;
using Admission = std::function<bool(const std::vector<std::size_t>&, const Skeleton&)>;
using PathAdmission =
    std::function<bool(const std::vector<std::size_t>&, const std::vector<SkeletonEdge>&)>;

// What all groups share; nobody changes it while they are searched.
struct SearchInput {
  const Program& program;
  const FindOptions& options;
  std::vector<FunctionalityLevel> levels = {};
  std::vector<std::vector<std::optional<IsolationLevel>>> levels_of_statements = {};
  std::vector<Prepared> prepared = {};
  std::shared_ptr<const ConflictTable> conflicts = {};  // of what is prepared
  Changes changes = {};
  GrowingColumns growing = {};
  GeneratedColumns generated = {};
  ForeignKeys foreign_keys = {};
  KnownConstraints constraints = {};
  std::size_t max_length = 4;
  std::size_t max_prefix = 0;  // 0 without facts of the rows at the beginning
  std::optional<Clock::time_point> deadline = {};
  // Whether there is something better to do than to go on; may be empty. Any thread.
  std::function<bool()> stops = {};
  bool stops_at_first = false;  // one cycle of a group is enough
  // Cycles that need somebody else's rows are left out: each statement finds what was there at
  // first and what the cycle's own transactions have done, and nothing else.
  bool is_closed = false;
  // Which cycles are asked about, given the members of their set; may be empty: all. Any thread.
  Admission admits = {};
  // Where it says no of the beginning of a cycle, admits says no of the cycle. As above.
  PathAdmission admits_path = {};

  // Whether the time is up, or somebody wants an end.
  bool is_late() const {
    return interrupted() || (deadline && Clock::now() > *deadline) || (stops && stops());
  }

  std::shared_ptr<const ConflictList> conflicts_between(std::size_t from, std::size_t to) const {
    return conflicts->between(from, to, [this] { return is_late(); });
  }
};

// Whether it has several calls.
bool is_session(const SearchInput& input, std::size_t functionality);

// The time that is left, 0 when it is over; none: there is no end.
std::optional<std::uint32_t> left_ms(const std::optional<Clock::time_point>& end);
// When it is over, if it begins now.
std::optional<Clock::time_point> end_of(const std::optional<std::uint32_t>& timeout_ms);

// What made a search end early: "interrupted", or the bound that was hit.
std::string reason_to_stop();

// At which level a statement of a functionality runs.
IsolationLevel level_at(const SearchInput& input, std::size_t functionality, std::size_t statement);

// Of cycles among functionalities at these levels, in operations: those that are possible without
// lost updates are longer.
std::size_t default_length(const std::vector<FunctionalityLevel>& levels);

// Calls before a cycle, where nobody says how many.
std::size_t default_prefix(const SearchInput& input);

// How far a small program is searched where nobody says how far; none: it is too large for more
// than usual.
std::optional<FindBounds> wider_bounds(const SearchInput& input);

// `levels`: of each functionality. Program and options outlive what is returned.
SearchInput prepare_search(const Program& program, const FindOptions& options,
                           std::vector<FunctionalityLevel> levels);

// The same for one group, whose functionalities may differ from those of the program that `whole`
// was prepared for in what a repair changes.
SearchInput prepare_search_of(const std::vector<std::size_t>& members, const Program& program,
                              const SearchInput& whole, std::vector<FunctionalityLevel> levels);

struct GroupResult {
  std::vector<FoundCycle> cycles;
  FindCounts counts;
  bool is_complete = true;
  // It has more dependencies, or larger formulas, than are looked at: then it is not complete.
  bool is_too_large = false;
};

}  // namespace heddle::find
