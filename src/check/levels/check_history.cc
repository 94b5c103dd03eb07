// One run over all levels. The weak ones come first, from the weakest: what violates one violates
// all stronger ones. Then the strong ones from the strongest: an order that satisfies one satisfies
// all weaker ones. So most histories cost one pass per weak level and one search. What takes long
// is put off until the others are known, so that one hard level leaves time for the easy ones.
#include <algorithm>
#include <limits>
#include <map>
#include <new>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "base/assert.h"
#include "check/levels/beginning.h"
#include "check/levels/case_split.h"
#include "check/levels/counterexample.h"
#include "check/levels/decide_level.h"
#include "check/levels/replay_order.h"
#include "check/levels/strong_levels.h"
#include "check/observation/bounds.h"
#include "check/observation/explains.h"
#include "check/observation/observation.h"
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
// Of a beginning that is worth a look.
constexpr std::size_t kFewestToBegin = 100;
// What takes no longer than to look for a serial order.
constexpr IsolationLevel kSimpleLevels[] = {
    IsolationLevel::read_uncommitted,           IsolationLevel::read_committed,
    IsolationLevel::monotonic_writes,           IsolationLevel::read_your_writes,
    IsolationLevel::read_committed_biswas_enea, IsolationLevel::read_atomic,
};
constexpr IsolationLevel kStrongestWeak = IsolationLevel::transactional_causal;
// Steps of a search, and more for each operation, before it is put off.
constexpr std::uint64_t kPatience = 2'000'000;
constexpr std::uint64_t kPatiencePerOperation = 200;
constexpr std::uint64_t kMorePatience = 8;
constexpr std::uint64_t kNeverAgain = std::numeric_limits<std::uint64_t>::max();
// Engine runs to make a counterexample smaller.
constexpr std::size_t kShrinkingRuns = 400;
// Steps of one of them, of all of them, and by how much the latter are more than what the answer
// took: a part that does not fail may be far harder than the whole that does.
constexpr std::uint64_t kStepsOfPart = 200'000;
constexpr std::uint64_t kStepsOfParts = 2'000'000;
constexpr std::uint64_t kPartsOfAnswer = 2;

class HistoryCheck {
 public:
  HistoryCheck(const TransactionHistory& history, const CheckOptions& options)
      : history_(history), options_(options), meter_(options.bounds) {}

  Result<CheckReport> run() {
    if (auto levels = choose_levels(); !levels) return levels.error();
    const std::size_t bytes = history_.operations.size() * kBytesPerOperation +
                              history_.transactions.size() * kBytesPerTransaction;
    try {
      if (meter_.may_allocate(bytes)) {
        decider_.emplace(history_, meter_);
        judge_illegal_operations();
        decide_all();
      }
    } catch (const std::bad_alloc&) {
      meter_.hit_memory();
    }
    if (!decider_) check_beginning(bytes);
    return report();
  }

 private:
  void decide_all() {
    patience_ = kPatience + kPatiencePerOperation * history_.operations.size();
    look_for_serial_order();
    for (; answers_.size() < levels_.size(); patience_ *= kMorePatience) decide_each();
  }

  void decide_each() {
    // Where it is open whose writes were read, strong engines are the better ones at choosing.
    if (!decider_->observation().choices().empty()) decide_strong();
    // Most histories are causal, and then one pass decides all weak levels. Where it is violated
    // the weaker ones come first, as their reasons are simpler.
    if (std::ranges::find(levels_, kStrongestWeak) != levels_.end()) decide(kStrongestWeak, true);
    for (const IsolationLevel level : levels_) {
      if (!is_strong_level(level)) decide(level);
    }
    decide_strong();
  }

  // Where lists show the order of versions, an order of transactions is found sooner than what
  // most weaker levels ask for, and mostly there is one.
  void look_for_serial_order() {
    const auto is_simple = [&](IsolationLevel level) {
      const bool is_looked_at_twice = tolerates_illegal_reads(level) && decider_->has_unknown();
      return !is_looked_at_twice &&
             std::ranges::find(kSimpleLevels, level) != std::end(kSimpleLevels);
    };
    if (std::ranges::all_of(levels_, is_simple) || !decider_->observation().doubt().empty()) return;
    constexpr IsolationLevel kSerial = IsolationLevel::strong_session_serializable;
    const IsolationLevel level = implies(levels_.back(), kSerial) ? levels_.back() : kSerial;
    meter_.start_answer(patience_);
    try {
      const EngineAnswer found = decider_->ask_lists(level, switches());
      if (found.verdict != Verdict::satisfied) return;
      LevelAnswer answer;
      answer.verdict = found.verdict;
      fill_witness(found, answer);
      spread(level, answer);
    } catch (const std::bad_alloc&) {
      meter_.hit_memory();
    }
  }

