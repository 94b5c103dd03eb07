#include "find/search/closed_world.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "find/terms/sight.h"
#include "frontend/plpgsql/expression.h"

namespace heddle::find {

namespace {

// Far more than programs of people need; what is beyond it is left open.
constexpr std::size_t kMostUses = 20'000;

}  // namespace

ClosedWorld::ClosedWorld(Group& group, Order& order, std::vector<RowUse>& uses, Others others)
    : group_(group),
      order_(order),
      evaluator_(group.evaluator()),
      terms_(group.terms()),
      table_rows_(group.rows()),
      effects_(group.evaluator(), group.rows()),
      uses_(uses),
      others_(others),
      first_generated_(first_generated({})) {
  for (std::size_t i = 0; i < order.points().size(); ++i) {
    const OrderPoint& point = order.points()[i];
    const Event& event = group.event(point.instance, point.event);
    viewers_[event.viewer] = {.point = i};
    viewers_[in_snapshot(event)] = {.point = i, .is_snapshot = true};
    for (std::size_t s = 0; s < event.form->sources.size(); ++s) {
      if (event.form->sources[s].role != SourceRole::taken) continue;
      viewers_[viewer_at(event, s)] = {.point = i, .is_index = true};
    }
  }
}

std::vector<Term> ClosedWorld::key_terms(const RowUse& use) const {
  std::vector<Term> terms;
  for (const SqlValue& part : use.key) terms.push_back(part.value);
  return terms;
}

// What was asked for while the transactions were unfolded.
void ClosedWorld::ask_again() {
  for (const OrderPoint& point : order_.points()) {
    const Event& event = group_.event(point.instance, point.event);
    std::vector<std::vector<RowKey>> found;
    if (event.is_pinned) found.push_back(event.result);
    if (!event.in_its_way.empty()) found.push_back(event.in_its_way);
    if (!event.group.empty()) found.push_back(event.group);
    for (const FetchedRow& row : event.fetched) found.push_back(row.keys);
    ask_references(event);
    ask_inner_values(event);
    for (const std::vector<RowKey>& keys : found) {
      effects_.matches(event, keys);
      const Lookup in_row = lookup_in(event, keys, event.viewer, evaluator_, table_rows_);
      for (const Expression& output : event.form->outputs) evaluator_.value(output, in_row);
    }
  }
}

void ClosedWorld::ask_references(const Event& event) {
  for (std::size_t i = 0; i < event.form->sources.size(); ++i) {
    const RowSource& source = event.form->sources[i];
    if (i < event.referring.size() && !event.referring[i].empty()) {
      effects_.matches(event, i, {.viewer = viewer_at(event, i), .key = event.referring[i]});
    }
    if (source.role != SourceRole::referred) continue;
    if (const auto key = effects_.referred_key(event, i)) {
      table_rows_.exists(event.viewer, source, *key);
    }
  }
}

// A row that an INSERT makes is not there before: otherwise the store refuses it.
void ClosedWorld::close_writes() {
  for (const OrderPoint& point : order_.points()) {
    const Event& event = group_.event(point.instance, point.event);
    const StatementForm& form = *event.form;
    accepted_.push_back(terms_.negate(terms_.all(event.guard, event.refused)));
    if (form.kind == StatementKind::update && event.is_pinned) accept(event, 0, event.result[0]);
    if (form.kind != StatementKind::insert || form.on_conflict) continue;
    for (std::size_t s = 0; s < form.sources.size(); ++s) {
      if (!form.sources[s].is_written) continue;
      for (const RowKey& key : effects_.inserted_keys(event, s)) {
        accept(event, s, key);
        accepted_.push_back(terms_.implies(event.guard, effects_.touches(event, s, key)));
        // A key may be looked for later than the statement, or where others have written since.
        if (other_writes_ == nullptr) close_references(event, s, key);
        close_returned(event, s, key);
      }
    }
  }
}

// RETURNING: the client gets what is in the row, such as the key that the store has made.
void ClosedWorld::close_returned(const Event& event, std::size_t source, const RowKey& key) {
  const RowSource& target = event.form->sources[source];
  const std::vector<std::string> columns = table_rows_.key_columns(target);
  for (std::size_t i = 0; i < event.returned.size(); ++i) {
    const Expression& output = event.form->outputs[i];
    if (source_of(output) != source) continue;
    const auto part = std::ranges::find(columns, output.text);
    std::optional<SqlValue> value = effects_.written(event, source, output.text, key);
    if (part != columns.end()) value = key[static_cast<std::size_t>(part - columns.begin())];
    if (!value) continue;
    const SqlValue& got = event.returned[i];
    const SqlValue same = evaluator_.as(*value, terms_.sort(got.value));
    holds_.push_back(terms_.implies(
        event.guard, terms_.all(terms_.equal(got.is_null, same.is_null),
                                terms_.any(got.is_null, terms_.equal(got.value, same.value)))));
  }
}

// Foreign keys: the rows that they name are there.
void ClosedWorld::refer(const Table& table, Term condition, std::string_view viewer,
                        const CellOf& cell) {
  constexpr std::size_t kMostRows = 100;  // rows of one table may refer to each other
  constexpr std::ptrdiff_t kLongestChain = 6;
  const Schema& schema = group_.schema();
  for (const ForeignKeyConstraint& foreign : table.foreign_keys) {
    const Table* target =
        find_table(schema, foreign.referenced_table, schema.dialect, foreign.referenced_schema);
    const bool is_key = target != nullptr && (foreign.referenced_columns.empty() ||
                                              foreign.referenced_columns == target->primary_key);
    if (!is_key) continue;
    const auto known = std::ranges::count_if(
        rows_, [&](const InitialRow& row) { return row.source->table == target; });
    const bool is_chain =
        viewer.empty() && others_ == Others::absent && target == &table && known >= kLongestChain;
    if (rows_.size() > kMostRows || is_chain) {
      if (viewer.empty()) end_references(table, foreign, *target, condition, cell);
      continue;
    }
    RowSource& source = referenced_.emplace_back();
    source.table = target;
    source.name = target->name;
    if (table_rows_.key_columns(source).size() != foreign.columns.size()) continue;
    RowKey key;
    std::vector<Term> holds = {condition};
    for (const std::string& column : foreign.columns) {
      key.push_back(cell(column));
      holds.push_back(terms_.negate(key.back().is_null));
    }
    holds_.push_back(terms_.implies(terms_.all(holds), table_rows_.exists(viewer, source, key)));
  }
}

// Ends a chain of rows that refer to rows: what is named is one of those that are known, or
// nothing. Where others may be there the chain may go on.
void ClosedWorld::end_references(const Table& table, const ForeignKeyConstraint& foreign,
                                 const Table& target, Term condition, const CellOf& cell) {
  if (others_ == Others::possible) return;
  std::vector<Term> ends;
  RowKey key;
  for (const std::string& name : foreign.columns) {
    key.push_back(cell(name));
    const TableColumn* column = find_column(table, name, group_.schema().dialect);
    if (column != nullptr && !column->not_null) ends.push_back(key.back().is_null);
  }
  for (const InitialRow& row : rows_) {
    if (row.source->table != &target || row.key.size() != key.size()) continue;
    ends.push_back(terms_.all(row.exists, table_rows_.same_key(row.key, key)));
  }
  holds_.push_back(terms_.implies(condition, terms_.any(ends)));
}

void ClosedWorld::close_references(const InitialRow& row) {
  refer(*row.source->table, row.exists, "", [&](const std::string& column) {
    return table_rows_.cell("", *row.source, column, row.key);
  });
}

void ClosedWorld::close_references(const Event& event, std::size_t source, const RowKey& key) {
  const RowSource& target = event.form->sources[source];
  if (target.table == nullptr) return;
  const Term is_accepted = terms_.all(event.guard, terms_.negate(event.refused));
  refer(*target.table, is_accepted, event.viewer, [&](const std::string& column) {
    const auto written = effects_.written(event, source, column, key);
    return written ? *written : evaluator_.null();
  });
}

std::size_t ClosedWorld::row_of(const RowUse& use) {
  const auto [number, is_new] =
      numbers_.try_emplace({use.source->name, key_terms(use)}, rows_.size());
  if (is_new) {
    rows_.push_back({.source = use.source,
                     .key = use.key,
                     .exists = table_rows_.exists("", *use.source, use.key),
                     .cells = {}});
  }
  return number->second;
}

void ClosedWorld::see(const RowUse& use) {
  std::vector<Term> key = key_terms(use);
  if (!known_uses_.emplace(use.viewer + "\n" + use.source->name + "\n" + use.column, key).second) {
    return;
  }
  const std::size_t row = row_of(use);
  if (!use.column.empty() && !rows_[row].cells.contains(use.column)) {
    const SqlValue cell = table_rows_.cell("", *use.source, use.column, use.key);
    rows_[row].cells.emplace(use.column, cell);
  }
  const auto viewer = viewers_.find(use.viewer);
  if (viewer != viewers_.end()) close_cell(use, viewer->second);
}

// Whether a statement uses the table of the row for nothing else than to see what refers to others.
bool ClosedWorld::looks_for_referring(const RowUse& use, const Viewer& viewer) const {
  if (viewer.is_index) return true;
  const OrderPoint& at = order_.points()[viewer.point];
  const RowSources& sources = group_.event(at.instance, at.event).form->sources;
  return std::ranges::any_of(sources,
                             [&](const RowSource& source) {
                               return source.name == use.source->name &&
                                      source.role == SourceRole::referring;
                             }) &&
         std::ranges::none_of(sources, [&](const RowSource& source) {
           return source.name == use.source->name && source.role != SourceRole::referring;
         });
}

// The newest rows are seen when the statement gets its locks. Where it looks for rows in its
// snapshot and waits for those, it sees the others as they are there; where it comes to each row
// at a moment of its own, it sees some as they were when it began.
Term ClosedWorld::sees_newest(const RowUse& use, const Viewer& viewer) {
  if (viewer.is_index) return terms_.truth(true);
  const OrderPoint& at = order_.points()[viewer.point];
  const Event& event = group_.event(at.instance, at.event);
  const RowSources& sources = event.form->sources;
  const auto is_of = [&](const RowSource& source) { return source.name == use.source->name; };
  auto looked_at = std::ranges::find_if(
      sources, [&](const RowSource& source) { return is_of(source) && takes(source); });
  if (looked_at == sources.end()) looked_at = std::ranges::find_if(sources, is_of);
  if (viewer.is_snapshot || looked_at == sources.end()) return terms_.truth(false);
  const Sights sights = sights_of(event, *looked_at, at.level);
  // Of a row that it would have deleted in any case.
  const bool may_be_gone = sights.found == Sight::either && sights.others != Sight::either;
  if (!is_timed(at.level)) return terms_.truth(true);
  if (sights.others == Sight::newest && !may_be_gone) return terms_.truth(true);
  const Term late = terms_.apply(fmt::format("{} comes late to {}", event.viewer, use.source->name),
                                 smt::Sort::truth, key_terms(use));
  const Term others =
      sights.others == Sight::either ? late : terms_.truth(sights.others == Sight::newest);
  if (!takes(*looked_at)) return others;
  const auto place = static_cast<std::size_t>(looked_at - sources.begin());
  const RowView view{.viewer = in_snapshot(event), .key = use.key};
  const Term found = may_be_gone ? late : terms_.truth(true);
  return terms_.choose(effects_.matches(event, place, view), found, others);
}

// Once for each row: a join would mean other rows of the other tables each time.
Term ClosedWorld::touches(const Writer& writer, const RowKey& key) {
  std::vector<Term> values;
  for (const SqlValue& part : key) values.push_back(part.value);
  const std::size_t place = writer.point * 100 + writer.source;
  const auto [known, is_new] = touches_.try_emplace({place, std::move(values)});
  if (is_new) known->second = effects_.touches(*writer.event, writer.source, key);
  return known->second;
}

std::vector<ClosedWorld::Version> ClosedWorld::versions_of(const RowUse& use,
                                                           const Viewer& viewer) {
  const Term newest = sees_newest(use, viewer);
  const bool is_referring = looks_for_referring(use, viewer);
  const auto visible_from = [&](std::size_t writer) {
    const bool makes = order_.points()[writer].makes;
    const Term now = terms_.all(newest, is_referring ? order_.finds_referring(writer, viewer.point)
                                        : makes      ? order_.sees_now(writer, viewer.point)
                                                     : order_.knows_gone(writer, viewer.point));
    return terms_.any(now, terms_.all(terms_.negate(newest), order_.sees(writer, viewer.point)));
  };
  std::vector<Version> versions;
  for (std::size_t i = 0; i < order_.points().size(); ++i) {
    const OrderPoint& point = order_.points()[i];
    if (i == viewer.point || !point.writes) continue;
    const Event& event = group_.event(point.instance, point.event);
    for (std::size_t s = 0; s < event.form->sources.size(); ++s) {
      const RowSource& source = event.form->sources[s];
      if (!source.is_written || source.name != use.source->name) continue;
      Version version{.point = i, .is_seen = {}, .value = {}};
      if (use.column.empty()) {
        if (event.form->updates_rows(s)) continue;
        version.value = evaluator_.known(terms_.truth(!event.form->removes(s)));
      } else {
        if (event.form->removes(s)) continue;
        const auto written = effects_.written(event, s, use.column, use.key);
        if (!written && event.form->updates_rows(s)) continue;
        version.is_known = written.has_value();
        if (written) version.value = *written;
      }
      version.is_seen = terms_.all(
          {visible_from(i), order_.is_there(i, viewer.point), touches({i, &event, s}, use.key)});
      if (use.column.empty()) {
        version.is_seen =
            terms_.all(version.is_seen, terms_.negate(effects_.changes_instead(event, s, use.key)));
      }
      if (!terms_.is_false(version.is_seen)) versions.push_back(version);
    }
  }
  return versions;
}

void ClosedWorld::close_cell(const RowUse& use, const Viewer& viewer) {
  const bool is_row = use.column.empty();
  const bool changes =
      is_row ? table_rows_.changes_rows(*use.source) : table_rows_.changes(*use.source, use.column);
  if (!changes) return;
  const auto value_for = [&](std::string_view who) {
    return is_row ? evaluator_.known(table_rows_.exists(who, *use.source, use.key))
                  : table_rows_.cell(who, *use.source, use.column, use.key);
  };
  const SqlValue seen = value_for(use.viewer);
  const std::optional<Term> of_others = seen_of_others(use, seen);
  if (!of_others) return;
  const auto equals = [&](const SqlValue& value) {
    const SqlValue same = evaluator_.as(value, terms_.sort(seen.value));
    return terms_.all(terms_.equal(seen.is_null, same.is_null),
                      terms_.any(seen.is_null, terms_.equal(seen.value, same.value)));
  };
  const std::vector<Version> versions = versions_of(use, viewer);
  std::vector<Term> none;
  for (const Version& version : versions) {
    none.push_back(terms_.negate(version.is_seen));
    if (!version.is_known || !is_stored_as_given(use)) continue;
    std::vector<Term> is_last = {version.is_seen};
    for (const Version& other : versions) {
      if (other.point == version.point) continue;
      is_last.push_back(
          terms_.negate(terms_.all(other.is_seen, order_.before(version.point, other.point))));
    }
    holds_.push_back(
        terms_.implies(terms_.all(is_last), terms_.any(equals(version.value), *of_others)));
  }
  holds_.push_back(terms_.implies(terms_.all(none), terms_.any(equals(value_for("")), *of_others)));
}

// When what is seen is what a transaction out of sight may have written; none: that is anything.
std::optional<Term> ClosedWorld::seen_of_others(const RowUse& use, const SqlValue& seen) {
  if (other_writes_ == nullptr) return terms_.truth(false);
  const std::string& table = use.source->name;
  if (use.column.empty()) {
    std::vector<Term> may_be;
    if (other_writes_->makes_rows(table)) may_be.push_back(seen.value);
    if (other_writes_->removes_rows(table)) may_be.push_back(terms_.negate(seen.value));
    return terms_.any(may_be);
  }
  const WrittenByOthers* written = other_writes_->cell(table, use.column);
  if (written == nullptr) return terms_.truth(false);
  if (written->is_any) return std::nullopt;
  std::vector<Term> may_be;
  for (const Expression& constant : written->constants) {
    const SqlValue given = evaluator_.value(constant, [](const Expression& /*leaf*/) -> SqlValue {
      return {};  // A literal has none.
    });
    const SqlValue same = evaluator_.as(given, terms_.sort(seen.value));
    may_be.push_back(terms_.all(terms_.equal(seen.is_null, same.is_null),
                                terms_.any(seen.is_null, terms_.equal(seen.value, same.value))));
  }
  return terms_.any(may_be);
}

// Decimals may be rounded on the way into a cell.
bool ClosedWorld::is_stored_as_given(const RowUse& use) const {
  if (other_writes_ == nullptr || use.column.empty()) return true;
  return table_rows_.sort_of_column(*use.source, use.column) != Sort::fraction;
}

// The query gets the row if it is there, unless it has got as many as are looked at.
void ClosedWorld::close_query(const Event& event, const InitialRow& row) {
  const StatementForm& form = *event.form;
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    const RowSource& source = form.sources[i];
    if (!source.is_in_the_way() || source.name != row.source->name) continue;
    holds_.push_back(effects_.stops(event, i, row.key));
  }
  if (form.named_sources() != 1 || form.sources[0].name != row.source->name) return;
  if (form.on_conflict || form.checks_keys) holds_.push_back(effects_.stops(event, 0, row.key));
  const RowView view{.viewer = event.viewer, .key = row.key};
  const bool is_grouped =
      form.kind == StatementKind::select && form.result_rows == ResultRows::groups;
  if (form.drops_rows || (event.fetched.empty() && !is_grouped)) return;
  std::vector<Term> is_found;
  std::vector<Term> all;
  if (is_grouped) is_found.push_back(event.has_result);
  for (const FetchedRow& fetched : event.fetched) {
    is_found.push_back(terms_.all(fetched.exists, table_rows_.same_key(fetched.keys[0], row.key)));
    all.push_back(fetched.exists);
  }
  const Term match = terms_.all(event.guard, effects_.matches(event, 0, view));
  holds_.push_back(terms_.implies(match, terms_.any(terms_.any(is_found), terms_.all(all))));
  if (!form.takes_first) return;
  const Term is_other =
      terms_.all(event.has_result, terms_.negate(table_rows_.same_key(event.result[0], row.key)));
  holds_.push_back(terms_.implies(terms_.all(match, is_other),
                                  terms_.negate(effects_.would_take(event, 0, view))));
}

