// One recording of a system, from its first part's start to the last line of the trace.
//
//   auto recording = Recording::open(config, options);
//   (*recording)->begin();                       // starts the system and listens to it at rest
//   const auto outcome = (*recording)->run(command);
//   (*recording)->end(*outcome);
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "frontend/config/config.h"
#include "heddle/result.h"
#include "proxy/first_come.h"
#include "proxy/proxies.h"
#include "record/recorder.h"
#include "record/running_system.h"
#include "record/serial_controller.h"
#include "record/session_count.h"

namespace heddle {

struct RecordOptions {
  std::string trace;    // the file that is written
  std::string version;  // of heddle
  std::vector<std::string> command = {};
  std::vector<std::string> environment = {};  // of what is started
  std::uint32_t idle_ms = 2000;               // for how long the idle system is listened to
  std::uint32_t health_ms = 60'000;           // for how long it may take to come up
  std::uint32_t rest_ms = 10'000;             // for how long its rest is waited for
  std::size_t max_rows = 1000;
  std::size_t max_body = std::size_t{1} << 20;
  bool is_serial = false;
  bool is_held = false;                  // each unit is held, and let go in the order of arrival
  std::function<void()> meanwhile = {};  // called every few milliseconds, while it listens and
                                         // while the command runs
};

class Recording {
 public:
  // Listens at all edges, and makes the trace. REQUIRES: the config outlives it. Errors: bad_input,
  // environment.
  static Result<std::unique_ptr<Recording>> open(const Config& config, RecordOptions options);

  // Starts the system, where the file says how, waits until it is healthy, and listens to it while
  // nobody asks it for anything. Errors: environment; interrupted.
  Result<void> begin();
  // Runs the command, with the outer edges' variables. Without a command: until an interrupt.
  // Errors: bad_input, environment.
  Result<ProcessOutcome> run();
  // Waits until the system is at rest, and ends the trace; then stops the system.
  Result<void> end(const Result<ProcessOutcome>& outcome);

  Recorder& recorder() { return *recorder_; }
  const Proxies& proxies() const { return *proxies_; }
  // How often the system was not at rest when the waiting for it ended.
  std::size_t restless() const { return restless_; }
  // Whether its parts were started, if only to fail; and whether there is any that heddle starts.
  bool has_system() const { return system_ != nullptr; }
  bool has_started_system() const { return system_ && system_->was_started(); }
  // Those stores that are used past the proxies, as far as heddle has an address of its own.
  const std::vector<std::string>& bypassed() const { return bypassed_; }
  std::vector<std::string> addresses() const;

 private:
  Recording(const Config& config, RecordOptions options)
      : config_(config), options_(std::move(options)) {}

  using Clock = std::chrono::steady_clock;

  void listen();
  void read_catalogues();
  void count_sessions();
  void name_bypassed();
  std::uint64_t count_gone(const StoreSettings& store, PostgresWatch& watch,
                           const std::vector<PostgresClient>& clients);
  bool is_at_rest();
  void let_in();
  bool wait_for_rest();

  const Config& config_;
  RecordOptions options_;
  std::unique_ptr<Recorder> recorder_;
  FirstComeController first_come_;
  std::optional<SerialController> serial_;
  Clock::time_point due_since_ = {};  // the next request waits for the system's rest
  std::size_t restless_ = 0;
  std::map<std::string, SessionCount> sessions_;  // by store
  std::vector<std::string> bypassed_;
  std::unique_ptr<Proxies> proxies_;
  std::unique_ptr<RunningSystem> system_;
};

}  // namespace heddle
