// For tests: one question to a server of PostgreSQL.
#pragma once

#include <memory>
#include <string>

#include <libpq-fe.h>

namespace heddle {

// The first value of the first row, or the error.
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
