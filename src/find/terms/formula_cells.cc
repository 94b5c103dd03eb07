// What a transaction sees in a row again, which it has looked at before.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "find/terms/formula.h"
#include "find/terms/row_effects.h"
#include "find/terms/sight.h"

namespace heddle::find {

namespace {

bool has_any(const std::vector<std::string>& columns) {
  return std::ranges::find(columns, "*") != columns.end();
}

void add_named_columns(const Expression& expression, std::size_t source,
                       std::set<std::string>& columns) {
  if (source_of(expression) == source) columns.insert(expression.text);
  for (const Expression& operand : expression.operands) add_named_columns(operand, source, columns);
}

// Columns that decide whether the statement finds a row, also by a query within it.
std::set<std::string> deciding_columns(const StatementForm& form, std::size_t source) {
  const auto& named = form.sources[source].predicate_columns;
  std::set<std::string> columns(named.begin(), named.end());
  for (const auto& [at, condition] : form.joined_by) {
    if (at == source) add_named_columns(condition, source, columns);
  }
  for (const auto& [at, condition] : form.absences) {
    if (at == source) add_named_columns(condition, source, columns);
  }
  columns.erase("*");
  return columns;
}

// Those that decide of both; of one that takes a row, those that decide whether the first one finds
// it.
std::vector<std::string> columns_of_both(const StatementForm& first, std::size_t s,
                                         const StatementForm& second, std::size_t t) {
  const std::set<std::string> others = deciding_columns(second, t);
  std::vector<std::string> columns;
  for (const std::string& column : deciding_columns(first, s)) {
    if (others.contains(column) || takes(second.sources[t])) columns.push_back(column);
  }
  return columns;
}

}  // namespace

// How a later statement of a session sees rows that an earlier one has looked at.
CycleFormula::SecondLook CycleFormula::second_look(const OrderPoint& first, std::size_t s,
                                                   const OrderPoint& second, std::size_t t) const {
  if (!is_timed(first.level) || !is_timed(second.level)) return SecondLook::open;
  if (reads_uncommitted(second.level) || sees_anything(second.level)) return SecondLook::open;
  const bool is_same = first.transaction == second.transaction;
  const bool is_repeatable = has_axiom(second.level, Axiom::repeatable_visibility);
  if (is_repeatable && is_same) return SecondLook::same;
  // Transactions that are open at the same time may have older snapshots.
  if (is_repeatable) return second.span ? SecondLook::open : SecondLook::later;
  if (!has_axiom(second.level, Axiom::plain_read_snapshot)) return SecondLook::later;
  const bool takes_first = takes(event(first.instance, first.event).form->sources[s]);
  const bool takes_second = takes(event(second.instance, second.event).form->sources[t]);
  if (takes_second) return SecondLook::later;
  if (!is_same) return second.span ? SecondLook::open : SecondLook::later;
  return takes_first ? SecondLook::open : SecondLook::same;
}

// What further calls of the functionalities in sight may leave in that column where they change a
// row: every UPDATE sets it to one of these. None: to anything. Others are taken to leave it alone.
std::optional<std::vector<SqlValue>> CycleFormula::values_left(const RowSource& of,
                                                               const std::string& column,
                                                               const RowKey& key) {
  std::vector<SqlValue> values;
  for (const Instance& instance : instances_) {
    for (const Event& one : instance.unfolding->events) {
      for (std::size_t s = 0; s < one.form->sources.size(); ++s) {
        const RowSource& source = one.form->sources[s];
        if (!source.is_written || source.name != of.name) continue;
        if (has_any(source.written_columns) || one.form->updates_row()) return std::nullopt;
        if (!one.form->updates_rows(s)) continue;
        const auto value = effects_.written(one, s, column, key);
        if (!value) continue;
        if (!terms_.is_constant(value->value) || !terms_.is_constant(value->is_null)) {
          return std::nullopt;
        }
        values.push_back(*value);
      }
    }
  }
  // Somebody may take the row away and put another one in its place.
  if (rows_.ever_loses_rows(of) && rows_.ever_changes_rows(of)) return std::nullopt;
  return values;
}

Term CycleFormula::same_cell(const SqlValue& a, const SqlValue& b) {
  return terms_.all(terms_.equal(a.is_null, b.is_null),
                    terms_.any(a.is_null, evaluator_.compare("=", a, b).holds));
}

// The second statement sees what the first one saw in the column, or what somebody wrote there whom
// it sees.
Term CycleFormula::sees_again(const Look& first, const Look& second, SecondLook look,
                              const std::string& column, const RowKey& key, Order& order) {
  const OrderPoint& at = order.points()[second.point];
  const RowSource& source = second.of();
  const SqlValue now = rows_.cell(second.viewer(), source, column, key);
  std::vector<Term> ways = {same_cell(rows_.cell(first.viewer(), first.of(), column, key), now),
                            terms_.negate(rows_.exists(first.viewer(), first.of(), key)),
                            terms_.negate(rows_.exists(second.viewer(), source, key))};
  for (std::size_t w = 0; w < order.points().size(); ++w) {
    const OrderPoint& writer = order.points()[w];
    if (w == second.point || !writer.writes) continue;
    const bool is_own = writer.instance == at.instance;
    const bool may_be_undone =
        is_own && !terms_.is_false(event(writer.instance, writer.event).undone);
    // What the first one saw of it may be gone.
    if (may_be_undone) return terms_.truth(true);
    if (is_own ? writer.event >= at.event : look == SecondLook::same) continue;
    const Event& change = event(writer.instance, writer.event);
    for (std::size_t s = 0; s < change.form->sources.size(); ++s) {
      const RowSource& target = change.form->sources[s];
      if (!target.is_written || target.name != source.name) continue;
      if (has_any(target.written_columns)) return terms_.truth(true);
      const auto value = effects_.written(change, s, column, key);
      if (!value) continue;
      const Term is_seen =
          is_own ? terms_.truth(true)
                 : terms_.any(order.sees(w, second.point), order.sees_now(w, second.point));
      ways.push_back(terms_.all(
          {writer.runs, is_seen, effects_.touches(change, s, key), same_cell(*value, now)}));
    }
  }
  if (look == SecondLook::later) {
    const auto values = values_left(source, column, key);
    if (!values) return terms_.truth(true);
    for (const SqlValue& value : *values) ways.push_back(same_cell(value, now));
  }
  return terms_.any(ways);
}

// Whoever changes or locks a row that others have changed since his snapshot is refused, and nobody
// changes it until he ends: who looks at the row in between sees what he saw.
void CycleFormula::add_unchanged(Order& order, std::size_t looking, std::size_t taking,
                                 std::vector<Term>& holds) {
  const OrderPoint looks = order.points()[looking];
  const OrderPoint keeps = order.points()[taking];
  const bool looks_back = has_axiom(looks.level, Axiom::repeatable_visibility);
  if (!is_timed(looks.level) || !has_axiom(keeps.level, Axiom::first_committer_wins) ||
      !has_axiom(keeps.level, Axiom::repeatable_visibility) || reads_uncommitted(looks.level)) {
    return;
  }
  const Event& looker = event(looks.instance, looks.event);
  const Event& taker = event(keeps.instance, keeps.event);
  const Term when = order.times(looking).snapshot;
  const Term is_between = terms_.all(
      {looks.runs, keeps.runs, terms_.negate(terms_.less(when, order.times(taking).snapshot)),
       terms_.less(when, order.end(taking))});
  for (std::size_t t = 0; t < taker.form->sources.size(); ++t) {
    const RowSource& taken = taker.form->sources[t];
    if (!takes(taken) || !taken.is_named() || taken.keeps_key || taker.form->makes(t)) continue;
    if (has_written_before(looks, taken.name) || has_written_before(keeps, taken.name)) continue;
    for (std::size_t s = 0; s < looker.form->sources.size(); ++s) {
      const RowSource& seen = looker.form->sources[s];
      if (seen.name != taken.name || !seen.is_named() || (takes(seen) && !looks_back)) continue;
      for (std::size_t k = 0; k < keys_.size(); ++k) {
        if (tables_[k] != taken.name) continue;
        const Term meets = terms_.all(is_between, effects_.touches(taker, t, keys_[k]));
        holds.push_back(terms_.implies(
            meets, see_the_same({&looker, s, looking}, {&taker, t, taking}, keys_[k])));
      }
    }
  }
}

// In what decides whether the first one finds the row.
Term CycleFormula::see_the_same(const Look& one, const Look& other, const RowKey& key) {
  std::vector<Term> equal;
  for (const std::string& column : deciding_columns(*one.event->form, one.source)) {
    if (!rows_.updates(one.of(), column)) continue;
    equal.push_back(same_cell(rows_.cell(one.viewer(), one.of(), column, key),
                              rows_.cell(other.viewer(), other.of(), column, key)));
  }
  return terms_.all(equal);
}

// Of the rows on which edges meet. Only what decides whether a row is found: a lock is one of the
// rows that are, and nothing else would tell that what is found behind it was found by it, too.
void CycleFormula::add_seen_cells(Order& order, std::vector<Term>& holds) {
  for (std::size_t b = 0; b < order.points().size(); ++b) {
    for (std::size_t a = 0; a < order.points().size(); ++a) {
      const OrderPoint first = order.points()[a];
      const OrderPoint second = order.points()[b];
      if (first.instance != second.instance) {
        add_unchanged(order, a, b, holds);
      } else if (first.event < second.event) {
        add_second_look(order, a, b, holds);
      }
    }
  }
}

void CycleFormula::add_second_look(Order& order, std::size_t a, std::size_t b,
                                   std::vector<Term>& holds) {
  const OrderPoint first = order.points()[a];
  const OrderPoint second = order.points()[b];
  const Event& earlier = event(first.instance, first.event);
  const Event& later = event(second.instance, second.event);
  for (std::size_t s = 0; s < earlier.form->sources.size(); ++s) {
    const RowSource& one = earlier.form->sources[s];
    for (std::size_t t = 0; t < later.form->sources.size(); ++t) {
      const RowSource& other = later.form->sources[t];
      if (one.name != other.name || one.is_checked() || other.is_checked()) continue;
      const SecondLook look = second_look(first, s, second, t);
      if (look == SecondLook::open) continue;
      for (const std::string& column : columns_of_both(*earlier.form, s, *later.form, t)) {
        if (!rows_.updates(other, column)) continue;
        for (std::size_t k = 0; k < keys_.size(); ++k) {
          if (tables_[k] != other.name) continue;
          const Look before{.event = &earlier, .source = s, .point = a};
          const Look behind{.event = &later, .source = t, .point = b};
          holds.push_back(
              terms_.implies(terms_.all(first.runs, second.runs),
                             sees_again(before, behind, look, column, keys_[k], order)));
        }
      }
    }
  }
}

}  // namespace heddle::find
