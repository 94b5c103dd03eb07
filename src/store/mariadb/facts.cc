#include "store/mariadb/facts.h"

#include <cstddef>

#include <fmt/format.h>

#include "store/mariadb/database.h"
#include "store/trouble.h"

namespace heddle {

namespace {

IsolationLevel level_named(const std::string& name) {
  for (const IsolationLevel level :
       {IsolationLevel::mariadb_read_uncommitted, IsolationLevel::mariadb_read_committed,
        IsolationLevel::mariadb_serializable}) {
    if (mariadb_level(level) == name) return level;
  }
  return IsolationLevel::mariadb_repeatable_read;
}

}  // namespace

Result<MariadbFacts> read_mariadb_facts(const MariadbAddress& address) {
  auto told = ask_mariadb(address, "SELECT VERSION()");
  if (!told) return told.error();
  MariadbFacts facts;
  const std::string version = told->empty() ? "" : told->front();
  if (version.find("MariaDB") == version.npos) facts.product = "MySQL";
  facts.version = version.substr(0, version.find('-'));
  auto level = ask_mariadb(address,
                           "SHOW VARIABLES WHERE variable_name IN ('tx_isolation', "
                           "'transaction_isolation', 'innodb_snapshot_isolation')");
  if (!level) return level.error();
  for (std::size_t i = 0; i + 1 < level->size(); i += 2) {
    if ((*level)[i] == "innodb_snapshot_isolation") {
      facts.refuses_stale_writes = (*level)[i + 1] == "ON";
    } else {
      facts.default_level = level_named((*level)[i + 1]);
    }
  }
  return facts;
}

std::string describe(const MariadbFacts& facts, const std::string& kind) {
  return fmt::format("{} {} ({}{})", facts.product, facts.version, kind,
                     facts.refuses_stale_writes ? ", innodb_snapshot_isolation=ON" : "");
}

Result<void> offers_level(const MariadbFacts& facts, IsolationLevel level) {
  if (!mariadb_level(level).empty()) return {};
  return Diagnostic{
      .what = fmt::format("{} has no level {}", facts.product, definition(level).name),
      .what_to_do = "use read-uncommitted, read-committed, mariadb:repeatable-read or serializable",
      .file = "",
      .position = {},
      .trouble = Trouble::bad_input};
}

Result<std::vector<std::string>> ask_mariadb(const MariadbAddress& address,
                                             const std::string& statement) {
  auto connection = connect_to_mariadb(address);
  if (!connection) return connection.error();
  return ask_mariadb(**connection, statement);
}

Result<std::vector<std::string>> ask_mariadb(MYSQL& connection, const std::string& statement) {
  if (mysql_query(&connection, statement.c_str()) != 0) {
    const std::string reason = in_one_line(mysql_error(&connection));
    return store_trouble(fmt::format("the server refused {}: {}", statement, reason),
                         advice_for(reason));
  }
  std::vector<std::string> cells;
  MYSQL_RES* const result = mysql_store_result(&connection);
  if (result == nullptr) return cells;
  while (MYSQL_ROW row = mysql_fetch_row(result)) {
    for (unsigned i = 0; i < mysql_num_fields(result); ++i) {
      cells.emplace_back(row[i] == nullptr ? "" : row[i]);
    }
  }
  mysql_free_result(result);
  return cells;
}

}  // namespace heddle
