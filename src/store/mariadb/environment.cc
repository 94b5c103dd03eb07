#include "store/mariadb/environment.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/client_environment.h"

namespace heddle {

namespace {

constexpr std::string_view kMariadbPassword = "MYSQL_PWD";
constexpr std::array<std::string_view, 13> kMariadbVariables = {
    "LIBMYSQL_ENABLE_CLEARTEXT_PLUGIN",
    "LIBMYSQL_PLUGINS",
    "LIBMYSQL_PLUGIN_DIR",
    "MARIADB_HOME",
    "MARIADB_PLUGIN_DIR",
    "MARIADB_TCP_PORT",
    "MARIADB_TLS_DISABLE_PEER_VERIFICATION",
    "MARIADB_UNIX_PORT",
    "MYSQL_GROUP_SUFFIX",
    "MYSQL_HOME",
    "MYSQL_PWD",
    "MYSQL_TCP_PORT",
    "MYSQL_UNIX_PORT",
};

}  // namespace

void take_mariadb_environment() { take_variables(kMariadbVariables); }

void add_environment(MariadbAddress& address) {
  take_mariadb_environment();
  if (address.password.empty()) address.password = taken_variable(kMariadbPassword).value_or("");
  std::vector<std::string> ignored(kMariadbVariables.begin(), kMariadbVariables.end());
  std::erase(ignored, kMariadbPassword);
  tell_of_ignored(std::move(ignored));
}

}  // namespace heddle
