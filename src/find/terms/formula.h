// A cycle of operations as a formula: satisfiable when there are rows, arguments, a visibility and
// an arbitration that make each of its dependencies one.
//
// Each dependency is about one row, which its two statements meet on: the reader's predicate holds
// of it as the reader sees it, the writer's as the writer does. Rows that are named by equal keys
// are equal, because a row's cells are functions of its key. What a reader sees of a cell that
// others may have changed meanwhile is any value, unless the cycle itself says whose.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "find/terms/conflicts.h"
#include "find/terms/group.h"
#include "find/terms/known_constraints.h"
#include "find/terms/order.h"
#include "find/terms/row_effects.h"
#include "find/terms/sight.h"
#include "find/terms/unfold.h"

namespace heddle::find {

// A dependency between two events.
struct PlacedEdge {
  const Conflict* conflict = nullptr;
  std::size_t from = 0;  // instances
  std::size_t from_event = 0;
  std::size_t to = 0;
  std::size_t to_event = 0;

  friend bool operator==(const PlacedEdge&, const PlacedEdge&) = default;
};

class CycleFormula {
 public:
  // All outlive it.
  CycleFormula(Evaluator& evaluator, Rows& rows, const std::vector<Instance>& instances,
               const KnownConstraints& constraints);

  // Whether the reader of a rw may have seen what the writer's transaction wrote and rolled back.
  bool may_be_withdrawn(const PlacedEdge& edge) const;
  // Whether a level forbids such cycles by definition, or who ends in an error would go on.
  bool is_ruled_out(const std::vector<PlacedEdge>& edges) const;
  // What the levels alone say of a cycle of this shape, rows set aside. Equal shapes have equal
  // answers.
  std::string shape(const std::vector<PlacedEdge>& edges) const;
  Term order_alone(const std::vector<PlacedEdge>& edges);

  // What is looked at besides the operations of the cycle: those of their transactions that matter
  // for them. Every statement takes part where somebody says what each of them sees
  // (closed_world.h).
  enum class Scope : std::uint8_t { whole_transactions, every_statement };
  // A condition for each edge, and one for all of them; with what was unfolded (Unfolding::facts)
  // they decide. What cannot hold of some edges holds of no more of them. What is said of the cycle
  // as a whole may not hold of some of its edges.
  struct Parts {
    std::vector<Term> edges;
    Term common;
    Term whole;
  };
  Parts build(const std::vector<PlacedEdge>& edges, Scope scope);
  // Instead of one cycle, any of these edges: what holds whichever of them do.
  std::vector<Term> begin(const std::vector<PlacedEdge>& edges);
  // Whether one of them holds, on a row of that name; with what holds of all of them it is never
  // more than build() says.
  Term edge_alone(const PlacedEdge& edge, const std::string& row);
  // Whether another dependency between events of the last build() holds on one of its rows.
  Term holds_within(const PlacedEdge& edge);
  // Of a rw between events of the last build(): whether its reader found that row.
  Term finds(const PlacedEdge& edge, const RowKey& key);
  // The rows on which the edges of the last build() meet.
  const std::vector<RowKey>& keys() const { return keys_; }
  // Of the last build().
  Order& order() { return orders_.front(); }

 private:
  // Of a wr or rw dependency.
  struct Ends {
    const Event* reader = nullptr;
    const Event* writer = nullptr;
    std::size_t reader_at = 0;  // sources
    std::size_t writer_at = 0;
    std::size_t reader_point = 0;
    std::size_t writer_point = 0;
    AppliedLevel level;  // of the reader
    const std::vector<std::string>* columns = nullptr;

    std::string reader_viewer() const { return viewer_at(*reader, reader_at); }
    const RowSource& reader_source() const { return reader->form->sources[reader_at]; }
    const RowSource& writer_source() const { return writer->form->sources[writer_at]; }
    bool removes_rows() const { return writer->form->removes(writer_at); }
    // Rows that a statement writes or locks it reads as they are when it gets the lock.
    bool reads_newest() const {
      if (!reader_source().is_checked()) return takes(reader_source());
      return sights_of(*reader, reader_source(), level).found == Sight::newest;
    }
  };

