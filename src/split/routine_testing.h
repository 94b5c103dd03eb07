// Routines that PostgreSQL runs on random rows, so that what became of one can be held against it.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heddle/program.h"
#include "store/postgres/statements.h"
#include "store/postgres/throwaway.h"

namespace heddle::routines {

// What a routine finds out it puts into `told`.
inline const std::string kRoutineTables =
    "CREATE TABLE a (id int PRIMARY KEY, x int NOT NULL, k int, s text);\n"
    "CREATE TABLE b (id int PRIMARY KEY, y int, z numeric(8,2));\n"
    "CREATE TABLE c (id int PRIMARY KEY, w int, UNIQUE (w));\n"
    "CREATE TABLE told (n serial PRIMARY KEY, v text);\n";
inline const std::string kCut = R"({"A": ["a"], "B": ["b"], "C": ["c"], "D": ["told"]})";

inline const std::string& conninfo() {
  static const std::unique_ptr<ThrowawayPostgres> server = [] {
    auto started = ThrowawayPostgres::start({});
    EXPECT_TRUE(started);
    return std::move(*started);
  }();
  return server->conninfo();
}

inline PostgresStatements& session() {
  static const std::unique_ptr<PostgresStatements> connected = [] {
    auto opened = PostgresStatements::connect(conninfo());
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }();
  return *connected;
}

inline StatementResult execute(const std::string& text) {
  auto result = session().execute(text, {});
  EXPECT_TRUE(result) << text;
  return result ? std::move(*result) : StatementResult{};
}

inline std::string random_rows(unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&] { return static_cast<int>(random() % 4U) + 1; };
  const auto maybe = [&] { return random() % 5U == 0 ? "null" : std::to_string(number()); };
  std::string text;
  for (int id = 1; id <= 4; ++id) {
    if (random() % 4U != 0) {
      text += fmt::format("INSERT INTO a VALUES ({}, {}, {}, '{}'); ", id, number(), maybe(),
                          std::string(1, static_cast<char>('a' + number())));
    }
    if (random() % 4U != 0) {
      text += fmt::format("INSERT INTO b VALUES ({}, {}, {}); ", id, maybe(), maybe());
    }
    if (random() % 3U != 0) text += fmt::format("INSERT INTO c VALUES ({}, {}); ", id, 5 - id);
  }
  return text;
}

inline void reset(const std::string& rows) {
  static const bool made = [] {
    for (const StatementText& piece : split_statements(kRoutineTables)) execute(piece.text);
    return true;
  }();
  static_cast<void>(made);
  execute(
      "DO $$ BEGIN DROP ROUTINE IF EXISTS f; DELETE FROM a; DELETE FROM b; DELETE FROM c; "
      "DELETE FROM told; PERFORM setval('told_n_seq', 1, false); " +
      rows + " END $$");
}

inline std::string table_rows() {
  std::string text;
  for (const char* table : {"a", "b", "c", "told"}) {
    text += fmt::format("\n{}:", table);
    for (const Row& row : execute(fmt::format("SELECT * FROM {} ORDER BY 1", table)).rows) {
      text += " (";
      for (const Cell& cell : row) text += cell.value_or("null") + ",";
      text += ")";
    }
  }
  return text;
}

inline std::string called(const std::string& routine, const std::string& rows, int argument) {
  reset(rows);
  const StatementResult made = execute(routine);
  EXPECT_FALSE(made.refusal) << (made.refusal ? made.refusal->message : "") << routine;
  const StatementResult result = execute(fmt::format("CALL f({})", argument));
  return (result.refusal ? result.refusal->message : "") + table_rows();
}

inline std::string procedure(const std::string& body) {
  return "CREATE PROCEDURE f(p int) LANGUAGE plpgsql AS $$\n" + body + "\n$$;\n";
}

inline std::string only_routine(const Program& program) {
  return print_program({.schema = {}, .functionalities = program.functionalities, .notes = {}});
}

}  // namespace heddle::routines
