#include "race/accesses/condition.h"

#include <algorithm>
#include <utility>

namespace heddle::race {
namespace {

KnownValue value_of(const Operand& operand, const KnownRow& row) {
  if (operand.column.empty()) return operand.value;
  const auto found = row.find(operand.column);
  return found == row.end() ? KnownValue{} : found->second;
}

// AND of the truths; OR is its mirror image.
Truth all_true(const Condition& condition, const KnownRow& row) {
  Truth whole = Truth::yes;
  for (const Condition& part : condition.parts) {
    const Truth truth = evaluate(part, row);
    if (truth == Truth::no) return Truth::no;
    const bool is_vaguer = truth == Truth::unknown || whole == Truth::yes;
    if (truth != Truth::yes && is_vaguer) whole = truth;
  }
  return whole;
}

Truth any_true(const Condition& condition, const KnownRow& row) {
  Truth whole = Truth::no;
  for (const Condition& part : condition.parts) {
    const Truth truth = evaluate(part, row);
    if (truth == Truth::yes) return Truth::yes;
    const bool is_vaguer = truth == Truth::unknown || whole == Truth::no;
    if (truth != Truth::no && is_vaguer) whole = truth;
  }
  return whole;
}

Truth null_truth(const KnownValue& value) {
  if (!value.is_known()) return Truth::unknown;
  return value.has_text() ? Truth::no : Truth::yes;
}

void add_columns(const Condition& condition, std::set<std::string>& columns) {
  for (const Operand* operand : {&condition.left, &condition.right}) {
    if (!operand->column.empty()) columns.insert(operand->column);
  }
  for (const Condition& part : condition.parts) add_columns(part, columns);
}

void add_value(std::vector<KnownValue>& values, const KnownValue& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

// A row has to satisfy both, so that the shorter list of values will do.
Bindings bindings_of_all(const Condition& condition) {
  Bindings all;
  for (const Condition& part : condition.parts) {
    for (auto& [column, values] : bindings_of(part)) {
      const auto [place, is_new] = all.try_emplace(column, values);
      if (!is_new && values.size() < place->second.size()) place->second = std::move(values);
    }
  }
  return all;
}

// Only what every part binds.
Bindings bindings_of_any(const Condition& condition) {
  if (condition.parts.empty()) return {};
  Bindings common = bindings_of(condition.parts.front());
  for (std::size_t i = 1; i < condition.parts.size(); ++i) {
    const Bindings next = bindings_of(condition.parts[i]);
    std::erase_if(common, [&](const auto& each) { return !next.contains(each.first); });
    for (auto& [column, values] : common) {
      for (const KnownValue& value : next.at(column)) add_value(values, value);
    }
  }
  return common;
}

}  // namespace

Condition all_of(std::vector<Condition> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return {.kind = Condition::Kind::all, .parts = std::move(parts)};
}

Condition any_of(std::vector<Condition> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return {.kind = Condition::Kind::any, .parts = std::move(parts)};
}

Condition negation_of(Condition part) {
  Condition negation{.kind = Condition::Kind::negation};
  negation.parts.push_back(std::move(part));
  return negation;
}

Truth evaluate(const Condition& condition, const KnownRow& row) {
  switch (condition.kind) {
    case Condition::Kind::all:
      return all_true(condition, row);
    case Condition::Kind::any:
      return any_true(condition, row);
    case Condition::Kind::negation:
      return negated(evaluate(condition.parts.front(), row));
    case Condition::Kind::equal:
      return are_equal(value_of(condition.left, row), value_of(condition.right, row));
    case Condition::Kind::less:
      return is_less(value_of(condition.left, row), value_of(condition.right, row));
    case Condition::Kind::is_null:
      return null_truth(value_of(condition.left, row));
    case Condition::Kind::unknown:
      break;
  }
  return Truth::unknown;
}

std::set<std::string> columns_of(const Condition& condition) {
  std::set<std::string> columns;
  add_columns(condition, columns);
  return columns;
}

Bindings bindings_of(const Condition& condition) {
  if (condition.kind == Condition::Kind::all) return bindings_of_all(condition);
  if (condition.kind == Condition::Kind::any) return bindings_of_any(condition);
  if (condition.kind != Condition::Kind::equal) return {};
  const Operand& left = condition.left;
  const Operand& right = condition.right;
  if (!left.column.empty() && right.column.empty() && right.value.has_text()) {
    return {{left.column, {right.value}}};
  }
  if (left.column.empty() && !right.column.empty() && left.value.has_text()) {
    return {{right.column, {left.value}}};
  }
  return {};
}

std::vector<KnownRow> partial_rows(const Condition& condition) {
  std::vector<KnownRow> rows(1);
  for (const auto& [column, values] : bindings_of(condition)) {
    if (rows.size() * values.size() > kMostPartialRows) continue;
    std::vector<KnownRow> longer;
    for (const KnownRow& row : rows) {
      for (const KnownValue& value : values) {
        longer.push_back(row);
        longer.back()[column] = value;
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

std::string row_text(const KnownRow& row) {
  std::string text;
  for (const auto& [column, value] : row) {
    if (!value.is_known()) continue;
    if (!text.empty()) text += ", ";
    text += column + "=" + (value.has_text() ? value.text : "null");
  }
  return text;
}

}  // namespace heddle::race
