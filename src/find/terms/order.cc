#include "find/terms/order.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace heddle::find {

bool is_timed(AppliedLevel level) { return has_axiom(level, Axiom::row_write_locks); }

namespace {

// What says which versions reads see, where times tell.
constexpr std::array kSnapshots = {Axiom::statement_snapshot, Axiom::repeatable_visibility,
                                   Axiom::plain_read_snapshot, Axiom::snapshot_prefix,
                                   Axiom::gap_locks};

}  // namespace

bool reads_uncommitted(AppliedLevel level) {
  return is_timed(level) &&
         std::ranges::none_of(kSnapshots, [&](Axiom axiom) { return has_axiom(level, axiom); });
}

bool sees_anything(AppliedLevel level) {
  return is_timed(level) && std::ranges::any_of(kSnapshots, [&](Axiom axiom) {
           return has_axiom(level.level, axiom) && !has_axiom(level, axiom);
         });
}

bool orders_writers(AppliedLevel level) {
  return is_timed(level) || has_axiom(level, Axiom::first_committer_wins) ||
         has_axiom(level, Axiom::sees_conflicts) || has_axiom(level, Axiom::sees_in_parallel);
}

bool forces_visibility(AppliedLevel level) {
  return std::ranges::any_of(axioms_of(level), [](Axiom axiom) {
    return axiom != Axiom::vis_in_ar && axiom != Axiom::vis_transitive &&
           axiom != Axiom::repeatable_visibility;
  });
}

bool sees_freely(AppliedLevel level) {
  return std::ranges::all_of(axioms_of(level), [](Axiom axiom) {
    return axiom == Axiom::vis_in_ar || axiom == Axiom::last_writer_wins;
  });
}

bool shows_uncommitted(AppliedLevel level) { return is_timed(level) && reads_uncommitted(level); }

bool is_seen_whole(AppliedLevel level) {
  return has_axiom(level, Axiom::committed_reads) || has_axiom(level, Axiom::sees_after_reading) ||
         has_axiom(level, Axiom::sees_directly);
}

bool sees_one_state(AppliedLevel level) {
  return has_axiom(level, Axiom::repeatable_visibility) || has_axiom(level, Axiom::sees_directly);
}

namespace {

bool has_prefix(AppliedLevel level) {
  return has_axiom(level, Axiom::snapshot_prefix) || has_axiom(level, Axiom::sees_prefix);
}

bool is_transitive(AppliedLevel level) {
  return has_axiom(level, Axiom::vis_transitive) || has_axiom(level, Axiom::sees_causally);
}

bool sees_own(AppliedLevel level) {
  return has_axiom(level, Axiom::session_order_in_vis) || has_axiom(level, Axiom::ar_in_vis) ||
         has_axiom(level, Axiom::sees_own_session) || has_axiom(level, Axiom::sees_directly);
}

// Whether the one waits for a row until the other's transaction has ended.
bool excludes(const OrderPoint& a, const OrderPoint& b) {
  if (a.writes || b.writes) return (a.writes || a.locks) && (b.writes || b.locks);
  return a.exclusive && b.exclusive;
}

bool keeps_transactions_together(AppliedLevel level) {
  return has_axiom(level, Axiom::atomic_arbitration) || has_axiom(level, Axiom::commit_order);
}

}  // namespace

// A functionality is one transaction across its transactions.
OrderPoint Order::as_here(const OrderPoint& point) const {
  OrderPoint here = point;
  here.level = level_of(point);
  if (across_) {
    here.transaction = 0;
    here.span.reset();
  }
  return here;
}

std::optional<std::size_t> Order::find(const OrderPoint& point) const {
  const auto known = std::ranges::find(points_, as_here(point));
  if (known == points_.end()) return std::nullopt;
  return static_cast<std::size_t>(known - points_.begin());
}

std::size_t Order::add(const OrderPoint& point) {
  if (const auto known = find(point)) return *known;
  points_.push_back(as_here(point));
  times_.push_back(times_of(points_.back()));
  return points_.size() - 1;
}

