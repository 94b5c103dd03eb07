#include "find/forms/growing_columns.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "find/forms/expressions.h"
#include "heddle/value_type.h"
#include "program/visit.h"

namespace heddle::find {

namespace {

using Values = std::map<std::string, Expression>;  // of variables that were just set

bool mentions(const Expression& expression, const std::string& variable) {
  if (expression.kind == ExpressionKind::variable) return expression.text == variable;
  return std::ranges::any_of(
      expression.operands, [&](const Expression& operand) { return mentions(operand, variable); });
}

// The variable that the target is, or is a part of.
const std::string& variable_of(const Expression& target) {
  return target.operands.empty() ? target.text : variable_of(target.operands[0]);
}

Expression replaced(const Expression& expression, const Values& values) {
  const auto known =
      expression.kind == ExpressionKind::variable ? values.find(expression.text) : values.end();
  if (known != values.end()) return known->second;
  Expression copy = expression;
  // A field of a row that was just set is another value than one that it had before.
  const bool is_part = !expression.operands.empty() && expression.kind != ExpressionKind::call;
  if (is_part) return copy;
  for (Expression& operand : copy.operands) operand = replaced(operand, values);
  return copy;
}

using See = std::function<void(const ProgramStatement&, const std::vector<Expression>&)>;

// Each statement with its arguments, in which values stand for variables that are set right before.
void walk(const Block& body, const See& see) {
  Values values;
  for (const Action& action : body) {
    if (const auto* assign = std::get_if<Assign>(&action.what)) {
      const Expression value = replaced(assign->value, values);
      const std::string& variable = variable_of(assign->target);
      std::erase_if(values, [&](const auto& known) {
        return known.first == variable || mentions(known.second, variable);
      });
      const bool is_whole = assign->target.kind == ExpressionKind::variable;
      if (is_whole && !mentions(value, variable)) values.emplace(variable, value);
      continue;
    }
    if (const ProgramStatement* statement = program::statement_of(action)) {
      std::vector<Expression> arguments = statement->arguments;
      for (Expression& argument : arguments) argument = replaced(argument, values);
      see(*statement, arguments);
    }
    values.clear();
    program::for_each_block(action, [&](const Block& inner) { walk(inner, see); });
  }
}

// What the client gives for a parameter.
const Expression* argument_of(const Expression& value, const std::vector<Expression>& arguments) {
  if (value.kind != ExpressionKind::variable || !value.text.starts_with('$')) return nullptr;
  std::size_t number = 0;
  std::from_chars(value.text.data() + 1, value.text.data() + value.text.size(), number);
  return number < 1 || number > arguments.size() ? nullptr : &arguments[number - 1];
}

Expression with_arguments(const Expression& value, const std::vector<Expression>& arguments) {
  if (const Expression* argument = argument_of(value, arguments)) return *argument;
  Expression copy = value;
  if (value.kind != ExpressionKind::call) return copy;
  for (Expression& operand : copy.operands) operand = with_arguments(operand, arguments);
  return copy;
}

bool is_positive(const Expression& value) {
  std::int64_t number = 0;
  const std::string& text = value.text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return value.kind == ExpressionKind::literal && error == std::errc() &&
         end == text.data() + text.size() && number > 0;
}

// What the value is more than, by a constant; none: it is no such sum.
std::optional<Expression> without_increment(const Expression& value) {
  const bool is_sum =
      value.kind == ExpressionKind::call && value.text == "+" && value.operands.size() == 2;
  if (!is_sum) return std::nullopt;
  for (const std::size_t side : {0, 1}) {
    if (is_positive(value.operands[1 - side])) return value.operands[side];
  }
  return std::nullopt;
}

struct WrittenColumn {
  std::size_t source = 0;
  const std::string& name;
};

// Whether the value is more than the row has there, of which the conjuncts hold.
bool increments(const Expression& value, const WrittenColumn& column, const StatementForm& form,
                const std::vector<Expression>& arguments) {
  const std::optional<Expression> before = without_increment(with_arguments(value, arguments));
  if (!before) return false;
  if (source_of(*before) == column.source) return before->text == column.name;
  if (source_of(*before)) return false;
  return std::ranges::any_of(form.conjuncts, [&](const Expression& conjunct) {
    if (conjunct.kind != ExpressionKind::call || conjunct.text != "=") return false;
    for (const std::size_t side : {0, 1}) {
      const Expression& named = conjunct.operands[side];
      const bool is_it = source_of(named) == column.source && named.text == column.name;
      if (is_it && with_arguments(conjunct.operands[1 - side], arguments) == *before) return true;
    }
    return false;
  });
}

bool is_exact(const ProgramStatement& statement, const StatementForm& form) {
  return !form.is_unknown && !statement.made_text && statement.approximated.empty() &&
         statement.statement.over_approximated.empty() &&
         !statement.statement.calls_unknown_function && !statement.statement.replaces;
}

// Whether each of its rows has a key that the store makes.
bool makes_own_key(const StatementForm& form, const Table& table) {
  return std::ranges::any_of(table.primary_key, [&](const std::string& name) {
    const auto column = std::ranges::find(table.columns, name, &TableColumn::name);
    const bool is_made =
        column != table.columns.end() && column->generation == Generation::identity;
    return is_made && !form.inserts_query &&
           std::ranges::find(form.assignments, name, &Assignment::column) == form.assignments.end();
  });
}

}  // namespace

void GrowingColumns::add(
    const Functionality& functionality,
    const std::function<const StatementForm&(const ProgramStatement&)>& form_of) {
  walk(functionality.body,
       [&](const ProgramStatement& statement, const std::vector<Expression>& arguments) {
         add(statement, form_of(statement), arguments);
       });
}

void GrowingColumns::add(const ProgramStatement& statement, const StatementForm& form,
                         const std::vector<Expression>& arguments) {
  for (std::size_t i = 0; i < form.sources.size(); ++i) {
    const RowSource& source = form.sources[i];
    if (!source.is_written) continue;
    if (!is_exact(statement, form) || source.table == nullptr) {
      open_.insert(source.name);
    } else if (form.removes(i)) {
      lost_.insert(source.name);
    } else {
      add_write(form, i, arguments);
    }
  }
}

void GrowingColumns::add_write(const StatementForm& form, std::size_t source,
                               const std::vector<Expression>& arguments) {
  const RowSource& target = form.sources[source];
  const bool makes = form.makes(source);
  if (makes && !makes_own_key(form, *target.table)) named_.insert(target.name);
  if (makes && !form.updates_row()) return;
  const std::vector<Assignment>& values = !target.is_named() ? target.assignments
                                          : makes            ? form.updates
                                                             : form.assignments;
  const auto is_known = [&](const std::string& column) {
    return std::ranges::find(values, column, &Assignment::column) != values.end();
  };
  const bool are_known = makes || std::ranges::all_of(target.written_columns, is_known);
  if (!are_known) open_.insert(target.name);
  for (const Assignment& assignment : values) {
    const WrittenColumn column{.source = source, .name = assignment.column};
    const bool grows = target.is_named() && increments(assignment.value, column, form, arguments);
    (grows ? grown_ : set_).emplace(target.name, assignment.column);
  }
}

bool GrowingColumns::grows(const std::string& table, const std::string& column) const {
  const bool comes_again = lost_.contains(table) && named_.contains(table);
  return grown_.contains({table, column}) && !set_.contains({table, column}) &&
         !open_.contains(table) && !comes_again;
}

}  // namespace heddle::find
