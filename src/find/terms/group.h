// A set of transactions with everything that formulas about them share: terms, rows, and the
// transactions unfolded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "find/terms/applied_level.h"
#include "find/terms/search_input.h"
#include "find/terms/unfold.h"
#include "smt/solver.h"

namespace heddle::find {

// A transaction of a group.
struct Instance {
  std::size_t functionality = 0;
  const Unfolding* unfolding = nullptr;
  // It is of the prefix: it has run before all others that are not, and before those behind it.
  bool is_early = false;
  std::size_t last_call = 0;                // of a session of several calls, from 0
  std::optional<AppliedLevel> across = {};  // what holds of it as if it were one transaction
  std::vector<AppliedLevel> levels = {};    // of the transaction of each event

  bool any_level(const std::function<bool(AppliedLevel)>& is_such) const {
    return std::ranges::any_of(levels, is_such);
  }
  // Sets an axiom aside.
  void drop(Axiom axiom);
};

// For a group that is of no use once the search that it belongs to is late: what builds its terms
// throws smt::Abandoned then. `input` outlives the group.
UnfoldOptions while_in_time(const SearchInput& input);

class Group {
 public:
  // `input` outlives it. `members` are functionalities; one may come several times. `others`: what
  // transactions out of sight change, too; then values are read cautiously. Null: there are none.
  // `prefix`: functionalities that have run before, one after the other, and whose transactions
  // come behind those of the members.
  Group(const SearchInput& input, const std::vector<std::size_t>& members,
        const UnfoldOptions& options, const Changes* others = nullptr,
        const std::vector<std::size_t>& prefix = {});
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const Schema& schema() const { return schema_; }
  const KnownConstraints& constraints() const { return constraints_; }
  Terms& terms() { return terms_; }
  Evaluator& evaluator() { return evaluator_; }
  Rows& rows() { return rows_; }
  const std::vector<Instance>& instances() const { return instances_; }
  const Event& event(std::size_t instance, std::size_t index) const {
    return instances_[instance].unfolding->events[index];
  }

  // Which call of its session an event is of, from 0.
  std::size_t call_of(std::size_t instance, std::size_t index) const;

  // Tells the solver what holds of the transactions' values, and that none is refused.
  void add_facts(smt::Solver& solver);
  // How much the evaluator has learned of the values that it made, and telling what it has since.
  std::size_t known() const { return evaluator_.facts().size(); }
  void add_facts_since(std::size_t first, smt::Solver& solver) const;

  // A node of a cycle found in this group.
  FoundNode node(std::size_t instance, std::size_t index, OperationPart part) const;

 private:
  // What the program's levels say of unique keys.
  static Rows::Keys known_keys(const SearchInput& input);
  // What callers promise of the arguments of the last unfolding.
  void require(std::size_t functionality);

  const SearchInput& input_;
  const Schema& schema_;
  const KnownConstraints& constraints_;
  Changes now_;
  Terms terms_;
  Evaluator evaluator_;
  Rows rows_;
  std::vector<std::unique_ptr<Unfolding>> unfoldings_;
  std::vector<Instance> instances_;
};

}  // namespace heddle::find