Order::Times Order::times_of(const OrderPoint& point) {
  const auto symbol = [&](std::string_view what, std::size_t number) {
    return terms_.symbol(name(fmt::format("{} {}.{}", what, point.instance, number)),
                         smt::Sort::integer);
  };
  const AppliedLevel& level = point.level;
  Times times;
  times.time = symbol("time", point.event);
  // A statement that writes may wait for rows after it began.
  const bool is_plain = !point.writes && !point.locks;
  times.start = is_plain || point.never_waits ? times.time : symbol("start", point.event);
  const bool shares = has_axiom(level, Axiom::repeatable_visibility) ||
                      (is_plain && has_axiom(level, Axiom::plain_read_snapshot));
  times.snapshot = shares ? symbol("snapshot", point.transaction) : times.start;
  times.end = symbol("end", point.transaction);
  return times;
}

bool Order::precedes(std::size_t a, std::size_t b) const {
  const OrderPoint& first = points_[a];
  const OrderPoint& second = points_[b];
  return first.is_early && first.instance != second.instance &&
         (!second.is_early || first.instance < second.instance);
}

// Whether the one comes before the other, and is seen by it; none: the prefix does not decide it.
std::optional<Term> Order::by_prefix(std::size_t a, std::size_t b) const {
  if (precedes(a, b)) return terms_.truth(true);
  if (precedes(b, a)) return terms_.truth(false);
  return std::nullopt;
}

bool Order::is_own(std::size_t a, std::size_t b) const {
  if (points_[a].instance != points_[b].instance) return false;
  if (!points_[a].span || !points_[b].span || is_same_transaction(points_[a], points_[b])) {
    return true;
  }
  const Span& first = *points_[a].span;
  const Span& second = *points_[b].span;
  return first.ends_last < second.begins || second.ends_last < first.begins;
}

// Of one session: a product's statements see all that it did before.
Term Order::own(std::size_t writer, std::size_t reader) {
  if (points_[writer].event >= points_[reader].event) return terms_.truth(false);
  if (is_timed(level(reader)) || sees_own(level(reader))) return terms_.truth(true);
  return sees_by_condition(writer, reader);
}

Term Order::sees_by_condition(std::size_t writer, std::size_t reader) {
  const auto [known, is_new] = conditions_.try_emplace({writer, reader});
  if (!is_new) return known->second;
  const OrderPoint& from = points_[writer];
  const OrderPoint& to = points_[reader];
  const AppliedLevel& level = to.level;
  const bool others = !is_same_transaction(from, to);
  const std::string seen = others && is_seen_whole(level)
                               ? fmt::format("{}.t{}", from.instance, from.transaction)
                               : fmt::format("{}.{}", from.instance, from.event);
  const std::string seeing = others && sees_one_state(level)
                                 ? fmt::format("{}.t{}", to.instance, to.transaction)
                                 : fmt::format("{}.{}", to.instance, to.event);
  known->second = terms_.symbol(name(fmt::format("vis {} {}", seen, seeing)), smt::Sort::truth);
  return known->second;
}

Term Order::sees_if_earlier(std::size_t writer, std::size_t reader) {
  return terms_.all(sees_by_condition(writer, reader), terms_.less(time(writer), time(reader)));
}

Term Order::sees(std::size_t writer, std::size_t reader) {
  if (const auto known = by_prefix(writer, reader)) return *known;
  if (is_own(writer, reader)) return own(writer, reader);
  const AppliedLevel level = this->level(reader);
  if (!is_timed(level)) return sees_by_condition(writer, reader);
  if (sees_anything(level)) return sees_if_earlier(writer, reader);
  if (reads_uncommitted(level)) return terms_.less(time(writer), time(reader));
  // Without snapshots of their own, as at MariaDB's serializable, reads see the newest rows.
  return terms_.less(end(writer), snapshot(reader));
}

Term Order::sees_now(std::size_t writer, std::size_t reader) {
  if (const auto known = by_prefix(writer, reader)) return *known;
  if (is_own(writer, reader)) return own(writer, reader);
  const AppliedLevel level = this->level(reader);
  // A unique index knows all rows that are there.
  const bool asks_index = points_[reader].checks && points_[writer].makes;
  const bool is_snapshot = has_axiom(level, Axiom::repeatable_visibility) && !asks_index;
  if (!is_timed(level) || is_snapshot || sees_anything(level)) {
    return sees(writer, reader);
  }
  return terms_.less(end(writer), time(reader));
}

Term Order::knows_gone(std::size_t writer, std::size_t reader) {
  if (const auto known = by_prefix(writer, reader)) return *known;
  const AppliedLevel level = this->level(reader);
  const bool is_of_index = points_[reader].makes && is_timed(level) && !sees_anything(level) &&
                           has_axiom(level, Axiom::repeatable_visibility) &&
                           !is_own(writer, reader);
  return is_of_index ? terms_.less(end(writer), time(reader)) : sees_now(writer, reader);
}

