// The connector's calls that may have to wait come in pairs: _start tells for what, and _cont goes
// on once that has happened. A text of several statements has a result for each, taken as it comes.
#include "store/mariadb/session.h"

#include <charconv>
#include <cstdint>
#include <errmsg.h>
#include <mysqld_error.h>
#include <poll.h>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/process.h"
#include "store/mariadb/types.h"
#include "store/trouble.h"

namespace heddle {

namespace {

struct ErrorNumber {
  unsigned number;
  ErrorClass error_class;
};

// MariaDB manual, "Error Codes". With innodb_snapshot_isolation InnoDB refuses to write what has
// changed since the snapshot (1020).
constexpr ErrorNumber kErrorNumbers[] = {
    {ER_LOCK_DEADLOCK, ErrorClass::deadlock},
    {ER_CHECKREAD, ErrorClass::serialization_failure},
    {ER_LOCK_WAIT_TIMEOUT, ErrorClass::lock_timeout},
    {3572, ErrorClass::lock_timeout},  // MySQL's ER_LOCK_NOWAIT
    {ER_QUERY_INTERRUPTED, ErrorClass::cancelled},
    {ER_CONNECTION_KILLED, ErrorClass::connection_lost},
    {ER_SERVER_SHUTDOWN, ErrorClass::connection_lost},
    {CR_SERVER_GONE_ERROR, ErrorClass::connection_lost},
    {CR_SERVER_LOST, ErrorClass::connection_lost},
};

constexpr std::string_view kIdleStatement = "DO 0";

ErrorClass class_of_error(unsigned number) {
  for (const ErrorNumber& row : kErrorNumbers) {
    if (row.number == number) return row.error_class;
  }
  return ErrorClass::other;
}

std::string text_of_field(const char* text, std::size_t length) {
  return text == nullptr ? std::string() : std::string(text, length);
}

Column described_column(const MYSQL_FIELD& field) {
  Column column;
  column.name = text_of_field(field.name, field.name_length);
  column.table = text_of_field(field.org_table, field.org_table_length);
  column.source = text_of_field(field.org_name, field.org_name_length);
  return column;
}

MariadbColumn told_column(const MYSQL_FIELD& field) {
  return {.database = text_of_field(field.db, field.db_length),
          .table = text_of_field(field.table, field.table_length),
          .source_table = text_of_field(field.org_table, field.org_table_length),
          .name = text_of_field(field.name, field.name_length),
          .source = text_of_field(field.org_name, field.org_name_length),
          .charset = field.charsetnr,
          .length = field.length,
          .type = static_cast<unsigned>(field.type),
          .flags = field.flags,
          .decimals = field.decimals};
}

ResultSet read_result_set(MYSQL_RES* result) {
  ResultSet set;
  set.has_rows = true;
  const unsigned fields = mysql_num_fields(result);
  const MYSQL_FIELD* described = mysql_fetch_fields(result);
  for (unsigned i = 0; i < fields; ++i) set.columns.push_back(described_column(described[i]));
  while (MYSQL_ROW row = mysql_fetch_row(result)) {
    const unsigned long* lengths = mysql_fetch_lengths(result);
    Row cells;
    for (unsigned i = 0; i < fields; ++i) {
      cells.push_back(row[i] == nullptr ? Cell() : Cell(std::string(row[i], lengths[i])));
    }
    set.rows.push_back(std::move(cells));
  }
  set.command_tag = fmt::format("{} row{}", set.rows.size(), set.rows.size() == 1 ? "" : "s");
  return set;
}

void erase_all(std::string& text, const std::string& words) {
  for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at)) {
    text.erase(at, words.size());
  }
}

bool is_there(int socket, int awaited) {
  const auto events = static_cast<short>(((awaited & MYSQL_WAIT_READ) != 0 ? POLLIN : 0) |
                                         ((awaited & MYSQL_WAIT_WRITE) != 0 ? POLLOUT : 0) |
                                         ((awaited & MYSQL_WAIT_EXCEPT) != 0 ? POLLPRI : 0));
  pollfd wait{socket, events, 0};
  return poll(&wait, 1, 0) > 0;
}

}  // namespace

