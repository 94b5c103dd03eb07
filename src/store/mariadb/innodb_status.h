// Who waits for whom in InnoDB, as SHOW ENGINE INNODB STATUS tells.
//
// The tables of information_schema tell the same out of a cache that is not renewed while it is
// asked more often than every 100 ms. The status is always of the moment, and takes a fifth of the
// time of the counter Innodb_row_lock_current_waits. It names the locks only where the server has
// innodb_status_output_locks, and there only the first ten of each transaction.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle {

// A transaction that waits for a lock.
struct InnodbWait {
  std::uint64_t connection = 0;
  std::vector<std::uint64_t> blockers;  // connections, sorted; empty where the status tells none
};

// In the order of the text. Whatever is no status has no waits.
std::vector<InnodbWait> read_innodb_waits(std::string_view status);

}  // namespace heddle