Term Order::finds_referring(std::size_t writer, std::size_t reader) {
  if (const auto known = by_prefix(writer, reader)) return *known;
  const AppliedLevel level = this->level(reader);
  const bool is_newest = is_timed(level) && !sees_anything(level) && !is_own(writer, reader);
  return is_newest ? terms_.less(end(writer), time(reader)) : sees_now(writer, reader);
}

bool Order::leaves_old_row(std::size_t writer, std::size_t maker, std::size_t reader) const {
  return is_timed(level(reader)) && has_axiom(level(reader), Axiom::repeatable_visibility) &&
         points_[writer].removes && points_[maker].makes &&
         points_[maker].instance == points_[reader].instance;
}

Term Order::is_there(std::size_t writer, std::size_t reader) const {
  const OrderPoint& from = points_[writer];
  if (is_own(writer, reader) || from.runs == from.lasts) return from.runs;
  if (!shows_uncommitted(level(reader))) return from.lasts;
  return terms_.all(from.runs, terms_.any(from.lasts, terms_.less(time(reader), end(writer))));
}

Term Order::before(std::size_t a, std::size_t b) {
  if (const auto known = by_prefix(a, b)) return *known;
  if (points_[a].instance == points_[b].instance) {
    const bool is_free = !is_timed(level(a)) && !is_timed(level(b)) && !is_own(a, b);
    if (!is_free) return terms_.truth(points_[a].event < points_[b].event);
  }
  // Where two times are the same, the number decides, so that one of them is always the first.
  return a < b ? terms_.negate(terms_.less(time(b), time(a))) : terms_.less(time(a), time(b));
}

// The last point of the same session before that one, by event, or by transaction of one store.
std::optional<std::size_t> Order::previous(std::size_t point, std::size_t OrderPoint::* by) const {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const bool is_earlier =
        points_[i].instance == points_[point].instance && points_[i].*by < points_[point].*by;
    const bool is_of_store =
        by == &OrderPoint::event || points_[i].is_redis == points_[point].is_redis;
    if (!is_of_store) continue;
    if (is_earlier && (!last || points_[*last].*by < points_[i].*by)) last = i;
  }
  return last;
}

// Program order, and what begins before it ends. Visibility at abstract levels knows no snapshots
// and no ends.
void Order::add_times(std::vector<Term>& axioms) {
  find_ways_apart();
  for (std::size_t a = 0; a < points_.size(); ++a) {
    if (points_[a].is_early) axioms.push_back(ends_later(a));
    for (std::size_t b = 0; b < points_.size(); ++b) {
      if (!precedes(a, b)) continue;
      axioms.push_back(terms_.less(end(a), snapshot(b)));
      axioms.push_back(terms_.less(end(a), start(b)));
    }
  }
  const bool any_timed =
      std::ranges::any_of(points_, [](const OrderPoint& point) { return is_timed(point.level); });
  for (std::size_t a = 0; a < points_.size(); ++a) {
    if (!any_timed && points_[a].span) {
      add_own_order(a, axioms);
      continue;
    }
    const auto before = previous(a, &OrderPoint::event);
    if (before) axioms.push_back(terms_.less(time(*before), any_timed ? start(a) : time(a)));
    if (!any_timed) continue;
    axioms.push_back(ends_later(a));
    if (start(a) != time(a)) axioms.push_back(terms_.less_or_equal(start(a), time(a)));
    // Who takes such a lock needs no snapshot yet.
    if (!points_[a].only_locks) axioms.push_back(terms_.less_or_equal(snapshot(a), start(a)));
    if (points_[a].is_first && !points_[a].only_locks && snapshot(a) != start(a)) {
      axioms.push_back(terms_.implies(points_[a].runs, terms_.equal(snapshot(a), start(a))));
    }
    add_late_snapshot(a, axioms);
    if (points_[a].span) {
      add_spans(a, axioms);
    } else {
      add_end_of_earlier(a, axioms);
    }
  }
}

// At abstract levels transactions that are open at the same time have any order.
void Order::add_own_order(std::size_t a, std::vector<Term>& axioms) {
  for (std::size_t b = 0; b < points_.size(); ++b) {
    const bool is_earlier = points_[b].event < points_[a].event && is_own(a, b);
    if (is_earlier) axioms.push_back(terms_.less(time(b), time(a)));
  }
}

