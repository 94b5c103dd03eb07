// Information flow as Denning and Denning (1977) certify it, for one source: the numbers of rows
// that statements changed. Variables are taken together for the whole body, and the walk is made
// again until they hold no more than before.
#include "program/deciding_changes.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heddle::program {

namespace {

using Changes = std::set<const ProgramStatement*>;

void add(Changes& to, const Changes& from) { to.insert(from.begin(), from.end()); }

// What was decided on the ways that left.
struct Left {
  Changes functionality;                               // for good
  std::vector<std::pair<std::string, Changes>> loops;  // by label; empty: the innermost
};

class DecidingFinder {
 public:
  DecidingChanges find(const Block& body) {
    std::size_t known = 0;
    do {
      known = size();
      walk(body, {});
    } while (size() != known);
    return std::move(deciding_);
  }

 private:
  std::size_t size() const {
    std::size_t all = 0;
    for (const auto& [name, changes] : variables_) all += changes.size();
    for (const auto& [raise, changes] : deciding_) all += 1 + changes.size();
    return all;
  }

  Changes changes_of(const Expression& expression) const {
    Changes changes;
    if (expression.kind == ExpressionKind::variable && expression.text == "found")
      add(changes, last_);
    if (expression.kind == ExpressionKind::variable) {
      const auto known = variables_.find(expression.text);
      if (known != variables_.end()) add(changes, known->second);
    }
    for (const Expression& operand : expression.operands) add(changes, changes_of(operand));
    return changes;
  }

  void assign(const Expression& target, const Changes& changes) {
    const Expression* variable = &target;
    while (variable->kind != ExpressionKind::variable && !variable->operands.empty()) {
      variable = &variable->operands[0];
    }
    add(variables_[variable->text], changes);
  }

  // `control`: what decided that it runs.
  Left walk(const Block& block, Changes control) {
    Left left;
    for (const Action& action : block) {
      const Left one =
          std::visit([&](const auto& what) { return see(what, control); }, action.what);
      add(control, one.functionality);
      add(left.functionality, one.functionality);
      for (const auto& [label, changes] : one.loops) {
        add(control, changes);
        left.loops.emplace_back(label, changes);
      }
    }
    return left;
  }

  void run(const ProgramStatement& statement, const std::vector<Expression>& into,
           const Changes& control) {
    last_.clear();
    if (changes_rows_there(statement)) last_ = {&statement};
    for (const Expression& target : into) {
      assign(target, control);
      assign(target, last_);
    }
  }

  Left see(const RunStatement& what, const Changes& control) {
    run(what.statement, what.into, control);
    return {};
  }
  Left see(const OpenRows& what, const Changes& control) {
    run(what.statement, {}, control);
    return {};
  }
  Left see(const FetchRow& what, const Changes& control) {
    for (const Expression& target : what.into) assign(target, control);
    last_.clear();
    return {};
  }
  Left see(const CloseRows& /*what*/, const Changes& /*control*/) { return {}; }
  Left see(const Assign& what, const Changes& control) {
    assign(what.target, control);
    assign(what.target, changes_of(what.value));
    return {};
  }
  Left see(const CountRows& what, const Changes& control) {
    assign(what.target, control);
    assign(what.target, last_);
    return {};
  }

  Left see(const Branch& what, const Changes& control) {
    Changes inner = control;
    add(inner, changes_of(what.condition));
    const Changes before = last_;
    Left left = walk(what.then, inner);
    const Changes then = std::exchange(last_, before);
    const Left otherwise = walk(what.otherwise, std::move(inner));
    add(last_, then);
    add(left.functionality, otherwise.functionality);
    left.loops.insert(left.loops.end(), otherwise.loops.begin(), otherwise.loops.end());
    return left;
  }

  // What leaves the loop does not matter behind it: there all ways meet.
  Left loop(const Block& body, const std::string& label, Changes control) {
    const Changes before = last_;
    Left left;
    for (int round = 0; round < 2; ++round) {
      left = walk(body, control);
      add(control, left.functionality);
      for (const auto& [name, changes] : left.loops) add(control, changes);
      add(last_, before);
    }
    std::erase_if(left.loops,
                  [&](const auto& one) { return one.first.empty() || one.first == label; });
    return left;
  }
  Left see(const Loop& what, const Changes& control) {
    Changes inner = control;
    if (what.condition) add(inner, changes_of(*what.condition));
    return loop(what.body, what.label, std::move(inner));
  }
  Left see(const RowLoop& what, const Changes& control) {
    run(what.statement, what.into, control);
    return loop(what.body, what.label, control);
  }
  Left see(const CountLoop& what, const Changes& control) {
    Changes inner = control;
    add(inner, changes_of(what.first));
    add(inner, changes_of(what.last));
    return loop(what.body, what.label, std::move(inner));
  }
  Left see(const ElementLoop& what, const Changes& control) {
    return loop(what.body, what.label, control);
  }

  Left see(const LeaveLoop& what, const Changes& control) {
    return {.functionality = {}, .loops = {{what.label, control}}};
  }
  Left see(const Return& /*what*/, const Changes& control) {
    return {.functionality = control, .loops = {}};
  }
  Left see(const ReturnRow& /*what*/, const Changes& /*control*/) { return {}; }
  Left see(const Raise& what, const Changes& control) {
    add(deciding_[&what], control);
    return {.functionality = control, .loops = {}};
  }

  // Whatever decided in the body may have brought about the error that is handled.
  Left see(const Attempt& what, const Changes& control) {
    const Changes before = last_;
    Left left = walk(what.body, control);
    Changes inner = control;
    add(inner, left.functionality);
    add(inner, last_);
    Changes after = last_;
    for (const Recovery& recovery : what.recoveries) {
      last_ = before;
      const Left other = walk(recovery.body, inner);
      add(after, last_);
      add(left.functionality, other.functionality);
      left.loops.insert(left.loops.end(), other.loops.begin(), other.loops.end());
    }
    last_ = std::move(after);
    return left;
  }

  std::map<std::string, Changes> variables_;
  DecidingChanges deciding_;
  Changes last_;  // that may have been the last statement
};

}  // namespace

DecidingChanges deciding_changes(const Functionality& functionality) {
  return DecidingFinder().find(functionality.body);
}

bool changes_rows_there(const ProgramStatement& statement) {
  const StatementKind kind = statement.statement.kind;
  return kind == StatementKind::update || kind == StatementKind::delete_;
}

}  // namespace heddle::program
