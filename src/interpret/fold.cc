// Constants are computed beforehand: PostgreSQL's eval_const_expressions (clauses.c).
#include <algorithm>
#include <utility>
#include <vector>

#include "interpret/analyze.h"

namespace heddle::interpreter {

namespace {

bool is_constant(const Node& node) { return node.step == Node::Step::constant; }
bool is_null_constant(const Node& node) { return is_constant(node) && node.constant.is_null(); }

Node constant_of(const Node& node, Value value) {
  Node result{.step = Node::Step::constant, .type = node.type, .source = node.source};
  result.constant = std::move(value);
  return result;
}

// How dates and arrays are written depends on settings.
bool is_stable_cast(const Type& from, const Type& to) {
  const auto depends = [](const Type& type) {
    const Category category = category_of(type);
    return category == Category::time || category == Category::span ||
           category == Category::array || category == Category::other;
  };
  return (depends(from) && category_of(to) == Category::text) ||
         (depends(to) && category_of(from) == Category::text) ||
         (from.base == Base::timestamptz) != (to.base == Base::timestamptz);
}

// All operands are constants; what we cannot compute is left for later.
Node computed(Node node, Errors& errors) {
  Arguments arguments;
  for (const Node& operand : node.operands) arguments.push_back(operand.constant);
  Errors trouble;
  Value value = apply(node, arguments, trouble);
  if (trouble.kind() == Errors::Kind::unsupported) return node;
  if (trouble.any()) errors = trouble;
  return constant_of(node, std::move(value));
}

Node fold_call(Node node, Errors& errors) {
  for (Node& operand : node.operands) operand = fold(std::move(operand), errors);
  if (errors.any()) return node;
  const bool is_strict = node.step == Node::Step::call || node.step == Node::Step::convert;
  if (is_strict && std::ranges::any_of(node.operands, is_null_constant)) {
    return constant_of(node, null_of(node.type));
  }
  if (node.step == Node::Step::special && is_null_if(node) &&
      std::ranges::any_of(node.operands, is_null_constant)) {
    return std::move(node.operands.front());
  }
  const bool is_fixed = node.step == Node::Step::convert
                            ? !is_stable_cast(node.operands[0].type, node.type)
                            : !is_stable(node);
  const bool all = std::ranges::all_of(node.operands, is_constant);
  return all && is_fixed ? computed(std::move(node), errors) : node;
}

// AND and OR: a constant that decides is the result, one that does not is left out.
Node fold_logic(Node node, bool decisive, Errors& errors) {
  std::vector<Node> kept;
  for (Node& operand : node.operands) {
    Node one = fold(std::move(operand), errors);
    if (errors.any()) return node;
    if (is_constant(one) && !is_null_constant(one)) {
      if (one.constant.boolean() == decisive) return one;
      continue;
    }
    kept.push_back(std::move(one));
  }
  if (kept.empty()) return constant_of(node, boolean_value(!decisive));
  if (std::ranges::all_of(kept, is_null_constant)) return std::move(kept.front());
  node.operands = std::move(kept);
  return node;
}

// Arms that can never be reached are not looked at.
Node fold_choice(Node node, Errors& errors) {
  std::vector<Node> kept;
  const std::size_t pairs = node.operands.size() / 2;
  bool is_last = false;
  for (std::size_t i = 0; i < pairs && !is_last; ++i) {
    Node condition = fold(std::move(node.operands[2 * i]), errors);
    if (errors.any()) return node;
    const bool is_known = is_constant(condition);
    is_last = is_known && !is_null_constant(condition) && condition.constant.boolean();
    if (is_known && !is_last) continue;
    if (!is_last) kept.push_back(std::move(condition));
    kept.push_back(fold(std::move(node.operands[2 * i + 1]), errors));
  }
  const bool has_else = node.operands.size() % 2 == 1;
  if (has_else && !is_last) kept.push_back(fold(std::move(node.operands.back()), errors));
  if (errors.any()) return node;
  if (kept.empty()) return constant_of(node, null_of(node.type));
  if (kept.size() == 1) return std::move(kept.front());
  node.operands = std::move(kept);
  return node;
}

Node fold_coalesce(Node node, Errors& errors) {
  std::vector<Node> kept;
  for (Node& operand : node.operands) {
    Node one = fold(std::move(operand), errors);
    if (errors.any()) return node;
    if (is_null_constant(one)) continue;
    const bool decides = is_constant(one);
    kept.push_back(std::move(one));
    if (decides) break;
  }
  if (kept.empty()) return constant_of(node, null_of(node.type));
  if (kept.size() == 1) return std::move(kept.front());
  node.operands = std::move(kept);
  return node;
}

}  // namespace

Value apply(const Node& node, const Arguments& arguments, Errors& errors) {
  if (node.step == Node::Step::convert) {
    return convert(arguments[0], node.type, node.cast, errors);
  }
  if (node.step == Node::Step::special) return node.special(node, arguments, errors);
  const bool any_null =
      std::ranges::any_of(arguments, [](const Value& value) { return value.is_null(); });
  return any_null ? null_of(node.type) : node.function->body(arguments, errors);
}

Node fold(Node node, Errors& errors) {
  if (errors.any()) return node;
  switch (node.step) {
    case Node::Step::call:
    case Node::Step::special:
    case Node::Step::convert:
      return fold_call(std::move(node), errors);
    case Node::Step::all:
      return fold_logic(std::move(node), false, errors);
    case Node::Step::any:
      return fold_logic(std::move(node), true, errors);
    case Node::Step::choice:
      return fold_choice(std::move(node), errors);
    case Node::Step::coalesce:
      return fold_coalesce(std::move(node), errors);
    case Node::Step::constant:
    case Node::Step::variable:
    case Node::Step::field:
    case Node::Step::ask:
      break;
  }
  return node;
}

}  // namespace heddle::interpreter