  void decide_strong() {
    for (const IsolationLevel level : std::views::reverse(levels_)) {
      if (is_strong_level(level)) decide(level);
    }
  }

  // There was no room for all: what is wrong about the first transactions is wrong.
  void check_beginning(std::size_t bytes) {
    if (history_.transactions.empty()) return;
    // The part is there twice, and the engines need as much again.
    const std::size_t share = std::max<std::size_t>(4 * bytes / history_.transactions.size(), 1);
    const std::size_t count = meter_.room() / share;
    if (count < kFewestToBegin || count >= history_.transactions.size()) return;
    const TransactionHistory part = beginning_of(history_, count);
    const Result<CheckReport> report = check_history(part, options_);
    for (const LevelAnswer& answer : report->answers) {
      if (answer.verdict == Verdict::violated) answers_[answer.level] = answer;
      if (answer.verdict != Verdict::satisfied) continue;
      answers_[answer.level].bound =
          fmt::format("{}; the first {} of {} transactions hold it", meter_.hit(),
                      part.transactions.size(), history_.transactions.size());
    }
  }

  // Among all levels of the history. PL-2.99 speaks of predicates, and recorded histories have
  // none.
  bool is_usual(IsolationLevel level) const {
    if (level == IsolationLevel::strict_serializable) return history_.has_times;
    return level != IsolationLevel::repeatable_read;
  }