void Order::add_end_of_earlier(std::size_t a, std::vector<Term>& axioms) {
  if (ways_apart_.contains(points_[a].instance)) return add_end_on_way(a, axioms);
  const auto ended = previous(a, &OrderPoint::transaction);
  if (!ended) return;
  axioms.push_back(terms_.less(end(*ended), start(a)));
  axioms.push_back(terms_.less(end(*ended), snapshot(a)));
}

// Instances of which one of two ways goes on in a transaction that the other one has ended, so that
// something of a later transaction stands before something of an earlier one. The two do not run
// together.
void Order::find_ways_apart() {
  ways_apart_.clear();
  for (const OrderPoint& a : points_) {
    if (ways_apart_.contains(a.instance)) continue;
    const bool is_apart = std::ranges::any_of(points_, [&](const OrderPoint& b) {
      return a.instance == b.instance && a.is_redis == b.is_redis && a.event < b.event &&
             b.transaction < a.transaction;
    });
    if (is_apart) ways_apart_.insert(a.instance);
  }
}

// What does not run may stand behind a way on which its transaction has ended.
Term Order::ends_later(std::size_t a) const {
  const Term later = terms_.less(time(a), end(a));
  return ways_apart_.contains(points_[a].instance) ? terms_.implies(points_[a].runs, later) : later;
}

// Then what ends before something begins is asked of all that run.
void Order::add_end_on_way(std::size_t a, std::vector<Term>& axioms) {
  for (std::size_t b = 0; b < points_.size(); ++b) {
    const bool is_earlier = points_[b].instance == points_[a].instance &&
                            points_[b].is_redis == points_[a].is_redis &&
                            points_[b].transaction < points_[a].transaction;
    if (!is_earlier) continue;
    const Term both = terms_.all(points_[a].runs, points_[b].runs);
    axioms.push_back(terms_.implies(both, terms_.less(end(b), start(a))));
    axioms.push_back(terms_.implies(both, terms_.less(end(b), snapshot(a))));
  }
}

// The same where transactions of one session may be open at the same time: they end where the
// program says so.
void Order::add_spans(std::size_t a, std::vector<Term>& axioms) {
  for (std::size_t b = 0; b < points_.size(); ++b) {
    const bool is_of_session = points_[b].instance == points_[a].instance && points_[b].span;
    if (!is_of_session || is_same_transaction(points_[a], points_[b])) continue;
    const Span& here = *points_[a].span;
    const Span& there = *points_[b].span;
    if (there.ends_last < points_[a].event) axioms.push_back(terms_.less(end(b), start(a)));
    if (there.ends_last < here.begins) axioms.push_back(terms_.less(end(b), snapshot(a)));
    if (points_[b].event < here.begins) axioms.push_back(terms_.less(time(b), snapshot(a)));
    if (points_[a].event < there.ends_first) axioms.push_back(terms_.less(time(a), end(b)));
    if (here.ends_last < there.ends_first) axioms.push_back(terms_.less(end(a), end(b)));
  }
}

// Where plain reads alone share a snapshot, the first one of them takes it.
void Order::add_late_snapshot(std::size_t a, std::vector<Term>& axioms) {
  const bool has_one = has_axiom(level(a), Axiom::plain_read_snapshot) ||
                       (is_timed(level(a)) && has_axiom(level(a), Axiom::snapshot_prefix));
  if (!points_[a].precedes_reads || !has_one) return;
  for (std::size_t b = 0; b < points_.size(); ++b) {
    const bool shares = snapshot(b) != start(b);
    if (!shares || !is_same_transaction(points_[a], points_[b])) continue;
    const Term both = terms_.all(points_[a].runs, points_[b].runs);
    const bool is_apart = ways_apart_.contains(points_[a].instance);
    const Term earlier = terms_.less(time(a), snapshot(b));
    axioms.push_back(is_apart ? terms_.implies(both, earlier) : earlier);
  }
}

