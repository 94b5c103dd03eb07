#include "split/failures/borders.h"

#include <map>

#include "find/group.h"

namespace heddle::failures {

namespace {

class BorderFinder {
 public:
  BorderFinder(std::size_t functionality, const ChoppedProgram& chopped,
               const find::SearchInput& input)
      : origins_(chopped.origins[functionality]),
        group_(input, {functionality}, {.rounds = input.options.rounds}),
        events_(group_.instances().front().unfolding->events) {
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
    find::Terms& terms = group_.terms();
    const find::Term own = events_[a].guard;
    return !terms.is_false(b < events_.size() ? terms.all(own, events_[b].guard) : own);
  }

  bool always_runs_before(std::size_t a, std::size_t b) {
    find::Terms& terms = group_.terms();
    if (b == events_.size()) return terms.is_true(events_[a].guard);
    return terms.is_false(terms.all(events_[b].guard, terms.negate(events_[a].guard)));
  }

  static PlacedStatement placed(const find::Event& event) {
    return {.statement = event.statement, .rounds = event.rounds};
  }

  const std::vector<std::optional<std::size_t>>& origins_;
  std::map<std::size_t, std::size_t> sub_of_;  // of statements
  find::Group group_;
  const std::vector<find::Event>& events_;
};

}  // namespace

std::vector<Border> borders_of(std::size_t functionality, const ChoppedProgram& chopped,
                               const find::SearchInput& input) {
  return BorderFinder(functionality, chopped, input).find();
}

}  // namespace heddle::failures
