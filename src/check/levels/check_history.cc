// One run over all levels. The weak ones come first, from the weakest: what violates one violates
// all stronger ones. Then the strong ones from the strongest: an order that satisfies one satisfies
// all weaker ones. So most histories cost one pass per weak level and one search.
#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "base/assert.h"
#include "check/levels/bounds.h"
#include "check/levels/counterexample.h"
#include "check/levels/explains.h"
#include "check/levels/observation.h"
#include "check/levels/session_guarantees.h"
#include "check/levels/strong_levels.h"
#include "check/levels/weak_levels.h"
#include "heddle/check.h"

namespace heddle {

namespace {

// What a report lists, each after all weaker ones.
constexpr IsolationLevel kWeakestFirst[] = {
    IsolationLevel::read_uncommitted,
    IsolationLevel::read_committed,
    IsolationLevel::monotonic_writes,
    IsolationLevel::monotonic_reads,
    IsolationLevel::read_your_writes,
    IsolationLevel::writes_follow_reads,
    IsolationLevel::read_committed_biswas_enea,
    IsolationLevel::read_atomic,
    IsolationLevel::transactional_causal,
    IsolationLevel::prefix,
    IsolationLevel::parallel_snapshot,
    IsolationLevel::snapshot,
    IsolationLevel::strong_session_snapshot,
    IsolationLevel::repeatable_read,
    IsolationLevel::serializable,
    IsolationLevel::strong_session_serializable,
    IsolationLevel::strict_serializable,
};

// Bytes per operation and per transaction that an observation takes while it is made.
constexpr std::size_t kBytesPerOperation = 48;
constexpr std::size_t kBytesPerTransaction = 48;
// Engine runs to make a counterexample smaller.
constexpr std::size_t kShrinkingRuns = 400;
// Choices of writers tried for a weak level.
constexpr std::size_t kMostChosen = 100'000;

bool is_session_guarantee(IsolationLevel level) {
  return level == IsolationLevel::read_your_writes || level == IsolationLevel::monotonic_reads ||
         level == IsolationLevel::monotonic_writes || level == IsolationLevel::writes_follow_reads;
}

bool tolerates_illegal_reads(IsolationLevel level) {
  return level == IsolationLevel::read_uncommitted;
}

EngineAnswer ask_engine(const Observation& observation, IsolationLevel level,
                        const OrderSwitches& switches, Meter& meter) {
  if (is_strong_level(level)) return check_strong_level(observation, level, switches, meter);
  if (is_session_guarantee(level)) {
    return check_session_guarantee(observation, level, switches, meter);
  }
  return check_weak_level(observation, level, switches, meter);
}

class HistoryCheck {
 public:
  HistoryCheck(const TransactionHistory& history, const CheckOptions& options)
      : history_(history), options_(options), meter_(options.bounds) {}

  Result<CheckReport> run() {
    if (auto levels = choose_levels(); !levels) return levels.error();
    const std::size_t bytes = history_.operations.size() * kBytesPerOperation +
                              history_.transactions.size() * kBytesPerTransaction;
    if (meter_.may_allocate(bytes)) {
      observation_.emplace(history_);
      judge_illegal_operations();
      for (const IsolationLevel level : levels_) {
        if (!is_strong_level(level)) decide(level);
      }
      for (const IsolationLevel level : std::views::reverse(levels_)) {
        if (is_strong_level(level)) decide(level);
      }
    }
    return report();
  }

 private:
  Result<void> choose_levels() {
    for (const IsolationLevel level : kWeakestFirst) {
      const bool fits = level != IsolationLevel::strict_serializable || history_.has_times;
      const bool is_asked = std::ranges::find(options_.levels, level) != options_.levels.end();
      // PL-2.99 speaks of predicates, and recorded histories have none.
      const bool is_usual = fits && level != IsolationLevel::repeatable_read;
      if (options_.levels.empty() ? is_usual : is_asked) levels_.push_back(level);
    }
    for (const IsolationLevel level : options_.levels) {
      if (std::ranges::find(levels_, level) != levels_.end()) continue;
      const std::string_view name = definition(level).name;
      return Diagnostic{
          .what = fmt::format("{} is not a level that a history of transactions shows", name),
          .what_to_do = level == IsolationLevel::causal ? "did you mean transactional-causal?"
                                                        : "docs/check.md lists those that are"};
    }
    return {};
  }

