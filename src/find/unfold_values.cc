// Values of the client and where they are kept.

#include "find/unfolder.h"

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

// Of a row that was never stored: null.
SqlValue Unfolder::field(const Expression& leaf) {
  const auto row = now_.bindings.find(leaf.operands[0].text);
  if (leaf.operands[0].kind == ExpressionKind::variable && row != now_.bindings.end()) {
    const auto column = row->second.fields.find(leaf.text);
    if (column != row->second.fields.end()) return column->second;
    return evaluator_.null();
  }
  return evaluator_.unknown(name_ + " " + leaf.text, Sort::integer);
}

SqlValue Unfolder::element(const Expression& leaf) {
  const Expression& array = leaf.operands[0];
  const auto type = types_.find(array.text);
  Sort sort = Sort::integer;
  if (type != types_.end() && type->second.ends_with("[]")) {
    sort = sort_of_type(std::string_view(type->second).substr(0, type->second.size() - 2));
  }
  return evaluator_.element(value(array), value(leaf.operands[1]), sort);
}

Binding Unfolder::merge(Term condition, const Binding& a, const Binding& b) {
  Binding result{evaluator_.choose(condition, a.value, b.value), {}};
  result.value = {bounded(result.value.value), bounded(result.value.is_null)};
  for (const auto& [column, value] : a.fields) {
    const auto other = b.fields.find(column);
    result.fields[column] = evaluator_.choose(
        condition, value, other == b.fields.end() ? evaluator_.null() : other->second);
  }
  for (const auto& [column, value] : b.fields) {
    if (a.fields.contains(column)) continue;
    result.fields[column] = evaluator_.choose(condition, evaluator_.null(), value);
  }
  return result;
}

Point Unfolder::merge(const Point& a, const Point& b) {
  if (terms_.is_false(a.live)) return b;
  if (terms_.is_false(b.live)) return a;
  Point result{{}, bounded(terms_.any(a.live, b.live)), a.transaction};
  // What comes is of another transaction in one of the two cases, and taken for one of its own.
  if (a.transaction != b.transaction) result.transaction = ++transactions_;
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

void Unfolder::assign(const Expression& target, const SqlValue& value) {
  if (target.kind == ExpressionKind::variable) {
    const auto type = types_.find(target.text);
    const SqlValue typed = type == types_.end() || type->second == "record"
                               ? value
                               : evaluator_.as(value, sort_of_type(type->second));
    now_.bindings[target.text] = {{bounded(typed.value), bounded(typed.is_null)}, {}};
  } else if (target.kind == ExpressionKind::field) {
    now_.bindings[target.operands[0].text].fields[target.text] = {bounded(value.value),
                                                                  bounded(value.is_null)};
  } else {
    // An element: the array is another one now, of which nothing else is known.
    now_.bindings[target.operands[0].text].value =
        evaluator_.unknown(name_ + " " + target.operands[0].text, Sort::integer, true);
  }
}

}  // namespace heddle::find
