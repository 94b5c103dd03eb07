// Addresses of MariaDB and MySQL servers: mysql://user:password@host:port/database,
// mariadb://..., and with ?socket=/path behind it a Unix socket.
#pragma once

#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

// How to reach a server. Either the socket or the host is there.
struct MariadbAddress {
  std::string host;
  unsigned port = 0;  // 0: the usual one
  std::string socket;
  std::string user;
  std::string password;
  std::string database;  // empty: none
};

// Errors say what is wrong with it. REQUIRES: it has "://".
Result<MariadbAddress> parse_mariadb_address(const std::string& address);

// What parse_mariadb_address reads as the same, but for the database.
std::string to_text(const MariadbAddress& address);

}  // namespace heddle
