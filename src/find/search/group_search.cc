#include "find/search/group_search.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "find/search/closed_world.h"
#include "find/search/cycles.h"
#include "find/search/edge_filter.h"
#include "find/search/prefixes.h"
#include "find/terms/argument_pairs.h"
#include "find/terms/formula.h"
#include "find/terms/group.h"
#include "find/terms/kinds.h"
#include "find/terms/placed_operations.h"
#include "smt/solver.h"

namespace heddle::find {

namespace {

constexpr std::uint32_t kMaxStepsOfGroup = 2'000'000;

// About a gigabyte with what the solvers make of them. The largest group of the known programs has
// a tenth of it.
constexpr std::size_t kMostTerms = 3'000'000;

// The searched cycles of one set of functionalities.
class GroupSearch {
 public:
  // `prefix`: functionalities that have run before. `open`: the causes to ask about, from which
  // those that are found are taken; null: all.
  GroupSearch(const SearchInput& input, Shapes& shapes, std::vector<std::size_t> members,
              std::vector<std::size_t> prefix = {}, std::set<std::string>* open = nullptr)
      : input_(input),
        members_(std::move(members)),
        prefix_(std::move(prefix)),
        open_(open),
        shapes_(shapes) {}

  // Causes whose levels allow them, and that no rows at the beginning let happen.
  std::set<std::string> take_refused() { return std::move(refused_); }

  GroupResult run() {
    CycleInput cycles;
    cycles.instances = members_.size();
    cycles.max_length = input_.max_length;
    cycles.kinds = members_;
    if (input_.admits_path) {
      cycles.admits_path = [this](const std::vector<SkeletonEdge>& path) {
        return input_.admits_path(members_, path);
      };
    }
    cycles.is_late = [this] { return input_.is_late(); };
    for (std::size_t from = 0; from < members_.size(); ++from) {
      cycles.runs_again.push_back(&input_.prepared[members_[from]].runs_again);
      cycles.may_be_undone.push_back(may_be_seen_undone(from));
      conflicts_.emplace_back();
      cycles.conflicts.emplace_back();
      for (std::size_t to = 0; to < members_.size(); ++to) {
        // A transaction has no dependency on itself, but a call may have one on a later one.
        if (from == to && members_.size() > 1) {
          conflicts_.back().push_back(std::make_shared<const ConflictList>());
        } else {
          conflicts_.back().push_back(input_.conflicts_between(members_[from], members_[to]));
        }
        cycles.conflicts.back().push_back(&conflicts_.back().back()->all);
        if (!conflicts_.back().back()->is_complete) result_.is_too_large = true;
      }
    }
    if (cycles.admits_path) leave_out_straight(cycles);
    try {
      enumerate_cycles(cycles, [&](const Skeleton& skeleton) {
        if (group_ && group_->terms().size() > kMostTerms) result_.is_too_large = true;
        result_.is_complete = !input_.is_late() && !result_.is_too_large;
        if (result_.is_complete) see(skeleton);
        const bool is_enough = input_.stops_at_first && !result_.cycles.empty();
        return result_.is_complete && !is_enough;
      });
    } catch (const smt::Abandoned&) {
      result_.is_complete = false;
    }
    // The last question may have been cut short, or no conflicts are known because there was no
    // time to look for them: then nothing that was not found may be taken for not there.
    const bool is_enough = input_.stops_at_first && !result_.cycles.empty();
    if (!is_enough && (input_.is_late() || result_.is_too_large)) result_.is_complete = false;
    if (solver_) result_.counts.checks = solver_->checks();
    if (filter_) result_.counts.checks += filter_->checks();
    return std::move(result_);
  }

 private:
  // Unfolds only when there is a cycle to decide.
  void prepare() {
    if (group_) return;
    group_ = std::make_unique<Group>(input_, members_, while_in_time(input_), nullptr, prefix_);
    formula_ = std::make_unique<CycleFormula>(group_->evaluator(), group_->rows(),
                                              group_->instances(), group_->constraints());
    const std::uint32_t steps = input_.options.solver_steps.value_or(kMaxStepsOfGroup);
    solver_ = std::make_unique<smt::Solver>(group_->terms(), steps, input_.deadline);
    shape_solver_ = std::make_unique<smt::Solver>(group_->terms(), steps, input_.deadline);
    pairs_ = argument_pairs(*group_, input_.program);
    group_->add_facts(*solver_);
    filter_ = std::make_unique<EdgeFilter>(*group_, placed_conflicts(), steps, input_.deadline);
  }

