// The enumeration of skeletons ends in time, also where it finds nothing to show.
#include "find/search/cycles.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"

namespace heddle::find {
namespace {

// Two transactions whose operations all differ: their cycles have four of them.
struct Wide {
  explicit Wide(std::size_t count) : runs_again(2 * count) {
    for (std::size_t i = 0; i < count; ++i) {
      conflicts.push_back({.kind = DependencyKind::ww, .from = 2 * i, .to = 2 * i, .columns = {}});
    }
  }

  CycleInput input(std::size_t max_length) const {
    return {.instances = 2,
            .conflicts = {{&none, &conflicts}, {&conflicts, &none}},
            .runs_again = {&runs_again, &runs_again},
            .max_length = max_length};
  }

  std::vector<bool> runs_again;
  std::vector<Conflict> none;
  std::vector<Conflict> conflicts;
};

std::size_t count_seen(const CycleInput& input) {
  std::size_t seen = 0;
  enumerate_cycles(input, [&](const Skeleton&) { return ++seen > 0; });
  return seen;
}

TEST(Cycles, are_all_seen_where_there_is_time) {
  const Wide wide(5);
  EXPECT_EQ(count_seen(wide.input(4)), 5U * 4U);
  CycleInput patient = wide.input(4);
  patient.is_late = [] { return false; };
  EXPECT_EQ(count_seen(patient), 5U * 4U);
}

TEST(Cycles, end_in_time_where_none_is_short_enough) {
  const Wide wide(200);
  std::size_t asked = 0;
  CycleInput input = wide.input(2);
  input.is_late = [&] { return ++asked > 3; };
  EXPECT_EQ(count_seen(input), 0U);
  EXPECT_EQ(asked, 4U);
}

// Conflicts of five or six transactions, drawn from a seed; some are of one kind.
struct Drawn {
  explicit Drawn(unsigned seed) : random(seed) {
    const std::size_t count = 5 + random() % 2;
    std::vector<std::size_t> kinds;
    for (std::size_t i = 0; i < count; ++i) kinds.push_back(random() % 4);
    std::ranges::sort(kinds);
    conflicts.resize(4, std::vector<std::vector<Conflict>>(4));
    for (auto& row : conflicts) {
      for (std::vector<Conflict>& some : row) {
        for (std::size_t i = random() % 4; i > 0; --i) some.push_back(draw());
      }
    }
    input = {.instances = count, .conflicts = {}, .runs_again = {}, .max_length = 5 + random() % 5};
    for (std::size_t from = 0; from < count; ++from) {
      input.runs_again.push_back(&runs_again);
      input.conflicts.emplace_back();
      for (std::size_t to = 0; to < count; ++to) {
        input.conflicts.back().push_back(from == to ? &none : &conflicts[kinds[from]][kinds[to]]);
      }
    }
    input.kinds = kinds;
  }

  Conflict draw() {
    return {.kind = random() % 2 == 0 ? DependencyKind::ww : DependencyKind::rw,
            .from = random() % 2,
            .to = random() % 2,
            .columns = {}};
  }

