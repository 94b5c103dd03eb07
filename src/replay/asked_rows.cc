#include "replay/asked_rows.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/spec/asked_names.h"
#include "frontend/spec/text/asked_relations.h"
#include "store/quote.h"

namespace heddle {

namespace {

struct AskedColumn {
  std::string name;
  std::string type;
};

// A relation as values.
struct AskedValues {
  std::vector<AskedColumn> columns;
  std::vector<Row> rows;
};

bool is_number_type(const std::string& type) {
  constexpr std::array<std::string_view, 10> kWords = {"int",       "bigint", "smallint", "tinyint",
                                                       "mediumint", "dec",    "numeric",  "float",
                                                       "double",    "real"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return type.starts_with(word); });
}

// "-1.50", as any SQL reads it.
bool is_plain_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool has_digit = text.find_first_of("0123456789") != std::string_view::npos;
  return has_digit && text.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::ranges::count(text, '.') <= 1;
}

// MariaDB's own words for times; empty: a literal has its type.
std::string mariadb_cast(const std::string& type) {
  if (type.starts_with("datetime") || type.starts_with("timestamp")) return "DATETIME(6)";
  if (type.starts_with("date")) return "DATE";
  return type.starts_with("time") ? "TIME(6)" : "";
}

std::string value_text(const Cell& cell, const std::string& written_type, Dialect dialect) {
  if (dialect == Dialect::postgres) {
    return fmt::format("CAST({} AS {})", cell ? quote_literal(*cell) : "NULL", written_type);
  }
  if (!cell) return "NULL";
  const std::string type = to_lower(written_type);
  const bool is_array = type.ends_with("[]");
  if (is_number_type(type) && !is_array && is_plain_number(*cell)) return *cell;
  if (type.starts_with("bool") && !is_array) {
    return *cell == "t" || *cell == "true" || *cell == "1" ? "1" : "0";
  }
  if (dialect != Dialect::mysql) return quote_with(*cell, '\'');
  const std::string literal = quote_mariadb_literal(*cell);
  const std::string cast = mariadb_cast(type);
  return cast.empty() ? literal : fmt::format("CAST({} AS {})", literal, cast);
}

std::string values_text(const AskedValues& values, const Row& row, Dialect dialect) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < values.columns.size(); ++i) {
    cells.push_back(value_text(row[i], values.columns[i].type, dialect));
  }
  return join(cells, ", ");
}

// "(a, b) AS (VALUES (1, 2))", with which a query for the relation begins.
std::string definition_of(const AskedValues& values, Dialect dialect) {
  const bool is_mysql = dialect == Dialect::mysql;
  std::vector<std::string> names;
  for (const AskedColumn& column : values.columns) {
    names.push_back(quote_with(column.name, is_mysql ? '`' : '"'));
  }
  std::vector<std::string> rows;
  for (const Row& row : values.rows) {
    const std::string text = values_text(values, row, dialect);
    rows.push_back(is_mysql ? "SELECT " + text : fmt::format("({})", text));
  }
  std::string query = is_mysql ? join(rows, " UNION ALL ") : "VALUES " + join(rows, ", ");
  if (rows.empty()) {
    query = fmt::format("SELECT {}{} WHERE 1 = 0",
                        values_text(values, Row(values.columns.size()), dialect),
                        is_mysql ? " FROM DUAL" : "");
  }
  return fmt::format("({}) AS ({})", join(names, ", "), query);
}

AskedValues initial_rows(const AskedFrom& from, const CatalogueTable& table) {
  AskedValues values;
  for (const CatalogueColumn& column : table.columns) {
    values.columns.push_back({column.name, column.type});
  }
  const auto state = std::ranges::find(from.tables, table.name, &TableState::name);
  if (state != from.tables.end()) values.rows = state->rows;
  return values;
}

