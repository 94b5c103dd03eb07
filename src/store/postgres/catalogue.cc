#include "store/postgres/catalogue.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

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
    "SELECT c.conrelid, c.oid, a.attname, c.confrelid, r.attname, c.confdeltype, c.confupdtype "
    "FROM pg_catalog.pg_constraint c "
    "CROSS JOIN LATERAL unnest(c.conkey, c.confkey) WITH ORDINALITY AS k(number, referred, place) "
    "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number "
    "JOIN pg_catalog.pg_attribute r ON r.attrelid = c.confrelid AND r.attnum = k.referred "
    "WHERE c.contype = 'f' ORDER BY c.conrelid, c.conname, c.oid, k.place";
// Those that fire in sessions of clients. Bits of tgtype: 4 INSERT, 8 DELETE, 16 UPDATE, 32
// TRUNCATE. A view's own rule, which makes it one, is none.
constexpr const char* kTriggers =
    "SELECT t.tgrelid, t.tgname, t.tgtype & 4 <> 0, t.tgtype & 16 <> 0, t.tgtype & 8 <> 0, "
    "t.tgtype & 32 <> 0, n.nspname || '.' || p.proname, t.oid, a.attname "
    "FROM pg_catalog.pg_trigger t "
    "JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid "
    "JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
    "LEFT JOIN LATERAL unnest(t.tgattr::int2[]) AS k(number) ON true "
    "LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = t.tgrelid AND a.attnum = k.number "
    "WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') "
    "UNION ALL SELECT r.ev_class, r.rulename, r.ev_type = '3', r.ev_type = '2', r.ev_type = '4', "
    "false, '', r.oid, NULL FROM pg_catalog.pg_rewrite r "
    "WHERE r.ev_type <> '1' AND r.ev_enabled IN ('O', 'A') "
    "ORDER BY 1, 2, 8, 9";
constexpr const char* kViews =
    "SELECT c.oid, pg_catalog.pg_get_viewdef(c.oid) FROM pg_catalog.pg_class c "
    "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
    "WHERE c.relkind IN ('v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')";
// Of what extensions bring along only the names are told: their bodies are none of the team's.
constexpr const char* kFunctions =
    "SELECT n.nspname || '.' || p.proname, p.provolatile, l.lanname, "
    "CASE WHEN l.lanname IN ('sql', 'plpgsql') AND p.prosqlbody IS NULL THEN p.prosrc ELSE '' END "
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

bool flag_at(const PGresult* rows, int row, int column) {
  return *PQgetvalue(rows, row, column) == 't';
}

// As pg_constraint has it.
ReferentialAction action_of(char letter) {
  switch (letter) {
    case 'r':
      return ReferentialAction::restrict;
    case 'c':
      return ReferentialAction::cascade;
    case 'n':
      return ReferentialAction::set_null;
    case 'd':
      return ReferentialAction::set_default;
    default:
      return ReferentialAction::no_action;
  }
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
    add_keys(keys->get(), catalogue);
    if (auto added = add_foreign_keys(catalogue); !added) return added.error();
    if (auto added = add_triggers(catalogue); !added) return added.error();
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
      TraceTable* const view = table_at(views->get(), row, catalogue);
      if (view != nullptr) view->view = text_at(views->get(), row, 1);
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

  static void add_keys(const PGresult* keys, TraceCatalogue& catalogue) {
    std::uint32_t index = 0;
    for (int row = 0; row < PQntuples(keys); ++row) {
      TraceTable* const table = table_at(keys, row, catalogue);
      if (table == nullptr) continue;
      const std::uint32_t next = number_at(keys, row, 1);
      if (std::exchange(index, next) != next) table->keys.emplace_back();
      table->keys.back().push_back(text_at(keys, row, 2));
    }
  }

  Result<void> add_foreign_keys(TraceCatalogue& catalogue) {
    auto reply = ask(kForeignKeys);
    if (!reply) return reply.error();
    const PGresult* const rows = reply->get();
    std::uint32_t constraint = 0;
    for (int row = 0; row < PQntuples(rows); ++row) {
      TraceTable* const table = table_at(rows, row, catalogue);
      if (table == nullptr) continue;
      const std::uint32_t next = number_at(rows, row, 1);
      if (std::exchange(constraint, next) != next) {
        table->foreign_keys.push_back({.referenced_table = number_at(rows, row, 3),
                                       .on_delete = action_of(*PQgetvalue(rows, row, 5)),
                                       .on_update = action_of(*PQgetvalue(rows, row, 6))});
      }
      table->foreign_keys.back().columns.push_back(text_at(rows, row, 2));
      table->foreign_keys.back().referenced_columns.push_back(text_at(rows, row, 4));
    }
    return {};
  }

  Result<void> add_triggers(TraceCatalogue& catalogue) {
    auto reply = ask(kTriggers);
    if (!reply) return reply.error();
    const PGresult* const rows = reply->get();
    std::uint32_t trigger = 0;
    for (int row = 0; row < PQntuples(rows); ++row) {
      TraceTable* const table = table_at(rows, row, catalogue);
      if (table == nullptr) continue;
      const std::uint32_t next = number_at(rows, row, 7);
      if (std::exchange(trigger, next) != next) {
        table->triggers.push_back({.name = text_at(rows, row, 1),
                                   .on_insert = flag_at(rows, row, 2),
                                   .on_update = flag_at(rows, row, 3),
                                   .on_delete = flag_at(rows, row, 4),
                                   .on_truncate = flag_at(rows, row, 5),
                                   .function = text_at(rows, row, 6)});
      }
      if (PQgetisnull(rows, row, 8) == 0) {
        table->triggers.back().columns.push_back(text_at(rows, row, 8));
      }
    }
    return {};
  }

  // The table whose number stands in front.
  static TraceTable* table_at(const PGresult* rows, int row, TraceCatalogue& catalogue) {
    const auto table =
        std::ranges::find(catalogue.tables, number_at(rows, row, 0), &TraceTable::number);
    return table == catalogue.tables.end() ? nullptr : &*table;
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