  const Event& event(std::size_t instance, std::size_t index) const {
    return instances_[instance].unfolding->events[index];
  }
  OrderPoint point_of(std::size_t instance, std::size_t index) const;
  bool precedes_reads(std::size_t instance, std::size_t index) const;
  bool is_first(std::size_t instance, std::size_t index) const;
  const std::string& table_of(const PlacedEdge& edge) const;
  bool may_be_predicate(const PlacedEdge& edge) const;
  bool is_of_transactions(const std::vector<PlacedEdge>& edges) const;
  bool all_entered(const std::vector<PlacedEdge>& edges,
                   const std::function<bool(AppliedLevel)>& is_such) const;
  bool rules_out_item_cycles(const std::vector<PlacedEdge>& edges) const;
  // An event.
  struct Place {
    std::size_t instance = 0;
    std::size_t event = 0;
  };
  std::optional<Place> refused_at(const PlacedEdge& edge) const;
  bool goes_on_refused(const std::vector<PlacedEdge>& edges) const;
  bool is_ruled_out_across(const std::vector<PlacedEdge>& edges) const;
  Term misses_a_row(const std::vector<PlacedEdge>& edges);
  bool is_used_elsewhere(const std::string& table, std::size_t instance) const;

  // What a writer does to the row of a dependency, and when.
  struct Effect {
    StatementKind kind = StatementKind::update;
    Term when;
    std::vector<std::string> columns;  // that it writes and that matter
  };

  // What an UPDATE leaves in a column that grows.
  struct Growth {
    std::size_t writer = 0;  // the point
    const std::string& column;
    const SqlValue& value;
  };
  Term look_for_one_key(const Event& first, const Event& second);
  void add_growth(Order& order, std::vector<Term>& axioms);
  // How somebody who has looked at a row before looks at it again: whatever it sees then, what it
  // saw before but for its own changes, or as it is later on.
  enum class SecondLook : std::uint8_t { open, same, later };
  // A statement that looks at rows of a table.
  struct Look {
    const Event* event = nullptr;
    std::size_t source = 0;
    std::size_t point = 0;

    const RowSource& of() const { return event->form->sources[source]; }
    std::string viewer() const { return viewer_at(*event, source); }
  };
  SecondLook second_look(const OrderPoint& first, std::size_t s, const OrderPoint& second,
                         std::size_t t) const;
  std::optional<std::vector<SqlValue>> values_left(const RowSource& of, const std::string& column,
                                                   const RowKey& key);
  Term same_cell(const SqlValue& a, const SqlValue& b);
  Term sees_again(const Look& first, const Look& second, SecondLook look, const std::string& column,
                  const RowKey& key, Order& order);
  void add_second_look(Order& order, std::size_t a, std::size_t b, std::vector<Term>& holds);
  Term see_the_same(const Look& one, const Look& other, const RowKey& key);
  void add_unchanged(Order& order, std::size_t looking, std::size_t taking,
                     std::vector<Term>& holds);
  void add_seen_cells(Order& order, std::vector<Term>& holds);
  bool has_written_before(const OrderPoint& point, const std::string& table) const;
  Term sees_growth(const Growth& of, std::size_t reader, Order& order);

