// Statements as they are executed: their text, put together by the code, with its parameters.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"
#include "frontend/java/sql_text.h"
#include "frontend/views/see_through.h"
#include "program/conflict_keys.h"
#include "program/resolve.h"
#include "program/text.h"

namespace heddle::java {

namespace {

constexpr std::size_t kMostChoices = 8;

const Expression* condition_in(const Text& text) {
  for (const Piece& piece : text) {
    if (piece.choice) return &piece.choice->condition;
  }
  return nullptr;
}

const Expression* condition_in(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    if (setting.condition) return &*setting.condition;
    if (setting.index.kind == ExpressionKind::choice) return &setting.index.operands[0];
  }
  return nullptr;
}

// What remains when the condition is known, also in choices inside of others.
Text decided(const Text& text, const State& state) {
  Text result;
  for (const Piece& piece : text) {
    if (!piece.choice) {
      append(result, {piece});
      continue;
    }
    const Expression condition = settled(state, piece.choice->condition);
    if (is_true(condition)) {
      append(result, decided(piece.choice->then, state));
    } else if (is_false(condition)) {
      append(result, decided(piece.choice->otherwise, state));
    } else {
      append(result, {piece});
    }
  }
  return result;
}

std::vector<Setting> decided(const std::vector<Setting>& settings, const State& state) {
  std::vector<Setting> result;
  for (const Setting& setting : settings) {
    const Expression condition =
        setting.condition ? settled(state, *setting.condition) : literal("null");
    if (is_true(condition) || is_false(condition)) {
      const auto& taken = is_true(condition) ? setting.then : setting.otherwise;
      for (Setting& each : decided(taken, state)) result.push_back(std::move(each));
      continue;
    }
    result.push_back(setting);
    result.back().index = settled(state, setting.index);
    result.back().value = settled(state, setting.value);
  }
  return result;
}

bool is_argument(const Expression& expression) {
  return expression.kind == ExpressionKind::variable ||
         (expression.kind == ExpressionKind::field &&
          expression.operands[0].kind == ExpressionKind::variable);
}

}  // namespace

Executed FunctionalityReader::run(const Execution& execution, const Node& node, Block& out) {
  Executed executed;
  if (has_too_many_texts(execution, 0)) {
    note(node, "the text is put together in more than 256 ways",
         "it is taken to read and write anything");
    add_statement(execution,
                  opaque_statement("a text that is put together in more than 256 ways", node), node,
                  out);
    return executed;
  }
  run_assuming(execution, node, out, executed);
  return executed;
}

// The execution as it is where everything holds that is known now; the condition that it still
// hangs on, empty: none.
std::pair<Execution, std::optional<Expression>> FunctionalityReader::settle(
    const Execution& execution) const {
  Execution settled_one = execution;
  settled_one.text = decided(execution.text, state_);
  settled_one.settings = decided(execution.settings, state_);
  const Expression* condition = condition_in(settled_one.text);
  if (condition == nullptr) condition = condition_in(settled_one.settings);
  std::optional<Expression> hangs_on;
  if (condition != nullptr) hangs_on = *condition;
  return {std::move(settled_one), std::move(hangs_on)};
}

bool FunctionalityReader::has_too_many_texts(const Execution& execution, std::size_t assumed) {
  const auto [settled_one, condition] = settle(execution);
  if (!condition) return false;
  if (assumed == kMostChoices) return true;
  for (const bool holds : {true, false}) {
    const std::size_t known = state_.facts.size();
    add_fact(state_, *condition, holds);
    const bool too_many = has_too_many_texts(settled_one, assumed + 1);
    state_.facts.resize(known);
    if (too_many) return true;
  }
  return false;
}

// One statement for each way to decide the conditions that the text hangs on.
void FunctionalityReader::run_assuming(const Execution& execution, const Node& node, Block& out,
                                       Executed& executed) {
  auto [settled_one, condition] = settle(execution);
  if (!condition) {
    add_statement(execution, statement_of(settled_one, node, out, executed), node, out);
    return;
  }
  Branch branch;
  branch.condition = *std::move(condition);
  for (const bool holds : {true, false}) {
    const std::size_t known = state_.facts.size();
    add_fact(state_, branch.condition, holds);
    run_assuming(settled_one, node, holds ? branch.then : branch.otherwise, executed);
    state_.facts.resize(known);
  }
  add(out, node, std::move(branch));
}

