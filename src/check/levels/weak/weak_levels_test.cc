// The engines of the weak levels and of the session guarantees against brute force, and every
// answer by itself: an order must explain the reads, the edges of a cycle must be there.
#include "check/levels/weak/weak_levels.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "check/levels/order_brute_force.h"
#include "check/levels/sample_recorded.h"
#include "check/levels/weak/session_guarantees.h"
#include "check/levels/weak/weak_levels_base.h"
#include "check/levels/weak/weak_levels_causal.h"
#include "check/observation/explains.h"

namespace heddle {
namespace {

constexpr IsolationLevel kWeakLevels[] = {IsolationLevel::read_uncommitted,
                                          IsolationLevel::read_committed,
                                          IsolationLevel::read_committed_biswas_enea,
                                          IsolationLevel::read_atomic,
                                          IsolationLevel::transactional_causal,
                                          IsolationLevel::read_your_writes,
                                          IsolationLevel::monotonic_reads,
                                          IsolationLevel::monotonic_writes,
                                          IsolationLevel::writes_follow_reads};
constexpr OrderSwitches kWeakSwitches[] = {{false, false}, {true, false}, {false, true}};

EngineAnswer check_level(const Observation& observation, IsolationLevel level,
                         const OrderSwitches& switches) {
  Meter meter({});
  return is_weak_level(level) ? check_weak_level(observation, level, switches, meter)
                              : check_session_guarantee(observation, level, switches, meter);
}

TransactionHistory weak_history_of(std::uint32_t seed, const RecordedShape& shape) {
  std::mt19937 random(seed);
  return sample_recorded(
      [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }, shape);
}

// Judges the edges of a cycle by the definition of the level.
class CycleJudge {
 public:
  CycleJudge(const Observation& observation, IsolationLevel level, const OrderSwitches& switches)
      : observation_(observation), level_(level), base_(base_order(level, switches)) {}

  bool accepts(const std::vector<OrderEdge>& cycle) const {
    return !cycle.empty() && is_path(cycle) && cycle.back().to == cycle.front().from;
  }

 private:
  bool is_path(const std::vector<OrderEdge>& edges) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (!is_real(edges[i])) return false;
      if (i > 0 && edges[i - 1].to != edges[i].from) return false;
    }
    return true;
  }

  const Seen& seen(std::uint32_t read) const { return observation_.all_reads()[read]; }

  Node reader_of(std::uint32_t read) const {
    Node node = 1;
    while (first_read(observation_, node) + observation_.reads(node).size() <= read) ++node;
    return node;
  }

  bool is_real(const OrderEdge& edge) const {
    switch (edge.kind) {
      case DependencyKind::wr:
        return edge.read < observation_.all_reads().size() && seen(edge.read).key == edge.key &&
               seen(edge.read).writer == edge.from && reader_of(edge.read) == edge.to;
      case DependencyKind::so:
        return edge.from != kInitialNode && edge.from < edge.to &&
               observation_.session_of(edge.from) == observation_.session_of(edge.to);
      case DependencyKind::rt: {
        const auto& all = observation_.history().transactions;
        return base_.realtime && all[observation_.transaction(edge.from).index()].ended <
                                     all[observation_.transaction(edge.to).index()].began;
      }
      case DependencyKind::ww:
        return edge.read == kNoRead ? is_known_version(edge) : is_forced(edge);
      case DependencyKind::rw:
        break;
    }
    return false;
  }

  bool is_known_version(const OrderEdge& edge) const {
    if (edge.from == kInitialNode) return observation_.writes_key(edge.to, edge.key);
    for (const VersionPair& pair : observation_.interleaved()) {
      if (pair.earlier == edge.from && pair.later == edge.to && pair.key == edge.key) return true;
    }
    const KeyWriters writers = observation_.writers(edge.key);
    const auto from = std::ranges::find(writers.all, edge.from);
    const auto to = std::ranges::find(writers.all, edge.to);
    return to != writers.all.end() && from < to && from - writers.all.begin() < writers.ordered;
  }

  bool is_forced(const OrderEdge& edge) const {
    return seen(edge.read).writer == edge.to && seen(edge.read).key == edge.key &&
           observation_.writes_key(edge.from, edge.key) && is_path(edge.because) &&
           sees(edge.because, edge.from, edge.read);
  }

