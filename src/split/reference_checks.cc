#include "split/reference_checks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "program/resolve.h"
#include "program/text.h"
#include "split/actions.h"
#include "split/join_plan.h"

namespace heddle::chopping {

namespace {

std::vector<std::string> columns_in(const Table& table, const std::vector<std::string>& names,
                                    Dialect dialect) {
  std::vector<std::string> columns;
  for (const std::string& name : names) {
    const TableColumn* found = find_column(table, name, dialect);
    columns.push_back(found == nullptr ? name : found->name);
  }
  return columns;
}

// Whether the client knows it before the statement runs.
bool is_of_client(const Expression& value) {
  return value.kind != ExpressionKind::unknown && !find::source_of(value) &&
         std::ranges::all_of(value.operands, is_of_client);
}

// Placeholders stay as they are.
Expression to_print(Expression value) {
  const bool is_placeholder = value.kind == ExpressionKind::variable && value.text.starts_with('$');
  if (is_placeholder) value.kind = ExpressionKind::literal;
  for (Expression& operand : value.operands) operand = to_print(std::move(operand));
  return value;
}

// Columns by their names alone. None: not all of it is known.
std::optional<Expression> column_text(const Expression& expression) {
  if (expression.kind == ExpressionKind::unknown) return std::nullopt;
  if (find::source_of(expression)) {
    return Expression{.kind = ExpressionKind::variable, .text = expression.text, .operands = {}};
  }
  Expression copy = to_print(expression);
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    std::optional<Expression> operand = column_text(expression.operands[i]);
    if (!operand) return std::nullopt;
    copy.operands[i] = *std::move(operand);
  }
  return copy;
}

// With arguments in place of placeholders.
Expression in_program(const Expression& value, const std::vector<Expression>& arguments) {
  if (value.kind == ExpressionKind::variable && value.text.starts_with('$')) {
    const std::size_t number = std::stoul(value.text.substr(1));
    if (number >= 1 && number <= arguments.size()) return arguments[number - 1];
  }
  Expression copy = value;
  for (Expression& operand : copy.operands) operand = in_program(operand, arguments);
  return copy;
}

std::string equal_text(const std::vector<std::string>& columns,
                       const std::vector<Expression>& values) {
  std::vector<std::string> conditions;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    conditions.push_back(fmt::format("{} = {}", program::name_text(columns[i]),
                                     print_expression(to_print(values[i]))));
  }
  return join(conditions, " AND ");
}

Action running(ProgramStatement statement) {
  const SourceLocation source = statement.source;
  return {.source = source,
          .what = RunStatement{
              .statement = std::move(statement), .into = {}, .strict = false, .returned = false}};
}

Action refuse(Expression condition, const std::string& message, const SourceLocation& source) {
  Branch branch{.condition = std::move(condition), .then = {}, .otherwise = {}};
  Raise raise{
      .condition = "foreign_key_violation", .message = message, .values = {}, .exception = {}};
  branch.then.push_back({.source = source, .what = std::move(raise)});
  return {.source = source, .what = std::move(branch)};
}

const Expression* given(const std::vector<find::Assignment>& assignments,
                        const std::string& column) {
  const auto found = std::ranges::find(assignments, column, &find::Assignment::column);
  return found == assignments.end() ? nullptr : &found->value;
}

// The value that the predicate gives the column; null: it does not.
const Expression* named(const find::StatementForm& form, const std::string& column) {
  for (const Expression& conjunct : form.conjuncts) {
    const bool is_equation = conjunct.kind == ExpressionKind::call && conjunct.text == "=" &&
                             conjunct.operands.size() == 2;
    if (!is_equation) continue;
    for (const std::size_t side : {0, 1}) {
      const Expression& other = conjunct.operands[1 - side];
      const bool is_it =
          find::source_of(conjunct.operands[side]) && conjunct.operands[side].text == column;
      if (is_it && is_of_client(other)) return &other;
    }
  }
  return nullptr;
}

