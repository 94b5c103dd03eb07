#include "find/reference/dependencies.h"

#include <algorithm>
#include <utility>

namespace heddle::find {

namespace {

// In place of a column: whether the row is there.
const std::string kRowItself;

bool inserts(const Event& event) { return event.form->kind == StatementKind::insert; }
bool inserts(const Event& event, std::size_t source) { return event.form->makes(source); }
bool is_deletion(const Event& event, std::size_t source) { return event.form->removes(source); }
bool is_change_of_rows(const Event& event, std::size_t source) {
  return !event.form->updates_rows(source);
}

std::set<std::string> columns_read(const RowSource& source) {
  std::set<std::string> columns(source.predicate_columns.begin(), source.predicate_columns.end());
  columns.insert(source.output_columns.begin(), source.output_columns.end());
  return columns;
}

std::set<std::string> columns_updated(const Event& event) {
  std::set<std::string> columns;
  for (const Assignment& update : event.form->updates) columns.insert(update.column);
  return columns;
}

std::set<std::string> columns_written(const RowSource& source) {
  return {source.written_columns.begin(), source.written_columns.end()};
}

std::set<std::string> shared(const std::set<std::string>& a, const std::set<std::string>& b) {
  if (a.contains("*")) return b;
  if (b.contains("*")) return a;
  std::set<std::string> both;
  for (const std::string& column : a) {
    if (b.contains(column)) both.insert(column);
  }
  return both;
}

// What is changed by the values of the client alone is gone after a deletion in either order.
bool is_deaf_to(const Event& reader, std::size_t read, const Event& writer, std::size_t written) {
  return reader.form->is_blind && reader.form->sources[read].is_named() &&
         writer.form->kind_at(written) == StatementKind::delete_;
}

}  // namespace

Dependencies::Dependencies(Group& group, const std::vector<Operation>& operations,
                           Relations& relations)
    : terms_(group.terms()),
      evaluator_(group.evaluator()),
      rows_(group.rows()),
      effects_(group.evaluator(), group.rows()),
      operations_(operations),
      relations_(relations) {}

std::vector<Dependency> Dependencies::possible() const {
  std::vector<Dependency> all;
  for (std::size_t a = 0; a < operations_.size(); ++a) {
    for (std::size_t b = 0; b < operations_.size(); ++b) {
      if (!relations_.same_session(a, b)) add_possible(a, b, all);
    }
  }
  return all;
}

void Dependencies::add_possible(std::size_t a, std::size_t b, std::vector<Dependency>& all) const {
  // What nobody knows may do to one table what it may do to another: one table stands for all.
  const bool one_is_enough = event(a).form->is_unknown && event(b).form->is_unknown;
  std::set<DependencyKind> known;
  for (std::size_t s = 0; s < event(a).form->sources.size(); ++s) {
    for (std::size_t t = 0; t < event(b).form->sources.size(); ++t) {
      const RowSource& one = source(a, s);
      const RowSource& other = source(b, t);
      if (one.name != other.name) continue;
      const auto add = [&](DependencyKind kind, std::set<std::string> columns, bool by_row) {
        if (columns.empty() && !by_row) return;
        if (one_is_enough && !known.insert(kind).second) return;
        all.push_back({kind, a, b, s, t, std::move(columns)});
      };
      // That a key is free, or becomes so, is read by nobody.
      const bool frees = other.role == SourceRole::taken && is_deletion(event(a), s);
      const bool is_taken_twice =
          event(a).form->takes_what_was_read && event(b).form->takes_what_was_read;
      if (one.is_written && other.is_read && !event(b).form->reads_idly && !frees &&
          (is_taken_twice || !is_deaf_to(event(b), t, event(a), s))) {
        add(DependencyKind::wr, shared(columns_written(one), columns_read(other)),
            is_change_of_rows(event(a), s));
      }
      const bool is_kept = one.role == SourceRole::taken && inserts(event(b), t);
      if (one.is_read && !event(a).form->reads_idly && other.is_written && !is_kept &&
          !is_deaf_to(event(a), s, event(b), t)) {
        add(DependencyKind::rw, shared(columns_read(one), columns_written(other)),
            is_change_of_rows(event(b), t));
      }
      const StatementForm& from = *event(a).form;
      const StatementForm& to = *event(b).form;
      const auto keys_of = [](const RowSource& source) {
        return std::set<std::string>(source.predicate_columns.begin(),
                                     source.predicate_columns.end());
      };
      if (one.is_written && to.checks_keys && other.is_written && !other.is_read &&
          !is_deletion(event(a), s)) {
        add(DependencyKind::wr, shared(columns_written(one), keys_of(other)), inserts(event(a), s));
      }
      if (other.is_written && from.checks_keys && one.is_written && !one.is_read &&
          !inserts(event(b), t)) {
        add(DependencyKind::rw, shared(keys_of(one), columns_written(other)),
            is_change_of_rows(event(b), t));
      }
      const bool both_delete = is_deletion(event(a), s) && is_deletion(event(b), t);
      if (one.is_written && other.is_written && !both_delete && !to.makes_numbered_rows(t)) {
        add(DependencyKind::ww, shared(columns_written(one), columns_written(other)),
            is_change_of_rows(event(a), s) || is_change_of_rows(event(b), t));
      }
    }
  }
}

// As if its writer did one thing only.
Dependencies::Sides Dependencies::only_sides_of(const Dependency& of) const {
  const bool reads_first = of.kind == DependencyKind::rw;
  Sides sides{.reader = reads_first ? of.from : of.to,
              .reader_source = reads_first ? of.from_source : of.to_source,
              .writer = reads_first ? of.to : of.from,
              .writer_source = reads_first ? of.to_source : of.from_source};
  sides.makes_row = inserts(event(sides.writer), sides.writer_source);
  sides.columns = of.columns;
  sides.when = terms_.truth(true);
  return sides;
}

std::vector<Dependencies::Sides> Dependencies::sides_of(const Dependency& of, const RowKey& row) {
  Sides makes = only_sides_of(of);
  const Event& writer = event(makes.writer);
  if (!writer.form->updates_row()) return {makes};
  const Term is_there = rows_.exists(writer.viewer, source(makes.writer, makes.writer_source), row);
  Sides changes = makes;
  makes.when = terms_.negate(is_there);
  changes.when = is_there;
  changes.makes_row = false;
  changes.columns = shared(of.columns, columns_updated(writer));
  if (changes.columns.empty()) return {makes};
  return {makes, changes};
}

// Where a row comes or goes, the row itself is what is read.
std::vector<std::string> Dependencies::touched(const Sides& sides) const {
  const bool removes = is_deletion(event(sides.writer), sides.writer_source);
  if (removes || sides.columns.empty()) return {kRowItself};
  return {sides.columns.begin(), sides.columns.end()};
}

// Runs, and writes that column of the row.
Term Dependencies::writes(std::size_t operation, const std::string& table,
                          const std::string& column, const RowKey& row) {
  std::vector<Term> ways;
  for (std::size_t s = 0; s < event(operation).form->sources.size(); ++s) {
    const RowSource& target = source(operation, s);
    if (!target.is_written || target.name != table) continue;
    const std::set<std::string> columns = columns_written(target);
    const Event& writer = event(operation);
    const bool is_meant =
        inserts(writer, s) || columns.contains("*") ||
        (column == kRowItself ? is_change_of_rows(writer, s) : columns.contains(column));
    if (!is_meant) continue;
    const bool is_always = !writer.form->updates_row() || columns_updated(writer).contains(column);
    ways.push_back(terms_.all(
        effects_.touches(writer, s, row),
        terms_.any(terms_.truth(is_always),
                   terms_.negate(rows_.exists(writer.viewer, source(operation, s), row)))));
  }
  return terms_.all(relations_.runs(operation), terms_.any(ways));
}

// Of the column's writes, those that the reader sees are older than the writer's.
Term Dependencies::follows_all_seen(const Sides& sides, const std::string& column,
                                    const RowKey& row) {
  const std::string& table = source(sides.writer, sides.writer_source).name;
  std::vector<Term> older;
  for (std::size_t other = 0; other < operations_.size(); ++other) {
    if (other == sides.writer || other == sides.reader || !operations_[other].writes()) continue;
    older.push_back(terms_.implies(
        terms_.all(relations_.vis(other, sides.reader), writes(other, table, column, row)),
        relations_.ar(other, sides.writer)));
  }
  return terms_.all(older);
}

// The reader's predicate holds of the row as it sees it.
Term Dependencies::matches(const Sides& sides, const RowKey& row) {
  const Event& reader = event(sides.reader);
  return effects_.matches(reader, sides.reader_source,
                          {.viewer = viewer_at(reader, sides.reader_source), .key = row});
}

// It reads the row: of those that match, where only the first one counts, that one.
Term Dependencies::finds(const Sides& sides, const RowKey& row) {
  const Event& reader = event(sides.reader);
  return effects_.takes(reader, sides.reader_source,
                        {.viewer = viewer_at(reader, sides.reader_source), .key = row});
}

std::map<std::string, SqlValue> Dependencies::written(const Sides& sides,
                                                      const std::set<std::string>& columns,
                                                      const RowKey& row) {
  std::map<std::string, SqlValue> cells;
  for (const std::string& column : columns) {
    if (auto value = effects_.written(event(sides.writer), sides.writer_source, column, row)) {
      cells.emplace(column, *value);
    }
  }
  return cells;
}

// Whether what is written decides which rows it finds.
bool Dependencies::chooses_by(const Sides& sides) const {
  const std::set<std::string>& columns = sides.columns;
  return std::ranges::any_of(
      source(sides.reader, sides.reader_source).predicate_columns,
      [&](const std::string& column) { return columns.contains(column) || columns.contains("*"); });
}

// It did not find the row, and would have found it as the writer leaves it.
Term Dependencies::finds_after(const Sides& sides, const RowKey& row) {
  const Event& reader = event(sides.reader);
  const RowSource& read = source(sides.reader, sides.reader_source);
  RowView after{.viewer = viewer_at(reader, sides.reader_source), .key = row};
  if (sides.makes_row) {
    after.replaced =
        written(sides, columns_written(source(sides.writer, sides.writer_source)), row);
    after.exists = terms_.truth(true);
    return terms_.all(
        terms_.negate(rows_.exists(viewer_at(reader, sides.reader_source), read, row)),
        effects_.would_take(reader, sides.reader_source, after));
  }
  const bool removes = is_deletion(event(sides.writer), sides.writer_source);
  if (removes || read.role == SourceRole::taken || !chooses_by(sides)) return terms_.truth(false);
  after.replaced = written(sides, sides.columns, row);
  return terms_.all(terms_.negate(finds(sides, row)),
                    effects_.would_take(reader, sides.reader_source, after));
}

// It would have found the row as the writer found it, and does not any more.
Term Dependencies::found_before(const Sides& sides, const RowKey& row) {
  const Event& reader = event(sides.reader);
  const Event& writer = event(sides.writer);
  const RowSource& read = source(sides.reader, sides.reader_source);
  RowView before{.viewer = viewer_at(reader, sides.reader_source), .key = row};
  if (sides.makes_row) return terms_.truth(false);
  if (is_deletion(writer, sides.writer_source)) {
    before.exists = terms_.truth(true);
    return terms_.all(
        terms_.negate(rows_.exists(viewer_at(reader, sides.reader_source), read, row)),
        effects_.would_take(reader, sides.reader_source, before));
  }
  if (read.role == SourceRole::taken || !chooses_by(sides)) return terms_.truth(false);
  for (const std::string& column : sides.columns) {
    before.replaced.emplace(
        column, rows_.cell(writer.viewer, source(sides.writer, sides.writer_source), column, row));
  }
  return terms_.all(terms_.negate(finds(sides, row)),
                    effects_.would_take(reader, sides.reader_source, before));
}

// WR: the reader sees the write, and of some column it is the last one that it sees.
Term Dependencies::reads_from(const Sides& sides, const RowKey& row) {
  const Event& reader = event(sides.reader);
  const RowSource& read = source(sides.reader, sides.reader_source);
  const bool is_new = sides.makes_row;
  const std::set<std::string> columns =
      is_new ? columns_written(source(sides.writer, sides.writer_source)) : sides.columns;
  std::map<std::string, Term> same;
  std::vector<Term> all_same;
  for (const auto& [column, value] : written(sides, columns, row)) {
    if (is_new && rows_.updates(read, column)) continue;
    const SqlValue cell = rows_.cell(viewer_at(reader, sides.reader_source), read, column, row);
    same[column] =
        terms_.all(terms_.equal(cell.is_null, value.is_null),
                   terms_.any(value.is_null, evaluator_.compare("=", cell, value).holds));
    all_same.push_back(same[column]);
  }
  std::vector<Term> last;
  for (const std::string& column : touched(sides)) {
    const auto equal = same.find(column);
    last.push_back(terms_.all(follows_all_seen(sides, column, row),
                              equal == same.end() ? terms_.truth(true) : equal->second));
  }
  if (is_new) last = {terms_.all(terms_.any(last), terms_.all(all_same))};
  const bool removes = is_deletion(event(sides.writer), sides.writer_source);
  const Term found = removes ? terms_.truth(false) : finds(sides, row);
  return terms_.all({relations_.vis(sides.writer, sides.reader), terms_.any(last),
                     terms_.any(found, found_before(sides, row))});
}

// RW: the reader does not see the write, which is later than all that it sees of some column.
Term Dependencies::reads_older(const Sides& sides, const RowKey& row) {
  std::vector<Term> newer;
  for (const std::string& column : touched(sides)) {
    newer.push_back(follows_all_seen(sides, column, row));
  }
  const Term found = sides.makes_row ? terms_.truth(false) : finds(sides, row);
  return terms_.all({terms_.negate(relations_.vis(sides.writer, sides.reader)), terms_.any(newer),
                     terms_.any(found, finds_after(sides, row))});
}

// WW: the one is arbitrated before the other. Nobody inserts a row that he knows of, unless he
// knows that it was deleted; then what he follows is the deletion.
Term Dependencies::overwrites(const Dependency& of, const RowKey& /*row*/) {
  const Term in_order = relations_.ar(of.from, of.to);
  const bool both_insert =
      inserts(event(of.from), of.from_source) && inserts(event(of.to), of.to_source);
  if (!both_insert || event(of.to).form->on_conflict) return in_order;
  const bool is_new = effects_.makes_new_row(event(of.from), of.from_source) ||
                      effects_.makes_new_row(event(of.to), of.to_source);
  if (is_new) return terms_.truth(false);
  return terms_.all(in_order, terms_.negate(relations_.vis(of.from, of.to)));
}

// A query that finds a row has a result.
Term Dependencies::has_result(const Sides& sides, const RowKey& row) {
  const Event& reader = event(sides.reader);
  const bool is_plain = !inserts(reader) && reader.form->named_sources() == 1;
  if (!is_plain || reader.form->sources[sides.reader_source].is_inner) return terms_.truth(true);
  return terms_.implies(matches(sides, row), reader.has_result);
}

Term Dependencies::holds(const Dependency& of, const RowKey& row) {
  std::vector<Term> holds = {relations_.runs(of.from), relations_.runs(of.to)};
  if (of.kind != DependencyKind::rw) {
    holds.push_back(effects_.touches(event(of.from), of.from_source, row));
  }
  if (of.kind != DependencyKind::wr) {
    holds.push_back(effects_.touches(event(of.to), of.to_source, row));
  }
  if (of.kind == DependencyKind::ww) {
    holds.push_back(relations_.stays(of.from));
    holds.push_back(relations_.stays(of.to));
    holds.push_back(overwrites(of, row));
    return terms_.all(holds);
  }
  std::vector<Term> ways;
  const Sides read = only_sides_of(of);
  // Who finds a key taken is refused.
  if (source(read.reader, read.reader_source).role == SourceRole::taken) {
    holds.push_back(event(read.reader).refused);
  }
  for (const Sides& sides : sides_of(of, row)) {
    if (of.kind == DependencyKind::wr) {
      ways.push_back(terms_.all(sides.when, reads_from(sides, row)));
      continue;
    }
    // To roll back is to write what was there before, after somebody has seen what is undone so.
    ways.push_back(terms_.all({sides.when, relations_.stays(of.to), reads_older(sides, row)}));
    ways.push_back(terms_.all({sides.when, event(of.to).undone, reads_from(sides, row)}));
  }
  holds.push_back(terms_.any(ways));
  holds.push_back(has_result(only_sides_of(of), row));
  return terms_.all(holds);
}

Term Dependencies::is_predicate(const Dependency& of, const RowKey& row) {
  return terms_.negate(finds(only_sides_of(of), row));
}

// Whether it makes or deletes rows of the table.
bool Dependencies::changes_rows(std::size_t operation, const std::string& table,
                                bool (StatementForm::*how)(std::size_t) const) const {
  const StatementForm& form = *event(operation).form;
  for (std::size_t s = 0; s < form.sources.size(); ++s) {
    const RowSource& source = form.sources[s];
    if (source.is_written && source.name == table && (form.*how)(s)) return true;
  }
  return false;
}

Term Dependencies::existence(std::size_t operation, const RowSource& table, const RowKey& row) {
  std::vector<Term> holds;
  std::set<std::string> viewers = {event(operation).viewer};
  for (std::size_t s = 0; s < event(operation).form->sources.size(); ++s) {
    const RowSource& of = source(operation, s);
    if (of.name != table.name) continue;
    viewers.insert(viewer_at(event(operation), s));
    if (of.is_written || of.is_checked()) {
      holds.push_back(effects_.stops(event(operation), s, row));
    }
  }
  if (!rows_.changes_rows(table)) return terms_.all(holds);
  const Term initially = rows_.exists("", table, row);
  std::vector<Term> made;  // and not deleted afterwards
  std::vector<Term> kept = {initially};
  for (std::size_t m = 0; m < operations_.size(); ++m) {
    const bool comes = changes_rows(m, table.name, &StatementForm::makes);
    const bool goes = changes_rows(m, table.name, &StatementForm::removes);
    if (!comes && !goes) continue;
    const Term seen =
        terms_.all(relations_.vis(m, operation), writes(m, table.name, kRowItself, row));
    if (!comes) {
      kept.push_back(terms_.negate(seen));
      continue;
    }
    std::vector<Term> stays = {seen};
    for (std::size_t d = 0; d < operations_.size(); ++d) {
      if (d == m || !changes_rows(d, table.name, &StatementForm::removes)) continue;
      const Term gone = terms_.all({relations_.vis(d, operation), relations_.ar(m, d),
                                    writes(d, table.name, kRowItself, row)});
      stays.push_back(terms_.negate(gone));
    }
    made.push_back(terms_.all(stays));
  }
  const Term last = terms_.any(terms_.all(kept), terms_.any(made));
  for (const std::string& viewer : viewers) {
    holds.push_back(terms_.equal(rows_.exists(viewer, table, row), last));
  }
  return terms_.all(holds);
}

Term Dependencies::both_write(std::size_t a, std::size_t b, const RowSource& table,
                              const RowKey& row) {
  const auto writes_row = [&](std::size_t operation) {
    std::vector<Term> ways;
    for (std::size_t s = 0; s < event(operation).form->sources.size(); ++s) {
      const RowSource& target = source(operation, s);
      if (!target.is_written || target.name != table.name) continue;
      ways.push_back(effects_.touches(event(operation), s, row));
    }
    return terms_.any(ways);
  };
  return terms_.all(writes_row(a), writes_row(b));
}

}  // namespace heddle::find
