// What came of a candidate, from the runs that were judged.
//
//   RunTally tally;
//   tally.add(std::move(run));
//   const RaceSettlement settled = tally.settle(judge_orders(*baseline));
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heddle/race_finding.h"
#include "race/outcome/verdict.h"
#include "race/turns/turn.h"
#include "race/turns/turn_controller.h"

namespace heddle {

// One run that was judged.
struct JudgedRun {
  Turns turns = {};
  // after_answer: whoever has the second turn was sent as soon as the other was answered.
  RaceOrder order = RaceOrder::overlapped;
  RunRecord record = {};
  RacedRun observed = {};
  RaceVerdict verdict = {};
  std::string drift = {};  // why it was not the order that was wanted; empty: it was
};

// A result, and what is told beside it.
struct RaceSettlement {
  RaceResult result = RaceResult::not_reached;
  std::string why = {};
  std::string what_helps = {};
  std::optional<JudgedRun> shown = {};  // the run that shows it, where there is one
};

class RunTally {
 public:
  // Whether it is confirmed, so that nothing more need be tried.
  bool add(JudgedRun run);
  // Overlaps that were tried.
  std::size_t runs() const { return runs_; }
  // By the worst that was seen. `orders`: what is known of the serial orders.
  RaceSettlement settle(const RaceVerdict& orders) const;

 private:
  const JudgedRun* find(RaceVerdictKind kind) const;

  std::vector<JudgedRun> judged_;
  std::size_t runs_ = 0;
  std::size_t followed_ = 0;  // overlaps that went as they were meant to
  std::size_t infeasible_ = 0;
  std::optional<RunWait> wait_;
};

}  // namespace heddle
