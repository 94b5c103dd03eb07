// At these levels whom a transaction sees depends on wr and so alone, not on the order that is
// looked for. So one pass finds every order between two writers that some read forces, and the
// history is legal when these, wr and so have no cycle (Biswas and Enea, OOPSLA 2019, section 4).
// Only those forced orders are added that do not follow from others, which keeps their number and
// the time near-linear (Moldrup et al., "AWDIT: An Optimal Weak Database Isolation Tester", PLDI
// 2025). Left out: reads whose writer is not known (Observation::choices).
#include "check/levels/weak/weak_levels.h"

#include <algorithm>

#include "base/assert.h"
#include "check/levels/weak/weak_levels_base.h"
#include "check/levels/weak/weak_levels_causal.h"

namespace heddle {

namespace {

// A read of the transaction that is being looked at.
struct KeyRead {
  KeyId key;
  std::uint32_t place = 0;  // in program order
  Node writer = kInitialNode;
};

bool by_key(const KeyRead& a, const KeyRead& b) {
  return a.key != b.key ? a.key < b.key : a.place < b.place;
}

bool by_writer(const KeyRead& a, const KeyRead& b) {
  return a.writer != b.writer ? a.writer < b.writer : a.place < b.place;
}

// Looks for what the reads of one transaction after the other force.
class ReadPass {
 public:
  ReadPass(const Observation& observation, std::vector<Arc>& arcs)
      : observation_(observation), arcs_(arcs) {}

  // Whoever was read from is seen from then on (read committed).
  void from_then_on(Node node) { look_at(node, false); }

  // Whoever is read from is seen by all reads, and so is the session so far (read atomic).
  void as_a_whole(Node node) {
    look_at(node, true);
    if (last_in_session_.empty()) last_in_session_.assign(observation_.key_count(), kInitialNode);
    const Node begin = observation_.session_begin(observation_.session_of(node));
    for (const Seen& seen : observation_.reads(node)) {
      const Node last = last_in_session_[seen.key.index()];
      if (last >= begin && last != seen.writer) add_forced(arcs_, last, seen.writer);
    }
    for (const KeyId key : observation_.writes(node)) last_in_session_[key.index()] = node;
  }

 private:
  static constexpr std::size_t kFewReads = 64;
  static constexpr std::size_t kMarksPerSearch = 8;  // looks at marks that cost as much as one

  void look_at(Node node, bool whole) {
    reads_.clear();
    for (const Seen& seen : observation_.reads(node)) {
      reads_.push_back({seen.key, static_cast<std::uint32_t>(reads_.size()), seen.writer});
    }
    if (reads_.size() < 2) return;
    sources_ = reads_;
    std::ranges::sort(reads_, by_key);
    std::ranges::sort(sources_, by_writer);
    compare_repeated_reads(whole);
    if (reads_.size() > kFewReads) mark_keys(node);
    Node last = kInitialNode;  // which nobody is seen to have overwritten
    for (const KeyRead& source : sources_) {
      if (source.writer == last) continue;
      last = source.writer;
      compare_with_writes_of(source, whole);
    }
  }

  // Reads of one key: what was seen first comes before what was seen next, and at read atomic the
  // other way around, too.
  void compare_repeated_reads(bool whole) {
    for (std::size_t i = 1; i < reads_.size(); ++i) {
      const KeyRead& before = reads_[i - 1];
      const KeyRead& after = reads_[i];
      if (before.key != after.key || before.writer == after.writer) continue;
      if (before.writer != kInitialNode) add_forced(arcs_, before.writer, after.writer);
      if (whole && after.writer != kInitialNode) add_forced(arcs_, after.writer, before.writer);
    }
  }

  // Reads of keys that the source wrote, from the source on or all of them; of each key the first
  // read is enough, because repeated reads of a key are compared with each other. The shorter list
  // is walked, the longer one searched.
  void compare_with_writes_of(const KeyRead& source, bool whole) {
    const auto writes = observation_.writes(source.writer);
    const std::size_t per_search = reads_.size() > kFewReads ? kMarksPerSearch : 1;
    if (writes.size() < per_search * reads_.size()) {
      for (const KeyId key : writes) {
        if (may_be_read(key)) compare_with_first_read(key, source, whole);
      }
      return;
    }
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      const KeyId key = reads_[i].key;
      if (i > 0 && reads_[i - 1].key == key) continue;
      if (std::ranges::binary_search(writes, key)) compare_with_first_read(key, source, whole);
    }
  }

