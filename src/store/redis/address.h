// Addresses of Redis servers: redis://user:password@host:port/, with ?socket=/path behind it a Unix
// socket, and unix:/path.
#pragma once

#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

// How to reach a server. Either the socket or the host is there.
struct RedisAddress {
  std::string host;
  int port = 6379;
  std::string socket;
  std::string user;  // empty: the one whom a password alone means
  std::string password;
};

// Errors say what is wrong with it. REQUIRES: it begins with redis:// or unix:.
Result<RedisAddress> parse_redis_address(const std::string& address);

// What parse_redis_address reads as the same.
std::string to_text(const RedisAddress& address);

}  // namespace heddle
