#include "store/replicated/evaluator.h"

#include <algorithm>
#include <chrono>
#include <ranges>
#include <sqlite3.h>
#include <string_view>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "store/replicated/declared_type.h"
#include "store/replicated/tokens.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/library.h"

namespace heddle::replicated {

namespace {

constexpr int kInstructionsBetweenLooks = 200'000;
constexpr std::int64_t kLongestStatementMs = 20'000;

std::int64_t clock_ms() {
  using std::chrono::milliseconds;
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// nextval('t_id_seq')
std::string sequence_of(const std::string& default_text) {
  constexpr std::string_view kCall = "nextval('";
  const std::size_t begin = default_text.find(kCall);
  if (begin == std::string::npos) return "";
  const std::size_t first = begin + kCall.size();
  return default_text.substr(first, default_text.find('\'', first) - first);
}

// What PostgreSQL calls a column without a name that is one call of a function: COUNT(*) is count.
// Others stay as they are.
std::string called_name(const std::string& expression) {
  const Tokens tokens = read_tokens(expression);
  const bool is_call = tokens.size() > 2 && tokens[0].kind == TokenKind::word &&
                       is_symbol(tokens[1], "(") && is_symbol(tokens.back(), ")");
  if (!is_call) return expression;
  int open = 0;
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    open += is_symbol(tokens[i], "(") ? 1 : is_symbol(tokens[i], ")") ? -1 : 0;
    if (open == 0) return expression;
  }
  return tokens[0].word;
}

Column to_column(sqlite3_stmt* statement, int index, bool shows_types) {
  Column column;
  column.name = text_or_nothing(sqlite3_column_name(statement, index));
  if (text_or_nothing(sqlite3_column_database_name(statement, index)) == "main") {
    column.table = to_lower(text_or_nothing(sqlite3_column_table_name(statement, index)));
    column.source = to_lower(text_or_nothing(sqlite3_column_origin_name(statement, index)));
  } else {
    column.name = called_name(column.name);
  }
  if (!shows_types) return column;
  column.type = type_name(text_or_nothing(sqlite3_column_decltype(statement, index)));
  return column;
}

// What PostgreSQL says of a null of which nobody knows more: it becomes what is needed.
constexpr const char* kUnknownType = "unknown";

// Of an expression, what its first value is that is not null.
std::string value_type(sqlite3_stmt* statement, int index) {
  switch (sqlite3_column_type(statement, index)) {
    case SQLITE_INTEGER:
      return "bigint";
    case SQLITE_FLOAT:
      return "double precision";
    case SQLITE_NULL:
      return kUnknownType;
    default:
      return "text";
  }
}

std::string command_tag(const std::string& kind, std::int64_t count) {
  if (kind == "INSERT") return fmt::format("INSERT 0 {}", count);
  const bool counts = kind == "SELECT" || kind == "UPDATE" || kind == "DELETE";
  return counts ? fmt::format("{} {}", kind, count) : kind;
}

// SQLSTATE of what SQLite says.
std::string sql_state(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return "23505";
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return "23503";
    case SQLITE_CONSTRAINT_NOTNULL:
      return "23502";
    case SQLITE_CONSTRAINT_CHECK:
      return "23514";
    case SQLITE_INTERRUPT:
      return "57014";
    case SQLITE_ERROR:
      return "42000";
    default:
      return (code & 0xff) == SQLITE_CONSTRAINT ? "23000" : "XX000";
  }
}

Diagnostic own_trouble(sqlite3* connection, const std::string& doing) {
  return Diagnostic{
      .what = fmt::format("the replicated store cannot {}: {}", doing, sqlite3_errmsg(connection)),
      .what_to_do = "",
      .file = "",
      .position = {},
      .trouble = Trouble::environment};
}

// Rows that are put as others have them: nothing is set off by them, and nothing is checked.
class AsOthersHaveThem {
 public:
  explicit AsOthersHaveThem(sqlite3* connection) : connection_(connection), quiet_(connection) {
    sqlite3_exec(connection_, "PRAGMA ignore_check_constraints = ON", nullptr, nullptr, nullptr);
  }
  ~AsOthersHaveThem() {
    sqlite3_exec(connection_, "PRAGMA ignore_check_constraints = OFF", nullptr, nullptr, nullptr);
  }
  AsOthersHaveThem(const AsOthersHaveThem&) = delete;
  AsOthersHaveThem& operator=(const AsOthersHaveThem&) = delete;

