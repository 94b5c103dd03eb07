#include "store/postgres/statements.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace {

using PostgresResult = std::unique_ptr<PGresult, decltype(&PQclear)>;

Diagnostic lost(const PGconn* connection) {
  return {.what = fmt::format("the server does not answer: {}", PQerrorMessage(connection)),
          .what_to_do = "look at its log",
          .file = "",
          .position = {},
          .trouble = Trouble::environment};
}

Diagnostic one_connection() {
  return {.what = "this session has one connection", .trouble = Trouble::bad_input};
}

std::string boundary_text(Boundary boundary, const std::string& savepoint) {
  std::string text(to_string(boundary));
  return savepoint.empty() ? text : text + " " + savepoint;
}

}  // namespace

Result<std::unique_ptr<PostgresStatements>> PostgresStatements::connect(
    const std::string& conninfo) {
  PostgresConnection connection(PQconnectdb(conninfo.c_str()));
  if (PQstatus(connection.get()) != CONNECTION_OK) return lost(connection.get());
  PQsetNoticeProcessor(connection.get(), [](void* /*nobody*/, const char* /*notice*/) {}, nullptr);
  std::unique_ptr<PostgresStatements> session(new PostgresStatements(std::move(connection)));
  if (auto read = session->read_types(); !read) return read.error();
  return session;
}

Result<void> PostgresStatements::read_types() {
  auto answer = execute(PostgresTypes::query(), {});
  if (!answer) return answer.error();
  types_ = PostgresTypes::from(answer->rows);
  return {};
}

Result<StatementResult> PostgresStatements::to_result(const PGresult* result) {
  StatementResult answer;
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const bool is_gone = state == nullptr || PQstatus(connection_.get()) != CONNECTION_OK;
    if (is_gone) return lost(connection_.get());
    answer.refusal = StoreRefusal{.sqlstate = state,
                                  .message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)};
    return answer;
  }
  for (int field = 0; field < PQnfields(result); ++field) {
    answer.columns.push_back({.name = PQfname(result, field),
                              .type = types_.text(PQftype(result, field), PQfmod(result, field))});
  }
  for (int at = 0; at < PQntuples(result); ++at) {
    Row row;
    for (int field = 0; field < PQnfields(result); ++field) {
      if (PQgetisnull(result, at, field) != 0) {
        row.emplace_back(std::nullopt);
      } else {
        row.emplace_back(PQgetvalue(result, at, field));
      }
    }
    answer.rows.push_back(std::move(row));
  }
  const std::string count =
      PQcmdTuples(const_cast<PGresult*>(result));  // NOLINT: no const in libpq
  std::from_chars(count.data(), count.data() + count.size(), answer.affected);
  return answer;
}

Result<StatementResult> PostgresStatements::execute(const std::string& text,
                                                    const std::vector<ClientValue>& values) {
  std::vector<const char*> texts;
  std::vector<Oid> types;
  for (const ClientValue& value : values) {
    texts.push_back(value.text ? value.text->c_str() : nullptr);
    types.push_back(types_.number(value.type));
  }
  const PostgresResult result(
      PQexecParams(connection_.get(), text.c_str(), static_cast<int>(values.size()), types.data(),
                   texts.data(), nullptr, nullptr, 0),
      &PQclear);
  return to_result(result.get());
}

Result<StatementResult> PostgresStatements::run(const ProgramStatement& statement,
                                                const std::vector<ClientValue>& values) {
  if (statement.connection != 0) return one_connection();
  return execute(statement.statement.text, values);
}

Result<StatementResult> PostgresStatements::cross(Boundary boundary, const std::string& savepoint,
                                                  std::size_t connection) {
  if (connection != 0) return one_connection();
  return execute(boundary_text(boundary, savepoint), {});
}

}  // namespace heddle
