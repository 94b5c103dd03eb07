// switch: groups that fall through, rules with arrows, and its value.
#include <utility>

#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

std::vector<Node> labels_of(const Node& group) {
  std::vector<Node> labels;
  for (const Node& child : group.children()) {
    if (child.is("switch_label")) labels.push_back(child);
  }
  return labels;
}

bool is_default(const Node& group) {
  for (const Node& label : labels_of(group)) {
    if (label.children().empty()) return true;
  }
  return false;
}

}  // namespace

void FunctionalityReader::read_switch(const Node& statement, Block& out) {
  read_switch_value(statement, out);
}

Value FunctionalityReader::read_switch_value(const Node& expression, Block& out) {
  const Value subject = read(expression.field("condition").first_child(), out);
  LoopPlace place;
  place.left = new_slot("$left");
  place.frame = frames_.size();
  place.finally_blocks = finally_.size();
  begin_part(place.left);
  loops_.push_back(place);
  const std::string result = new_slot("$value");
  state_.locals.set(result, null_value());
  switch_results_.push_back(result);
  enter_scope();
  // The default comes last, whatever its place: no other label is equal to what it takes.
  std::vector<Node> groups;
  const std::vector<Node> all = expression.field("body").children();
  for (const Node& group : all) {
    if (!is_default(group)) groups.push_back(group);
  }
  read_cases(groups, all, 0, subject, out);
  leave_scope();
  switch_results_.pop_back();
  loops_.pop_back();
  end_part();
  if (state_.is_dead) return {};
  Value value = state_.locals.take(result);
  return value;
}

void FunctionalityReader::read_cases(const std::vector<Node>& groups, const std::vector<Node>& all,
                                     std::size_t at, const Value& subject, Block& out) {
  if (at == groups.size()) {
    for (const Node& group : all) {
      if (is_default(group)) read_case_body(all, group, out);
    }
    return;
  }
  const Expression condition = case_condition(groups[at], subject);
  branch(
      groups[at], condition, out, [&](Block& block) { read_case_body(all, groups[at], block); },
      [&](Block& block) { read_cases(groups, all, at + 1, subject, block); });
}

void FunctionalityReader::read_case_body(const std::vector<Node>& all, const Node& group,
                                         Block& out) {
  std::vector<Node> statements;
  for (const Node& each : all) {
    if (each.offset() < group.offset()) continue;
    for (const Node& child : each.children()) {
      if (!child.is("switch_label")) statements.push_back(child);
    }
    if (group.is("switch_rule")) break;  // rules do not fall through
  }
  const bool is_value =
      group.is("switch_rule") && statements.size() == 1 && statements[0].is("expression_statement");
  if (is_value) {
    Value value = read(statements[0].first_child(), out);
    if (!state_.is_dead) state_.locals.set(switch_results_.back(), std::move(value));
    return;
  }
  read_statements(statements, 0, out);
}

void FunctionalityReader::read_yield(const Node& statement, Block& out) {
  Value value = read(statement.first_child(), out);
  if (switch_results_.empty() || state_.is_dead) return;
  state_.locals.set(switch_results_.back(), std::move(value));
  for (std::size_t i = loops_.size(); i-- > 0;) {
    if (loops_[i].left.empty() || loops_[i].is_block) continue;
    state_.locals.set(loops_[i].left, scalar(literal("true"), "boolean"));
    return leave_loops(i + 1, statement, out);
  }
}

Expression FunctionalityReader::case_condition(const Node& group, const Value& subject) {
  Expression condition = literal("false");
  for (const Node& label : labels_of(group)) {
    for (const Node& each : label.children()) {
      Block none;
      Value value;
      // The labels of an enumeration are its constants' names.
      const Class* of = find_enumeration(subject.type);
      if (each.is("identifier") && of != nullptr) {
        value = constant_value(*of, std::string(each.text()));
      } else if (each.is("identifier") && find_slot(each.text()) == nullptr) {
        const Class* owner = nullptr;
        value = classes_.find_field(*frame().owner, each.text(), owner) != nullptr
                    ? read(each, none)
                    : string_value(words(std::string(each.text())));
      } else {
        value = read(each, none);
      }
      condition = disjunction(std::move(condition),
                              to_expression(read_comparison(each, "=", subject, value)));
    }
  }
  return condition;
}

}  // namespace heddle::java