  std::vector<PlacedEdge> placed_conflicts() const {
    std::vector<PlacedEdge> all;
    for (std::size_t from = 0; from < members_.size(); ++from) {
      for (std::size_t to = 0; to < members_.size(); ++to) {
        if (from == to && members_.size() > 1) continue;
        for (const Conflict& conflict : conflicts_[from][to]->all) {
          for (const std::size_t left : events_of(from, conflict.from)) {
            for (const std::size_t right : events_of(to, conflict.to)) {
              all.push_back({&conflict, from, left, to, right});
            }
          }
        }
      }
    }
    return all;
  }

  void see(const Skeleton& skeleton) {
    if (input_.admits && !input_.admits(members_, skeleton)) return;
    if (!needs_sessions(skeleton)) return;
    const std::string cause = rotation_free_text(skeleton, members_);
    if (open_ != nullptr && !open_->contains(cause)) return;
    if (!seen_.insert(cause).second) return;
    std::string operations = operations_text(skeleton);
    if (found_.contains(operations)) return;
    if (open_ == nullptr) ++result_.counts.skeletons;
    prepare();
    std::vector<PlacedEdge> edges;
    for (const SkeletonEdge& edge : skeleton.edges) {
      edges.push_back({edge.conflict, edge.from, 0, edge.to, 0});
    }
    bool refuted = true;
    const bool is_found = place(skeleton, edges, 0, refuted);
    if (refuted && open_ == nullptr) ++result_.counts.refuted;
    if (is_found) found_.insert(std::move(operations));
    if (open_ != nullptr && is_found) open_->erase(cause);
    if (!is_found && !refuted) refused_.insert(cause);
  }

  // What a cycle is: its operations and dependencies. Two statements that meet in several ways on
  // one table, such as on a row and on its unique key, depend on each other once.
  std::string operations_text(const Skeleton& skeleton) const {
    std::vector<std::string> parts;
    for (const SkeletonEdge& edge : skeleton.edges) {
      const Conflict& of = *edge.conflict;
      const StatementForm& from = input_.prepared[members_[edge.from]].statements[of.from].form;
      parts.push_back(fmt::format("{}.{} {}{}{} {}.{} {};", members_[edge.from], of.from,
                                  to_string(of.kind), of.by_lock ? " by lock" : "",
                                  of.reads_inside ? " inside" : "", members_[edge.to], of.to,
                                  from.sources[of.from_source].name));
    }
    return least_rotation(parts);
  }

  // Each session of several calls is entered in its first call and left in its last one: what needs
  // fewer of them is found without the others.
  bool needs_sessions(const Skeleton& skeleton) const {
    for (std::size_t i = 0; i < skeleton.edges.size(); ++i) {
      const SkeletonEdge& in = skeleton.edges[i];
      const SkeletonEdge& out = skeleton.edges[(i + 1) % skeleton.edges.size()];
      const Prepared& session = input_.prepared[members_[in.to]];
      const std::size_t last = session.later_calls.size();
      if (last == 0) continue;
      if (session.call_of(in.conflict->to) != 0) return false;
      if (session.call_of(out.conflict->from) != last) return false;
    }
    return true;
  }