  // Whether the path is one of those by which the level lets the reader see the other.
  bool sees(const std::vector<OrderEdge>& path, Node other, std::uint32_t read) const {
    if (path.empty() || path.front().from != other || path.back().to != reader_of(read)) {
      return false;
    }
    std::string kinds;
    for (const OrderEdge& edge : path) kinds += std::string(to_string(edge.kind)) + " ";
    switch (level_) {
      case IsolationLevel::read_committed_biswas_enea:
        return kinds == "wr " && path.front().read < read;
      case IsolationLevel::read_atomic:
        return kinds == "wr " || kinds == "so ";
      case IsolationLevel::transactional_causal:
        return kinds.find("ww") == std::string::npos && kinds.find("rt") == std::string::npos;
      case IsolationLevel::read_your_writes:
        return kinds == "so ";
      case IsolationLevel::monotonic_reads:
        return kinds == "wr so ";
      case IsolationLevel::monotonic_writes:
        return kinds == "so wr ";
      case IsolationLevel::writes_follow_reads:
        return kinds == "wr so wr ";
      default:
        return false;
    }
  }

  const Observation& observation_;
  const IsolationLevel level_;
  const BaseOrder base_;
};

// Whether the answer proves itself.
bool is_proved(const Observation& observation, const EngineAnswer& answer, IsolationLevel level,
               const OrderSwitches& switches) {
  if (answer.verdict == Verdict::satisfied) {
    return explains(observation, answer.order, answer.chosen, level, switches);
  }
  if (answer.verdict != Verdict::violated) return false;
  if (has_illegal(observation, level)) return answer.cycle.empty();
  return CycleJudge(observation, level, switches).accepts(answer.cycle);
}

struct WeakTally {
  std::size_t satisfied = 0;
  std::size_t violated = 0;
};

void compare_weak(const Observation& observation, IsolationLevel level,
                  const OrderSwitches& switches, WeakTally& tally) {
  const EngineAnswer answer = check_level(observation, level, switches);
  ASSERT_EQ(answer.verdict, brute_force_level(observation, level, switches))
      << definition(level).name;
  ASSERT_TRUE(is_proved(observation, answer, level, switches)) << definition(level).name;
  ++(answer.verdict == Verdict::satisfied ? tally.satisfied : tally.violated);
}

TEST(WeakLevels, AgreeWithBruteForceOnAllSmallHistories) {
  std::vector<WeakTally> tallies(std::size(kWeakLevels));
  std::size_t number = 0;
  for_each_small_history([&](const TransactionHistory& history) {
    if (testing::Test::HasFatalFailure()) return;
    const Observation observation(history);
    ++number;
    if (!observation.illegal().empty()) return;
    SCOPED_TRACE(fmt::format("small history {}", number));
    for (std::size_t i = 0; i < std::size(kWeakLevels); ++i) {
      compare_weak(observation, kWeakLevels[i], {}, tallies[i]);
    }
  });
  for (std::size_t i = 1; i < std::size(kWeakLevels); ++i) {
    EXPECT_GT(tallies[i].satisfied, 1000U) << definition(kWeakLevels[i]).name;
    EXPECT_GT(tallies[i].violated, 1000U) << definition(kWeakLevels[i]).name;
  }
}

