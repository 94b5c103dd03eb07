// Visibility and arbitration among the operations of a cycle, and what isolation levels say about
// them (docs/levels.md).
//
// Where a level makes all operations of a transaction see the same, or makes them seen together,
// one condition stands for all of them; nothing has to be said then. What products do is said with
// times: a statement sees what was committed before its snapshot.
//
// A guarantee across the transactions of functionalities is told by an order of its own, in which
// each functionality is one transaction at the guarantee's level. What a run shows is legal by
// both: they agree on who reads from whom and on the versions of rows, and on nothing else. Who
// runs later may see what it never looks at by the one order, and not by the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "find/terms/applied_level.h"
#include "find/terms/span.h"
#include "smt/term.h"

namespace heddle::find {

using smt::Term;
using smt::Terms;

// A statement at work: both what it reads and what it writes.
struct OrderPoint {
  std::size_t instance = 0;
  std::size_t event = 0;        // within the instance, in program order
  std::size_t transaction = 0;  // within the instance
  bool writes = false;
  bool locks = false;                // reads the newest rows and keeps others from writing them
  bool exclusive = false;            // also from locking them, as FOR UPDATE does
  bool makes = false;                // rows
  bool checks = false;               // ... and is refused where a row has their keys already
  bool removes = false;              // rows
  bool asks_referring = false;       // whether rows refer to some
  bool only_locks = false;           // a table, or by a name, and sees nothing
  bool never_waits = false;          // for rows: it passes over those that are locked
  bool is_first = false;             // of its transaction, whichever way that goes
  bool precedes_reads = false;       // nothing of its transaction has read plainly until then
  bool is_early = false;             // of the prefix: Instance::is_early
  bool is_redis = false;             // Event::is_redis
  std::size_t open_transaction = 0;  // Event::open_transaction
  std::optional<Span> span = {};     // Event::span
  Term runs = {1};                   // whether it does; true
  Term lasts = {1};                  // whether it does, and is not rolled back; true
  AppliedLevel level = {};

  friend bool operator==(const OrderPoint&, const OrderPoint&) = default;
};

// Whether the level is told by times: what a product does.
bool is_timed(AppliedLevel level);
// Told by times, whether plain reads see what has not been committed.
bool reads_uncommitted(AppliedLevel level);
// Told by times, whether an axiom that says what reads see is set aside: they may see any earlier
// write then, or not.
bool sees_anything(AppliedLevel level);
// Not told by times, whether what a transaction writes takes effect when it commits, all at once.
bool is_seen_whole(AppliedLevel level);
// Told by times, whether others may see what is rolled back later.
bool shows_uncommitted(AppliedLevel level);
// Not told by times, whether all operations of a transaction see the same of others.
bool sees_one_state(AppliedLevel level);
// Whether an operation may have to see a write, or to be ordered after it, because of others, so
// that writes outside of a cycle matter for it, too.
bool forces_visibility(AppliedLevel level);
// Whether an operation may see any earlier writes and miss any others.
bool sees_freely(AppliedLevel level);
// Whether two transactions that write one row never do so unseen by each other.
bool orders_writers(AppliedLevel level);

class Order {
 public:
  // `across`: the level of functionalities as transactions; none: each point has its own.
  explicit Order(Terms& terms, std::optional<AppliedLevel> across = {})
      : terms_(terms), across_(across) {}

  std::size_t add(const OrderPoint& point);
  const std::vector<OrderPoint>& points() const { return points_; }
  bool has(const OrderPoint& point) const { return find(point).has_value(); }
  std::optional<std::size_t> find(const OrderPoint& point) const;
  AppliedLevel level_of(const OrderPoint& point) const { return across_.value_or(point.level); }

  // Whether `reader` sees what `writer` wrote, by the snapshot that it reads.
  Term sees(std::size_t writer, std::size_t reader);
  // The same of the rows that `reader` itself writes or locks.
  Term sees_now(std::size_t writer, std::size_t reader);
  // Whether `reader` knows that the row as it was before `writer` is none any more. A unique index
  // has rows as they are, also for who reads others in a snapshot.
  Term knows_gone(std::size_t writer, std::size_t reader);
  // The same as sees_now() of rows that refer to others, for which a store looks by itself: those
  // that are there, also for who reads others in a snapshot.
  Term finds_referring(std::size_t writer, std::size_t reader);
  // Whether `reader`, which does not see that `writer` deletes a row, may still see that row when
  // its own transaction has made another one in its place by `maker`.
  bool leaves_old_row(std::size_t writer, std::size_t maker, std::size_t reader) const;
  // Whether what `writer` wrote is there when `reader` looks, seen or not: its own session has what
  // will be rolled back, and others may have it until then, where they see what nobody committed.
  Term is_there(std::size_t writer, std::size_t reader) const;
  // Whether a's write is older than b's.
  Term before(std::size_t a, std::size_t b);

