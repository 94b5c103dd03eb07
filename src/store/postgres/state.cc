// The way back rewrites each table that has changed, in the order in which its rows lay there, in
// one transaction for all. As a replica's (session_replication_role) its writes fire no triggers
// and check no foreign keys, which takes a superuser; for others tables come in the order of their
// foreign keys, and triggers fire.

#include "store/postgres/state.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/postgres/address.h"
#include "store/trouble.h"

namespace heddle {
namespace {

using StateReply = std::unique_ptr<PGresult, decltype(&PQclear)>;

constexpr const char* kStatePatienceS = "5";

// Tables and parts of such, with their columns; what belongs to extensions is theirs.
constexpr const char* kStateColumns = R"(
SELECT n.nspname, c.relname, quote_ident(n.nspname) || '.' || quote_ident(c.relname), a.attname,
       a.attgenerated <> '', a.attidentity <> '',
       coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), '')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE c.relkind = 'r' AND c.relpersistence <> 't'
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%'
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e WHERE e.classid = 'pg_class'::regclass
                  AND e.objid = c.oid AND e.deptype = 'e')
ORDER BY n.nspname, c.relname, a.attnum)";

// Columns that refer to one other column.
constexpr const char* kStateReferences = R"(
SELECT n.nspname, c.relname, a.attname, fn.nspname, fc.relname, fa.attname
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_class fc ON fc.oid = k.confrelid
JOIN pg_catalog.pg_namespace fn ON fn.oid = fc.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
JOIN pg_catalog.pg_attribute fa ON fa.attrelid = fc.oid AND fa.attnum = k.confkey[1]
WHERE k.contype = 'f' AND cardinality(k.conkey) = 1
ORDER BY 1, 2, 3, 4, 5, 6)";

constexpr const char* kStateSequences = R"(
SELECT format('SELECT pg_catalog.setval(%L, ', quote_ident(n.nspname) || '.' || quote_ident(c.relname)),
       quote_ident(n.nspname) || '.' || quote_ident(c.relname)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'S' AND c.relpersistence <> 't' ORDER BY 2)";

std::string shown_name(const std::string& schema, const std::string& name) {
  return schema == "public" ? name : schema + "." + name;
}

bool tells_time(std::string_view expression) {
  constexpr std::array<std::string_view, 8> kClock = {
      "now()",          "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME",
      "LOCALTIMESTAMP", "clock_timestamp()", "LOCALTIME",    "statement_timestamp()"};
  return std::ranges::any_of(
      kClock, [&](std::string_view each) { return expression.find(each) != expression.npos; });
}

bool is_of_chance(std::string_view expression) {
  constexpr std::array<std::string_view, 4> kChance = {"nextval(", "random(", "gen_random_uuid(",
                                                       "uuid_generate_"};
  return std::ranges::any_of(
      kChance, [&](std::string_view each) { return expression.find(each) != expression.npos; });
}

std::string text_of(const Row& row, std::size_t column) { return row[column].value_or(""); }

}  // namespace

Result<std::unique_ptr<PostgresState>> PostgresState::open(const std::string& address,
                                                           PostgresStateLimits limits) {
  auto parameters = parse_postgres_address(address);
  if (!parameters) return parameters.error();
  (*parameters)["connect_timeout"] = kStatePatienceS;
  (*parameters)["application_name"] = "heddle record";
  PostgresConnection connection = connect_and_wait(*parameters);
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    return store_trouble("cannot look at the rows of PostgreSQL: " +
                         in_one_line(PQerrorMessage(connection.get())));
  }
  std::unique_ptr<PostgresState> state(new PostgresState(std::move(connection), limits));
  auto set = state->run(
      "SET datestyle = ISO; SET intervalstyle = postgres; SET timezone = 'UTC'; "
      "SET extra_float_digits = 1; SET bytea_output = hex");
  if (!set) return set.error();
  if (auto tables = state->read_tables(); !tables) return tables.error();
  return state;
}

Result<ResultSet> PostgresState::run(const std::string& text, Trouble trouble) {
  const StateReply reply(PQexec(connection_.get(), text.c_str()), &PQclear);
  const ExecStatusType status = PQresultStatus(reply.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    return Diagnostic{.what = in_one_line(PQerrorMessage(connection_.get())), .trouble = trouble};
  }
  ResultSet result;
  for (int column = 0; column < PQnfields(reply.get()); ++column) {
    result.columns.emplace_back().name = PQfname(reply.get(), column);
  }
  for (int row = 0; row < PQntuples(reply.get()); ++row) {
    Row cells;
    for (int column = 0; column < PQnfields(reply.get()); ++column) {
      if (PQgetisnull(reply.get(), row, column) == 1) {
        cells.emplace_back(std::nullopt);
      } else {
        cells.emplace_back(
            std::string(PQgetvalue(reply.get(), row, column),
                        static_cast<std::size_t>(PQgetlength(reply.get(), row, column))));
      }
    }
    result.rows.push_back(std::move(cells));
  }
  return result;
}

