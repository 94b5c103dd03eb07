// For tests that compare with PostgreSQL: one throwaway server per test program.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "frontend/plpgsql/expression.h"
#include "heddle/interpret.h"
#include "interpret/evaluate.h"
#include "store/postgres_statements.h"
#include "store/throwaway.h"

namespace heddle::interpreter {

// The value; a diagnostic fails the test that asked.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  return std::move(*result);
}

inline const std::string& server_conninfo() {
  static const std::unique_ptr<ThrowawayPostgres> server = must(ThrowawayPostgres::start({}));
  return server->conninfo();
}

inline PostgresStatements& server_session() {
  static const std::unique_ptr<PostgresStatements> session =
      must(PostgresStatements::connect(server_conninfo()));
  return *session;
}

// An expression without variables.
inline Expression expression_of(const std::string& text) {
  plpgsql::Names names;
  names.enter("");
  auto read = plpgsql::read_value(text, names);
  if (!read.is_ok) throw std::runtime_error(text + ": " + read.trouble.what);
  if (read.value.asks_store) throw std::runtime_error(text + " asks the store");
  return std::move(read.value.value);
}

// "12 integer", "null text", "ERROR 22003", "? why": what we say an expression is.
inline std::string computed(const Expression& expression, const Variables& variables = {}) {
  const ValueSource no_source;
  const SourceLocation nowhere;
  Evaluator evaluator(variables, no_source);
  Errors errors;
  const Value value = evaluator.evaluate(expression, nowhere, errors);
  if (errors.kind() == Errors::Kind::sql) return "ERROR " + errors.sqlstate();
  if (errors.any()) return "? " + errors.message();
  const ClientValue shown = client_value(value);
  const std::string type = shown.type == "unknown" ? "text" : shown.type;
  return shown.text.value_or("null") + " " + type;
}

// What the server says it is.
inline std::string answered(const std::string& text) {
  const StatementResult result = must(server_session().execute("SELECT " + text, {}));
  if (result.refusal) return "ERROR " + result.refusal->sqlstate;
  const std::string type = type_name(parse_type(result.columns.at(0).type));
  return result.rows.at(0).at(0).value_or("null") + " " + type;
}

}  // namespace heddle::interpreter
