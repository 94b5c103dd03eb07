#include "split/actions.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "program/visit.h"

namespace heddle::chopping {

namespace {

bool is_loop(const Action& action) {
  return std::holds_alternative<Loop>(action.what) ||
         std::holds_alternative<RowLoop>(action.what) ||
         std::holds_alternative<CountLoop>(action.what) ||
         std::holds_alternative<ElementLoop>(action.what);
}

void name_left(Block& block, const std::string& own, const LoopLabels& labels, bool is_nested) {
  for (Action& action : block) {
    if (auto* leave = std::get_if<LeaveLoop>(&action.what)) {
      const bool is_meant = leave->label.empty() ? !is_nested : leave->label == own;
      if (is_meant) leave->label = leave->next ? labels.inner : labels.outer;
    }
    const bool nests = is_nested || is_loop(action);
    program::for_each_block(action, [&](Block& inner) { name_left(inner, own, labels, nests); });
  }
}

}  // namespace

Expression variable(std::string name) {
  return {.kind = ExpressionKind::variable, .text = std::move(name), .operands = {}};
}

Expression literal(std::string text) {
  return {.kind = ExpressionKind::literal, .text = std::move(text), .operands = {}};
}

Expression call(std::string name, std::vector<Expression> operands) {
  return {.kind = ExpressionKind::call, .text = std::move(name), .operands = std::move(operands)};
}

bool mentions(const Expression& expression, const std::string& name) {
  return (expression.kind == ExpressionKind::variable && expression.text == name) ||
         std::ranges::any_of(expression.operands,
                             [&](const Expression& one) { return mentions(one, name); });
}

bool uses_variable(Action& action, const std::string& name) {
  bool uses = false;
  const auto see = [&](const Expression& one) { uses = uses || mentions(one, name); };
  program::for_each_expression(action, see, see);
  program::for_each_block(action, [&](Block& inner) {
    for (Action& one : inner) uses = uses || uses_variable(one, name);
  });
  return uses;
}

void place(Block& block, const SourceLocation& source) {
  for (Action& action : block) {
    action.source = source;
    program::for_each_block(action, [&](Block& inner) { place(inner, source); });
  }
}

void name_left_loops(Block& body, const std::string& own, const LoopLabels& labels) {
  name_left(body, own, labels, false);
}

}  // namespace heddle::chopping
