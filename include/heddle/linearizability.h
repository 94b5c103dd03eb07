/// Whether the calls on objects have an order that explains what their clients saw.
///
///   LinearizabilityAnswer answer = check_linearizable(history);  // an ObjectHistory
///   if (answer.verdict == Verdict::violated) print(answer.parts[*answer.culprit].core);
///
/// An object of your own is one class with two functions:
///
///   struct Largest final : PlainModel<std::int64_t> {  // write(x), and read() of the largest x
///     std::int64_t first() const override { return 0; }
///     std::optional<std::int64_t> next(const std::int64_t& largest,
///                                      const ObjectCall& call) const override {
///       if (call.function == ObjectFunction::write) return std::max(largest, call.argument.code);
///       return call.result.code == largest ? std::optional(largest) : std::nullopt;
///     }
///   };
///   answer = check_linearizable(history, Largest());
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "heddle/recorded_history.h"
#include "heddle/verdict.h"

namespace heddle {

/// What one object does, call by call. States are bytes: equal bytes, equal states.
class CallModel {
 public:
  virtual ~CallModel() = default;
  /// The state before any call.
  virtual std::string initial() const = 0;
  /// Takes `call` in `state` and leaves the state after it there. False: the call cannot happen
  /// here with what it returned; `state` is then worth nothing. The result of a call with the
  /// outcome unknown means nothing.
  virtual bool step(std::string& state, const ObjectCall& call) const = 0;
  /// Whether the call leaves every state as it is. Saying so makes the search much shorter.
  virtual bool only_reads(const ObjectCall& call) const;
};

/// A model whose state is a plain struct or number without padding.
template <class State>
class PlainModel : public CallModel {
  static_assert(std::has_unique_object_representations_v<State>);

 public:
  virtual State first() const = 0;
  /// The state after the call; none: it cannot happen here.
  virtual std::optional<State> next(const State& state, const ObjectCall& call) const = 0;

  /// The bytes of a state are its text.
  std::string initial() const final { return bytes(first()); }
  bool step(std::string& state, const ObjectCall& call) const final {
    State value;
    std::memcpy(&value, state.data(), sizeof(State));
    const std::optional<State> after = next(value, call);
    if (after) std::memcpy(state.data(), &*after, sizeof(State));
    return after.has_value();
  }

 private:
  static std::string bytes(const State& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(State)};
  }
};

/// Which calls must keep their order.
enum class CallOrder : std::uint8_t {
  linearizable,  ///< one that returned before another was called (Herlihy and Wing 1990)
  sequential,    ///< those of one process (Lamport 1979); all objects are decided together
  /// Those with a moment between them at which no call on the object was running. A call with the
  /// outcome unknown runs for ever, a failed one does not count (Herlihy and Shavit 2008, 3.4).
  quiescent,
};

/// "linearizable" and so on.
std::string_view to_string(CallOrder order);

struct LinearizabilityOptions {
  CallOrder order = CallOrder::linearizable;
  std::uint64_t memory_bytes =
      500'000'000;  ///< of the check's own tables; the history is not in it
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();  ///< of the search, in all
  bool shrink = true;        ///< whether to look for the core of what is violated
  bool search_only = false;  ///< leave out the near-linear algorithms; for comparisons
};

/// The answer for one object, or for all of them together where `object` is none.
struct LinearizabilityPart {
  std::optional<KeyId> object;
  Verdict verdict = Verdict::unknown;
  /// Satisfied: a witness, all calls with the outcome ok and those unknown ones that happened, as
  /// places in ObjectHistory::calls. Violated: an order of what happened until `stuck` returned,
  /// the longest beginning of the history that has one (for sequential: the most calls that have
  /// one). Unknown: the longest order that was found.
  std::vector<std::uint32_t> order;
  /// Violated: the call that no order can take in once those of `order` happened.
  std::optional<std::uint32_t> stuck;
  /// Violated: calls that already have no order by themselves, sorted; leaving out more of them
  /// makes the rest fit. All calls of the object where the bounds left no room to shrink.
  std::vector<std::uint32_t> core;
  /// What the object held before the core, where that stands for calls that led to it: all texts
  /// that gets of the core returned begin with it. Empty: what it held at first.
  std::string core_begins_with = {};
  /// Of the core: an order of what of it happened until `core_stuck` returned, which no order takes
  /// in; none: the core is too large to be searched.
  std::vector<std::uint32_t> core_order = {};
  std::optional<std::uint32_t> core_stuck = {};
  /// Of the core: calls that need not be where they are. That they may have happened at any time
  /// since they were called, with the result they had, or not at all, does not help.
  std::vector<std::uint32_t> core_optional;
  std::string bound;  ///< unknown: what was hit, "the limit of 1000 steps"
};

/// What Jepsen's own checkers ask of counters, sets and banks, which is less than an order.
struct InvariantAnswer {
  Verdict verdict = Verdict::unknown;
  std::string message = {};  ///< what is wrong, or why nothing can be said; satisfied: empty
};

struct LinearizabilityAnswer {
  Verdict verdict = Verdict::unknown;
  std::vector<LinearizabilityPart> parts;  ///< by object
  std::optional<std::size_t> culprit;      ///< the first part with this verdict unless satisfied
  std::string bound;                       ///< unknown: what was hit first
  std::uint64_t steps = 0;                 ///< that the search took
  std::optional<InvariantAnswer> invariant = {};  ///< of counters, sets and banks
};

/// Decides a history of one of heddle's own models. Time: near-linear for registers, sets, queues,
/// stacks and priority queues whose values are written once; else a search that may be exponential
/// in the number of calls running at the same time.
/// REQUIRES: !find_flaw(history).
LinearizabilityAnswer check_linearizable(const ObjectHistory& history,
                                         const LinearizabilityOptions& options = {});

/// Decides a history whose objects do what `model` says; history.model means nothing.
/// REQUIRES: !find_flaw(history).
LinearizabilityAnswer check_linearizable(const ObjectHistory& history, const CallModel& model,
                                         const LinearizabilityOptions& options = {});

/// What is wrong with `order` as a witness for the calls on `object` (none: on all objects), or
/// none when it is one. Independent of what found it.
std::optional<std::string> find_witness_flaw(const ObjectHistory& history, CallOrder order_kept,
                                             std::optional<KeyId> object,
                                             std::span<const std::uint32_t> order);
std::optional<std::string> find_witness_flaw(const ObjectHistory& history, const CallModel& model,
                                             CallOrder order_kept, std::optional<KeyId> object,
                                             std::span<const std::uint32_t> order);

/// The first call that its model does not know ("call 3: a queue has no function read"), or none.
/// check_linearizable answers unknown with this as the bound.
std::optional<std::string> find_misfit(const ObjectHistory& history);

}  // namespace heddle
