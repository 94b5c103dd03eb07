#include "split/reference_checks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "find/forms/inner_values.h"
#include "program/resolve.h"
#include "program/text.h"
#include "split/actions.h"
#include "split/join_plan.h"
#include "split/row_queries.h"

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
         !find::mentions_inner_value(value) && std::ranges::all_of(value.operands, is_of_client);
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

// The only table that it writes; null: there is none, or another one.
const TableUse* written_use(const Statement& statement) {
  const TableUse* written = nullptr;
  for (const TableUse& use : statement.tables) {
    if (!use.written) continue;
    if (written != nullptr) return nullptr;
    written = &use;
  }
  return written;
}

// `$1`, `$2` and so on.
std::vector<Expression> placeholders(std::size_t count) {
  std::vector<Expression> all;
  for (std::size_t i = 1; i <= count; ++i) all.push_back(variable(fmt::format("${}", i)));
  return all;
}

ProgramStatement with_arguments(const ProgramStatement& statement,
                                std::vector<Expression> arguments) {
  ProgramStatement copy = statement;
  copy.arguments = std::move(arguments);
  return copy;
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
  std::vector<const Statement*> statements;
  for (const Functionality& functionality : program.functionalities) {
    for (const ListedStatement& listed : list_statements(functionality)) {
      statements.push_back(&listed.statement->statement);
    }
  }
  std::erase_if(keys_, [&](const Key& key) {
    return std::ranges::none_of(
        statements, [&](const Statement* statement) { return is_ended_by(key, *statement); });
  });
}

// Whether rows may be gone afterwards that others refer to by it, or have another key.
bool ReferenceChecks::is_ended_by(const Key& key, const Statement& statement) const {
  const bool removes =
      statement.kind == StatementKind::delete_ || statement.kind == StatementKind::truncate;
  if (!removes && statement.kind != StatementKind::update) return false;
  return std::ranges::any_of(statement.tables, [&](const TableUse& use) {
    if (!use.written) return false;
    const Table* table =
        find_table(program_.schema, use.table, program_.schema.dialect, use.schema);
    if (table != key.referenced) return false;
    const std::vector<std::string> written =
        columns_in(*table, use.columns_written, program_.schema.dialect);
    return removes || std::ranges::any_of(key.referenced_columns, [&](const std::string& column) {
             return std::ranges::find(written, column) != written.end();
           });
  });
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
  add_end(key, table, where, statement, actions);
}

// Rows that others refer to stay, and keep their keys.
void ReferenceChecks::add_end(const Key& key, const std::string& table, const std::string& where,
                              const ProgramStatement& statement, Block& actions) const {
  actions.push_back(
      running(make(fmt::format("SELECT 1 FROM {} WHERE {} LIMIT 1", table, where), statement)));
  actions.push_back(refuse(
      variable("found"), fmt::format("rows of {} refer to it", key.table->name), statement.source));
}

std::optional<std::vector<Expression>> ReferenceChecks::declare(
    const Table& table, const std::string& stem, const std::vector<std::string>& columns,
    FreshNames& names) const {
  std::vector<const TableColumn*> found;
  for (const std::string& name : columns) {
    found.push_back(find_column(table, name, program_.schema.dialect));
    if (found.back() == nullptr) return std::nullopt;
  }
  std::vector<Expression> variables;
  for (const TableColumn* column : found) {
    variables.push_back(
        names.variable(stem + "_" + to_lower(column->name), variable_type(column->type)));
  }
  return variables;
}

bool ReferenceChecks::add_loop(const std::optional<std::string>& query,
                               const std::vector<Expression>& into, Block body,
                               const Doing& doing) const {
  if (!query || doing.statement.statement.calls_unknown_function) return false;
  RowLoop rows;
  rows.statement = make(*query, doing.statement);
  if (rows.statement.statement.kind != StatementKind::select) return false;
  rows.into = into;
  rows.body = std::move(body);
  doing.actions.push_back({.source = doing.statement.source, .what = std::move(rows)});
  return true;
}

