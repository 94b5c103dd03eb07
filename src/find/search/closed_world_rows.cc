// What is known of the rows that are there at the beginning: those that the user gives, the facts
// that constraints say, and the numbers that generated columns go on from; and what queries give
// that are about several rows: joins and aggregates.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "find/forms/inner_values.h"
#include "find/search/closed_world.h"
#include "find/terms/sight.h"

namespace heddle::find {

namespace {

// Of rows, by one fact.
constexpr std::size_t kMostChoices = 20'000;

}  // namespace

// Far from the numbers that a solution takes.
std::int64_t first_generated(const std::vector<FilledRow>& rows) {
  std::int64_t first = 1'000;
  for (const FilledRow& row : rows) {
    for (const TableColumn& column : row.table->columns) {
      const auto cell = row.cells.find(column.name);
      if (column.generation != Generation::identity || cell == row.cells.end()) continue;
      if (!cell->second) continue;
      std::int64_t number = 0;
      const std::string& text = *cell->second;
      std::from_chars(text.data(), text.data() + text.size(), number);
      first = std::max(first, number + 1);
    }
  }
  return first;
}

// Numbers that the store makes come one after the other, beyond those that are there.
void ClosedWorld::close_generated() {
  const auto is_generated = [](const Table& table, const std::string& column) {
    const TableColumn* found = find_column(table, column, Dialect::postgres);
    return found != nullptr && found->generation == Generation::identity;
  };
  for (const InitialRow& row : rows_) {
    const std::vector<std::string> columns = table_rows_.key_columns(*row.source);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!is_generated(*row.source->table, columns[i])) continue;
      holds_.push_back(terms_.implies(
          row.exists, terms_.less(row.key[i].value, terms_.integer(first_generated_))));
    }
  }
  for (std::size_t i = 0; i < order_.points().size(); ++i) {
    const Event& event = group_.event(order_.points()[i].instance, order_.points()[i].event);
    if (event.form->kind != StatementKind::insert || !effects_.makes_new_row(event, 0)) continue;
    const RowSource& source = event.form->sources[0];
    const std::vector<std::string> columns = table_rows_.key_columns(source);
    const std::optional<RowKey> key = effects_.inserted_key(event, 0);
    for (std::size_t c = 0; key && c < columns.size(); ++c) {
      const bool is_given =
          std::ranges::any_of(event.form->assignments, [&](const Assignment& assignment) {
            return assignment.column == columns[c] &&
                   assignment.value.kind != ExpressionKind::unknown;
          });
      if (is_given || !is_generated(*source.table, columns[c])) continue;
      Term number = terms_.integer(first_generated_);
      for (std::size_t j = 0; j < order_.points().size(); ++j) {
        const Event& other = group_.event(order_.points()[j].instance, order_.points()[j].event);
        if (i == j || other.form->kind != StatementKind::insert) continue;
        if (other.form->sources[0].name != source.name) continue;
        const Term earlier = terms_.all(other.guard, order_.before(j, i));
        number = terms_.add(number, terms_.choose(earlier, terms_.integer(1), terms_.integer(0)));
      }
      holds_.push_back(terms_.implies(event.guard, terms_.equal((*key)[c].value, number)));
    }
  }
}

// A query of several tables finds something if there are rows that it would find, and what it finds
// meets none that must not be there.
void ClosedWorld::close_join(const Event& event) {
  constexpr std::size_t kMostJoined = 2'000;
  const StatementForm& form = *event.form;
  if (form.named_sources() < 2 || form.is_aggregate || event.fetched.empty()) return;
  if (form.drops_rows) return;
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    if (form.may_miss(i)) return;
  }
  std::vector<RowKey> keys;
  std::size_t left = kMostJoined;
  close_choice(event, keys, left);
  for (const FetchedRow& found : event.fetched) {
    for (std::size_t a = 0; a < form.absences.size(); ++a) {
      const std::string& table = form.sources[form.absences[a].first].name;
      const std::size_t known = rows_.size();
      for (std::size_t i = 0; i < known; ++i) {
        if (rows_[i].source->name != table) continue;
        const Term is_met = effects_.is_met_by(event, found.keys, a, RowKey(rows_[i].key));
        holds_.push_back(terms_.negate(terms_.all({event.guard, found.exists, is_met})));
      }
    }
  }
}

