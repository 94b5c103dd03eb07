#include "store/sqlite/library.h"

#include <mutex>
#include <sqlite3.h>

namespace heddle {

// What cannot be set or started is left as it is: opening a connection then says what is wrong.
void start_sqlite_library() {
  static std::once_flag started;
  std::call_once(started, [] {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_initialize();
  });
}

}  // namespace heddle
