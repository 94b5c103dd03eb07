// What the engines of transactional levels have in common: what they are asked and what they
// answer, in nodes of an Observation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/observation/observation.h"
#include "heddle/dependency.h"
#include "heddle/verdict.h"

namespace heddle {

inline constexpr std::uint32_t kNoRead = 0xFFFFFFFF;

// "from must come before to." With wr and rw the read that makes it; with a ww that no list shows
// the read of `to`'s version by a node that sees `from`, and how it sees it.
struct OrderEdge {
  DependencyKind kind = DependencyKind::so;
  Node from = kInitialNode;
  Node to = kInitialNode;
  KeyId key;                            // wr, ww, rw
  std::uint32_t read = kNoRead;         // index into Observation::all_reads()
  std::vector<OrderEdge> because = {};  // a path from `from` to the node of `read`
};

// What else than the level's own axioms an order must keep (CheckOptions).
struct OrderSwitches {
  bool session = false;
  bool realtime = false;  // nothing where the history has no times
};

// Satisfied: `order` has every node but kInitialNode. Violated: `cycle`, each edge from where the
// one before ends to the next.
struct EngineAnswer {
  Verdict verdict = Verdict::unknown;
  std::vector<Node> order = {};
  std::vector<Node> chosen = {};  // satisfied: the writer of each of Observation::choices()
  std::vector<OrderEdge> cycle = {};
};

}  // namespace heddle
