// Asks the engines about one history, whatever of it is open: who wrote a value that several wrote,
// and which transactions of unknown outcome happened at all.
#pragma once

#include <memory>
#include <vector>

#include "check/observation/bounds.h"
#include "check/observation/engine.h"
#include "check/observation/observation.h"
#include "heddle/isolation.h"

namespace heddle {

// Leaving out who was not read from makes no history illegal. So the answer is a yes when some of
// the optional transactions can be left out so that the rest is legal, and all ways are tried: the
// strong engines choose writers themselves, for the weak ones choose_writers does. Left out:
// anything cleverer where many such transactions meet, which is rare; a bound ends it.
class LevelDecider {
 public:
  // REQUIRES: !find_flaw(history). The history and the meter outlive it.
  LevelDecider(const TransactionHistory& history, Meter& meter);

  // Where all that may have happened did, but for transactions that cannot have.
  const Observation& observation() const { return *all_; }

  // Whether some transaction's outcome is unknown.
  bool has_unknown() const { return !unknown_.empty(); }

  EngineAnswer ask(IsolationLevel level, const OrderSwitches& switches);
  // An order that lists show, whatever else there is; else the verdict is unknown.
  EngineAnswer ask_lists(IsolationLevel level, const OrderSwitches& switches);
  // Operations that no order can excuse at this level.
  std::vector<IllegalOperation> illegal(IsolationLevel level) const;
  // What the nodes of the last answer are of.
  const Observation& in() const { return *in_; }

 private:
  EngineAnswer ask_without(std::vector<TransactionId> left_out, IsolationLevel level,
                           const OrderSwitches& switches);
  EngineAnswer ask_engine(const Observation& observation, IsolationLevel level,
                          const OrderSwitches& switches);

  const TransactionHistory& history_;
  Meter& meter_;
  std::vector<TransactionId> impossible_;  // sorted
  std::vector<TransactionId> optional_;
  std::vector<TransactionId> unknown_;  // all of unknown outcome, sorted
  std::unique_ptr<Observation> all_;
  std::unique_ptr<Observation> part_;
  const Observation* in_ = nullptr;
};

// Whether the level says nothing of what a transaction must not read.
bool tolerates_illegal_reads(IsolationLevel level);

}  // namespace heddle