// None: one of them is not known.
std::optional<std::vector<Expression>> all_of(const std::vector<std::string>& columns,
                                              const auto& value) {
  std::vector<Expression> values;
  for (const std::string& column : columns) {
    const Expression* one = value(column);
    if (one == nullptr || !is_of_client(*one)) return std::nullopt;
    values.push_back(*one);
  }
  return values;
}

}  // namespace

ReferenceChecks::ReferenceChecks(const Program& program, const TableServices& services, Keys keys)
    : program_(program) {
  add_keys(services);
  if (keys == Keys::all) return;
  std::set<const Table*> removed;
  for (const Functionality& functionality : program.functionalities) {
    for (const ListedStatement& listed : list_statements(functionality)) {
      const Statement& statement = listed.statement->statement;
      const bool removes =
          statement.kind == StatementKind::delete_ || statement.kind == StatementKind::truncate;
      for (const TableUse& use : statement.tables) {
        if (!removes || !use.written) continue;
        removed.insert(find_table(program.schema, use.table, program.schema.dialect, use.schema));
      }
    }
  }
  std::erase_if(keys_, [&](const Key& key) { return !removed.contains(key.referenced); });
}

void ReferenceChecks::add_keys(const TableServices& services) {
  const Schema& schema = program_.schema;
  const auto service_of = [&](const Table& table) {
    TableUse use;
    use.schema = table.schema;
    use.table = table.name;
    return services.of(use);
  };
  for (const Table& table : schema.tables) {
    for (const ForeignKeyConstraint& foreign : table.foreign_keys) {
      const Table* target =
          find_table(schema, foreign.referenced_table, schema.dialect, foreign.referenced_schema);
      if (target == nullptr || service_of(table) == service_of(*target)) continue;
      Key key{.table = &table,
              .constraint = &foreign,
              .referenced = target,
              .columns = columns_in(table, foreign.columns, schema.dialect),
              .referenced_columns =
                  foreign.referenced_columns.empty()
                      ? target->primary_key
                      : columns_in(*target, foreign.referenced_columns, schema.dialect)};
      if (key.columns.size() == key.referenced_columns.size()) keys_.push_back(std::move(key));
    }
  }
}

bool ReferenceChecks::has(const TornKey& torn) const {
  return std::ranges::any_of(keys_, [&](const Key& key) {
    return key.table->name == torn.table && key.constraint->columns == torn.columns &&
           key.referenced->name == torn.referenced_table;
  });
}

ProgramStatement ReferenceChecks::make(const std::string& text, const ProgramStatement& of) const {
  ProgramStatement made;
  made.source = of.source;
  made.arguments = of.arguments;
  made.store = of.store;
  Result<std::vector<Statement>> read = parse_statements(text, program_.schema.dialect);
  if (read && read->size() == 1) made.statement = std::move(read->front());
  program::resolve_columns(made.statement, program_.schema);
  return made;
}

// A row that refers to nothing needs none.
void ReferenceChecks::add_refers(const Key& key, const Values& values,
                                 const ProgramStatement& statement, Block& actions) const {
  actions.push_back(running(
      make(fmt::format("SELECT 1 FROM {} WHERE {}", program::name_text(key.referenced->name),
                       equal_text(key.referenced_columns, values)),
           statement)));
  std::vector<Expression> conditions = {call("not", {variable("found")})};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TableColumn* column = find_column(*key.table, key.columns[i], program_.schema.dialect);
    if (column != nullptr && column->not_null) continue;
    conditions.push_back(call("is not null", {in_program(values[i], statement.arguments)}));
  }
  Expression condition = conditions.size() == 1 ? conditions[0] : call("and", conditions);
  actions.push_back(refuse(std::move(condition),
                           fmt::format("a row of {} is missing", key.referenced->name),
                           statement.source));
}