TEST(WeakLevels, AgreeWithBruteForceOnRandomHistories) {
  std::vector<WeakTally> tallies(std::size(kWeakLevels));
  const std::size_t seeds = test_rounds(4000);
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const TransactionHistory history = weak_history_of(seed, {.duplicates = false});
    const Observation observation(history);
    for (std::size_t i = 0; i < std::size(kWeakLevels); ++i) {
      for (const OrderSwitches& switches : kWeakSwitches) {
        compare_weak(observation, kWeakLevels[i], switches, tallies[i]);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
  for (const WeakTally& tally : tallies) {
    EXPECT_GT(tally.satisfied, seeds / 10);
    EXPECT_GT(tally.violated, seeds / 10);
  }
}

// Too large for brute force; but each answer carries its own proof.
TEST(WeakLevels, ProveTheirAnswersOnLargerHistories) {
  const std::size_t seeds = test_rounds(1500);
  WeakTally tally;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    const TransactionHistory history =
        weak_history_of(seed, {.transactions = 80, .sessions = 9, .duplicates = false});
    const Observation observation(history);
    for (const IsolationLevel level : kWeakLevels) {
      for (const OrderSwitches& switches : kWeakSwitches) {
        const EngineAnswer answer = check_level(observation, level, switches);
        ASSERT_TRUE(is_proved(observation, answer, level, switches))
            << definition(level).name << ", seed " << seed;
        ++(answer.verdict == Verdict::satisfied ? tally.satisfied : tally.violated);
      }
    }
  }
  EXPECT_GT(tally.satisfied, 3 * seeds);
  EXPECT_GT(tally.violated, 3 * seeds);
}

TEST(WeakLevels, StrongerOnesImplyWeakerOnes) {
  for (std::uint32_t seed = 0; seed < test_rounds(1500); ++seed) {
    const TransactionHistory history =
        weak_history_of(seed, {.transactions = 20, .duplicates = false});
    const Observation observation(history);
    for (const IsolationLevel stronger : kWeakLevels) {
      if (check_level(observation, stronger, {}).verdict != Verdict::satisfied) continue;
      for (const IsolationLevel weaker : kWeakLevels) {
        if (!implies(stronger, weaker)) continue;
        ASSERT_EQ(check_level(observation, weaker, {}).verdict, Verdict::satisfied)
            << definition(stronger).name << " and not " << definition(weaker).name << ", seed "
            << seed;
      }
    }
  }
}

TEST(WeakLevels, CausesDoNotDependOnHowManySessionsAreFollowedAtOnce) {
  std::size_t found = 0;
  for (std::uint32_t seed = 0; seed < test_rounds(1500); ++seed) {
    const TransactionHistory history =
        weak_history_of(seed, {.transactions = 60, .sessions = 7, .duplicates = false});
    const Observation observation(history);
    Meter meter({});
    const OrderGraph graph(
        observation.node_count(),
        base_arcs(observation, base_order(IsolationLevel::transactional_causal, OrderSwitches{})));
    const std::vector<Node> order = topological_order(graph, meter);
    if (order.empty() || !observation.illegal().empty()) continue;
    std::vector<std::vector<Arc>> arcs;
    for (const std::size_t sessions : {1, 2, 3, 100}) {
      arcs.emplace_back();
      ASSERT_TRUE(force_by_causes(observation, order, arcs.back(), meter,
                                  4 * sessions * observation.node_count()));
      std::ranges::sort(arcs.back());
      arcs.back().erase(std::ranges::unique(arcs.back()).begin(), arcs.back().end());
      ASSERT_EQ(arcs.back(), arcs.front()) << "seed " << seed;
    }
    found += arcs.front().size();
  }
  EXPECT_GT(found, 1000U);
}

// One transaction that reads many keys, more than are looked up one by one, and sees another in
// part; with few keys the same.
TEST(WeakLevels, ManyReadsOfOneTransaction) {
  for (const std::uint32_t keys : {3, 65, 200}) {
    TransactionHistory history;
    TransactionBuilder writer(history, 0);
    for (std::uint32_t key = 0; key < keys; ++key) {
      writer.write(history.keys.of(Value::number(key)), Value::number(1));
    }
    writer.end();
    TransactionBuilder reader(history, 1);
    for (std::uint32_t key = 0; key < keys; ++key) {
      reader.read(KeyId(key), key + 2 == keys ? kNil : Value::number(1));
    }
    reader.end();
    const Observation observation(history);
    for (const IsolationLevel level :
         {IsolationLevel::read_committed_biswas_enea, IsolationLevel::read_atomic}) {
      const EngineAnswer answer = check_level(observation, level, {});
      EXPECT_EQ(answer.verdict, Verdict::violated) << keys;
      EXPECT_TRUE(is_proved(observation, answer, level, {}));
    }
  }
}

// Whether a comparison with brute force notices an engine that decides another level.
bool is_noticed_by_weak(IsolationLevel asked, IsolationLevel decided) {
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const TransactionHistory history = weak_history_of(seed, {.duplicates = false});
    const Observation observation(history);
    if (check_level(observation, decided, {}).verdict !=
        brute_force_level(observation, asked, {})) {
      return true;
    }
  }
  return false;
}

