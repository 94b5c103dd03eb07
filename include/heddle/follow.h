/// check while the recording goes on: histories that are longer than memory, or have no end.
///
///   TransactionFollower follower(frame, {.level = IsolationLevel::strict_serializable});
///   follower.add(recorded, id);            // as transactions end
///   follower.advance(oldest_running_began);
///   if (follower.answer().verdict == Verdict::violated) print(follower.answer().level_answer);
///
/// What is decided is forgotten: of transactions all that came before everything else in every
/// legal order, once it is known which versions they leave; of calls all but the states that the
/// objects can be in. The verdict after finish() is that of check_history or check_linearizable
/// on the whole history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "heddle/check.h"
#include "heddle/linearizability.h"
#include "heddle/recorded_history.h"
#include "heddle/verdict.h"

namespace heddle {

/// How far a follower has come.
struct FollowProgress {
  std::size_t added = 0;      ///< transactions or calls so far
  std::size_t satisfied = 0;  ///< the first so many are known to be legal by themselves
  std::size_t kept = 0;       ///< of those added, still in memory
  std::size_t most_kept = 0;  ///< ever
};

struct FollowOptions {
  IsolationLevel level = IsolationLevel::strict_serializable;
  bool session = false;
  bool realtime = false;  ///< hold the level to real time; what can be forgotten depends on it
  CheckBounds bounds = {};
};

/// What is known so far.
struct FollowedTransactions {
  /// violated: for good; satisfied: what was added and cannot change any more, after finish() all;
  /// unknown: a bound was hit.
  Verdict verdict = Verdict::satisfied;
  LevelAnswer level_answer = {};  ///< violated or unknown; its ids are places in window()
};

/// Transactions at one level. Nothing can be forgotten without times, or at a level that is not
/// held to real time, or below prefix: then all is kept and checked whenever it has doubled.
class TransactionFollower {
 public:
  /// Of `frame` only initial, has_times and partial (what check's add_outside_writers adds for
  /// partial histories is added here as well) mean something, and the texts behind initial.
  TransactionFollower(const TransactionHistory& frame, const FollowOptions& options);
  TransactionFollower(TransactionFollower&&) noexcept;
  TransactionFollower& operator=(TransactionFollower&&) noexcept;
  ~TransactionFollower();

  /// Takes one transaction over from a history that need not live on. Those of a session in its
  /// order. One with an unknown outcome is added as soon as it is known that nobody will be told.
  void add(const TransactionHistory& from, TransactionId id);
  /// Whatever is added later began at that moment or later. May do the work that is due.
  void advance(Moment watermark);
  /// Decides what can be decided now. Without it that happens when the kept part has doubled.
  void look();
  /// Nothing will be added any more.
  void finish();

  const FollowedTransactions& answer() const;
  FollowProgress progress() const;
  /// What is kept, after a transaction that stands for what was forgotten.
  const TransactionHistory& window() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// What is known so far of calls.
struct FollowedCalls {
  Verdict verdict = Verdict::satisfied;
  std::string bound;  ///< unknown: what was hit
  /// Violated: calls that already have no order, beginning at a moment at which only one state was
  /// possible, and what check_linearizable says of them (as far as the calls were still there).
  ObjectHistory history;
  LinearizabilityAnswer linearizability;
};

/// Calls on objects, linearizable. Memory: the calls that run, and the configurations (state of
/// the object, which of the running calls have happened) that are possible. A call that crashed
/// runs for ever.
class CallFollower {
 public:
  /// Of `frame` only model, initial with its texts, and permits mean something.
  CallFollower(const ObjectHistory& frame, const LinearizabilityOptions& options);
  CallFollower(CallFollower&&) noexcept;
  CallFollower& operator=(CallFollower&&) noexcept;
  ~CallFollower();

  /// Takes one call over, once it is known how it ended.
  void add(const ObjectHistory& from, std::size_t index);
  /// Whatever is added later was called at that moment or later.
  void advance(Moment watermark);
  void finish();

  const FollowedCalls& answer() const;
  /// `satisfied` counts the calls that have returned in what was worked through.
  FollowProgress progress() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace heddle