  Term time(std::size_t point) const { return times_[point].time; }
  Term end(std::size_t point) const { return times_[point].end; }

  // When it got its locks and read the newest rows; when it began; when its snapshot was taken;
  // when its transaction ended.
  struct Times {
    Term time;
    Term start;
    Term snapshot;
    Term end;
  };
  const Times& times(std::size_t point) const { return times_[point]; }

  // When two writers write one row.
  using SameRow = std::function<Term(std::size_t, std::size_t)>;
  // How two points meet on rows.
  struct Meeting {
    SameRow same_row;
    // The first one deletes a row, or gives it another key, to which the second one comes to refer.
    SameRow refers;
    // The first one locks a row to which the second one comes to refer.
    SameRow keeps;
    // They take locks, of a table or with a name of their own, of which one excludes the other.
    SameRow locked_out;
    // What has to be so if the first one's locks come first that end before its transaction does.
    SameRow let_in;
    // Both make rows with one unique key.
    SameRow same_key;
  };
  // What the levels say, for the points added so far.
  std::vector<Term> axioms(const Meeting& meeting);

 private:
  bool is_same_transaction(const OrderPoint& a, const OrderPoint& b) const {
    return a.instance == b.instance && a.transaction == b.transaction;
  }
  // Of one session: what the one does is the other's own, unless their transactions are open at the
  // same time, on connections that know nothing of each other.
  bool is_own(std::size_t a, std::size_t b) const;
  AppliedLevel level(std::size_t point) const { return points_[point].level; }
  // Of two instances, whether the first one had ended before the second one began: one of the
  // prefix.
  bool precedes(std::size_t a, std::size_t b) const;
  std::optional<Term> by_prefix(std::size_t a, std::size_t b) const;
  OrderPoint as_here(const OrderPoint& point) const;
  std::string name(const std::string& of) const { return across_ ? "across " + of : of; }
  Times times_of(const OrderPoint& point);
  Term start(std::size_t point) const { return times_[point].start; }
  Term snapshot(std::size_t point) const { return times_[point].snapshot; }
  Term own(std::size_t writer, std::size_t reader);
  Term sees_by_condition(std::size_t writer, std::size_t reader);
  Term sees_if_earlier(std::size_t writer, std::size_t reader);
  std::optional<std::size_t> previous(std::size_t point, std::size_t OrderPoint::* by) const;
  void add_times(std::vector<Term>& axioms);
  void add_own_order(std::size_t a, std::vector<Term>& axioms);
  void add_end_of_earlier(std::size_t a, std::vector<Term>& axioms);
  void find_ways_apart();
  Term ends_later(std::size_t a) const;
  void add_end_on_way(std::size_t a, std::vector<Term>& axioms);
  void add_spans(std::size_t a, std::vector<Term>& axioms);
  void add_late_snapshot(std::size_t a, std::vector<Term>& axioms);
  void add_redis_times(std::vector<Term>& axioms);
  std::vector<std::size_t> representatives() const;
  void add_visibility(std::vector<Term>& axioms);
  void add_arbitration(std::vector<Term>& axioms);
  void add_pair(std::size_t a, std::size_t b, const Meeting& meeting, std::vector<Term>& axioms);
  void add_later_write(std::size_t a, std::size_t b, const Meeting& meeting,
                       std::vector<Term>& axioms);
  void add_triple(std::size_t a, std::size_t b, std::size_t c, std::vector<Term>& axioms);

  Terms& terms_;
  std::optional<AppliedLevel> across_;
  std::set<std::size_t> ways_apart_;  // instances
  std::vector<OrderPoint> points_;
  std::vector<Times> times_;                                        // of each point
  std::map<std::pair<std::size_t, std::size_t>, Term> conditions_;  // of sees_by_condition()
};

}  // namespace heddle::find
