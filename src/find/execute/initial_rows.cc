#include "find/execute/initial_rows.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

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

Result<void> fill(StoreDatabase& database, const Program& program, const SourceText& sql) {
  const bool is_mysql = database.dialect() == Dialect::mysql;
  const Dialect dialect = is_mysql ? Dialect::mysql : Dialect::postgres;
  Schema schema = program.schema;
  std::erase_if(schema.tables, program::is_redis_table);
  schema.views.clear();
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

}  // namespace

Result<std::vector<FilledRow>> read_initial_rows(const Program& program, const StoreAddresses& on,
                                                 const SourceText& sql) {
  const Result<Scenario> nothing = parse_scenario("session s\nstep s1 { SELECT 1; }\n", sql.file);
  auto server = open_stores(*nothing, on);
  if (!server) return server.error();
  auto database = (*server)->create_database("");
  if (!database) return database.error();
  if (Result<void> done = fill(**database, program, sql); !done) return done.error();
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
        if (!column.computed) row.cells[column.name] = cells[c];
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