TEST(WeakLevels, CanaryEnginesOfTheNextLevelAreNoticed) {
  for (std::size_t i = 1; i < std::size(kWeakLevels); ++i) {
    EXPECT_TRUE(is_noticed_by_weak(kWeakLevels[i], kWeakLevels[i - 1]))
        << definition(kWeakLevels[i]).name;
    EXPECT_TRUE(is_noticed_by_weak(kWeakLevels[i - 1], kWeakLevels[i]))
        << definition(kWeakLevels[i]).name;
  }
}

TEST(WeakLevels, CanaryTamperedAnswersAreNoticed) {
  std::size_t orders = 0;
  std::size_t cycles = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const TransactionHistory history =
        weak_history_of(seed, {.transactions = 12, .duplicates = false});
    const Observation observation(history);
    const IsolationLevel level = IsolationLevel::transactional_causal;
    EngineAnswer answer = check_level(observation, level, {});
    if (answer.order.size() > 3) {
      std::ranges::reverse(answer.order);
      orders += is_proved(observation, answer, level, {}) ? 0 : 1;
    } else if (!answer.cycle.empty()) {
      answer.cycle.front().because.clear();
      answer.cycle.front().read = kNoRead;
      cycles += is_proved(observation, answer, level, {}) ? 0 : 1;
    }
  }
  EXPECT_GT(orders, 20U);
  EXPECT_GT(cycles, 20U);
}

// Sessions of the given number of transactions, each of which overwrites x and reads its own key.
TransactionHistory history_with_reads_of_first(std::uint32_t transactions) {
  TransactionHistory history;
  const KeyId x = history.keys.of(history.texts.text("x"));
  for (std::uint32_t i = 0; i < transactions; ++i) {
    TransactionBuilder(history, 0).write(x, Value::number(i + 1)).end();
  }
  TransactionBuilder(history, 0).read(x, Value::number(1)).end();
  return history;
}

TEST(WeakLevels, CyclesAreShortInLongHistories) {
  const TransactionHistory history = history_with_reads_of_first(10'000);
  const Observation observation(history);
  const EngineAnswer answer = check_level(observation, IsolationLevel::read_atomic, {});
  ASSERT_EQ(answer.verdict, Verdict::violated);
  EXPECT_TRUE(is_proved(observation, answer, IsolationLevel::read_atomic, {}));
  // However long a session is, its order is one edge.
  EXPECT_EQ(answer.cycle.size(), 2U);
}

// Without session order a read of an old version puts all that the session wrote before it.
TEST(WeakLevels, LongRangesNeedFewArcs) {
  const TransactionHistory history = history_with_reads_of_first(10'000);
  const Observation observation(history);
  const EngineAnswer answer = check_level(observation, IsolationLevel::read_your_writes, {});
  ASSERT_EQ(answer.verdict, Verdict::satisfied);
  EXPECT_EQ(answer.order.size(), 10'001U);
  EXPECT_TRUE(explains(observation, answer.order, {}, IsolationLevel::read_your_writes, {}));
  const EngineAnswer kept = check_level(observation, IsolationLevel::read_your_writes, {true});
  EXPECT_EQ(kept.verdict, Verdict::violated);
  EXPECT_TRUE(is_proved(observation, kept, IsolationLevel::read_your_writes, {true}));
}

TEST(WeakLevels, BoundsMakeAnswersUnknown) {
  const TransactionHistory history = history_with_reads_of_first(100'000);
  const Observation observation(history);
  for (const IsolationLevel level : kWeakLevels) {
    for (const CheckBounds& bounds : {CheckBounds{.steps = 1000}, CheckBounds{.memory_bytes = 1}}) {
      Meter meter(bounds);
      const EngineAnswer answer = is_weak_level(level)
                                      ? check_weak_level(observation, level, {}, meter)
                                      : check_session_guarantee(observation, level, {}, meter);
      EXPECT_EQ(answer.verdict, Verdict::unknown) << definition(level).name;
      EXPECT_TRUE(meter.is_hit());
      EXPECT_TRUE(answer.order.empty() && answer.cycle.empty());
    }
  }
}

}  // namespace
}  // namespace heddle
