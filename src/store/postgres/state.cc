// Which tables changed is asked first, of the server, with one hash per table: of a large database
// with few changes little is read. Measured by bench/state. The remembered rows stay in memory and
// the differing ones are written back one by one; copies inside of the database would have to be
// compared with tables that are as large. Small tables are emptied and filled anew.
#include "store/postgres/state.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "store/postgres/address.h"
#include "store/postgres/filled_columns.h"
#include "store/postgres/row_changes.h"
#include "store/quote.h"
#include "store/trouble.h"

namespace heddle {

namespace {

constexpr const char* kConnectPatienceS = "5";
constexpr std::string_view kLockNotAvailable = "55P03";
constexpr std::size_t kMostRounds = 3;
constexpr std::size_t kMostBytesOfText = 4U << 20U;
// Of tables that are emptied and filled anew, and how long somebody may be in the way of that.
constexpr std::size_t kMostRowsFilledAnew = 2'000;
constexpr int kPatienceToEmptyMs = 50;

// Texts of values must not depend on what a database's owner has set. Row security would hide rows
// and say nothing. Compiling the one query that looks at all tables takes longer than running it;
// servers before versions 14 and 11 lack the last two settings.
constexpr std::string_view kStateSettings = R"sql(
SET row_security = off; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres';
SET TimeZone = 'UTC'; SET extra_float_digits = 1; SET bytea_output = 'hex';
SET xmloption = 'content'; SET statement_timeout = 0; SET synchronous_commit = off;
SET idle_in_transaction_session_timeout = 0; SET default_transaction_read_only = off;
SET default_transaction_isolation = 'read committed';
SELECT pg_catalog.set_config(name, '0', false)
FROM pg_catalog.pg_settings WHERE name IN ('idle_session_timeout', 'jit'))sql";

// Changes when a table, a column or a sequence comes, goes or becomes another.
constexpr std::string_view kShapeText = R"sql(
PREPARE heddle_shape AS
SELECT pg_catalog.count(*),
       pg_catalog.sum(pg_catalog.hashtextextended(
         pg_catalog.concat_ws(',', c.oid, c.relname, c.relkind, a.attnum, a.attname, a.atttypid,
                              a.atttypmod, a.attgenerated, a.attidentity), 0))
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute a
       ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'S') AND c.relpersistence <> 't'
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')sql";

constexpr std::string_view kSequenceNames = R"sql(
SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'S' AND c.relpersistence <> 't'
  AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY n.nspname, c.relname)sql";

// A transaction that only looks, and sees all tables at one moment.
constexpr std::string_view kBeginLook = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

// Who has locks on tables and may be in the way.
constexpr std::string_view kLockHolders = R"sql(
SELECT a.pid, a.application_name, a.state, pg_catalog.left(a.query, 80),
       pg_catalog.string_agg(DISTINCT l.relation::pg_catalog.regclass::text, ', ')
FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.granted AND l.relation >= 16384 AND l.pid <> pg_catalog.pg_backend_pid()
  AND l.mode IN ('RowShareLock', 'RowExclusiveLock', 'ShareUpdateExclusiveLock', 'ShareLock',
                 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  AND l.database = (SELECT oid FROM pg_catalog.pg_database
                    WHERE datname = pg_catalog.current_database())
GROUP BY a.pid, a.application_name, a.state, a.query ORDER BY a.pid)sql";

const StepError* first_error_of(const std::vector<Reply>& replies) {
  for (const Reply& reply : replies) {
    if (reply.error) return &*reply.error;
  }
  return nullptr;
}

Diagnostic state_trouble(std::string_view doing, const StepError& error) {
  const std::string reason = in_one_line(error.message.empty() ? error.text : error.message);
  return store_trouble(fmt::format("cannot {}: {}", doing, reason), advice_for(reason));
}

std::string fingerprint_text(const std::vector<CatalogueTable>& tables) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    parts.push_back(
        fmt::format("SELECT {}, pg_catalog.count(*), "
                    "coalesce(pg_catalog.sum(pg_catalog.hashtextextended(r, 0)), 0), "
                    "coalesce(pg_catalog.sum(pg_catalog.octet_length(r)), 0) "
                    "FROM (SELECT heddle_row::pg_catalog.text AS r FROM {} heddle_row OFFSET 0) s",
                    i, tables[i].rows));
  }
  if (parts.empty()) parts.emplace_back("SELECT 0, 0, 0, 0 WHERE false");
  return "PREPARE heddle_tables AS " + join(parts, " UNION ALL ");
}

