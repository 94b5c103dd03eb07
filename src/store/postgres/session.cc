#include "store/postgres/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <poll.h>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "store/trouble.h"

namespace heddle {

namespace {

struct ErrorCode {
  std::string_view code;
  ErrorClass error_class;
};

// PostgreSQL manual, appendix A.
constexpr ErrorCode kErrorCodes[] = {
    {"40P01", ErrorClass::deadlock},        {"40001", ErrorClass::serialization_failure},
    {"55P03", ErrorClass::lock_timeout},    {"57P01", ErrorClass::connection_lost},
    {"57P02", ErrorClass::connection_lost}, {"57P03", ErrorClass::connection_lost},
};

// The parts of the server that read and write files. Where the operating system's reason has no
// SQLSTATE (a limit on files, a quota), they report XX000, as many errors do that are none of
// input and output.
constexpr std::array<std::string_view, 10> kFileSources = {
    "buffile.c", "copydir.c", "fd.c",   "fileset.c",          "logtape.c",
    "md.c",      "reinit.c",  "slru.c", "sharedtuplestore.c", "xlog.c",
};
constexpr std::string_view kInternalError = "XX000";
constexpr std::string_view kIoError = "58030";

std::string field_of(const PGresult* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? std::string() : std::string(text);
}

// Of a source file the server may give the path.
bool is_of_files(std::string source) {
  source.erase(0, source.rfind('/') + 1);
  return std::ranges::find(kFileSources, source) != kFileSources.end();
}

// Without a code libpq itself made up the error: the connection is gone. It is as well after what
// the server calls fatal.
ErrorClass classify_error(std::string_view code, std::string_view severity) {
  if (code.empty() || severity == "FATAL" || severity == "PANIC") {
    return ErrorClass::connection_lost;
  }
  for (const ErrorCode& row : kErrorCodes) {
    if (row.code == code) return row.error_class;
  }
  return ErrorClass::other;
}

StepError error_of(const PGresult* result) {
  std::map<char, std::string> fields;
  for (const char field : {PG_DIAG_SEVERITY, PG_DIAG_SEVERITY_NONLOCALIZED, PG_DIAG_SQLSTATE,
                           PG_DIAG_MESSAGE_PRIMARY, PG_DIAG_SOURCE_FILE}) {
    fields[field] = field_of(result, static_cast<unsigned char>(field));
  }
  return to_error(fields, PQresultErrorMessage(result));
}

ResultSet to_result_set(const PGresult* result, const PostgresTableNames& names) {
  ResultSet set;
  set.command_tag = PQcmdStatus(const_cast<PGresult*>(result));  // NOLINT: libpq lacks the const
  set.has_rows = PQresultStatus(result) == PGRES_TUPLES_OK;
  const int fields = PQnfields(result);
  for (int field = 0; field < fields; ++field) {
    set.columns.push_back(to_column({.name = PQfname(result, field),
                                     .table = PQftable(result, field),
                                     .number = PQftablecol(result, field),
                                     .type = PQftype(result, field),
                                     .modifier = PQfmod(result, field)},
                                    names));
  }
  const int rows = PQntuples(result);
  set.rows.reserve(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) {
    Row cells;
    for (int field = 0; field < fields; ++field) {
      if (PQgetisnull(result, row, field) != 0) {
        cells.emplace_back(std::nullopt);
      } else {
        cells.emplace_back(std::string(PQgetvalue(result, row, field),
                                       static_cast<std::size_t>(PQgetlength(result, row, field))));
      }
    }
    set.rows.push_back(std::move(cells));
  }
  return set;
}

// As libpq takes them. REQUIRES: the parameters outlive it.
class ParameterTable {
 public:
  explicit ParameterTable(const ConnectionParameters& parameters) {
    for (const auto& [keyword, value] : parameters) {
      keywords_.push_back(keyword.c_str());
      values_.push_back(value.c_str());
    }
    keywords_.push_back(nullptr);
    values_.push_back(nullptr);
  }

  const char* const* keywords() const { return keywords_.data(); }
  const char* const* values() const { return values_.data(); }

