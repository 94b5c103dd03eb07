// For tests that compare with PostgreSQL: one throwaway server per test program.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/must_testing.h"
#include "frontend/plpgsql/expression.h"
#include "heddle/interpret.h"
#include "interpret/evaluate.h"
#include "store/postgres/statements.h"
#include "store/postgres/throwaway.h"

namespace heddle::interpreter {

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

// What PL/pgSQL says that each is, all in one routine: most of the time would be spent on the way.
// `declarations` are of its variables.
inline std::vector<std::string> answered(const std::vector<std::string>& texts,
                                         const std::string& declarations = "") {
  const auto execute = [](const std::string& text) {
    StatementResult result = must(server_session().execute(text, {}));
    if (result.refusal) throw std::runtime_error(result.refusal->message);
    return result;
  };
  static const StatementResult made = execute(R"(
CREATE OR REPLACE FUNCTION pg_temp.shown(v anyelement) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN num_nulls(v) = 1 THEN 'null' ELSE format('%s', v) END || ' ' ||
    replace(pg_typeof(v)::text, 'character varying', 'text');
END $$)");
  std::string body;
  for (const std::string& text : texts) {
    body += "BEGIN RETURN NEXT pg_temp.shown(" + text +
            "); EXCEPTION WHEN others THEN RETURN NEXT 'ERROR ' || SQLSTATE; END;\n";
  }
  execute(
      "CREATE OR REPLACE FUNCTION pg_temp.answers() RETURNS SETOF text LANGUAGE plpgsql AS $a$ "
      "DECLARE " +
      declarations + " BEGIN " + body + "END $a$");
  std::vector<std::string> answers;
  for (const Row& row : execute("SELECT pg_temp.answers()").rows) {
    answers.push_back(row.at(0).value_or("?"));
  }
  return answers;
}

}  // namespace heddle::interpreter