void FunctionalityReader::add_statement(const Execution& execution, ProgramStatement statement,
                                        const Node& node, Block& out) {
  note_apart_from_redis(node, out);
  statement.connection = execution.connection;
  if (!execution.cursor.empty()) {
    add(out, node, OpenRows{.cursor = execution.cursor, .statement = std::move(statement)});
    return;
  }
  RunStatement run{.statement = std::move(statement), .into = {}};
  if (!execution.row.empty()) {
    run.into.push_back({.kind = ExpressionKind::variable, .text = execution.row, .operands = {}});
  }
  add(out, node, std::move(run));
}

// What the program itself says of a value; empty: nothing.
std::string FunctionalityReader::declared_type(const Expression& value) const {
  if (value.kind == ExpressionKind::cast) return value.text;
  const bool is_element = value.kind == ExpressionKind::element;
  const Expression& base = is_element ? value.operands[0] : value;
  for (const auto* declared : {&functionality_.parameters, &functionality_.variables}) {
    const auto known = std::ranges::find(*declared, base.text, &Variable::name);
    if (known == declared->end() || base.kind != ExpressionKind::variable) continue;
    if (!is_element) return known->type;
    if (known->type.ends_with("[]")) return known->type.substr(0, known->type.size() - 2);
  }
  return "";
}

// A value as a statement takes it: constants go into the text.
Expression FunctionalityReader::argument(const Expression& value, const std::string& type,
                                         const Node& node, Block& out) {
  if (value.kind == ExpressionKind::literal || is_argument(value)) return value;
  std::string column = column_type(type);
  if (column.empty() && type.ends_with("[]")) column = column_type(element_type(type)) + "[]";
  if (column.empty()) column = declared_type(value);
  Expression variable{.kind = ExpressionKind::variable,
                      .text = new_variable("argument", column.empty() ? "text" : column),
                      .operands = {}};
  add(out, node, Assign{.target = variable, .value = value});
  return variable;
}

ProgramStatement FunctionalityReader::statement_of(const Execution& execution, const Node& node,
                                                   Block& out, Executed& executed) {
  SqlText sql(execution.text, schema_);
  if (!execution.returning.empty()) sql.append(" RETURNING " + execution.returning);
  std::size_t next_of_many = 0;
  std::vector<Expression> values(sql.places().size(), unknown("a parameter that is not set"));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SqlText::Place& place = sql.places()[i];
    if (place.value) {
      values[i] = argument(place.is_list && execution.many ? *execution.many : *place.value,
                           place.is_string ? "String" : place.type, node, out);
      continue;
    }
    const Value* last = nullptr;
    for (const Setting& setting : execution.settings) {
      if (to_number(setting.index) == static_cast<long long>(place.number)) last = &setting.value;
    }
    if (last == nullptr && execution.many) {
      // Those that a loop sets one by one, in its order.
      const Expression one{
          .kind = ExpressionKind::element,
          .text = "",
          .operands = {*execution.many, number(static_cast<long long>(++next_of_many))}};
      values[i] = argument(one, execution.many_type, node, out);
    } else if (last == nullptr || !is_single_choice(*last)) {
      note(node, "parameter " + std::to_string(place.number) + " is not known here",
           "any value is taken for it");
      values[i] = argument(unknown("parameter " + std::to_string(place.number)), "", node, out);
    } else {
      values[i] = argument(to_expression(*last), last->type, node, out);
    }
  }
  Result<SqlText::Finished> finished = sql.finish(values, execution.many.has_value());
  const std::string rows = execution.cursor.empty() ? execution.row : execution.cursor;
  if (!finished) {
    note(node, finished.error().what, "it is taken to read and write anything");
    ProgramStatement opaque = opaque_statement(finished.error().what, node);
    if (auto made = sql.make(values)) {
      opaque.made_text = std::move(made->text);
      opaque.arguments = std::move(made->arguments);
      if (made->guess) learn_rows(rows, *made->guess, executed);
    }
    return opaque;
  }
  ProgramStatement result;
  result.source = node.location();
  result.statement = std::move(finished->statement);
  result.arguments = std::move(finished->arguments);
  result.made_text = std::move(finished->made_text);
  views::see_through(result.statement, schema_);
  program::judge_conflict(result.statement, schema_);
  result.approximated = result.statement.over_approximated;
  for (const std::string& construct : finished->approximated) {
    result.approximated.push_back(construct);
    note(node, construct, "it is taken for one value; pass it as a parameter");
  }
  for (const std::string& problem : program::resolve_columns(result.statement, schema_)) {
    note(node, problem, "it is taken as the statement names it");
  }
  for (const std::string& construct : result.statement.over_approximated) {
    note(node, construct + " is not followed", "it is taken for more than it may do");
  }
  learn_rows(rows, result.statement, executed);
  return result;
}

