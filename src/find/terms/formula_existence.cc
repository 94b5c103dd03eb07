// Which rows there are: who makes and deletes them, who sees that, and who waits because of it.
#include <algorithm>
#include <utility>
#include <vector>

#include "find/forms/expressions.h"
#include "find/terms/formula.h"
#include "find/terms/row_effects.h"

namespace heddle::find {

// Who makes or deletes the row, and whether the viewer sees that.
std::vector<CycleFormula::RowChange> CycleFormula::row_changes(const Event& viewer,
                                                               const RowSource& of,
                                                               std::size_t point, const RowKey& key,
                                                               Order& order) {
  const Sights sights = sights_of(viewer, of, order.points()[point].level);
  std::vector<RowChange> changes;
  for (std::size_t at = 0; at < order.points().size(); ++at) {
    const Event& other = event(order.points()[at].instance, order.points()[at].event);
    for (std::size_t s = 0; s < other.form->sources.size(); ++s) {
      const RowSource& target = other.form->sources[s];
      if (!target.is_written || target.name != of.name || other.form->updates_rows(s)) continue;
      if (at == point) continue;
      const Term touched = terms_.all({order.is_there(at, point), effects_.touches(other, s, key),
                                       terms_.negate(effects_.changes_instead(other, s, key))});
      const bool makes = other.form->makes(s);
      const Sight sight = makes ? sights.others : sights.found;
      const Term now = of.is_in_the_way() ? order.finds_referring(at, point)
                       : makes            ? order.sees_now(at, point)
                                          : order.knows_gone(at, point);
      const Term early = sight == Sight::newest ? now : order.sees(at, point);
      const Term late = sight == Sight::snapshot ? early : now;
      changes.push_back({.point = at,
                         .makes = makes,
                         .may_be_seen = terms_.all(touched, terms_.any(early, late)),
                         .must_be_seen = terms_.all({touched, early, late})});
    }
  }
  return changes;
}

// A row is there because it was from the beginning, or because somebody made it, and nobody whom
// the viewer sees deleted it afterwards. A statement may see some rows as they were and others as
// they are.
Term CycleFormula::existence(const Event& viewer, std::size_t point, std::size_t source,
                             const RowKey& key, Order& order) {
  const RowSource& of = viewer.form->sources[source];
  if (!rows_.changes_rows(of)) return terms_.truth(true);
  const std::vector<RowChange> changes = row_changes(viewer, of, point, key, order);
  const Term there = rows_.exists(viewer_at(viewer, source), of, key);
  std::vector<Term> stays = {rows_.exists("", of, key)};
  std::vector<Term> goes = {terms_.negate(stays[0])};
  std::vector<Term> made;
  std::vector<Term> gone;
  for (const RowChange& change : changes) {
    if (!change.makes) {
      stays.push_back(terms_.negate(change.must_be_seen));
      goes.push_back(change.may_be_seen);
      continue;
    }
    std::vector<Term> kept = {change.may_be_seen};
    std::vector<Term> lost = {terms_.negate(change.must_be_seen)};
    for (const RowChange& later : changes) {
      if (later.makes) continue;
      const Term in_order = order.before(change.point, later.point);
      kept.push_back(terms_.negate(terms_.all(later.must_be_seen, in_order)));
      lost.push_back(terms_.all(later.may_be_seen, in_order));
    }
    made.push_back(terms_.all(kept));
    gone.push_back(terms_.any(lost));
  }
  made.push_back(terms_.all(stays));
  gone.push_back(terms_.any(goes));
  return terms_.all(terms_.implies(there, terms_.any(made)), terms_.any(there, terms_.all(gone)));
}

// Who makes and deletes rows of the edges' tables counts, even where nobody has to see it.
void CycleFormula::add_row_changes(const std::vector<PlacedEdge>& edges, Order& order) {
  const auto is_met_on = [&](const std::string& table) {
    return std::ranges::any_of(edges,
                               [&](const PlacedEdge& edge) { return table_of(edge) == table; });
  };
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    for (std::size_t e = 0; e < instances_[i].unfolding->events.size(); ++e) {
      if (!may_run(i, e)) continue;
      const StatementForm& form = *event(i, e).form;
      for (std::size_t s = 0; s < form.sources.size(); ++s) {
        const RowSource& source = form.sources[s];
        const bool changes = source.is_written && !form.updates_rows(s) && is_met_on(source.name);
        if (changes) order.add(point_of(i, e));
      }
    }
  }
}

