// What a run should be like so that people see what happens in it: wishes, of which those are given
// up that cannot be had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "find/search/closed_world.h"
#include "find/terms/formula.h"
#include "find/terms/group.h"
#include "find/terms/search_input.h"
#include "smt/solver.h"

namespace heddle::find {

// What rows hold at first: much, so that what is taken from it leaves something; just enough for
// one argument to be taken from a cell, or from two cells, but not for a second one; nothing, as
// most invariants have it where nothing has happened yet; what puts the conditions of the client at
// their borders, so that one more call decides; or what the solver likes.
enum class Plenty : std::uint8_t { much, enough_in_one, enough_in_two, border, nothing, any };

// Where rows have several copies: others see what a transaction did as soon as they can, or only
// what they have to.
enum class Delivery : std::uint8_t { prompt, late };

struct WishedRun {
  Plenty plenty = Plenty::much;
  Delivery delivery = Delivery::prompt;
  bool has_given_rows = false;
};

// A cycle that a run should show.
struct WishedCycle {
  const std::vector<PlacedEdge>& edges;
  const std::vector<Term>& changes;  // which others than the edges should make
  CycleFormula& formula;
};

class RunWishes {
 public:
  // All outlive it.
  RunWishes(const SearchInput& input, Group& group, const WishedCycle& cycle,
            const ClosedWorld& closed, smt::Solver& solver)
      : input_(input),
        group_(group),
        terms_(group.terms()),
        edges_(cycle.edges),
        changes_(cycle.changes),
        keys_(cycle.formula.keys()),
        order_(cycle.formula.order()),
        closed_(closed),
        solver_(solver) {}

  // Forgets earlier ones.
  void make(const WishedRun& wanted, bool has_copies);
  smt::Satisfiable solve();

 private:
  void wish(Term condition);
  void give_up_known();
  void wish_delivery(Delivery delivery);
  void wish_clocks();
  void wish_changes();
  void wish_arguments();
  void wish_short_ways();
  void wish_borders();
  void wish_elements(const SqlValue& list, const ColumnType& type);
  void wish_ranges(const WishedRun& wanted);
  void wish_range(Term value, const ColumnType& type, std::int64_t least, std::int64_t most);
  void wish_few_rows();
  void wish_whole(Term value);
  void wish_no_waiting();
  void wish_results();
  void wish_short_results();
  void wish_few_switches();

  const SearchInput& input_;
  Group& group_;
  Terms& terms_;
  const std::vector<PlacedEdge>& edges_;
  const std::vector<Term>& changes_;
  const std::vector<RowKey>& keys_;
  Order& order_;
  const ClosedWorld& closed_;
  smt::Solver& solver_;
  std::map<std::uint32_t, Term> names_;       // by condition, of all that was ever wished
  std::map<std::uint32_t, Term> wholes_;      // by fraction, the number that it is
  std::vector<Term> wishes_;                  // by name
  std::vector<std::vector<Term>> conflicts_;  // names that cannot be had together
};

}  // namespace heddle::find