  std::vector<std::size_t> events_of(std::size_t instance, std::size_t statement) const {
    std::vector<std::size_t> events;
    const std::vector<Event>& all = group_->instances()[instance].unfolding->events;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].statement == statement) events.push_back(i);
    }
    return events;
  }

  // Chooses rounds for the statements in loops, edge by edge; true: a placement works.
  bool place(const Skeleton& skeleton, std::vector<PlacedEdge>& edges, std::size_t at,
             bool& refuted) {
    if (at == edges.size()) return is_cycle(edges) && decide(edges, refuted);
    PlacedEdge& edge = edges[at];
    for (const std::size_t from : events_of(edge.from, edge.conflict->from)) {
      edge.from_event = from;
      for (const std::size_t to : events_of(edge.to, edge.conflict->to)) {
        edge.to_event = to;
        if (place(skeleton, edges, at + 1, refuted)) return true;
      }
    }
    return false;
  }

  // Where single transactions are asked about, each is left where it is entered; a session is not
  // left in an earlier call than it is entered in.
  bool is_of_units(const std::vector<PlacedEdge>& edges) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const PlacedEdge& in = edges[i];
      const PlacedEdge& out = edges[(i + 1) % edges.size()];
      const Event& entry = event(in.to, in.to_event);
      const Event& exit = event(out.from, out.from_event);
      const Prepared& of = input_.prepared[members_[in.to]];
      const std::size_t entered = of.call_of(entry.statement);
      const std::size_t left = of.call_of(exit.statement);
      if (entered > left) return false;
      const bool is_one_call = entered == left && input_.options.unit != Unit::session;
      if (is_one_call && entry.transaction != exit.transaction) return false;
    }
    return true;
  }

  // Some transaction is left at another operation than it is entered at, is entered by being rolled
  // back, or passes over a row.
  bool is_cycle(const std::vector<PlacedEdge>& edges) const {
    const std::size_t length = operations_in(edges).size();
    const auto is_enough = [&](const PlacedEdge& edge) {
      return formula_->may_be_withdrawn(edge) || edge.conflict->by_lock;
    };
    const bool may_be = length > edges.size() || std::ranges::any_of(edges, is_enough);
    return may_be && length <= input_.max_length && is_of_units(edges);
  }

  bool decide(const std::vector<PlacedEdge>& edges, bool& refuted) {
    if (formula_->is_ruled_out(edges) || !is_shape_possible(edges)) return false;
    refuted = false;
    if (has_known_conflict(edges) || is_filtered(edges)) return false;
    const std::vector<Scope> scopes = scopes_to_ask();
    for (const Scope scope : scopes) {
      const smt::Satisfiable answer = check(edges, scope, [&](smt::Satisfiable possible) {
        if (scope != scopes.back() || is_cancelled(possible)) return;
        keep(edges, possible == smt::Satisfiable::yes);
        // What kind it is may not have been answered.
        if (input_.is_late()) result_.cycles.pop_back();
        if (possible == smt::Satisfiable::unknown) ++result_.counts.undecided;
      });
      if (answer != smt::Satisfiable::no) continue;
      passed_ = 0;
      learn(edges, scope);
      return false;
    }
    return true;
  }

  // No time was left for an answer, so that the set is not searched to its end.
  bool is_cancelled(smt::Satisfiable answer) const {
    return answer == smt::Satisfiable::unknown && input_.is_late();
  }

  using Scope = CycleFormula::Scope;

  // Asks what holds of all cycles of the group, and learns which dependencies cannot hold together.
  bool is_filtered(const std::vector<PlacedEdge>& edges) {
    // What is left of a group once its conflicts are known mostly holds: the question itself is
    // asked until it says no.
    constexpr std::size_t kEnough = 4;
    if (!input_.options.groups_by_structure || passed_ >= kEnough) return false;
    std::vector<PlacedEdge> few;
    for (const std::size_t place : filter_->conflict_in(edges)) few.push_back(edges[place]);
    passed_ = few.empty() ? passed_ + 1 : 0;
    if (few.empty()) return false;
    if (few.size() < edges.size()) conflicting_.push_back(std::move(few));
    return true;
  }

  // The cheapest first.
  std::vector<Scope> scopes_to_ask() const {
    std::vector<Scope> scopes = {Scope::whole_transactions};
    // What the rows at the beginning hold matters where all that is seen comes from them.
    const bool is_known = input_.is_closed || !group_->constraints().facts.empty();
    if (is_known) scopes.push_back(Scope::every_statement);
    return scopes;
  }

  // Asks whether these dependencies can hold together; `see` may ask more of an answer that is not
  // "no". Where they cannot, core_ has the places of some that are enough for that; the place after
  // the last one stands for what is said of the cycle as a whole.
  smt::Satisfiable check(const std::vector<PlacedEdge>& edges, Scope scope,
                         const std::function<void(smt::Satisfiable)>& see) {
    const std::size_t known = group_->known();
    const bool closes = scope == Scope::every_statement;
    std::vector<RowUse> uses;
    if (closes) group_->rows().record(&uses);
    CycleFormula::Parts parts = formula_->build(edges, scope);
    parts.edges.push_back(parts.whole);
    for (std::size_t i = 0; i < parts.edges.size(); ++i) {
      if (!terms().is_false(parts.edges[i])) continue;
      core_ = {i};
      group_->rows().record(nullptr);
      return smt::Satisfiable::no;
    }
    solver_->push();
    solver_->add(parts.common);
    if (closes) {
      using Others = ClosedWorld::Others;
      ClosedWorld closed(*group_, formula_->order(), uses,
                         input_.is_closed ? Others::absent : Others::possible);
      for (const Term term : closed.close()) solver_->add(term);
    }
    group_->rows().record(nullptr);
    group_->add_facts_since(known, *solver_);
    std::vector<Term> assumed;
    for (std::size_t i = 0; i < parts.edges.size(); ++i) {
      assumed.push_back(terms().symbol(fmt::format("edge {}", i), smt::Sort::truth));
      solver_->add(terms().implies(assumed.back(), parts.edges[i]));
    }
    const smt::Satisfiable answer = solver_->check(assumed);
    core_.clear();
    if (answer == smt::Satisfiable::no) {
      core_ = solver_->core();
    } else {
      has_values_ = answer == smt::Satisfiable::yes;
      if (has_values_) solver_->keep_values();
      for (const Term term : assumed) solver_->add(term);
      see(answer);
    }
    solver_->pop();
    return answer;
  }

  // Dependencies that cannot hold together, whatever else the cycle has.
  void learn(const std::vector<PlacedEdge>& edges, Scope scope) {
    if (core_.size() >= edges.size() || !input_.options.groups_by_structure) return;
    std::vector<PlacedEdge> few;
    for (const std::size_t place : core_) {
      if (place == edges.size()) return;
      few.push_back(edges[place]);
    }
    // The core may have needed what is said of the operations of the others.
    const smt::Satisfiable answer = check(few, scope, [](smt::Satisfiable) {});
    const bool needs_whole = std::ranges::find(core_, few.size()) != core_.end();
    if (answer == smt::Satisfiable::no && !needs_whole) conflicting_.push_back(few);
  }

  bool has_known_conflict(const std::vector<PlacedEdge>& edges) const {
    return std::ranges::any_of(conflicting_, [&](const std::vector<PlacedEdge>& few) {
      return std::ranges::all_of(few, [&](const PlacedEdge& edge) {
        return std::ranges::find(edges, edge) != edges.end();
      });
    });
  }

  bool is_shape_possible(const std::vector<PlacedEdge>& edges) {
    const std::string shape = formula_->shape(edges);
    if (input_.options.groups_by_structure) {
      if (const auto known = shapes_.find(shape)) return *known;
    }
    shape_solver_->push();
    shape_solver_->add(formula_->order_alone(edges));
    const bool possible = shape_solver_->check() != smt::Satisfiable::no;
    shape_solver_->pop();
    shapes_.add(shape, possible);
    return possible;
  }

  void keep(const std::vector<PlacedEdge>& edges, bool is_decided) {
    FoundCycle cycle;
    cycle.is_decided = is_decided;
    cycle.prefix = prefix_;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const PlacedEdge& in = edges[(i + edges.size() - 1) % edges.size()];
      const PlacedEdge& out = edges[i];
      const FoundNode entry = group_->node(out.from, in.to_event, in.conflict->to_part());
      const FoundNode exit = group_->node(out.from, out.from_event, out.conflict->from_part());
      cycle.nodes.push_back(entry);
      FoundEdge edge;
      edge.kind = out.conflict->kind;
      edge.by_lock = out.conflict->by_lock;
      edge.predicate = edge.kind == DependencyKind::rw && makes_row(out, i);
      const StatementForm& from = *event(out.from, out.from_event).form;
      const StatementForm& to = *event(out.to, out.to_event).form;
      edge.table = input_.conflicts->table_of(from, to, *out.conflict);
      edge.columns = input_.conflicts->columns_of(from, to, *out.conflict);
      if (!(exit == entry)) cycle.nodes.push_back(exit);
      edge.to = cycle.nodes.size();
      edge.from = edge.to - 1;
      cycle.edges.push_back(std::move(edge));
    }
    cycle.edges.back().to = 0;
    cycle.kind = kind_found(cycle, edges);
    cycle.is_core = is_core(cycle.nodes.size(), edges);
    cycle.equal_arguments = needed_equalities(
        pairs_, terms(), [this](Term condition) { return is_possible_with(condition); });
    result_.cycles.push_back(std::move(cycle));
  }

  // Asks only what decides.
  AnomalyKind kind_found(const FoundCycle& cycle, const std::vector<PlacedEdge>& edges) {
    if (needs_rollback(edges)) return AnomalyKind::aborted_read;
    const AnomalyKind of_one_row = kind_of(cycle, true);
    const AnomalyKind of_several = kind_of(cycle, false);
    return of_one_row == of_several || is_about_one_row(edges) ? of_one_row : of_several;
  }

  // Whether a transaction of it may be rolled back after another one has seen what it wrote.
  bool may_be_seen_undone(std::size_t instance) const {
    if (!input_.prepared[members_[instance]].may_be_undone) return false;
    for (std::size_t other = 0; other < members_.size(); ++other) {
      const std::size_t member = members_[other];
      if (other == instance) continue;
      for (std::size_t i = 0; i < input_.prepared[member].statements.size(); ++i) {
        if (shows_uncommitted(level_at(input_, member, i))) return true;
      }
    }
    return false;
  }

  // Whether what somebody sees in it cannot but be rolled back.
  bool needs_rollback(const std::vector<PlacedEdge>& edges) {
    std::vector<Term> stay;
    for (const PlacedEdge& edge : edges) {
      if (edge.conflict->kind == DependencyKind::ww) continue;
      const bool reads_first = edge.conflict->kind == DependencyKind::rw;
      const Event& writer =
          reads_first ? event(edge.to, edge.to_event) : event(edge.from, edge.from_event);
      const AppliedLevel level = reads_first
                                     ? group_->instances()[edge.from].levels[edge.from_event]
                                     : group_->instances()[edge.to].levels[edge.to_event];
      if (terms().is_false(writer.undone) || !shows_uncommitted(level)) continue;
      stay.push_back(lasts(writer, terms()));
    }
    return !stay.empty() && !is_possible_with(terms().all(stay));
  }

  // Whether the row that a rw is about is one that the reader did not find, and the writer makes.
  bool makes_row(const PlacedEdge& edge, std::size_t at) {
    const StatementForm& writer = *event(edge.to, edge.to_event).form;
    if (writer.kind != StatementKind::insert) return false;
    return !writer.updates_row() || !is_possible_with(formula_->finds(edge, formula_->keys()[at]));
  }

  const std::string& table_of(const PlacedEdge& edge) const {
    return event(edge.from, edge.from_event).form->sources[edge.conflict->from_source].name;
  }

  // Whether the formula in the solver and this can hold together.
  bool is_possible_with(Term condition) {
    if (terms().is_false(condition)) return false;
    solver_->push();
    solver_->add(condition);
    const smt::Satisfiable answer = solver_->check();
    solver_->pop();
    return answer != smt::Satisfiable::no;
  }

  Terms& terms() { return group_->terms(); }
  const Event& event(std::size_t instance, std::size_t index) const {
    return group_->event(instance, index);
  }

  // Statements that name their rows by keys meet on one row if they must; others if they may.
  bool is_about_one_row(const std::vector<PlacedEdge>& edges) {
    bool all_named = true;
    for (const PlacedEdge& edge : edges) {
      if (table_of(edge) != table_of(edges[0])) return false;
      all_named = all_named && event(edge.from, edge.from_event).is_pinned &&
                  event(edge.to, edge.to_event).is_pinned;
    }
    std::vector<Term> same;
    for (const RowKey& key : formula_->keys()) {
      same.push_back(group_->rows().same_key(formula_->keys()[0], key));
    }
    const Term one = terms().all(same);
    return all_named ? !is_possible_with(terms().negate(one)) : is_possible_with(one);
  }

  // A core: it can happen without any shorter cycle of its operations.
  bool is_core(std::size_t length, const std::vector<PlacedEdge>& edges) {
    std::vector<std::pair<PlacedEdge, Term>> known;
    const auto within = [&](const PlacedEdge& edge) {
      const auto found = std::ranges::find(known, edge, &std::pair<PlacedEdge, Term>::first);
      if (found != known.end()) return found->second;
      return known.emplace_back(edge, formula_->holds_within(edge)).second;
    };
    std::vector<Term> shorter;
    for (const std::vector<PlacedEdge>& inner : inner_cycles(length, edges)) {
      if (formula_->is_ruled_out(inner)) continue;
      std::vector<Term> holds;
      for (const PlacedEdge& edge : inner) holds.push_back(within(edge));
      shorter.push_back(terms().all(holds));
    }
    if (shorter.empty()) return true;
    const Term none = terms().negate(terms().any(shorter));
    // Mostly the values that let it happen do that.
    return (has_values_ && solver_->is_true_by_kept_values(none)) || is_possible_with(none);
  }

  // Shorter cycles through some of the operations of one.
  std::vector<std::vector<PlacedEdge>> inner_cycles(std::size_t length,
                                                    const std::vector<PlacedEdge>& edges) const {
    std::vector<std::vector<PlacedEdge>> found;
    std::vector<PlacedEdge> chosen;
    const std::vector<PlacedEdge> all = edges_among(edges);
    extend_inner(all, length, chosen, found);
    return found;
  }

  void extend_inner(const std::vector<PlacedEdge>& all, std::size_t length,
                    std::vector<PlacedEdge>& chosen,
                    std::vector<std::vector<PlacedEdge>>& found) const {
    if (chosen.size() >= 2 && chosen.back().to == chosen.front().from) {
      if (is_cycle(chosen) && operations_in(chosen).size() < length) found.push_back(chosen);
      return;
    }
    for (const PlacedEdge& edge : all) {
      // The first transaction is the smallest, so that no cycle comes by its rotations.
      const bool goes_on =
          chosen.empty() || (edge.from == chosen.back().to && edge.to >= chosen.front().from);
      const bool comes_again = std::ranges::any_of(
          chosen, [&](const PlacedEdge& before) { return before.to == edge.to; });
      if (!goes_on || comes_again) continue;
      chosen.push_back(edge);
      extend_inner(all, length, chosen, found);
      chosen.pop_back();
    }
  }

  // All dependencies that the operations of a cycle may have.
  std::vector<PlacedEdge> edges_among(const std::vector<PlacedEdge>& edges) const {
    std::vector<PlacedEdge> all;
    const std::vector<PlacedOperation> operations = operations_in(edges);
    for (const PlacedOperation& from : operations) {
      for (const PlacedOperation& to : operations) {
        if (from.instance == to.instance) continue;
        const std::size_t source = event(from.instance, from.event).statement;
        const std::size_t target = event(to.instance, to.event).statement;
        for (const Conflict& conflict : conflicts_[from.instance][to.instance]->all) {
          if (conflict.from == source && conflict.to == target &&
              conflict.from_part() == from.part && conflict.to_part() == to.part) {
            all.push_back({&conflict, from.instance, from.event, to.instance, to.event});
          }
        }
      }
    }
    return all;
  }

  const SearchInput& input_;
  std::vector<std::size_t> members_;
  std::vector<std::size_t> prefix_;
  std::set<std::string>* open_;
  std::set<std::string> refused_;
  std::vector<std::vector<std::shared_ptr<const ConflictList>>> conflicts_;  // by members
  std::unique_ptr<Group> group_;
  std::vector<ArgumentPair> pairs_;
  std::unique_ptr<CycleFormula> formula_;
  std::unique_ptr<EdgeFilter> filter_;
  std::unique_ptr<smt::Solver> solver_;
  std::unique_ptr<smt::Solver> shape_solver_;
  std::size_t passed_ = 0;   // so many in turn were let pass by the filter, and held
  bool has_values_ = false;  // the solver has kept what lets the cycle happen
  std::set<std::string> seen_;
  std::set<std::string> found_;  // operations_text() of these
  std::vector<std::size_t> core_;
  std::vector<std::vector<PlacedEdge>> conflicting_;
  Shapes& shapes_;
  GroupResult result_;
};

void add(GroupResult& result, GroupResult more) {
  std::ranges::move(more.cycles, std::back_inserter(result.cycles));
  result.counts.checks += more.counts.checks;
  result.counts.undecided += more.counts.undecided;
  result.is_complete = result.is_complete && more.is_complete;
  result.is_too_large = result.is_too_large || more.is_too_large;
}

}  // namespace

// The fewest calls before a cycle are asked about first.
GroupResult search_group(const SearchInput& input, Shapes& shapes,
                         const std::vector<std::size_t>& members) {
  GroupSearch plain(input, shapes, members);
  GroupResult result = plain.run();
  std::set<std::string> open = plain.take_refused();
  for (std::size_t calls = 1; calls <= input.max_prefix; ++calls) {
    if (open.empty()) break;
    for (std::vector<std::size_t>& prefix : prefixes_of(input, members, calls)) {
      const bool is_enough = input.stops_at_first && !result.cycles.empty();
      if (open.empty() || is_enough || !result.is_complete) break;
      add(result, GroupSearch(input, shapes, members, std::move(prefix), &open).run());
    }
  }
  return result;
}

}  // namespace heddle::find
