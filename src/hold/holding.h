// A command that runs while statements are held.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "heddle/result.h"
#include "hold/hold_controller.h"
#include "proxy/proxies.h"
#include "store/postgres/block_watch.h"

namespace heddle {

class Holding {
 public:
  // Listens on the loopback for clients of the database `on`. Errors: bad_input where the address
  // is none of PostgreSQL's, environment where its server cannot be reached.
  static Result<std::unique_ptr<Holding>> open(const std::string& on, HoldPlan plan);
  ~Holding();

  // Runs the command with the listener's address in its environment: as a URL in `variable`, and
  // for clients that read these in PGHOST and PGPORT. Errors: bad_input, environment; interrupted.
  Result<ProcessOutcome> run(const std::vector<std::string>& command,
                             std::vector<std::string> environment, const std::string& variable);

  // What was met, kept and missed, one line each.
  std::string report();

 private:
  class Observer;

  explicit Holding(HoldPlan plan);

  HoldController controller_;
  std::unique_ptr<BlockWatch> watch_;
  std::unique_ptr<Observer> observer_;
  std::unique_ptr<Proxies> proxies_;
  std::string url_;
  std::string jdbc_url_;
};

}  // namespace heddle