 private:
  std::vector<const char*> keywords_;
  std::vector<const char*> values_;
};

// COPY and replication need a dialogue that a scenario cannot hold; isolationtester prints this.
StepError unexpected_status(const PGresult* result) {
  StepError error;
  error.code = "0A000";
  error.text = fmt::format("unexpected result status: {}", PQresStatus(PQresultStatus(result)));
  return error;
}

}  // namespace

Column to_column(const PostgresColumn& described, const PostgresTableNames& names) {
  Column column;
  column.name = described.name;
  if (!names.types.empty()) column.type = names.types.text(described.type, described.modifier);
  const auto table = names.tables.find(described.table);
  if (table == names.tables.end()) return column;
  const auto source = table->second.columns.find(described.number);
  if (source == table->second.columns.end()) return column;
  column.table = table->second.name;
  column.source = source->second;
  return column;
}

StepError to_error(const std::map<char, std::string>& fields, std::string text) {
  const auto field = [&](int code) {
    const auto found = fields.find(static_cast<char>(code));
    return found == fields.end() ? std::string() : found->second;
  };
  StepError error;
  error.code = field(PG_DIAG_SQLSTATE);
  if (error.code == kInternalError && is_of_files(field(PG_DIAG_SOURCE_FILE))) {
    error.code = kIoError;
  }
  error.severity = field(PG_DIAG_SEVERITY);
  error.message = field(PG_DIAG_MESSAGE_PRIMARY);
  error.text = std::move(text);
  error.error_class = classify_error(error.code, field(PG_DIAG_SEVERITY_NONLOCALIZED));
  return error;
}

Reply to_reply(const PGresult* result, const PostgresTableNames& names) {
  Reply reply;
  switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY:
    case PGRES_TUPLES_OK:
      reply.result = to_result_set(result, names);
      break;
    case PGRES_FATAL_ERROR:
      reply.error = error_of(result);
      break;
    default:
      reply.error = unexpected_status(result);
  }
  return reply;
}

PostgresConnection start_connecting(const ConnectionParameters& parameters) {
  const ParameterTable table(parameters);
  return PostgresConnection(PQconnectStartParams(table.keywords(), table.values(), 0));
}

PostgresConnection connect_and_wait(const ConnectionParameters& parameters) {
  const ParameterTable table(parameters);
  return PostgresConnection(PQconnectdbParams(table.keywords(), table.values(), 0));
}

Result<void> finish_connecting(const std::vector<PGconn*>& connections) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  std::vector<PostgresPollingStatusType> states(connections.size(), PGRES_POLLING_WRITING);
  while (true) {
    std::vector<pollfd> waits;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      if (PQstatus(connections[i]) == CONNECTION_BAD || states[i] == PGRES_POLLING_FAILED) {
        return store_trouble("cannot connect to PostgreSQL: " +
                             in_one_line(PQerrorMessage(connections[i])));
      }
      if (states[i] == PGRES_POLLING_OK) continue;
      const short events = states[i] == PGRES_POLLING_READING ? POLLIN : POLLOUT;
      waits.push_back({PQsocket(connections[i]), events, 0});
    }
    if (waits.empty()) return {};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || interrupted()) {
      return Diagnostic{
          .what = interrupted() ? "interrupted" : "PostgreSQL did not answer within 30 seconds",
          .what_to_do = "",
          .file = "",
          .position = {},
          .trouble = interrupted() ? Trouble::interrupted : Trouble::environment};
    }
    waits.push_back({interrupt_fd(), POLLIN, 0});
    poll(waits.data(), waits.size(), static_cast<int>(left.count()));
    std::size_t slot = 0;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      if (states[i] == PGRES_POLLING_OK) continue;
      if (waits[slot++].revents != 0) states[i] = PQconnectPoll(connections[i]);
    }
  }
}

PostgresSession::PostgresSession(PostgresConnection connection, const PostgresTableNames& names,
                                 bool hears_lock_waits)
    : connection_(std::move(connection)), names_(names), hears_lock_waits_(hears_lock_waits) {
  PQsetNoticeReceiver(connection_.get(), &PostgresSession::receive_notice, this);
}

