// A walk through the body, until nothing changes, keeps the variables whose values may differ in a
// second call. What a branch or loop decides by such a value makes everything inside of it depend
// on it, and where something inside may leave, everything that comes later.
#include "split/failures/repeats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/text.h"
#include "frontend/sql/words/functions.h"
#include "program/visit.h"

namespace heddle::failures {

namespace {

using find::RowSource;
using find::StatementForm;

// Calls that are written as words and are no functions.
constexpr std::array<std::string_view, 8> kWords = {"and",     "or",   "not", "like",
                                                    "between", "case", "in",  "is"};

const std::string& base_of(const Expression& target) {
  const Expression* base = &target;
  while (base->kind != ExpressionKind::variable && !base->operands.empty()) {
    base = &base->operands.front();
  }
  return base->text;
}

class RepeatFinder {
 public:
  RepeatFinder(const Functionality& functionality, const find::Prepared& prepared, Dialect dialect)
      : functionality_(functionality),
        prepared_(prepared),
        dialect_(dialect),
        repeats_{.repeatable = std::vector<bool>(prepared.statements.size(), true),
                 .alike = std::vector<bool>(prepared.statements.size(), true)} {
    prepared.add_changes(changes_);
    for (std::size_t i = 0; i < prepared.statements.size(); ++i) {
      numbers_[prepared.statements[i].statement] = i;
    }
  }

  Repeats find() {
    while (true) {
      const std::size_t before = differing_.size();
      const bool left_before = may_have_left_;
      walk(functionality_.body, false);
      if (differing_.size() == before && may_have_left_ == left_before) return repeats_;
    }
  }

 private:
  void walk(const Block& block, bool differs) {
    for (const Action& action : block) {
      const bool inner = std::visit(
          [&](const auto& what) { return step(what, differs || may_have_left_); }, action.what);
      // What is called back only looks.
      program::for_each_block(const_cast<Action&>(action),
                              [&](const Block& one) { walk(one, inner); });
    }
  }

  // Each returns whether what is inside of the action may run otherwise in a second call.
  template <class Other>
  bool step(const Other& /*what*/, bool differs) {
    return differs;
  }
  bool step(const RunStatement& what, bool differs) {
    const bool same = run(what.statement, differs);
    for (const Expression& target : what.into) set(target, same);
    return differs;
  }
  bool step(const OpenRows& what, bool differs) {
    if (!run(what.statement, differs)) differing_.insert(cursor(what.cursor));
    return differs;
  }
  bool step(const FetchRow& what, bool differs) {
    const bool same = !differs && !differing_.contains(cursor(what.cursor));
    for (const Expression& target : what.into) set(target, same);
    if (!same) differing_.insert("found");
    return differs;
  }
  bool step(const RowLoop& what, bool differs) {
    const bool same = run(what.statement, differs);
    for (const Expression& target : what.into) set(target, same);
    return !same;
  }
  bool step(const Assign& what, bool differs) {
    set(what.target, !differs && is_same(what.value));
    return differs;
  }
  bool step(const CountRows& what, bool differs) {
    set(what.target, !differs && !differing_.contains("found"));
    return differs;
  }
  bool step(const Branch& what, bool differs) { return differs || !is_same(what.condition); }
  bool step(const Loop& what, bool differs) {
    return differs || (what.condition && !is_same(*what.condition));
  }
  bool step(const CountLoop& what, bool differs) {
    const bool same = !differs && is_same(what.first) && is_same(what.last) &&
                      (!what.step || is_same(*what.step));
    if (!same) differing_.insert(what.variable);
    return !same;
  }
  bool step(const ElementLoop& what, bool differs) {
    const bool same = !differs && is_same(what.array);
    if (!same) differing_.insert(what.variable);
    return !same;
  }
  // What the store refuses may be something else the second time.
  bool step(const Attempt& /*what*/, bool /*differs*/) { return true; }
  bool step(const Return& /*what*/, bool differs) { return leave(differs); }
  bool step(const Raise& /*what*/, bool differs) { return leave(differs); }
  bool step(const LeaveLoop& /*what*/, bool differs) { return leave(differs); }

  bool leave(bool differs) {
    may_have_left_ = may_have_left_ || differs;
    return differs;
  }