// Asks about each row that the statement is going to delete.
void ReferenceChecks::add_rows(const Key& key, const Doing& doing) const {
  const auto into = declare(*key.referenced, "deleted", key.referenced_columns, doing.names);
  if (!into) return;
  const bool is_alone = doing.form.sources.size() == 1;
  const TableUse& use = *written_use(doing.statement.statement);
  const std::string table = program::name_text(key.referenced->name);
  std::vector<std::string> columns;
  for (const std::string& name : key.referenced_columns) {
    const std::string of = use.alias.empty() ? table : program::name_text(use.alias);
    columns.push_back((is_alone ? "" : of + ".") + program::name_text(name));
  }
  std::optional<std::string> query;
  if (is_alone) {
    std::vector<std::string> conditions;
    for (const Expression& conjunct : doing.form.conjuncts) {
      const std::optional<Expression> text = column_text(conjunct);
      if (!text) return;
      conditions.push_back("(" + print_expression(*text) + ")");
    }
    query = fmt::format("SELECT {} FROM {}{}", join(columns, ", "), table,
                        conditions.empty() ? "" : " WHERE " + join(conditions, " AND "));
  } else {
    query = changed_rows(doing.statement.statement, columns);
  }
  Block body;
  add_referred(key, placeholders(into->size()), with_arguments(doing.statement, *into), body);
  add_loop(query, *into, std::move(body), doing);
}

void ReferenceChecks::add_deleted(const Key& key, const Doing& doing) const {
  const auto values = all_of(key.referenced_columns,
                             [&](const std::string& column) { return named(doing.form, column); });
  if (values && doing.form.sources.size() == 1) {
    add_referred(key, *values, doing.statement, doing.actions);
  } else {
    add_rows(key, doing);
  }
}

void ReferenceChecks::add_changed_row(const Key& key, const Values& was, const Values& becomes,
                                      const ProgramStatement& statement, Block& actions) const {
  const std::string table = program::name_text(key.table->name);
  const std::string where = equal_text(key.columns, was);
  std::vector<Expression> changes;
  for (std::size_t i = 0; i < was.size(); ++i) {
    changes.push_back(call("<>", {in_program(was[i], statement.arguments),
                                  in_program(becomes[i], statement.arguments)}));
  }
  const bool is_cascade = key.constraint->on_update == ReferentialAction::cascade;
  Branch branch{.condition = changes.size() == 1 ? changes[0] : call("or", changes),
                .then = {},
                .otherwise = {}};
  if (is_cascade || key.constraint->on_update == ReferentialAction::set_null) {
    std::vector<std::string> set;
    for (std::size_t i = 0; i < key.columns.size(); ++i) {
      set.push_back(fmt::format("{} = {}", program::name_text(key.columns[i]),
                                is_cascade ? print_expression(to_print(becomes[i])) : "NULL"));
    }
    branch.then.push_back(running(
        make(fmt::format("UPDATE {} SET {} WHERE {}", table, join(set, ", "), where), statement)));
  } else {
    add_end(key, table, where, statement, branch.then);
  }
  actions.push_back({.source = statement.source, .what = std::move(branch)});
}

// Of each row that is going to get another key.
void ReferenceChecks::add_changed(const Key& key, const Doing& doing) const {
  if (!is_ended_by(key, doing.statement.statement)) return;
  const auto was = all_of(key.referenced_columns,
                          [&](const std::string& column) { return named(doing.form, column); });
  const auto becomes = all_of(key.referenced_columns, [&](const std::string& column) {
    const Expression* value = given(doing.form.assignments, column);
    return value != nullptr ? value : named(doing.form, column);
  });
  if (was && becomes && doing.form.sources.size() == 1) {
    add_changed_row(key, *was, *becomes, doing.statement, doing.actions);
    return;
  }
  const TableUse& use = *written_use(doing.statement.statement);
  const std::string of = program::name_text(use.alias.empty() ? use.table : use.alias);
  std::vector<std::string> values;
  for (const std::string& column : key.referenced_columns) {
    values.push_back(of + "." + program::name_text(column));
  }
  for (std::size_t i = 0; i < key.referenced_columns.size(); ++i) {
    const std::string* text =
        written_text(doing.statement.statement, *key.referenced, key.referenced_columns[i]);
    if (text == nullptr && given(doing.form.assignments, key.referenced_columns[i]) != nullptr) {
      return;
    }
    values.push_back(text == nullptr ? values[i] : "(" + *text + ")");
  }
  auto into = declare(*key.referenced, "changed", key.referenced_columns, doing.names);
  const auto later = declare(*key.referenced, "becomes", key.referenced_columns, doing.names);
  if (!into || !later) return;
  const std::size_t count = into->size();
  into->insert(into->end(), later->begin(), later->end());
  const Values all = placeholders(into->size());
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(count);
  Block body;
  add_changed_row(key, {all.begin(), middle}, {middle, all.end()},
                  with_arguments(doing.statement, *into), body);
  add_loop(changed_rows(doing.statement.statement, values), *into, std::move(body), doing);
}

