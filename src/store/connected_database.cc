#include "store/connected_database.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.h"

namespace heddle {

ConnectedDatabase::ConnectedDatabase(std::unique_ptr<StoreDatabase> whole, std::size_t connections)
    : whole_(std::move(whole)), connections_(connections) {
  HEDDLE_ASSERT(connections_ > 0 && whole_->part_count() == 1);
}

Result<std::vector<std::unique_ptr<StoreSession>>> ConnectedDatabase::open_sessions(
    const std::vector<SessionOptions>& options) {
  std::vector<SessionOptions> of_parts;
  for (const SessionOptions& session : options) {
    for (std::size_t k = 0; k < connections_; ++k) of_parts.push_back(options_of(session, k));
  }
  auto opened = whole_->open_sessions(of_parts);
  if (!opened) return opened.error();
  backends_.assign(options.size(), {});
  places_.clear();
  std::vector<std::unique_ptr<StoreSession>> sessions;
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::vector<std::unique_ptr<StoreSession>> parts;
    for (std::size_t k = 0; k < connections_; ++k) {
      std::unique_ptr<StoreSession>& part = (*opened)[i * connections_ + k];
      backends_[i].push_back(part->backend_id());
      parts.push_back(std::move(part));
    }
    places_.push_back(std::make_shared<std::size_t>(0));
    sessions.push_back(std::make_unique<ConnectedSession>(std::move(parts), prefixes(), places_[i],
                                                          static_cast<int>(i) + 1));
  }
  return sessions;
}

Result<bool> ConnectedDatabase::is_blocked(int backend, const std::vector<int>& others) {
  return whole_->is_blocked(current_backend(backend), all_backends(others));
}

Result<std::vector<WaitState>> ConnectedDatabase::wait_states(const std::vector<int>& backends,
                                                              const std::vector<int>& others) {
  auto states = whole_->wait_states(current_backends(backends), all_backends(others));
  if (!states) return states;
  for (WaitState& state : *states) {
    std::set<int> blockers;
    std::set<int> current;
    for (const int blocker : state.blockers) {
      for (std::size_t i = 0; i < backends_.size(); ++i) {
        const int session = static_cast<int>(i) + 1;
        if (std::ranges::find(backends_[i], blocker) == backends_[i].end()) continue;
        blockers.insert(session);
        if (blocker == current_backend(session)) current.insert(session);
      }
    }
    state.blockers.assign(blockers.begin(), blockers.end());
    std::ranges::set_difference(blockers, current, std::back_inserter(state.aside));
  }
  return states;
}

int ConnectedDatabase::current_backend(int backend) const {
  const auto session = static_cast<std::size_t>(backend) - 1;
  return backends_[session][*places_[session]];
}

std::vector<int> ConnectedDatabase::current_backends(const std::vector<int>& backends) const {
  std::vector<int> current;
  for (const int backend : backends) current.push_back(current_backend(backend));
  return current;
}

std::vector<int> ConnectedDatabase::all_backends(const std::vector<int>& backends) const {
  std::vector<int> all;
  for (const int backend : backends) {
    const std::vector<int>& own = backends_[static_cast<std::size_t>(backend) - 1];
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace heddle