  std::mt19937 random;
  std::vector<bool> runs_again{false, false};
  std::vector<Conflict> none;
  std::vector<std::vector<std::vector<Conflict>>> conflicts;  // by kinds
  CycleInput input;
};

using Ring = std::vector<const Conflict*>;

// The same for all rotations, and whichever transactions of one kind stand where.
Ring least_ring(const Skeleton& skeleton) {
  Ring ring;
  for (const SkeletonEdge& edge : skeleton.edges) ring.push_back(edge.conflict);
  Ring least = ring;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    std::ranges::rotate(ring, ring.begin() + 1);
    least = std::min(least, ring);
  }
  return least;
}

std::set<Ring> seen_rings(const CycleInput& input) {
  std::set<Ring> rings;
  enumerate_cycles(input, [&](const Skeleton& skeleton) {
    rings.insert(least_ring(skeleton));
    return true;
  });
  return rings;
}

// In all orders of the transactions, with all choices of conflicts.
std::set<Ring> all_rings(const CycleInput& input) {
  std::set<Ring> rings;
  std::vector<std::size_t> order(input.instances);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<SkeletonEdge> edges;
  const auto choose = [&](const auto& again, std::size_t at) -> void {
    if (at == order.size()) {
      std::vector<SkeletonEdge> ring = edges;
      ring.push_back(edges.front());
      const std::size_t length = least_length(ring, order.size());
      if (length > order.size() && length <= input.max_length) {
        rings.insert(least_ring({.edges = edges, .length = length}));
      }
      return;
    }
    const std::size_t from = order[at];
    const std::size_t to = order[(at + 1) % order.size()];
    for (const Conflict& conflict : *input.conflicts[from][to]) {
      edges.push_back({&conflict, from, to});
      again(again, at + 1);
      edges.pop_back();
    }
  };
  do {
    choose(choose, 0);
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return rings;
}

TEST(Cycles, of_many_transactions_are_those_of_all_orders) {
  std::size_t with_some = 0;
  std::size_t canaries = 0;
  for (unsigned seed = 1; seed <= test_rounds(200); ++seed) {
    const Drawn drawn(seed);
    const std::set<Ring> all = all_rings(drawn.input);
    EXPECT_EQ(seen_rings(drawn.input), all) << "seed " << seed;
    // Each comes once, wherever it could begin.
    EXPECT_EQ(count_seen(drawn.input), all.size()) << "seed " << seed;
    if (!all.empty()) ++with_some;
    // Where all are taken for one kind, some orders are left out.
    Drawn blind(seed);
    blind.input.kinds.assign(blind.input.instances, 0);
    if (seen_rings(blind.input) != all_rings(blind.input)) ++canaries;
  }
  EXPECT_GT(with_some, 15U);
  EXPECT_GT(canaries, 0U);
}

TEST(Cycles, that_begin_as_none_may_are_left_out) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Drawn drawn(seed);
    const std::set<Ring> all = seen_rings(drawn.input);
    const auto has_rw = [](const auto& edges) {
      return std::ranges::any_of(edges, [](const SkeletonEdge& edge) {
        return edge.conflict->kind == DependencyKind::rw;
      });
    };
    drawn.input.admits_path = [&](const std::vector<SkeletonEdge>& path) { return !has_rw(path); };
    std::set<Ring> wanted;
    for (const Ring& ring : all) {
      if (std::ranges::none_of(
              ring, [](const Conflict* one) { return one->kind == DependencyKind::rw; })) {
        wanted.insert(ring);
      }
    }
    EXPECT_EQ(seen_rings(drawn.input), wanted) << "seed " << seed;
  }
}

// An rw, or a transaction that is left before it is entered.
bool turns(const Skeleton& skeleton) {
  for (std::size_t i = 0; i < skeleton.edges.size(); ++i) {
    const Conflict& in = *skeleton.edges[i].conflict;
    const Conflict& out = *skeleton.edges[(i + 1) % skeleton.edges.size()].conflict;
    if (in.kind == DependencyKind::rw || out.from < in.to) return true;
  }
  return false;
}

TEST(Cycles, without_a_turn_are_left_out_and_no_others) {
  std::size_t with_turns = 0;
  std::size_t without = 0;
  for (unsigned seed = 1; seed <= test_rounds(200); ++seed) {
    Drawn drawn(seed);
    // Both statements of one kind are those of a known cycle.
    const std::size_t kind = seed % 4;
    const CycleInput& input = drawn.input;
    drawn.input.admits_path = [&input, kind](const std::vector<SkeletonEdge>& path) {
      std::set<std::size_t> statements;
      for (const SkeletonEdge& edge : path) {
        if (input.kinds[edge.from] == kind) statements.insert(edge.conflict->from);
        if (input.kinds[edge.to] == kind) statements.insert(edge.conflict->to);
      }
      return statements.size() < 2;
    };
    std::set<Ring> wanted;
    enumerate_cycles(drawn.input, [&](const Skeleton& skeleton) {
      if (turns(skeleton)) wanted.insert(least_ring(skeleton));
      if (!turns(skeleton)) ++without;
      return true;
    });
    leave_out_straight(drawn.input);
    EXPECT_EQ(seen_rings(drawn.input), wanted) << "seed " << seed;
    if (!wanted.empty()) ++with_turns;
  }
  EXPECT_GT(with_turns, 10U);
  EXPECT_GT(without, 0U);
}

}  // namespace
}  // namespace heddle::find
