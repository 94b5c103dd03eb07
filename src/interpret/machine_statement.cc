// What reaches the store: statements, cursors, boundaries of transactions.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "interpret/machine.h"
#include "program/connections.h"
#include "program/deciding_changes.h"

namespace heddle::interpreter {

namespace {

bool is_boundary(StatementKind kind) {
  return kind == StatementKind::begin || kind == StatementKind::commit ||
         kind == StatementKind::rollback;
}

bool is_change(StatementKind kind) {
  return kind == StatementKind::insert || kind == StatementKind::update ||
         kind == StatementKind::delete_ || kind == StatementKind::merge;
}

bool is_all(std::string_view expression) { return expression == "*" || expression.ends_with(".*"); }

// Programs know columns by the names that PostgreSQL gives them; other stores call a column without
// a name otherwise (MariaDB: by its text). Behind a `*` the statement does not tell which is which.
void name_columns(const std::vector<OutputColumn>& output, StatementResult& result) {
  for (std::size_t i = 0; i < std::min(output.size(), result.columns.size()); ++i) {
    if (is_all(output[i].expression)) return;
    result.columns[i].name = output[i].name.empty() ? kUnnamedColumn : output[i].name;
  }
}

// What else a statement may be leaves `found` as it is.
bool counts_rows(StatementKind kind) {
  return is_change(kind) || kind == StatementKind::select || kind == StatementKind::other;
}

}  // namespace

// The statement with the text that is sent this time.
std::optional<ProgramStatement> Machine::made_statement(const ProgramStatement& statement) {
  const auto value = value_of(*statement.made_text);
  if (!value) return std::nullopt;
  if (value->is_null()) {
    fail("22004", "query string argument of EXECUTE is null");
    return std::nullopt;
  }
  ProgramStatement made = statement;
  made.statement = {};
  made.statement.kind = StatementKind::other;
  made.statement.text = output_text(*value);
  auto read = parse_statements(made.statement.text, Dialect::postgres);
  if (read && read->size() == 1) made.statement = std::move(read->front());
  return made;
}

std::optional<StatementResult> Machine::execute(const ProgramStatement& statement) {
  count_call();
  ExecutedStatement executed{.statement = &statement, .values = {}, .result = {}};
  for (const Expression& argument : statement.arguments) {
    const auto value = value_of(argument);
    if (!value) return std::nullopt;
    executed.values.push_back(client_value(*value));
  }
  std::optional<ProgramStatement> made;
  if (statement.made_text) {
    made = made_statement(statement);
    if (!made) return std::nullopt;
    executed.made_text = made->statement.text;
  }
  Result<StatementResult> result = runner_.run(made ? *made : statement, executed.values);
  if (!result) {
    trouble_ = std::move(result.error());
    return std::nullopt;
  }
  executed.result = std::move(*result);
  name_columns((made ? *made : statement).statement.output, executed.result);
  result_.trace.emplace_back(executed);
  if (const auto& refusal = executed.result.refusal) {
    refuse(*refusal);
    return std::nullopt;
  }
  note_effect(made ? *made : statement, executed.result);
  return std::move(executed.result);
}

Machine::Way Machine::run_one(const RunStatement& run) {
  if (run.statement.is_part) return Way::on;
  if (is_boundary(run.statement.statement.kind)) return run_boundary(run.statement);
  const auto result = execute(run.statement);
  if (!result) return Way::failed;
  last_count_ = result->affected;
  if (program::changes_rows_there(run.statement)) changed_[&run.statement] = result->affected;
  const bool is_made = run.statement.made_text.has_value();
  if (counts_rows(run.statement.statement.kind) && !is_made) set_found(result->affected > 0);
  if (run.returned) {
    has_returned_ = true;
    for (std::size_t row = 0; row < result->rows.size(); ++row) {
      Errors errors;
      const Value value = row_of(*result, row, errors);
      if (settle(errors) != Way::on) return Way::failed;
      add_row(value.fields().names, value.fields().values);
    }
    return Way::on;
  }
  return run.into.empty() ? Way::on : take_result(run, *result);
}

// INTO: a query gives its first row, a change may change no more than one.
Machine::Way Machine::take_result(const RunStatement& run, const StatementResult& result) {
  const bool is_query = !is_change(run.statement.statement.kind);
  if (result.rows.empty()) {
    if (run.strict) {
      fail("P0002", "query returned no rows");
      error_->gives_up = !is_query && program::changes_rows_there(run.statement);
      return Way::failed;
    }
    return store_row(run.into, result, std::nullopt);
  }
  if (result.rows.size() > 1) {
    if (run.strict || !is_query) return fail("P0003", "query returned more than one row");
    last_count_ = 1;
  }
  return store_row(run.into, result, 0);
}

Machine::Way Machine::run_one(const OpenRows& open) {
  const bool is_held = held_cursors_.contains(open.cursor);
  if (cursors_[open.cursor].is_open && !is_held) {
    return fail("42P03", fmt::format("cursor \"{}\" already in use", open.cursor));
  }
  auto result = execute(open.statement);
  if (!result) return Way::failed;
  cursors_[open.cursor] = {.is_open = true,
                           .is_held = is_held,
                           .depth = attempts_,
                           .connection = open.statement.connection,
                           .result = std::move(*result),
                           .next = 0};
  return Way::on;
}

Machine::Cursor* Machine::open_cursor(const std::string& name) {
  const auto found = cursors_.find(name);
  if (found == cursors_.end()) {
    fail("22004", fmt::format("cursor variable \"{}\" is null", name));
    return nullptr;
  }
  if (found->second.is_open) return &found->second;
  fail("34000", fmt::format("cursor \"{}\" does not exist", name));
  return nullptr;
}

Machine::Way Machine::run_one(const FetchRow& fetch) {
  Cursor* cursor = open_cursor(fetch.cursor);
  if (cursor == nullptr) return Way::failed;
  const bool any = cursor->next < cursor->result.rows.size();
  const auto row = any ? std::optional(cursor->next++) : std::nullopt;
  if (!fetch.into.empty()) {
    const Way way = store_row(fetch.into, cursor->result, row);
    if (way != Way::on) return way;
  }
  last_count_ = any ? 1 : 0;
  set_found(any);
  return Way::on;
}

Machine::Way Machine::run_one(const CloseRows& close) {
  Cursor* cursor = open_cursor(close.cursor);
  if (cursor == nullptr) return Way::failed;
  cursor->is_open = false;
  return Way::on;
}

Machine::Way Machine::cross(Boundary boundary, std::size_t connection, const std::string& savepoint,
                            const ProgramStatement* statement) {
  count_call();
  Result<StatementResult> result = runner_.cross(boundary, savepoint, connection);
  if (!result) {
    trouble_ = std::move(result.error());
    return Way::failed;
  }
  result_.trace.emplace_back(CrossedBoundary{.boundary = boundary,
                                             .savepoint = savepoint,
                                             .statement = statement,
                                             .refusal = result->refusal,
                                             .connection = connection});
  Line& line = lines_[connection];
  note_boundary(boundary, result->refusal.has_value(), line);
  // A COMMIT that is refused has rolled back.
  if (boundary == Boundary::begin) line.is_open = !result->refusal;
  if (boundary == Boundary::commit || boundary == Boundary::rollback) line.is_open = false;
  return result->refusal ? refuse(*result->refusal) : Way::on;
}

Machine::Way Machine::cross_all(Boundary boundary, const std::vector<std::size_t>& connections,
                                const std::string& savepoint) {
  for (const std::size_t connection : connections) {
    const Way way = cross(boundary, connection, savepoint);
    if (way != Way::on) return way;
  }
  return Way::on;
}

// Those on which the block runs something and a transaction is open.
std::vector<std::size_t> Machine::open_connections_in(const Block& block) const {
  std::vector<std::size_t> open;
  for (std::size_t connection = 0; connection < lines_.size(); ++connection) {
    const bool is_used = lines_.size() == 1 || program::runs_on(block, connection);
    if (is_used && lines_[connection].is_open) open.push_back(connection);
  }
  return open;
}

Machine::Way Machine::run_boundary(const ProgramStatement& statement) {
  const StatementKind kind = statement.statement.kind;
  const Boundary boundary = kind == StatementKind::begin    ? Boundary::begin
                            : kind == StatementKind::commit ? Boundary::commit
                                                            : Boundary::rollback;
  if (begins_itself_) return cross(boundary, statement.connection, "", &statement);
  return end_and_begin(boundary, statement);
}

// As in PL/pgSQL: a new transaction begins at once, and cursors are gone, but for those whose rows
// a client has.
Machine::Way Machine::end_and_begin(Boundary boundary, const ProgramStatement& statement) {
  if (attempts_ > 0) {
    return fail("2D000", fmt::format("cannot {} while a subtransaction is active",
                                     boundary == Boundary::commit ? "commit" : "roll back"));
  }
  for (auto& [name, cursor] : cursors_) {
    const bool is_over = cursor.connection == statement.connection && !cursor.is_held;
    cursor.is_open = cursor.is_open && !is_over;
  }
  const Way way = cross(boundary, statement.connection, "", &statement);
  if (trouble_) return way;
  const auto error = error_;
  const Way begun = cross(Boundary::begin, statement.connection);
  if (error) error_ = error;
  return way == Way::on ? begun : way;
}

// What is open when the functionality has ended, in the order of the connections. Where one of them
// cannot be committed, those behind it are rolled back.
void Machine::close_transactions(Way way) {
  for (std::size_t connection = 0; connection < lines_.size(); ++connection) {
    if (!lines_[connection].is_open) continue;
    const bool keeps = way != Way::failed && !begins_itself_;
    const auto error = error_;
    const auto trouble = trouble_;
    const Way closed = cross(keeps ? Boundary::commit : Boundary::rollback, connection);
    if (closed == Way::failed) way = closed;
    if (trouble) trouble_ = trouble;
    if (error) error_ = error;
  }
}

}  // namespace heddle::interpreter
