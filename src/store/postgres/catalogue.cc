#include "store/postgres/catalogue.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <libpq-fe.h>

#include "store/postgres/address.h"
#include "store/postgres/session.h"
#include "store/trouble.h"

namespace heddle {
namespace {

using QueryReply = std::unique_ptr<PGresult, decltype(&PQclear)>;

constexpr const char* kCataloguePatienceS = "5";
constexpr const char* kTableColumns =
    "SELECT c.oid, n.nspname || '.' || c.relname, a.attnum, a.attname "
    "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid "
    "WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f') "
    "AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%' "
    "ORDER BY n.nspname, c.relname, a.attnum";
// A partial index makes nothing unique, and an expression is no column.
constexpr const char* kUniqueKeys =
    "SELECT i.indrelid, i.indexrelid, a.attname "
    "FROM pg_catalog.pg_index i "
    "CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place) "
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number "
    "WHERE i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL AND k.place <= i.indnkeyatts "
    "ORDER BY i.indrelid, NOT i.indisprimary, i.indexrelid, k.place";

constexpr const char* kForeignKeys =
    "SELECT c.conrelid, c.oid, a.attname FROM pg_catalog.pg_constraint c "
    "CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k(number, place) "
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number "
    "WHERE c.contype = 'f' ORDER BY c.conrelid, c.conname, c.oid, k.place";
constexpr const char* kViews =
    "SELECT c.oid, pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class c "
    "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')";
// Of what extensions bring along only the names are told: their bodies are none of the team's.
constexpr const char* kFunctions =
    "SELECT n.nspname || '.' || p.proname, p.provolatile, l.lanname, "
    "CASE WHEN l.lanname = 'sql' AND p.prosqlbody IS NULL THEN p.prosrc ELSE '' END "
    "FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
    "JOIN pg_catalog.pg_language l ON l.oid = p.prolang "
    "WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND p.prokind IN ('f', 'p') "
    "ORDER BY 1, p.oid";

std::string text_at(const PGresult* rows, int row, int column) {
  return PQgetvalue(rows, row, column);
}

std::uint32_t number_at(const PGresult* rows, int row, int column) {
  return static_cast<std::uint32_t>(std::strtoul(PQgetvalue(rows, row, column), nullptr, 10));
}

class CatalogueReader {
 public:
  explicit CatalogueReader(PostgresConnection connection) : connection_(std::move(connection)) {}

  Result<TraceCatalogue> read() {
    TraceCatalogue catalogue;
    auto level = ask("SHOW default_transaction_isolation");
    if (!level) return level.error();
    catalogue.level = text_at(level->get(), 0, 0);
    std::ranges::replace(catalogue.level, ' ', '-');
    auto columns = ask(kTableColumns);
    if (!columns) return columns.error();
    for (int row = 0; row < PQntuples(columns->get()); ++row) {
      const std::uint32_t number = number_at(columns->get(), row, 0);
      if (catalogue.tables.empty() || catalogue.tables.back().number != number) {
        catalogue.tables.push_back({.number = number, .name = text_at(columns->get(), row, 1)});
      }
      catalogue.tables.back().columns[number_at(columns->get(), row, 2)] =
          text_at(columns->get(), row, 3);
    }
    auto keys = ask(kUniqueKeys);
    if (!keys) return keys.error();
    add_keys(keys->get(), &TraceTable::keys, catalogue);
    auto references = ask(kForeignKeys);
    if (!references) return references.error();
    add_keys(references->get(), &TraceTable::references, catalogue);
    if (auto added = add_views(catalogue); !added) return added.error();
    if (auto added = add_functions(catalogue); !added) return added.error();
    return catalogue;
  }

 private:
  Result<QueryReply> ask(const char* text) {
    QueryReply reply(PQexec(connection_.get(), text), &PQclear);
    if (PQresultStatus(reply.get()) == PGRES_TUPLES_OK) return reply;
    return store_trouble("cannot read the catalogue of PostgreSQL: " +
                         in_one_line(PQerrorMessage(connection_.get())));
  }

  Result<void> add_views(TraceCatalogue& catalogue) {
    auto views = ask(kViews);
    if (!views) return views.error();
    for (int row = 0; row < PQntuples(views->get()); ++row) {
      const auto view =
          std::ranges::find(catalogue.tables, number_at(views->get(), row, 0), &TraceTable::number);
      if (view != catalogue.tables.end()) view->view = text_at(views->get(), row, 1);
    }
    return {};
  }

  Result<void> add_functions(TraceCatalogue& catalogue) {
    auto functions = ask(kFunctions);
    if (!functions) return functions.error();
    const PGresult* const rows = functions->get();
    for (int row = 0; row < PQntuples(rows); ++row) {
      catalogue.functions.push_back({.name = text_at(rows, row, 0),
                                     .volatility = *PQgetvalue(rows, row, 1),
                                     .language = text_at(rows, row, 2),
                                     .body = text_at(rows, row, 3)});
    }
    return {};
  }

  static void add_keys(const PGresult* keys,
                       std::vector<std::vector<std::string>> TraceTable::* list,
                       TraceCatalogue& catalogue) {
    std::uint32_t index = 0;
    for (int row = 0; row < PQntuples(keys); ++row) {
      const auto table =
          std::ranges::find(catalogue.tables, number_at(keys, row, 0), &TraceTable::number);
      if (table == catalogue.tables.end()) continue;
      const std::uint32_t next = number_at(keys, row, 1);
      if (std::exchange(index, next) != next) ((*table).*list).emplace_back();
      ((*table).*list).back().push_back(text_at(keys, row, 2));
    }
  }

  PostgresConnection connection_;
};

}  // namespace

Result<TraceCatalogue> read_postgres_catalogue(const std::string& address) {
  auto parameters = parse_postgres_address(address);
  if (!parameters) return parameters.error();
  (*parameters)["connect_timeout"] = kCataloguePatienceS;
  (*parameters)["application_name"] = "heddle record";
  PostgresConnection connection = connect_and_wait(*parameters);
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    return store_trouble("cannot connect to PostgreSQL: " +
                         in_one_line(PQerrorMessage(connection.get())));
  }
  return CatalogueReader(std::move(connection)).read();
}

}  // namespace heddle
