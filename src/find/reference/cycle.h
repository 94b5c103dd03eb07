// The cycle clause: there are operations o1, ..., ok, each of which the next one depends on or is
// of one transaction with, and the first one depends on the last.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "find/reference/dependencies.h"

namespace heddle::find {

// What one operation of a cycle is followed by: an operation of its transaction, or a dependency.
using Step = std::optional<std::size_t>;  // into the dependencies

class CycleClause {
 public:
  // Cycles of up to `max_length` operations, each of whose dependencies all explanations have.
  // Both outlive it.
  CycleClause(Group& group, const Explanations& explanations, std::size_t max_length);

  const std::vector<Dependency>& possible() const { return possible_; }
  // The row of a table that a step is about.
  const RowKey& row(std::size_t step, const RowSource& table);
  // What holds of the steps, whatever cycle they make.
  std::vector<Term> steps();
  // A cycle of that length through each transaction once.
  std::vector<Term> cycle(std::size_t length);
  // The structure: the statements and dependencies of its steps, wherever the cycle begins and
  // whichever of two transactions of one functionality is the first.
  Term has_structure(const std::vector<Step>& steps);
  // The dependencies of the steps by their statements, as text.
  std::string dependencies_of(const std::vector<Step>& steps) const;
  // Whether that step is that dependency.
  Term takes(std::size_t step, std::size_t dependency);

 private:
  // An operation of the cycle: what a statement reads, or what it writes.
  struct Place {
    std::size_t operation = 0;
    OperationPart part = OperationPart::read;

    friend bool operator==(const Place&, const Place&) = default;
  };

  Term at(std::size_t step, std::size_t place);
  Term stays(std::size_t step);
  Term is_in(std::size_t step, std::size_t instance);
  std::size_t place_of(std::size_t operation, OperationPart part) const;
  std::string name_of(const Dependency& of) const;
  void add_order(std::size_t length, std::vector<Term>& holds);
  void add_calls(std::size_t step, std::size_t before, std::vector<Term>& holds);
  void add_once(std::size_t length, std::vector<Term>& holds);
  void add_ruled_out(std::size_t length, std::vector<Term>& holds);
  void add_ruled_out_by(const Relations& by, std::size_t length, Term is_none,
                        std::vector<Term>& holds);
  Term crosses_transactions(std::size_t length);

  Group& group_;
  Terms& terms_;
  const Explanations& explanations_;
  Dependencies& dependencies_;
  Relations& relations_;
  const std::vector<Operation>& operations_;
  std::vector<Dependency> possible_;
  std::vector<std::string> names_;  // of these, as structures have them
  std::size_t max_length_;
  std::vector<Place> places_;
  std::map<std::pair<std::size_t, std::string>, RowKey> rows_;
};

}  // namespace heddle::find