// For all statements that use the table of one of the rows; where keys are looked for that others
// have taken, only if an edge is about that.
void CycleFormula::add_existence(const std::vector<PlacedEdge>& edges, Viewers viewers,
                                 Order& order, std::vector<Term>& holds) {
  const auto is_met = [&](std::size_t instance, std::size_t index, std::size_t source) {
    return std::ranges::any_of(edges, [&](const PlacedEdge& edge) {
      return (edge.from == instance && edge.from_event == index &&
              edge.conflict->from_source == source) ||
             (edge.to == instance && edge.to_event == index && edge.conflict->to_source == source);
    });
  };
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    for (std::size_t e = 0; e < instances_[i].unfolding->events.size(); ++e) {
      const bool leads = leads_to_end(i, e, edges);
      if (!may_run(i, e) || (viewers == Viewers::leading && !leads)) continue;
      const Event& viewer = event(i, e);
      const OrderPoint point = point_of(i, e);
      const bool is_free = !leads && sees_freely(order.level_of(point)) && !order.has(point);
      for (std::size_t s = 0; s < viewer.form->sources.size(); ++s) {
        const RowSource& of = viewer.form->sources[s];
        if (of.role == SourceRole::taken && !is_met(i, e, s)) continue;
        for (std::size_t k = 0; k < keys_.size(); ++k) {
          if (tables_[k] != of.name) continue;
          if (of.is_in_the_way()) holds.push_back(effects_.stops(viewer, s, keys_[k]));
          if (!rows_.changes_rows(of)) continue;
          // Who does not run sees nothing: what two orders would have let it see may differ.
          const Term is_there = is_free ? possible_existence(point, s, keys_[k], order)
                                        : existence(viewer, order.add(point), s, keys_[k], order);
          holds.push_back(terms_.implies(viewer.guard, is_there));
          if (of.is_written) holds.push_back(effects_.stops(viewer, s, keys_[k]));
        }
      }
    }
  }
}

bool CycleFormula::loses_rows(const std::string& table) const {
  return std::ranges::any_of(instances_, [&](const Instance& instance) {
    return std::ranges::any_of(instance.unfolding->events, [&](const Event& event) {
      const StatementForm& form = *event.form;
      for (std::size_t s = 0; s < form.sources.size(); ++s) {
        const bool is_meant = form.sources[s].is_written && form.sources[s].name == table;
        if (is_meant && (form.is_unknown || form.removes(s))) return true;
      }
      return false;
    });
  });
}

// A row that one INSERT has made is in the way of others that see it, also in tables on which no
// edge meets; where nobody deletes rows there, that is known without asking who sees what.
void CycleFormula::add_made_rows(Order& order, std::vector<Term>& axioms) {
  const std::vector<OrderPoint>& points = order.points();
  for (std::size_t a = 0; a < points.size(); ++a) {
    for (std::size_t b = 0; b < points.size(); ++b) {
      if (!points[a].checks || !points[b].checks || points[a].instance == points[b].instance) {
        continue;
      }
      const Event& first = event(points[a].instance, points[a].event);
      const Event& second = event(points[b].instance, points[b].event);
      const RowSource& table = second.form->sources[0];
      if (first.form->sources[0].name != table.name) continue;
      if (loses_rows(table.name)) continue;
      const auto made = effects_.inserted_key(first, 0);
      const auto key = effects_.inserted_key(second, 0);
      if (!made || !key) continue;
      const Term is_in_its_way = terms_.all(effects_.touches(first, 0, *key), points[a].lasts);
      if (second.form->checks_keys) {
        axioms.push_back(
            terms_.implies(terms_.all({is_in_its_way, second.guard, order.sees_now(a, b)}),
                           *effects_.is_in_its_way(second)));
      }
      const bool has_keys = table.table != nullptr && !table.table->unique_constraints.empty();
      if (!has_keys || rows_.ever_loses_rows(table)) continue;
      const Term is_found = terms_.all({makes_row(points[a]), points[a].lasts, second.guard,
                                        order.sees_now(a, b), gives_key_to(first, second)});
      axioms.push_back(terms_.implies(is_found, *effects_.is_in_its_way(second)));
      // Where a snapshot does not have the row that is in the way, the transaction is refused.
      const bool needs_snapshot = second.form->asks_index && is_timed(points[b].level) &&
                                  has_axiom(points[b].level, Axiom::repeatable_visibility) &&
                                  !has_axiom(points[b].level, Axiom::current_read_writes);
      if (needs_snapshot) axioms.push_back(terms_.implies(is_found, order.sees(a, b)));
      if (!rows_.knows_keys() || !is_timed(points[a].level) || !is_timed(points[b].level)) continue;
      const Term come_in_turn =
          terms_.all({first.guard, second.guard, look_for_one_key(first, second),
                      terms_.less_or_equal(order.times(a).time, order.times(b).time)});
      // The second one waits until the first one's row is there for good, or is gone.
      axioms.push_back(terms_.implies(terms_.all(come_in_turn, makes_row(points[a])),
                                      terms_.less(order.times(a).end, order.times(b).time)));
      axioms.push_back(terms_.implies(terms_.all(come_in_turn, *effects_.is_in_its_way(first)),
                                      *effects_.is_in_its_way(second)));
    }
  }
}