// The rows that an INSERT of a query makes, or that an UPDATE is going to change.
void ReferenceChecks::add_referring_rows(const Key& key, const Doing& doing) const {
  const Statement& statement = doing.statement.statement;
  if (statement.kind == StatementKind::insert) {
    const std::optional<std::string> query = inserted_rows(statement);
    if (!query) return;
    std::vector<std::string> columns =
        columns_in(*key.table, inserted_columns(statement, *key.table), program_.schema.dialect);
    const std::size_t given = make(*query, doing.statement).statement.output.size();
    if (given > columns.size()) return;
    columns.resize(given);
    std::vector<std::size_t> places;
    for (const std::string& column : key.columns) {
      const auto place = std::ranges::find(columns, column);
      if (place == columns.end()) return;
      places.push_back(static_cast<std::size_t>(place - columns.begin()));
    }
    const auto into = declare(*key.table, "made", columns, doing.names);
    if (!into) return;
    std::vector<Expression> values;
    for (const std::size_t place : places) values.push_back((*into)[place]);
    Block body;
    add_refers(key, placeholders(values.size()), with_arguments(doing.statement, values), body);
    add_loop(query, *into, std::move(body), doing);
    return;
  }
  const TableUse& use = *written_use(statement);
  const std::string of = program::name_text(use.alias.empty() ? use.table : use.alias);
  std::vector<std::string> values;
  for (const std::string& column : key.columns) {
    const std::string* text = written_text(statement, *key.table, column);
    if (text == nullptr && given(doing.form.assignments, column) != nullptr) return;
    values.push_back(text == nullptr ? of + "." + program::name_text(column) : *text);
  }
  const auto into = declare(*key.table, "becomes", key.columns, doing.names);
  if (!into) return;
  Block body;
  add_refers(key, placeholders(into->size()), with_arguments(doing.statement, *into), body);
  add_loop(changed_rows(statement, values), *into, std::move(body), doing);
}

// A row of an INSERT of values, of which some are those of queries.
void ReferenceChecks::add_referring_row(const Key& key, std::size_t row, const Doing& doing) const {
  const Statement& statement = doing.statement.statement;
  std::vector<std::string> texts;
  for (const std::string& column : key.columns) {
    const std::string* text = written_text(statement, *key.table, column, row);
    if (text == nullptr) return;
    texts.push_back(*text);
  }
  ProgramStatement asked = make("SELECT " + join(texts, ", "), doing.statement);
  if (asked.statement.kind != StatementKind::select || statement.calls_unknown_function) return;
  const auto into = declare(*key.table, "made", key.columns, doing.names);
  if (!into) return;
  Action read = running(std::move(asked));
  std::get<RunStatement>(read.what).into = *into;
  doing.actions.push_back(std::move(read));
  add_refers(key, placeholders(into->size()), with_arguments(doing.statement, *into),
             doing.actions);
}

void ReferenceChecks::add_referring(const Key& key, const Doing& doing) const {
  const Statement& statement = doing.statement.statement;
  const bool is_update = statement.kind == StatementKind::update;
  const auto writes = [&](const std::string& column) {
    return written_text(statement, *key.table, column) != nullptr ||
           given(doing.form.assignments, column) != nullptr;
  };
  if (is_update && std::ranges::none_of(key.columns, writes)) return;
  if (inserted_rows(statement)) return add_referring_rows(key, doing);
  std::vector<std::vector<find::Assignment>> made = doing.form.made;
  if (made.empty()) made.push_back(doing.form.assignments);
  for (std::size_t row = 0; row < made.size(); ++row) {
    const auto values =
        all_of(key.columns, [&](const std::string& column) { return given(made[row], column); });
    if (values) {
      add_refers(key, *values, doing.statement, doing.actions);
    } else if (is_update) {
      add_referring_rows(key, doing);
    } else {
      add_referring_row(key, row, doing);
    }
  }
}

Block ReferenceChecks::before(const RunStatement& run, FreshNames& names) const {
  Block actions;
  const ProgramStatement& statement = run.statement;
  const TableUse* use = written_use(statement.statement);
  if (keys_.empty() || use == nullptr || statement.made_text) return actions;
  const Table* table =
      find_table(program_.schema, use->table, program_.schema.dialect, use->schema);
  const find::StatementForm form = find::form_of(statement, program_.schema, true);
  const Doing doing{.statement = statement, .form = form, .names = names, .actions = actions};
  for (const Key& key : keys_) {
    const bool is_update = form.kind == StatementKind::update;
    const bool refers = form.kind == StatementKind::insert || is_update;
    if (refers && key.table == table) add_referring(key, doing);
    if (key.referenced != table) continue;
    if (form.deletes()) add_deleted(key, doing);
    if (is_update) add_changed(key, doing);
  }
  return actions;
}

}  // namespace heddle::chopping
