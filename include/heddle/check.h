/// check: is this recorded history legal, at which levels, and if not, why.
///
///   Result<CheckReport> report = check_history(history, {});
///   for (const LevelAnswer& answer : report->answers) use(answer.level, answer.verdict);
///
/// A yes comes with an order of the transactions that explains every read (verify_order tries it
/// out), a no with the cycle that makes every order impossible, shrunk to few transactions that
/// fail by themselves, an unknown with the bound that was hit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/dependency.h"
#include "heddle/isolation.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"
#include "heddle/verdict.h"

namespace heddle {

/// Limits that turn an answer into unknown. Zero: none.
struct CheckBounds {
  std::size_t memory_bytes = 0;  ///< of the whole process
  std::uint64_t timeout_ms = 0;
  std::uint64_t steps = 0;  ///< of the search behind one answer; unlike time, the same everywhere
};

struct CheckOptions {
  std::vector<IsolationLevel> levels = {};  ///< empty: all that fit the history
  bool session = false;                     ///< hold all levels to the order within sessions
  bool realtime = false;  ///< hold all levels to real time, where the history has times
  CheckBounds bounds = {};
};

/// "from must come before to". What transactions do to node and key is told by two operations.
struct RecordedEdge {
  DependencyKind kind = DependencyKind::wr;
  std::optional<TransactionId> from;  ///< none: the state before all transactions
  TransactionId to;
  KeyId key;  ///< wr, ww, rw
  /// Into TransactionHistory::operations. wr: the write and the read; ww: the two writes; rw: the
  /// read and the write that replaces what it saw. None for so and rt, and for initial versions.
  std::optional<std::uint32_t> from_operation = {};
  std::optional<std::uint32_t> to_operation = {};
  /// For a ww that no list shows: a path from `from` to a transaction that reads `to`'s version.
  /// For an rw that goes with such a ww: the path from `to`'s predecessor (docs/check.md).
  std::vector<RecordedEdge> because = {};
};

/// What follows from an order of writers that no read shows.
struct CounterexampleCase {
  std::vector<RecordedEdge> supposed = {};  ///< ww
  std::vector<RecordedEdge> cycle = {};     ///< as in Counterexample
};

/// Why a history is not legal at a level.
struct Counterexample {
  AnomalyKind kind = AnomalyKind::serialization_cycle;
  std::vector<RecordedEdge> cycle = {};  ///< each edge starts where the one before ends
  /// Where one cycle does not show it: one for each order that writers may have, all of them.
  std::vector<CounterexampleCase> cases = {};
  std::optional<std::uint32_t> operation = {};  ///< a single illegal operation
  std::optional<std::uint32_t> other = {};      ///< the write it saw, or the read it contradicts
  /// A part of the history that is not legal by itself, sorted; every one of them is needed.
  std::vector<TransactionId> transactions = {};
};

/// A read of a value that several transactions wrote, and the one it is taken to have seen.
struct ChosenWriter {
  std::uint32_t operation = 0;          ///< into TransactionHistory::operations
  std::optional<TransactionId> writer;  ///< none: the state before all transactions
};

/// The answer for one level.
struct LevelAnswer {
  IsolationLevel level = IsolationLevel::serializable;
  Verdict verdict = Verdict::unknown;
  std::string bound = {};  ///< unknown: "the memory limit of 500 MB"
  /// Satisfied: the transactions that count, in an order that explains every read.
  std::vector<TransactionId> order = {};
  /// Satisfied: whose write each read saw whose value was written more than once.
  std::vector<ChosenWriter> chosen = {};
  std::vector<Counterexample> counterexamples = {};  ///< violated: one or more, gravest first
};

/// All answers, weakest levels first.
struct CheckReport {
  std::vector<LevelAnswer> answers;
  std::vector<IsolationLevel> strongest_held;    ///< satisfied, and no stronger one is
  std::vector<IsolationLevel> weakest_violated;  ///< violated, and no weaker one is
};

/// Checks a history of transactions. Deterministic, but for answers cut off by time or memory.
/// REQUIRES: !find_flaw(history).
Result<CheckReport> check_history(const TransactionHistory& history, const CheckOptions& options);

/// Whether a satisfied answer's order explains every read, by the level's definition alone: slow
/// and obvious. REQUIRES: !find_flaw(history).
bool verify_order(const TransactionHistory& history, const LevelAnswer& answer,
                  const CheckOptions& options);

}  // namespace heddle