void ReferenceChecks::add_referred(const Key& key, const Values& values,
                                   const ProgramStatement& statement, Block& actions) const {
  const std::string table = program::name_text(key.table->name);
  const std::string where = equal_text(key.columns, values);
  switch (key.constraint->on_delete) {
    case ReferentialAction::cascade:
      actions.push_back(
          running(make(fmt::format("DELETE FROM {} WHERE {}", table, where), statement)));
      return;
    case ReferentialAction::set_null: {
      std::vector<std::string> nulls;
      for (const std::string& column : key.columns) {
        nulls.push_back(program::name_text(column) + " = NULL");
      }
      actions.push_back(running(make(
          fmt::format("UPDATE {} SET {} WHERE {}", table, join(nulls, ", "), where), statement)));
      return;
    }
    default:
      break;
  }
  actions.push_back(
      running(make(fmt::format("SELECT 1 FROM {} WHERE {} LIMIT 1", table, where), statement)));
  actions.push_back(refuse(
      variable("found"), fmt::format("rows of {} refer to it", key.table->name), statement.source));
}

// Asks about each row that the statement is going to delete.
void ReferenceChecks::add_rows(const Key& key, const find::StatementForm& form,
                               const ProgramStatement& statement, FreshNames& names,
                               Block& actions) const {
  std::vector<std::string> conditions;
  for (const Expression& conjunct : form.conjuncts) {
    const std::optional<Expression> text = column_text(conjunct);
    if (!text) return;
    conditions.push_back("(" + print_expression(*text) + ")");
  }
  std::vector<std::string> columns;
  std::vector<Expression> into;
  for (const std::string& name : key.referenced_columns) {
    const TableColumn* column = find_column(*key.referenced, name, program_.schema.dialect);
    if (column == nullptr) return;
    columns.push_back(program::name_text(name));
    into.push_back(names.variable("deleted_" + to_lower(name), variable_type(column->type)));
  }
  RowLoop rows;
  rows.statement =
      make(fmt::format("SELECT {} FROM {}{}", join(columns, ", "),
                       program::name_text(key.referenced->name),
                       conditions.empty() ? "" : " WHERE " + join(conditions, " AND ")),
           statement);
  if (rows.statement.statement.kind != StatementKind::select) return;
  rows.into = into;
  ProgramStatement of_row = statement;
  of_row.arguments = into;
  Values values;
  for (std::size_t i = 0; i < into.size(); ++i) {
    values.push_back(
        {.kind = ExpressionKind::variable, .text = fmt::format("${}", i + 1), .operands = {}});
  }
  add_referred(key, values, of_row, rows.body);
  actions.push_back({.source = statement.source, .what = std::move(rows)});
}

Block ReferenceChecks::before(const RunStatement& run, FreshNames& names) const {
  Block actions;
  const ProgramStatement& statement = run.statement;
  if (keys_.empty() || statement.statement.tables.size() != 1 || statement.made_text)
    return actions;
  const find::StatementForm form = find::form_of(statement, program_.schema, true);
  if (form.sources.size() != 1 || form.sources[0].table == nullptr) return actions;
  for (const Key& key : keys_) {
    const bool refers = form.kind == StatementKind::insert || form.kind == StatementKind::update;
    if (refers && key.table == form.sources[0].table) {
      std::vector<std::vector<find::Assignment>> made = form.made;
      if (made.empty()) made.push_back(form.assignments);
      for (const std::vector<find::Assignment>& row : made) {
        const auto values =
            all_of(key.columns, [&](const std::string& column) { return given(row, column); });
        if (values) add_refers(key, *values, statement, actions);
      }
    }
    if (form.kind == StatementKind::delete_ && key.referenced == form.sources[0].table) {
      const auto values = all_of(key.referenced_columns,
                                 [&](const std::string& column) { return named(form, column); });
      if (values) {
        add_referred(key, *values, statement, actions);
      } else {
        add_rows(key, form, statement, names, actions);
      }
    }
  }
  return actions;
}

}  // namespace heddle::chopping
