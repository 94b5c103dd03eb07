// Per transaction a vector clock says how far into each session it sees (Mattern 1989); of the
// writers of a key that a reader of T1's version sees, only the last of each session must be put
// before T1, and only where T1 does not see it anyway. Where the writers of a key are many, only
// those are looked at that stand, in some order that wr and so follow, between what T1 is known to
// see in whole and its last reader. Readers of one version are looked at
// together, and all keys of T1, so that at most one order is added per transaction and session
// (after Moldrup et al., PLDI 2025, section 4, which goes from reader to reader). Clocks of many
// sessions need much memory: sessions are taken a block at a time.
#include "check/levels/weak/weak_levels_causal.h"

#include <algorithm>
#include <optional>

#include "check/levels/weak/weak_levels_base.h"

namespace heddle {

namespace {

// Per write, who read it.
class ReadersOfWrites {
 public:
  explicit ReadersOfWrites(const Observation& observation) : observation_(observation) {
    const auto reads = observation.all_reads();
    begins_.assign(write_count() + 1, 0);
    std::vector<std::uint32_t> writes(reads.size());
    for (std::size_t read = 0; read < reads.size(); ++read) {
      writes[read] = write_of(reads[read]);
      if (writes[read] != kNoWrite) ++begins_[writes[read]];
    }
    for (std::size_t write = 0; write < write_count(); ++write) {
      begins_[write + 1] += begins_[write];
    }
    readers_.resize(begins_.back());
    // Filled from each end to its begin.
    auto read = static_cast<std::uint32_t>(reads.size());
    for (Node node = static_cast<Node>(observation.node_count()); --node > 0;) {
      for (std::size_t i = observation.reads(node).size(); i > 0; --i) {
        if (writes[--read] != kNoWrite) readers_[--begins_[writes[read]]] = node;
      }
    }
  }

  // Of the node's i-th written key. Sorted; a reader may be there several times.
  std::span<const Node> of(Node node, std::size_t i) const {
    const std::size_t write = first_write(node) + i;
    return {readers_.data() + begins_[write], readers_.data() + begins_[write + 1]};
  }

 private:
  static constexpr std::uint32_t kNoWrite = 0xFFFFFFFF;

  // All writes lie side by side in an observation.
  std::size_t first_write(Node node) const {
    return static_cast<std::size_t>(observation_.writes(node).data() -
                                    observation_.writes(kInitialNode).data());
  }
  std::size_t write_count() const {
    const Node last = static_cast<Node>(observation_.node_count() - 1);
    return first_write(last) + observation_.writes(last).size();
  }

  // kNoWrite: the initial state was read.
  std::uint32_t write_of(const Seen& seen) const {
    if (seen.writer == kInitialNode) return kNoWrite;
    const auto writes = observation_.writes(seen.writer);
    const auto write = std::ranges::lower_bound(writes, seen.key);
    return static_cast<std::uint32_t>(first_write(seen.writer) +
                                      static_cast<std::size_t>(write - writes.begin()));
  }

  const Observation& observation_;
  std::vector<std::uint32_t> begins_;
  std::vector<Node> readers_;
};

// The clocks of some sessions, for all transactions.
class CausalClocks {
 public:
  CausalClocks(const Observation& observation, std::size_t width)
      : observation_(observation), width_(width), rows_(observation.node_count() * width) {}

  // Follows sessions [first, first + width). False: a bound was hit.
  bool follow(std::size_t first, std::span<const Node> order, Meter& meter) {
    first_ = first;
    std::ranges::fill(rows_, kInitialNode);
    for (const Node node : order) {
      if (node == kInitialNode) continue;
      if (!meter.may_step()) return false;
      if (node != observation_.session_begin(observation_.session_of(node))) see(node, node - 1);
      for (const Seen& seen : observation_.reads(node)) {
        if (seen.writer != kInitialNode) see(node, seen.writer);
      }
    }
    return true;
  }

  bool follows(std::uint32_t session) const {
    return session >= first_ && session < first_ + width_;
  }

  // The last transaction of the session that the node sees; kInitialNode: none.
  // REQUIRES: follows(session).
  Node last_seen(Node node, std::uint32_t session) const {
    return rows_[std::size_t{node} * width_ + (session - first_)];
  }

