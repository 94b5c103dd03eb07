// Rounds of loops that are attempts at one thing (src/program/retries.h). An attempt that came to
// nothing is left out of what the functionality does, so that one round stands for however many
// there are; what the last one of them read counts where the functionality then gives up.
#include <algorithm>
#include <array>

#include "find/terms/unfolder.h"

namespace heddle::find {

namespace {

bool leaves_rows_alone(StatementKind kind) {
  using enum StatementKind;
  static constexpr std::array<StatementKind, 9> kKinds = {
      select,           begin,      commit,          rollback,
      savepoint,        lock_table, set_transaction, rollback_to_savepoint,
      release_savepoint};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

}  // namespace

const program::Retry* Unfolder::retry_of(const Block& body) {
  if (!retries_) retries_ = program::retries(functionality_);
  const auto known = retries_->find(&body);
  return known == retries_->end() ? nullptr : &known->second;
}

// They have counted any number of rounds.
void Unfolder::forget(const std::set<std::string>& counters) {
  for (const std::string& name : counters) {
    havoc({Expression{.kind = ExpressionKind::variable, .text = name, .operands = {}}});
  }
}

Term Unfolder::is_same(const SqlValue& a, const SqlValue& b) {
  if (a.value == b.value && a.is_null == b.is_null) return terms_.truth(true);
  if (terms_.sort(a.value) != terms_.sort(b.value)) {
    return terms_.all(a.is_null, b.is_null);
  }
  return terms_.any(terms_.all(a.is_null, b.is_null),
                    terms_.all({terms_.negate(a.is_null), terms_.negate(b.is_null),
                                terms_.equal(a.value, b.value)}));
}

Term Unfolder::is_same(const Binding& a, const Binding& b) {
  if (a.has_any_fields != b.has_any_fields) return terms_.truth(false);
  std::vector<Term> all = {is_same(a.value, b.value)};
  for (const auto* one : {&a, &b}) {
    for (const auto& [column, value] : one->fields) {
      all.push_back(is_same(field_of(a, column), field_of(b, column)));
    }
  }
  return terms_.all(all);
}

// Whether all that a round may read has its old value.
Term Unfolder::is_unchanged(const program::Retry& retry, const Point& start) {
  std::vector<Term> all;
  for (const std::string& name : retry.kept) {
    const auto then = start.bindings.find(name);
    const auto now = now_.bindings.find(name);
    const bool was = then != start.bindings.end();
    if (was != (now != now_.bindings.end())) return terms_.truth(false);
    if (was) all.push_back(is_same(then->second, now->second));
  }
  return terms_.all(all);
}

// Whether something that these events wrote is still there.
Term Unfolder::keeps_something(std::size_t first) {
  std::vector<Term> any;
  for (std::size_t i = first; i < result_.events.size(); ++i) {
    const Event& event = result_.events[i];
    const bool is_plain = !event.form->is_unknown;
    const bool writes = event.form->writes();
    if (is_plain && !writes && leaves_rows_alone(event.form->kind)) continue;
    const Term undone = options_.shows_undone ? terms_.truth(false) : event.undone;
    // An INSERT that finds a row with its keys has made none.
    const auto in_its_way =
        event.form->checks_keys ? effects_.is_in_its_way(event) : std::optional<Term>();
    const Term refused = terms_.any(event.refused, in_its_way.value_or(terms_.truth(false)));
    const Term did =
        is_plain && writes
            ? terms_.all({event.has_result, terms_.negate(undone), terms_.negate(refused)})
            : terms_.truth(true);
    any.push_back(terms_.all(event.guard, did));
  }
  return terms_.any(any);
}

// The transaction that was open before the round has to be the one that is open behind it, or one
// in which nothing has happened.
void Unfolder::leave_out_attempt(const program::Retry& retry, const Round& round) {
  const bool has_ended =
      now_.transaction != round.start.transaction || now_.others != round.start.others;
  if (now_.tears > round.tears || (has_ended && round.start.is_begun)) return;
  const Term nothing =
      terms_.all(is_unchanged(retry, round.start), terms_.negate(keeps_something(round.events)));
  Point rest = now_;
  now_.live = bounded(terms_.all(now_.live, nothing));
  if (terms_.is_false(now_.live)) {
    now_ = std::move(rest);
    return;
  }
  rest.live = bounded(terms_.all(rest.live, terms_.negate(nothing)));
  give_up_after(retry, round);
  now_ = std::move(rest);
}

// Either the loop ends here, or another round does so before its first statement, or there is
// another attempt, in place of which that one stands.
void Unfolder::give_up_after(const program::Retry& retry, const Round& round) {
  forget(retry.counters);
  const Term goes_on = round.enter(kSomeLaterRound);
  Point out = now_;
  out.live = terms_.all(now_.live, terms_.negate(goes_on));
  frames_.back().left.push_back(std::move(out));
  now_.live = bounded(terms_.all(now_.live, goes_on));
  Term stays = now_.live;
  if (retry.gives_up_inside) {
    const std::optional<Term> outer = std::exchange(cut_, terms_.truth(false));
    walk(round.body);
    stays = terms_.any(*cut_, now_.live);
    for (const Point& again : std::exchange(frames_.back().again, {})) {
      stays = terms_.any(stays, again.live);
    }
    cut_ = outer;
  }
  result_.facts.push_back(terms_.negate(bounded(stays)));
}

}  // namespace heddle::find
