// The engine against slow oracles on many small random histories, and canaries: an engine broken on
// purpose must be noticed.
#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "check/dependencies/brute_force.h"
#include "check/dependencies/edge_order.h"
#include "check/dependencies/sample_history.h"
#include "heddle/dependency.h"
#include "heddle/isolation.h"

namespace heddle {
namespace {

constexpr std::uint32_t kSeeds = 3000;

History history_of_seed(std::uint32_t seed) {
  std::mt19937 random(seed);
  return sample_history(
      [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); });
}

bool is_illegal_read(const Cycle& cycle) { return cycle.illegal_read.has_value(); }

// Whether what was found is right. Histories with illegal reads are none of the oracle's business.
bool agree(const History& history, const std::vector<Cycle>& found, Unit unit) {
  return std::ranges::any_of(found, is_illegal_read) ||
         has_serial_order(history, unit) == found.empty();
}

class Agree : public testing::TestWithParam<Unit> {};
INSTANTIATE_TEST_SUITE_P(Units, Agree, testing::Values(Unit::session, Unit::transaction));

TEST_P(Agree, NoAnomalyMeansSomeSerialOrder) {
  std::size_t serializable = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const History history = history_of_seed(seed);
    const std::vector<Cycle> found = find_anomalies(history, dependency_graph(history), GetParam());
    ASSERT_TRUE(agree(history, found, GetParam())) << "seed " << seed;
    if (found.empty()) ++serializable;
  }
  // Histories of both sorts must be common for this to say anything.
  EXPECT_GT(serializable, kSeeds / 10);
  EXPECT_LT(serializable, kSeeds - kSeeds / 10);
}

// Whether the comparison notices an engine whose graph lacks some edges.
bool is_noticed(Unit unit, const std::function<bool(const DependencyEdge&)>& dropped) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const History history = history_of_seed(seed);
    DependencyGraph graph = dependency_graph(history);
    std::erase_if(graph.edges, dropped);
    if (!agree(history, find_anomalies(history, graph, unit), unit)) return true;
  }
  return false;
}

bool is_so(const DependencyEdge& edge) { return edge.kind == DependencyKind::so; }
bool is_ww(const DependencyEdge& edge) { return edge.kind == DependencyKind::ww; }
bool is_wr(const DependencyEdge& edge) { return edge.kind == DependencyKind::wr; }
bool is_rw(const DependencyEdge& edge) { return edge.kind == DependencyKind::rw; }
bool is_predicate(const DependencyEdge& edge) { return edge.predicate; }
bool is_flow(const DependencyEdge& edge) { return is_ww(edge) || is_wr(edge); }
bool is_item_rw(const DependencyEdge& edge) { return is_rw(edge) && !is_predicate(edge); }
bool is_item(const DependencyEdge& edge) { return is_flow(edge) || is_item_rw(edge); }
bool is_dependency(const DependencyEdge& edge) { return !is_so(edge); }

TEST_P(Agree, CanaryReadsOfTheUncommittedThatAreLeftOutAreNoticed) {
  const auto is_noticed_at = [](std::uint32_t seed) {
    const History history = history_of_seed(seed);
    if (std::ranges::any_of(find_anomalies(history, dependency_graph(history), GetParam()),
                            is_illegal_read)) {
      return false;
    }
    History without = history;
    for (HistoryTransaction& transaction : without.transactions) transaction.reads_count = false;
    return !agree(history, find_anomalies(without, dependency_graph(without), GetParam()),
                  GetParam());
  };
  std::size_t noticed = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) noticed += is_noticed_at(seed) ? 1 : 0;
  EXPECT_GT(noticed, 0U);
}

TEST_P(Agree, CanaryGraphsThatLackEdgesAreNoticed) {
  EXPECT_TRUE(is_noticed(GetParam(), is_ww));
  EXPECT_TRUE(is_noticed(GetParam(), is_wr));
  EXPECT_TRUE(is_noticed(GetParam(), is_rw));
  EXPECT_TRUE(is_noticed(GetParam(), is_predicate));
}

TEST(AgreeOnSessions, CanaryGraphWithoutSessionOrderIsNoticed) {
  EXPECT_TRUE(is_noticed(Unit::transaction, is_so));
}

// Which edges of a graph of transactions reach where, by Warshall's algorithm.
class Reachability {
 public:
  Reachability(std::size_t transactions, const std::vector<DependencyEdge>& edges,
               const std::function<bool(const DependencyEdge&)>& counts)
      : reaches_(transactions, std::vector<bool>(transactions, false)) {
    for (const DependencyEdge& edge : edges) {
      if (counts(edge)) reaches_[edge.from.index()][edge.to.index()] = true;
    }
    for (std::size_t middle = 0; middle < transactions; ++middle) {
      for (std::size_t from = 0; from < transactions; ++from) {
        for (std::size_t to = 0; to < transactions; ++to) {
          if (reaches_[from][middle] && reaches_[middle][to]) reaches_[from][to] = true;
        }
      }
    }
  }

  bool reaches(TransactionId from, TransactionId to) const {
    return reaches_[from.index()][to.index()];
  }
  bool has_cycle() const {
    for (std::size_t i = 0; i < reaches_.size(); ++i) {
      if (reaches_[i][i]) return true;
    }
    return false;
  }

