#include "find/reference/relations.h"

#include <algorithm>

#include <fmt/format.h>

#include "find/terms/order.h"

namespace heddle::find {

// An axiom over three operations, and over two where the third is the second. `level_of` says
// whose level it is: that of a, b or c, or that any of them is enough.
struct Relations::AxiomFormula {
  Axiom axiom;
  Term (Relations::*formula)(std::size_t, std::size_t, std::size_t);
  std::size_t level_of;
};

namespace {

constexpr std::size_t kAny = 3;

// Said of vis and ar elsewhere, or of a cycle by the cycle clause.
constexpr Axiom kElsewhere[] = {Axiom::vis_in_ar,      Axiom::first_committer_wins,
                                Axiom::no_item_cycles, Axiom::no_cycles,
                                Axiom::no_flow_cycles, Axiom::no_intermediate_reads};

// What Biswas and Enea say of the order of commits, in words of vis and ar: co is ar of whole
// transactions, and who reads from another transaction, or comes behind it in its session, sees all
// of it wherever it reads.
struct CommitAxiom {
  Axiom axiom;
  std::vector<Axiom> says;
};

const std::vector<CommitAxiom>& commit_axioms() {
  static const std::vector<CommitAxiom> all = {
      {Axiom::commit_order, {Axiom::vis_in_ar, Axiom::atomic_arbitration}},
      {Axiom::session_order_in_co, {}},
      {Axiom::sees_directly,
       {Axiom::session_order_in_vis, Axiom::committed_reads, Axiom::repeatable_visibility}},
      {Axiom::sees_causally, {Axiom::vis_transitive}},
  };
  return all;
}

bool says(Axiom of_level, Axiom axiom) {
  if (of_level == axiom) return true;
  const auto known = std::ranges::find(commit_axioms(), of_level, &CommitAxiom::axiom);
  return known != commit_axioms().end() &&
         std::ranges::find(known->says, axiom) != known->says.end();
}

}  // namespace

const std::vector<Relations::AxiomFormula>& Relations::formulas() {
  static const std::vector<AxiomFormula> all = {
      {Axiom::vis_transitive, &Relations::vis_transitive, 2},
      {Axiom::session_order_in_vis, &Relations::session_order_in_vis, 1},
      {Axiom::committed_reads, &Relations::committed_reads, 2},
      {Axiom::atomic_arbitration, &Relations::atomic_arbitration, kAny},
      {Axiom::repeatable_visibility, &Relations::repeatable_visibility, 0},
      {Axiom::snapshot_prefix, &Relations::snapshot_prefix, 2},
      {Axiom::ar_in_vis, &Relations::ar_in_vis, 1},
  };
  return all;
}

std::vector<Operation> operations_of(const Group& group) {
  std::vector<Operation> operations;
  for (std::size_t i = 0; i < group.instances().size(); ++i) {
    const Instance& instance = group.instances()[i];
    for (std::size_t e = 0; e < instance.unfolding->events.size(); ++e) {
      const Event& event = instance.unfolding->events[e];
      const Operation operation = {i, e, &event, instance.levels[e].level, event.transaction};
      if (operation.reads() || operation.writes()) operations.push_back(operation);
    }
  }
  return operations;
}

std::vector<Operation> operations_across(const Group& group) {
  std::vector<Operation> operations = operations_of(group);
  for (Operation& operation : operations) {
    operation.level = group.instances()[operation.instance].across->level;
    operation.transaction = 0;
  }
  return operations;
}

std::optional<Axiom> unsupported_axiom(IsolationLevel level) {
  const auto known = Relations::supported();
  for (const Axiom axiom : definition(level).axioms) {
    if (std::ranges::find(known, axiom) == known.end()) return axiom;
  }
  return std::nullopt;
}

std::vector<Axiom> Relations::supported() {
  std::vector<Axiom> all(std::begin(kElsewhere), std::end(kElsewhere));
  for (const AxiomFormula& formula : formulas()) all.push_back(formula.axiom);
  for (const CommitAxiom& one : commit_axioms()) all.push_back(one.axiom);
  return all;
}

bool Relations::has(std::size_t operation, Axiom axiom) const {
  return std::ranges::any_of(definition(operations_[operation].level).axioms,
                             [&](Axiom of_level) { return says(of_level, axiom); });
}

bool Relations::same_transaction(std::size_t a, std::size_t b) const {
  return same_session(a, b) && operations_[a].transaction == operations_[b].transaction;
}

Term Relations::vis(std::size_t a, std::size_t b) {
  // A read has no effect that others could see, but what it saw its session may go on seeing.
  const bool is_earlier = same_session(a, b) && operations_[a].index < operations_[b].index;
  if (!is_writer(a) && !is_earlier) return terms_.truth(false);
  if (a == b) return terms_.truth(false);
  return terms_.symbol(fmt::format("{}vis {} {}", name_, a, b), smt::Sort::truth);
}

Term Relations::vis_of_any(std::size_t a, std::size_t b) {
  return a == b ? terms_.truth(false)
                : terms_.symbol(fmt::format("{}vis {} {}", name_, a, b), smt::Sort::truth);
}

Term Relations::ar(std::size_t a, std::size_t b) {
  const auto place = [&](std::size_t operation) {
    return terms_.symbol(fmt::format("{}ar {}", name_, operation), smt::Sort::integer);
  };
  return a == b ? terms_.truth(false) : terms_.less(place(a), place(b));
}

Term Relations::vis_transitive(std::size_t a, std::size_t b, std::size_t c) {
  if (!is_writer(a)) return terms_.truth(true);
  return terms_.implies(terms_.all(vis(a, b), vis(b, c)), vis(a, c));
}

Term Relations::session_order_in_vis(std::size_t a, std::size_t b, std::size_t c) {
  const bool in_order = same_session(a, b) && operations_[a].index < operations_[b].index;
  if (b != c || !in_order) return terms_.truth(true);
  return terms_.implies(terms_.all(runs(a), runs(b)), vis(a, b));
}

// Of c's in other transactions. Of several transactions that are taken for one, what a later one
// has rolled back is not there to be seen.
Term Relations::committed_reads(std::size_t a, std::size_t b, std::size_t c) {
  const bool is_meant =
      same_transaction(a, b) && !same_transaction(a, c) && is_writer(a) && is_writer(b);
  if (!is_meant) return terms_.truth(true);
  const Term is_there = same_session(b, c) ? runs(b) : stays(b);
  return terms_.implies(terms_.all(vis(a, c), is_there), vis(b, c));
}

// a and b are of one transaction, and both on the same side of c: said of every c, that puts the
// transactions as wholes.
Term Relations::atomic_arbitration(std::size_t a, std::size_t b, std::size_t c) {
  const bool is_meant = same_transaction(a, b) && !same_transaction(a, c) && is_writer(a) &&
                        is_writer(b) && is_writer(c);
  if (!is_meant) return terms_.truth(true);
  return terms_.implies(terms_.all({stays(a), stays(b), stays(c)}),
                        terms_.equal(ar(a, c), ar(b, c)));
}

// Of c's in other transactions.
Term Relations::repeatable_visibility(std::size_t a, std::size_t b, std::size_t c) {
  const bool is_meant = same_transaction(a, b) && !same_transaction(a, c) && is_writer(c);
  if (!is_meant) return terms_.truth(true);
  return terms_.implies(terms_.all(vis(c, a), runs(b)), vis(c, b));
}

Term Relations::snapshot_prefix(std::size_t a, std::size_t b, std::size_t c) {
  const bool is_meant =
      is_writer(a) && is_writer(b) && !same_transaction(a, c) && !same_transaction(b, c);
  if (!is_meant) return terms_.truth(true);
  return terms_.implies(terms_.all({vis(b, c), ar(a, b), stays(a)}), vis(a, c));
}

Term Relations::ar_in_vis(std::size_t a, std::size_t b, std::size_t c) {
  if (b != c || !is_writer(a)) return terms_.truth(true);
  const Term is_there = same_session(a, b) ? runs(a) : stays(a);
  return terms_.implies(terms_.all({ar(a, b), is_there, runs(b)}), vis(a, b));
}

// ar is a total order that keeps the order of each session; vis is between operations that run, and
// in ar.
void Relations::add_base(std::vector<Term>& axioms) {
  for (std::size_t a = 0; a < operations_.size(); ++a) {
    for (std::size_t b = 0; b < operations_.size(); ++b) {
      if (a == b) continue;
      if (!same_session(a, b)) axioms.push_back(terms_.any(ar(a, b), ar(b, a)));
      if (same_session(a, b) && operations_[a].index < operations_[b].index) {
        axioms.push_back(ar(a, b));
      }
      // What will be rolled back others see only where nothing has to be committed.
      const bool shows = same_session(a, b) || shows_uncommitted(operations_[b].level);
      const Term is_there = shows ? runs(a) : stays(a);
      axioms.push_back(terms_.implies(vis(a, b), terms_.all({is_there, runs(b), ar(a, b)})));
    }
  }
}

void Relations::add_first_committer_wins(const SameRow& writes_same_row,
                                         std::vector<Term>& axioms) {
  for (std::size_t a = 0; a < operations_.size(); ++a) {
    for (std::size_t b = 0; b < operations_.size(); ++b) {
      if (!is_writer(a) || !is_writer(b) || same_transaction(a, b)) continue;
      if (!has(b, Axiom::first_committer_wins)) continue;
      axioms.push_back(
          terms_.implies(terms_.all({ar(a, b), stays(a), runs(b), writes_same_row(a, b)}),
                         terms_.any(vis(a, b), vis(b, a))));
    }
  }
}

bool Relations::is_said(const AxiomFormula& formula,
                        const std::array<std::size_t, 3>& operations) const {
  if (formula.level_of != kAny) return has(operations[formula.level_of], formula.axiom);
  return std::ranges::any_of(operations,
                             [&](std::size_t each) { return has(each, formula.axiom); });
}

std::vector<Term> Relations::axioms(const SameRow& writes_same_row) {
  std::vector<Term> axioms;
  add_base(axioms);
  for (const AxiomFormula& formula : formulas()) {
    for (std::size_t a = 0; a < operations_.size(); ++a) {
      for (std::size_t b = 0; b < operations_.size(); ++b) {
        for (std::size_t c = 0; c < operations_.size(); ++c) {
          if (!is_said(formula, {a, b, c})) continue;
          const Term said = (this->*formula.formula)(a, b, c);
          if (!terms_.is_true(said)) axioms.push_back(said);
        }
      }
    }
  }
  add_first_committer_wins(writes_same_row, axioms);
  return axioms;
}

}  // namespace heddle::find
