#include "throwaway/server_trouble.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/text.h"

namespace heddle {

namespace {

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

}  // namespace heddle
