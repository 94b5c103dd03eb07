// The encoding of Rahmani, Nagar, Delaware and Jagannathan (CLOTHO, OOPSLA 2019), kept as a slow
// oracle for the search that enumerates cycles.
//
// For a set of transactions there is one formula per length of cycles: relations vis and ar over
// their operations with the axioms of the levels, WR, WW and RW between operations over rows, and a
// cycle clause that says that some of these operations make a cycle. The outer loop asks for any
// cycle, excludes its structure (the statements and the kinds of its edges) and asks again, until
// there is none; the inner loop asks of one structure for another instance of it, with all edges
// about one row or not, which tells kinds of anomalies apart.
//
// Quantifiers are expanded: over operations, which are known once loops are unfolded, and over
// rows, of which only those matter that a step is about or that a statement names. With
// uninterpreted sorts and quantifiers instead Z3 gives up on most satisfiable formulas. What
// products do is not encoded. What statements mean is shared with the other engine; which cycles
// there are, what makes a dependency, and what levels say is not.
#include "find/reference/search.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "find/reference/cycle.h"
#include "find/terms/kinds.h"
#include "smt/solver.h"

namespace heddle::find {

namespace {

constexpr std::uint32_t kMaxStepsOfReference = 200'000'000;

class ReferenceSearch {
 public:
  ReferenceSearch(const SearchInput& input, const std::vector<std::size_t>& members)
      : input_(input),
        group_(input, members, while_in_time(input)),
        explanations_(explain(group_)),
        operations_(explanations_.front()->operations),
        relations_(explanations_.front()->relations),
        dependencies_(explanations_.front()->dependencies),
        cycles_(group_, explanations_, longest()),
        solver_(group_.terms(), input.options.solver_steps.value_or(kMaxStepsOfReference)) {}

  GroupResult run() {
    if (input_.is_late()) result_.is_complete = false;
    if (!result_.is_complete || cycles_.possible().empty()) return std::move(result_);
    add_base();
    // Without an operation more than transactions nobody is left at another than it is entered at.
    for (std::size_t length = group_.instances().size() + 1; length <= longest(); ++length) {
      solver_.push();
      for (const Term term : cycles_.cycle(length)) solver_.add(term);
      search(length);
      solver_.pop();
    }
    result_.counts.checks = solver_.checks();
    return std::move(result_);
  }

 private:
  static Explanations explain(Group& group) {
    Explanations all;
    all.push_back(std::make_unique<Explanation>(group, operations_of(group), ""));
    if (group.instances().front().across) {
      all.push_back(std::make_unique<Explanation>(group, operations_across(group), "across "));
    }
    return all;
  }

  std::size_t longest() const { return std::min(input_.max_length, 2 * group_.instances().size()); }

  // The sources of tables, each table once.
  std::vector<const RowSource*> tables() const {
    std::map<std::string, const RowSource*> by_name;
    for (const Operation& operation : operations_) {
      for (const RowSource& source : operation.event->form->sources) {
        by_name.emplace(source.name, &source);
      }
    }
    std::vector<const RowSource*> all;
    for (const auto& [name, source] : by_name) all.push_back(source);
    return all;
  }

