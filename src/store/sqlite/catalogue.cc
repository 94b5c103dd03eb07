#include "store/sqlite/catalogue.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/quote.h"

namespace heddle {

namespace {

// Tables with their columns. Names are folded, as those in statements are.
constexpr std::string_view kSqliteColumnsQuery = R"sql(
SELECT lower(t.name), t.name, t.type, t.wr, lower(c.name), lower(c.type), c.dflt_value, c.hidden, c.pk
FROM pragma_table_list t JOIN pragma_table_xinfo(t.name, 'main') c
WHERE t.schema = 'main' AND t.type IN ('table', 'virtual') AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~'
  AND c.hidden <> 1
ORDER BY 1, c.cid)sql";

// Columns of the unique keys that are not the primary one, those without NULLs.
constexpr std::string_view kUniqueQuery = R"sql(
SELECT lower(t.name), i.name, lower(c.name)
FROM pragma_table_list t JOIN pragma_index_list(t.name, 'main') i
JOIN pragma_index_info(i.name, 'main') c
WHERE t.schema = 'main' AND i."unique" AND NOT i.partial AND i.origin <> 'pk'
  AND NOT EXISTS (SELECT * FROM pragma_index_info(i.name, 'main') other
                  LEFT JOIN pragma_table_xinfo(t.name, 'main') described
                         ON described.cid = other.cid
                  WHERE other.cid < 0 OR NOT described."notnull")
ORDER BY 1, 2, c.seqno)sql";

// An empty referenced column: the primary key.
constexpr std::string_view kSqliteForeignKeysQuery = R"sql(
SELECT lower(t.name), k.id, lower(k."table"), lower(k."from"), lower(k."to")
FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name, 'main') k
WHERE t.schema = 'main'
ORDER BY 1, 2, k.seq)sql";

constexpr std::string_view kSqliteSequencesQuery =
    "SELECT count(*) FROM main.sqlite_schema WHERE name = 'sqlite_sequence'";

// A name of the row's number that no column takes; empty: there is none.
std::string rowid_name(const CatalogueTable& table) {
  for (const char* name : {"rowid", "_rowid_", "oid"}) {
    if (std::ranges::find(table.columns, name, &CatalogueColumn::name) == table.columns.end()) {
      return name;
    }
  }
  return "";
}

// The clock is not always called by a name that the other stores have, too.
std::string to_default(const Cell& text) {
  if (!text) return "";
  const std::string lower = to_lower(*text);
  const bool is_clock = lower.find("'now'") != std::string::npos || lower == "unixepoch()";
  return is_clock ? "CURRENT_TIMESTAMP" : *text;
}

std::string quoted_columns(const CatalogueTable& table) {
  std::vector<std::string> names;
  for (const CatalogueColumn& column : table.columns) {
    names.push_back(quote_identifier(column.name));
  }
  return join(names, ", ");
}

CatalogueTable* find_table(SqliteCatalogue& catalogue, const Cell& name) {
  const auto found = std::ranges::find(catalogue.tables, name.value_or(""), &CatalogueTable::name);
  return found == catalogue.tables.end() ? nullptr : &*found;
}

void add_columns(SqliteCatalogue& catalogue, const std::vector<Row>& rows) {
  std::map<std::string, std::map<int, std::string>> keys;
  for (const Row& row : rows) {
    const bool is_plain = row[2] == "table";
    const bool has_rowid = is_plain && row[3] == "0";
    if (catalogue.tables.empty() || catalogue.tables.back().name != *row[0]) {
      CatalogueTable table;
      table.name = *row[0];
      table.quoted = quote_identifier(*row[1]);
      table.rows = table.quoted;
      catalogue.tables.push_back(std::move(table));
      catalogue.copies.push_back({"", !has_rowid});
      // What stands behind a virtual table is not rows.
      catalogue.can_restore = catalogue.can_restore && is_plain;
    }
    CatalogueColumn column;
    column.name = *row[4];
    column.type = row[5].value_or("");
    column.default_expression = to_default(row[6]);
    column.computed = row[7] != "0";
    catalogue.tables.back().columns.push_back(std::move(column));
    if (row[8] != "0") keys[*row[0]][std::stoi(*row[8])] = *row[4];
  }
  for (std::size_t i = 0; i < catalogue.tables.size(); ++i) {
    CatalogueTable& table = catalogue.tables[i];
    for (const auto& [position, name] : keys[table.name]) table.key.push_back(name);
    if (table.key.size() != 1 || catalogue.copies[i].shows_rowid) continue;
    // INTEGER PRIMARY KEY is the number of the row, which SQLite gives where the statement does
    // not.
    const auto key = std::ranges::find(table.columns, table.key[0], &CatalogueColumn::name);
    key->identity = key->type == "integer";
    catalogue.copies[i].shows_rowid = key->identity;
  }
}

