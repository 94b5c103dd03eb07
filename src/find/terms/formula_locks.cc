// Locks: who waits for whom because of a row, or of the place where one would be.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "find/terms/formula.h"
#include "find/terms/sight.h"

namespace heddle::find {

// Whether all that the transaction has done until then looks at the newest rows, and takes them;
// where these are refused that a snapshot does not have, whether it only locks tables.
bool CycleFormula::precedes_reads(std::size_t instance, std::size_t index) const {
  const std::size_t transaction = event(instance, index).transaction;
  const bool takes_newest =
      has_axiom(instances_[instance].levels[index], Axiom::plain_read_snapshot);
  for (std::size_t i = 0; i <= index; ++i) {
    const Event& earlier = event(instance, i);
    if (earlier.is_redis || earlier.transaction != transaction) continue;
    const StatementForm& form = *earlier.form;
    if (!takes_newest) {
      if (form.kind != StatementKind::lock_table) return false;
      continue;
    }
    const bool takes_all = std::ranges::all_of(
        form.sources, [](const RowSource& source) { return takes(source) || source.is_checked(); });
    const bool has_rows = form.only_locks || !form.sources.empty();
    if (form.is_unknown || !has_rows || !takes_all) return false;
  }
  return true;
}

// Whether nothing else of the transaction comes before it, and its snapshot is as old as it is: a
// query that waits for a lock by name has taken it before that.
bool CycleFormula::is_first(std::size_t instance, std::size_t index) const {
  if (!event(instance, index).form->locks.empty()) return false;
  const std::size_t transaction = event(instance, index).transaction;
  for (std::size_t i = 0; i < index; ++i) {
    const Event& earlier = event(instance, i);
    if (!earlier.is_redis && earlier.transaction == transaction) return false;
  }
  return true;
}

// Whether the reader keeps others from making rows that it would have found, until it ends: a
// statement that locks looks at all places where they would be, and locks these, too.
bool CycleFormula::keeps_gaps(const Ends& ends) {
  const RowSource& source = ends.reader_source();
  const StatementForm& form = *ends.reader->form;
  return has_axiom(ends.level, Axiom::gap_locks) && takes(source) && source.is_named() &&
         !source.is_any_row && !source.skips_locked && !form.stops_early &&
         form.kind != StatementKind::insert;
}

// Whether what the second one does to a row waits for what the first one does: who keeps a key lets
// others change the rest of the row.
bool CycleFormula::excludes(const Event& first, std::size_t s, const Event& second, std::size_t t) {
  const RowSource& one = first.form->sources[s];
  const RowSource& other = second.form->sources[t];
  if (!takes(one) || !takes(other) || one.name != other.name) return false;
  if (!one.keeps_key && !other.keeps_key) return true;
  const StatementForm& form = one.keeps_key ? *second.form : *first.form;
  const std::size_t at = one.keeps_key ? t : s;
  return form.removes(at);
}

// Whether the code that asked for rows has come to that one: what it would do with others is not
// known.
Term CycleFormula::has_come_to(const Event& event, std::size_t source, const RowKey& key) {
  std::vector<Term> ways;
  for (const FetchedRow& row : event.fetched) {
    ways.push_back(terms_.all(row.exists, rows_.same_key(row.keys[source], key)));
  }
  return ways.empty() ? terms_.truth(true) : terms_.any(ways);
}

// The reader has left the row out because the writer's transaction had locked it: as if it had seen
// what that one does to it.
Term CycleFormula::is_passed_over(const Ends& ends, const RowKey& key, Order& order) {
  if (!ends.reader_source().skips_locked || !is_timed(ends.level)) return terms_.truth(false);
  const std::size_t reader = ends.reader_point;
  std::vector<Term> holds;
  for (std::size_t p = 0; p < order.points().size(); ++p) {
    const OrderPoint& point = order.points()[p];
    if (point.instance != order.points()[ends.writer_point].instance) continue;
    const Event& holder = event(point.instance, point.event);
    for (std::size_t s = 0; s < holder.form->sources.size(); ++s) {
      if (!excludes(holder, s, *ends.reader, ends.reader_at)) continue;
      holds.push_back(terms_.all({effects_.touches(holder, s, key), has_come_to(holder, s, key),
                                  terms_.less(order.time(p), order.time(reader)),
                                  terms_.less(order.time(reader), order.end(p))}));
    }
  }
  const RowView seen{.viewer = ends.reader_viewer(), .key = key};
  return terms_.all({effects_.passes_over(*ends.reader, ends.reader_at, key),
                     effects_.would_take(*ends.reader, ends.reader_at, seen), terms_.any(holds)});
}

// The same of a row that it would have taken if that one had come later: nothing that it does to
// the row takes it out of what the reader looks for.
Term CycleFormula::passes_in_vain(const Ends& ends, const RowKey& key, Order& order) {
  std::vector<Term> holds = {is_passed_over(ends, key, order)};
  for (const OrderPoint& point : order.points()) {
    if (point.instance != order.points()[ends.writer_point].instance || !point.writes) continue;
    const Event& change = event(point.instance, point.event);
    for (std::size_t s = 0; s < change.form->sources.size(); ++s) {
      const RowSource& target = change.form->sources[s];
      if (!target.is_written || target.name != ends.reader_source().name) continue;
      RowView after{.viewer = ends.reader_viewer(), .key = key};
      for (const std::string& column : target.written_columns) {
        if (auto value = effects_.written(change, s, column, key)) {
          after.replaced.emplace(column, *value);
        }
      }
      const Term is_found = change.form->removes(s)
                                ? terms_.truth(false)
                                : effects_.would_take(*ends.reader, ends.reader_at, after);
      holds.push_back(
          terms_.implies(terms_.all(point.lasts, effects_.touches(change, s, key)), is_found));
    }
  }
  return terms_.all(holds);
}

// Two statements write or lock one row: that which each of them names, or one on which edges meet.
Term CycleFormula::same_row(const OrderPoint& a, const OrderPoint& b,
                            const std::vector<PlacedEdge>& edges) {
  const Event& first = event(a.instance, a.event);
  const Event& second = event(b.instance, b.event);
  std::vector<Term> ways;
  for (std::size_t s = 0; s < first.form->sources.size(); ++s) {
    for (std::size_t t = 0; t < second.form->sources.size(); ++t) {
      const RowSource& one = first.form->sources[s];
      const RowSource& other = second.form->sources[t];
      if (!excludes(first, s, second, t)) continue;
      const std::optional<RowKey> left = effects_.pinned_key(first);
      const std::optional<RowKey> right = effects_.pinned_key(second);
      if (left && right && one.is_named() && other.is_named()) {
        // A row that is not there is not written.
        ways.push_back(terms_.all({rows_.same_key(*left, *right), effects_.touches(first, s, *left),
                                   effects_.touches(second, t, *right)}));
        continue;
      }
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (table_of(edges[i]) != one.name) continue;
        ways.push_back(terms_.all(effects_.touches(first, s, keys_[i]),
                                  effects_.touches(second, t, keys_[i])));
      }
    }
  }
  return terms_.all({first.guard, second.guard, terms_.any(ways)});
}