// With log_lock_waits the server says "still waiting for" a lock right after it has looked for a
// deadlock, and "acquired" it later. A scenario asked for none of the messages of this severity.
void PostgresSession::receive_notice(void* self, const PGresult* notice) {
  auto* session = static_cast<PostgresSession*>(self);
  if (session->hears_lock_waits_ && field_of(notice, PG_DIAG_SEVERITY_NONLOCALIZED) == "LOG") {
    if (field_of(notice, PG_DIAG_SOURCE_FUNCTION) == "ProcSleep") {
      session->deadlock_checked_ =
          field_of(notice, PG_DIAG_MESSAGE_PRIMARY).find("still waiting") != std::string::npos;
    }
    return;
  }
  session->notices_.emplace_back(PQresultErrorMessage(notice));
}

Result<void> PostgresSession::send(const std::string& text) {
  HEDDLE_ASSERT(!under_way_);
  if (PQsendQuery(connection_.get(), text.c_str()) == 0) return lost_connection();
  replies_.clear();
  under_way_ = true;
  deadlock_checked_ = false;
  return {};
}

// Results are taken as they come: a text of several statements yields several, and each may be
// complete before the next has begun to wait for a lock.
Result<bool> PostgresSession::busy() {
  if (!under_way_) return false;
  PQconsumeInput(connection_.get());
  if (PQstatus(connection_.get()) == CONNECTION_BAD) return take_last_words();
  while (PQisBusy(connection_.get()) == 0) {
    PGresult* result = PQgetResult(connection_.get());
    if (result == nullptr) {
      under_way_ = false;
      return false;
    }
    const ExecStatusType status = PQresultStatus(result);
    replies_.push_back(to_reply(result, names_));
    PQclear(result);
    if (status == PGRES_COPY_IN)
      PQputCopyEnd(connection_.get(), "COPY FROM STDIN has no input here");
    if (status == PGRES_COPY_OUT) drain_copy();
  }
  return true;
}

// What the server said before the connection broke is the reply; without a word it is trouble.
Result<bool> PostgresSession::take_last_words() {
  while (PGresult* result = PQgetResult(connection_.get())) {
    replies_.push_back(to_reply(result, names_));
    PQclear(result);
    // libpq adds this for our having asked it after the end.
    constexpr std::string_view kAskedTooLate = "invalid socket\n";
    if (StepError* error = replies_.back().error ? &*replies_.back().error : nullptr;
        error != nullptr && error->text.ends_with(kAskedTooLate)) {
      error->text.resize(error->text.size() - kAskedTooLate.size());
    }
  }
  under_way_ = false;
  if (replies_.empty()) return lost_connection();
  return false;
}

void PostgresSession::drain_copy() {
  char* line = nullptr;
  while (PQgetCopyData(connection_.get(), &line, 0) > 0) PQfreemem(line);
}

int PostgresSession::socket() const { return PQsocket(connection_.get()); }

std::vector<Reply> PostgresSession::take_replies() { return std::exchange(replies_, {}); }

std::vector<std::string> PostgresSession::take_notices() { return std::exchange(notices_, {}); }

std::vector<Notification> PostgresSession::take_notifications() {
  std::vector<Notification> notifications;
  PQconsumeInput(connection_.get());
  while (PGnotify* notify = PQnotifies(connection_.get())) {
    notifications.push_back({notify->relname, notify->extra, notify->be_pid});
    PQfreemem(notify);
    PQconsumeInput(connection_.get());
  }
  return notifications;
}

TransactionState PostgresSession::transaction_state() const {
  switch (PQtransactionStatus(connection_.get())) {
    case PQTRANS_INTRANS:
      return TransactionState::open;
    case PQTRANS_INERROR:
      return TransactionState::failed;
    default:
      return TransactionState::idle;
  }
}

bool PostgresSession::cancel() {
  PGcancel* request = PQgetCancel(connection_.get());
  if (request == nullptr) return false;
  char error[256];
  const bool sent = PQcancel(request, error, sizeof error) != 0;
  PQfreeCancel(request);
  return sent;
}

bool PostgresSession::is_plain() const {
  return PQsslInUse(connection_.get()) == 0 && PQgssEncInUse(connection_.get()) == 0;
}

std::string PostgresSession::parameter(const std::string& name) const {
  const char* value = PQparameterStatus(connection_.get(), name.c_str());
  return value == nullptr ? "" : value;
}

int PostgresSession::backend_id() const { return PQbackendPID(connection_.get()); }

}  // namespace heddle
