// One server for several files.
//
//   SharedServer server(options.on);
//   for (const Scenario& scenario : scenarios) {
//     if (auto ready = server.prepare_for(scenario); !ready) return ready.error();
//     auto report = explore(scenario, options);  // of the same options
//     server.conclude(scenario, !report);
//   }
#pragma once

#include <memory>
#include <utility>

#include "heddle/replay.h"
#include "heddle/result.h"
#include "heddle/scenario.h"
#include "store/store.h"

namespace heddle {

// Each file works in databases of its own, so that files share a server as well as if each had one.
// The exceptions are files that touch what the databases of a server share, such as roles: on a
// throwaway server they are given a new one, and so is the file after them.
class SharedServer {
 public:
  explicit SharedServer(StoreAddresses addresses) : addresses_(std::move(addresses)) {}

  // Afterwards the stores run, and whoever opens their addresses is given them. Errors: it cannot
  // be started or reached.
  Result<void> prepare_for(const Scenario& scenario);

  // `failed`: the server may have died, so that the next file is not left with it.
  void conclude(const Scenario& scenario, bool failed);

 private:
  StoreAddresses addresses_;
  std::shared_ptr<StoreServer> server_;
  bool used_ = false;
};

}  // namespace heddle
