#include "interpret/evaluate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace heddle::interpreter {

Value Evaluator::evaluate(const Expression& expression, const SourceLocation& source,
                          Errors& errors) {
  source_ = &source;
  asked_.clear();
  const Node node = fold(analyze(expression, variables_, errors), errors);
  return errors.any() ? null_of(node.type) : evaluate_node(node, errors);
}

Value Evaluator::evaluate_node(const Node& node, Errors& errors) {
  if (errors.any()) return null_of(node.type);
  Value value = evaluate_step(node, errors);
  return errors.any() ? null_of(node.type) : value;
}

Value Evaluator::evaluate_step(const Node& node, Errors& errors) {
  switch (node.step) {
    case Node::Step::constant:
      return node.constant;
    case Node::Step::variable:
      return variables_.find(node.source->text)->second.value;
    case Node::Step::field:
      return field(*node.source);
    case Node::Step::all:
      return decide(node, false, errors);
    case Node::Step::any:
      return decide(node, true, errors);
    case Node::Step::choice:
      return choose(node, errors);
    case Node::Step::coalesce:
      return first_known(node, errors);
    case Node::Step::ask:
      return ask_once(node, errors);
    case Node::Step::call:
    case Node::Step::special:
    case Node::Step::convert:
      break;
  }
  const Arguments arguments = evaluate_all(node, errors);
  if (errors.any()) return null_of(node.type);
  Value value = apply(node, arguments, errors);
  if (errors.kind() != Errors::Kind::unsupported) return value;
  errors.clear();
  return ask(node, arguments, errors);
}

Arguments Evaluator::evaluate_all(const Node& node, Errors& errors) {
  Arguments arguments;
  for (const Node& operand : node.operands) arguments.push_back(evaluate_node(operand, errors));
  return arguments;
}

// AND and OR: the first operand that decides ends it; without one a null makes it null.
Value Evaluator::decide(const Node& node, bool decisive, Errors& errors) {
  bool any_null = false;
  for (const Node& operand : node.operands) {
    Value value = evaluate_node(operand, errors);
    if (errors.any()) return null_of(node.type);
    if (value.is_null()) {
      any_null = true;
    } else if (value.boolean() == decisive) {
      return value;
    }
  }
  return any_null ? null_of(node.type) : boolean_value(!decisive);
}

Value Evaluator::choose(const Node& node, Errors& errors) {
  const std::size_t pairs = node.operands.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    const Value condition = evaluate_node(node.operands[2 * i], errors);
    if (errors.any()) return null_of(node.type);
    const bool holds = !condition.is_null() && condition.boolean();
    if (holds) return evaluate_node(node.operands[2 * i + 1], errors);
  }
  const bool has_else = node.operands.size() % 2 == 1;
  return has_else ? evaluate_node(node.operands.back(), errors) : null_of(node.type);
}

Value Evaluator::first_known(const Node& node, Errors& errors) {
  for (const Node& operand : node.operands) {
    Value value = evaluate_node(operand, errors);
    if (errors.any() || !value.is_null()) return value;
  }
  return null_of(node.type);
}

Value Evaluator::field(const Expression& expression) const {
  const Fields& fields = variables_.find(expression.operands[0].text)->second.value.fields();
  const auto name = std::ranges::find(fields.names, expression.text);
  return fields.values[static_cast<std::size_t>(name - fields.names.begin())];
}

Value Evaluator::ask_once(const Node& node, Errors& errors) {
  const auto known = asked_.find(node.source);
  if (known != asked_.end()) return known->second;
  const Arguments arguments = evaluate_all(node, errors);
  if (errors.any()) return null_of(node.type);
  Value value = ask(node, arguments, errors);
  asked_.emplace(node.source, value);
  return value;
}

Value Evaluator::ask(const Node& node, const Arguments& arguments, Errors& errors) {
  UnknownValue unknown{
      .expression = node.source, .operands = {}, .type = type_name(node.type), .source = *source_};
  for (const Value& value : arguments) unknown.operands.push_back(client_value(value));
  if (!unknown_value_) {
    errors.unsupported(fmt::format("the value of {} is not known", print_expression(*node.source)));
    return null_of(node.type);
  }
  const Result<Cell> answer = unknown_value_(unknown);
  if (!answer) {
    trouble_ = answer.error();
    errors.other();
    return null_of(node.type);
  }
  if (!*answer) return null_of(node.type);
  return read_value_text(**answer, node.type, errors);
}

ClientValue client_value(const Value& value) {
  ClientValue result{.text = std::nullopt, .type = type_name(value.type)};
  if (!value.is_null()) result.text = output_text(value);
  return result;
}

}  // namespace heddle::interpreter
