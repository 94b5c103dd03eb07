// For tests that read the tables of real databases: one throwaway server of each kind per test
// program, and as many databases as they ask for.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heddle/schema.h"
#include "store/mariadb/database.h"
#include "store/mariadb/throwaway.h"
#include "store/open/given_schema.h"
#include "store/postgres/address.h"
#include "store/postgres/database.h"
#include "store/postgres/throwaway.h"

namespace heddle::sql {

template <class T>
T must(Result<T> result) {
  if (!result) ADD_FAILURE() << to_string(result.error());
  if (!result) std::abort();
  return std::move(*result);
}

inline const ThrowawayPostgres& live_postgres() {
  static const std::unique_ptr<ThrowawayPostgres> server = must(ThrowawayPostgres::start({}));
  return *server;
}

inline const ThrowawayMariadb& live_mariadb() {
  static const std::unique_ptr<ThrowawayMariadb> server = must(ThrowawayMariadb::start({}));
  return *server;
}

// Runs a text of statements; each has to succeed.
template <class Database>
void run_on(Database& database, const std::string& sql) {
  const std::vector<Reply> replies = must(database.execute(sql, 60'000));
  for (const Reply& reply : replies) {
    if (reply.error) ADD_FAILURE() << reply.error->text << "of\n" << sql;
  }
}

inline std::unique_ptr<PostgresDatabase> connect_to_postgres(const std::string& name) {
  ConnectionParameters parameters = must(parse_postgres_address(live_postgres().conninfo()));
  parameters["dbname"] = name;
  return must(PostgresDatabase::connect(parameters));
}

inline std::unique_ptr<MariadbDatabase> connect_to_mariadb(const std::string& name) {
  MariadbAddress address;
  address.socket = live_mariadb().socket();
  address.user = "root";
  address.database = name;
  return must(MariadbDatabase::connect(address));
}

// The address of a new database in which the text was run.
inline std::string make_database(const std::string& sql, Dialect dialect) {
  static int count = 0;
  const std::string name = fmt::format("live_{}", ++count);
  if (dialect == Dialect::postgres) {
    run_on(*connect_to_postgres("postgres"), "CREATE DATABASE " + name);
    if (!sql.empty()) run_on(*connect_to_postgres(name), sql);
    return fmt::format("{} dbname={}", live_postgres().conninfo(), name);
  }
  run_on(*connect_to_mariadb(""), "CREATE DATABASE " + name);
  if (!sql.empty()) run_on(*connect_to_mariadb(name), sql);
  return fmt::format("mysql://root@/{}?socket={}", name, live_mariadb().socket());
}

// What heddle reads of a database, its notes included. Positions mean nothing to anybody.
inline SchemaReading read_live(const std::string& address) {
  SchemaText text = must(read_schema_text(address));
  SchemaReading reading = parse_schema(text.text, text.dialect);
  reading.notes.insert(reading.notes.begin(), text.notes.begin(), text.notes.end());
  for (Diagnostic& note : reading.notes) note.position = {};
  reading.schema = without_positions(std::move(reading.schema));
  return reading;
}

// What is the same in a file and in the database that was made of it: names that the server gives,
// other names of types and other ways to write an expression are left out.
inline Schema comparable(Schema schema) {
  schema = without_positions(std::move(schema));
  const bool is_mysql = schema.dialect == Dialect::mysql;
  const auto shorten = [](std::string& expression) {
    // PostgreSQL says the type of a null, MariaDB says nulls that nobody wrote.
    expression = expression.empty() || expression.starts_with("NULL") ? "" : "...";
  };
  const auto compare_type = [](ColumnType& type) { type.text.clear(); };
  const auto compare_action = [&](ReferentialAction& action) {
    // To InnoDB they are one, and it does not print it.
    if (is_mysql && action == ReferentialAction::restrict) action = ReferentialAction::no_action;
  };
  for (Domain& domain : schema.domains) {
    compare_type(domain.type);
    shorten(domain.default_expression);
    for (Check& check : domain.checks) check = {.expression = "..."};
  }
  for (Table& table : schema.tables) {
    table.primary_key_name.clear();
    for (TableColumn& column : table.columns) {
      compare_type(column.type);
      shorten(column.default_expression);
      shorten(column.generation_expression);
    }
    for (UniqueConstraint& one : table.unique_constraints) one.name.clear();
    for (ForeignKeyConstraint& one : table.foreign_keys) {
      one.name.clear();
      compare_action(one.on_delete);
      compare_action(one.on_update);
    }
    for (Check& check : table.checks) check = {.expression = "...", .columns = check.columns};
    // Neither their order nor that of the tables means anything.
    std::ranges::sort(table.checks, {}, &Check::columns);
    std::ranges::sort(table.unique_constraints, {}, &UniqueConstraint::columns);
    std::ranges::sort(table.foreign_keys, {}, [](const ForeignKeyConstraint& key) {
      return std::tuple(key.columns, key.referenced_table, key.on_delete, key.on_update);
    });
  }
  std::ranges::sort(schema.tables, {}, &Table::name);
  return schema;
}

}  // namespace heddle::sql
