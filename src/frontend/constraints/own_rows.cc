#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "heddle/constraints.h"
#include "heddle/program.h"
#include "program/text.h"

namespace heddle {

namespace {

// By schema and name, as the program's statements name it.
using TableName = std::pair<std::string, std::string>;

std::set<TableName> tables_filled_by(const Program& program) {
  std::set<TableName> tables;
  for (const Functionality& functionality : program.functionalities) {
    for (const ListedStatement& listed : list_statements(functionality)) {
      const Statement& statement = listed.statement->statement;
      if (statement.kind != StatementKind::insert) continue;
      for (const TableUse& use : statement.tables) {
        if (use.written) tables.emplace(use.schema, use.table);
      }
    }
  }
  return tables;
}

bool speaks_of(const InitialFact& fact, const std::string& table) {
  return std::ranges::any_of(fact.query.tables,
                             [&](const TableUse& use) { return use.table == table; });
}

}  // namespace

void begin_with_own_rows(const Program& program, Constraints& constraints) {
  const std::vector<InitialFact> given = constraints.facts;
  for (const auto& [schema, table] : tables_filled_by(program)) {
    const bool is_known =
        std::ranges::any_of(given, [&](const InitialFact& fact) { return speaks_of(fact, table); });
    const bool is_of_program = std::ranges::find(program.schema.tables, table, &Table::name) !=
                               program.schema.tables.end();
    if (is_known || !is_of_program) continue;
    const std::string name =
        (schema.empty() ? "" : program::name_text(schema) + ".") + program::name_text(table);
    const std::string query = fmt::format("SELECT false FROM {}", name);
    Result<std::vector<Statement>> read = parse_statements(query, Dialect::postgres);
    if (!read || read->size() != 1) continue;
    constraints.facts.push_back(
        {.name = "no rows of " + table, .query = std::move(read->front()), .position = {}});
    constraints.own_rows.push_back(table);
  }
}

}  // namespace heddle