// What Redis does, it does at once, and nothing else meanwhile: before what comes behind it in the
// program, and while the transaction of the database goes on that is open around it.
void Order::add_redis_times(std::vector<Term>& axioms) {
  for (std::size_t a = 0; a < points_.size(); ++a) {
    if (!points_[a].is_redis || across_) continue;
    for (std::size_t b = 0; b < points_.size(); ++b) {
      if (a == b || is_same_transaction(points_[a], points_[b])) continue;
      if (points_[b].instance != points_[a].instance) {
        if (!points_[b].is_redis || b < a) continue;
        const Term both_run = terms_.all(points_[a].runs, points_[b].runs);
        axioms.push_back(terms_.implies(
            both_run, terms_.any(terms_.less(end(a), start(b)), terms_.less(end(b), start(a)))));
        continue;
      }
      if (points_[a].event < points_[b].event) axioms.push_back(terms_.less(end(a), start(b)));
      if (points_[b].is_redis) continue;
      const std::size_t open = points_[a].open_transaction;
      if (points_[b].transaction == open) axioms.push_back(terms_.less(end(a), end(b)));
      if (points_[b].transaction < open) axioms.push_back(terms_.less(end(b), start(a)));
    }
  }
}

// Writes of two transactions are not mixed where one of the levels says so: none comes after the
// first and before the second of another transaction. Reads are where they are.
void Order::add_arbitration(std::vector<Term>& axioms) {
  const auto keeps_together = [&](std::size_t point) {
    return !is_timed(level(point)) && keeps_transactions_together(level(point));
  };
  for (std::size_t a = 0; a < points_.size(); ++a) {
    for (std::size_t b = 0; b < points_.size(); ++b) {
      const bool are_writes = points_[a].writes && points_[b].writes && !is_timed(level(a)) &&
                              points_[a].event < points_[b].event;
      if (!are_writes || !is_same_transaction(points_[a], points_[b])) continue;
      for (std::size_t c = 0; c < points_.size(); ++c) {
        if (points_[c].instance == points_[a].instance || !points_[c].writes) continue;
        if (is_timed(level(c)) || !(keeps_together(a) || keeps_together(c))) continue;
        const Term all_run = terms_.all({points_[a].lasts, points_[b].lasts, points_[c].lasts});
        axioms.push_back(terms_.implies(terms_.all(all_run, before(a, c)), before(b, c)));
      }
    }
  }
}

void Order::add_pair(std::size_t a, std::size_t b, const Meeting& meeting,
                     std::vector<Term>& axioms) {
  if (points_[a].is_redis != points_[b].is_redis) return;
  const bool timed = is_timed(level(b));
  const Term both_run = terms_.all(points_[a].runs, points_[b].runs);
  if (!timed && points_[a].writes) {
    axioms.push_back(terms_.implies(terms_.all(both_run, sees(a, b)), before(a, b)));
  }
  if (has_axiom(level(b), Axiom::ar_in_vis) && points_[a].writes) {
    const Term both = terms_.all(points_[a].lasts, points_[b].runs);
    axioms.push_back(terms_.implies(terms_.all(both, before(a, b)), sees(a, b)));
  }
  if ((timed || is_timed(level(a))) && excludes(points_[a], points_[b])) {
    const Term waits =
        terms_.any({meeting.same_row(a, b), meeting.refers(a, b), meeting.refers(b, a),
                    meeting.keeps(a, b), meeting.keeps(b, a), meeting.same_key(a, b)});
    axioms.push_back(terms_.implies(terms_.all(waits, before(a, b)), terms_.less(end(a), time(b))));
  }
  if (timed) {
    const Term waits = meeting.locked_out(a, b);
    axioms.push_back(terms_.implies(terms_.all(waits, before(a, b)), terms_.less(end(a), time(b))));
    axioms.push_back(terms_.implies(before(a, b), meeting.let_in(a, b)));
  }
  if (!points_[a].writes || !(points_[b].writes || points_[b].locks)) return;
  // A product makes a row in the place of one that is gone, also where its snapshot has that.
  const bool makes_again = timed && points_[a].removes && points_[b].makes;
  if (orders_writers(level(b)) && (!timed || has_axiom(level(b), Axiom::first_committer_wins))) {
    std::vector<Term> ways = {meeting.refers(a, b)};
    if (!makes_again) ways.push_back(meeting.same_row(a, b));
    // Who looks whether rows refer to one sees those that are there; who changes them fails.
    if (!makes_again && !points_[b].asks_referring) ways.push_back(meeting.refers(b, a));
    const Term meet = terms_.any(ways);
    // Of what was rolled back, nothing is left that a later writer would have to know.
    axioms.push_back(
        terms_.implies(terms_.all({meet, before(a, b), points_[a].lasts}), sees(a, b)));
  }
}

