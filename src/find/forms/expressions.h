// Expressions over the columns of a statement's tables, put together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "find/forms/statement_form.h"
#include "heddle/program.h"

namespace heddle::find {

inline Expression literal_of(std::string text) {
  return {.kind = ExpressionKind::literal, .text = std::move(text), .operands = {}};
}

inline Expression unknown_value(std::string what) {
  return {.kind = ExpressionKind::unknown, .text = std::move(what), .operands = {}};
}

inline Expression call_of(std::string name, std::vector<Expression> operands) {
  return {.kind = ExpressionKind::call, .text = std::move(name), .operands = std::move(operands)};
}

inline Expression are_equal(Expression a, Expression b) {
  return call_of("=", {std::move(a), std::move(b)});
}

// A column of a row of the source.
inline Expression column_of(std::size_t source, const std::string& column) {
  Expression row{.kind = ExpressionKind::variable, .text = source_variable(source), .operands = {}};
  return {.kind = ExpressionKind::field, .text = column, .operands = {std::move(row)}};
}

// None of them: false.
inline Expression any_of(std::vector<Expression> conditions) {
  if (conditions.empty()) return literal_of("false");
  if (conditions.size() == 1) return std::move(conditions.front());
  return call_of("or", std::move(conditions));
}

// REQUIRES: there are some.
inline Expression all_of(std::vector<Expression> conditions) {
  if (conditions.size() == 1) return std::move(conditions.front());
  return call_of("and", std::move(conditions));
}

// An element of a list that the client gives, at a place that it says.
inline bool is_element_of_clients(const Expression& element) {
  return element.kind == ExpressionKind::element && element.operands.size() == 2 &&
         element.operands[0].kind == ExpressionKind::variable &&
         (element.operands[1].kind == ExpressionKind::variable ||
          element.operands[1].kind == ExpressionKind::literal);
}

// The value of the client, or the constant, that a condition says the column has; null: it says
// none.
inline const Expression* pinned_value(const Expression& condition, const std::string& column) {
  const bool is_equality = condition.kind == ExpressionKind::call && condition.text == "=" &&
                           condition.operands.size() == 2;
  if (!is_equality) return nullptr;
  for (const std::size_t side : {0, 1}) {
    const Expression& named = condition.operands[side];
    const Expression& value = condition.operands[1 - side];
    const bool is_clients = value.kind == ExpressionKind::variable ||
                            value.kind == ExpressionKind::literal || is_element_of_clients(value);
    if (source_of(named).has_value() && named.text == column && is_clients) return &value;
  }
  return nullptr;
}

// Those that all have to hold, in their order.
inline std::vector<Expression> conjuncts_of(Expression condition) {
  std::vector<Expression> conjuncts;
  std::vector<Expression> open;
  open.push_back(std::move(condition));
  while (!open.empty()) {
    Expression one = std::move(open.back());
    open.pop_back();
    if (one.kind == ExpressionKind::call && one.text == "and") {
      for (Expression& operand : one.operands) open.push_back(std::move(operand));
    } else {
      conjuncts.push_back(std::move(one));
    }
  }
  std::ranges::reverse(conjuncts);
  return conjuncts;
}

}  // namespace heddle::find
