// Which transactions ended before which others began.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/observation/observation.h"

namespace heddle {

// The nodes of an observation by their ends. One whose outcome nobody was told has no end: it may
// take effect at any time after it began. Without times nothing ended before anything began.
class RealTime {
 public:
  // Sorts the nodes: n log n.
  explicit RealTime(const Observation& observation);

  // The nodes that have an end, by it.
  std::span<const Node> by_end() const { return by_end_; }
  // How many of these ended before the node began. Logarithmic. REQUIRES: node != kInitialNode.
  std::size_t ended_before(Node node) const;

 private:
  const RecordedTransaction& times(Node node) const {
    return observation_.history().transactions[observation_.transaction(node).index()];
  }

  const Observation& observation_;
  std::vector<Node> by_end_;
};

}  // namespace heddle