 private:
  sqlite3* connection_;
  WithoutEffects quiet_;
};

}  // namespace

Evaluator::Evaluator(sqlite3* connection, Environment& environment)
    : connection_(connection), environment_(environment), recorder_(connection, tables_) {
  sqlite3_extended_result_codes(connection_, 1);
  sqlite3_db_config(connection_, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  sqlite3_progress_handler(connection_, kInstructionsBetweenLooks, &on_progress, this);
  add_functions(connection_, environment_);
}

Evaluator::~Evaluator() { sqlite3_close(connection_); }

Result<std::unique_ptr<Evaluator>> Evaluator::open(Environment& environment) {
  start_sqlite_library();
  sqlite3* connection = nullptr;
  const int code =
      sqlite3_open_v2(":memory:", &connection,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    Diagnostic trouble = own_trouble(connection, "open a database of SQLite");
    sqlite3_close(connection);
    return trouble;
  }
  return std::unique_ptr<Evaluator>(new Evaluator(connection, environment));
}

int Evaluator::on_progress(void* evaluator) {
  const auto& self = *static_cast<Evaluator*>(evaluator);
  return interrupted() || clock_ms() > self.deadline_ms_ ? 1 : 0;
}

StepError Evaluator::to_error(int code) const {
  StepError error;
  const bool is_cancelled = (code & 0xff) == SQLITE_INTERRUPT;
  error.error_class = is_cancelled ? ErrorClass::cancelled : ErrorClass::other;
  error.code = sql_state(code);
  error.severity = "ERROR";
  error.message =
      recorder_.forbidden().empty() ? sqlite3_errmsg(connection_) : recorder_.forbidden();
  error.text = fmt::format("ERROR {}: {}\n", error.code, error.message);
  return error;
}

Execution Evaluator::execute(const std::string& sql, const std::string& kind, bool shows_types) {
  Execution execution;
  recorder_.begin();
  deadline_ms_ = clock_ms() + kLongestStatementMs;
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(connection_, sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) {
    execution.reply.error = to_error(code);
    return execution;
  }
  execution.reply = run(statement, kind, shows_types);
  sqlite3_finalize(statement);
  recorder_.stop();
  if (execution.reply.error) return execution;
  execution.tables_read = recorder_.tables_read();
  std::vector<Renumbering> renumberings;
  execution.writes = recorder_.writes(environment_, renumberings);
  // From the highest on, so that no number is taken yet.
  std::string text;
  for (const Renumbering& one : std::views::reverse(renumberings)) {
    if (one.from == one.to) continue;
    text += fmt::format("UPDATE {} SET rowid = {} WHERE rowid = {};", quote_name(one.table), one.to,
                        one.from);
  }
  for (const auto& [table, column] : recorder_.worded()) {
    const std::string name = quote_name(column);
    text += fmt::format(
        "UPDATE {0} SET {1} = lower({1}) IN ('t', 'true', 'y', 'yes', 'on') WHERE lower({1}) IN "
        "('t', 'true', 'y', 'yes', 'on', 'f', 'false', 'n', 'no', 'off');",
        quote_name(table), name);
  }
  if (text.empty()) return execution;
  const AsOthersHaveThem quiet(connection_);
  if (auto done = run_quietly(text); !done) {
    execution.reply.result.reset();
    execution.reply.error = to_error(SQLITE_INTERNAL);
  }
  return execution;
}

Reply Evaluator::describe(const std::string& sql, bool shows_types) {
  recorder_.begin();
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(connection_, sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  recorder_.stop();
  if (code != SQLITE_OK) return {.result = {}, .error = to_error(code)};
  ResultSet result;
  const int columns = sqlite3_column_count(statement);
  result.has_rows = columns > 0;
  for (int i = 0; i < columns; ++i) {
    Column& column = result.columns.emplace_back(to_column(statement, i, shows_types));
    if (shows_types && column.type.empty()) column.type = kUnknownType;
  }
  sqlite3_finalize(statement);
  return {.result = std::move(result), .error = {}};
}

Reply Evaluator::run(sqlite3_stmt* statement, const std::string& kind, bool shows_types) {
  const int columns = sqlite3_column_count(statement);
  const std::int64_t changes_before = sqlite3_total_changes64(connection_);
  ResultSet result;
  result.has_rows = columns > 0;
  std::vector<std::string> types(static_cast<std::size_t>(columns), kUnknownType);
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < columns; ++i) {
      std::string& type = types[static_cast<std::size_t>(i)];
      if (type == kUnknownType) type = value_type(statement, i);
    }
    result.rows.push_back(current_row(statement));
  }
  for (int i = 0; i < columns; ++i) {
    Column& column = result.columns.emplace_back(to_column(statement, i, shows_types));
    if (shows_types && column.type.empty()) column.type = types[static_cast<std::size_t>(i)];
  }
  if (code != SQLITE_DONE) return {.result = {}, .error = to_error(code)};
  if (shows_types) write_scales(result);
  const bool changed = sqlite3_total_changes64(connection_) != changes_before;
  const std::int64_t affected = changed ? sqlite3_changes64(connection_) : 0;
  const bool counts_rows = kind == "SELECT";
  result.command_tag =
      command_tag(kind, counts_rows ? static_cast<std::int64_t>(result.rows.size()) : affected);
  return {.result = std::move(result), .error = {}};
}

