// Operators of Java: comparisons, arithmetic, and what runs only where it is asked for.
#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

struct OperatorName {
  std::string_view java;
  std::string_view program;
};

constexpr std::array kComparisons = {
    OperatorName{"==", "="},  OperatorName{"!=", "<>"}, OperatorName{"<", "<"},
    OperatorName{"<=", "<="}, OperatorName{">", ">"},   OperatorName{">=", ">="},
};

constexpr std::array kArithmetic = {
    OperatorName{"+", "+"},   OperatorName{"-", "-"},    OperatorName{"*", "*"},
    OperatorName{"/", "/"},   OperatorName{"%", "%"},    OperatorName{"&", "&"},
    OperatorName{"|", "|"},   OperatorName{"^", "#"},    OperatorName{"<<", "<<"},
    OperatorName{">>", ">>"}, OperatorName{">>>", ">>"},
};

template <std::size_t size>
std::string program_name(const std::array<OperatorName, size>& table, std::string_view java) {
  const auto* const known = std::ranges::find(table, java, &OperatorName::java);
  return known == table.end() ? "" : std::string(known->program);
}

}  // namespace

std::string FunctionalityReader::arithmetic_name(std::string_view java) {
  return program_name(kArithmetic, java);
}

Value FunctionalityReader::read_binary(const Node& expression, Block& out) {
  const std::string name(expression.field_text("operator"));
  if (name == "&&" || name == "||") return read_logic(expression, out);
  if (name == "+") return read_sum(expression, out);
  const Value a = read(expression.field("left"), out);
  if (state_.is_dead) return {};
  const Value b = read(expression.field("right"), out);
  if (const std::string comparison = program_name(kComparisons, name); !comparison.empty()) {
    return read_comparison(expression, comparison, a, b);
  }
  return arithmetic(program_name(kArithmetic, name), a, b);
}

// A long chain of + is read from its left end, not by recursion.
Value FunctionalityReader::read_sum(const Node& expression, Block& out) {
  std::vector<Node> right;
  Node left = expression;
  while (left.is("binary_expression") && left.field_text("operator") == "+") {
    right.push_back(left.field("right"));
    left = left.field("left");
  }
  Value sum = read(left, out);
  for (auto next = right.rbegin(); next != right.rend() && !state_.is_dead; ++next) {
    const Value value = read(*next, out);
    const bool is_text = is_text_type(sum.type) || is_text_type(value.type) ||
                         sum.kind == ValueKind::text || value.kind == ValueKind::text;
    if (!is_text) {
      sum = arithmetic("+", sum, value);
      continue;
    }
    Text text = as_text(told(sum, expression, out));
    append(text, as_text(told(value, *next, out)));
    if (state_.is_dead) return {};
    count_cost(text);
    sum = string_value(std::move(text));
  }
  return sum;
}

Value FunctionalityReader::arithmetic(const std::string& name, const Value& a,
                                      const Value& b) const {
  if (!is_single(a) || !is_single(b) || name.empty()) return {};
  static constexpr std::array<std::string_view, 4> kWidths = {"double", "float", "long", "int"};
  std::string type = "int";
  for (const std::string_view width : std::views::reverse(kWidths)) {
    const std::string boxed = column_type(width);
    if (column_type(a.type) == boxed || column_type(b.type) == boxed) type = width;
  }
  if (a.type == "boolean" && b.type == "boolean") {
    const Expression result = name == "&" ? conjunction(to_expression(a), to_expression(b))
                              : name == "|"
                                  ? disjunction(to_expression(a), to_expression(b))
                                  : call("is distinct from", {to_expression(a), to_expression(b)});
    return scalar(result, "boolean");
  }
  return scalar(folded(name, {to_expression(a), to_expression(b)}), type);
}

Value FunctionalityReader::is_null(const Value& value) const {
  if (is_larger(value, kMostWays)) return scalar(unknown("null"), "boolean");
  switch (value.kind) {
    case ValueKind::null:
      return scalar(literal("true"), "boolean");
    case ValueKind::object:
      return scalar(literal("false"), "boolean");
    case ValueKind::choice:
      return chosen(value.choice->condition, is_null(value.choice->then),
                    is_null(value.choice->otherwise));
    case ValueKind::text:
      if (value.text.size() == 1 && value.text[0].choice) {
        const TextChoice& texts = *value.text[0].choice;
        return chosen(texts.condition, is_null(string_value(texts.then)),
                      is_null(string_value(texts.otherwise)));
      }
      if (value.text.size() != 1 || !value.text[0].value) {
        return scalar(literal("false"), "boolean");
      }
      break;
    case ValueKind::scalar:
      break;
    case ValueKind::nothing:
      return {};
  }
  const Expression expression = to_expression(value);
  if (expression.kind == ExpressionKind::literal) {
    return scalar(literal(expression.text == "null" ? "true" : "false"), "boolean");
  }
  if (expression.kind == ExpressionKind::choice && expression.operands.size() == 3) {
    return chosen(expression.operands[0], is_null(scalar(expression.operands[1], "")),
                  is_null(scalar(expression.operands[2], "")));
  }
  if (!may_be_null(value)) return scalar(literal("false"), "boolean");
  return scalar(call("is null", {expression}), "boolean");
}

