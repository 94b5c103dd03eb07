#include "store/postgres/blocked_backends.h"

#include <cstdlib>
#include <utility>

#include <libpq-fe.h>

#include "base/text.h"
#include "store/postgres/address.h"
#include "store/postgres/session.h"
#include "store/trouble.h"

namespace heddle {
namespace {

constexpr const char* kQueryPatienceS = "5";
constexpr const char* kQuestion =
    "SELECT pid, array_to_string(pg_catalog.pg_blocking_pids(pid), ',') "
    "FROM pg_catalog.pg_stat_activity "
    "WHERE wait_event_type = 'Lock' AND datname = pg_catalog.current_database()";

class LibpqQuery : public BlockedBackendsQuery {
 public:
  explicit LibpqQuery(PostgresConnection connection) : connection_(std::move(connection)) {}

  BlockedBackends ask() override {
    BlockedBackends blocked;
    const std::unique_ptr<PGresult, decltype(&PQclear)> reply(PQexec(connection_.get(), kQuestion),
                                                              &PQclear);
    if (PQresultStatus(reply.get()) != PGRES_TUPLES_OK) return blocked;
    for (int row = 0; row < PQntuples(reply.get()); ++row) {
      std::vector<std::uint32_t>& blockers = blocked[number(PQgetvalue(reply.get(), row, 0))];
      for (const std::string& each : split(PQgetvalue(reply.get(), row, 1), ',')) {
        if (!each.empty()) blockers.push_back(number(each));
      }
    }
    return blocked;
  }

 private:
  static std::uint32_t number(const std::string& text) {
    return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
  }

  PostgresConnection connection_;
};

}  // namespace

Result<std::unique_ptr<BlockedBackendsQuery>> BlockedBackendsQuery::open(
    const std::string& address) {
  auto parameters = parse_postgres_address(address);
  if (!parameters) return parameters.error();
  (*parameters)["connect_timeout"] = kQueryPatienceS;
  (*parameters)["application_name"] = "heddle";
  PostgresConnection connection = connect_and_wait(*parameters);
  if (PQstatus(connection.get()) != CONNECTION_OK) {
    return store_trouble("cannot connect to PostgreSQL: " +
                         in_one_line(PQerrorMessage(connection.get())));
  }
  return std::unique_ptr<BlockedBackendsQuery>(new LibpqQuery(std::move(connection)));
}

}  // namespace heddle
