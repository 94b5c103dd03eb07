// What the engines of the weak levels have in common: the order that transactions must keep
// whatever they see, and the answer once all that follows from what they see is known, too.
#pragma once

#include <vector>

#include "check/levels/weak/weak_levels_graph.h"
#include "check/observation/bounds.h"
#include "check/observation/engine.h"
#include "check/observation/observation.h"
#include "heddle/isolation.h"

namespace heddle {

// What the order must contain before anybody sees anything.
struct BaseOrder {
  bool reads = false;            // wr
  bool sessions = false;         // so
  bool session_writers = false;  // so between transactions that write
  bool realtime = false;
};

// REQUIRES: order_axioms(level).
BaseOrder base_order(IsolationLevel level, const OrderSwitches& switches);

// Whether some operation is illegal at the level, whatever the order.
bool has_illegal(const Observation& observation, IsolationLevel level);

// The arcs of wr, so and real time; n auxiliary nodes for the latter. Reads that are one of
// observation.choices() have none.
ArcsInto base_arcs(const Observation& observation, const BaseOrder& base);

// Those of version orders that lists have shown.
std::vector<Arc> version_arcs(const Observation& observation);

// A read by a transaction that sees another writer of its key: that writer comes before the one
// that was read from. Where the initial state was read from, this makes a cycle at once.
inline void add_forced(std::vector<Arc>& arcs, Node seen, Node source) {
  arcs.push_back({seen, source});
  if (source == kInitialNode) arcs.push_back({kInitialNode, seen});
}

// Asks for the memory of a growing array of arcs, now and then.
class ArcRoom {
 public:
  explicit ArcRoom(Meter& meter) : meter_(meter) {}

  // Whether the array may have so many; arrays grow by doubling.
  bool has(std::size_t arcs) {
    if (arcs <= allowed_) return true;
    allowed_ = 2 * arcs + 4096;
    return meter_.may_allocate(2 * allowed_ * sizeof(Arc));
  }

 private:
  Meter& meter_;
  std::size_t allowed_ = 0;
};

// Satisfied with an order, violated with a cycle, or unknown.
EngineAnswer decide(const Observation& observation, const OrderGraph& graph, IsolationLevel level,
                    const BaseOrder& base, Meter& meter);

// The writers of each key in order of nodes, so that those of one session stand side by side.
class WritersByNode {
 public:
  // Copies them only where lists have put them into another order. REQUIRES: the observation
  // outlives it.
  explicit WritersByNode(const Observation& observation);
  std::span<const Node> operator[](KeyId key) const {
    if (sorted_.empty()) return observation_.writers(key).all;
    return {sorted_.data() + begins_[key.index()], sorted_.data() + begins_[key.index() + 1]};
  }

 private:
  const Observation& observation_;
  std::vector<Node> sorted_;
  std::vector<std::uint32_t> begins_;
};

// The index of a node's first read in Observation::all_reads().
inline std::uint32_t first_read(const Observation& observation, Node node) {
  return static_cast<std::uint32_t>(observation.reads(node).data() -
                                    observation.all_reads().data());
}

}  // namespace heddle