std::string sequences_text(const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    parts.push_back(fmt::format("SELECT {}, last_value, is_called FROM {}", i, names[i]));
  }
  if (parts.empty()) parts.emplace_back("SELECT 0, 0, false WHERE false");
  return "PREPARE heddle_sequences AS " + join(parts, " UNION ALL ");
}

// Tables before those that refer to them; in a circle, by their names.
std::vector<std::size_t> referenced_first(const std::vector<CatalogueTable>& tables,
                                          std::vector<std::size_t> chosen) {
  std::vector<std::size_t> ordered;
  const auto waits_for_another = [&](std::size_t table) {
    return std::ranges::any_of(tables[table].foreign_keys, [&](const ForeignKey& key) {
      return std::ranges::any_of(chosen, [&](std::size_t other) {
        return other != table && tables[other].name == key.table;
      });
    });
  };
  while (!chosen.empty()) {
    auto next = std::ranges::find_if_not(chosen, waits_for_another);
    if (next == chosen.end()) next = chosen.begin();
    ordered.push_back(*next);
    chosen.erase(next);
  }
  return ordered;
}

std::vector<PlacedRow> to_placed_rows(std::vector<Row>& rows) {
  std::vector<PlacedRow> placed;
  for (Row& row : rows) {
    PlacedRow& one = placed.emplace_back();
    one.part = row.at(0).value_or("");
    one.place = row.at(1).value_or("");
    one.row.assign(std::make_move_iterator(row.begin() + 2), std::make_move_iterator(row.end()));
  }
  return placed;
}

}  // namespace

// A look at all tables without reading their rows.
struct PostgresState::Look {
  std::string shape;
  std::vector<TableFingerprint> tables;
  std::vector<PostgresSequence> sequences;
};

PostgresState::PostgresState(std::unique_ptr<PostgresDatabase> database,
                             const PostgresStateBounds& bounds)
    : database_(std::move(database)), bounds_(bounds) {}

PostgresState::PostgresState(PostgresState&&) noexcept = default;
PostgresState& PostgresState::operator=(PostgresState&&) noexcept = default;
PostgresState::~PostgresState() = default;

Result<PostgresState> PostgresState::open(const std::string& address,
                                          const PostgresStateBounds& bounds) {
  auto parameters = parse_postgres_address(address);
  if (!parameters) return parameters.error();
  (*parameters)["connect_timeout"] = kConnectPatienceS;
  (*parameters)["application_name"] = "heddle race";
  (*parameters)["client_encoding"] = "UTF8";
  auto database = PostgresDatabase::connect(*parameters);
  if (!database) return database.error();
  PostgresState state(std::move(*database), bounds);
  const auto settled = state.run(fmt::format("SET lock_timeout = {};{};{}", bounds.lock_timeout_ms,
                                             kStateSettings, kShapeText));
  if (!settled) return settled.error();
  if (auto learned = state.learn_tables(); !learned) return learned.error();
  return state;
}

// The replies of a text whose statements are all heddle's own.
Result<std::vector<Reply>> PostgresState::run(const std::string& text) {
  auto replies = database_->execute(text, bounds_.timeout_ms);
  if (!replies) return replies.error();
  const StepError* const error = first_error_of(*replies);
  if (error == nullptr) return replies;
  const Diagnostic trouble = state_trouble("look at the tables of PostgreSQL", *error);
  (void)database_->execute("ROLLBACK", bounds_.timeout_ms);
  return trouble;
}

Result<ResultSet> PostgresState::ask(const std::string& query) {
  auto replies =
      database_->execute("BEGIN READ ONLY;\n" + query + "\n;ROLLBACK", bounds_.timeout_ms);
  if (!replies) return replies.error();
  if (const StepError* const error = first_error_of(*replies); error != nullptr) {
    (void)database_->execute("ROLLBACK", bounds_.timeout_ms);
    return Diagnostic{.what = error->message.empty() ? error->text : error->message};
  }
  for (Reply& reply : *replies) {
    if (reply.result && reply.result->has_rows) return std::move(*reply.result);
  }
  return Diagnostic{.what = "it returns no rows"};
}

