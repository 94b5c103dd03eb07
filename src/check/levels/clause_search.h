// A solver for clauses over yes/no questions some of whose answers add edges to a graph that must
// stay without a cycle: conflict-driven clause learning (Marques-Silva and Sakallah 1999; Een and
// Sorensson, "An extensible SAT-solver", SAT 2003) with acyclicity as theory (Bayless et al., "SAT
// modulo monotonic theories", AAAI 2015). First guesses are the caller's: where these fit an order
// of all transactions, most histories need no search at all. Deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "check/levels/dynamic_order.h"
#include "check/observation/bounds.h"

namespace heddle {

// 2 * variable for yes, 2 * variable + 1 for no.
using Literal = std::uint32_t;
constexpr Literal literal(std::uint32_t variable, bool yes) { return 2 * variable + (yes ? 0 : 1); }
constexpr Literal negated(Literal a) { return a ^ 1U; }
constexpr Literal kNoLiteral = 0xFFFFFFFF;

class ClauseSearch {
 public:
  // `order` fits all edges that hold whatever the answers; those are added with add_edge before
  // any question is.
  explicit ClauseSearch(std::span<const std::uint32_t> order) : graph_(order) {}

  // REQUIRES: it closes no cycle.
  void add_edge(std::uint32_t from, std::uint32_t to);
  std::uint32_t add_variable(bool first_guess);
  // The edge is there when the literal is true, and the second one, too, where it is given.
  void add_edge(std::uint32_t from, std::uint32_t to, Literal when, Literal and_when = kNoLiteral);
  void add_clause(std::vector<Literal> clause);
  // The edge is there when all of these are true. REQUIRES: no answer is given (take_back).
  void add_edge_when(std::uint32_t from, std::uint32_t to, std::vector<Literal> all);
  // Takes back all answers, but for those that follow from clauses alone; they stay the first
  // guesses. Clauses, variables and edges may be added then, and solve() called again.
  void take_back() { back_to(0); }

  enum class Answer : std::uint8_t { possible, impossible, unknown };
  // `review` looks at complete answers and returns a clause that they break, or none.
  Answer solve(Meter& meter, const std::function<std::vector<Literal>()>& review = {});

  bool is_true(Literal a) const { return values_[a] > 0; }
  std::uint32_t place(std::uint32_t node) const { return graph_.place(node); }

 private:
  using ClauseIndex = std::uint32_t;
  static constexpr ClauseIndex kNoClause = 0xFFFFFFFF;

  struct ConditionalEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Literal other = kNoLiteral;
  };
  struct Watch {
    ClauseIndex clause = 0;
    Literal blocker = kNoLiteral;
  };

  bool propagate();
  bool propagate_clauses(Literal assigned);
  bool propagate_edges(Literal assigned);
  void explain_cycle(Literal assigned, const ConditionalEdge& edge);
  void assign(Literal a, ClauseIndex reason);
  std::uint32_t level() const { return static_cast<std::uint32_t>(level_begins_.size()); }
  void decide();
  void back_to(std::uint32_t wanted);
  bool learn();
  void bump(std::uint32_t variable);
  ClauseIndex store(std::vector<Literal> clause);
  void heap_up(std::size_t at);
  void heap_down(std::size_t at);
  void heap_insert(std::uint32_t variable);
  std::uint32_t heap_pop();

  DynamicOrder graph_;
  std::vector<std::vector<Literal>> clauses_;
  std::vector<std::vector<Watch>> watches_;  // per literal: clauses to look at when it is false
  std::vector<std::vector<ConditionalEdge>> edges_;  // per literal
  std::vector<std::pair<Literal, Literal>> labels_;  // of edges in the graph, by label
  std::vector<std::int8_t> values_;                  // per literal: 1 true, -1 false, 0 open
  std::vector<bool> guesses_;
  std::vector<std::uint32_t> levels_;  // per variable
  std::vector<ClauseIndex> reasons_;   // per variable
  std::vector<Literal> trail_;
  std::vector<std::size_t> edges_at_;  // per trail entry: edges in the graph before its own
  std::vector<std::size_t> level_begins_;
  std::size_t next_ = 0;  // trail entry to propagate
  std::vector<Literal> conflict_;
  bool contradictory_ = false;
  // Activity heap (largest first).
  std::vector<double> activity_;
  double increment_ = 1;
  std::vector<std::uint32_t> heap_;
  std::vector<std::uint32_t> heap_place_;
  std::vector<bool> marked_;  // scratch of learn()
};

}  // namespace heddle
