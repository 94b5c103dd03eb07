// Routines in PL/pgSQL, run by PostgreSQL and by the interpreter from the same tables.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "interpret/interpret_testing.h"

namespace heddle::interpreter {

inline constexpr std::string_view kTables = R"(
CREATE TABLE account (
  id int PRIMARY KEY,
  owner text NOT NULL,
  balance numeric(12,2) NOT NULL CHECK (balance >= 0),
  kind char(3),
  note varchar(10)
);
CREATE TABLE entry (
  id serial PRIMARY KEY,
  account_id int REFERENCES account DEFERRABLE INITIALLY DEFERRED,
  amount numeric(12,2),
  tags text[]
);
)";

inline constexpr std::string_view kRows = R"(
INSERT INTO account VALUES (1, 'ann', 100, 'a', 'x'), (2, 'bob', 50.50, 'bb', NULL),
  (3, 'cy', 0, NULL, 'ten letter');
INSERT INTO entry (account_id, amount, tags) VALUES (1, 5, '{a,b}'), (1, 7.25, NULL), (2, -3, '{}');
)";

inline void execute(const std::string& text) {
  const StatementResult result = must(server_session().execute(text, {}));
  if (result.refusal) throw std::runtime_error(text + ": " + result.refusal->message);
}

// The same tables each time, with no other routine than this.
inline void reset(const std::string& routine) {
  static const bool made = [] {
    for (const StatementText& piece : split_statements(kTables)) execute(piece.text);
    return true;
  }();
  static_cast<void>(made);
  execute(
      fmt::format("DO $$ BEGIN DROP ROUTINE IF EXISTS f; DROP ROUTINE IF EXISTS p; "
                  "DELETE FROM entry; DELETE FROM account; "
                  "PERFORM setval('entry_id_seq', 1, false); {} END $$",
                  kRows));
  if (!routine.empty()) execute(routine);
}

inline std::string text_of(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell.value_or("null"));
    text += "(" + join(cells, ", ") + ")";
  }
  return text;
}

inline std::string tables_text() {
  std::string text;
  for (const char* table : {"account", "entry"}) {
    const StatementResult result =
        must(server_session().execute(fmt::format("SELECT * FROM {} ORDER BY id", table), {}));
    text += fmt::format("\n{} {}", table, text_of(result.rows));
  }
  return text;
}

// The message counts where the routine says it.
inline std::string error_text(const std::string& sqlstate, const std::string& message) {
  return "ERROR " + sqlstate + (sqlstate == "P0001" ? " " + message : "");
}

inline std::string call_text(const Functionality& functionality,
                             const std::vector<Cell>& arguments) {
  std::vector<std::string> values;
  for (const Cell& argument : arguments) {
    values.push_back(argument ? "'" + *argument + "'" : "null");
  }
  return fmt::format("{} {}({})", functionality.returns ? "SELECT * FROM" : "CALL",
                     functionality.name, join(values, ", "));
}

// What a routine of the server does.
inline std::string call_on_server(const Functionality& functionality,
                                  const std::vector<Cell>& arguments) {
  const StatementResult result =
      must(server_session().execute(call_text(functionality, arguments), {}));
  const std::string outcome = result.refusal
                                  ? error_text(result.refusal->sqlstate, result.refusal->message)
                                  : text_of(result.rows);
  return outcome + tables_text();
}

inline std::string served(const Functionality& functionality, const std::string& routines,
                          const std::vector<Cell>& arguments) {
  reset(routines);
  return call_on_server(functionality, arguments);
}

inline std::string interpreted(const Program& program, const Functionality& functionality,
                               const std::vector<Cell>& arguments) {
  reset("");
  const auto run = interpret(program, functionality, arguments, server_session());
  if (!run) return to_string(run.error());
  const std::string outcome =
      run->error ? error_text(run->error->sqlstate, run->error->message) : text_of(run->returned);
  return outcome + tables_text();
}

// What has no rows to return but null, such as a void function, is told apart by nobody.
inline std::string plain(const std::string& outcome) {
  return outcome.starts_with("()") ? outcome.substr(2) : outcome;
}

// The routine, what is printed of it, and the interpreter do the same.
inline void expect_same(const std::string& routine, const std::vector<Cell>& arguments) {
  const auto program = parse_program({{"p.sql", std::string(kTables) + routine}});
  ASSERT_TRUE(program) << to_string(program.error()) << routine;
  const Functionality& functionality = program->functionalities.at(0);
  const std::string printed =
      print_program({.schema = {}, .functionalities = program->functionalities, .notes = {}});
  const std::string expected = plain(served(functionality, routine, arguments));
  EXPECT_EQ(interpreted(*program, functionality, arguments), expected) << routine;
  EXPECT_EQ(plain(served(functionality, printed, arguments)), expected) << printed;
}

}  // namespace heddle::interpreter
