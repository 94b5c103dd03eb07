// Values of the client and where they are kept.
#include <algorithm>

#include "find/forms/typed_literals.h"
#include "find/terms/unfolder.h"

namespace heddle::find {

Sort Unfolder::declare(const Variable& variable) {
  types_[variable.name] = variable.type;
  return sort_of_type(variable.type);
}

Lookup Unfolder::lookup() {
  return [this](const Expression& leaf) { return look_up(leaf); };
}

SqlValue Unfolder::look_up(const Expression& leaf) {
  switch (leaf.kind) {
    case ExpressionKind::variable: {
      if (leaf.text == "found") return found();
      const auto known = now_.bindings.find(leaf.text);
      if (known != now_.bindings.end()) return known->second.value;
      break;
    }
    case ExpressionKind::field:
      return field(leaf);
    case ExpressionKind::element:
      return element(leaf);
    default:
      break;
  }
  return evaluator_.unknown(name_ + " " + leaf.text, Sort::integer);
}

SqlValue Unfolder::found() {
  const auto known = now_.bindings.find("found");
  if (known != now_.bindings.end()) return known->second.value;
  return evaluator_.known(terms_.truth(false));
}

SqlValue Unfolder::field(const Expression& leaf) {
  const auto row = now_.bindings.find(leaf.operands[0].text);
  if (leaf.operands[0].kind == ExpressionKind::variable && row != now_.bindings.end()) {
    const SqlValue value = field_of(row->second, leaf.text);
    // Whoever reads it once more reads the same.
    if (row->second.has_any_fields) row->second.fields.try_emplace(leaf.text, value);
    return value;
  }
  return evaluator_.unknown(name_ + " " + leaf.text, Sort::integer);
}

// Of the elements of an array.
Sort Unfolder::element_sort(const std::string& array) const {
  const auto type = types_.find(array);
  if (type == types_.end() || !type->second.ends_with("[]")) return Sort::integer;
  return sort_of_type(std::string_view(type->second).substr(0, type->second.size() - 2));
}

SqlValue Unfolder::element(const Expression& leaf) {
  const std::string& name = leaf.operands[0].text;
  const SqlValue array = value(leaf.operands[0]);
  const SqlValue place = value(leaf.operands[1]);
  const SqlValue element = evaluator_.element(array, place, element_sort(name));
  note_element(name, array, place, element);
  return element;
}

// Of a row that was never stored: null.
SqlValue Unfolder::field_of(const Binding& row, const std::string& column) {
  const auto known = row.fields.find(column);
  if (known != row.fields.end()) return known->second;
  // A row without fields is none; one that has others has that one, too, by another name.
  const bool is_none = row.fields.empty() && !row.has_any_fields;
  return is_none ? evaluator_.null() : evaluator_.unknown(name_ + " " + column, Sort::integer);
}

Binding Unfolder::merge(Term condition, const Binding& a, const Binding& b) {
  Binding result{.value = evaluator_.choose(condition, a.value, b.value),
                 .fields = {},
                 .has_any_fields = a.has_any_fields || b.has_any_fields};
  result.value = {bounded(result.value.value), bounded(result.value.is_null)};
  for (const auto& [column, value] : a.fields) {
    result.fields[column] = evaluator_.choose(condition, value, field_of(b, column));
  }
  for (const auto& [column, value] : b.fields) {
    if (a.fields.contains(column)) continue;
    result.fields[column] = evaluator_.choose(condition, field_of(a, column), value);
  }
  return result;
}

Point Unfolder::merge(const Point& a, const Point& b) {
  if (terms_.is_false(a.live)) return b;
  if (terms_.is_false(b.live)) return a;
  Point result{.bindings = {},
               .live = bounded(terms_.any(a.live, b.live)),
               .transaction = a.transaction,
               .others = a.others,
               .is_begun = a.is_begun || b.is_begun,
               .redis_group = a.redis_group == b.redis_group ? a.redis_group : std::nullopt,
               .tears = std::max(a.tears, b.tears)};
  // What comes is of another transaction in one of the two cases, and taken for one of its own.
  result.transaction = joined_transaction(a.transaction, b.transaction);
  for (const auto& [connection, transaction] : b.others) {
    const auto [open, is_new] = result.others.try_emplace(connection, transaction);
    if (!is_new) open->second = joined_transaction(open->second, transaction);
  }
  for (const auto& [name, binding] : a.bindings) {
    const auto other = b.bindings.find(name);
    result.bindings[name] =
        other == b.bindings.end() ? binding : merge(a.live, binding, other->second);
  }
  for (const auto& [name, binding] : b.bindings) result.bindings.try_emplace(name, binding);
  return result;
}

Term Unfolder::bounded(Term term) {
  constexpr std::size_t kDeepest = 500;
  return terms_.depth(term) <= kDeepest ? term : terms_.fresh(name_ + " deep", terms_.sort(term));
}

// A row is copied from another variable; what else may make one is not known.
void Unfolder::step(const Assign& assignment) {
  if (!is_row(assignment.target)) {
    const auto type = types_.find(assignment.target.text);
    const bool is_array = type != types_.end() && type->second.ends_with("[]");
    // The text of an array becomes one.
    const bool is_text = is_array && assignment.value.kind == ExpressionKind::literal;
    assign(assignment.target, value(is_text ? Expression{.kind = ExpressionKind::cast,
                                                         .text = type->second,
                                                         .operands = {assignment.value}}
                                            : assignment.value));
    return;
  }
  const auto from = assignment.value.kind == ExpressionKind::variable
                        ? now_.bindings.find(assignment.value.text)
                        : now_.bindings.end();
  const bool is_null = assignment.value == Expression{};
  now_.bindings[assignment.target.text] =
      from != now_.bindings.end()
          ? Binding(from->second)
          : Binding{.value = value(assignment.value), .fields = {}, .has_any_fields = !is_null};
}

Expression Unfolder::typed(const Expression& expression) const {
  return with_typed_literals(expression, [&](const Expression& leaf) {
    const auto type = types_.find(leaf.text);
    const bool is_known = leaf.kind == ExpressionKind::variable && type != types_.end();
    return is_known ? literal_kind(type->second) : LiteralKind::text;
  });
}

void Unfolder::assign(const Expression& target, const SqlValue& value) {
  if (target.kind == ExpressionKind::variable) {
    const auto type = types_.find(target.text);
    const SqlValue typed = type == types_.end() || is_row(target)
                               ? value
                               : evaluator_.as(value, sort_of_type(type->second));
    now_.bindings[target.text] = {.value = {bounded(typed.value), bounded(typed.is_null)},
                                  .fields = {}};
  } else if (target.kind == ExpressionKind::field) {
    now_.bindings[target.operands[0].text].fields[target.text] = {bounded(value.value),
                                                                  bounded(value.is_null)};
  } else {
    const SqlValue stored = evaluator_.as(value, element_sort(target.operands[0].text));
    const SqlValue array = this->value(target.operands[0]);
    now_.bindings[target.operands[0].text].value =
        evaluator_.array_with(array, this->value(target.operands[1]), stored);
  }
}

}  // namespace heddle::find
