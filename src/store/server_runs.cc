#include "store/server_runs.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "store/database_name.h"

namespace heddle {

bool drop_if_unused(const Result<std::unique_ptr<ServerRuns>>& server,
                    const std::string& database) {
  if (!server) return false;
  const auto ended = (*server)->end_connections(database);
  return ended && !*ended && (*server)->drop(database);
}

// The databases are listed before their runs are looked for: a run that began in between has its
// lock, and one that ended in between has dropped them itself.
Result<Leftovers> find_leftovers(ServerRuns& server) {
  auto databases = server.databases();
  if (!databases) return databases.error();
  std::ranges::sort(*databases);
  std::map<std::string, bool> lives;
  Leftovers found;
  for (const std::string& name : *databases) {
    const std::string run(run_mark_in(name));
    if (run.empty()) continue;
    const auto [known, is_new] = lives.try_emplace(run, true);
    if (is_new) {
      const auto alive = server.is_alive(run);
      if (!alive) return alive.error();
      known->second = *alive;
    }
    (known->second ? found.in_use : found.abandoned).push_back(name);
  }
  return found;
}

std::string run_application(std::string_view run) { return fmt::format("heddle_run_{}", run); }

std::int64_t run_lock_key(std::string_view run) {
  std::uint64_t key = 0;
  std::from_chars(run.data(), run.data() + run.size(), key, 16);
  return static_cast<std::int64_t>(key);
}

std::vector<std::string> run_lock_names(std::string_view run) {
  constexpr int kMostAddresses = 8;
  std::vector<std::string> names;
  for (int i = 1; i <= kMostAddresses; ++i)
    names.push_back(fmt::format("heddle_run_{}_{}", run, i));
  return names;
}

}  // namespace heddle