  Result<void> choose_levels() {
    for (const IsolationLevel level : kWeakestFirst) {
      const bool is_asked = std::ranges::find(options_.levels, level) != options_.levels.end();
      if (options_.levels.empty() ? is_usual(level) : is_asked) levels_.push_back(level);
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

  // What is broken by a cycle that breaks the level with the order of sessions.
  IsolationLevel with_sessions(IsolationLevel level) const {
    const bool keeps_sessions = options_.session && level == IsolationLevel::serializable;
    return keeps_sessions ? IsolationLevel::strong_session_serializable : level;
  }

  OrderSwitches switches() const { return {options_.session, options_.realtime}; }

  void judge_illegal_operations() {
    for (const IsolationLevel level : levels_) {
      std::set<AnomalyKind> told;  // one of each kind
      for (const IllegalOperation& illegal : decider_->illegal(level)) {
        if (!told.insert(illegal.kind).second) continue;
        LevelAnswer& answer = answers_[level];
        answer.verdict = Verdict::violated;
        answer.counterexamples.push_back(counterexample_of(illegal));
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

  void decide(IsolationLevel level, bool only_yes = false) {
    if (answers_.contains(level)) return;
    try_stronger_than(level);
    if (answers_.contains(level)) return;
    meter_.start_answer(patience_);
    try {
      decide_in_room(level, only_yes);
    } catch (const std::bad_alloc&) {
      meter_.hit_memory();
      answers_[level].bound = meter_.hit();
    }
  }

  // A serial order is found faster than snapshots, and snapshots of all in one order are faster
  // than such that may differ.
  void try_stronger_than(IsolationLevel level) {
    using enum IsolationLevel;
    // Who would know the stronger levels by now, too, would know this one from them.
    if (!decider_->observation().choices().empty()) return try_strong_levels_above(level);
    // Moments leave few orders to choose from.
    const bool has_moments = is_strong_level(level) && level != strict_serializable &&
                             is_usual(strict_serializable) &&
                             decider_->illegal(strict_serializable).empty();
    if (has_moments) try_stronger(strict_serializable);
    if (answers_.contains(level)) return;
    const bool has_snapshots = level == prefix || level == parallel_snapshot || level == snapshot ||
                               level == strong_session_snapshot;
    if (has_snapshots) try_stronger(strong_session_serializable);
    if (level == parallel_snapshot && !answers_.contains(level)) {
      try_stronger(strong_session_snapshot);
    }
  }

  void try_strong_levels_above(IsolationLevel level) {
    for (const IsolationLevel stronger : std::views::reverse(kWeakestFirst)) {
      if (answers_.contains(level)) return;
      const bool is_above = stronger != level && implies(stronger, level);
      const bool may_hold = is_usual(stronger) && decider_->illegal(stronger).empty();
      if (is_above && is_strong_level(stronger) && may_hold) try_stronger(stronger);
    }
  }

  // Takes over what satisfies a stronger level, which nobody asked for.
  void try_stronger(IsolationLevel stronger) {
    const bool is_asked = std::ranges::find(levels_, stronger) != levels_.end();
    std::uint64_t& patience = tried_[stronger];
    if (is_asked || patience >= patience_) return;
    patience = patience_;
    decide(stronger, true);
    answers_.erase(stronger);
  }

  void decide_in_room(IsolationLevel level, bool only_yes) {
    const std::string& doubt = decider_->observation().doubt();
    if (!doubt.empty()) {
      answers_[level].bound = doubt + ", so that lists do not tell their order";
      return;
    }
    const EngineAnswer found = decider_->ask(level, switches());
    if (only_yes && found.verdict == Verdict::violated) tried_[level] = kNeverAgain;
    if (only_yes && found.verdict != Verdict::satisfied) return;
    if (meter_.is_put_off()) return;
    if (found.verdict == Verdict::unknown) {
      answers_[level].bound = meter_.hit();
      return;
    }
    meter_.be_patient();
    LevelAnswer answer;
    answer.verdict = found.verdict;
    if (found.verdict == Verdict::satisfied) {
      fill_witness(found, answer);
    } else {
      if (found.cycle.empty() && fail_at_weaker(level)) return;
      answer.counterexamples.push_back(explain(level, found));
    }
    spread(level, answer);
  }

  // Where only a search tells that the level is violated, a weaker one may have a cycle that says
  // why both are.
  bool fail_at_weaker(IsolationLevel level) {
    for (const IsolationLevel weaker : kWeakestFirst) {
      const bool is_weaker = weaker != level && implies(level, weaker);
      if (!is_weaker || answers_.contains(weaker)) continue;
      meter_.start_answer(kStepsOfPart);
      const EngineAnswer found = decider_->ask(weaker, switches());
      if (found.verdict != Verdict::violated || found.cycle.empty()) continue;
      meter_.be_patient();
      LevelAnswer answer;
      answer.verdict = Verdict::violated;
      answer.counterexamples.push_back(explain(weaker, found));
      spread(weaker, answer);
      return true;
    }
    return false;
  }

  void fill_witness(const EngineAnswer& found, LevelAnswer& answer) const {
    const Observation& observation = decider_->in();
    answer.order.reserve(found.order.size());
    for (const Node node : found.order) answer.order.push_back(observation.transaction(node));
    for (std::size_t i = 0; i < found.chosen.size(); ++i) {
      const std::uint32_t seen = observation.choices()[i].seen;
      ChosenWriter chosen{observation.all_reads()[seen].operation, std::nullopt};
      if (found.chosen[i] != kInitialNode) {
        chosen.writer = observation.transaction(found.chosen[i]);
      }
      answer.chosen.push_back(chosen);
    }
  }

  // To the levels that follow from the answer and have none.
  void spread(IsolationLevel level, const LevelAnswer& answer) {
    for (const IsolationLevel other : levels_) {
      const bool follows =
          answer.verdict == Verdict::satisfied ? implies(level, other) : implies(other, level);
      if (!follows) continue;
      const auto [known, is_new] = answers_.emplace(other, answer);
      if (!is_new && known->second.verdict == Verdict::unknown) known->second = answer;
    }
  }

  // Those of the cycle; with all that touch its keys, as these may show the order of its writes; or
  // all.
  std::vector<TransactionId> few_that_fail(IsolationLevel level,
                                           const std::vector<OrderEdge>& cycle) {
    std::vector<TransactionId> few = transactions_in(decider_->in(), cycle);
    if (!few.empty() && fails(level, few)) return few;
    few = with_all_of_its_keys(decider_->in(), cycle, std::move(few));
    if (!few.empty() && fails(level, few)) return few;
    few.clear();
    for (std::size_t i = 0; i < history_.transactions.size(); ++i) few.emplace_back(i);
    return few;
  }

  // Few transactions that fail by themselves, checked again.
  Counterexample explain(IsolationLevel level, const EngineAnswer& found) {
    steps_of_part_ = std::max(kStepsOfPart, 2 * meter_.steps());
    steps_left_ = kStepsOfParts + kPartsOfAnswer * meter_.steps();
    std::vector<TransactionId> transactions = few_that_fail(level, found.cycle);
    std::size_t runs = 0;
    transactions = shrink(
        std::move(transactions),
        [&](const std::vector<TransactionId>& part) { return fails(level, part); },
        [&] { return ++runs < kShrinkingRuns && may_try_part(); });
    const SubHistory part = part_of(history_, transactions);
    Counterexample example;
    example.transactions = transactions;
    example.kind = AnomalyKind::unserializable_outcome;
    Meter unbounded({});
    LevelDecider decider(part.history, unbounded);
    EngineAnswer again = decider.ask(level, switches());
    const Observation& observation = decider.in();
    // Who need not have happened proves nothing.
    if (!again.cycle.empty() && observation.optional_transactions().empty()) {
      const std::vector<OrderEdge> cycle = retold(observation, std::move(again.cycle));
      example.kind = kind_at(with_sessions(level), observation, cycle);
      example.cycle = recorded(observation, part, cycle);
    } else if (is_strong_level(level) && observation.optional_transactions().empty()) {
      tell_by_cases(level, observation, part, example);
    }
    return example;
  }

  void tell_by_cases(IsolationLevel level, const Observation& observation, const SubHistory& part,
                     Counterexample& example) const {
    std::set<AnomalyKind> kinds;
    for (OrderCase& each : split_into_cases(observation, shape_of(level, switches()))) {
      const std::vector<OrderEdge> cycle = retold(observation, std::move(each.cycle));
      kinds.insert(kind_at(with_sessions(level), observation, cycle));
      example.cases.push_back(
          {recorded(observation, part, each.supposed), recorded(observation, part, cycle)});
    }
    if (kinds.empty()) return;
    // The mildest name; those that come from orders of writes alone nobody has seen.
    const bool is_seen = *kinds.rbegin() > AnomalyKind::circular_flow;
    example.kind = is_seen ? *kinds.rbegin() : AnomalyKind::serialization_cycle;
  }

  bool may_try_part() const { return steps_left_ > 0 && (!meter_.is_hit() || meter_.is_put_off()); }

  // What takes too long to tell counts as not failing.
  bool fails(IsolationLevel level, const std::vector<TransactionId>& transactions) {
    if (!may_try_part()) return false;
    const SubHistory part = part_of(history_, transactions);
    LevelDecider decider(part.history, meter_);
    if (!decider.observation().illegal().empty() && !tolerates_illegal_reads(level)) return false;
    meter_.start_answer(steps_of_part_);
    const bool failed = decider.ask(level, switches()).verdict == Verdict::violated;
    steps_left_ -= std::min(steps_left_, meter_.steps());
    return failed;
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
  std::uint64_t patience_ = 0;
  std::uint64_t steps_of_part_ = 0;  // of a counterexample that is made smaller
  std::uint64_t steps_left_ = 0;
  std::vector<IsolationLevel> levels_;  // asked for, each after all weaker ones
  std::optional<LevelDecider> decider_;
  std::map<IsolationLevel, LevelAnswer> answers_;
  // Of those that were tried for weaker ones: with how much patience.
  std::map<IsolationLevel, std::uint64_t> tried_;
};

// What a serial order has to keep, or none where the level does not ask for one.
std::optional<OrderSwitches> serial_switches(IsolationLevel level, OrderSwitches switches) {
  if (!implies(level, IsolationLevel::serializable)) return std::nullopt;
  switches.session |= implies(level, IsolationLevel::strong_session_serializable);
  switches.realtime |= implies(level, IsolationLevel::strict_serializable);
  return switches;
}

std::vector<TransactionId> not_in(const TransactionHistory& history,
                                  std::vector<TransactionId> order) {
  std::ranges::sort(order);
  std::vector<TransactionId> others;
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    if (!std::ranges::binary_search(order, TransactionId(i))) others.emplace_back(i);
  }
  return others;
}

}  // namespace

Result<CheckReport> check_history(const TransactionHistory& history, const CheckOptions& options) {
  HEDDLE_ASSERT(!find_flaw(history));
  return HistoryCheck(history, options).run();
}

bool verify_order(const TransactionHistory& history, const LevelAnswer& answer,
                  const CheckOptions& options) {
  const OrderSwitches switches{options.session, options.realtime};
  if (const auto serial = serial_switches(answer.level, switches)) {
    if (find_replay_flaw(history, answer.order, *serial)) return false;
  }
  const Observation observation(history, not_in(history, answer.order));
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
  return explains(observation, order, chosen, answer.level, switches);
}

}  // namespace heddle