Result<ResultSet> PostgresState::ask(const std::string& query) {
  return run(query, Trouble::bad_input);
}

Result<void> PostgresState::read_tables() {
  auto columns = run(kStateColumns);
  if (!columns) return columns.error();
  tables_.clear();
  for (const Row& row : columns->rows) {
    const std::string quoted = text_of(row, 2);
    if (tables_.empty() || tables_.back().quoted != quoted) {
      tables_.push_back({.name = shown_name(text_of(row, 0), text_of(row, 1)), .quoted = quoted});
    }
    const std::string expression = text_of(row, 6);
    Field field{.name = text_of(row, 3), .is_computed = text_of(row, 4) == "t"};
    field.is_clock = !field.is_computed && tells_time(expression);
    field.is_generated = text_of(row, 5) == "t" || field.is_clock ||
                         (!field.is_computed && is_of_chance(expression));
    field.domain = field.is_clock ? "clock" : tables_.back().name + "." + field.name;
    tables_.back().fields.push_back(std::move(field));
  }
  now_.assign(tables_.size(), {});
  return read_keys();
}

// What refers to a generated column shares its values.
Result<void> PostgresState::read_keys() {
  auto references = run(kStateReferences);
  if (!references) return references.error();
  const auto find = [&](const std::string& table, const std::string& name) -> Field* {
    for (Table& each : tables_) {
      if (each.name != table) continue;
      for (Field& field : each.fields) {
        if (field.name == name) return &field;
      }
    }
    return nullptr;
  };
  // A column that is referred to may itself refer to another: as often as there are references.
  for (std::size_t i = 0; i < references->rows.size(); ++i) {
    bool has_changed = false;
    for (const Row& row : references->rows) {
      Field* const from = find(shown_name(text_of(row, 0), text_of(row, 1)), text_of(row, 2));
      Field* const to = find(shown_name(text_of(row, 3), text_of(row, 4)), text_of(row, 5));
      if (from == nullptr || to == nullptr || !to->is_generated || from->domain == to->domain) {
        continue;
      }
      from->is_generated = true;
      from->domain = to->domain;
      has_changed = true;
    }
    if (!has_changed) break;
  }
  return {};
}

// Of each table, in the order of the tables: how many rows, and what they say together.
Result<std::vector<std::string>> PostgresState::table_hashes() {
  std::vector<std::string> hashes;
  if (tables_.empty()) return hashes;
  std::string query;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (i > 0) query += " UNION ALL ";
    query += fmt::format(
        "SELECT {}, count(*) || ' ' || coalesce(sum(pg_catalog.hashtextextended(t::text, 0)), 0) "
        "|| ' ' || coalesce(sum(pg_catalog.hashtextextended(t::text, 7)), 0) FROM ONLY {} t",
        i, tables_[i].quoted);
  }
  auto rows = run(query + " ORDER BY 1");
  if (!rows) return rows.error();
  for (const Row& row : rows->rows) hashes.push_back(text_of(row, 1));
  return hashes;
}

// As the statements that set them.
Result<std::string> PostgresState::sequence_values() {
  auto names = run(kStateSequences);
  if (!names) return names.error();
  std::string query;
  for (const Row& row : names->rows) {
    if (!query.empty()) query += " UNION ALL ";
    query += fmt::format("SELECT {} || last_value || ', ' || is_called || ');' FROM {}",
                         literal(row[0]), text_of(row, 1));
  }
  if (query.empty()) return std::string();
  auto values = run(query);
  if (!values) return values.error();
  std::vector<std::string> statements;
  for (const Row& row : values->rows) statements.push_back(text_of(row, 0));
  std::ranges::sort(statements);
  std::string text;
  for (const std::string& each : statements) text += each + "\n";
  return text;
}

Result<std::vector<Row>> PostgresState::rows_of(const Table& table) {
  std::string fields;
  for (const Field& field : table.fields) {
    if (!fields.empty()) fields += ", ";
    char* const quoted =
        PQescapeIdentifier(connection_.get(), field.name.data(), field.name.size());
    fields += quoted;
    PQfreemem(quoted);
  }
  auto result = run(fmt::format("SELECT {} FROM ONLY {} ORDER BY ctid", fields, table.quoted));
  if (!result) return result.error();
  return std::move(result->rows);
}

