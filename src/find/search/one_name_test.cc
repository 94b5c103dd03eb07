// One cycle has one name, whoever found it: random cycles go through the forms of explore (edges of
// a history), of find (operations of functionalities) and of check (orders of recorded
// transactions).
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/dependencies/classify.h"
#include "check/levels/counterexample.h"
#include "find/terms/kinds.h"

namespace heddle::find {
namespace {

using enum DependencyKind;

// Edge i leads from unit i to the next one.
struct DrawnEdge {
  DependencyKind kind = wr;
  std::size_t row = 0;
};

struct DrawnCycle {
  std::vector<DrawnEdge> edges;
  bool reads_late = false;  // who overwrites and reads overwrites first

  std::size_t before(std::size_t edge) const { return (edge + edges.size() - 1) % edges.size(); }
  std::size_t after(std::size_t unit) const { return (unit + 1) % edges.size(); }
  // Whether the operation by which the cycle leaves the unit runs before that by which it comes.
  bool leaves_first(std::size_t unit) const { return edges[unit].kind == rw && !reads_late; }
  bool one_row() const {
    return std::ranges::all_of(edges, [&](const DrawnEdge& e) { return e.row == edges[0].row; });
  }
};

DrawnCycle draw(std::mt19937& random, bool reads_late) {
  const auto below = [&](std::uint32_t bound) { return random() % bound; };
  DrawnCycle cycle{.edges = {}, .reads_late = reads_late};
  const std::size_t rows = 1 + below(2);
  for (std::size_t left = 2 + below(3); left > 0; --left) {
    cycle.edges.push_back({std::array{ww, wr, rw}[below(3)], below(rows)});
  }
  return cycle;
}

using Namer = std::function<AnomalyKind(const DrawnCycle&)>;

AnomalyKind name_in_explore(const DrawnCycle& drawn) {
  History history;
  std::vector<DependencyEdge> cycle;
  const std::size_t units = drawn.edges.size();
  for (std::size_t unit = 0; unit < units; ++unit) {
    const OperationId come(2 * unit);
    const OperationId leave(2 * unit + 1);
    history.transactions.push_back({.session = static_cast<std::uint32_t>(unit),
                                    .name = "s",
                                    .outcome = TransactionOutcome::committed,
                                    .operations = {come, leave}});
    if (drawn.leaves_first(unit))
      std::swap(history.transactions.back().operations[0],
                history.transactions.back().operations[1]);
    for (int i = 0; i < 2; ++i) {
      history.operations.emplace_back().transaction = TransactionId(unit);
    }
    DependencyEdge& edge = cycle.emplace_back();
    edge.kind = drawn.edges[unit].kind;
    edge.from = TransactionId(unit);
    edge.to = TransactionId(drawn.after(unit));
    edge.from_operation = leave;
    edge.to_operation = OperationId(2 * drawn.after(unit));
    edge.row = RowId(drawn.edges[unit].row);
  }
  return classify(cycle, history);
}

AnomalyKind name_in_find(const DrawnCycle& drawn) {
  FoundCycle cycle;
  for (std::size_t unit = 0; unit < drawn.edges.size(); ++unit) {
    const bool leaves_first = drawn.leaves_first(unit);
    cycle.nodes.push_back({.instance = unit, .statement = leaves_first ? 1U : 0U});
    cycle.nodes.push_back({.instance = unit, .statement = leaves_first ? 0U : 1U});
    cycle.edges.push_back({.kind = drawn.edges[unit].kind,
                           .from = 2 * unit + 1,
                           .to = 2 * drawn.after(unit),
                           .table = "t",
                           .columns = {}});
  }
  return kind_of(cycle, drawn.one_row());
}

std::vector<OrderEdge> recorded_form(const DrawnCycle& drawn) {
  std::vector<OrderEdge> cycle;
  for (std::size_t unit = 0; unit < drawn.edges.size(); ++unit) {
    cycle.push_back({.kind = drawn.edges[unit].kind,
                     .from = static_cast<Node>(unit + 1),
                     .to = static_cast<Node>(drawn.after(unit) + 1),
                     .key = KeyId(drawn.edges[unit].row)});
  }
  return cycle;
}

AnomalyKind name_in_check(const DrawnCycle& drawn) {
  return heddle::kind_of(IsolationLevel::serializable, recorded_form(drawn));
}

// What `other` and `known` call differently, as "1 of 100: ...".
std::string difference_of_names(const Namer& known, const Namer& other, bool reads_late,
                                std::map<AnomalyKind, std::size_t>& names) {
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const DrawnCycle cycle = draw(random, reads_late);
    ++names[known(cycle)];
    if (known(cycle) == other(cycle)) continue;
    std::string text;
    for (const DrawnEdge& edge : cycle.edges) {
      text += std::string(to_string(edge.kind)) + " " + std::to_string(edge.row) + ", ";
    }
    return text + std::string(definition(known(cycle)).name) + " and " +
           std::string(definition(other(cycle)).name);
  }
  return "";
}

TEST(OneName, RandomCyclesHaveItInExploreFindAndCheck) {
  std::map<AnomalyKind, std::size_t> names;
  EXPECT_EQ("", difference_of_names(name_in_explore, name_in_find, false, names));
  EXPECT_EQ("", difference_of_names(name_in_explore, name_in_check, false, names));
  for (const AnomalyKind kind :
       {AnomalyKind::dirty_write, AnomalyKind::circular_flow, AnomalyKind::lost_update,
        AnomalyKind::non_repeatable_read, AnomalyKind::read_skew, AnomalyKind::write_skew,
        AnomalyKind::serialization_cycle}) {
    EXPECT_GT(names[kind], 100U) << definition(kind).name;
  }
}

// Recorded transactions read first, or read what they wrote.
TEST(OneName, WhoReadsAfterOverwritingHasTheSameInExploreAndFind) {
  std::map<AnomalyKind, std::size_t> names;
  EXPECT_EQ("", difference_of_names(name_in_explore, name_in_find, true, names));
  EXPECT_EQ(names[AnomalyKind::lost_update], 0U);
}

TEST(OneName, ThreeThatOverwriteWhatTheNextOneReads) {
  const DrawnCycle cycle{.edges = {{rw, 0}, {rw, 1}, {rw, 2}}};
  for (const auto name : {name_in_explore, name_in_find, name_in_check}) {
    EXPECT_EQ(name(cycle), AnomalyKind::write_skew);
  }
  const DrawnCycle on_one_row{.edges = {{rw, 0}, {rw, 0}, {rw, 0}}};
  for (const auto name : {name_in_explore, name_in_find, name_in_check}) {
    EXPECT_EQ(name(on_one_row), AnomalyKind::serialization_cycle);
  }
}

// As check once named cycles of three and more, and find those of two.
TEST(OneName, CanaryNamesByAnotherRuleAreNoticed) {
  std::map<AnomalyKind, std::size_t> names;
  const Namer by_length = [](const DrawnCycle& cycle) {
    const bool is_skew = name_in_check(cycle) == AnomalyKind::write_skew;
    return is_skew && cycle.edges.size() > 2 ? AnomalyKind::serialization_cycle
                                             : name_in_check(cycle);
  };
  EXPECT_NE("", difference_of_names(name_in_explore, by_length, false, names));
  const Namer whatever_comes_first = [](DrawnCycle cycle) {
    cycle.reads_late = false;
    return name_in_find(cycle);
  };
  EXPECT_NE("", difference_of_names(name_in_explore, whatever_comes_first, true, names));
}

// Special cases have names of their own where a level rules out them alone.
TEST(OneName, SpecialCasesAreNamedWhereALevelAllowsTheGeneralOne) {
  using enum AnomalyKind;
  const auto name_at = [](IsolationLevel level, const DrawnCycle& cycle) {
    return heddle::kind_of(level, recorded_form(cycle));
  };
  const DrawnCycle fork{.edges = {{wr, 0}, {rw, 1}, {wr, 1}, {rw, 0}}};
  EXPECT_EQ(name_at(IsolationLevel::prefix, fork), long_fork);
  EXPECT_EQ(name_at(IsolationLevel::snapshot, fork), long_fork);
  EXPECT_EQ(name_at(IsolationLevel::serializable, fork), write_skew);
  const DrawnCycle apart{.edges = {{ww, 0}, {wr, 0}, {rw, 1}, {wr, 1}, {rw, 0}}};
  EXPECT_EQ(name_at(IsolationLevel::snapshot, apart), nonadjacent_cycle);
  const DrawnCycle fracture{.edges = {{wr, 0}, {rw, 1}}};
  EXPECT_EQ(name_at(IsolationLevel::read_atomic, fracture), fractured_read);
  EXPECT_EQ(name_at(IsolationLevel::snapshot, fracture), read_skew);
  const DrawnCycle cause{.edges = {{so, 0}, {wr, 0}, {rw, 1}}};
  EXPECT_EQ(name_at(IsolationLevel::transactional_causal, cause), causality_violation);
  EXPECT_EQ(name_at(IsolationLevel::strong_session_serializable, cause), session_cycle);
}

}  // namespace
}  // namespace heddle::find
