#include "program/observed.h"

#include <utility>
#include <vector>

namespace heddle::program {

namespace {

using Statements = std::set<const ProgramStatement*>;

// Walks with the statements that may have been the last one.
class ObservedFinder {
 public:
  void walk(const Block& block) {
    for (const Action& action : block) {
      std::visit([&](const auto& what) { see(what); }, action.what);
    }
  }

  Statements observed;

 private:
  void look(const Expression& expression) {
    if (expression.kind == ExpressionKind::variable && expression.text == "found") {
      observed.insert(last_.begin(), last_.end());
    }
    for (const Expression& operand : expression.operands) look(operand);
  }

  void run(const ProgramStatement& statement) {
    for (const Expression& argument : statement.arguments) look(argument);
    last_ = {&statement};
  }

  // The body may run again, after its own last statement.
  void loop(const Block& body) {
    const Statements before = last_;
    walk(body);
    last_.insert(before.begin(), before.end());
    walk(body);
    last_.insert(before.begin(), before.end());
  }

  void see(const RunStatement& what) {
    run(what.statement);
    if (what.strict) observed.insert(&what.statement);
  }
  void see(const OpenRows& what) { run(what.statement); }
  void see(const FetchRow& /*what*/) {}
  void see(const CloseRows& /*what*/) {}
  void see(const Assign& what) { look(what.value); }
  void see(const CountRows& /*what*/) { observed.insert(last_.begin(), last_.end()); }
  void see(const Branch& what) {
    look(what.condition);
    const Statements before = last_;
    walk(what.then);
    const Statements then = std::exchange(last_, before);
    walk(what.otherwise);
    last_.insert(then.begin(), then.end());
  }
  void see(const Loop& what) {
    if (what.condition) look(*what.condition);
    loop(what.body);
    if (what.condition) look(*what.condition);
  }
  void see(const RowLoop& what) {
    run(what.statement);
    loop(what.body);
  }
  void see(const CountLoop& what) { loop(what.body); }
  void see(const ElementLoop& what) { loop(what.body); }
  void see(const LeaveLoop& /*what*/) {}
  void see(const Return& what) {
    for (const Expression& value : what.values) look(value);
  }
  void see(const ReturnRow& what) {
    for (const Expression& value : what.values) look(value);
  }
  void see(const Raise& what) {
    for (const Expression& value : what.values) look(value);
  }
  void see(const Attempt& what) {
    walk(what.body);
    Statements after = last_;
    for (const Recovery& recovery : what.recoveries) {
      walk(recovery.body);
      after.insert(last_.begin(), last_.end());
    }
    last_ = std::move(after);
  }

  Statements last_;
};

}  // namespace

std::set<const ProgramStatement*> observed_statements(const Functionality& functionality) {
  ObservedFinder finder;
  finder.walk(functionality.body);
  return std::move(finder.observed);
}

}  // namespace heddle::program
