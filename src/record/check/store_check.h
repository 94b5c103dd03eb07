// What is asked of each store, by heddle's own address of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/config/config.h"
#include "record/check/record_check.h"
#include "record/recorder.h"
#include "record/session_count.h"
#include "store/postgres/clone_check.h"

namespace heddle {

class StoreChecks {
 public:
  // REQUIRES: the system outlives it.
  explicit StoreChecks(const SystemSettings& system);

  // Who is connected now, past the proxies. Cheap enough to be asked ten times a second, so that
  // most of those are seen, too, who connect for a single statement; all are counted from the first
  // look on.
  void look(Recorder& recorder);
  // The last look: waits until it is known of all that were seen whose they are, asks how many have
  // not been seen, and what it takes to clone the stores.
  void finish_looking(Recorder& recorder);
  // Once the system has ended, where heddle ended it: how long cloning takes.
  void measure_clones(bool is_stopped);
  std::vector<StoreCheck> take() { return std::move(checks_); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Strange {
    PostgresClient client;
    Clock::time_point since;
  };
  struct Store {
    const StoreSettings* settings = nullptr;
    std::string own;  // empty: not known
    std::optional<PostgresWatch> watch = {};
    std::map<std::uint32_t, Strange> strange = {};  // may still turn out to be a proxy's
    std::set<std::uint32_t> counted = {};
    std::optional<SessionCount> sessions = {};  // since the first look
  };

  void look_at(Store& store, StoreCheck& check, Recorder& recorder);
  Result<void> open(Store& store, Recorder& recorder) const;
  Result<void> finish_looking_at(Store& store, StoreCheck& check) const;

  const SystemSettings& system_;
  std::vector<Store> stores_;
  std::vector<StoreCheck> checks_;  // one of each of them
};

}  // namespace heddle