// A parameter's name without regard to letters, as SQL has it of a name without quotes.
std::string column_name(const Functionality& functionality, const std::string& name) {
  const auto is_alike = [&](const Variable& other) {
    return to_lower(other.name) == to_lower(name);
  };
  return std::ranges::count_if(functionality.parameters, is_alike) == 1 ? to_lower(name) : name;
}

AskedValues calls_of(const AskedFrom& from, std::size_t functionality, const Run& run) {
  constexpr std::string_view kSession = "session";
  const Functionality& called = from.scenario.program->program.functionalities[functionality];
  AskedValues values;
  for (const Variable& parameter : called.parameters) {
    values.columns.push_back({column_name(called, parameter.name), parameter.type});
  }
  const bool says_session =
      std::ranges::find(values.columns, kSession, &AskedColumn::name) == values.columns.end();
  if (says_session) values.columns.push_back({std::string(kSession), "text"});
  for (const SessionId session : made_calls(from.scenario, run)) {
    const Session& described = from.scenario.sessions[session.index()];
    if (described.call->functionality != functionality) continue;
    Row& row = values.rows.emplace_back(described.call->arguments);
    if (says_session) row.emplace_back(described.name);
  }
  return values;
}

// One word of the relation, in the text of a store: those of the first copy alone.
std::vector<std::string> table_names(const std::vector<CatalogueTable>& tables) {
  std::vector<std::string> names;
  for (const CatalogueTable& table : tables) names.push_back(table.name);
  return names;
}

// The database has a schema of that name, which is meant.
bool is_schema(const AskedFrom& from, const AskedRelation& relation) {
  const std::string prefix = relation.kind == AskedRelation::Kind::initial ? "initial." : "calls.";
  return std::ranges::any_of(
      from.catalogue, [&](const CatalogueTable& table) { return table.name.starts_with(prefix); });
}

std::vector<std::string> functionalities_of(const Scenario& scenario) {
  std::vector<std::string> names;
  if (!scenario.program) return names;
  for (const Functionality& functionality : scenario.program->program.functionalities) {
    names.push_back(functionality.name);
  }
  return names;
}

}  // namespace

std::vector<SessionId> made_calls(const Scenario& scenario, const Run& run) {
  struct Seen {
    bool has_returned = false;
    bool has_committed = false;
    bool has_rolled_back = false;
  };
  std::vector<Seen> seen(scenario.sessions.size());
  for (const StepRecord& record : run.records) {
    Seen& call = seen[scenario.steps[record.step.index()].session.index()];
    for (const std::string& text : record.sent) {
      call.has_committed = call.has_committed || text == "COMMIT";
      call.has_rolled_back = call.has_rolled_back || text == "ROLLBACK";
    }
    if (record.call_end) call.has_returned = !record.call_end->error;
  }
  std::vector<SessionId> made;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const bool is_made = scenario.sessions[i].call && seen[i].has_returned &&
                         (seen[i].has_committed || !seen[i].has_rolled_back);
    if (is_made) made.emplace_back(i);
  }
  return made;
}

Result<std::string> text_with_asked_rows(const SqlBlock& block, const AskedFrom& from,
                                         const Run& run) {
  const std::vector<std::string> tables = table_names(from.catalogue);
  const std::vector<std::string> functionalities = functionalities_of(from.scenario);
  const std::vector<AskedRelation> relations = asked_relations(block.text, from.dialect);
  for (const AskedRelation& relation : relations) {
    if (is_schema(from, relation)) return block.text;
    auto known =
        check_asked_name(block, relation, from.scenario.file,
                         relation.kind == AskedRelation::Kind::initial ? tables : functionalities);
    if (!known) return known.error();
  }
  return with_asked_relations(block.text, from.dialect, [&](const AskedRelation& relation) {
    const bool is_initial = relation.kind == AskedRelation::Kind::initial;
    const std::size_t meant =
        meant_by(relation.name, is_initial ? tables : functionalities).front();
    return definition_of(
        is_initial ? initial_rows(from, from.catalogue[meant]) : calls_of(from, meant, run),
        from.dialect);
  });
}

}  // namespace heddle