// Of one session, b in a later transaction: where the first committer wins, it sees the earlier
// write of its row, whether its level lets it see the rest of its session or not.
void Order::add_later_write(std::size_t a, std::size_t b, const Meeting& meeting,
                            std::vector<Term>& axioms) {
  const bool is_later = points_[a].event < points_[b].event &&
                        !is_same_transaction(points_[a], points_[b]) &&
                        points_[a].is_redis == points_[b].is_redis;
  if (!is_later || !points_[a].writes || !points_[b].writes) return;
  if (!has_axiom(level(b), Axiom::first_committer_wins) || terms_.is_true(sees(a, b))) return;
  axioms.push_back(
      terms_.implies(terms_.all(meeting.same_row(a, b), points_[a].lasts), sees(a, b)));
}

// a and b in one session, or a and b writers, c another transaction that looks.
void Order::add_triple(std::size_t a, std::size_t b, std::size_t c, std::vector<Term>& axioms) {
  const AppliedLevel level = this->level(c);
  // One store knows nothing of what another one shows.
  const bool is_one_store =
      points_[a].is_redis == points_[c].is_redis && points_[b].is_redis == points_[c].is_redis;
  if (is_timed(level) || !is_one_store) return;
  const bool is_session = points_[a].instance == points_[b].instance;
  if (is_transitive(level)) {
    axioms.push_back(
        terms_.implies(terms_.all({points_[b].runs, sees(a, b), sees(b, c)}), sees(a, c)));
  }
  const bool same_instance = points_[b].instance == points_[c].instance;
  if (same_instance && points_[b].event < points_[c].event &&
      points_[a].instance != points_[c].instance) {
    // b and c are of one session: what b saw, c sees.
    if (has_axiom(level, Axiom::sees_reads_again) || has_axiom(level, Axiom::sees_after_reading)) {
      axioms.push_back(terms_.implies(sees(a, b), sees(a, c)));
    }
  }
  // Of an earlier transaction of its own session it may not see all, either.
  const bool of_others =
      !is_same_transaction(points_[a], points_[c]) && !is_same_transaction(points_[b], points_[c]);
  if (has_prefix(level) && of_others && points_[a].writes && points_[b].writes) {
    axioms.push_back(terms_.implies(
        terms_.all({points_[a].lasts, points_[b].lasts, sees(b, c), before(a, b)}), sees(a, c)));
  }
  if (same_instance || points_[a].instance == points_[c].instance) return;
  if (is_session && has_axiom(level, Axiom::sees_session_writes) &&
      points_[a].event < points_[b].event) {
    axioms.push_back(terms_.implies(sees(b, c), sees(a, c)));
  }
}

// Where a transaction is seen as a whole, and sees one state, one of its readers and one of its
// writers stand for all of them that run when it does.
std::vector<std::size_t> Order::representatives() const {
  const bool whole = std::ranges::all_of(points_, [](const OrderPoint& point) {
    return is_timed(point.level) || (is_seen_whole(point.level) && sees_one_state(point.level) &&
                                     keeps_transactions_together(point.level));
  });
  std::vector<std::size_t> few;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const bool stands_for_it = std::ranges::any_of(few, [&](std::size_t other) {
      return is_same_transaction(points_[i], points_[other]) &&
             points_[i].writes == points_[other].writes && points_[i].runs == points_[other].runs;
    });
    if (!whole || !stands_for_it) few.push_back(i);
  }
  return few;
}

void Order::add_visibility(std::vector<Term>& axioms) {
  const bool all_timed =
      std::ranges::all_of(points_, [](const OrderPoint& point) { return is_timed(point.level); });
  if (all_timed) return;
  const std::vector<std::size_t> few = representatives();
  for (const std::size_t a : few) {
    for (const std::size_t b : few) {
      for (const std::size_t c : few) {
        if (a != b && b != c && a != c) add_triple(a, b, c, axioms);
      }
    }
  }
}

std::vector<Term> Order::axioms(const Meeting& meeting) {
  std::vector<Term> axioms;
  add_times(axioms);
  add_redis_times(axioms);
  for (std::size_t a = 0; a < points_.size(); ++a) {
    for (std::size_t b = 0; b < points_.size(); ++b) {
      if (is_own(a, b)) {
        add_later_write(a, b, meeting, axioms);
      } else {
        add_pair(a, b, meeting, axioms);
      }
    }
  }
  add_arbitration(axioms);
  add_visibility(axioms);
  return axioms;
}

}  // namespace heddle::find
