// Statements with the conditions under which they run. What leaves early counts: after
// `IF c THEN RETURN; END IF` everything runs only where c does not hold. A loop that may leave the
// functionality says nothing of what comes after it, which takes the guard for weaker than it is.
#include <optional>
#include <utility>
#include <vector>

#include "heddle/program.h"

namespace heddle {

namespace {

// When a block leaves what is around it. None: never.
using Condition = std::optional<Expression>;

Expression literal_true() {
  return {.kind = ExpressionKind::literal, .text = "true", .operands = {}};
}

bool is_true(const Expression& expression) { return expression == literal_true(); }

Expression call(std::string name, std::vector<Expression> operands) {
  return {.kind = ExpressionKind::call, .text = std::move(name), .operands = std::move(operands)};
}

Expression conjunction(const Expression& a, const Expression& b) {
  return is_true(b) ? a : call("and", {a, b});
}

Condition either(Condition a, Condition b) {
  if (!a) return b;
  if (!b) return a;
  return is_true(*a) || is_true(*b) ? literal_true() : call("or", {*a, *b});
}

class StatementLister {
 public:
  explicit StatementLister(std::vector<ListedStatement>& listed) : listed_(listed) {}

  // When the block leaves what is around it.
  Condition walk(const Block& block) {
    const std::size_t outer = guards_.size();
    Condition leaves;
    for (const Action& action : block) {
      Condition now =
          std::visit([&](const auto& what) { return walk_one(what, action); }, action.what);
      if (!now) continue;
      leaves = either(std::move(leaves), now);
      add_guard(*now, false, action.source);
    }
    guards_.resize(outer);
    return leaves;
  }

 private:
  void add(const ProgramStatement& statement) {
    listed_.push_back({.statement = &statement, .guards = guards_, .loops = loops_});
  }

  void add_guard(const Expression& condition, bool holds, const SourceLocation& source) {
    if (condition.kind == ExpressionKind::call && condition.text == "not") {
      guards_.push_back({condition.operands[0], !holds, source});
    } else {
      guards_.push_back({condition, holds, source});
    }
  }

  Condition walk_one(const RunStatement& run, const Action& /*action*/) {
    add(run.statement);
    return std::nullopt;
  }
  Condition walk_one(const OpenRows& open, const Action& /*action*/) {
    add(open.statement);
    return std::nullopt;
  }
  Condition walk_one(const Branch& branch, const Action& action) {
    Condition then = walk_arm(branch.then, branch.condition, true, action);
    Condition otherwise = walk_arm(branch.otherwise, branch.condition, false, action);
    if (then && otherwise && is_true(*then) && is_true(*otherwise)) return literal_true();
    if (then) then = conjunction(branch.condition, *then);
    if (otherwise) otherwise = conjunction(call("not", {branch.condition}), *otherwise);
    return either(std::move(then), std::move(otherwise));
  }
  Condition walk_one(const Loop& loop, const Action& action) {
    return loop.condition ? walk_loop(loop.body, &*loop.condition, action)
                          : walk_loop(loop.body, nullptr, action);
  }
  Condition walk_one(const RowLoop& loop, const Action& action) {
    add(loop.statement);
    return walk_loop(loop.body, nullptr, action);
  }
  Condition walk_one(const CountLoop& loop, const Action& action) {
    return walk_loop(loop.body, nullptr, action);
  }
  Condition walk_one(const ElementLoop& loop, const Action& action) {
    return walk_loop(loop.body, nullptr, action);
  }
  Condition walk_one(const Attempt& attempt, const Action& action) {
    walk(attempt.body);
    for (const Recovery& recovery : attempt.recoveries) {
      Expression error{.kind = ExpressionKind::unknown, .text = "error", .operands = {}};
      for (const std::string& condition : recovery.conditions) error.text += " " + condition;
      walk_arm(recovery.body, error, true, action);
    }
    return std::nullopt;
  }
  Condition walk_one(const LeaveLoop& /*leave*/, const Action& /*action*/) {
    return literal_true();
  }
  Condition walk_one(const Return& /*end*/, const Action& /*action*/) { return literal_true(); }
  Condition walk_one(const Raise& /*raise*/, const Action& /*action*/) { return literal_true(); }
  template <class Other>
  Condition walk_one(const Other& /*other*/, const Action& /*action*/) {
    return std::nullopt;
  }

  Condition walk_arm(const Block& arm, const Expression& condition, bool holds,
                     const Action& action) {
    const std::size_t outer = guards_.size();
    add_guard(condition, holds, action.source);
    Condition leaves = walk(arm);
    guards_.resize(outer);
    return leaves;
  }

  Condition walk_loop(const Block& body, const Expression* condition, const Action& action) {
    ++loops_;
    if (condition != nullptr) {
      walk_arm(body, *condition, true, action);
    } else {
      walk(body);
    }
    --loops_;
    return std::nullopt;
  }

  std::vector<ListedStatement>& listed_;
  std::vector<Guard> guards_;
  std::size_t loops_ = 0;
};

}  // namespace

std::vector<ListedStatement> list_statements(const Functionality& functionality) {
  std::vector<ListedStatement> listed;
  StatementLister(listed).walk(functionality.body);
  return listed;
}

}  // namespace heddle
