#include "find/terms/formula.h"

#include <algorithm>

#include <fmt/format.h>

#include "find/terms/row_effects.h"
#include "find/terms/sight.h"

namespace heddle::find {

namespace {

bool has_column(const std::vector<std::string>& columns, const std::string& column) {
  return std::ranges::find(columns, column) != columns.end() ||
         std::ranges::find(columns, "*") != columns.end();
}

// The columns of a conflict on which the reader's predicate depends.
std::vector<std::string> predicate_columns(const std::vector<std::string>& of_conflict,
                                           const RowSource& reader) {
  std::vector<std::string> columns;
  for (const std::string& column : of_conflict) {
    if (has_column(reader.predicate_columns, column)) columns.push_back(column);
  }
  return columns;
}

bool never_waits(const StatementForm& form) {
  return std::ranges::none_of(
      form.sources, [](const RowSource& source) { return takes(source) && !source.skips_locked; });
}

}  // namespace

CycleFormula::CycleFormula(Evaluator& evaluator, Rows& rows, const std::vector<Instance>& instances,
                           const KnownConstraints& constraints)
    : evaluator_(evaluator),
      terms_(evaluator.terms()),
      rows_(rows),
      effects_(evaluator, rows),
      instances_(instances),
      constraints_(constraints) {}

OrderPoint CycleFormula::point_of(std::size_t instance, std::size_t index) const {
  const Event& of = event(instance, index);
  const bool locks = std::ranges::any_of(of.form->sources, &RowSource::is_locked);
  const bool exclusive = std::ranges::any_of(of.form->sources, [](const RowSource& source) {
    return source.is_locked && !source.is_shared;
  });
  return {.instance = instance,
          .event = index,
          .transaction = of.transaction,
          .writes = of.form->writes(),
          .locks = locks,
          .exclusive = exclusive,
          .makes = of.form->kind == StatementKind::insert,
          .checks = of.form->checks_keys || of.form->asks_index,
          .removes = of.form->deletes(),
          .asks_referring = of.form->has(SourceRole::referring),
          .only_locks = of.form->only_locks,
          .never_waits = locks && never_waits(*of.form),
          .is_first = is_first(instance, index),
          .precedes_reads = precedes_reads(instance, index),
          .is_early = instances_[instance].is_early,
          .is_redis = of.is_redis,
          .open_transaction = of.open_transaction,
          .span = of.span,
          .runs = of.guard,
          .lasts = lasts(of, terms_),
          .level = instances_[instance].levels[index]};
}

std::vector<Order> CycleFormula::new_orders() const {
  std::vector<Order> orders = {Order(terms_)};
  if (instances_.front().across) orders.emplace_back(terms_, instances_.front().across);
  return orders;
}

bool CycleFormula::may_be_predicate(const PlacedEdge& edge) const {
  if (edge.conflict->kind != DependencyKind::rw) return false;
  const Event& reader = event(edge.from, edge.from_event);
  const StatementForm& writer = *event(edge.to, edge.to_event).form;
  return writer.makes(edge.conflict->to_source) ||
         !predicate_columns(edge.conflict->columns,
                            reader.form->sources[edge.conflict->from_source])
              .empty();
}

// One rw at least is of a row that was not read, and would have been: the predicate alone reads it.
Term CycleFormula::misses_a_row(const std::vector<PlacedEdge>& edges) {
  std::vector<Term> ways;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].conflict->kind != DependencyKind::rw) continue;
    ways.push_back(terms_.negate(finds(edges[i], keys_[i])));
  }
  return terms_.any(ways);
}

// Whether the reader sees what the writer wrote in a row that it reads: where it locks or writes
// the row itself, it sees the newest version.
Term CycleFormula::is_visible(std::size_t writer, const Ends& ends, bool reads_newest,
                              Order& order) const {
  const std::size_t reader = ends.reader_point;
  if (!reads_newest) return order.sees(writer, reader);
  if (ends.reader_source().is_in_the_way()) return order.finds_referring(writer, reader);
  return order.points()[writer].removes ? order.knows_gone(writer, reader)
                                        : order.sees_now(writer, reader);
}