Result<void> Evaluator::run_quietly(const std::string& sql) {
  recorder_.stop();
  deadline_ms_ = clock_ms() + kLongestStatementMs;
  if (sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return own_trouble(connection_, "bring rows to a replica");
}

Result<std::vector<Row>> Evaluator::read(const std::string& sql) {
  recorder_.stop();
  deadline_ms_ = clock_ms() + kLongestStatementMs;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    return own_trouble(connection_, "read its tables");
  }
  std::vector<Row> rows;
  while (sqlite3_step(statement) == SQLITE_ROW) rows.push_back(current_row(statement));
  sqlite3_finalize(statement);
  return rows;
}

Result<void> Evaluator::learn_tables() {
  auto rows = read(
      "SELECT t.name, t.wr, c.name, lower(c.type), c.hidden, c.pk, c.dflt_value FROM "
      "pragma_table_list t "
      "JOIN pragma_table_xinfo(t.name, 'main') c WHERE t.schema = 'main' AND t.type = 'table' "
      "AND t.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY t.name, c.cid");
  if (!rows) return rows.error();
  tables_.clear();
  std::map<std::string, std::map<int, std::size_t>> keys;
  std::set<std::string> numbered;  // whose key may be the row's number
  for (const Row& row : *rows) {
    TableShape& shape = tables_[to_lower(*row[0])];
    shape.name = *row[0];
    shape.hides_number = row[1] == "0";
    if (row[4] != "0") {
      return Diagnostic{.what = fmt::format("{} has the computed column {}", *row[0], *row[2]),
                        .what_to_do = "leave it out: a replicated store has none"};
    }
    const int position = std::stoi(*row[5]);
    if (position > 0) keys[to_lower(*row[0])][position] = shape.columns.size();
    if (position > 0 && *row[3] == "integer") numbered.insert(to_lower(*row[0]));
    shape.columns.push_back(to_lower(*row[2]));
    shape.declared.push_back(*row[2]);
    shape.booleans.push_back(*row[3] == "boolean" || *row[3] == "bool");
    shape.sequences.push_back(sequence_of(row[6].value_or("")));
  }
  for (auto& [name, shape] : tables_) {
    for (const auto& [position, column] : keys[name]) shape.key.push_back(column);
    if (shape.key.size() == 1 && numbered.contains(name)) shape.hides_number = false;
  }
  return {};
}

std::string Evaluator::delete_text(const RowName& row) const {
  const TableShape& shape = tables_.at(row.table);
  std::vector<std::string> conditions;
  for (std::size_t i = 0; i < shape.key.size(); ++i) {
    conditions.push_back(
        fmt::format("{} IS {}", quote_name(shape.declared[shape.key[i]]), row.key[i]));
  }
  if (!shape.has_key()) conditions.push_back("rowid = " + row.key.front());
  return fmt::format("DELETE FROM {} WHERE {};", quote_name(shape.name), join(conditions, " AND "));
}