Result<void> PostgresState::learn_tables() {
  auto catalogue = database_->read_catalogue();
  if (!catalogue) return catalogue.error();
  tables_.clear();
  // The rows of parts are those of what they are parts of.
  std::ranges::copy_if(*catalogue, std::back_inserter(tables_),
                       [](const CatalogueTable& table) { return !table.partition; });
  std::ranges::sort(tables_, {}, &CatalogueTable::name);
  auto sequences = run(std::string(kSequenceNames));
  if (!sequences) return sequences.error();
  sequences_.clear();
  for (const Row& row : sequences->at(0).result->rows) sequences_.push_back(row.at(0).value_or(""));
  columns_ = mark_filled_columns(tables_, sequences_);
  rows_.assign(tables_.size(), {});
  fingerprints_.assign(tables_.size(), TableFingerprint{.rows = "not read"});
  auto prepared = run("DEALLOCATE PREPARE ALL;" + std::string(kShapeText) + ';' +
                      fingerprint_text(tables_) + ';' + sequences_text(sequences_));
  if (!prepared) return prepared.error();
  auto shape = run("EXECUTE heddle_shape");
  if (!shape) return shape.error();
  const Row& row = shape->at(0).result->rows.at(0);
  shape_ = row.at(0).value_or("") + ' ' + row.at(1).value_or("");
  return {};
}

// `goes_on`: leaves the transaction open in which it looked, for whoever wants to read rows of that
// moment, unless the tables are others by now. One text, because each takes a way to the server.
Result<PostgresState::Look> PostgresState::look(bool goes_on) {
  auto replies = database_->execute(
      fmt::format("{};EXECUTE heddle_shape;EXECUTE heddle_tables;EXECUTE heddle_sequences{}",
                  kBeginLook, goes_on ? "" : ";COMMIT"),
      bounds_.timeout_ms);
  if (!replies) return replies.error();
  if (replies->size() < 2 || !(*replies)[1].result) {
    return state_trouble("look at the tables of PostgreSQL", *first_error_of(*replies));
  }
  const Row& shape = replies->at(1).result->rows.at(0);
  Look look{.shape = shape.at(0).value_or("") + ' ' + shape.at(1).value_or(""),
            .tables = std::vector<TableFingerprint>(tables_.size()),
            .sequences = {}};
  const StepError* const error = first_error_of(*replies);
  const bool is_other = look.shape != shape_;
  // A table that is gone cannot be looked at.
  if (error != nullptr || (goes_on && is_other)) {
    (void)database_->execute("ROLLBACK", bounds_.timeout_ms);
  }
  if (is_other) return look;
  if (error != nullptr) return state_trouble("look at the tables of PostgreSQL", *error);
  for (const Row& row : replies->at(2).result->rows) {
    TableFingerprint& table = look.tables.at(std::stoul(row.at(0).value_or("0")));
    table.rows = row.at(1).value_or("");
    table.hash = row.at(2).value_or("");
    table.bytes = std::strtoull(row.at(3).value_or("0").c_str(), nullptr, 10);
  }
  for (const Row& row : replies->at(3).result->rows) {
    look.sequences.push_back({.name = sequences_.at(std::stoul(row.at(0).value_or("0"))),
                              .value = row.at(1).value_or(""),
                              .is_called = row.at(2) == "t"});
  }
  return look;
}

// REQUIRES: the transaction of the look is open.
Result<PostgresContents> PostgresState::read_at(const Look& look) {
  std::uint64_t bytes = 0;
  for (const TableFingerprint& table : look.tables) bytes += table.bytes;
  if (bytes > bounds_.bytes) {
    const auto largest = std::ranges::max_element(look.tables, {}, &TableFingerprint::bytes);
    const std::string& name = tables_[static_cast<std::size_t>(largest - look.tables.begin())].name;
    Diagnostic trouble = store_trouble(
        fmt::format("the rows of the database take {} MB, of which {} has {}, and at most {} are "
                    "read",
                    bytes >> 20U, name, largest->bytes >> 20U, bounds_.bytes >> 20U),
        "race a system with less in its tables");
    trouble.trouble = Trouble::bound;
    return trouble;
  }
  std::vector<std::size_t> changed;
  std::string text;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (fingerprints_[i] == look.tables[i]) continue;
    changed.push_back(i);
    std::vector<std::string> names;
    for (const CatalogueColumn& column : tables_[i].columns) {
      names.push_back("heddle_row." + quote_identifier(column.name));
    }
    text += fmt::format("SELECT {} FROM {} heddle_row;", join(names, ", "), tables_[i].rows);
  }
  if (!changed.empty()) {
    auto replies = run(text);
    if (!replies) return replies.error();
    for (std::size_t i = 0; i < changed.size(); ++i) {
      rows_[changed[i]] = std::move(replies->at(i).result->rows);
      fingerprints_[changed[i]] = look.tables[changed[i]];
    }
  }
  PostgresContents contents{.tables = {}, .sequences = look.sequences};
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    contents.tables.push_back({tables_[i].name, columns_[i], rows_[i]});
    std::ranges::sort(contents.tables.back().rows);
  }
  return contents;
}