// When another write of the row leaves nothing of what the writer does to it. That it is gone no
// UPDATE changes, nor an INSERT that changes the row in its way.
Term CycleFormula::replaces(const Event& other, std::size_t at, const Ends& ends,
                            const RowKey& key) {
  const StatementForm& form = *other.form;
  const RowSource& source = form.sources[at];
  if (ends.removes_rows()) {
    return terms_.all(terms_.truth(form.removes(at) || form.makes(at)),
                      terms_.negate(effects_.changes_instead(other, at, key)));
  }
  const auto covers = [&](const auto& writes) {
    return terms_.truth(std::ranges::all_of(*ends.columns, writes));
  };
  const Term wholly =
      covers([&](const std::string& column) { return has_column(source.written_columns, column); });
  if (!form.updates_row()) return wholly;
  const Term in_part = covers([&](const std::string& column) {
    return std::ranges::find(form.updates, column, &Assignment::column) != form.updates.end();
  });
  return terms_.any(in_part,
                    terms_.all(wholly, terms_.negate(rows_.exists(other.viewer, source, key))));
}

// What else the reader sees in the row is older than the writer's.
Term CycleFormula::others_are_older(const Ends& ends, const RowKey& key, bool reads_newest,
                                    Order& order) {
  std::vector<Term> holds;
  for (std::size_t i = 0; i < order.points().size(); ++i) {
    const OrderPoint& point = order.points()[i];
    if (i == ends.writer_point || i == ends.reader_point || !point.writes) continue;
    if (order.leaves_old_row(ends.writer_point, i, ends.reader_point)) continue;
    const Event& other = event(point.instance, point.event);
    for (std::size_t s = 0; s < other.form->sources.size(); ++s) {
      const RowSource& source = other.form->sources[s];
      if (!source.is_written || source.name != ends.writer_source().name) continue;
      const Term covers = replaces(other, s, ends, key);
      if (terms_.is_false(covers)) continue;
      const Term is_there = order.is_there(i, ends.reader_point);
      holds.push_back(terms_.implies(terms_.all({covers, is_visible(i, ends, reads_newest, order),
                                                 is_there, effects_.touches(other, s, key)}),
                                     order.before(i, ends.writer_point)));
    }
  }
  return terms_.all(holds);
}

CycleFormula::Ends CycleFormula::ends_of(const PlacedEdge& edge, Order& order) const {
  const Conflict& conflict = *edge.conflict;
  const bool reads_first = conflict.kind == DependencyKind::rw;
  Ends ends;
  ends.columns = &conflict.columns;
  ends.reader =
      &event(reads_first ? edge.from : edge.to, reads_first ? edge.from_event : edge.to_event);
  ends.writer =
      &event(reads_first ? edge.to : edge.from, reads_first ? edge.to_event : edge.from_event);
  ends.reader_at = reads_first ? conflict.from_source : conflict.to_source;
  ends.writer_at = reads_first ? conflict.to_source : conflict.from_source;
  const std::size_t from = order.add(point_of(edge.from, edge.from_event));
  const std::size_t to = order.add(point_of(edge.to, edge.to_event));
  ends.reader_point = reads_first ? from : to;
  ends.writer_point = reads_first ? to : from;
  ends.level = order.points()[ends.reader_point].level;
  return ends;
}

// An INSERT that may change the row in its way does one of two things.
std::vector<CycleFormula::Effect> CycleFormula::effects_of(const Ends& ends, const RowKey& key) {
  const StatementForm& form = *ends.writer->form;
  const StatementKind kind = form.kind_at(ends.writer_at);
  if (kind != StatementKind::insert) return {{kind, terms_.truth(true), *ends.columns}};
  const std::vector<std::string>& all = ends.writer_source().written_columns;
  if (!form.updates_row()) return {{StatementKind::insert, terms_.truth(true), all}};
  const Term is_there = rows_.exists(ends.writer->viewer, ends.writer_source(), key);
  std::vector<Effect> effects = {{StatementKind::insert, terms_.negate(is_there), all}};
  Effect update{StatementKind::update, is_there, {}};
  for (const Assignment& one : form.updates) {
    if (has_column(*ends.columns, one.column)) update.columns.push_back(one.column);
  }
  if (!update.columns.empty()) effects.push_back(std::move(update));
  return effects;
}

