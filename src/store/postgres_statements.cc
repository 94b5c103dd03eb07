#include "store/postgres_statements.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace {

// pg_type.dat
constexpr Oid kNumeric = 1700;
constexpr Oid kPadded = 1042;
constexpr Oid kVarying = 1043;
constexpr int kHeader = 4;  // that modifiers count as well

using PostgresResult = std::unique_ptr<PGresult, decltype(&PQclear)>;

Diagnostic lost(const PGconn* connection) {
  return {.what = fmt::format("the server does not answer: {}", PQerrorMessage(connection)),
          .what_to_do = "look at its log",
          .file = "",
          .position = {},
          .trouble = Trouble::environment};
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
  auto rows = execute("SELECT oid, pg_catalog.format_type(oid, NULL) FROM pg_catalog.pg_type", {});
  if (!rows) return rows.error();
  for (const Row& row : rows->rows) {
    const auto number = static_cast<Oid>(std::stoul(row.at(0).value_or("0")));
    const std::string name = row.at(1).value_or("");
    names_[number] = name;
    numbers_.insert({name, number});
  }
  return {};
}

// 0: the server finds out.
Oid PostgresStatements::type_number(const std::string& type) const {
  const auto known = numbers_.find(type);
  return known == numbers_.end() || type == "unknown" || type == "record" ? 0 : known->second;
}

std::string PostgresStatements::type_text(Oid type, int modifier) const {
  const auto known = names_.find(type);
  std::string name = known == names_.end() ? fmt::format("type {}", type) : known->second;
  // "character" alone would be of length 1.
  if (modifier < kHeader) return type == kPadded ? "bpchar" : name;
  modifier -= kHeader;
  if (type == kNumeric) return fmt::format("{}({},{})", name, modifier >> 16, modifier & 0x7ff);
  if (type == kPadded || type == kVarying) return fmt::format("{}({})", name, modifier);
  return name;
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
                              .type = type_text(PQftype(result, field), PQfmod(result, field))});
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
    types.push_back(type_number(value.type));
  }
  const PostgresResult result(
      PQexecParams(connection_.get(), text.c_str(), static_cast<int>(values.size()), types.data(),
                   texts.data(), nullptr, nullptr, 0),
      &PQclear);
  return to_result(result.get());
}

Result<StatementResult> PostgresStatements::run(const ProgramStatement& statement,
                                                const std::vector<ClientValue>& values) {
  return execute(statement.statement.text, values);
}

Result<StatementResult> PostgresStatements::cross(Boundary boundary, const std::string& savepoint) {
  return execute(boundary_text(boundary, savepoint), {});
}

}  // namespace heddle
