#include "replay/wait_graph.h"

#include <algorithm>
#include <cstddef>

namespace heddle {

namespace {

// By the edges that `leads` lets pass.
template <class Leads>
bool is_in_circle(SessionId session, const std::vector<WaitState>& states,
                  const std::vector<int>& backends, const Leads& leads) {
  std::vector<bool> seen(states.size(), false);
  std::vector<std::size_t> open{session.index()};
  while (!open.empty()) {
    const std::size_t current = open.back();
    open.pop_back();
    for (const int backend : states[current].blockers) {
      const auto found = std::ranges::find(backends, backend);
      if (found == backends.end() || !leads(states[current], backend)) continue;
      const auto next = static_cast<std::size_t>(found - backends.begin());
      if (next == session.index()) return true;
      if (!seen[next]) {
        seen[next] = true;
        open.push_back(next);
      }
    }
  }
  return false;
}

}  // namespace

bool waits_for_itself(SessionId session, const std::vector<WaitState>& states,
                      const std::vector<int>& backends) {
  return is_in_circle(session, states, backends,
                      [](const WaitState& /*state*/, int /*backend*/) { return true; });
}

bool closes_circle_in_store(const std::vector<WaitState>& states,
                            const std::vector<int>& backends) {
  const auto is_waited_on = [](const WaitState& state, int backend) {
    return std::ranges::find(state.aside, backend) == state.aside.end();
  };
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (is_in_circle(SessionId(i), states, backends, is_waited_on)) return true;
  }
  return false;
}

}  // namespace heddle