// The cells as the writer leaves them, where it writes them.
std::map<std::string, SqlValue> CycleFormula::written_cells(const Ends& ends, const Effect& effect,
                                                            const RowKey& key) {
  std::map<std::string, SqlValue> cells;
  for (const std::string& column : effect.columns) {
    if (auto value = effects_.written(*ends.writer, ends.writer_at, column, key)) {
      cells.emplace(column, *value);
    }
  }
  return cells;
}

// By one of the things that the writer may do.
Term CycleFormula::by_some_effect(const PlacedEdge& edge, const RowKey& key, Order& order,
                                  EffectTerm holds) {
  Ends ends = ends_of(edge, order);
  std::vector<Term> ways;
  for (const Effect& effect : effects_of(ends, key)) {
    if (effect.kind == StatementKind::update) ends.columns = &effect.columns;
    ways.push_back(terms_.all(effect.when, (this->*holds)(ends, effect, key, order)));
  }
  return terms_.any(ways);
}

// wr: the reader sees the writer's version of the row, or that it is gone.
Term CycleFormula::flows(const Ends& ends, const Effect& effect, const RowKey& key, Order& order) {
  const RowView seen{.viewer = ends.reader_viewer(), .key = key};
  const Term match = effects_.takes(*ends.reader, ends.reader_at, seen);
  const Sights sights = sights_of(*ends.reader, ends.reader_source(), ends.level);
  // That a row is gone is seen of rows of the snapshot. Of one that does not match it is not known
  // whether it did in the snapshot.
  const bool sees_gone = sights.found == Sight::newest;
  const bool sees_all = sees_gone && sights.others == Sight::newest;
  const auto way = [&](Term what, bool reads_newest) {
    return terms_.all({what, is_visible(ends.writer_point, ends, reads_newest, order),
                       others_are_older(ends, key, reads_newest, order)});
  };
  if (ends.removes_rows()) {
    const Term gone = terms_.negate(rows_.exists(ends.reader_viewer(), ends.reader_source(), key));
    RowView there = seen;
    there.exists = terms_.truth(true);
    return way(terms_.all(gone, effects_.would_take(*ends.reader, ends.reader_at, there)),
               sees_gone);
  }
  const bool is_new = effect.kind == StatementKind::insert;
  std::vector<Term> equal;
  for (const auto& [column, value] : written_cells(ends, effect, key)) {
    if (is_new && rows_.updates(ends.writer_source(), column)) continue;
    const bool is_looked_at = !is_within_ || !ends.reader->form->checks_keys ||
                              has_column(ends.reader_source().predicate_columns, column);
    if (!is_looked_at) continue;
    const SqlValue cell = rows_.cell(ends.reader_viewer(), ends.reader_source(), column, key);
    equal.push_back(
        terms_.all(terms_.equal(cell.is_null, value.is_null),
                   terms_.any(value.is_null, evaluator_.compare("=", cell, value).holds)));
  }
  if (is_new) return way(terms_.all(match, terms_.all(equal)), ends.reads_newest());
  const Term some = equal.empty() ? terms_.truth(true) : terms_.any(equal);
  const Term found = way(terms_.all(match, some), ends.reads_newest());
  RowView before = seen;
  for (const std::string& column : predicate_columns(effect.columns, ends.reader_source())) {
    before.replaced.emplace(column,
                            rows_.cell(ends.writer->viewer, ends.writer_source(), column, key));
  }
  const bool is_refused_alone = ends.reader_source().role == SourceRole::taken;
  if (before.replaced.empty() || is_refused_alone) return found;
  const Term vanished =
      terms_.all(terms_.negate(match), effects_.would_take(*ends.reader, ends.reader_at, before));
  // That a row no longer matches is known as early as that it is gone.
  const bool is_referring = ends.reader_source().is_in_the_way();
  const Term knows = is_referring ? order.finds_referring(ends.writer_point, ends.reader_point)
                     : sees_all   ? order.knows_gone(ends.writer_point, ends.reader_point)
                                  : order.sees(ends.writer_point, ends.reader_point);
  return terms_.any(
      found, terms_.all({vanished, some, knows, others_are_older(ends, key, sees_all, order)}));
}

