// For tests: questions to a server of PostgreSQL.
#pragma once

#include <memory>
#include <string>

#include <libpq-fe.h>

namespace heddle {

// The first value of the first row, or the error.
inline std::string ask(const std::string& conninfo, const std::string& sql);

// A connection that stays open, as a pool keeps it.
class OpenConnection {
 public:
  explicit OpenConnection(const std::string& conninfo)
      : connection_(PQconnectdb(conninfo.c_str()), &PQfinish) {
    PQsetNoticeProcessor(
        connection_.get(), [](void* /*nobody*/, const char* /*notice*/) {}, nullptr);
  }

  std::string ask(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexec(connection_.get(), sql.c_str()), &PQclear);
    const char* const code = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    error_code_ = code == nullptr ? "" : code;
    if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) return "";
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) return PQerrorMessage(connection_.get());
    return PQntuples(result.get()) == 0 ? "" : PQgetvalue(result.get(), 0, 0);
  }

  // The SQLSTATE of the last answer; empty: it was no error.
  const std::string& error_code() const { return error_code_; }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::string error_code_;
};

inline std::string ask(const std::string& conninfo, const std::string& sql) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(conninfo.c_str()),
                                                                &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) return PQerrorMessage(connection.get());
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()),
                                                             &PQclear);
  if (PQresultStatus(result.get()) == PGRES_COMMAND_OK) return "";
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) return PQerrorMessage(connection.get());
  return PQntuples(result.get()) == 0 ? "" : PQgetvalue(result.get(), 0, 0);
}

}  // namespace heddle
