// The connection that makes a run's databases is the one that holds its lock, so that the server
// names it even to users who may not see the list of all connections; the run's others work in
// databases of its own, and are those of the same user.
#include "store/mariadb/runs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/database_name.h"
#include "store/mariadb/environment.h"
#include "store/mariadb/facts.h"
#include "store/mariadb/session.h"
#include "store/quote.h"
#include "store/trouble.h"

namespace heddle {

namespace {

// A connection that cannot be ended may hold locks on tables for as long as it likes.
constexpr const char* kImpatient = "SET SESSION lock_wait_timeout = 5";

class MariadbRuns : public ServerRuns {
 public:
  explicit MariadbRuns(MariadbConnection connection) : connection_(std::move(connection)) {}

  Result<std::vector<std::string>> databases() override { return ask("SHOW DATABASES"); }

  Result<bool> is_alive(const std::string& run) override {
    auto found = connections("", run);
    if (!found) return found.error();
    return !found->empty();
  }

  Result<bool> end_connections(const std::string& database) override {
    auto found = connections(database, std::string(run_mark_in(database)));
    if (!found) return found.error();
    // One that has ended meanwhile is an error that says so.
    for (const std::string& id : *found) (void)ask("KILL " + id);
    return !found->empty();
  }

  Result<void> drop(const std::string& database) override {
    if (auto set = ask(kImpatient); !set) return set.error();
    auto dropped = ask("DROP DATABASE IF EXISTS " + quote_with(database, '`'));
    if (!dropped) return dropped.error();
    return {};
  }

 private:
  Result<std::vector<std::string>> ask(const std::string& statement) {
    return ask_mariadb(*connection_, statement);
  }

  // The numbers of those in the database and those of the run; either may be empty.
  Result<std::vector<std::string>> connections(const std::string& database,
                                               const std::string& run) {
    std::string text = fmt::format(
        "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND (db = {}",
        quote_mariadb_literal(database));
    if (!run.empty()) text += fmt::format(" OR db REGEXP '^heddle_{}_'", run);
    auto found = ask(text + ")");
    if (!found || run.empty()) return found;
    std::vector<std::string> asked;
    for (const std::string& name : run_lock_names(run)) {
      asked.push_back(fmt::format("IS_USED_LOCK('{}')", name));
    }
    auto holders = ask("SELECT " + join(asked, ", "));
    if (!holders) return holders;
    std::ranges::copy_if(*holders, std::back_inserter(*found),
                         [](const std::string& holder) { return !holder.empty(); });
    return found;
  }

  MariadbConnection connection_;
};

}  // namespace

Result<std::unique_ptr<ServerRuns>> open_mariadb_runs(const std::string& address) {
  take_mariadb_environment();
  auto parsed = parse_mariadb_address(address);
  if (!parsed) return parsed.error();
  parsed->database.clear();
  constexpr unsigned kPatienceS = 5;
  auto connection = connect_to_mariadb(*parsed, kPatienceS);
  if (!connection) return connection.error();
  return std::unique_ptr<ServerRuns>(std::make_unique<MariadbRuns>(std::move(*connection)));
}

constinit const GuardedKind kGuardedMariadbDatabases = {
    .remove =
        [](const std::string& name, const std::string& address) {
          return drop_if_unused(open_mariadb_runs(address), name);
        },
    .patience = kServerPatience};

}  // namespace heddle