  OrderSwitches switches() const { return {options_.session, options_.realtime}; }

  void judge_illegal_operations() {
    std::set<AnomalyKind> told;  // one of each kind
    for (const IllegalOperation& illegal : observation_->illegal()) {
      if (!told.insert(illegal.kind).second) continue;
      const Counterexample example = counterexample_of(illegal);
      for (const IsolationLevel level : levels_) {
        if (tolerates_illegal_reads(level) && illegal.kind != AnomalyKind::inconsistent_order) {
          continue;
        }
        LevelAnswer& answer = answers_[level];
        answer.verdict = Verdict::violated;
        answer.counterexamples.push_back(example);
      }
    }
  }

  Counterexample counterexample_of(const IllegalOperation& illegal) const {
    Counterexample example;
    example.kind = illegal.kind;
    example.operation = illegal.operation;
    example.other = illegal.other;
    example.transactions.push_back(transaction_of(illegal.operation));
    if (illegal.other) example.transactions.push_back(transaction_of(*illegal.other));
    std::ranges::sort(example.transactions);
    const auto repeated = std::ranges::unique(example.transactions);
    example.transactions.erase(repeated.begin(), repeated.end());
    return example;
  }

  TransactionId transaction_of(std::uint32_t operation) const {
    const auto txn = std::ranges::find_if(history_.transactions, [&](const auto& candidate) {
      return operation >= candidate.first && operation - candidate.first < candidate.count;
    });
    return TransactionId(static_cast<std::size_t>(txn - history_.transactions.begin()));
  }

  void decide(IsolationLevel level) {
    if (answers_.contains(level)) return;
    meter_.start_answer();
    EngineAnswer found = ask(level);
    if (found.verdict == Verdict::satisfied && !observation_->doubt().empty()) {
      answers_[level].bound = observation_->doubt() + ", so that lists do not tell their order";
      return;
    }
    if (found.verdict == Verdict::unknown) {
      answers_[level].bound = meter_.hit();
      return;
    }
    LevelAnswer answer;
    answer.verdict = found.verdict;
    if (found.verdict == Verdict::satisfied) {
      fill_witness(found, answer);
    } else {
      answer.counterexamples.push_back(explain(level, found));
    }
    spread(level, answer);
  }

  void fill_witness(const EngineAnswer& found, LevelAnswer& answer) const {
    answer.order.reserve(found.order.size());
    for (const Node node : found.order) answer.order.push_back(observation_->transaction(node));
    for (std::size_t i = 0; i < found.chosen.size(); ++i) {
      const std::uint32_t seen = observation_->choices()[i].seen;
      ChosenWriter chosen{observation_->all_reads()[seen].operation, std::nullopt};
      if (found.chosen[i] != kInitialNode) {
        chosen.writer = observation_->transaction(found.chosen[i]);
      }
      answer.chosen.push_back(chosen);
    }
  }

  // To the levels that follow from the answer and have none.
  void spread(IsolationLevel level, const LevelAnswer& answer) {
    for (const IsolationLevel other : levels_) {
      const bool follows =
          answer.verdict == Verdict::satisfied ? implies(level, other) : implies(other, level);
      if (follows) answers_.emplace(other, answer);
    }
  }

  EngineAnswer ask(IsolationLevel level) {
    if (observation_->choices().empty() || is_strong_level(level)) {
      return ask_engine(*observation_, level, switches(), meter_);
    }
    return try_choices(level);
  }

  // A weak level where values were written more than once: all ways to choose their writers, which
  // are tried as histories of their own.
  EngineAnswer try_choices(IsolationLevel level) {
    const std::vector<Choice>& choices = observation_->choices();
    std::vector<std::size_t> places(choices.size(), 0);
    for (std::size_t tried = 0; tried < kMostChosen; ++tried) {
      std::vector<Node> chosen;
      for (std::size_t i = 0; i < choices.size(); ++i) {
        chosen.push_back(choices[i].candidates[places[i]]);
      }
      const Observation resolved = observation_->with_choices(chosen);
      EngineAnswer answer = ask_engine(resolved, level, switches(), meter_);
      if (answer.verdict == Verdict::unknown) return answer;
      if (answer.verdict == Verdict::satisfied) {
        answer.chosen = std::move(chosen);
        return answer;
      }
      std::size_t next = 0;
      while (next < places.size() && ++places[next] == choices[next].candidates.size()) {
        places[next++] = 0;
      }
      if (next == places.size()) return {Verdict::violated, {}, {}, {}};
      if (!meter_.may_step(observation_->node_count())) return {};
    }
    meter_.give_up(
        fmt::format("the limit of {} ways to choose the writers of repeated values", kMostChosen));
    return {};
  }

