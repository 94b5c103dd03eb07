// Whatever a server may call its status: a wait has a connection, and is not its own blocker.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "store/mariadb/innodb_status.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const heddle::InnodbWait& wait : heddle::read_innodb_waits(text)) {
    HEDDLE_ASSERT(wait.connection != 0);
    HEDDLE_ASSERT(std::ranges::is_sorted(wait.blockers));
  }
  return 0;
}