Result<PostgresContents> PostgresState::read() {
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    auto present = look(true);
    if (!present) return present.error();
    if (present->shape == shape_) {
      auto contents = read_at(*present);
      if (!contents) (void)database_->execute("ROLLBACK", bounds_.timeout_ms);
      if (!contents) return contents.error();
      if (auto ended = run("COMMIT"); !ended) return ended.error();
      return contents;
    }
    if (auto learned = learn_tables(); !learned) return learned.error();
  }
  return store_trouble("the tables of the database are being changed all the time");
}

Result<void> PostgresState::remember() {
  auto contents = read();
  if (!contents) return contents.error();
  remembered_look_ = std::make_unique<Look>(
      Look{.shape = shape_, .tables = fingerprints_, .sequences = contents->sequences});
  remembered_rows_ = rows_;
  remembered_sequences_ = std::move(contents->sequences);
  return {};
}

Result<bool> PostgresState::put_back() {
  HEDDLE_ASSERT(remembered_look_ != nullptr);
  for (std::size_t round = 0;; ++round) {
    auto present = look();
    if (!present) return present.error();
    if (present->shape != remembered_look_->shape) {
      return store_trouble(
          "tables, columns or sequences of the database were made, changed or dropped, so that "
          "its rows cannot be put back",
          "use restore: clone, which copies the whole database");
    }
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (present->tables[i] != remembered_look_->tables[i]) changed.push_back(i);
    }
    const bool has_all_numbers = present->sequences == remembered_look_->sequences;
    if (changed.empty() && has_all_numbers) return true;
    if (round == kMostRounds) return false;
    if (!changed.empty()) {
      auto filled = fill_anew(changed);
      if (!filled) return filled.error();
      if (!*filled) {
        if (auto put = put_rows_back(changed); !put) return put.error();
      }
    }
    // Behind the rows, whose triggers may take numbers.
    if (auto put = put_sequences_back(present->sequences); !put) return put.error();
  }
}

// TRUNCATE takes no table to which another one refers, unless that is emptied, too.
std::vector<std::size_t> PostgresState::with_referring(std::vector<std::size_t> changed) const {
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const std::string& name = tables_[changed[i]].name;
    for (std::size_t other = 0; other < tables_.size(); ++other) {
      const bool refers = std::ranges::any_of(
          tables_[other].foreign_keys, [&](const ForeignKey& key) { return key.table == name; });
      if (refers && std::ranges::find(changed, other) == changed.end()) changed.push_back(other);
    }
  }
  return changed;
}

// False where that is not possible: somebody works with the tables, the user may not do it, or
// there are too many rows. Updated and deleted rows leave gaps that later ones get into, so that
// rows would come in another order each time.
Result<bool> PostgresState::fill_anew(const std::vector<std::size_t>& changed) {
  const std::vector<std::size_t> emptied = with_referring(changed);
  std::size_t rows = 0;
  std::vector<std::string> names;
  std::string fills;
  for (const std::size_t table : emptied) {
    rows += remembered_rows_[table].size();
    names.push_back((tables_[table].partitioned ? "" : "ONLY ") + tables_[table].quoted);
    if (rows > kMostRowsFilledAnew) return false;
    for (const std::string& fill : fill_texts(tables_[table], remembered_rows_[table])) {
      fills += fill + ';';
    }
  }
  auto replies = database_->execute(
      fmt::format("BEGIN;SET LOCAL session_replication_role = replica;SET LOCAL lock_timeout = {};"
                  "TRUNCATE {};{}COMMIT",
                  kPatienceToEmptyMs, join(names, ", "), fills),
      bounds_.timeout_ms);
  if (!replies) return replies.error();
  if (first_error_of(*replies) == nullptr) return true;
  auto ended = run("ROLLBACK");
  if (!ended) return ended.error();
  return false;
}