  // Few transactions that fail by themselves, checked again.
  Counterexample explain(IsolationLevel level, const EngineAnswer& found) {
    std::vector<TransactionId> transactions = transactions_in(*observation_, found.cycle);
    if (transactions.empty() || !fails(level, transactions)) {
      transactions.clear();
      for (std::size_t i = 0; i < history_.transactions.size(); ++i) transactions.emplace_back(i);
    }
    std::size_t runs = 0;
    transactions = shrink(
        std::move(transactions),
        [&](const std::vector<TransactionId>& part) { return fails(level, part); },
        [&] { return ++runs < kShrinkingRuns && !meter_.is_hit(); });
    const SubHistory part = part_of(history_, transactions);
    const Observation observation(part.history);
    Counterexample example;
    example.transactions = transactions;
    Meter unbounded({});
    EngineAnswer again;
    if (observation.choices().empty() || is_strong_level(level)) {
      again = ask_engine(observation, level, switches(), unbounded);
    }
    example.kind = AnomalyKind::unserializable_outcome;
    if (!again.cycle.empty()) {
      const std::vector<OrderEdge> cycle = retold(observation, std::move(again.cycle));
      example.kind = kind_of(cycle);
      example.cycle = recorded(observation, part, cycle);
    }
    return example;
  }

  bool fails(IsolationLevel level, const std::vector<TransactionId>& transactions) {
    const SubHistory part = part_of(history_, transactions);
    const Observation observation(part.history);
    if (!observation.illegal().empty() && !tolerates_illegal_reads(level)) return false;
    if (!observation.choices().empty() && !is_strong_level(level)) return false;
    return ask_engine(observation, level, switches(), meter_).verdict == Verdict::violated;
  }

  CheckReport report() {
    CheckReport result;
    for (const IsolationLevel level : levels_) {
      LevelAnswer& answer = answers_[level];
      answer.level = level;
      if (answer.verdict == Verdict::unknown && answer.bound.empty()) answer.bound = meter_.hit();
      result.answers.push_back(std::move(answer));
    }
    const auto add = [&](Verdict verdict, auto is_beaten, std::vector<IsolationLevel>& levels) {
      for (const LevelAnswer& answer : result.answers) {
        if (answer.verdict != verdict) continue;
        const bool beaten = std::ranges::any_of(result.answers, [&](const LevelAnswer& other) {
          return other.verdict == verdict && other.level != answer.level &&
                 is_beaten(other.level, answer.level);
        });
        if (!beaten) levels.push_back(answer.level);
      }
    };
    add(
        Verdict::satisfied, [](auto other, auto level) { return implies(other, level); },
        result.strongest_held);
    add(
        Verdict::violated, [](auto other, auto level) { return implies(level, other); },
        result.weakest_violated);
    return result;
  }

  const TransactionHistory& history_;
  const CheckOptions& options_;
  Meter meter_;
  std::vector<IsolationLevel> levels_;  // asked for, each after all weaker ones
  std::optional<Observation> observation_;
  std::map<IsolationLevel, LevelAnswer> answers_;
};

}  // namespace

Result<CheckReport> check_history(const TransactionHistory& history, const CheckOptions& options) {
  HEDDLE_ASSERT(!find_flaw(history));
  return HistoryCheck(history, options).run();
}

bool verify_order(const TransactionHistory& history, const LevelAnswer& answer,
                  const CheckOptions& options) {
  const Observation observation(history);
  std::vector<Node> order;
  for (const TransactionId id : answer.order) {
    const std::optional<Node> node = observation.node_of(id);
    if (!node) return false;
    order.push_back(*node);
  }
  std::vector<Node> chosen;
  for (const ChosenWriter& choice : answer.chosen) {
    const std::optional<Node> node =
        choice.writer ? observation.node_of(*choice.writer) : std::optional(kInitialNode);
    if (!node) return false;
    chosen.push_back(*node);
  }
  return explains(observation, order, chosen, answer.level, {options.session, options.realtime});
}

}  // namespace heddle