// Both INSERTs ask by the same columns alone, which nobody updates, and give them the same values:
// the row that is in the way of the one is in that of the other one, as long as it is there.
Term CycleFormula::look_for_one_key(const Event& first, const Event& second) {
  const std::vector<Expression>& conditions = first.form->conjuncts;
  if (conditions.size() != second.form->conjuncts.size()) return terms_.truth(false);
  const Lookup one = lookup_in(first, {}, first.viewer, evaluator_, rows_);
  const Lookup other = lookup_in(second, {}, second.viewer, evaluator_, rows_);
  std::vector<Term> equal;
  for (const Expression& condition : conditions) {
    if (condition.operands.empty()) return terms_.truth(false);
    const std::string& column = condition.operands[0].text;
    const Expression* mine = pinned_value(condition, column);
    const Expression* theirs = nullptr;
    for (const Expression& asked : second.form->conjuncts) {
      if (theirs == nullptr) theirs = pinned_value(asked, column);
    }
    const bool is_fixed = !rows_.ever_updates(first.form->sources[0], column);
    if (mine == nullptr || theirs == nullptr || !is_fixed) return terms_.truth(false);
    equal.push_back(
        evaluator_.compare("=", evaluator_.value(*mine, one), evaluator_.value(*theirs, other))
            .holds);
  }
  return terms_.all(equal);
}

// An INSERT of one row makes it unless it is refused. Why else it may be refused, as by a null, is
// not known: then nothing goes on behind it, but for who recovers from errors.
Term CycleFormula::makes_row(const OrderPoint& point) {
  const Event& inserts = event(point.instance, point.event);
  const std::optional<RowKey> key = effects_.inserted_key(inserts, 0);
  if (!key) return terms_.truth(false);
  if (instances_[point.instance].unfolding->recovers) {
    return terms_.all(inserts.guard, effects_.touches(inserts, 0, *key));
  }
  return terms_.all({inserts.guard, terms_.negate(inserts.refused),
                     terms_.negate(*effects_.is_in_its_way(inserts))});
}

// The row that the one makes has a key that the other one looks for, whichever key that is. What
// somebody may have given it since is any value.
Term CycleFormula::gives_key_to(const Event& making, const Event& checking) {
  const RowSource& table = making.form->sources[0];
  const std::optional<RowKey> made = effects_.inserted_key(making, 0);
  if (!made || table.table == nullptr) return terms_.truth(false);
  RowView row{.viewer = checking.viewer, .key = *made, .exists = terms_.truth(true)};
  for (const UniqueConstraint& unique : table.table->unique_constraints) {
    for (const std::string& column : unique.columns) {
      if (rows_.ever_updates(table, column)) continue;
      if (auto value = effects_.written(making, 0, column, *made)) {
        row.replaced.emplace(column, *value);
      }
    }
  }
  return effects_.matches(checking, 0, row);
}

