#include "store/trouble.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace heddle {

namespace {

// Beginnings of SQLSTATEs (PostgreSQL manual, appendix A). XX000 is left out: PostgreSQL gives it
// to whatever it has no code for, such as "tuple concurrently updated", which is an answer to a
// scenario; where it comes from reading or writing files, to_reply() has made it 58030.
constexpr std::array<std::string_view, 4> kTroubleCodes = {
    "53",     // insufficient resources: disk full, out of memory, too many connections
    "58",     // system error: input or output failed, a file is missing
    "XX001",  // data corrupted
    "XX002",  // index corrupted
};

// MariaDB's numbers of the like: disk full, out of memory, too many connections, a file that cannot
// be read or written, a full table, a crashed one.
constexpr std::array<std::string_view, 14> kMariadbTroubleCodes = {
    "1021", "1023", "1024", "1026", "1030", "1035", "1037",
    "1038", "1040", "1041", "1114", "1135", "1194", "1195",
};
constexpr std::size_t kSqlStateLength = 5;

// SQLite's of the like.
constexpr std::array<std::string_view, 6> kSqliteTroubleCodes = {
    "SQLITE_NOMEM", "SQLITE_IOERR",    "SQLITE_CORRUPT",
    "SQLITE_FULL",  "SQLITE_CANTOPEN", "SQLITE_NOTADB",
};

// The end of a connection that nobody in the scenario asked for.
constexpr std::array<std::string_view, 4> kServerEnds = {"", "57P01", "57P02", "57P03"};

}  // namespace

bool is_store_trouble(const StepError& error) {
  if (error.error_class == ErrorClass::connection_lost) return true;
  if (error.code.size() < kSqlStateLength) {
    return std::ranges::find(kMariadbTroubleCodes, error.code) != kMariadbTroubleCodes.end();
  }
  if (std::ranges::find(kSqliteTroubleCodes, error.code) != kSqliteTroubleCodes.end()) return true;
  return std::ranges::any_of(
      kTroubleCodes, [&](std::string_view beginning) { return error.code.starts_with(beginning); });
}

Diagnostic lost_connection() { return store_trouble("lost the connection to the server"); }

Diagnostic trouble_with(const std::string& doing, const StepError& error) {
  if (error.error_class != ErrorClass::connection_lost) {
    const std::string reason = in_one_line(error.message.empty() ? error.text : error.message);
    return store_trouble(fmt::format("{} failed: {}", doing, reason), advice_for(reason));
  }
  Diagnostic lost = lost_connection();
  lost.what += fmt::format(" while {} ran", doing);
  if (std::ranges::find(kServerEnds, error.code) == kServerEnds.end()) {
    lost.what += ": " + in_one_line(error.message);
  }
  return lost;
}

}  // namespace heddle