void add_unique_keys(SqliteCatalogue& catalogue, const std::vector<Row>& rows) {
  std::map<std::string, std::string> index_taken;
  for (const Row& row : rows) {
    CatalogueTable* const table = find_table(catalogue, row[0]);
    if (table == nullptr) continue;
    const bool is_known = index_taken.contains(table->name);
    if (!is_known && !table->key.empty()) continue;
    if (index_taken.emplace(table->name, *row[1]).first->second != *row[1]) continue;
    table->key.push_back(*row[2]);
  }
}

void add_foreign_keys(SqliteCatalogue& catalogue, const std::vector<Row>& rows) {
  std::string previous;
  for (const Row& row : rows) {
    CatalogueTable* const table = find_table(catalogue, row[0]);
    if (table == nullptr) continue;
    const std::string constraint = fmt::format("{} {}", *row[1], *row[0]);
    if (std::exchange(previous, constraint) != constraint) {
      table->foreign_keys.push_back({{}, *row[2], {}});
    }
    ForeignKey& key = table->foreign_keys.back();
    const CatalogueTable* const parent = find_table(catalogue, row[2]);
    const std::size_t position = key.columns.size();
    key.columns.push_back(*row[3]);
    if (row[4]) {
      key.referenced.push_back(*row[4]);
    } else if (parent != nullptr && position < parent->key.size()) {
      key.referenced.push_back(parent->key[position]);
    }
  }
}

}  // namespace

std::string sqlite_catalogue_text() {
  return fmt::format("{};{};{};{}", kSqliteColumnsQuery, kUniqueQuery, kSqliteForeignKeysQuery,
                     kSqliteSequencesQuery);
}

SqliteCatalogue to_sqlite_catalogue(const std::vector<std::vector<Row>>& results) {
  SqliteCatalogue catalogue;
  add_columns(catalogue, results.at(0));
  add_unique_keys(catalogue, results.at(1));
  add_foreign_keys(catalogue, results.at(2));
  catalogue.has_sequences = results.at(3).at(0).at(0) != "0";
  for (std::size_t i = 0; i < catalogue.tables.size(); ++i) {
    std::vector<std::string> columns;
    if (!catalogue.copies[i].shows_rowid) {
      columns.push_back(rowid_name(catalogue.tables[i]));
      catalogue.can_restore = catalogue.can_restore && !columns.front().empty();
    }
    for (const CatalogueColumn& column : catalogue.tables[i].columns) {
      if (!column.computed) columns.push_back(quote_identifier(column.name));
    }
    catalogue.copies[i].columns = join(columns, ", ");
  }
  return catalogue;
}

// The row as SQL's literals; SQLite does not show who wrote it.
std::string sqlite_watching_text(const CatalogueTable& table) {
  std::vector<std::string> literals;
  std::vector<std::string> cells;
  for (const CatalogueColumn& column : table.columns) {
    const std::string name = quote_identifier(column.name);
    literals.push_back(fmt::format("quote({})", name));
    cells.push_back(
        fmt::format("CASE typeof({0}) WHEN 'blob' THEN quote({0}) ELSE ifnull({0}, '') END", name));
  }
  std::string key;
  for (const std::string& column : table.key) key += ", " + quote_identifier(column);
  return fmt::format("SELECT NULL, {}, '(' || {} || ')'{} FROM main.{}",
                     join(literals, " || ', ' || "), join(cells, " || ',' || "), key, table.quoted);
}

// The columns are those of the table, so that values are compared as there; the bound keeps SQLite
// from taking the list apart.
std::string sqlite_matching_text(const CatalogueTable& table, const std::string& alias,
                                 const std::string& predicate,
                                 const std::vector<WatchedVersion>& versions) {
  std::vector<std::string> rows;
  for (const WatchedVersion& version : versions) {
    rows.push_back(fmt::format("({}, {})", version.number, version.text));
  }
  return fmt::format(
      "SELECT heddle_version FROM (SELECT 0 AS heddle_version, {} FROM main.{} WHERE 0 "
      "UNION ALL SELECT * FROM (VALUES {}) LIMIT -1) AS {} WHERE {}",
      quoted_columns(table), table.quoted, join(rows, ", "), quote_identifier(alias), predicate);
}

bool is_sqlite_true(const Cell& cell) { return cell && std::strtod(cell->c_str(), nullptr) != 0; }

}  // namespace heddle
