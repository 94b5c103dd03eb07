// Who calls a service past the proxies, as far as the service runs on this machine.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "frontend/config/config.h"

namespace heddle {

// The connections of a table as /proc/net/tcp has it that lead to that port of this machine and are
// established: their sockets' numbers.
std::set<std::uint64_t> connections_to(std::string_view table, std::uint16_t port);

class DirectConnections {
 public:
  // REQUIRES: the system outlives it.
  explicit DirectConnections(const SystemSettings& system);

  // What stays open from one look to the next, and is not of this process, counts: so a connection
  // that a proxy closes just now is not taken for somebody else's. Nothing, where there is no such
  // table.
  void look();
  // The services that somebody else has called.
  const std::set<std::string>& services() const { return called_; }

 private:
  std::map<std::string, std::uint16_t> ports_;  // by service
  std::map<std::string, std::set<std::uint64_t>> before_;
  std::set<std::string> called_;
};

}  // namespace heddle
