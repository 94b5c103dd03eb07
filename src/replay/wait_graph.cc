#include "replay/wait_graph.h"

#include <algorithm>
#include <cstddef>

namespace heddle {

bool waits_for_itself(SessionId session, const std::vector<WaitState>& states,
                      const std::vector<int>& backends) {
  std::vector<bool> seen(states.size(), false);
  std::vector<std::size_t> open{session.index()};
  while (!open.empty()) {
    const std::size_t current = open.back();
    open.pop_back();
    for (const int backend : states[current].blockers) {
      const auto found = std::ranges::find(backends, backend);
      if (found == backends.end()) continue;
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

}  // namespace heddle