void ClosedWorld::close_choice(const Event& event, std::vector<RowKey>& keys, std::size_t& left) {
  const StatementForm& form = *event.form;
  const std::size_t known = rows_.size();
  if (keys.size() < form.sources.size()) {
    const std::size_t source = keys.size();
    if (!form.is_looked_at(source)) {
      keys.emplace_back();
      close_choice(event, keys, left);
      keys.pop_back();
      return;
    }
    for (std::size_t i = 0; i < known && left > 0; ++i) {
      if (rows_[i].source->name != form.sources[source].name) continue;
      keys.push_back(rows_[i].key);
      close_choice(event, keys, left);
      keys.pop_back();
    }
    return;
  }
  --left;
  std::vector<Term> match = {event.guard, effects_.selects(event, keys)};
  for (std::size_t a = 0; a < form.absences.size(); ++a) {
    for (std::size_t i = 0; i < known; ++i) {
      if (rows_[i].source->name != form.sources[form.absences[a].first].name) continue;
      match.push_back(terms_.negate(effects_.is_met_by(event, keys, a, RowKey(rows_[i].key))));
    }
  }
  std::vector<Term> is_found;
  std::vector<Term> all;
  for (const FetchedRow& fetched : event.fetched) {
    std::vector<Term> same = {fetched.exists};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (form.is_looked_at(i)) same.push_back(table_rows_.same_key(fetched.keys[i], keys[i]));
    }
    is_found.push_back(terms_.all(same));
    all.push_back(fetched.exists);
  }
  holds_.push_back(
      terms_.implies(terms_.all(match), terms_.any(terms_.any(is_found), terms_.all(all))));
}

// Over the rows of a source that match, or count; a row that two keys name counts once.
SqlValue ClosedWorld::aggregate(const Event& event, const Expression& call, std::size_t source,
                                const std::string& viewer) {
  const std::vector<RowKey> keys = keys_of(event.form->sources[source].name);
  const bool is_column = source_of(call).has_value();
  std::vector<Term> counts;
  std::vector<SqlValue> values;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const RowView view{.viewer = viewer, .key = keys[i]};
    const bool is_inner = event.form->sources[source].is_inner;
    std::vector<Term> holds = {is_inner ? effects_.counts(event, source, view)
                                        : effects_.matches(event, source, view)};
    for (std::size_t j = 0; j < i; ++j) {
      holds.push_back(terms_.negate(terms_.all(counts[j], table_rows_.same_key(keys[j], keys[i]))));
    }
    if (!call.operands.empty()) {
      std::vector<RowKey> in_row(source + 1);
      in_row[source] = keys[i];
      const Lookup lookup = lookup_in(event, in_row, viewer, evaluator_, table_rows_);
      values.push_back(evaluator_.value(is_column ? call : call.operands[0], lookup));
      if (!is_column) holds.push_back(terms_.negate(values.back().is_null));
    }
    counts.push_back(terms_.all(holds));
  }
  if (is_column) {
    SqlValue found = evaluator_.null();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      found = evaluator_.choose(counts[i], values[i], found);
    }
    return found;
  }
  const Term none = terms_.negate(terms_.any(counts));
  const bool is_count = call.text == "count";
  if (is_count || call.text == "sum") {
    Term total = terms_.integer(0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Term one = is_count ? terms_.integer(1) : values[i].value;
      total = terms_.add(
          total,
          evaluator_.choose(counts[i], evaluator_.known(one), evaluator_.known(terms_.integer(0)))
              .value);
    }
    return {total, is_count ? terms_.truth(false) : none};
  }
  const Sort sort = values.empty() ? Sort::integer : terms_.sort(values[0].value);
  const SqlValue least =
      evaluator_.unknown(fmt::format("{} {} {}", event.viewer, call.text, extremes_++), sort, true);
  std::vector<Term> is_one;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string_view order = call.text == "min" ? "<=" : ">=";
    holds_.push_back(terms_.implies(counts[i], evaluator_.compare(order, least, values[i]).holds));
    is_one.push_back(terms_.all(counts[i], evaluator_.compare("=", least, values[i]).holds));
  }
  holds_.push_back(terms_.any(none, terms_.any(is_one)));
  return {least.value, none};
}

std::vector<RowKey> ClosedWorld::keys_of(const std::string& table) const {
  std::vector<RowKey> keys;
  for (const InitialRow& row : rows_) {
    if (row.source->name == table) keys.push_back(row.key);
  }
  return keys;
}