// rw: the reader does not see the writer's version, which would have changed what it read.
Term CycleFormula::outdates(const Ends& ends, const Effect& effect, const RowKey& key,
                            Order& order) {
  const RowView seen{.viewer = ends.reader_viewer(), .key = key};
  const bool others_newest =
      sights_of(*ends.reader, ends.reader_source(), ends.level).others == Sight::newest;
  const auto way = [&](Term what, bool reads_newest) {
    return terms_.all({what,
                       terms_.negate(is_visible(ends.writer_point, ends, reads_newest, order)),
                       others_are_older(ends, key, reads_newest, order)});
  };
  const Term is_outside = keeps_gaps(ends) ? terms_.less(order.times(ends.reader_point).end,
                                                         order.times(ends.writer_point).time)
                                           : terms_.truth(true);
  RowView after = seen;
  if (effect.kind == StatementKind::insert) {
    after.replaced = written_cells(ends, effect, key);
    after.exists = terms_.truth(true);
    const Term absent =
        terms_.negate(rows_.exists(ends.reader_viewer(), ends.reader_source(), key));
    return terms_.all(
        is_outside,
        way(terms_.all(absent, effects_.would_take(*ends.reader, ends.reader_at, after)),
            others_newest));
  }
  const Term match = effects_.takes(*ends.reader, ends.reader_at, seen);
  const Term found = way(match, ends.reads_newest());
  const bool chooses = effect.kind == StatementKind::update &&
                       !predicate_columns(effect.columns, ends.reader_source()).empty();
  // That a key is still free is read by nobody, as for an INSERT.
  const bool is_kept = ends.reader_source().role == SourceRole::taken;
  if (!chooses || is_kept) return found;
  after.replaced = written_cells(ends, effect, key);
  const Term missed =
      terms_.all(terms_.negate(match), effects_.would_take(*ends.reader, ends.reader_at, after));
  return terms_.any(found, terms_.all(is_outside, way(missed, others_newest)));
}

// Whether the reader of a rw found the row that the writer changes; else its predicate alone reads
// it.
Term CycleFormula::finds(const PlacedEdge& edge, const RowKey& key) {
  const Event& reader = event(edge.from, edge.from_event);
  const std::size_t source = edge.conflict->from_source;
  return effects_.takes(reader, source, {.viewer = viewer_at(reader, source), .key = key});
}

// ww: both write the row, the first one earlier. No two transactions insert one row unless neither
// knows of the other.
Term CycleFormula::overwrites(const PlacedEdge& edge, const RowKey& key, Order& order) {
  const Event& first = event(edge.from, edge.from_event);
  const Event& second = event(edge.to, edge.to_event);
  const std::size_t from = order.add(point_of(edge.from, edge.from_event));
  const std::size_t to = order.add(point_of(edge.to, edge.to_event));
  std::vector<Term> holds = {order.before(from, to),
                             effects_.touches(first, edge.conflict->from_source, key)};
  if (second.form->makes(edge.conflict->to_source) && !second.form->on_conflict) {
    const bool checks_keys = is_timed(instances_[edge.to].levels[edge.to_event]);
    const bool is_new = effects_.makes_new_row(first, edge.conflict->from_source) ||
                        effects_.makes_new_row(second, edge.conflict->to_source);
    const bool first_inserts = first.form->makes(edge.conflict->from_source);
    if (first_inserts && (checks_keys || is_new)) return terms_.truth(false);
    if (first_inserts) {
      holds.push_back(terms_.negate(order.sees(from, to)));
    }
  }
  return terms_.all(holds);
}

// In each order.
Term CycleFormula::edge_holds(const PlacedEdge& edge, const RowKey& key) {
  std::vector<Term> holds;
  for (Order& order : orders_) holds.push_back(edge_holds(edge, key, order));
  return terms_.all(holds);
}

bool CycleFormula::may_be_withdrawn(const PlacedEdge& edge) const {
  return edge.conflict->kind == DependencyKind::rw && edge.from != edge.to &&
         !terms_.is_false(event(edge.to, edge.to_event).undone) &&
         shows_uncommitted(instances_[edge.from].levels[edge.from_event]);
}