// Replica mode keeps triggers and foreign keys out of it; only a superuser may have it, or who was
// granted that. Then no row refers to another while rows go and come back.
Result<void> PostgresState::put_rows_back(const std::vector<std::size_t>& changed) {
  auto replies =
      database_->execute("BEGIN; SET LOCAL session_replication_role = replica", bounds_.timeout_ms);
  if (!replies) return replies.error();
  const bool is_free = first_error_of(*replies) == nullptr;
  if (!is_free) {
    auto begun = run("ROLLBACK; BEGIN; SET CONSTRAINTS ALL DEFERRED");
    if (!begun) return begun.error();
  }
  auto done = change_rows(referenced_first(tables_, changed), is_free);
  if (!done) (void)database_->execute("ROLLBACK", bounds_.timeout_ms);
  return done;
}

Result<void> PostgresState::change_rows(const std::vector<std::size_t>& changed, bool is_free) {
  std::vector<std::string> names;
  std::string reads;
  for (const std::size_t table : changed) {
    names.push_back(tables_[table].quoted);
    reads += placed_rows_text(tables_[table]) + ';';
  }
  // Nobody writes into them before all rows are back; who only reads is not kept waiting.
  auto replies = database_->execute(
      fmt::format("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE;{}", join(names, ", "), reads),
      bounds_.timeout_ms);
  if (!replies) return replies.error();
  if (const StepError* error = first_error_of(*replies)) return trouble_with_rows(*error);
  RowChanges all;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const std::vector<PlacedRow> present = to_placed_rows(replies->at(i + 1).result->rows);
    RowChanges changes =
        changes_of(tables_[changed[i]], present, remembered_rows_[changed[i]], is_free);
    // What refers to others goes first and comes last.
    all.deletes.insert(all.deletes.begin(), changes.deletes.begin(), changes.deletes.end());
    std::ranges::move(changes.updates, std::back_inserter(all.updates));
    std::ranges::move(changes.inserts, std::back_inserter(all.inserts));
  }
  std::string text;
  const auto flush = [&]() -> Result<void> {
    auto done = database_->execute(std::exchange(text, ""), bounds_.timeout_ms);
    if (!done) return done.error();
    if (const StepError* error = first_error_of(*done)) return trouble_with_rows(*error);
    return {};
  };
  for (const auto* statements : {&all.deletes, &all.updates, &all.inserts}) {
    for (const std::string& statement : *statements) {
      text += statement + ';';
      if (text.size() < kMostBytesOfText) continue;
      if (auto flushed = flush(); !flushed) return flushed;
    }
  }
  text += "COMMIT";
  return flush();
}

// Says who holds a lock, where one was in the way. Ends the transaction.
Diagnostic PostgresState::trouble_with_rows(const StepError& error) {
  (void)database_->execute("ROLLBACK", bounds_.timeout_ms);
  Diagnostic trouble = state_trouble("put back the rows of PostgreSQL", error);
  if (error.code != kLockNotAvailable) return trouble;
  trouble.what_to_do = "end the transaction that is open, or use restore: clone";
  const auto holders = run(std::string(kLockHolders));
  if (!holders || holders->at(0).result->rows.empty()) return trouble;
  const Row& first = holders->at(0).result->rows.front();
  trouble.what = fmt::format(
      "cannot put back the rows of PostgreSQL within {} ms: connection {} ({}, {}) has locks on "
      "{}; its last statement: {}",
      bounds_.lock_timeout_ms, first.at(0).value_or(""), first.at(1).value_or(""),
      first.at(2).value_or(""), first.at(4).value_or(""), first.at(3).value_or(""));
  return trouble;
}

Result<void> PostgresState::put_sequences_back(const std::vector<PostgresSequence>& present) {
  std::string text;
  for (std::size_t i = 0; i < remembered_sequences_.size(); ++i) {
    const PostgresSequence& wanted = remembered_sequences_[i];
    if (i < present.size() && present[i] == wanted) continue;
    text += fmt::format("SELECT pg_catalog.setval({}, {}, {});", quote_literal(wanted.name),
                        wanted.value, wanted.is_called ? "true" : "false");
  }
  if (text.empty()) return {};
  auto done = run(text);
  if (!done) return done.error();
  return {};
}

}  // namespace heddle