std::string Evaluator::insert_text(const RowName& row, const RowImage& image) const {
  const TableShape& shape = tables_.at(row.table);
  std::vector<std::string> columns;
  std::vector<std::string> values;
  if (!shape.has_key()) {
    columns.emplace_back("rowid");
    values.push_back(row.key.front());
  }
  if (const auto number = image.find(kRowNumber); number != image.end()) {
    columns.emplace_back("rowid");
    values.push_back(number->second);
  }
  for (std::size_t i = 0; i < shape.columns.size(); ++i) {
    const auto value = image.find(shape.columns[i]);
    if (value == image.end()) continue;
    columns.push_back(quote_name(shape.declared[i]));
    values.push_back(value->second);
  }
  return fmt::format("INSERT INTO {} ({}) VALUES ({});", quote_name(shape.name),
                     join(columns, ", "), join(values, ", "));
}

Result<void> Evaluator::write_rows(
    const std::vector<std::pair<RowName, std::optional<RowImage>>>& rows) {
  std::string text = "BEGIN;";
  for (const auto& [name, image] : rows) {
    if (tables_.contains(name.table)) text += delete_text(name);
  }
  for (const auto& [name, image] : rows) {
    if (image && tables_.contains(name.table)) text += insert_text(name, *image);
  }
  auto written = run_quietly(text + "COMMIT");
  if (!written) sqlite3_exec(connection_, "ROLLBACK", nullptr, nullptr, nullptr);
  return written;
}

Result<void> Evaluator::drop_unique_keys() {
  auto keys = read("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL");
  if (!keys) return keys.error();
  for (const Row& row : *keys) {
    if (!to_lower(*row[1]).starts_with("create unique")) continue;
    if (auto gone = run_quietly("DROP INDEX " + quote_name(*row[0])); !gone) return gone;
    broken_keys_[*row[0]] = *row[1];
  }
  return {};
}

void Evaluator::restore_unique_keys() {
  for (auto key = broken_keys_.begin(); key != broken_keys_.end();) {
    key = run_quietly(key->second) ? broken_keys_.erase(key) : std::next(key);
  }
}

Result<void> Evaluator::put(const std::vector<std::pair<RowName, std::optional<RowImage>>>& rows) {
  if (rows.empty()) return {};
  const AsOthersHaveThem quiet(connection_);
  auto written = write_rows(rows);
  if (!written) {
    if (auto dropped = drop_unique_keys(); !dropped) return dropped;
    written = write_rows(rows);
  }
  if (!broken_keys_.empty()) restore_unique_keys();
  return written;
}

Result<std::vector<CellWrite>> Evaluator::all_cells() {
  std::vector<CellWrite> cells;
  for (const auto& [name, shape] : tables_) {
    std::vector<std::string> columns;
    columns.emplace_back(shape.hides_number ? "rowid" : "NULL");
    for (const std::string& column : shape.declared) {
      columns.push_back(fmt::format("quote({})", quote_name(column)));
    }
    auto rows = read(
        fmt::format("SELECT {} FROM {} ORDER BY 1", join(columns, ", "), quote_name(shape.name)));
    if (!rows) return rows.error();
    for (const Row& row : *rows) {
      RowName row_name{name, {}};
      for (const std::size_t key : shape.key) row_name.key.push_back(*row[key + 1]);
      if (!shape.has_key()) row_name.key.push_back(*row[0]);
      cells.push_back({row_name, kLiveness, "1"});
      if (shape.hides_number && shape.has_key()) cells.push_back({row_name, kRowNumber, *row[0]});
      for (std::size_t i = 0; i < shape.columns.size(); ++i) {
        cells.push_back({row_name, shape.columns[i], *row[i + 1]});
      }
    }
  }
  return cells;
}

Result<std::vector<std::string>> Evaluator::schema() {
  auto rows = read(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' "
      "ESCAPE '~' ORDER BY type = 'trigger', type = 'view', type = 'index', rowid");
  if (!rows) return rows.error();
  std::vector<std::string> texts;
  for (const Row& row : *rows) texts.push_back(*row[0]);
  for (const auto& [name, text] : broken_keys_) texts.push_back(text);
  return texts;
}

}  // namespace heddle::replicated