// rw: to roll back is to write what was there before, after the reader has seen what is undone so.
Term CycleFormula::withdraws(const PlacedEdge& edge, const RowKey& key, Order& order) {
  const Ends ends = ends_of(edge, order);
  return terms_.all({ends.writer->undone, order.is_there(ends.writer_point, ends.reader_point),
                     by_some_effect(edge, key, order, &CycleFormula::flows)});
}

Term CycleFormula::edge_holds(const PlacedEdge& edge, const RowKey& key, Order& order) {
  const Event& from = event(edge.from, edge.from_event);
  const Event& to = event(edge.to, edge.to_event);
  std::vector<Term> holds = {from.guard, to.guard};
  const auto is_there = [&] {
    const Ends ends = ends_of(edge, order);
    return order.is_there(ends.writer_point, ends.reader_point);
  };
  if (edge.conflict->kind != DependencyKind::ww) {
    const Ends ends = ends_of(edge, order);
    // Who finds a key taken is refused.
    if (ends.reader_source().role == SourceRole::taken) holds.push_back(ends.reader->refused);
  }
  switch (edge.conflict->kind) {
    case DependencyKind::wr:
      holds.push_back(
          terms_.all(is_there(), edge.conflict->by_lock
                                     ? is_passed_over(ends_of(edge, order), key, order)
                                     : by_some_effect(edge, key, order, &CycleFormula::flows)));
      break;
    case DependencyKind::rw: {
      if (edge.conflict->by_lock) {
        holds.push_back(passes_in_vain(ends_of(edge, order), key, order));
        break;
      }
      const Term misses =
          terms_.all(lasts(to, terms_), by_some_effect(edge, key, order, &CycleFormula::outdates));
      holds.push_back(may_be_withdrawn(edge) ? terms_.any(misses, withdraws(edge, key, order))
                                             : misses);
      break;
    }
    default:
      // What is rolled back is as if nobody had written it.
      holds.push_back(
          terms_.all({lasts(from, terms_), lasts(to, terms_), overwrites(edge, key, order)}));
      break;
  }
  if (edge.conflict->kind != DependencyKind::rw) {
    holds.push_back(effects_.touches(from, edge.conflict->from_source, key));
  }
  if (edge.conflict->kind != DependencyKind::wr) {
    holds.push_back(effects_.touches(to, edge.conflict->to_source, key));
  }
  return terms_.all(holds);
}

// A query that finds a row has a result, unless it drops some.
Term CycleFormula::reader_finds(const PlacedEdge& edge, const RowKey& key) {
  if (edge.conflict->kind == DependencyKind::ww) return terms_.truth(true);
  const bool reads_first = edge.conflict->kind == DependencyKind::rw;
  const Event& reader =
      event(reads_first ? edge.from : edge.to, reads_first ? edge.from_event : edge.to_event);
  const std::size_t source = reads_first ? edge.conflict->from_source : edge.conflict->to_source;
  if (reader.form->kind == StatementKind::insert || reader.form->named_sources() != 1) {
    return terms_.truth(true);
  }
  const RowSource& looked_at = reader.form->sources[source];
  if (reader.form->drops_rows || !looked_at.is_named() || looked_at.is_inner) {
    return terms_.truth(true);
  }
  const RowView seen{.viewer = reader.viewer, .key = key};
  return terms_.implies(effects_.matches(reader, source, seen), reader.has_result);
}

const std::string& CycleFormula::table_of(const PlacedEdge& edge) const {
  return event(edge.from, edge.from_event).form->sources[edge.conflict->from_source].name;
}

// Versions of a row have one order, however it is explained.
void CycleFormula::add_agreement(const Order::SameRow& same_row, std::vector<Term>& axioms) {
  if (orders_.size() < 2) return;
  Order& first = orders_.front();
  Order& second = orders_.back();
  for (std::size_t a = 0; a < first.points().size(); ++a) {
    for (std::size_t b = 0; b < first.points().size(); ++b) {
      const OrderPoint& one = first.points()[a];
      const OrderPoint& other = first.points()[b];
      if (one.instance >= other.instance || !one.writes || !other.writes) continue;
      const auto here = second.find(one);
      const auto there = second.find(other);
      if (!here || !there) continue;
      axioms.push_back(terms_.implies(
          same_row(a, b), terms_.equal(first.before(a, b), second.before(*here, *there))));
    }
  }
}

