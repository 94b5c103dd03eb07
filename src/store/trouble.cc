#include "store/trouble.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

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

struct Advice {
  std::string_view symptom;
  std::string_view what_to_do;
};
constexpr std::string_view kMoreRoom =
    "free some space, or for a throwaway server set TMPDIR to a directory with 100 MB free";
constexpr Advice kAdvice[] = {
    {"No space left on device", kMoreRoom},
    {"Disk quota exceeded", kMoreRoom},
    {"database or disk is full", kMoreRoom},
    {"File too large", "raise the limit on the size of files (ulimit -f)"},
    {"out of shared memory", "raise the server's max_locks_per_transaction"},
    {"shared memory", "raise the machine's limits on shared memory"},
    {"semaphore", "raise the machine's limits on semaphores"},
    {"Cannot allocate memory", "free some memory"},
    {"Too many open files", "raise the limit on open files (ulimit -n)"},
    {"user does not exist", "run heddle as a user whom the system knows (/etc/passwd)"},
    {"unrecognized configuration parameter", "use PostgreSQL 12 or newer"},
    {"Permission denied", "set TMPDIR to a directory that the server may use"},
    {"Read-only file system", "set TMPDIR to a directory that can be written to"},
};

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

std::string in_one_line(std::string_view text) {
  std::vector<std::string> kept;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty() || line.front() == ' ' || line.front() == '\t') continue;
    kept.emplace_back(trim(line));
  }
  return kept.empty() ? "no reason was given" : join(kept, "; ");
}

std::string advice_for(std::string_view reason) {
  const auto* const advice = std::find_if(
      std::begin(kAdvice), std::end(kAdvice),
      [&](const Advice& row) { return reason.find(row.symptom) != std::string_view::npos; });
  return advice == std::end(kAdvice) ? "" : std::string(advice->what_to_do);
}

Diagnostic store_trouble(std::string what, std::string what_to_do) {
  return Diagnostic{.what = std::move(what),
                    .what_to_do = std::move(what_to_do),
                    .file = "",
                    .position = {},
                    .trouble = Trouble::environment};
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
