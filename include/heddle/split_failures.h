/// split failures: what is left when a functionality that a cut made several sub-transactions of
/// stops between two of them.
///
///   Result<SplitReport> split = split_program(*program, *cut, SplitOptions{});
///   Result<FailureReport> report = find_failures(*split, FailureOptions{});
///   for (const SplitFailure& failure : report->failures) use(failure.way, failure.at);
///
/// A failure is possible until it was executed, confirmed by a run that ends as no serial outcome
/// does, and refuted where nothing is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/result.h"
#include "heddle/split.h"

namespace heddle {

/// How a functionality fails when some of its sub-transactions have committed.
enum class FailureWay : std::uint8_t {
  stop,          ///< it goes on no more
  lost_answer,   ///< the last commit happened and is taken for failed: it is called once more
  compensation,  ///< it goes on no more, and what it did is compensated, the last first
};

/// "stop", "lost answer", "compensation".
std::string_view to_string(FailureWay way);

/// A failure of a functionality at a border behind one of its sub-transactions.
struct SplitFailure {
  FailureWay way = FailureWay::stop;
  SplitPart at;                          ///< the last sub-transaction that has committed
  std::vector<std::size_t> rounds = {};  ///< of the loops around the border, from 0
  bool is_end = false;                   ///< no other comes behind it
  /// An aborted read: who reads in between what was written; none: the rows alone are looked at.
  std::optional<SplitPart> reader = {};
  std::vector<std::string> written = {};        ///< tables that were written till then, sorted
  std::vector<std::string> missing = {};        ///< tables whose writes do not come, sorted
  std::vector<std::string> compensations = {};  ///< that may run, in their order
  /// Invariants broken, the run, and the status. The finding's serial orders are what should have
  /// been left: that of the functionality whole, and of nothing, as far as these are right.
  FoundExecution execution = {};
};

struct FailureOptions {
  SplitOptions split;  ///< those of the split report
  /// Routines compensate_FUNCTIONALITY_NUMBER in PL/pgSQL: each undoes what the functionality's
  /// sub-transaction of that number, from 1, did. They take parameters of the functionality, by
  /// their names.
  std::optional<SourceText> compensations = {};
  std::optional<ExecuteOptions> execution = {};  ///< none: nothing is executed
};

struct FailureReport {
  std::vector<SplitFailure> failures;  ///< by functionality, border and way
  std::size_t in_uncut = 0;            ///< that the uncut program has, too: not counted
  std::string bound;                   ///< which limit was hit; empty: none
};

/// Says of each of the report's merges how many failures are gone where the table moves: of those
/// that are not refuted, without a run and without compensations. `program`: the uncut one. Errors:
/// as find_failures().
Result<void> weigh_failures(const Program& program, const FailureOptions& options,
                            SplitReport& split);

/// Examines each border of each functionality. Errors: bad_input with its place for compensations
/// that cannot be read, that belong to no sub-transaction, that name parameters which the
/// functionality does not have, or that use another service's tables; as execute_findings().
Result<FailureReport> find_failures(const SplitReport& split, const FailureOptions& options);

}  // namespace heddle