StepError to_error(MYSQL* connection, const std::string& database) {
  StepError error;
  const unsigned number = mysql_errno(connection);
  error.error_class = class_of_error(number);
  error.code = fmt::format("{}", number);
  error.severity = "ERROR";
  error.message = mysql_error(connection);
  if (!database.empty()) {
    erase_all(error.message, fmt::format("`{}`.", database));
    erase_all(error.message, database + ".");
  }
  error.text =
      fmt::format("ERROR {} ({}): {}\n", number, mysql_sqlstate(connection), error.message);
  return error;
}

Result<MariadbConnection> connect_to_mariadb(const MariadbAddress& address, unsigned patience_s) {
  MariadbConnection connection(mysql_init(nullptr));
  if (!connection) return store_trouble("out of memory");
  mysql_options(connection.get(), MYSQL_OPT_NONBLOCK, nullptr);
  mysql_options(connection.get(), MYSQL_OPT_CONNECT_TIMEOUT, &patience_s);
  mysql_options(connection.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
  const auto or_none = [](const std::string& text) {
    return text.empty() ? nullptr : text.c_str();
  };
  // The connector would ask the environment who we are.
  const std::string user = address.user.empty() ? own_account().value_or("") : address.user;
  if (mysql_real_connect(connection.get(), or_none(address.host), or_none(user),
                         address.password.c_str(), or_none(address.database), address.port,
                         or_none(address.socket), CLIENT_MULTI_STATEMENTS) == nullptr) {
    const std::string reason = in_one_line(mysql_error(connection.get()));
    return store_trouble("cannot connect to MariaDB: " + reason, advice_for(reason));
  }
  return connection;
}

Result<void> MariadbSession::send(const std::string& text) {
  HEDDLE_ASSERT(stage_ == Stage::idle);
  replies_.clear();
  answers_.clear();
  text_ = text;
  begin(Stage::query);
  return {};
}

void MariadbSession::begin(Stage stage) {
  MYSQL* const connection = connection_.get();
  stage_ = stage;
  switch (stage) {
    case Stage::query:
      waits_for_ = mysql_real_query_start(&failed_, connection, text_.data(), text_.size());
      break;
    case Stage::result:
      waits_for_ = mysql_store_result_start(&result_, connection);
      break;
    case Stage::next:
      waits_for_ = mysql_next_result_start(&failed_, connection);
      break;
    case Stage::ask:
      waits_for_ = mysql_real_query_start(&failed_, connection, kIdleStatement.data(),
                                          kIdleStatement.size());
      break;
    case Stage::idle:
      waits_for_ = 0;
  }
}

bool MariadbSession::advance() {
  MYSQL* const connection = connection_.get();
  if (waits_for_ == 0) return true;
  if (!is_there(socket(), waits_for_)) return false;
  const int there = waits_for_ & ~MYSQL_WAIT_TIMEOUT;
  switch (stage_) {
    case Stage::query:
    case Stage::ask:
      waits_for_ = mysql_real_query_cont(&failed_, connection, there);
      break;
    case Stage::result:
      waits_for_ = mysql_store_result_cont(&result_, connection, there);
      break;
    case Stage::next:
      waits_for_ = mysql_next_result_cont(&failed_, connection, there);
      break;
    case Stage::idle:
      break;
  }
  return waits_for_ == 0;
}

Result<bool> MariadbSession::busy() {
  while (stage_ != Stage::idle) {
    if (!advance()) return true;
    if (waits_for_ == 0) finish_stage();
  }
  return false;
}

void MariadbSession::take_error() {
  Reply reply;
  reply.error = to_error(connection_.get(), database_);
  keep_answer(reply);
  const bool goes_on = reply.error->error_class != ErrorClass::connection_lost;
  replies_.push_back(std::move(reply));
  begin(goes_on ? Stage::ask : Stage::idle);
}

std::uint64_t MariadbSession::count_matched() const {
  constexpr std::string_view kMatched = "Rows matched: ";
  auto matched = static_cast<std::uint64_t>(mysql_affected_rows(connection_.get()));
  const char* const told = mysql_info(connection_.get());
  const std::string_view info = told == nullptr ? "" : told;
  if (info.starts_with(kMatched)) {
    std::from_chars(info.data() + kMatched.size(), info.data() + info.size(), matched);
  }
  return matched;
}

std::string MariadbSession::count_affected() const {
  const bool counts_matched = shows_types_ && *shows_types_;
  const std::uint64_t affected =
      counts_matched ? count_matched() : mysql_affected_rows(connection_.get());
  return fmt::format("{} row{}", affected, affected == 1 ? "" : "s");
}

// While the result or the error that it is about is the connection's last one.
void MariadbSession::keep_answer(const Reply& reply) {
  if (!keeps_answers_) return;
  MYSQL* const connection = connection_.get();
  MariadbAnswer& answer = answers_.emplace_back();
  if (reply.error) {
    answer.error = mysql_errno(connection);
    answer.sqlstate = mysql_sqlstate(connection);
    answer.message = mysql_error(connection);
    return;
  }
  answer.warnings = mysql_warning_count(connection);
  if (result_ == nullptr) {
    answer.affected = count_matched();
    answer.inserted = mysql_insert_id(connection);
    return;
  }
  const MYSQL_FIELD* const fields = mysql_fetch_fields(result_);
  for (unsigned i = 0; i < mysql_num_fields(result_); ++i) {
    answer.columns.push_back(told_column(fields[i]));
  }
}

unsigned MariadbSession::server_status() const {
  unsigned status = 0;
  mariadb_get_infov(connection_.get(), MARIADB_CONNECTION_SERVER_STATUS, &status);
  return status;
}

void MariadbSession::finish_stage() {
  MYSQL* const connection = connection_.get();
  if (stage_ == Stage::ask) return begin(Stage::idle);
  if (stage_ != Stage::result) {
    // A next result that is not there is -1; so is a query that could not be sent.
    const bool is_end = stage_ == Stage::next && failed_ < 0;
    if (failed_ != 0 && !is_end) return take_error();
    return begin(is_end ? Stage::idle : Stage::result);
  }
  Reply reply;
  if (result_ != nullptr) {
    reply.result = read_result_set(result_);
    if (shows_types_ && *shows_types_) add_types(result_, *reply.result);
    keep_answer(reply);
    mysql_free_result(std::exchange(result_, nullptr));
  } else if (mysql_field_count(connection) != 0) {
    return take_error();
  } else {
    reply.result.emplace();
    reply.result->command_tag = count_affected();
    keep_answer(reply);
  }
  replies_.push_back(std::move(reply));
  begin(mysql_more_results(connection) != 0 ? Stage::next : Stage::idle);
}

TransactionState MariadbSession::transaction_state() const {
  return (server_status() & SERVER_STATUS_IN_TRANS) != 0 ? TransactionState::open
                                                         : TransactionState::idle;
}

std::string MariadbSession::last_gtid() const {
  const char* text = nullptr;
  std::size_t length = 0;
  std::string name;
  // Names and values by turns.
  for (int none = mysql_session_track_get_first(connection_.get(), SESSION_TRACK_SYSTEM_VARIABLES,
                                                &text, &length);
       none == 0; none = mysql_session_track_get_next(
                      connection_.get(), SESSION_TRACK_SYSTEM_VARIABLES, &text, &length)) {
    std::string part(text, length);
    if (name == "last_gtid") return part;
    name = std::move(part);
  }
  return "";
}

int MariadbSession::backend_id() const {
  return static_cast<int>(mysql_thread_id(connection_.get()));
}

}  // namespace heddle
