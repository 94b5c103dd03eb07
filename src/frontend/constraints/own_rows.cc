#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "heddle/constraints.h"
#include "heddle/program.h"
#include "program/text.h"

namespace heddle {

namespace {

const Table* table_of(const TableUse& use, const Schema& schema) {
  return find_table(schema, use.table, schema.dialect, use.schema);
}

// Those of the schema, in its order.
std::vector<const Table*> tables_filled_by(const Program& program) {
  std::set<const Table*> filled;
  for (const Functionality& functionality : program.functionalities) {
    for (const ListedStatement& listed : list_statements(functionality)) {
      const Statement& statement = listed.statement->statement;
      if (statement.kind != StatementKind::insert) continue;
      for (const TableUse& use : statement.tables) {
        if (use.written) filled.insert(table_of(use, program.schema));
      }
    }
  }
  std::vector<const Table*> tables;
  for (const Table& table : program.schema.tables) {
    if (filled.contains(&table)) tables.push_back(&table);
  }
  return tables;
}

}  // namespace

void begin_with_own_rows(const Program& program, Constraints& constraints) {
  std::set<const Table*> known;
  for (const InitialFact& fact : constraints.facts) {
    for (const TableUse& use : fact.query.tables) {
      known.insert(table_of(use, program.schema));
    }
  }
  for (const Table* const table : tables_filled_by(program)) {
    if (known.contains(table)) continue;
    const std::string schema = table->schema.empty() ? "" : program::name_text(table->schema) + ".";
    const std::string query =
        fmt::format("SELECT false FROM {}{}", schema, program::name_text(table->name));
    Result<std::vector<Statement>> read = parse_statements(query, Dialect::postgres);
    if (!read || read->size() != 1) continue;
    constraints.facts.push_back(
        {.name = "no rows of " + table->name, .query = std::move(read->front()), .position = {}});
    constraints.own_rows.push_back(table->name);
  }
}

}  // namespace heddle