  void mark_keys(Node node) {
    if (marks_.empty()) marks_.assign(observation_.key_count(), kInitialNode);
    for (const KeyRead& read : reads_) marks_[read.key.index()] = node;
    marked_ = node;
  }

  // Where the reads are many most keys are ruled out without a search.
  bool may_be_read(KeyId key) const {
    return reads_.size() <= kFewReads || marks_[key.index()] == marked_;
  }

  void compare_with_first_read(KeyId key, const KeyRead& source, bool whole) {
    const std::uint32_t from = whole ? 0 : source.place + 1;
    const auto read = std::ranges::lower_bound(reads_, KeyRead{key, from, {}}, by_key);
    if (read == reads_.end() || read->key != key || read->writer == source.writer) return;
    add_forced(arcs_, source.writer, read->writer);
  }

  const Observation& observation_;
  std::vector<Arc>& arcs_;
  std::vector<KeyRead> reads_;    // by key
  std::vector<KeyRead> sources_;  // by writer
  std::vector<Node> marks_;       // per key, the last node with many reads that read it
  Node marked_ = kInitialNode;
  std::vector<Node> last_in_session_;  // per key; earlier sessions' nodes are none
};

// False: a bound was hit.
bool force_by_reads(const Observation& observation, bool whole, std::vector<Arc>& arcs,
                    Meter& meter) {
  ReadPass pass(observation, arcs);
  ArcRoom room(meter);
  for (Node node = 1; node < observation.node_count(); ++node) {
    if (!room.has(arcs.size()) || !meter.may_step()) return false;
    if (whole) {
      pass.as_a_whole(node);
    } else {
      pass.from_then_on(node);
    }
  }
  return true;
}

// Wr and so are in the graph. False: a bound was hit, or what is seen causally cannot be told,
// because wr and so have a cycle.
bool force(const Observation& observation, const OrderGraph& graph, IsolationLevel level,
           std::vector<Arc>& arcs, Meter& meter) {
  switch (level) {
    case IsolationLevel::read_committed_biswas_enea:
      return force_by_reads(observation, false, arcs, meter);
    case IsolationLevel::read_atomic:
      return force_by_reads(observation, true, arcs, meter);
    case IsolationLevel::transactional_causal: {
      std::vector<Node> order = topological_order(graph, meter);
      if (order.empty()) return false;
      std::erase_if(order, [&](Node node) { return !graph.is_real(node); });
      return force_by_causes(observation, order, arcs, meter);
    }
    default:
      return true;
  }
}

}  // namespace

bool is_weak_level(IsolationLevel level) {
  return level == IsolationLevel::read_uncommitted || level == IsolationLevel::read_committed ||
         level == IsolationLevel::read_committed_biswas_enea ||
         level == IsolationLevel::read_atomic || level == IsolationLevel::transactional_causal;
}

std::optional<OrderGraph> weak_level_graph(const Observation& observation, IsolationLevel level,
                                           const BaseOrder& base, Meter& meter) {
  HEDDLE_ASSERT(is_weak_level(level) && observation.choices().empty());
  if (!meter.may_allocate(8 * observation.node_count() + 4 * observation.all_reads().size())) {
    return std::nullopt;
  }
  OrderGraph graph(observation.node_count(), base_arcs(observation, base));
  std::vector<Arc> arcs = version_arcs(observation);
  if (!force(observation, graph, level, arcs, meter)) {
    return meter.is_hit() ? std::nullopt : std::optional(std::move(graph));
  }
  if (!meter.may_allocate(4 * (arcs.size() + graph.node_count()))) return std::nullopt;
  graph.set_forced(ArcsInto(graph.node_count(), arcs));
  return graph;
}

EngineAnswer check_weak_level(const Observation& observation, IsolationLevel level,
                              const OrderSwitches& switches, Meter& meter) {
  if (has_illegal(observation, level)) return {Verdict::violated};
  const BaseOrder base = base_order(level, switches);
  const auto graph = weak_level_graph(observation, level, base, meter);
  return graph ? decide(observation, *graph, level, base, meter) : EngineAnswer{};
}

}  // namespace heddle