  // Whether what the statement finds is the same in a second call.
  bool run(const ProgramStatement& statement, bool differs) {
    const auto number = numbers_.find(&statement);
    if (number == numbers_.end()) return false;
    const StatementForm& form = prepared_.statements[number->second].form;
    const bool is_alike = !differs && has_same_arguments(statement);
    const bool same = is_alike && sees_same(form);
    if (!is_alike) repeats_.alike[number->second] = false;
    if (form.writes() && !(same && writes_same(form))) repeats_.repeatable[number->second] = false;
    const bool counts_same = same && (!form.writes() || form.kind == StatementKind::update);
    if (!counts_same) differing_.insert("found");
    return same;
  }

  bool has_same_arguments(const ProgramStatement& statement) const {
    return statement.approximated.empty() &&
           std::ranges::all_of(statement.arguments,
                               [&](const Expression& one) { return is_same(one); }) &&
           (!statement.made_text || is_same(*statement.made_text));
  }

  bool sees_same(const StatementForm& form) const {
    const auto all_same = [&](const std::vector<Expression>& expressions) {
      return std::ranges::all_of(expressions, [&](const auto& one) { return is_same(one); });
    };
    if (!all_same(form.conjuncts) || !all_same(form.outputs)) return false;
    return std::ranges::all_of(form.sources, [&](const RowSource& source) {
      // Rows that it writes itself come and go with it.
      if (!source.is_written && changes_.changes_rows(source.name)) return false;
      return is_unchanged(source.name, source.predicate_columns) &&
             is_unchanged(source.name, source.output_columns);
    });
  }

  bool is_unchanged(const std::string& table, const std::vector<std::string>& columns) const {
    return std::ranges::none_of(columns, [&](const std::string& column) {
      return column == "*" ? is_written(table) : changes_.updates(table, column);
    });
  }

  bool is_written(const std::string& table) const {
    return std::ranges::any_of(prepared_.statements, [&](const find::FormedStatement& formed) {
      return std::ranges::any_of(formed.form.sources, [&](const RowSource& source) {
        return source.is_written && source.name == table;
      });
    });
  }

  // REQUIRES: it sees the same.
  bool writes_same(const StatementForm& form) const {
    switch (form.kind) {
      case StatementKind::update:
        return std::ranges::all_of(form.assignments,
                                   [&](const auto& one) { return is_same(one.value); });
      case StatementKind::delete_:
      case StatementKind::truncate:
        return true;
      case StatementKind::insert:
        return form.keeps_own_row() && std::ranges::all_of(form.assignments, [&](const auto& one) {
                 return is_same(one.value);
               });
      default:
        return false;
    }
  }

  // Columns of rows are looked at by sees_same(), and `$1` by has_same_arguments().
  bool is_same(const Expression& expression) const {
    switch (expression.kind) {
      case ExpressionKind::unknown:
        return false;
      case ExpressionKind::variable:
        return !differing_.contains(expression.text);
      case ExpressionKind::call:
        if (!is_computed(expression.text)) return false;
        break;
      default:
        break;
    }
    return std::ranges::all_of(expression.operands,
                               [&](const Expression& operand) { return is_same(operand); });
  }

  // From its operands alone.
  bool is_computed(const std::string& name) const {
    const bool is_word = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0);
    if (!is_word) return true;
    const std::string lower = to_lower(name);
    const std::string first = lower.substr(0, lower.find(' '));
    if (std::ranges::find(kWords, first) != kWords.end()) return true;
    const sql::FunctionTraits traits = sql::find_function(lower, dialect_);
    return traits.known && !traits.generated;
  }

  void set(const Expression& target, bool same) {
    if (!same) differing_.insert(base_of(target));
  }

  static std::string cursor(const std::string& name) { return "cursor " + name; }

  const Functionality& functionality_;
  const find::Prepared& prepared_;
  find::Changes changes_;
  Dialect dialect_;
  std::map<const ProgramStatement*, std::size_t> numbers_;
  Repeats repeats_;
  std::set<std::string> differing_;  // variables, and cursors under names that no variable has
  bool may_have_left_ = false;
};

}  // namespace

Repeats find_repeats(const Functionality& functionality, const find::Prepared& prepared,
                     Dialect dialect) {
  return RepeatFinder(functionality, prepared, dialect).find();
}

}  // namespace heddle::failures