  Term replaces(const Event& other, std::size_t at, const Ends& ends, const RowKey& key);
  Ends ends_of(const PlacedEdge& edge, Order& order) const;
  std::vector<Order> new_orders() const;
  Term is_visible(std::size_t writer, const Ends& ends, bool reads_newest, Order& order) const;
  Term others_are_older(const Ends& ends, const RowKey& key, bool reads_newest, Order& order);
  std::vector<Effect> effects_of(const Ends& ends, const RowKey& key);
  std::map<std::string, SqlValue> written_cells(const Ends& ends, const Effect& effect,
                                                const RowKey& key);
  using EffectTerm = Term (CycleFormula::*)(const Ends&, const Effect&, const RowKey&, Order&);
  Term by_some_effect(const PlacedEdge& edge, const RowKey& key, Order& order, EffectTerm holds);
  Term flows(const Ends& ends, const Effect& effect, const RowKey& key, Order& order);
  Term outdates(const Ends& ends, const Effect& effect, const RowKey& key, Order& order);
  Term have_one_key(const Event& first, const NamedLock& one, const Event& second,
                    const NamedLock& other);
  Term has_got(const Event& event, const NamedLock& lock) const;
  Term same_names(const Event& first, const NamedLock& one, const Event& second,
                  const NamedLock& other);
  Term locked_out(const OrderPoint& a, const OrderPoint& b);
  Term let_in(const Order& order, std::size_t a, std::size_t b);
  Term is_released(const Order& order, std::size_t a, const NamedLock& lock, std::size_t b);
  bool meets_lock(std::size_t instance, std::size_t index) const;
  static bool keeps_gaps(const Ends& ends);
  Term has_come_to(const Event& event, std::size_t source, const RowKey& key);
  Term is_passed_over(const Ends& ends, const RowKey& key, Order& order);
  Term passes_in_vain(const Ends& ends, const RowKey& key, Order& order);
  static bool excludes(const Event& first, std::size_t s, const Event& second, std::size_t t);
  Term withdraws(const PlacedEdge& edge, const RowKey& key, Order& order);
  Term overwrites(const PlacedEdge& edge, const RowKey& key, Order& order);
  Term edge_holds(const PlacedEdge& edge, const RowKey& key);
  Term edge_holds(const PlacedEdge& edge, const RowKey& key, Order& order);
  Term reader_finds(const PlacedEdge& edge, const RowKey& key);
  // An INSERT or DELETE of a row, as somebody sees it.
  struct RowChange {
    std::size_t point = 0;
    bool makes = false;
    Term may_be_seen;
    Term must_be_seen;
  };
  std::vector<RowChange> row_changes(const Event& viewer, const RowSource& of, std::size_t point,
                                     const RowKey& key, Order& order);
  Term existence(const Event& viewer, std::size_t point, std::size_t source, const RowKey& key,
                 Order& order);
  Term possible_existence(const OrderPoint& viewer, std::size_t source, const RowKey& key,
                          const Order& order);
  void add_row_changes(const std::vector<PlacedEdge>& edges, Order& order);
  bool leads_to_end(std::size_t instance, std::size_t index, const std::vector<PlacedEdge>& edges);
  // Of all statements, or of those alone that lead to the edges'.
  enum class Viewers : std::uint8_t { all, leading };
  void add_existence(const std::vector<PlacedEdge>& edges, Viewers viewers, Order& order,
                     std::vector<Term>& holds);
  // Whether somebody deletes rows of the table.
  bool loses_rows(const std::string& table) const;
  void add_made_rows(Order& order, std::vector<Term>& axioms);
  void leave_other_ways(const std::vector<PlacedEdge>& edges);
  bool may_run(std::size_t instance, std::size_t index) const {
    return may_run_.empty() || may_run_[instance][index];
  }
  bool orders_others(const Order& order) const;
  void add_other_writers(Order& order);
  void add_ends(const std::vector<PlacedEdge>& edges, Order& order) const;
  void add_all(Order& order);
  void add_agreement(const Order::SameRow& same_row, std::vector<Term>& axioms);
  std::vector<Term> user_axioms(Order& order, const Order::SameRow& same_row);
  Term order_alone(const std::vector<PlacedEdge>& edges, Order& order) const;
  Term same_row(const OrderPoint& a, const OrderPoint& b, const std::vector<PlacedEdge>& edges);
  enum class ByLock : std::uint8_t { no, yes };
  Term refers(const OrderPoint& changer, const OrderPoint& referring,
              const std::vector<PlacedEdge>& edges, ByLock by_lock);
  Term makes_row(const OrderPoint& point);
  Term gives_key_to(const Event& making, const Event& checking);
  Term same_unique_key(const OrderPoint& a, const OrderPoint& b);
  Order::Meeting meeting_in(const Order& order, const std::vector<PlacedEdge>& edges);

  Evaluator& evaluator_;
  Terms& terms_;
  Rows& rows_;
  RowEffects effects_;
  const std::vector<Instance>& instances_;
  const KnownConstraints& constraints_;
  std::vector<RowKey> keys_;
  std::vector<std::string> tables_;  // of these
  // In holds_within(): what a check of keys does not look at may be anything.
  bool is_within_ = false;
  // By instances and events; empty: all may. What cannot run beside what the last build() was about
  // is no part of it.
  std::vector<std::vector<bool>> may_run_;
  // Of the last build(): that of the levels, and that of the guarantee across transactions, if any.
  std::vector<Order> orders_;
};

}  // namespace heddle::find