Term ClosedWorld::refuses(const Table& table, const CellOf& cell) {
  std::vector<Term> fails;
  for (const Check& check : table.checks) {
    const auto read = plpgsql::read_value(
        check.expression, [](const std::vector<std::string>& path) -> std::optional<Expression> {
          return Expression{
              .kind = ExpressionKind::field,
              .text = path.back(),
              .operands = {
                  {.kind = ExpressionKind::variable, .text = source_variable(0), .operands = {}}}};
        });
    if (!read.is_ok) continue;
    const Truth truth = evaluator_.truth(read.value.value, [&](const Expression& leaf) {
      return source_of(leaf) ? cell(leaf.text) : evaluator_.unknown(leaf.text, Sort::integer);
    });
    fails.push_back(truth.fails);
  }
  return terms_.any(fails);
}

void ClosedWorld::close_checks(const InitialRow& row) {
  const Term refused = refuses(*row.source->table, [&](const std::string& column) {
    return table_rows_.cell("", *row.source, column, row.key);
  });
  holds_.push_back(terms_.implies(row.exists, terms_.negate(refused)));
}

// What the statement writes keeps what the table promises.
void ClosedWorld::accept(const Event& event, std::size_t source, const RowKey& key) {
  const RowSource& target = event.form->sources[source];
  if (target.table == nullptr) return;
  const bool inserts = event.form->kind == StatementKind::insert;
  const Term when = terms_.all(event.guard, inserts ? terms_.truth(true) : event.has_result);
  const auto cell = [&](const std::string& column) {
    const auto written = effects_.written(event, source, column, key);
    if (written) return *written;
    return inserts ? evaluator_.unknown(column, table_rows_.sort_of_column(target, column))
                   : table_rows_.cell(event.viewer, target, column, key);
  };
  for (const Assignment& assignment : event.form->assignments) {
    const TableColumn* column =
        find_column(*target.table, assignment.column, group_.schema().dialect);
    if (column == nullptr || !column->not_null) continue;
    if (column->generation != Generation::none) continue;
    accepted_.push_back(terms_.implies(when, terms_.negate(cell(column->name).is_null)));
  }
  accepted_.push_back(terms_.implies(when, terms_.negate(refuses(*target.table, cell))));
}

