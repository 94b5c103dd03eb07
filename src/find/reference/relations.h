// Visibility and arbitration among all operations of a set of transactions, and the axioms of
// abstract levels over them, each as docs/levels.md writes it.
//
// An operation is here a statement at work: what it reads and what it writes happen at one place
// and at one time. Axioms are quantified over operations that run; the quantifiers are expanded,
// because the operations are known.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "find/terms/group.h"
#include "heddle/isolation.h"

namespace heddle::find {

// A statement of one of the transactions, in one round of the loops around it.
struct Operation {
  std::size_t instance = 0;
  std::size_t index = 0;  // into the instance's events
  const Event* event = nullptr;
  IsolationLevel level = IsolationLevel::eventual;
  std::size_t transaction = 0;  // of the instance

  bool writes() const { return event->form->writes(); }
  bool reads() const { return event->form->reads() || event->form->checks_keys; }
};

// Those that read or write rows.
std::vector<Operation> operations_of(const Group& group);
// The same where each functionality is one transaction, at the level that is guaranteed across its
// own ones. REQUIRES: something is.
std::vector<Operation> operations_across(const Group& group);

// An axiom of the level that these relations cannot say; none: they say all of them.
std::optional<Axiom> unsupported_axiom(IsolationLevel level);

class Relations {
 public:
  // Both outlive it. Relations of another name are others.
  Relations(Terms& terms, const std::vector<Operation>& operations, std::string name)
      : terms_(terms), operations_(operations), name_(std::move(name)) {}

  Term vis(std::size_t a, std::size_t b);
  // The same of all operations: whatever it is where a has nothing that b could see.
  Term vis_of_any(std::size_t a, std::size_t b);
  Term ar(std::size_t a, std::size_t b);
  Term runs(std::size_t a) const { return operations_[a].event->guard; }
  // It runs, and what it writes is not rolled back.
  Term stays(std::size_t a) const { return lasts(*operations_[a].event, terms_); }
  // ST: of one transaction. A functionality may have several, one after the other.
  bool same_transaction(std::size_t a, std::size_t b) const;
  bool same_session(std::size_t a, std::size_t b) const {
    return operations_[a].instance == operations_[b].instance;
  }
  bool has(std::size_t operation, Axiom axiom) const;

  // The axioms that are said here, and those that speak of rows or of cycles.
  static std::vector<Axiom> supported();

  // Whether two writers write one row.
  using SameRow = std::function<Term(std::size_t, std::size_t)>;
  // What ar and vis are, and what the levels say of them.
  std::vector<Term> axioms(const SameRow& writes_same_row);

 private:
  struct AxiomFormula;
  static const std::vector<AxiomFormula>& formulas();
  bool is_said(const AxiomFormula& formula, const std::array<std::size_t, 3>& operations) const;

  bool is_writer(std::size_t a) const { return operations_[a].writes(); }
  // Each is true where its quantifiers do not range over these operations.
  Term vis_transitive(std::size_t a, std::size_t b, std::size_t c);
  Term session_order_in_vis(std::size_t a, std::size_t b, std::size_t c);
  Term committed_reads(std::size_t a, std::size_t b, std::size_t c);
  Term atomic_arbitration(std::size_t a, std::size_t b, std::size_t c);
  Term repeatable_visibility(std::size_t a, std::size_t b, std::size_t c);
  Term snapshot_prefix(std::size_t a, std::size_t b, std::size_t c);
  Term ar_in_vis(std::size_t a, std::size_t b, std::size_t c);
  void add_base(std::vector<Term>& axioms);
  void add_first_committer_wins(const SameRow& writes_same_row, std::vector<Term>& axioms);

  Terms& terms_;
  const std::vector<Operation>& operations_;
  std::string name_;
};

}  // namespace heddle::find
