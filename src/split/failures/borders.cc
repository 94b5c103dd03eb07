#include "split/failures/borders.h"

#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "find/terms/group.h"
#include "smt/solver.h"

namespace heddle::failures {

namespace {

// For one question to the solver.
constexpr std::uint32_t kMaxSteps = 1'000'000;

class BorderFinder {
 public:
  BorderFinder(std::size_t functionality, const ChoppedProgram& chopped,
               const find::SearchInput& input)
      : origins_(chopped.origins[functionality]),
        group_(input, {functionality}, {.rounds = input.options.rounds}),
        events_(group_.instances().front().unfolding->events),
        solver_(group_.terms(), kMaxSteps) {
    group_.add_facts(solver_);
    const std::vector<SubTransaction>& subs = chopped.sub_transactions[functionality];
    for (std::size_t i = 0; i < subs.size(); ++i) {
      for (const std::size_t statement : subs[i].statements) sub_of_[statement] = i;
    }
  }

  std::vector<Border> find() {
    std::vector<Border> borders;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].form->kind != StatementKind::commit) continue;
      std::optional<Border> border = border_at(i);
      if (border && !border->after.empty()) borders.push_back(*std::move(border));
    }
    if (std::optional<Border> end = border_at(events_.size())) borders.push_back(*std::move(end));
    return borders;
  }

 private:
  // None: no sub-transaction ends there.
  std::optional<Border> border_at(std::size_t place) {
    const auto last = last_before(place);
    if (!last) return std::nullopt;
    Border border{.commit = {}, .sub_transaction = *last, .before = {}, .after = {}};
    if (place < events_.size()) {
      border.commit = placed(events_[place]);
      border.is_in_uncut = origins_[events_[place].statement].has_value();
    }
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (i == place || !sub_of_.contains(events_[i].statement)) continue;
      if (!may_both_run(i, place)) continue;
      (i < place ? border.before : border.after).push_back(placed(events_[i]));
    }
    return border;
  }

  // The sub-transaction that is open there. A rollback leaves none.
  std::optional<std::size_t> last_before(std::size_t place) {
    for (std::size_t i = place; i-- > 0;) {
      if (!may_both_run(i, place)) continue;
      const StatementKind kind = events_[i].form->kind;
      if (kind == StatementKind::commit || kind == StatementKind::rollback) {
        if (always_runs_before(i, place)) return std::nullopt;
        continue;
      }
      const auto sub = sub_of_.find(events_[i].statement);
      if (sub != sub_of_.end()) return sub->second;
    }
    return std::nullopt;
  }

  bool may_both_run(std::size_t a, std::size_t b) {
    const find::Term own = events_[a].guard;
    return may_hold(b < events_.size() ? group_.terms().all(own, events_[b].guard) : own);
  }

  bool always_runs_before(std::size_t a, std::size_t b) {
    find::Terms& terms = group_.terms();
    const find::Term misses = terms.negate(events_[a].guard);
    return !may_hold(b < events_.size() ? terms.all(events_[b].guard, misses) : misses);
  }

  // What the solver does not decide may.
  bool may_hold(find::Term condition) {
    find::Terms& terms = group_.terms();
    if (terms.is_constant(condition)) return terms.is_true(condition);
    const auto [known, is_new] = known_.try_emplace(condition, true);
    if (is_new) {
      const find::Term name =
          terms.symbol(fmt::format("asked {}", known_.size()), smt::Sort::truth);
      solver_.add(terms.implies(name, condition));
      known->second = solver_.check({name}) != smt::Satisfiable::no;
    }
    return known->second;
  }

  static PlacedStatement placed(const find::Event& event) {
    return {.statement = event.statement, .rounds = event.rounds};
  }

  const std::vector<std::optional<std::size_t>>& origins_;
  std::map<std::size_t, std::size_t> sub_of_;  // of statements
  find::Group group_;
  const std::vector<find::Event>& events_;
  smt::Solver solver_;
  std::map<find::Term, bool> known_;
};

}  // namespace

std::vector<Border> borders_of(std::size_t functionality, const ChoppedProgram& chopped,
                               const find::SearchInput& input) {
  return BorderFinder(functionality, chopped, input).find();
}

}  // namespace heddle::failures
