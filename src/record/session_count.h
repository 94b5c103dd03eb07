// Connections to a store that its server has counted, and that came through no proxy: those, too,
// that are gone before anybody sees whose they are.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "frontend/config/config.h"
#include "heddle/result.h"
#include "record/recorder.h"
#include "store/postgres/clone_check.h"

namespace heddle {

class SessionCount {
 public:
  // From now on it counts. Waits for a moment, so that what the server has not counted yet is not
  // taken for something new. Errors: as of PostgresWatch.
  // REQUIRES: `system` and `store`, which is one of it, and `recorder` outlive it.
  static Result<SessionCount> begin(PostgresWatch& watch, const SystemSettings& system,
                                    const StoreSettings& store, Recorder& recorder);

  // The server's numbers of the connections to the database that were open when it began.
  const std::set<std::uint32_t>& connected() const { return connected_; }
  // heddle has connected to the store once more, to ask.
  void watched_again(const PostgresWatch& watch) { own_ += watch.is_in_database() ? 1 : 0; }
  // How many came past the proxies since it began, at least. None: the server does not count them,
  // or has begun anew. Waits as begin() does. Errors: as of PostgresWatch.
  Result<std::optional<std::uint64_t>> past_proxies(PostgresWatch& watch) const;

 private:
  SessionCount(const SystemSettings& system, const StoreSettings& store, Recorder& recorder)
      : system_(&system), store_(&store), recorder_(&recorder) {}

  // Connections that the server has counted from `origin` on, and that are none of the proxies'.
  struct Strange {
    std::int64_t count = 0;
    std::string origin = {};
  };

  // Waits for those of which it is not yet known whose they are. At least so many where connections
  // come all the time. None: the server does not count.
  Result<std::optional<Strange>> look(PostgresWatch& watch) const;
  // The most of several looks: what the server counts late only makes it less.
  Result<std::optional<Strange>> look_for_a_while(PostgresWatch& watch) const;
  // Of the connections that were opened until then.
  ProxiedSessions proxied(const std::string& database, ProxyTime until) const;

  const SystemSettings* system_;
  const StoreSettings* store_;
  Recorder* recorder_;
  std::set<std::uint32_t> connected_ = {};
  std::optional<Strange> strange_ = {};  // when it began
  std::int64_t own_ = 0;
};

}  // namespace heddle