// Two INSERTs that make rows with one key: a product's unique index lets the second one wait until
// the first one's transaction has ended.
Term CycleFormula::same_unique_key(const OrderPoint& a, const OrderPoint& b) {
  if (!rows_.knows_keys() || !a.checks || !b.checks || !is_timed(a.level) || !is_timed(b.level)) {
    return terms_.truth(false);
  }
  const Event& first = event(a.instance, a.event);
  const Event& second = event(b.instance, b.event);
  const RowSource& table = first.form->sources[0];
  if (table.name != second.form->sources[0].name || table.table == nullptr) {
    return terms_.truth(false);
  }
  const std::optional<RowKey> one = effects_.inserted_key(first, 0);
  const std::optional<RowKey> other = effects_.inserted_key(second, 0);
  if (!one || !other) return terms_.truth(false);
  std::vector<Term> ways;
  for (const UniqueConstraint& unique : table.table->unique_constraints) {
    if (unique.check_time != CheckTime::statement) continue;
    std::vector<Term> equal;
    for (const std::string& column : unique.columns) {
      const auto left = effects_.written(first, 0, column, *one);
      const auto right = effects_.written(second, 0, column, *other);
      equal.push_back(left && right ? evaluator_.compare("=", *left, *right).holds
                                    : terms_.truth(false));
    }
    ways.push_back(terms_.all(equal));
  }
  return terms_.all({terms_.any(ways), makes_row(a), makes_row(b)});
}

// The same of a reader outside of the cycle whose level lets it see whatever it likes: all that
// binds it is that somebody makes or deletes the row, not later in its own session.
Term CycleFormula::possible_existence(const OrderPoint& viewer, std::size_t source,
                                      const RowKey& key, const Order& order) {
  const Event& looking = event(viewer.instance, viewer.event);
  const RowSource& of = looking.form->sources[source];
  std::vector<Term> made = {rows_.exists("", of, key)};
  std::vector<Term> gone = {terms_.negate(made[0])};
  for (const OrderPoint& point : order.points()) {
    const bool is_own = point.instance == viewer.instance;
    if (is_own && point.event >= viewer.event) continue;
    const Event& other = event(point.instance, point.event);
    // What is rolled back others may see where they see what is not committed.
    const bool may_be_undone = is_own || shows_uncommitted(order.level_of(viewer));
    const Term is_there = may_be_undone ? other.guard : lasts(other, terms_);
    for (std::size_t s = 0; s < other.form->sources.size(); ++s) {
      const RowSource& target = other.form->sources[s];
      const bool changes = target.is_written && !other.form->updates_rows(s);
      if (!changes || target.name != of.name) continue;
      (other.form->makes(s) ? made : gone)
          .push_back(terms_.all({is_there, effects_.touches(other, s, key),
                                 terms_.negate(effects_.changes_instead(other, s, key))}));
    }
  }
  const Term there = rows_.exists(viewer_at(looking, source), of, key);
  return terms_.choose(there, terms_.any(made), terms_.any(gone));
}

// The one deletes a row, or gives it another key, or locks it, to which the other one comes to
// refer: a product locks it for that.
Term CycleFormula::refers(const OrderPoint& changer, const OrderPoint& referring,
                          const std::vector<PlacedEdge>& edges, ByLock by_lock) {
  if (!is_timed(changer.level) || !is_timed(referring.level)) return terms_.truth(false);
  const Event& first = event(changer.instance, changer.event);
  const Event& second = event(referring.instance, referring.event);
  const auto looks_for = [&](const Event& by, std::size_t source, const RowKey& key) {
    return effects_.looks_for(by, source, {.viewer = by.viewer, .key = key});
  };
  std::vector<Term> ways;
  for (std::size_t t = 0; t < second.form->sources.size(); ++t) {
    const RowSource& looked_at = second.form->sources[t];
    if (looked_at.role != SourceRole::referred) continue;
    for (std::size_t s = 0; s < first.form->sources.size(); ++s) {
      const RowSource& changed = first.form->sources[s];
      if (changed.name != looked_at.name || first.form->makes(s)) continue;
      if (by_lock == ByLock::yes ? !changed.locks_key : !changed.is_written) continue;
      const bool changes_key =
          by_lock == ByLock::yes || first.form->removes(s) ||
          std::ranges::any_of(looked_at.predicate_columns, [&](const std::string& column) {
            return std::ranges::find(changed.written_columns, column) !=
                   changed.written_columns.end();
          });
      if (!changes_key) continue;
      if (const auto named = effects_.referred_key(second, t)) {
        ways.push_back(
            terms_.all(looks_for(second, t, *named), effects_.touches(first, s, *named)));
        continue;
      }
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (table_of(edges[i]) != looked_at.name) continue;
        ways.push_back(
            terms_.all(effects_.touches(first, s, keys_[i]), looks_for(second, t, keys_[i])));
      }
    }
  }
  return terms_.all({first.guard, second.guard, terms_.any(ways)});
}