namespace {

// The lock of the table that a statement takes by itself.
TableLock own_lock(const RowSource& source) {
  if (source.is_written) return TableLock::row_exclusive;
  return source.is_locked ? TableLock::row_share : TableLock::access_share;
}

bool excludes_source(const NamedLock& lock, const RowSource& source) {
  return lock.table == source.name && exclude_each_other(lock.mode, own_lock(source));
}

}  // namespace

Term CycleFormula::have_one_key(const Event& first, const NamedLock& one, const Event& second,
                                const NamedLock& other) {
  if (one.table != other.table || one.key.size() != other.key.size()) return terms_.truth(false);
  if (!exclude_each_other(one.mode, other.mode)) return terms_.truth(false);
  return terms_.all(
      {same_names(first, one, second, other), has_got(first, one), has_got(second, other)});
}

// Whether the statement has got a lock that it only tries to get.
Term CycleFormula::has_got(const Event& event, const NamedLock& lock) const {
  return lock.tried ? event.obtained : terms_.truth(true);
}

Term CycleFormula::same_names(const Event& first, const NamedLock& one, const Event& second,
                              const NamedLock& other) {
  const Lookup of_first = lookup_in(first, {}, first.viewer, evaluator_, rows_);
  const Lookup of_second = lookup_in(second, {}, second.viewer, evaluator_, rows_);
  std::vector<Term> equal;
  for (std::size_t i = 0; i < one.key.size(); ++i) {
    equal.push_back(evaluator_
                        .compare("=", evaluator_.value(one.key[i], of_first),
                                 evaluator_.value(other.key[i], of_second))
                        .holds);
  }
  return terms_.all(equal);
}

