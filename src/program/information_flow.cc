#include "program/information_flow.h"

#include <algorithm>
#include <variant>

namespace heddle::program {

namespace {

// Whether some operands of it are an error: a divisor, a text that is no number, a place that an
// array does not have.
bool may_be_error(const Expression& expression) {
  if (expression.kind == ExpressionKind::element) return true;
  if (expression.kind == ExpressionKind::cast) return expression.text != "text";
  return expression.kind == ExpressionKind::call &&
         (expression.text == "/" || expression.text == "%");
}

}  // namespace

void add_origins(Origins& to, const Origins& from) { to.insert(from.begin(), from.end()); }

void InformationFlow::follow(const Functionality& functionality) {
  std::size_t known = 0;
  do {
    known = size();
    last_.clear();
    walk(functionality.body, {});
  } while (size() != known);
}

std::size_t InformationFlow::size() const {
  std::size_t all = 0;
  for (const auto& [name, origins] : variables_) all += origins.size();
  for (const auto& [name, origins] : cursors_) all += origins.size();
  for (const auto& [raise, origins] : raised_) all += 1 + origins.size();
  return all;
}

Origins InformationFlow::origins_of(const Expression& expression) {
  Origins origins;
  if (expression.kind == ExpressionKind::variable && expression.text == "found")
    add_origins(origins, last_);
  if (expression.kind == ExpressionKind::variable) {
    const auto known = variables_.find(expression.text);
    if (known != variables_.end()) add_origins(origins, known->second);
  }
  for (const Expression& operand : expression.operands) add_origins(origins, origins_of(operand));
  if (expression.kind == ExpressionKind::unknown) add_origins(origins, of_unknown());
  if (may_be_error(expression)) add_origins(failed_, origins);
  return origins;
}

void InformationFlow::assign(const Expression& target, const Origins& origins) {
  const Expression* variable = &target;
  Origins all = origins;
  while (variable->kind != ExpressionKind::variable && !variable->operands.empty()) {
    // The place of an element is a part of what the array is then.
    for (std::size_t i = 1; i < variable->operands.size(); ++i) {
      add_origins(all, origins_of(variable->operands[i]));
    }
    variable = &variable->operands[0];
  }
  add_origins(variables_[variable->text], all);
}

// `control`: what decided that it runs.
InformationFlow::Left InformationFlow::walk(const Block& block, Origins control) {
  Left left;
  for (const Action& action : block) {
    Left one = std::visit([&](const auto& what) { return see(what, control); }, action.what);
    if (!failed_.empty()) {
      see_failure(failed_);
      add_origins(one.functionality, std::exchange(failed_, {}));
    }
    add_origins(control, one.functionality);
    add_origins(left.functionality, one.functionality);
    for (const auto& [label, origins] : one.loops) {
      add_origins(control, origins);
      left.loops.emplace_back(label, origins);
    }
  }
  return left;
}

void InformationFlow::run(const ProgramStatement& statement, const std::vector<Expression>& into,
                          const Origins& control) {
  Origins origins = control;
  for (const Expression& argument : statement.arguments) {
    add_origins(origins, origins_of(argument));
  }
  if (statement.made_text) add_origins(origins, origins_of(*statement.made_text));
  see_statement(statement, origins);
  last_ = std::move(origins);
  if (is_origin(statement)) last_.insert(&statement);
  if (may_fail(statement)) add_origins(failed_, last_);
  for (const Expression& target : into) assign(target, last_);
}

InformationFlow::Left InformationFlow::see(const RunStatement& what, const Origins& control) {
  run(what.statement, what.into, control);
  if (what.strict) add_origins(failed_, last_);
  return {};
}

InformationFlow::Left InformationFlow::see(const OpenRows& what, const Origins& control) {
  run(what.statement, {}, control);
  add_origins(cursors_[what.cursor], last_);
  return {};
}

InformationFlow::Left InformationFlow::see(const FetchRow& what, const Origins& control) {
  // Who fetches decides what the next one finds.
  add_origins(cursors_[what.cursor], control);
  last_ = cursors_[what.cursor];
  for (const Expression& target : what.into) assign(target, last_);
  return {};
}

InformationFlow::Left InformationFlow::see(const CloseRows& /*what*/, const Origins& /*control*/) {
  return {};
}

InformationFlow::Left InformationFlow::see(const Assign& what, const Origins& control) {
  assign(what.target, control);
  assign(what.target, origins_of(what.value));
  return {};
}

InformationFlow::Left InformationFlow::see(const CountRows& what, const Origins& control) {
  assign(what.target, control);
  assign(what.target, last_);
  return {};
}

InformationFlow::Left InformationFlow::see(const Branch& what, const Origins& control) {
  Origins inner = control;
  add_origins(inner, origins_of(what.condition));
  const Origins before = last_;
  Left left = walk(what.then, inner);
  const Origins then = std::exchange(last_, before);
  const Left otherwise = walk(what.otherwise, inner);
  add_origins(last_, then);
  // Which of both was the last statement is decided, too.
  if (last_ != before) add_origins(last_, inner);
  add_origins(left.functionality, otherwise.functionality);
  left.loops.insert(left.loops.end(), otherwise.loops.begin(), otherwise.loops.end());
  return left;
}

// What leaves the loop does not matter behind it: there all ways meet.
InformationFlow::Left InformationFlow::loop(const Block& body, const std::string& label,
                                            Origins control) {
  const Origins before = last_;
  Left left;
  for (int round = 0; round < 2; ++round) {
    left = walk(body, control);
    add_origins(control, left.functionality);
    for (const auto& [name, origins] : left.loops) add_origins(control, origins);
    if (last_ != before) add_origins(last_, control);
    add_origins(last_, before);
  }
  std::erase_if(left.loops,
                [&](const auto& one) { return one.first.empty() || one.first == label; });
  return left;
}

InformationFlow::Left InformationFlow::see(const Loop& what, const Origins& control) {
  Origins inner = control;
  if (what.condition) add_origins(inner, origins_of(*what.condition));
  return loop(what.body, what.label, std::move(inner));
}

InformationFlow::Left InformationFlow::see(const RowLoop& what, const Origins& control) {
  Origins inner = control;
  run(what.statement, what.into, control);
  add_origins(inner, last_);
  return loop(what.body, what.label, std::move(inner));
}

InformationFlow::Left InformationFlow::see(const CountLoop& what, const Origins& control) {
  Origins inner = control;
  add_origins(inner, origins_of(what.first));
  add_origins(inner, origins_of(what.last));
  if (what.step) add_origins(inner, origins_of(*what.step));
  add_origins(variables_[what.variable], inner);
  return loop(what.body, what.label, std::move(inner));
}

InformationFlow::Left InformationFlow::see(const ElementLoop& what, const Origins& control) {
  Origins inner = control;
  add_origins(inner, origins_of(what.array));
  add_origins(variables_[what.variable], inner);
  return loop(what.body, what.label, std::move(inner));
}

InformationFlow::Left InformationFlow::see(const LeaveLoop& what, const Origins& control) {
  return {.functionality = {}, .loops = {{what.label, control}}};
}

InformationFlow::Left InformationFlow::see(const Return& what, const Origins& control) {
  for (const Expression& value : what.values) origins_of(value);
  return {.functionality = control, .loops = {}};
}

InformationFlow::Left InformationFlow::see(const ReturnRow& what, const Origins& /*control*/) {
  for (const Expression& value : what.values) origins_of(value);
  return {};
}

InformationFlow::Left InformationFlow::see(const Raise& what, const Origins& control) {
  add_origins(raised_[&what], control);
  see_raise(what, control);
  return {.functionality = control, .loops = {}};
}

// Whatever decided in the body may have brought about the error that is handled.
InformationFlow::Left InformationFlow::see(const Attempt& what, const Origins& control) {
  const Origins before = last_;
  Left left = walk(what.body, control);
  Origins inner = control;
  add_origins(inner, left.functionality);
  add_origins(inner, last_);
  for (const char* const of_error : {"sqlstate", "sqlerrm"}) {
    add_origins(variables_[of_error], inner);
  }
  Origins after = last_;
  for (const Recovery& recovery : what.recoveries) {
    last_ = before;
    const Left other = walk(recovery.body, inner);
    add_origins(after, last_);
    add_origins(left.functionality, other.functionality);
    left.loops.insert(left.loops.end(), other.loops.begin(), other.loops.end());
  }
  last_ = std::move(after);
  return left;
}

}  // namespace heddle::program
