// The solver against all assignments, and the order that it keeps against a search from scratch.
#include "check/levels/clause_search.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "graph/components.h"

namespace heddle {
namespace {

struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Literal when = kNoLiteral;
  Literal and_when = kNoLiteral;
};

struct Problem {
  std::uint32_t nodes = 0;
  std::uint32_t variables = 0;
  std::vector<Edge> edges;
  std::vector<std::vector<Literal>> clauses;
};

Problem random_problem(std::mt19937_64& random) {
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  Problem problem;
  problem.nodes = 3 + below(5);
  problem.variables = 1 + below(7);
  const auto any_literal = [&] { return literal(below(problem.variables), below(2) == 0); };
  for (std::uint32_t i = below(4); i > 0; --i) {
    const std::uint32_t from = below(problem.nodes - 1);
    problem.edges.push_back({from, from + 1 + below(problem.nodes - from - 1)});
  }
  for (std::uint32_t i = 4 + below(24); i > 0; --i) {
    Edge edge{below(problem.nodes), below(problem.nodes), any_literal(), kNoLiteral};
    if (below(3) == 0) edge.and_when = any_literal();
    if (edge.from != edge.to) problem.edges.push_back(edge);
  }
  for (std::uint32_t i = below(6); i > 0; --i) {
    std::vector<Literal> clause;
    for (std::uint32_t size = 1 + below(3); size > 0; --size) clause.push_back(any_literal());
    std::ranges::sort(clause);
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    problem.clauses.push_back(clause);
  }
  return problem;
}

template <class IsTrue>
bool is_model(const Problem& problem, const IsTrue& is_true) {
  for (const auto& clause : problem.clauses) {
    if (std::ranges::none_of(clause, is_true)) return false;
  }
  std::vector<Arc> arcs;
  for (const Edge& edge : problem.edges) {
    if (edge.when != kNoLiteral && !is_true(edge.when)) continue;
    if (edge.and_when != kNoLiteral && !is_true(edge.and_when)) continue;
    arcs.push_back({edge.from, edge.to});
  }
  return cyclic_components(Digraph(problem.nodes, std::move(arcs))).empty();
}

bool brute_force(const Problem& problem) {
  for (std::uint32_t bits = 0; bits < (1U << problem.variables); ++bits) {
    const auto is_true = [&](Literal a) {
      return ((bits >> (a / 2)) & 1U) == (a % 2 == 0 ? 1U : 0U);
    };
    if (is_model(problem, is_true)) return true;
  }
  return false;
}

// Whether the solver agrees with brute force; an answer is tried out.
bool agrees(const Problem& problem, std::mt19937_64& random) {
  std::vector<std::uint32_t> order(problem.nodes);
  std::iota(order.begin(), order.end(), 0);
  ClauseSearch search(order);
  for (std::uint32_t i = 0; i < problem.variables; ++i) search.add_variable(random() % 2 == 0);
  for (const Edge& edge : problem.edges) {
    if (edge.when == kNoLiteral) search.add_edge(edge.from, edge.to);
  }
  for (const Edge& edge : problem.edges) {
    if (edge.when != kNoLiteral) search.add_edge(edge.from, edge.to, edge.when, edge.and_when);
  }
  for (const auto& clause : problem.clauses) search.add_clause(clause);
  Meter meter({});
  const bool possible = search.solve(meter) == ClauseSearch::Answer::possible;
  if (possible && !is_model(problem, [&](Literal a) { return search.is_true(a); })) return false;
  return possible == brute_force(problem);
}

TEST(ClauseSearch, agrees_with_all_assignments) {
  std::mt19937_64 random(1);
  std::size_t possible = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Problem problem = random_problem(random);
    ASSERT_TRUE(agrees(problem, random)) << "round " << round;
    possible += brute_force(problem) ? 1 : 0;
  }
  EXPECT_GT(possible, 4'000U);
  EXPECT_LT(possible, 16'000U);
}

TEST(ClauseSearch, the_comparison_notices_a_missing_edge) {
  // Yes and no both close a cycle; without the last edge yes does not.
  Problem problem{2, 1, {{0, 1}, {1, 0, literal(0, true)}, {1, 0, literal(0, false)}}, {}};
  EXPECT_FALSE(brute_force(problem));
  problem.edges.pop_back();
  EXPECT_TRUE(brute_force(problem));
}

TEST(ClauseSearch, a_review_sends_it_back) {
  const std::vector<std::uint32_t> order = {0, 1};
  ClauseSearch search(order);
  const std::uint32_t a = search.add_variable(true);
  const std::uint32_t b = search.add_variable(true);
  Meter meter({});
  const auto review = [&]() -> std::vector<Literal> {
    if (!search.is_true(literal(a, true))) return {};
    if (search.is_true(literal(b, true))) return {literal(a, false), literal(b, false)};
    return {literal(a, false), literal(b, true)};
  };
  EXPECT_EQ(search.solve(meter, review), ClauseSearch::Answer::possible);
  EXPECT_TRUE(search.is_true(literal(a, false)));
}

TEST(ClauseSearch, a_bound_makes_it_unknown) {
  const std::vector<std::uint32_t> order = {0};
  ClauseSearch search(order);
  for (int i = 0; i < 10; ++i) search.add_variable(true);
  Meter meter({.memory_bytes = 0, .timeout_ms = 0, .steps = 3});
  EXPECT_EQ(search.solve(meter), ClauseSearch::Answer::unknown);
  EXPECT_EQ(meter.hit(), "the limit of 3 steps");
}

TEST(DynamicOrder, refuses_exactly_the_edges_that_close_a_cycle) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t nodes = 2 + static_cast<std::uint32_t>(random() % 8);
    std::vector<std::uint32_t> order(nodes);
    std::iota(order.begin(), order.end(), 0);
    DynamicOrder dynamic(order);
    std::vector<Arc> arcs;
    for (int step = 0; step < 40; ++step) {
      if (!arcs.empty() && random() % 4 == 0) {
        dynamic.pop();
        arcs.pop_back();
        continue;
      }
      const Arc arc{static_cast<std::uint32_t>(random() % nodes),
                    static_cast<std::uint32_t>(random() % nodes)};
      arcs.push_back(arc);
      const bool closes = !cyclic_components(Digraph(nodes, arcs)).empty();
      ASSERT_EQ(dynamic.add(arc.from, arc.to, 0), !closes);
      if (closes) arcs.pop_back();
      for (const Arc& there : arcs) ASSERT_LT(dynamic.place(there.from), dynamic.place(there.to));
    }
  }
}

}  // namespace
}  // namespace heddle