std::vector<Term> ClosedWorld::close() {
  ask_again();
  close_writes();
  const auto close_uses = [&] {
    while (seen_ < uses_.size() && seen_ < kMostUses) {
      const RowUse use = uses_[seen_++];
      see(use);
    }
  };
  close_uses();
  for (const OrderPoint& point : order_.points()) {
    const Event& event = group_.event(point.instance, point.event);
    for (std::size_t i = 1; i < event.fetched.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (event.form->named_sources() != 1) continue;
        holds_.push_back(terms_.implies(event.fetched[i].exists,
                                        terms_.negate(table_rows_.same_key(
                                            event.fetched[i].keys[0], event.fetched[j].keys[0]))));
      }
    }
    // Rows may be added meanwhile.
    for (std::size_t next = 0; next < rows_.size();) close_query(event, InitialRow(rows_[next++]));
    close_uses();
  }
  if (others_ == Others::absent) {
    for (const OrderPoint& point : order_.points()) {
      close_join(group_.event(point.instance, point.event));
      close_uses();
    }
  }
  for (const OrderPoint& point : order_.points()) {
    if (others_ == Others::possible) break;
    close_aggregates(group_.event(point.instance, point.event));
    close_inner_values(group_.event(point.instance, point.event));
    close_uses();
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const InitialRow row = rows_[i];
    if (row.source->table == nullptr) continue;
    close_key(row);
    close_checks(row);
    close_references(row);
    for (std::size_t j = 0; j < i; ++j) close_unique(row, InitialRow(rows_[j]));
    close_uses();
  }
  if (others_ == Others::absent) close_generated();
  close_facts();
  close_given();
  return std::move(holds_);
}

}  // namespace heddle::find