  // The rows of a table that matter: others nobody need touch.
  std::vector<RowKey> rows_of(const RowSource& table) {
    std::vector<RowKey> rows;
    for (std::size_t step = 0; step < longest(); ++step) rows.push_back(cycles_.row(step, table));
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].event->form->sources[0].name != table.name) continue;
      if (auto named = dependencies_.named_row(i)) rows.push_back(std::move(*named));
    }
    return rows;
  }

  void add_base() {
    std::vector<Term> holds = cycles_.steps();
    const auto writes_same_row = [&](std::size_t a, std::size_t b) {
      std::vector<Term> ways;
      for (const RowSource* table : tables()) {
        for (const RowKey& row : rows_of(*table)) {
          ways.push_back(dependencies_.both_write(a, b, *table, row));
        }
      }
      return group_.terms().any(ways);
    };
    for (const auto& by : explanations_) {
      for (const Term axiom : by->relations.axioms(writes_same_row)) holds.push_back(axiom);
    }
    add_agreement(writes_same_row, holds);
    for (const Term axiom : user_axioms(writes_same_row)) holds.push_back(axiom);
    for (const RowSource* table : tables()) {
      for (std::size_t step = 0; step < longest(); ++step) {
        for (std::size_t i = 0; i < operations_.size(); ++i) {
          if (!uses(i, *table)) continue;
          for (const auto& by : explanations_) {
            holds.push_back(by->dependencies.existence(i, *table, cycles_.row(step, *table)));
          }
        }
      }
    }
    for (const Term term : holds) solver_.add(term);
    group_.add_facts(solver_);
  }

  // Versions of a row have one order.
  void add_agreement(const Relations::SameRow& writes_same_row, std::vector<Term>& holds) {
    if (explanations_.size() < 2) return;
    Relations& across = explanations_.back()->relations;
    for (std::size_t a = 0; a < operations_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (relations_.same_session(a, b)) continue;
        holds.push_back(group_.terms().implies(
            writes_same_row(a, b), group_.terms().equal(relations_.ar(a, b), across.ar(a, b))));
      }
    }
  }

  std::vector<Term> user_axioms(const Relations::SameRow& writes_same_row) {
    std::vector<AxiomOperation> all;
    for (const Operation& operation : operations_) {
      all.push_back({.functionality = group_.instances()[operation.instance].functionality,
                     .instance = operation.instance,
                     .index = operation.index,
                     .event = operation.event});
    }
    const auto vis = [&](std::size_t a, std::size_t b) { return relations_.vis_of_any(a, b); };
    const auto ar = [&](std::size_t a, std::size_t b) { return relations_.ar(a, b); };
    return instances_of(group_.constraints(), group_.terms(), all, {vis, ar, writes_same_row});
  }

  bool uses(std::size_t operation, const RowSource& table) const {
    return std::ranges::any_of(operations_[operation].event->form->sources,
                               [&](const RowSource& source) { return source.name == table.name; });
  }

  // The outer loop.
  void search(std::size_t length) {
    while (result_.is_complete) {
      const smt::Satisfiable answer = check();
      if (answer == smt::Satisfiable::no) return;
      if (answer == smt::Satisfiable::unknown) {
        if (!input_.is_late()) ++result_.counts.undecided;
        result_.is_complete = false;
        return;
      }
      const std::vector<Step> steps = steps_found(length);
      const Term structure = cycles_.has_structure(steps);
      ++result_.counts.skeletons;
      // A loop may make the same cycle with one operation more, in another round.
      if (seen_.insert(cycles_.dependencies_of(steps)).second) keep(steps);
      solver_.add(group_.terms().negate(structure));
    }
  }

  smt::Satisfiable check() {
    if (!input_.deadline) return input_.is_late() ? smt::Satisfiable::unknown : solver_.check();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(*input_.deadline - Clock::now());
    if (left.count() <= 0) return smt::Satisfiable::unknown;
    return solver_.check_within(static_cast<std::uint32_t>(left.count()));
  }

  std::vector<Step> steps_found(std::size_t length) {
    std::vector<Step> steps(length);
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t j = 0; j < cycles_.possible().size() && !steps[i]; ++j) {
        if (solver_.value(cycles_.takes(i, j)) == "true") steps[i] = j;
      }
    }
    return steps;
  }

  void keep(const std::vector<Step>& steps) {
    FoundCycle cycle;
    const auto dependency = [&](std::size_t step) -> const Dependency& {
      return cycles_.possible()[*steps[step]];
    };
    const auto node = [&](std::size_t operation, OperationPart part) {
      return group_.node(operations_[operation].instance, operations_[operation].index, part);
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::size_t before = (i + steps.size() - 1) % steps.size();
      cycle.nodes.push_back(steps[i] ? node(dependency(i).from, dependency(i).from_part())
                                     : node(dependency(before).to, dependency(before).to_part()));
      if (!steps[i]) continue;
      const Dependency& of = dependency(i);
      const bool is_any = stands_for_all(of);
      const std::set<std::string> columns = is_any ? std::set<std::string>() : of.columns;
      cycle.edges.push_back(
          {.kind = of.kind,
           .predicate = of.kind == DependencyKind::rw && makes_row(steps, i),
           .from = i,
           .to = (i + 1) % steps.size(),
           .table = is_any ? std::string(kAnyTable) : dependencies_.table_of(of).name,
           .columns = {columns.begin(), columns.end()}});
    }
    cycle.kind =
        needs_rollback(steps) ? AnomalyKind::aborted_read : kind_of(cycle, is_about_one_row(steps));
    // Whichever cycles are found inside of it decide.
    cycle.is_core = false;
    result_.cycles.push_back(std::move(cycle));
  }

  bool stands_for_all(const Dependency& of) const {
    return input_.conflicts->stands_for_all(*operations_[of.from].event->form,
                                            *operations_[of.to].event->form);
  }

  // Whether in all instances of the structure what somebody sees is rolled back.
  bool needs_rollback(const std::vector<Step>& steps) {
    Terms& terms = group_.terms();
    std::vector<Term> stay;
    for (const Step& step : steps) {
      if (!step) continue;
      const Dependency& of = cycles_.possible()[*step];
      const Event& writer = *operations_[of.kind == DependencyKind::rw ? of.to : of.from].event;
      if (!terms.is_false(writer.undone)) stay.push_back(lasts(writer, terms));
    }
    if (stay.empty()) return false;
    solver_.push();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i]) solver_.add(cycles_.takes(i, *steps[i]));
    }
    solver_.add(terms.all(stay));
    const bool may_stay = check() != smt::Satisfiable::no;
    solver_.pop();
    return !may_stay;
  }

  // Whether in all instances of the structure a step is about a row that its reader did not find,
  // and its writer makes.
  bool makes_row(const std::vector<Step>& steps, std::size_t at) {
    const Dependency& of = cycles_.possible()[*steps[at]];
    const StatementForm& writer = *operations_[of.to].event->form;
    if (writer.kind != StatementKind::insert || !writer.updates_row()) {
      return writer.kind == StatementKind::insert;
    }
    solver_.push();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i]) solver_.add(cycles_.takes(i, *steps[i]));
    }
    const RowKey& row = cycles_.row(at, dependencies_.table_of(of));
    solver_.add(group_.terms().negate(dependencies_.is_predicate(of, row)));
    const bool may_be_found = check() != smt::Satisfiable::no;
    solver_.pop();
    return !may_be_found;
  }

  // The inner loop: another instance of the structure whose edges are about one row. Statements
  // that name their rows by keys meet on one row if they must; others if they may.
  bool is_about_one_row(const std::vector<Step>& steps) {
    std::vector<Term> same;
    bool all_named = true;
    std::optional<std::size_t> first;
    solver_.push();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!steps[i]) continue;
      if (!first) first = i;
      solver_.add(cycles_.takes(i, *steps[i]));
      const Dependency& of = cycles_.possible()[*steps[i]];
      const RowSource& table = dependencies_.table_of(of);
      const RowSource& first_table = dependencies_.table_of(cycles_.possible()[*steps[*first]]);
      if (table.name != first_table.name) {
        solver_.pop();
        return false;
      }
      all_named =
          all_named && operations_[of.from].event->is_pinned && operations_[of.to].event->is_pinned;
      same.push_back(group_.rows().same_key(cycles_.row(*first, table), cycles_.row(i, table)));
    }
    const Term one = group_.terms().all(same);
    solver_.add(all_named ? group_.terms().negate(one) : one);
    const bool other = check() != smt::Satisfiable::no;
    solver_.pop();
    return all_named ? !other : other;
  }

  const SearchInput& input_;
  Group group_;
  Explanations explanations_;
  const std::vector<Operation>& operations_;
  Relations& relations_;
  Dependencies& dependencies_;
  CycleClause cycles_;
  smt::Solver solver_;
  std::set<std::string> seen_;
  GroupResult result_;
};

}  // namespace

GroupResult search_group_by_formula(const SearchInput& input,
                                    const std::vector<std::size_t>& members) {
  try {
    return ReferenceSearch(input, members).run();
  } catch (const smt::Abandoned&) {
    return {.cycles = {}, .counts = {}, .is_complete = false};
  }
}

}  // namespace heddle::find
