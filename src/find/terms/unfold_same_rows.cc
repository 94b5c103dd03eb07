// Queries that give each row once, and the same rows whenever they run with the same values.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "find/terms/unfolder.h"

namespace heddle::find {

namespace {

// Whether its value hangs on nothing but columns of its row and values of the client.
bool is_plain(const Expression& expression) {
  static constexpr std::array<std::string_view, 22> kPlain = {
      "and",         "or",      "not",      "=",  "<>",    "<",    "<=", ">",
      ">=",          "+",       "-",        "*",  "/",     "%",    "||", "is null",
      "is not null", "is true", "is false", "in", "lower", "upper"};
  const bool is_known = expression.kind != ExpressionKind::unknown &&
                        (expression.kind != ExpressionKind::call ||
                         std::ranges::find(kPlain, expression.text) != kPlain.end());
  return is_known && std::ranges::all_of(expression.operands, is_plain);
}

}  // namespace

// Whether the query gives the same rows in the same order each time: nobody in the program makes or
// deletes rows of the table, or changes what they are chosen and ordered by.
bool Unfolder::gives_same_rows(const StatementForm& form) const {
  if (form.kind != StatementKind::select || form.result_rows != ResultRows::each) return false;
  if (!form.gives_all) return false;
  if (form.sources.size() != 1 || form.drops_rows || form.is_unknown) return false;
  const RowSource& source = form.sources[0];
  if (source.table == nullptr || rows_.ever_changes_rows(source)) return false;
  if (!form.absences.empty() || !form.joined_by.empty()) return false;
  const auto stays = [&](const Expression& expression) {
    std::vector<const Expression*> open = {&expression};
    while (!open.empty()) {
      const Expression& one = *open.back();
      open.pop_back();
      if (source_of(one) && rows_.ever_updates(source, one.text)) return false;
      for (const Expression& operand : one.operands) open.push_back(&operand);
    }
    return is_plain(expression);
  };
  return std::ranges::all_of(form.conjuncts, stays) &&
         std::ranges::all_of(form.order, [&](const OrderKey& key) { return stays(key.value); });
}

// Whether no two rows that the query gives are one row of its table: functions in its list may give
// many of each.
bool Unfolder::gives_rows_once(const StatementForm& form) {
  return form.kind == StatementKind::select && form.result_rows == ResultRows::each &&
         form.gives_all && form.sources.size() == 1 && !form.drops_rows && !form.is_unknown &&
         std::ranges::all_of(form.outputs, is_plain);
}

// A function of the statement's text and values, and perhaps of a place.
Term Unfolder::of_query(const Event& event, const std::string& what, Sort sort,
                        std::optional<Term> place) {
  std::vector<Term> values;
  if (place) values.push_back(*place);
  for (const SqlValue& argument : event.arguments) {
    values.push_back(argument.value);
    values.push_back(argument.is_null);
  }
  const std::string name = what + " of " + formed_[event.statement].statement->statement.text;
  return values.empty() ? terms_.symbol(name, sort) : terms_.apply(name, sort, values);
}

// Whoever asks with equal values finds a row at the same places, from 1.
void Unfolder::note_same_rows(const Event& event, const std::vector<RowKey>& keys, Term exists,
                              std::size_t round) {
  if (!gives_same_rows(*event.form)) return;
  const Term place = terms_.integer(static_cast<std::int64_t>(round) + 1);
  const Term there = of_query(event, "row", Sort::truth, place);
  result_.facts.push_back(terms_.implies(event.guard, terms_.equal(exists, there)));
  note_place(event, keys, terms_.all(event.guard, exists), place);
}

// At each place is a row that is ordered alike, and where no two are the same one.
void Unfolder::note_place(const Event& event, const std::vector<RowKey>& keys, Term is_there,
                          Term place) {
  const auto note = [&](const std::string& name, const SqlValue& value) {
    const Term same = of_query(event, name, terms_.sort(value.value), place);
    const Term is_null = of_query(event, name + "?", Sort::truth, place);
    result_.facts.push_back(
        terms_.implies(is_there, terms_.all(terms_.equal(value.is_null, is_null),
                                            terms_.any(is_null, terms_.equal(value.value, same)))));
  };
  const Lookup in_row = lookup_found(event, keys);
  for (std::size_t i = 0; i < event.form->order.size(); ++i) {
    note(fmt::format("order {}", i), evaluator_.value(event.form->order[i].value, in_row));
  }
  if (!orders_all(*event.form)) return;
  for (std::size_t i = 0; i < keys[0].size(); ++i) note(fmt::format("key {}", i), keys[0][i]);
}

namespace {

// The column that an expression is; empty: it is none.
std::string column_in(const Expression& expression) {
  return source_of(expression) ? expression.text : "";
}

// Columns that are equal to a value of the client, and those of the order.
std::vector<std::string> fixed_columns(const StatementForm& form) {
  std::vector<std::string> fixed;
  for (const Expression& conjunct : form.conjuncts) {
    const bool is_equal = conjunct.kind == ExpressionKind::call && conjunct.text == "=" &&
                          conjunct.operands.size() == 2;
    if (!is_equal) continue;
    const std::string one = column_in(conjunct.operands[0]);
    const std::string other = column_in(conjunct.operands[1]);
    if (one.empty() != other.empty()) fixed.push_back(one.empty() ? other : one);
  }
  for (const OrderKey& key : form.order) {
    if (const std::string column = column_in(key.value); !column.empty()) fixed.push_back(column);
  }
  return fixed;
}

}  // namespace

// Whether no two rows that it gives are ordered alike.
bool Unfolder::orders_all(const StatementForm& form) const {
  const Table& table = *form.sources[0].table;
  const std::vector<std::string> fixed = fixed_columns(form);
  const auto are_fixed = [&](const std::vector<std::string>& key) {
    return !key.empty() && std::ranges::all_of(key, [&](const std::string& column) {
      return std::ranges::find(fixed, column) != fixed.end();
    });
  };
  if (are_fixed(table.primary_key)) return true;
  return std::ranges::any_of(table.unique_constraints, [&](const UniqueConstraint& unique) {
    const bool has_nulls = std::ranges::any_of(unique.columns, [&](const std::string& name) {
      const auto column = std::ranges::find(table.columns, name, &TableColumn::name);
      return column == table.columns.end() || !column->not_null;
    });
    return !has_nulls && are_fixed(unique.columns);
  });
}

// A list that a loop over rows makes has what they have. Of such rows it has as many elements each
// time.
void Unfolder::note_list(const RowLoop& loop, std::size_t index, const Point& before) {
  const Event event = result_.events[index];
  const StatementForm& form = *event.form;
  const bool is_plain_query = form.kind == StatementKind::select && !form.is_aggregate &&
                              form.result_rows == ResultRows::each && loop.into.size() == 1;
  const bool only_assigns = std::ranges::all_of(
      loop.body, [](const Action& action) { return std::holds_alternative<Assign>(action.what); });
  if (!is_plain_query || !only_assigns) return;
  for (const Action& action : loop.body) {
    const auto& assign = std::get<Assign>(action.what);
    const std::string& name = assign.target.text;
    const auto first = before.bindings.find(name);
    const auto assigns = std::ranges::count_if(loop.body, [&](const Action& other) {
      return std::get<Assign>(other.what).target.text == name;
    });
    if (!grows(assign) || first == before.bindings.end() || assigns != 1) continue;
    const SqlValue now = now_.bindings.at(name).value;
    const Term was = evaluator_.cardinality(first->second.value).value;
    if (gives_same_rows(form)) {
      const Term count = of_query(event, "count", Sort::integer);
      result_.facts.push_back(terms_.implies(
          event.guard, terms_.equal(evaluator_.cardinality(now).value, terms_.add(was, count))));
    }
    const Expression& element = assign.value.operands[1];
    const bool is_field = element.kind == ExpressionKind::field && element.operands.size() == 1 &&
                          element.operands[0] == loop.into[0];
    const auto output = std::ranges::find(form.output_names, element.text);
    const bool is_one = std::ranges::count(form.output_names, element.text) == 1;
    if (!is_field || !is_one) continue;
    lists_.push_back({.name = name,
                      .array = now.value,
                      .when = terms_.all(event.guard, terms_.equal(was, terms_.integer(0))),
                      .event = index,
                      .output = static_cast<std::size_t>(output - form.output_names.begin())});
  }
}

// Of lists of one loop equal places have one row.
RowPlace Unfolder::row_place(std::size_t index, Term at) {
  const auto known = std::ranges::find_if(
      places_, [&](const RowPlace& place) { return place.event == index && place.at == at; });
  if (known != places_.end()) return *known;
  const Event event = result_.events[index];
  RowPlace place{.event = index, .at = at, .keys = fresh_keys(event), .outputs = {}};
  place.outputs = outputs(event, place.keys);
  for (const RowPlace& other : places_) {
    if (other.event != index) continue;
    std::vector<Term> are_same;
    for (std::size_t i = 0; i < place.keys.size(); ++i) {
      are_same.push_back(rows_.same_key(place.keys[i], other.keys[i]));
    }
    result_.facts.push_back(terms_.implies(terms_.equal(at, other.at), terms_.all(are_same)));
  }
  places_.push_back(place);
  return place;
}

// What is at a place of a list of rows is of one of them.
void Unfolder::note_element(const std::string& name, const SqlValue& array, const SqlValue& place,
                            const SqlValue& element) {
  for (const RowList& list : lists_) {
    if (list.name != name) continue;
    const Event event = result_.events[list.event];
    const Term at = evaluator_.as(place, Sort::integer).value;
    const Term is_there =
        terms_.all({list.when, terms_.equal(array.value, list.array), terms_.negate(array.is_null),
                    terms_.less_or_equal(terms_.integer(1), at),
                    terms_.less_or_equal(at, evaluator_.cardinality(array).value)});
    const RowPlace row = row_place(list.event, at);
    const SqlValue value = row.outputs[list.output];
    if (terms_.sort(value.value) != terms_.sort(element.value)) continue;
    result_.facts.push_back(terms_.implies(
        is_there,
        terms_.all({effects_.matches(event, row.keys), terms_.equal(value.is_null, element.is_null),
                    terms_.any(value.is_null, terms_.equal(value.value, element.value))})));
    if (gives_same_rows(*event.form)) note_place(event, row.keys, is_there, at);
  }
}

}  // namespace heddle::find