void ClosedWorld::close_aggregates(const Event& event) {
  const StatementForm& form = *event.form;
  if (form.kind != StatementKind::select || form.sources.size() != 1) return;
  // A group has some of the rows that it finds.
  if (form.result_rows != ResultRows::one) return;
  for (std::size_t i = 0; i < event.aggregates.size(); ++i) {
    std::map<std::string, SqlValue> known;
    const std::function<Expression(const Expression&)> replaced = [&](const Expression& part) {
      Expression copy = part;
      if (is_aggregate_call(part)) {
        copy = {.kind = ExpressionKind::variable,
                .text = fmt::format("aggregate {}", known.size()),
                .operands = {}};
        known.emplace(copy.text, aggregate(event, part, 0, event.viewer));
        return copy;
      }
      for (Expression& operand : copy.operands) operand = replaced(operand);
      return copy;
    };
    const Expression whole = replaced(form.outputs[i]);
    if (known.empty()) continue;
    const Lookup others = lookup_in(event, {}, event.viewer, evaluator_, table_rows_);
    const SqlValue value = evaluator_.value(whole, [&](const Expression& leaf) {
      const auto ours = known.find(leaf.text);
      return ours == known.end() ? others(leaf) : ours->second;
    });
    hold_same(event, event.aggregates[i], value);
  }
}

void ClosedWorld::hold_same(const Event& event, const SqlValue& seen, const SqlValue& value) {
  const bool are_numbers =
      terms_.sort(seen.value) != Sort::truth && terms_.sort(value.value) != Sort::truth;
  const SqlValue same = are_numbers ? value : evaluator_.as(value, terms_.sort(seen.value));
  holds_.push_back(terms_.implies(
      event.guard, terms_.all(terms_.equal(seen.is_null, same.is_null),
                              terms_.any(seen.is_null, terms_.equal(seen.value, same.value)))));
}

// The rows that inner queries name by their keys are some of those that there may be.
void ClosedWorld::ask_inner_values(const Event& event) {
  for (const InnerValue& inner : event.form->inner_values) {
    const auto row = named_by_inner_query(event, inner, evaluator_, table_rows_);
    const RowSource& source = event.form->sources[inner.source];
    if (row) table_rows_.exists(viewer_at(event, inner.source), source, *row);
  }
}

void ClosedWorld::close_inner_values(const Event& event) {
  const StatementForm& form = *event.form;
  const AppliedLevel level = order_.points()[viewers_.at(event.viewer).point].level;
  for (std::size_t i = 0; i < form.inner_values.size(); ++i) {
    const InnerValue& inner = form.inner_values[i];
    if (sights_of(event, form.sources[inner.source], level).found == Sight::either) continue;
    hold_same(event, inner_value_of(event, i, evaluator_, table_rows_),
              aggregate(event, inner.value, inner.source, viewer_at(event, inner.source)));
  }
}

// Where a table has no key that stays as it is, its rows are numbered.
void ClosedWorld::give(const std::vector<FilledRow>& rows) {
  has_given_ = true;
  first_generated_ = first_generated(rows);
  for (const FilledRow& row : rows) {
    RowSource& source = referenced_.emplace_back();
    source.table = row.table;
    source.name = row.table->name;
    RowKey key;
    for (const std::string& column : table_rows_.key_columns(source)) {
      key.push_back(given_value(row, column).value_or(evaluator_.null()));
    }
    std::vector<GivenRow>& given = given_[source.name];
    if (key.empty()) {
      key.push_back(evaluator_.known(terms_.integer(static_cast<std::int64_t>(given.size()))));
    }
    const RowUse use{.viewer = "", .source = &source, .column = "", .key = key};
    given.push_back({&row, row_of(use)});
  }
}

// None: texts of times and the like have no number that is theirs.
std::optional<SqlValue> ClosedWorld::given_value(const FilledRow& row, const std::string& column) {
  const auto cell = row.cells.find(column);
  if (cell == row.cells.end()) return std::nullopt;
  if (!cell->second) return evaluator_.null();
  const TableColumn* found = find_column(*row.table, column, group_.schema().dialect);
  const ValueType type = found == nullptr ? ValueType::text : found->type.type;
  if (is_text(type)) return evaluator_.text(*cell->second);
  if (type == ValueType::boolean) {
    const std::string& written = *cell->second;
    if (written.find_first_not_of("-0123456789") == std::string::npos) {
      return evaluator_.known(terms_.number(written, Sort::integer));
    }
    return evaluator_.known(terms_.truth(written.starts_with('t')));
  }
  const bool is_number = type == ValueType::integer16 || type == ValueType::integer32 ||
                         type == ValueType::integer64 || type == ValueType::numeric ||
                         type == ValueType::real32 || type == ValueType::real64;
  const bool is_plain = cell->second->find_first_not_of("-.0123456789") == std::string::npos;
  if (!is_number || !is_plain) return std::nullopt;
  return evaluator_.known(terms_.number(*cell->second, sort_of(type)));
}