 private:
  // What the cause sees the node sees, too.
  void see(Node node, Node cause) {
    Node* const row = rows_.data() + std::size_t{node} * width_;
    const Node* const other = rows_.data() + std::size_t{cause} * width_;
    const std::uint32_t session = observation_.session_of(cause);
    if (follows(session)) {
      // Who sees it already sees what it sees.
      if (row[session - first_] >= cause) return;
      row[session - first_] = cause;
    }
    for (std::size_t i = 0; i < width_; ++i) row[i] = std::max(row[i], other[i]);
  }

  const Observation& observation_;
  const std::size_t width_;
  std::size_t first_ = 0;
  std::vector<Node> rows_;
};

// Finds what is forced before the writers of versions.
class CausalPass {
 public:
  CausalPass(const Observation& observation, std::span<const Node> order, std::vector<Arc>& arcs,
             Meter& meter)
      : observation_(observation),
        order_(order),
        arcs_(arcs),
        room_(meter),
        meter_(meter),
        writers_(observation),
        readers_(observation),
        last_(observation.session_count(), kInitialNode) {
    sort_by_position();
  }

  // With the sessions that the clocks follow.
  bool run(const CausalClocks& clocks) {
    for (Node node = 1; node < observation_.node_count(); ++node) {
      if (!room_.has(arcs_.size() + 2 * last_.size()) || !meter_.may_step()) return false;
      look_at_writes(node, clocks);
      look_at_initial_reads(node, clocks);
    }
    return true;
  }

 private:
  void sort_by_position() {
    positions_.resize(observation_.node_count());
    std::vector<Arc> writes;  // positions into keys
    for (std::uint32_t position = 0; position < order_.size(); ++position) {
      positions_[order_[position]] = position;
      for (const KeyId key : observation_.writes(order_[position])) {
        if (writers_[key].size() > kFewWriters) writes.push_back({position, key.value});
      }
    }
    writers_in_order_ = ArcsInto(observation_.key_count(), writes);
  }

  // Calls back with those writers of the key that stand side by side in followed sessions.
  template <class Callback>
  void for_each_session(KeyId key, const CausalClocks& clocks, Callback callback) const {
    const auto writers = writers_[key];
    for (auto first = writers.begin(); first != writers.end();) {
      const std::uint32_t session = observation_.session_of(*first);
      const Node end = observation_.session_begin(session + 1);
      auto last = first + 1;
      if (last != writers.end() && *last < end) last = std::lower_bound(last, writers.end(), end);
      if (clocks.follows(session)) callback(session, std::span(first, last));
      first = last;
    }
  }

  void look_at_writes(Node node, const CausalClocks& clocks) {
    const auto keys = observation_.writes(node);
    std::optional<std::uint32_t> horizon;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto readers = readers_.of(node, i);
      if (readers.empty()) continue;
      if (writers_[keys[i]].size() > kFewWriters) {
        if (!horizon) horizon = horizon_of(node, clocks);
        const auto between = writers_between(keys[i], *horizon, readers);
        if (between.size() <= std::max(kFewWriters, last_.size())) {
          for (const std::uint32_t position : between) {
            look_at(node, readers, order_[position], clocks);
          }
          continue;
        }
      }
      for_each_session(keys[i], clocks, [&](std::uint32_t session, std::span<const Node> group) {
        look_at(node, readers, session, group, clocks);
      });
    }
    for (const std::uint32_t session : met_) {
      add_forced(arcs_, last_[session], node);
      last_[session] = kInitialNode;
    }
    met_.clear();
  }

  // The node sees all followed transactions before this position.
  std::uint32_t horizon_of(Node node, const CausalClocks& clocks) const {
    auto horizon = static_cast<std::uint32_t>(order_.size());
    for (std::uint32_t session = 0; session < last_.size(); ++session) {
      if (!clocks.follows(session)) continue;
      const Node seen = clocks.last_seen(node, session);
      const Node next = seen == kInitialNode ? observation_.session_begin(session) : seen + 1;
      if (next < observation_.session_begin(session + 1)) {
        horizon = std::min(horizon, positions_[next]);
      }
    }
    return horizon;
  }