// Locks of a table exclude what statements lock of it by themselves, too.
Term CycleFormula::locked_out(const OrderPoint& a, const OrderPoint& b) {
  const Event& first = event(a.instance, a.event);
  const Event& second = event(b.instance, b.event);
  std::vector<Term> ways;
  for (const NamedLock& one : first.form->locks) {
    if (one.is_of_session) continue;
    for (const NamedLock& other : second.form->locks) {
      ways.push_back(have_one_key(first, one, second, other));
    }
    const bool meets = std::ranges::any_of(
        second.form->sources, [&](const auto& source) { return excludes_source(one, source); });
    ways.push_back(terms_.truth(meets));
  }
  for (const NamedLock& other : second.form->locks) {
    const bool meets = std::ranges::any_of(
        first.form->sources, [&](const auto& source) { return excludes_source(other, source); });
    ways.push_back(terms_.truth(meets));
  }
  return terms_.all({first.guard, second.guard, terms_.any(ways)});
}

// Who waits for a lock of a session goes on when that has given it back, or has ended: when the
// transactions of the call have. More than one may be to give back, of which the first counts.
Term CycleFormula::let_in(const Order& order, std::size_t a, std::size_t b) {
  const OrderPoint& holder = order.points()[a];
  const OrderPoint& waiting = order.points()[b];
  if (holder.instance == waiting.instance) return terms_.truth(true);
  const Event& first = event(holder.instance, holder.event);
  const Event& second = event(waiting.instance, waiting.event);
  std::vector<Term> holds;
  for (const NamedLock& one : first.form->locks) {
    if (!one.is_of_session) continue;
    std::vector<Term> meets;
    for (const NamedLock& other : second.form->locks) {
      meets.push_back(have_one_key(first, one, second, other));
    }
    const Term both = terms_.all({first.guard, second.guard, terms_.any(meets)});
    if (terms_.is_false(both)) continue;
    holds.push_back(terms_.implies(both, is_released(order, a, one, b)));
  }
  return terms_.all(holds);
}

Term CycleFormula::is_released(const Order& order, std::size_t a, const NamedLock& lock,
                               std::size_t b) {
  const OrderPoint& holder = order.points()[a];
  const Event& first = event(holder.instance, holder.event);
  std::vector<Term> ways;
  std::vector<Term> ended;
  for (std::size_t p = 0; p < order.points().size(); ++p) {
    const OrderPoint& point = order.points()[p];
    if (point.instance != holder.instance) continue;
    ended.push_back(terms_.less(order.end(p), order.time(b)));
    if (point.event <= holder.event) continue;
    const Event& later = event(point.instance, point.event);
    for (const NamedLock& given : later.form->releases) {
      if (!given.key.empty() && given.key.size() != lock.key.size()) continue;
      const Term is_it =
          given.key.empty() ? terms_.truth(true) : same_names(first, lock, later, given);
      ways.push_back(terms_.all({later.guard, is_it, terms_.less(order.time(p), order.time(b))}));
    }
  }
  ways.push_back(terms_.all(ended));
  return terms_.any(ways);
}

// Whether the statement takes a lock that is not of a row, or may have to wait for one.
bool CycleFormula::meets_lock(std::size_t instance, std::size_t index) const {
  const StatementForm& form = *event(instance, index).form;
  if (!form.locks.empty() || !form.releases.empty()) return true;
  const auto meets = [&](const NamedLock& lock) {
    return std::ranges::any_of(
        form.sources, [&](const RowSource& source) { return excludes_source(lock, source); });
  };
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    if (i == instance) continue;
    for (const Event& other : instances_[i].unfolding->events) {
      if (std::ranges::any_of(other.form->locks, meets)) return true;
    }
  }
  return false;
}

}  // namespace heddle::find