// The cells that somebody asks for are as given, and nobody finds another row.
void ClosedWorld::close_given() {
  if (!has_given_) return;
  std::map<std::string, std::set<std::string>> columns;
  for (const InitialRow& row : rows_) {
    for (const auto& [column, value] : row.cells) columns[row.source->name].insert(column);
  }
  for (const auto& [table, given] : given_) {
    for (const GivenRow& one : given) {
      const InitialRow& row = rows_[one.number];
      holds_.push_back(row.exists);
      for (const std::string& column : columns[table]) {
        const std::optional<SqlValue> value = given_value(*one.row, column);
        if (!value) continue;
        const SqlValue cell = table_rows_.cell("", *row.source, column, row.key);
        const SqlValue same = evaluator_.as_number(*value, terms_.sort(cell.value));
        holds_.push_back(terms_.equal(cell.is_null, same.is_null));
        holds_.push_back(terms_.any(same.is_null, terms_.equal(cell.value, same.value)));
      }
    }
  }
  for (const InitialRow& row : rows_) {
    std::vector<Term> is_given;
    for (const GivenRow& one : given_[row.source->name]) {
      is_given.push_back(table_rows_.same_key(row.key, rows_[one.number].key));
    }
    holds_.push_back(terms_.implies(row.exists, terms_.any(is_given)));
  }
}

// What is known of the rows at the beginning holds of all choices of them.
void ClosedWorld::close_facts() {
  for (const StatementForm& fact : group_.constraints().facts) {
    std::vector<std::size_t> chosen;
    std::size_t left = kMostChoices;
    close_fact(fact, chosen, left);
  }
}

void ClosedWorld::close_fact(const StatementForm& fact, std::vector<std::size_t>& chosen,
                             std::size_t& left) {
  if (chosen.size() < fact.sources.size()) {
    const std::size_t known = rows_.size();
    for (std::size_t i = 0; i < known && left > 0; ++i) {
      if (rows_[i].source->name != fact.sources[chosen.size()].name) continue;
      chosen.push_back(i);
      close_fact(fact, chosen, left);
      chosen.pop_back();
    }
    return;
  }
  --left;
  const Lookup in_rows = [&](const Expression& leaf) {
    const std::size_t source = source_of(leaf).value_or(0);
    return table_rows_.cell("", fact.sources[source], leaf.text, rows_[chosen[source]].key);
  };
  std::vector<Term> are_met;
  for (const std::size_t row : chosen) are_met.push_back(rows_[row].exists);
  for (const Expression& conjunct : fact.conjuncts) {
    are_met.push_back(evaluator_.truth(conjunct, in_rows).holds);
  }
  std::vector<Term> holds;
  for (const Expression& output : fact.outputs) {
    holds.push_back(evaluator_.truth(output, in_rows).holds);
  }
  holds_.push_back(terms_.implies(terms_.all(are_met), terms_.all(holds)));
}

// A row has all of its key.
void ClosedWorld::close_key(const InitialRow& row) {
  std::vector<Term> is_null;
  for (const SqlValue& part : row.key) is_null.push_back(part.is_null);
  holds_.push_back(terms_.negate(terms_.all(row.exists, terms_.any(is_null))));
}

// No two rows of those at the beginning have one key.
void ClosedWorld::close_unique(const InitialRow& a, const InitialRow& b) {
  if (a.source->name != b.source->name) return;
  const Term both =
      terms_.all({a.exists, b.exists, terms_.negate(table_rows_.same_key(a.key, b.key))});
  const Table& table = *a.source->table;
  std::vector<std::vector<std::string>> unique;
  for (const UniqueConstraint& one : table.unique_constraints) unique.push_back(one.columns);
  // A row whose primary key changes is named by another one.
  if (table_rows_.key_columns(*a.source).empty()) unique.push_back(table.primary_key);
  for (const std::vector<std::string>& key : unique) {
    if (key.empty()) continue;
    std::vector<Term> differs;
    for (const std::string& column : key) {
      const SqlValue left = table_rows_.cell("", *a.source, column, a.key);
      const SqlValue right = table_rows_.cell("", *b.source, column, b.key);
      differs.push_back(terms_.negate(evaluator_.compare("=", left, right).holds));
    }
    holds_.push_back(terms_.implies(both, terms_.any(differs)));
  }
}

}  // namespace heddle::find
