#include "explore/shared_server.h"

#include "explore/cluster_state.h"
#include "store/open/open.h"

namespace heddle {

Result<void> SharedServer::prepare_for(const Scenario& scenario) {
  // The old server must have gone before the address means another one.
  if (server_ && used_ && server_->is_throwaway() && touches_cluster_state(scenario)) {
    server_.reset();
  }
  // Of the stores that stay the same the servers do.
  auto opened = open_stores(scenario, addresses_);
  if (!opened) return opened.error();
  server_ = std::move(*opened);
  used_ = true;
  return {};
}

void SharedServer::conclude(const Scenario& scenario, bool failed) {
  if (failed || touches_cluster_state(scenario)) server_.reset();
  used_ = server_ != nullptr;
}

}  // namespace heddle
