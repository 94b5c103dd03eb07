// The constraints of a user, held against a program.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "find/forms/statement_form.h"
#include "find/terms/unfold.h"
#include "heddle/constraints.h"
#include "heddle/program.h"

namespace heddle::find {

// Axioms name functionalities, tables and stores as the program does.
struct KnownConstraints {
  std::vector<OrderAxiom> axioms = {};
  // Of rows that meet all conjuncts all outputs are true.
  std::vector<StatementForm> facts = {};
  std::vector<std::string> functionalities = {};   // the names of the program's
  std::map<std::string, std::size_t> stores = {};  // of tables; a table that is in none has none
  // Of each functionality what is true of the arguments of each call; empty: nothing of any.
  std::vector<std::vector<Expression>> requirements = {};
};

// What the program has no place for, or what cannot be computed; none: nothing.
std::optional<Diagnostic> trouble_with(const Constraints& constraints, const Program& program);

// REQUIRES: there is no trouble with them.
KnownConstraints known_constraints(const Constraints& constraints, const Program& program);

// A statement at work, as axioms speak of it.
struct AxiomOperation {
  std::size_t functionality = 0;
  std::size_t instance = 0;
  std::size_t index = 0;  // within the instance
  const Event* event = nullptr;
};

// Relations between two operations, by their numbers.
struct AxiomRelations {
  using Relation = std::function<Term(std::size_t, std::size_t)>;
  Relation visible;
  Relation arbitrated;
  Relation same_row;
};

// What the axioms say of these operations, those of them that run.
std::vector<Term> instances_of(const KnownConstraints& constraints, Terms& terms,
                               const std::vector<AxiomOperation>& operations,
                               const AxiomRelations& relations);

}  // namespace heddle::find
