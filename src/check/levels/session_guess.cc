#include "check/levels/session_guess.h"

#include <algorithm>
#include <vector>

#include "base/assert.h"
#include "check/levels/cycle_reasons.h"
#include "check/levels/pair_search.h"
#include "check/levels/saturation.h"

namespace heddle {

namespace {

// Where it takes more than these, the order of sessions is no good guess.
constexpr std::size_t kMostGuesses = 20;

// How much of its session's order a transaction keeps.
enum class CommitPlace : std::uint8_t { in_session, before_the_next, free };

class SessionGuess {
 public:
  SessionGuess(const Observation& observation, const LevelShape& shape, Meter& meter)
      : observation_(observation),
        shape_(shape),
        meter_(meter),
        places_(observation.node_count(), CommitPlace::in_session) {}

  std::optional<EngineAnswer> run() {
    for (std::size_t guess = 0; guess < kMostGuesses; ++guess) {
      Saturation saturation(observation_, shape_, meter_, sessions());
      saturation.run();
      if (saturation.cycle().empty()) return answer_of(saturation);
      for (const std::vector<OrderEdge>& cycle : explained_cycles(saturation, shape_)) {
        if (!leave_session(cycle)) return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<KnownEdge> sessions() const {
    std::vector<KnownEdge> edges;
    for (std::size_t session = 0; session < observation_.session_count(); ++session) {
      std::optional<Node> last;
      const Node end = observation_.session_begin(session + 1);
      for (Node node = observation_.session_begin(session); node < end; ++node) {
        if (places_[node] == CommitPlace::free) continue;
        if (places_[node] == CommitPlace::before_the_next) {
          if (const auto next = next_in_session(node, end)) edges.push_back(order(node, *next));
          continue;
        }
        if (last) edges.push_back(order(*last, node));
        last = node;
      }
    }
    return edges;
  }

  static KnownEdge order(Node from, Node to) { return {DependencyKind::so, from, to, {}, kNoRead}; }

  std::optional<Node> next_in_session(Node node, Node end) const {
    for (Node next = node + 1; next < end; ++next) {
      if (places_[next] == CommitPlace::in_session) return next;
    }
    return std::nullopt;
  }

  // A cycle that only the guess brought is no answer; nor is it one that no order can exist with
  // it.
  std::optional<EngineAnswer> answer_of(const Saturation& saturation) {
    if (!saturation.is_complete()) return std::nullopt;
    EngineAnswer answer = saturation.is_decided()
                              ? decided_order(saturation, shape_)
                              : search_pairs(observation_, saturation, shape_, meter_);
    if (answer.verdict != Verdict::satisfied) return std::nullopt;
    return answer;
  }

  // Takes one transaction of the cycle out of its session. False: no session's order is in it.
  bool leave_session(const std::vector<OrderEdge>& cycle) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const OrderEdge& edge = cycle[i];
      if (edge.kind != DependencyKind::so) continue;
      // What was read too early shows that its reader is out of place.
      const OrderEdge& next = cycle[(i + 1) % cycle.size()];
      if (next.kind == DependencyKind::so && i + 1 < cycle.size()) continue;
      free_one_of(edge);
      return true;
    }
    return std::ranges::any_of(cycle,
                               [&](const OrderEdge& edge) { return leave_session(edge.because); });
  }

  void free_one_of(const OrderEdge& edge) {
    if (places_[edge.from] == CommitPlace::before_the_next) {
      places_[edge.from] = CommitPlace::free;
    } else {
      places_[edge.to] = CommitPlace::before_the_next;
    }
  }

  const Observation& observation_;
  const LevelShape& shape_;
  Meter& meter_;
  std::vector<CommitPlace> places_;
};

}  // namespace

std::optional<EngineAnswer> guess_by_sessions(const Observation& observation,
                                              const LevelShape& shape, Meter& meter) {
  HEDDLE_ASSERT(observation.illegal().empty() && !shape.session);
  return SessionGuess(observation, shape, meter).run();
}

}  // namespace heddle
