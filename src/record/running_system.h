// The parts of a system that heddle starts, and ends again however it ends itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/result.h"
#include "throwaway/directory.h"

namespace heddle {

class RunningSystem {
 public:
  // Starts what the file says, in its folder; `variables` as edge_environment() gives them for each
  // caller, `environment` what each has besides. Errors: environment, bad_input.
  static Result<std::unique_ptr<RunningSystem>> start(const Config& config,
                                                      const std::vector<std::string>& addresses,
                                                      std::vector<std::string> environment);
  // Ends it.
  ~RunningSystem();

  // Asks until all is healthy. Errors: something of it has ended, the time is over; interrupted.
  Result<void> wait_until_healthy(std::uint32_t timeout_ms);
  // Whether this service was started by a command of its own.
  bool has_part(const std::string& service) const;
  // Ends these services and starts them again. Errors: environment. REQUIRES: has_part() of each.
  Result<void> restart(const std::vector<std::string>& services);
  // Whether it was started here.
  bool was_started() const { return !parts_.empty(); }
  // Why it does not run any more; none: it does.
  std::string ended_part();
  // The end of what it has written.
  std::string last_output() const;
  // Where it is written.
  std::string output_file() const { return directory_->log(); }
  // Runs the command of the file that stops it, and ends what is left.
  void stop();

 private:
  struct Part {
    std::string name;
    const std::vector<Setting>* words = nullptr;
    std::vector<std::string> variables = {};
    pid_t leader = 0;
    bool has_ended = false;
    std::string how = {};  // it has ended; empty: it runs, or what it started does
  };

  RunningSystem(const Config& config, std::vector<std::string> environment)
      : config_(config), environment_(std::move(environment)) {}

  Result<void> start_part(const std::string& name, const std::vector<Setting>& words,
                          std::vector<std::string> variables);
  Result<void> start(Part& part);
  static void look_at(Part& part);
  Result<bool> is_healthy(const std::vector<Setting>& health, const Setting* address);

  const Config& config_;
  std::vector<std::string> environment_;
  std::vector<std::string> all_variables_;
  std::unique_ptr<ThrowawayDirectory> directory_;
  FileDescriptor output_;
  std::vector<Part> parts_;
};

}  // namespace heddle