// Reads the tables that are not what they were when they were read last.
Result<void> PostgresState::refresh() {
  auto hashes = table_hashes();
  if (!hashes) return hashes.error();
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    all += std::strtoull((*hashes)[i].c_str(), nullptr, 10);
  }
  if (all > limits_.rows) {
    return Diagnostic{
        .what = fmt::format("the database has {} rows, more than {}", all, limits_.rows),
        .what_to_do = "replay on a system with less data",
        .trouble = Trouble::bound};
  }
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (now_[i].hash == (*hashes)[i]) continue;
    auto rows = rows_of(tables_[i]);
    if (!rows) return rows.error();
    now_[i] = {.hash = (*hashes)[i], .rows = std::move(*rows)};
  }
  return {};
}

Result<std::vector<TableState>> PostgresState::read() {
  if (auto refreshed = refresh(); !refreshed) return refreshed.error();
  std::vector<TableState> states;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    TableState state{.name = tables_[i].name, .columns = {}, .rows = now_[i].rows};
    for (const Field& field : tables_[i].fields) {
      state.columns.push_back({.name = field.name,
                               .table = tables_[i].name,
                               .source = field.name,
                               .generated = field.is_generated,
                               .domain = field.is_generated ? field.domain : ""});
    }
    std::ranges::sort(state.rows);
    states.push_back(std::move(state));
  }
  return states;
}

Result<void> PostgresState::remember() {
  if (auto tables = read_tables(); !tables) return tables;
  if (auto refreshed = refresh(); !refreshed) return refreshed;
  auto sequences = sequence_values();
  if (!sequences) return sequences.error();
  sequences_ = std::move(*sequences);
  remembered_ = now_;
  return {};
}

std::string PostgresState::literal(const Cell& cell) {
  if (!cell) return "NULL";
  char* const quoted = PQescapeLiteral(connection_.get(), cell->data(), cell->size());
  std::string text = quoted;
  PQfreemem(quoted);
  return text;
}

// The statements that make the table's rows these.
std::string PostgresState::rewrite(const Table& table, const std::vector<Row>& rows) {
  std::string text = fmt::format("DELETE FROM ONLY {};\n", table.quoted);
  std::string fields;
  for (const Field& field : table.fields) {
    if (field.is_computed) continue;
    if (!fields.empty()) fields += ", ";
    char* const quoted =
        PQescapeIdentifier(connection_.get(), field.name.data(), field.name.size());
    fields += quoted;
    PQfreemem(quoted);
  }
  if (rows.empty()) return text;
  if (fields.empty()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += fmt::format("INSERT INTO {} DEFAULT VALUES;\n", table.quoted);
    }
    return text;
  }
  text += fmt::format("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES\n", table.quoted, fields);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string values;
    for (std::size_t column = 0; column < table.fields.size(); ++column) {
      if (table.fields[column].is_computed) continue;
      if (!values.empty()) values += ", ";
      values += literal(rows[i][column]);
    }
    text += fmt::format("{}({})", i == 0 ? "" : ",\n", values);
  }
  return text + ";\n";
}

Result<bool> PostgresState::put_back() {
  auto hashes = table_hashes();
  if (!hashes) return hashes.error();
  std::string writes;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if ((*hashes)[i] != remembered_[i].hash) writes += rewrite(tables_[i], remembered_[i].rows);
  }
  const std::string begin = fmt::format("BEGIN; SET LOCAL lock_timeout = {};\n", limits_.lock_ms);
  const std::string replica = "SET LOCAL session_replication_role = replica;\n";
  const std::string all = writes + sequences_ + "COMMIT";
  auto written = run(begin + (may_replicate_ ? replica : "SET CONSTRAINTS ALL DEFERRED;\n") + all);
  if (!written && may_replicate_) {
    (void)run("ROLLBACK");
    auto allowed = run("BEGIN; " + replica + "COMMIT");
    if (!allowed) {
      (void)run("ROLLBACK");
      may_replicate_ = false;
      written = run(begin + "SET CONSTRAINTS ALL DEFERRED;\n" + all);
    }
  }
  if (!written) {
    (void)run("ROLLBACK");
    return Diagnostic{.what = "rows cannot be put back: " + written.error().what,
                      .trouble = Trouble::environment};
  }
  now_ = remembered_;
  auto after = table_hashes();
  if (!after) return after.error();
  auto sequences = sequence_values();
  if (!sequences) return sequences.error();
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if ((*after)[i] != remembered_[i].hash) return false;
  }
  return *sequences == sequences_;
}

}  // namespace heddle
