#include "find/execute/initial_rows.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "heddle/scenario.h"
#include "program/redis_commands.h"
#include "store/open/open.h"
#include "store/store.h"

namespace heddle::find {

namespace {

constexpr std::uint32_t kTimeoutMs = 30'000;
// Each statement of a run may mean any of them.
constexpr std::size_t kMostRows = 1'000;

Diagnostic bad_rows(const SourceText& sql, std::string what, std::string what_to_do) {
  return {.what = std::move(what),
          .what_to_do = std::move(what_to_do),
          .file = sql.file,
          .position = {},
          .trouble = Trouble::bad_input};
}

// None: it did not refuse any.
std::optional<std::string> refusal_in(const std::vector<Reply>& replies) {
  for (const Reply& reply : replies) {
    if (reply.error) return reply.error->message.empty() ? reply.error->text : reply.error->message;
  }
  return std::nullopt;
}

// Tables before those that refer to them.
std::vector<const Table*> parents_first(const Schema& schema) {
  std::vector<const Table*> sorted;
  std::set<const Table*> begun;
  const auto add = [&](const auto& self, const Table& table) -> void {
    if (!begun.insert(&table).second) return;
    for (const ForeignKeyConstraint& foreign : table.foreign_keys) {
      const Table* parent =
          find_table(schema, foreign.referenced_table, schema.dialect, foreign.referenced_schema);
      if (parent != nullptr) self(self, *parent);
    }
    sorted.push_back(&table);
  };
  for (const Table& table : schema.tables) add(add, table);
  return sorted;
}

bool is_boolean(const TableColumn& column) { return column.type.type == ValueType::boolean; }

// "true" or "false", as PostgreSQL reads truth values; none: it is no such text.
std::optional<std::string> truth_of(std::string_view text) {
  const std::string word = to_lower(trim(text));
  // What begins one of these words means it.
  const auto begins = [&](std::string_view whole, std::size_t least) {
    return word.size() >= least && whole.starts_with(word);
  };
  if (begins("true", 1) || begins("yes", 1) || begins("on", 2) || word == "1") return "true";
  if (begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0") return "false";
  return std::nullopt;
}

// In place of truth values the texts that mean them. What checks ask of truth values they cannot
// ask of these; each run asks it.
Schema with_truth_as_text(Schema schema) {
  for (Table& table : schema.tables) {
    table.checks.clear();
    for (TableColumn& column : table.columns) {
      if (!is_boolean(column)) continue;
      column.type = {.type = ValueType::varying, .arguments = {20}, .text = "varchar(20)"};
    }
  }
  return schema;
}

bool has_truth(const Schema& schema) {
  return std::ranges::any_of(schema.tables, [](const Table& table) {
    return std::ranges::any_of(table.columns, is_boolean);
  });
}

// Error: the store refuses the tables or the rows, or cannot be reached.
Result<void> fill(StoreDatabase& database, const Schema& schema, const SourceText& sql) {
  const bool is_mysql = database.dialect() == Dialect::mysql;
  const Dialect dialect = is_mysql ? Dialect::mysql : Dialect::postgres;
  auto tables = database.execute(print_schema(schema, dialect).text, kTimeoutMs);
  if (!tables) return tables.error();
  if (const auto refused = refusal_in(*tables)) {
    return bad_rows(sql, "the store refuses the tables of the program: " + *refused,
                    "leave --rows out, or execute on another store");
  }
  auto filled = database.execute(sql.text, kTimeoutMs);
  if (!filled) return filled.error();
  const auto refused = refusal_in(*filled);
  if (!refused) return {};
  return bad_rows(sql, "the store refuses the rows: " + *refused,
                  "write statements that fill the program's tables");
}

// With the rows in it. MariaDB takes no text for a truth value, which 't' and 'yes' are in
// PostgreSQL's SQL: where it refuses the rows of such a program they are read as texts.
Result<std::unique_ptr<StoreDatabase>> filled_database(StoreServer& server, const Program& program,
                                                       const SourceText& sql) {
  Schema schema = program.schema;
  std::erase_if(schema.tables, program::is_redis_table);
  schema.views.clear();
  auto database = server.create_database("");
  if (!database) return database;
  const Result<void> done = fill(**database, schema, sql);
  if (done) return database;
  const bool takes_no_text =
      (*database)->dialect() == Dialect::mysql && schema.dialect != Dialect::mysql;
  if (done.error().trouble != Trouble::bad_input || !takes_no_text || !has_truth(schema)) {
    return done.error();
  }
  database->reset();
  database = server.create_database("");
  if (!database) return database;
  if (!fill(**database, with_truth_as_text(schema), sql)) return done.error();
  return database;
}

// As the program's SQL writes it, however the store shows it. Error: it is no truth value.
Result<Cell> value_of(const Cell& cell, const Table& table, const std::string& column,
                      Dialect dialect, const SourceText& sql) {
  const TableColumn* const known = find_column(table, column, dialect);
  const bool is_truth = known != nullptr && is_boolean(*known) && dialect != Dialect::mysql;
  if (!cell || !is_truth) return cell;
  if (Cell truth = truth_of(*cell)) return truth;
  return bad_rows(sql, fmt::format("'{}' is no truth value for {}", *cell, column),
                  "write true, false or NULL");
}

}  // namespace

Result<std::vector<FilledRow>> read_initial_rows(const Program& program, const StoreAddresses& on,
                                                 const SourceText& sql) {
  const Result<Scenario> nothing = parse_scenario("session s\nstep s1 { SELECT 1; }\n", sql.file);
  auto server = open_stores(*nothing, on);
  if (!server) return server.error();
  auto database = filled_database(**server, program, sql);
  if (!database) return database.error();
  auto catalogue = (*database)->read_catalogue();
  if (!catalogue) return catalogue.error();
  std::vector<const CatalogueTable*> known;
  std::vector<const Table*> tables;
  for (const Table* table : parents_first(program.schema)) {
    const auto found = std::ranges::find_if(*catalogue, [&](const CatalogueTable& candidate) {
      return find_table(program.schema, candidate.name, program.schema.dialect) == table;
    });
    if (found == catalogue->end()) continue;
    known.push_back(&*found);
    tables.push_back(table);
  }
  auto contents = (*database)->read_rows(known, kTimeoutMs);
  if (!contents) return contents.error();
  std::vector<FilledRow> rows;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (const Row& cells : (*contents)[i]) {
      FilledRow& row = rows.emplace_back();
      row.table = tables[i];
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const CatalogueColumn& column = known[i]->columns[c];
        if (column.computed) continue;
        Result<Cell> value =
            value_of(cells[c], *tables[i], column.name, program.schema.dialect, sql);
        if (!value) return value.error();
        row.cells[column.name] = *std::move(value);
      }
    }
  }
  if (rows.size() > kMostRows) {
    return bad_rows(sql,
                    fmt::format("these are {} rows, and {} are the most", rows.size(), kMostRows),
                    "give fewer rows: a handful of each table is enough");
  }
  return rows;
}

}  // namespace heddle::find
