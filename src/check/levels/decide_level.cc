#include "check/levels/decide_level.h"

#include <algorithm>

#include <fmt/format.h>

#include "check/levels/choose_writers.h"
#include "check/levels/strong_levels.h"
#include "check/levels/weak/session_guarantees.h"
#include "check/levels/weak/weak_levels.h"

namespace heddle {

namespace {

// Ways in which transactions of unknown outcome may have happened.
constexpr std::size_t kMostWays = 4096;

// Optional transactions with a read that nothing explains.
std::vector<TransactionId> impossible(const Observation& observation) {
  std::vector<TransactionId> found;
  if (observation.illegal().empty()) return found;
  for (const TransactionId id : observation.optional_transactions()) {
    const RecordedTransaction& txn = observation.history().transactions[id.index()];
    const bool is_illegal =
        std::ranges::any_of(observation.illegal(), [&](const IllegalOperation& illegal) {
          return illegal.operation >= txn.first && illegal.operation - txn.first < txn.count;
        });
    if (is_illegal) found.push_back(id);
  }
  return found;
}

}  // namespace

bool tolerates_illegal_reads(IsolationLevel level) {
  return level == IsolationLevel::read_uncommitted;
}

LevelDecider::LevelDecider(const TransactionHistory& history, Meter& meter)
    : history_(history),
      meter_(meter),
      all_(std::make_unique<Observation>(history)),
      in_(all_.get()) {
  for (std::vector<TransactionId> more = impossible(*all_); !more.empty();
       more = impossible(*all_)) {
    impossible_.insert(impossible_.end(), more.begin(), more.end());
    std::ranges::sort(impossible_);
    all_ = std::make_unique<Observation>(history, impossible_);
    in_ = all_.get();
  }
  optional_ = all_->optional_transactions();
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    if (history.transactions[i].outcome == TransactionOutcome::unknown) unknown_.emplace_back(i);
  }
}

std::vector<IllegalOperation> LevelDecider::illegal(IsolationLevel level) const {
  std::vector<IllegalOperation> found = all_->illegal();
  if (!tolerates_illegal_reads(level)) return found;
  if (!found.empty() && !unknown_.empty()) found = Observation(history_, unknown_).illegal();
  std::erase_if(found, [](const IllegalOperation& operation) {
    return operation.kind != AnomalyKind::inconsistent_order;
  });
  return found;
}

EngineAnswer LevelDecider::ask(IsolationLevel level, const OrderSwitches& switches) {
  // Where writes of those that aborted may be read, a read shows of nobody that it did not.
  if (tolerates_illegal_reads(level)) return ask_without(unknown_, level, switches);
  in_ = all_.get();
  EngineAnswer all = ask_engine(*all_, level, switches);
  if (all.verdict != Verdict::violated || optional_.empty()) return all;
  // From leaving out all of them to leaving out one.
  const std::size_t bits = std::min<std::size_t>(optional_.size(), 63);
  const std::size_t ways = std::size_t{1} << bits;
  for (std::size_t way = ways - 1; way > 0; --way) {
    if (ways - way > kMostWays) {
      meter_.give_up(fmt::format(
          "the limit of {} ways in which transactions of unknown outcome may have happened",
          kMostWays));
      return {};
    }
    std::vector<TransactionId> left_out = impossible_;
    for (std::size_t i = 0; i < optional_.size(); ++i) {
      if (i >= bits || (way >> i & 1) != 0) left_out.push_back(optional_[i]);
    }
    EngineAnswer answer = ask_without(std::move(left_out), level, switches);
    if (answer.verdict != Verdict::violated) return answer;
    if (!meter_.may_step(all_->node_count())) return {};
  }
  in_ = all_.get();
  return all;
}

EngineAnswer LevelDecider::ask_lists(IsolationLevel level, const OrderSwitches& switches) {
  in_ = all_.get();
  if (!all_->illegal().empty()) return {};
  return order_shown_by_lists(*all_, level, switches, meter_);
}

EngineAnswer LevelDecider::ask_without(std::vector<TransactionId> left_out, IsolationLevel level,
                                       const OrderSwitches& switches) {
  std::ranges::sort(left_out);
  if (left_out == impossible_) {
    in_ = all_.get();
  } else {
    part_ = std::make_unique<Observation>(history_, left_out);
    in_ = part_.get();
  }
  return ask_engine(*in_, level, switches);
}

EngineAnswer LevelDecider::ask_engine(const Observation& observation, IsolationLevel level,
                                      const OrderSwitches& switches) {
  if (!observation.illegal().empty() && !tolerates_illegal_reads(level)) {
    return {Verdict::violated, {}, {}, {}};
  }
  if (is_strong_level(level)) return check_strong_level(observation, level, switches, meter_);
  if (!observation.choices().empty()) {
    return choose_writers(observation, level, switches, meter_);
  }
  if (is_session_guarantee(level)) {
    return check_session_guarantee(observation, level, switches, meter_);
  }
  return check_weak_level(observation, level, switches, meter_);
}

}  // namespace heddle