bool FunctionalityReader::may_be_null(const Value& value) const {
  if (is_primitive(value.type)) return false;
  if (value.kind == ValueKind::text && (value.text.size() != 1 || !value.text[0].value)) {
    return false;
  }
  const Expression expression = to_expression(value);
  if (expression.kind == ExpressionKind::literal) return expression.text == "null";
  if (expression.kind == ExpressionKind::field) {
    const auto facts = columns_.find(expression.operands[0].text + "." + expression.text);
    return facts == columns_.end() || facts->second.may_be_null;
  }
  return true;
}

// = and <> of Java never give null: what may be null is compared so that it is a value.
Value FunctionalityReader::read_comparison(const Node& node, const std::string& name,
                                           const Value& a, const Value& b) {
  static_cast<void>(node);
  const bool is_equality = name == "=" || name == "<>";
  Value result;
  if (is_equality && (a.kind == ValueKind::null || b.kind == ValueKind::null)) {
    result = is_null(a.kind == ValueKind::null ? b : a);
    if (result.kind == ValueKind::scalar && name == "<>") {
      result.expression = negation(std::move(result.expression));
    }
    return result;
  }
  if (!is_single(a) || !is_single(b)) {
    const bool are_objects = a.kind == ValueKind::object && b.kind == ValueKind::object;
    if (!are_objects || !is_equality) return {};
    return scalar(literal((a.object == b.object) == (name == "=") ? "true" : "false"), "boolean");
  }
  Expression left = to_expression(a);
  Expression right = to_expression(b);
  const bool is_order = left.kind == ExpressionKind::call && left.text == "sign" &&
                        is_literal(right, "0") && left.operands[0].text == "-" &&
                        left.operands[0].operands.size() == 2;
  if (is_order) {  // a.compareTo(b) < 0
    return scalar(call(name, std::move(left.operands[0].operands)), "boolean");
  }
  if (a.type == "boolean" && is_equality && right.kind == ExpressionKind::literal) {
    const bool is_same = is_true(right) == (name == "=");
    return scalar(is_same ? left : negation(left), "boolean");
  }
  if (left.kind == ExpressionKind::literal && right.kind == ExpressionKind::literal &&
      is_equality && a.kind == ValueKind::text) {
    return scalar(literal((left == right) == (name == "=") ? "true" : "false"), "boolean");
  }
  // One of several constants is equal to one of them where it is that one.
  const bool is_one_of = is_equality && left.kind == ExpressionKind::choice &&
                         is_constant_choice(left) && right.kind == ExpressionKind::literal;
  if (is_one_of) {
    const auto side = [&](const Expression& one) {
      return to_expression(read_comparison(node, name, typed(one, a.type), b));
    };
    return scalar(choice(left.operands[0], side(left.operands[1]), side(left.operands[2])),
                  "boolean");
  }
  if (is_equality && (may_be_null(a) || may_be_null(b))) {
    return scalar(call(name == "=" ? "is not distinct from" : "is distinct from",
                       {std::move(left), std::move(right)}),
                  "boolean");
  }
  return scalar(folded(name, {std::move(left), std::move(right)}), "boolean");
}

// The right side runs only where the left one asks for it.
Value FunctionalityReader::read_logic(const Node& expression, Block& out) {
  const bool is_and = expression.field_text("operator") == "&&";
  const Expression left = condition_of(expression.field("left"), out);
  if (state_.is_dead) return {};
  const std::string slot = new_slot("$value");
  const Way ask = [&](Block& block) {
    Expression right = condition_of(expression.field("right"), block);
    state_.locals.set(slot, scalar(std::move(right), "boolean"));
  };
  const Way skip = [&](Block&) {
    state_.locals.set(slot, scalar(literal(is_and ? "false" : "true"), "boolean"));
  };
  branch(expression, left, out, is_and ? ask : skip, is_and ? skip : ask);
  if (state_.is_dead) return {};
  Value value = state_.locals.take(slot);
  return value;
}

Expression FunctionalityReader::condition_of(const Node& expression, Block& out) {
  const Value value = read(expression, out);
  if (value.kind == ValueKind::scalar) return value.expression;
  if (value.kind == ValueKind::choice) return to_expression(value);
  if (state_.is_dead) return literal("false");
  return kept(unknown(std::string(expression.text())), "condition", "boolean", expression, out);
}

Value FunctionalityReader::read_unary(const Node& expression, Block& out) {
  const std::string name(expression.field_text("operator"));
  const Node operand = expression.field("operand");
  if (name == "!") return scalar(negation(condition_of(operand, out)), "boolean");
  Value value = read(operand, out);
  if (value.kind != ValueKind::scalar || name == "+") return value;
  return scalar(folded(name, {value.expression}), value.type);
}

// i++, --i
Value FunctionalityReader::read_update(const Node& expression, Block& out) {
  const Node target = expression.first_child();
  const bool is_increment = expression.has_token("++");
  const bool is_prefix = expression.text().starts_with(is_increment ? "++" : "--");
  const Value before = read(target, out);
  if (before.kind != ValueKind::scalar) {
    assign(target, {}, out);
    return {};
  }
  const Value after =
      scalar(folded(is_increment ? "+" : "-", {before.expression, number(1)}), before.type);
  assign(target, after, out);
  return is_prefix ? after : before;
}

}  // namespace heddle::java
