// Which of the kept transactions come before which others in every legal order, whatever is still
// to come. The rules are those of check/levels/saturation.h, but for that a read may yet turn out
// to be of a value that somebody writes a second time:
//
// - A settled transaction comes before all that is still to come, so what it read is among what is
//   kept. Orders that follow from such reads hold for good: surely().
// - Before some settled transaction also the others can only have read what is kept. So an order
//   that follows from such a read, along a path that ends with its reader or goes on from there,
//   holds as long as the end of the path comes before the last forgotten one, and if it does not it
//   is after all forgotten ones anyway: before(), which is meaningful only from what is to be
//   forgotten to what is not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/follow/kept_part.h"
#include "check/levels/level_graph.h"

namespace heddle {

// The state before all kept transactions, as the writer of a version.
inline constexpr Node kBefore = 0xFFFFFFFF;

// A read of what others wrote.
struct KeptRead {
  Node reader = 0;
  std::vector<Node> candidates = {};  // whose version it can be; may contain kBefore
  std::vector<Node> shown = {};       // of a list: who appended what is in it
};

struct KeptWrite {
  Node writer = 0;
  bool is_read = false;  // somebody may have read this version
};

// Of one key: what is visible from outside of transactions. Aborted ones are left out.
struct KeptKey {
  std::vector<KeptRead> reads = {};
  std::vector<KeptWrite> writes = {};
  std::vector<std::pair<Node, Node>> list_order = {};  // of writers, as settled reads show it
  bool is_list = false;
  bool is_mixed = false;  // a list and a register: nothing is known of it
};

// One bit per pair of points.
class PointRelation {
 public:
  PointRelation() = default;
  explicit PointRelation(std::size_t points)
      : words_((points + 63) / 64), bits_(points * words_, 0) {}

  bool holds(Point from, Point to) const {
    return (bits_[from * words_ + to / 64] >> to % 64 & 1) != 0;
  }
  void set(Point from, Point to) { bits_[from * words_ + to / 64] |= std::uint64_t{1} << to % 64; }
  // Whatever follows `to` follows `from`.
  void include(Point from, Point to) {
    for (std::size_t i = 0; i < words_; ++i) bits_[from * words_ + i] |= bits_[to * words_ + i];
  }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

// Nodes are places in KeptPart::transactions.
class ForcedOrder {
 public:
  // Time: some rounds of (points x edges / 64). REQUIRES: the part outlives it.
  ForcedOrder(const KeptPart& part, const LevelShape& shape);

  // False: there is a cycle, so that nothing is known.
  bool is_known() const { return is_known_; }
  bool surely(Point from, Point to) const { return sure_.holds(from, to); }
  bool before(Point from, Point to) const { return likely_.holds(from, to); }

  const std::unordered_map<std::int64_t, KeptKey>& keys() const { return keys_; }

 private:
  struct PointArc {
    Point from;
    Point to;
  };

  void collect_accesses();
  void find_candidates();
  using ListWriters = std::unordered_map<std::int64_t, std::vector<Node>>;  // by element
  ListWriters writers_of_elements(std::int64_t name, const KeptKey& key) const;
  void find_list_candidates(std::span<const Value> list, const ListWriters& writers, KeptKey& key,
                            KeptRead& read) const;
  void add_sessions();
  void add_real_time();
  void add_reads(bool settled);
  bool close(PointRelation& relation) const;
  bool derive(const PointRelation& relation, bool likely);
  bool derive_from(const PointRelation& relation, KeptKey& key, KeptRead& read, bool likely);
  bool derive_between_writers(const PointRelation& relation, const KeptKey& key);
  bool is_possible(const PointRelation& relation, const KeptKey& key, const KeptRead& read,
                   Node candidate) const;
  bool saturate(PointRelation& relation, bool likely);
  // From commit to begin, unless that is known or `from` may never happen.
  void add(Point from, Point to) { arcs_.push_back({from, to}); }
  bool may_lead_on(Node node) const { return part_.transactions[node].counts(); }

  const KeptPart& part_;
  const LevelShape shape_;
  std::size_t points_;
  std::vector<PointArc> arcs_;
  std::unordered_map<std::int64_t, KeptKey> keys_;
  std::unordered_map<std::int64_t, std::vector<const KeptOperation*>> read_operations_;
  std::unordered_map<std::int64_t, std::vector<Value>> written_;  // beside KeptKey::writes
  PointRelation sure_;
  PointRelation likely_;
  bool is_known_ = false;
};

}  // namespace heddle