// `order` outlives it.
Order::Meeting CycleFormula::meeting_in(const Order& order, const std::vector<PlacedEdge>& edges) {
  const auto refers_by = [this, &order, edges](ByLock by_lock) {
    return [this, &order, edges, by_lock](std::size_t a, std::size_t b) {
      return refers(order.points()[a], order.points()[b], edges, by_lock);
    };
  };
  return {.same_row =
              [this, &order, edges](std::size_t a, std::size_t b) {
                return same_row(order.points()[a], order.points()[b], edges);
              },
          .refers = refers_by(ByLock::no),
          .keeps = refers_by(ByLock::yes),
          .locked_out =
              [this, &order](std::size_t a, std::size_t b) {
                return locked_out(order.points()[a], order.points()[b]);
              },
          .let_in = [this, &order](std::size_t a, std::size_t b) { return let_in(order, a, b); },
          .same_key =
              [this, &order](std::size_t a, std::size_t b) {
                return same_unique_key(order.points()[a], order.points()[b]);
              }};
}

// Of columns that grow with each version of a row: who sees the version that an UPDATE leaves, or a
// later one, sees as much or more, and who sees an earlier one sees less.
void CycleFormula::add_growth(Order& order, std::vector<Term>& axioms) {
  for (std::size_t a = 0; a < order.points().size(); ++a) {
    const OrderPoint writer = order.points()[a];
    const Event& update = event(writer.instance, writer.event);
    if (update.form->kind != StatementKind::update || !update.is_pinned) continue;
    const RowSource& source = update.form->sources[0];
    for (const std::string& column : source.written_columns) {
      if (!rows_.grows(source, column)) continue;
      const auto value = effects_.written(update, 0, column, update.result[0]);
      if (!value) continue;
      const Term leaves =
          terms_.all({writer.runs, writer.lasts, effects_.touches(update, 0, update.result[0])});
      for (std::size_t b = 0; b < order.points().size(); ++b) {
        if (order.points()[b].instance == writer.instance) continue;
        axioms.push_back(terms_.implies(leaves, sees_growth({a, column, *value}, b, order)));
      }
    }
  }
}

bool CycleFormula::has_written_before(const OrderPoint& point, const std::string& table) const {
  const std::vector<Event>& events = instances_[point.instance].unfolding->events;
  return std::any_of(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(point.event),
                     [&](const Event& earlier) {
                       return std::ranges::any_of(
                           earlier.form->sources, [&](const RowSource& source) {
                             return source.is_written && source.name == table;
                           });
                     });
}

Term CycleFormula::sees_growth(const Growth& of, std::size_t reader, Order& order) {
  const OrderPoint& writer = order.points()[of.writer];
  const OrderPoint& at = order.points()[reader];
  const RowKey& key = event(writer.instance, writer.event).result[0];
  const RowSource& written = event(writer.instance, writer.event).form->sources[0];
  const Event& reads = event(at.instance, at.event);
  std::vector<Term> holds;
  for (const RowSource& source : reads.form->sources) {
    const Sight sight = sights_of(reads, source, at.level).found;
    if (source.name != written.name || !source.is_named() || sight == Sight::either) continue;
    const Term sees =
        sight == Sight::newest ? order.sees_now(of.writer, reader) : order.sees(of.writer, reader);
    const SqlValue cell = rows_.cell(reads.viewer, source, of.column, key);
    const auto compares = [&](std::string_view how) {
      return terms_.negate(evaluator_.compare(how, cell, of.value).fails);
    };
    // Who has written there may see his own version, which is later than his snapshot.
    const Term is_earlier =
        has_written_before(at, written.name) ? terms_.truth(true) : compares("<");
    holds.push_back(terms_.implies(at.runs, terms_.choose(sees, compares(">="), is_earlier)));
  }
  return terms_.all(holds);
}

}  // namespace heddle::find
