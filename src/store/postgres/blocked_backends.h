// Who waits for a lock in a server of PostgreSQL, and for whom.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle {

// Who waits in the database, and for whom: numbers of its backends.
using BlockedBackends = std::map<std::uint32_t, std::vector<std::uint32_t>>;

class BlockedBackendsQuery {
 public:
  // Errors: bad_input where the address is none of PostgreSQL's, environment where the server
  // cannot be reached.
  static Result<std::unique_ptr<BlockedBackendsQuery>> open(const std::string& address);
  virtual ~BlockedBackendsQuery() = default;

  // Each backend of the database that waits for a lock, with those that it waits for. Empty, too,
  // where the server does not answer any more.
  virtual BlockedBackends ask() = 0;
};

}  // namespace heddle