CycleFormula::Parts CycleFormula::build(const std::vector<PlacedEdge>& edges, Scope scope) {
  orders_ = new_orders();
  rows_.name_rows_again();
  tables_.clear();
  keys_.clear();
  const bool is_whole = scope == Scope::whole_transactions;
  const bool speaks_of_all = is_whole && !constraints_.axioms.empty();
  may_run_.clear();
  if (is_whole && !speaks_of_all) leave_other_ways(edges);
  for (Order& order : orders_) {
    add_ends(edges, order);
    if (is_whole) {
      add_other_writers(order);
      add_row_changes(edges, order);
    }
    if (scope == Scope::every_statement || speaks_of_all) add_all(order);
  }
  Parts parts;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const PlacedEdge& edge = edges[i];
    const RowSource& source =
        event(edge.from, edge.from_event).form->sources[edge.conflict->from_source];
    keys_.push_back(rows_.fresh_key(source, fmt::format("row {}", i)));
    tables_.push_back(source.name);
    parts.edges.push_back(
        terms_.all(edge_holds(edge, keys_.back()), reader_finds(edge, keys_.back())));
  }
  std::vector<Term> common;
  for (Order& order : orders_) {
    if (!is_whole) continue;
    add_existence(edges, Viewers::all, order, common);
    add_seen_cells(order, common);
  }
  parts.whole = rules_out_item_cycles(edges) ? misses_a_row(edges) : terms_.truth(true);
  for (Order& order : orders_) {
    for (const Term axiom : order.axioms(meeting_in(order, edges))) common.push_back(axiom);
    add_made_rows(order, common);
    add_growth(order, common);
  }
  const Order::SameRow same = meeting_in(order(), edges).same_row;
  add_agreement(same, common);
  for (const Term axiom : user_axioms(order(), same)) common.push_back(axiom);
  parts.common = terms_.all(common);
  return parts;
}

std::vector<Term> CycleFormula::begin(const std::vector<PlacedEdge>& edges) {
  orders_ = new_orders();
  may_run_.clear();
  rows_.name_rows_again();
  std::vector<Term> axioms;
  for (Order& order : orders_) {
    add_ends(edges, order);
    add_all(order);
    for (const Term axiom : order.axioms(meeting_in(order, {}))) axioms.push_back(axiom);
    add_made_rows(order, axioms);
    add_growth(order, axioms);
  }
  add_agreement(meeting_in(order(), {}).same_row, axioms);
  return axioms;
}

Term CycleFormula::edge_alone(const PlacedEdge& edge, const std::string& row) {
  const RowKey key = rows_.fresh_key(
      event(edge.from, edge.from_event).form->sources[edge.conflict->from_source], row);
  rows_.name_rows_again();
  tables_ = {table_of(edge)};
  keys_ = {key};
  std::vector<Term> holds = {edge_holds(edge, key), reader_finds(edge, key)};
  for (Order& order : orders_) {
    add_existence({edge}, Viewers::leading, order, holds);
    add_seen_cells(order, holds);
  }
  return terms_.all(holds);
}

std::vector<Term> CycleFormula::user_axioms(Order& order, const Order::SameRow& same_row) {
  std::vector<AxiomOperation> operations;
  for (const OrderPoint& point : order.points()) {
    operations.push_back({.functionality = instances_[point.instance].functionality,
                          .instance = point.instance,
                          .index = point.event,
                          .event = &event(point.instance, point.event)});
  }
  const auto sees = [&](std::size_t a, std::size_t b) { return order.sees(a, b); };
  const auto before = [&](std::size_t a, std::size_t b) { return order.before(a, b); };
  return instances_of(constraints_, terms_, operations, {sees, before, same_row});
}

Term CycleFormula::holds_within(const PlacedEdge& edge) {
  std::vector<Term> ways;
  is_within_ = true;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (tables_[i] == table_of(edge)) ways.push_back(edge_holds(edge, keys_[i]));
  }
  is_within_ = false;
  return terms_.any(ways);
}

}  // namespace heddle::find
