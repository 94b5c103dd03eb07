// The running system on which pairs are replayed: its parts, the proxies that hold its units, and
// the stores that are looked at from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/result.h"
#include "proxy/proxies.h"
#include "race/outcome/observed_run.h"
#include "race/replay/request_sender.h"
#include "race/replay/restore_plan.h"
#include "race/turns/turn_controller.h"
#include "record/running_system.h"
#include "store/postgres/block_watch.h"

namespace heddle {

struct ReplayBounds {
  std::uint32_t idle_ms = 2000;      // for how long the idle system is listened to
  std::uint32_t health_ms = 60'000;  // for how long it may take to come up
  std::uint32_t rest_ms = 10'000;    // for how long its rest is waited for
  std::uint32_t answer_ms = 30'000;  // for how long an answer is
  std::uint32_t hold_ms = 5000;      // for how long a unit may be held
  std::uint32_t silence_ms = 1000;   // after how long one that sends nothing counts as waiting
  std::size_t most_body = std::size_t{1} << 20;
};

// A request that is on its way, on a thread of its own.
class SentRequest {
 public:
  SentRequest(std::string address, HttpToSend request, std::string trace, Deadline deadline);
  ~SentRequest();

  // Whether it was answered, or given up, before the deadline.
  bool is_answered_before(Deadline deadline) const;
  // Waits for the answer, which comes or is given up in time. To be called once.
  Result<HttpAnswer> take() { return answer_.get(); }

 private:
  std::future<Result<HttpAnswer>> answer_;
};

class ReplayedSystem {
 public:
  // Starts all that the file names, and listens to it at rest. REQUIRES: the config outlives it.
  // Errors: bad_input, environment; interrupted.
  static Result<std::unique_ptr<ReplayedSystem>> start(const Config& config, ReplayBounds bounds,
                                                       std::vector<std::string> environment);
  ~ReplayedSystem();

  // Runs the command of the file that brings the system back to its beginning.
  Result<void> reset();
  bool has_reset() const { return !config_.system.reset.empty(); }
  // Stops the parts that heddle has started and starts them again; the listeners stay.
  Result<void> restart();
  // The same of services that heddle has started one by one.
  Result<void> restart(const std::vector<std::string>& services);
  bool can_restart() const { return system_->was_started(); }
  // How the state before a pair can be brought about again. `stores`: of which rows are seen.
  RestoreMeans means(std::vector<std::string> stores) const;
  Result<void> wait_until_healthy() { return system_->wait_until_healthy(bounds_.health_ms); }
  // From now on clients of the store get this database, none: the one of the file or that they
  // name; connections are ended. Returns how many these were.
  std::size_t use_database(const std::string& store, const std::optional<std::string>& database);
  // The connections by which heddle watches who waits may have been ended, too.
  void watch_stores_anew();

  // One request, when nothing else goes on. Errors: environment, interrupted.
  Result<HttpAnswer> ask(const HttpToSend& request);
  std::unique_ptr<SentRequest> send(const HttpToSend& request, const std::string& trace);
  // Whether it came to rest in time.
  bool wait_for_rest();
  // Why it did not, when it last did not.
  const std::string& restless_part() const { return restless_part_; }
  // Calls it in the thread of the proxies.
  void with_controller(const std::function<void(TurnController&)>& task);
  TurnController& controller() { return *controller_; }
  void watch_waits(bool is_wanted);
  // An id that no request had before.
  std::string new_trace();

  // Where the logs of the parts end now; what they wrote since.
  using LogPlaces = std::vector<std::uint64_t>;
  LogPlaces log_places() const;
  std::vector<ObservedLog> logs_since(const LogPlaces& places) const;
  // Why it does not run any more; empty: it does.
  std::string ended_part() { return system_->ended_part(); }

  const ReplayBounds& bounds() const { return bounds_; }
  const Config& config() const { return config_; }

 private:
  ReplayedSystem(const Config& config, ReplayBounds bounds, std::vector<std::string> environment);

  Result<void> start_parts();
  void watch_stores();
  bool is_at_rest();
  std::vector<std::string> addresses() const;

  const Config& config_;
  ReplayBounds bounds_;
  std::vector<std::string> environment_;
  std::unique_ptr<TurnController> controller_;
  std::unique_ptr<Proxies> proxies_;
  std::unique_ptr<RunningSystem> system_;
  std::vector<std::unique_ptr<BlockWatch>> watches_;
  std::vector<std::pair<std::string, std::string>> logs_;  // whose, and the file's path
  std::uint64_t next_trace_ = 1;
  std::string restless_part_;
};

}  // namespace heddle