// What a statement returns, into the cursor or record of that name, if there is one.
void FunctionalityReader::learn_rows(const std::string& rows, const Statement& statement,
                                     Executed& executed) {
  executed.returns_rows = statement.returns_rows;
  if (rows.empty()) return;
  const std::vector<std::string> names = learn_columns(rows, statement);
  std::vector<std::string>& known = executed.columns;
  // Of several texts each has its own columns: a place has a name where all that have it agree.
  for (std::size_t i = 0; i < std::min(known.size(), names.size()); ++i) {
    if (known[i] != names[i]) known[i].clear();
  }
  for (std::size_t i = known.size(); i < names.size(); ++i) known.push_back(names[i]);
}

ProgramStatement FunctionalityReader::opaque_statement(const std::string& what, const Node& node) {
  reached_store_ = true;
  return anything_statement(what, node.location());
}

namespace {

std::string column_type_text(const ColumnType& type) {
  switch (type.type) {
    case ValueType::boolean:
      return "boolean";
    case ValueType::integer16:
      return "smallint";
    case ValueType::integer32:
      return "integer";
    case ValueType::integer64:
      return "bigint";
    case ValueType::numeric:
      return "numeric";
    case ValueType::real32:
      return "real";
    case ValueType::real64:
      return "double precision";
    case ValueType::text:
    case ValueType::varying:
    case ValueType::padded_text:
      return "text";
    case ValueType::timestamp:
      return "timestamp";
    case ValueType::timestamp_with_zone:
      return "timestamp with time zone";
    case ValueType::date:
      return "date";
    default:
      return "";
  }
}

bool is_plain_column(std::string_view expression) {
  return std::ranges::all_of(expression, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '"';
  });
}

}  // namespace

// The names of what a statement returns, in order, as far as they are known.
std::vector<std::string> FunctionalityReader::learn_columns(const std::string& rows,
                                                            const Statement& statement) {
  std::vector<std::string> names;
  const Dialect dialect = schema_.dialect;
  const std::string text = to_lower(statement.text);
  const bool is_outer =
      text.find("left join") != std::string::npos || text.find("right join") != std::string::npos ||
      text.find("full join") != std::string::npos || text.find(" outer ") != std::string::npos;
  const auto learn = [&](const std::string& name, const TableColumn* column, bool is_count) {
    ColumnFacts facts;
    if (column != nullptr) facts.type = column_type_text(column->type);
    if (dialect == Dialect::mysql && facts.type == "boolean") facts.type = kTruthOfMysql;
    facts.may_be_null = !is_count && (column == nullptr || !column->not_null || is_outer);
    if (is_count) facts.type = "bigint";
    columns_[rows + "." + name] = facts;
    names.push_back(name);
  };
  for (const OutputColumn& output : statement.output) {
    if (output.expression == "*" || output.expression.ends_with(".*")) {
      const std::string of = output.expression.size() > 2
                                 ? output.expression.substr(0, output.expression.size() - 2)
                                 : "";
      for (const TableUse& use : statement.tables) {
        if (!of.empty() && use.alias != of && use.table != of) continue;
        const Table* table = find_table(schema_, use.table, dialect, use.schema);
        if (table == nullptr || !table->columns_known) return names;
        for (const TableColumn& column : table->columns) {
          learn(program::name_in_statements(column.name, dialect), &column, false);
        }
      }
      continue;
    }
    const TableColumn* column = nullptr;
    if (output.columns_read.size() == 1 && is_plain_column(output.expression)) {
      for (const TableUse& use : statement.tables) {
        const Table* table = find_table(schema_, use.table, dialect, use.schema);
        if (table == nullptr) continue;
        const TableColumn* found = find_column(*table, output.columns_read[0], dialect);
        if (found != nullptr) column = found;
      }
    }
    learn(output.name.empty() ? std::string(kUnnamedColumn) : output.name, column, output.is_count);
  }
  return names;
}

}  // namespace heddle::java