 private:
  std::vector<std::vector<bool>> reaches_;
};

struct PhenomenaOracle {
  IsolationLevel level;
  std::function<bool(const History&, const DependencyGraph&)> has_cycle;
};

std::function<bool(const History&, const DependencyGraph&)> cyclic(
    const std::function<bool(const DependencyEdge&)>& counts) {
  return [counts](const History& history, const DependencyGraph& graph) {
    return Reachability(history.transactions.size(), graph.edges, counts).has_cycle();
  };
}

// G1c, or a cycle of ww and wr closed by one rw on an item.
bool has_single_anti_dependency(const History& history, const DependencyGraph& graph) {
  const Reachability flow(history.transactions.size(), graph.edges, is_flow);
  return flow.has_cycle() || std::ranges::any_of(graph.edges, [&](const DependencyEdge& edge) {
           return is_item_rw(edge) && flow.reaches(edge.to, edge.from);
         });
}

// The kinds found decide Adya's levels, whose phenomena the oracle looks for in the plain graph:
// PL-1, PL-2, PL-2+ (which is what kinds can say about snapshot), PL-2.99, PL-3.
TEST(AgreeOnLevels, KindsDecideTheLevels) {
  const std::vector<PhenomenaOracle> oracles = {
      {IsolationLevel::read_uncommitted, cyclic(is_ww)},
      {IsolationLevel::read_committed, cyclic(is_flow)},
      {IsolationLevel::snapshot, has_single_anti_dependency},
      {IsolationLevel::repeatable_read, cyclic(is_item)},
      {IsolationLevel::serializable, cyclic(is_dependency)},
      {IsolationLevel::strict_serializable, cyclic([](const DependencyEdge&) { return true; })},
  };
  std::vector<std::size_t> violations(oracles.size(), 0);
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const History history = history_of_seed(seed);
    const DependencyGraph graph = dependency_graph(history);
    const std::vector<Cycle> found = find_anomalies(history, graph, Unit::transaction);
    for (std::size_t i = 0; i < oracles.size(); ++i) {
      const bool reported = std::ranges::any_of(found, [&](const Cycle& cycle) {
        return !cycle.illegal_read && proscribes(oracles[i].level, cycle.kind);
      });
      ASSERT_EQ(reported, oracles[i].has_cycle(history, graph))
          << "seed " << seed << ", level " << definition(oracles[i].level).name;
      if (reported) ++violations[i];
    }
  }
  for (std::size_t i = 1; i < violations.size(); ++i) {
    EXPECT_GT(violations[i], violations[0]) << definition(oracles[i].level).name;
  }
  EXPECT_GT(violations[0], 0u);
}

// Every history legal at a level is legal at the levels it implies, as far as kinds decide.
TEST(AgreeOnLevels, ImpliedLevelsAllowWhatStrongerOnesAllow) {
  for (std::uint32_t seed = 0; seed < kSeeds / 2; ++seed) {
    const History history = history_of_seed(seed);
    const std::vector<Cycle> found =
        find_anomalies(history, dependency_graph(history), Unit::transaction);
    const auto is_legal = [&](IsolationLevel level) {
      return std::ranges::none_of(
          found, [&](const Cycle& cycle) { return proscribes(level, cycle.kind); });
    };
    for (const LevelDefinition& stronger : isolation_levels()) {
      for (const LevelDefinition& weaker : isolation_levels()) {
        if (!implies(stronger.level, weaker.level) || !is_legal(stronger.level)) continue;
        ASSERT_TRUE(is_legal(weaker.level))
            << "seed " << seed << ": " << stronger.name << " and " << weaker.name;
      }
    }
  }
}

bool less_by_text(const Cycle& a, const Cycle& b) {
  return std::tuple(a.kind, a.edges.size()) < std::tuple(b.kind, b.edges.size());
}

TEST(FoundCycles, AreWellFormedSortedAndDifferent) {
  for (std::uint32_t seed = 0; seed < kSeeds / 2; ++seed) {
    const History history = history_of_seed(seed);
    ASSERT_EQ(find_flaw(history), std::nullopt);
    const DependencyGraph graph = dependency_graph(history);
    for (const Unit unit : {Unit::session, Unit::transaction}) {
      const std::vector<Cycle> found = find_anomalies(history, graph, unit);
      EXPECT_TRUE(std::ranges::is_sorted(found, less_by_text));
      std::set<std::string> texts;
      for (const Cycle& cycle : found) {
        ASSERT_EQ(find_flaw(cycle, history), std::nullopt);
        ASSERT_EQ(cycle.edges.empty(), cycle.illegal_read.has_value());
        for (const DependencyEdge& edge : cycle.edges) {
          ASSERT_TRUE(edge.kind == DependencyKind::so ||
                      std::ranges::any_of(graph.edges, [&](const DependencyEdge& other) {
                        return same_edge(edge, other);
                      }));
        }
        if (cycle.edges.empty()) continue;
        EXPECT_TRUE(texts.insert(to_string(cycle, history)).second) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace heddle