  // The positions of the key's writers from the horizon up to the last reader.
  std::span<const std::uint32_t> writers_between(KeyId key, std::uint32_t horizon,
                                                 std::span<const Node> readers) const {
    std::uint32_t last = 0;
    for (const Node reader : readers) last = std::max(last, positions_[reader]);
    const auto all = writers_in_order_.of(key.value);
    const auto begin = std::ranges::lower_bound(all, horizon);
    return {begin, std::lower_bound(begin, all.end(), last)};
  }

  // One writer of a key that the node writes, too, and these readers saw.
  void look_at(Node node, std::span<const Node> readers, Node writer, const CausalClocks& clocks) {
    const std::uint32_t session = observation_.session_of(writer);
    if (writer == node || !clocks.follows(session) || writer <= clocks.last_seen(node, session)) {
      return;
    }
    const bool is_seen = std::ranges::any_of(
        readers, [&](Node reader) { return writer <= clocks.last_seen(reader, session); });
    if (is_seen) note(writer, session);
  }

  void note(Node writer, std::uint32_t session) {
    if (last_[session] == kInitialNode) met_.push_back(session);
    last_[session] = std::max(last_[session], writer);
  }

  // One session's writers of a key that the node writes, too, and these readers saw.
  void look_at(Node node, std::span<const Node> readers, std::uint32_t session,
               std::span<const Node> group, const CausalClocks& clocks) {
    const Node known = clocks.last_seen(node, session);
    if (group.back() <= known) return;
    Node seen = kInitialNode;
    for (const Node reader : readers) seen = std::max(seen, clocks.last_seen(reader, session));
    if (seen <= known) return;
    const auto after = std::ranges::upper_bound(group, seen);
    if (after == group.begin()) return;
    const Node last = *(after - 1);
    if (last <= known || last == node) return;
    note(last, session);
  }

  // Whoever reads the initial state of a key must not see any of its writers.
  void look_at_initial_reads(Node node, const CausalClocks& clocks) {
    for (const Seen& read : observation_.reads(node)) {
      if (read.writer != kInitialNode) continue;
      for_each_session(read.key, clocks, [&](std::uint32_t session, std::span<const Node> group) {
        if (group.front() <= clocks.last_seen(node, session)) {
          add_forced(arcs_, group.front(), kInitialNode);
        }
      });
    }
  }

  static constexpr std::size_t kFewWriters = 16;

  const Observation& observation_;
  const std::span<const Node> order_;
  std::vector<Arc>& arcs_;
  ArcRoom room_;
  Meter& meter_;
  const WritersByNode writers_;
  const ReadersOfWrites readers_;
  std::vector<std::uint32_t> positions_;  // per node, in the order
  ArcsInto writers_in_order_;             // per key with many writers, their positions
  std::vector<Node> last_;                // per session: the last that is forced before the node
  std::vector<std::uint32_t> met_;        // sessions with such a one
};

}  // namespace

bool force_by_causes(const Observation& observation, std::span<const Node> order,
                     std::vector<Arc>& arcs, Meter& meter, std::size_t clock_bytes) {
  const std::size_t nodes = observation.node_count();
  const std::size_t sessions = observation.session_count();
  if (nodes == 1) return true;
  const std::size_t reads = observation.all_reads().size();
  if (!meter.may_allocate(12 * nodes + 12 * reads + 8 * observation.history().operations.size()))
    return false;
  const std::size_t most = std::max<std::size_t>(clock_bytes / (nodes * sizeof(Node)), 1);
  const std::size_t blocks = (sessions + most - 1) / most;
  const std::size_t width = (sessions + blocks - 1) / blocks;
  if (!meter.may_allocate(nodes * width * sizeof(Node))) return false;
  CausalPass pass(observation, order, arcs, meter);
  CausalClocks clocks(observation, width);
  for (std::size_t first = 0; first < sessions; first += width) {
    if (!clocks.follow(first, order, meter) || !pass.run(clocks)) return false;
  }
  return true;
}

}  // namespace heddle
