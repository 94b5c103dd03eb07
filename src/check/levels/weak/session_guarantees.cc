// As at the other weak levels (weak_levels.cc), whom a transaction sees does not depend on the
// order that is looked for, so that one pass finds all orders that reads force. But the order need
// not keep sessions, so that of several writers that a session knows not only the last matters: all
// of them come before the writer that was read from. Those are ranges of a list that grows with the
// session, and a segment tree of auxiliary nodes (Bentley 1977) stands for them, so that a long
// range takes logarithmically many arcs. Monotonic writes keep the order of a session's writers,
// and there the last one is enough.
#include "check/levels/weak/session_guarantees.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "check/levels/weak/weak_levels_base.h"

namespace heddle {

namespace {

// A writer of a key that a session knows from one of its transactions on.
struct KnownWriter {
  KeyId key;
  Node since = kInitialNode;  // later transactions of the session know it
  Node writer = kInitialNode;

  friend auto operator<=>(const KnownWriter&, const KnownWriter&) = default;
};

// "All of these before that one", for ranges of one list.
class Ranges {
 public:
  // Auxiliary nodes are numbered from `free` on.
  Ranges(std::span<const KnownWriter> list, Node free, std::vector<Arc>& arcs)
      : list_(list), free_(free), arcs_(arcs) {}

  void put_before(std::size_t first, std::size_t last, Node node) {
    if (last - first <= kShort) {
      for (; first < last; ++first) arcs_.push_back({list_[first].writer, node});
      return;
    }
    if (used_.empty()) used_.assign(list_.size(), false);
    for (first += list_.size(), last += list_.size(); first < last; first /= 2, last /= 2) {
      if (first % 2 == 1) arcs_.push_back({use(first++), node});
      if (last % 2 == 1) arcs_.push_back({use(--last), node});
    }
  }

  // Adds what is below the auxiliary nodes that were used. The number that is free then.
  Node finish() {
    if (used_.empty()) return free_;
    for (std::size_t place = 1; place < used_.size(); ++place) {
      if (!used_[place]) continue;
      for (const std::size_t below : {2 * place, 2 * place + 1}) {
        arcs_.push_back({use(below), auxiliary(place)});
      }
    }
    return free_ + static_cast<Node>(used_.size());
  }

 private:
  static constexpr std::size_t kShort = 8;

  Node auxiliary(std::size_t place) const { return free_ + static_cast<Node>(place); }

  // Places of the tree: 1 is the root, the children of i are 2i and 2i + 1, the list is at the end.
  Node use(std::size_t place) {
    if (place >= list_.size()) return list_[place - list_.size()].writer;
    used_[place] = true;
    return auxiliary(place);
  }

  const std::span<const KnownWriter> list_;
  const Node free_;
  std::vector<Arc>& arcs_;
  std::vector<bool> used_;
};

// Whom a transaction reads from: but of several transactions of one session only the last.
class LastSources {
 public:
  explicit LastSources(const Observation& observation)
      : observation_(observation), last_(observation.session_count(), kInitialNode) {}

  // Lives until the next call.
  std::span<const Node> of(Node node) {
    sources_.clear();
    for (const Seen& seen : observation_.reads(node)) {
      if (seen.writer == kInitialNode) continue;
      Node& last = last_[observation_.session_of(seen.writer)];
      if (last == kInitialNode) sources_.push_back(observation_.session_of(seen.writer));
      last = std::max(last, seen.writer);
    }
    for (Node& source : sources_) source = std::exchange(last_[source], kInitialNode);
    return sources_;
  }

 private:
  const Observation& observation_;
  std::vector<Node> last_;     // per session
  std::vector<Node> sources_;  // first their sessions
};

// Per transaction, who has it among its last sources.
ArcsInto readers_of_last_sources(const Observation& observation) {
  LastSources sources(observation);
  std::vector<Arc> arcs;
  for (Node node = 1; node < observation.node_count(); ++node) {
    for (const Node source : sources.of(node)) arcs.push_back({node, source});
  }
  return ArcsInto(observation.node_count(), arcs);
}

class GuaranteePass {
 public:
  // `free`: the first number that no node of the graph has.
  GuaranteePass(const Observation& observation, IsolationLevel level, Node free,
                std::vector<Arc>& arcs, Meter& meter)
      : observation_(observation),
        level_(level),
        free_(free),
        arcs_(arcs),
        room_(meter),
        meter_(meter),
        first_met_(observation.node_count(), kInitialNode),
        groups_(observation.key_count()),
        read_in_(observation.key_count(), 0) {}

  // False: a bound was hit.
  bool run() {
    if (level_ == IsolationLevel::monotonic_writes) return keep_writes();
    if (level_ == IsolationLevel::writes_follow_reads)
      readers_ = readers_of_last_sources(observation_);
    for (std::size_t session = 0; session < observation_.session_count(); ++session) {
      if (!look_at_session(session)) return false;
    }
    return true;
  }

  Node free() const { return free_; }

 private:
  // A range of known writers.
  struct Group {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  bool may_go_on() { return room_.has(arcs_.size()) && meter_.may_step(); }

  bool look_at_session(std::size_t session) {
    const Node begin = observation_.session_begin(session);
    const Node end = observation_.session_begin(session + 1);
    if (!list_known(begin, end)) return false;
    Ranges ranges(known_, free_, arcs_);
    for (Node node = begin; node < end; ++node) {
      if (level_ != IsolationLevel::writes_follow_reads) {
        if (!look_at_reads(node, node, ranges)) return false;
        continue;
      }
      for (const Node reader : readers_.of(node)) {
        if (!look_at_reads(reader, node, ranges)) return false;
      }
    }
    free_ = ranges.finish();
    return true;
  }

  // The writers that the session knows: its own, or those it read from. All of them matter to
  // others that read from the session, else only those of keys that it reads itself.
  bool list_known(Node begin, Node end) {
    if (level_ != IsolationLevel::writes_follow_reads) {
      for (Node node = begin; node < end; ++node) {
        for (const Seen& seen : observation_.reads(node)) read_in_[seen.key.index()] = begin;
      }
    }
    met_.clear();
    for (Node node = begin; node < end; ++node) {
      if (!meter_.may_step()) return false;
      if (level_ == IsolationLevel::read_your_writes) {
        learn(node, node, begin);
        continue;
      }
      for (const Seen& seen : observation_.reads(node)) {
        if (seen.writer != kInitialNode) learn(seen.writer, node, begin);
      }
    }
    group_by_key();
    return true;
  }

  void learn(Node writer, Node since, Node session_begin) {
    // What sessions before this one met does not count.
    Node& first_met = first_met_[writer];
    if (first_met >= session_begin) return;
    first_met = since;
    const bool all = level_ == IsolationLevel::writes_follow_reads;
    for (const KeyId key : observation_.writes(writer)) {
      if (all || read_in_[key.index()] == session_begin) met_.push_back({key, since, writer});
    }
  }

  // Sorts by counting, because the keys of all sessions together are many.
  void group_by_key() {
    for (const KeyId key : keys_) groups_[key.index()] = {};
    keys_.clear();
    for (const KnownWriter& known : met_) {
      if (groups_[known.key.index()].end++ == 0) keys_.push_back(known.key);
    }
    std::uint32_t end = 0;
    for (const KeyId key : keys_) {
      Group& group = groups_[key.index()];
      end += group.end;
      group = {end - group.end, end - group.end};
    }
    known_.resize(met_.size());
    for (const KnownWriter& known : met_) known_[groups_[known.key.index()].end++] = known;
    for (const KeyId key : keys_) {
      const Group group = groups_[key.index()];
      std::sort(known_.begin() + group.begin, known_.begin() + group.end);
    }
  }

  // Puts what the session knows before `moment` ahead of those that the node reads from.
  bool look_at_reads(Node node, Node moment, Ranges& ranges) {
    for (const Seen& seen : observation_.reads(node)) {
      if (!may_go_on()) return false;
      const Group group = groups_[seen.key.index()];
      if (group.begin == group.end || known_[group.begin].since >= moment) continue;
      const std::size_t last = place_in(group, {seen.key, moment, kInitialNode});
      if (seen.writer == kInitialNode) {
        add_forced(arcs_, known_[group.begin].writer, kInitialNode);
        continue;
      }
      // The writer itself is left out.
      const std::size_t own = place_in(group, {seen.key, first_met_[seen.writer], seen.writer});
      const bool is_known = own < last && known_[own].writer == seen.writer;
      ranges.put_before(group.begin, is_known ? own : last, seen.writer);
      if (is_known) ranges.put_before(own + 1, last, seen.writer);
    }
    return true;
  }

  std::size_t place_in(Group group, const KnownWriter& known) const {
    const auto begin = known_.begin() + group.begin;
    return static_cast<std::size_t>(std::lower_bound(begin, known_.begin() + group.end, known) -
                                    known_.begin());
  }

  // Who reads from a transaction sees what its session wrote before.
  bool keep_writes() {
    const WritersByNode writers(observation_);
    LastSources last_sources(observation_);
    for (Node node = 1; node < observation_.node_count(); ++node) {
      const auto sources = last_sources.of(node);
      for (const Seen& seen : observation_.reads(node)) {
        if (!may_go_on()) return false;
        for (const Node source : sources) {
          const Node last = last_before(source, writers[seen.key]);
          if (last != kInitialNode && last != seen.writer) add_forced(arcs_, last, seen.writer);
        }
      }
    }
    return true;
  }

  // The last of these in the node's session before it.
  Node last_before(Node node, std::span<const Node> writers) const {
    const auto after = std::ranges::lower_bound(writers, node);
    if (after == writers.begin()) return kInitialNode;
    const Node begin = observation_.session_begin(observation_.session_of(node));
    return *(after - 1) < begin ? kInitialNode : *(after - 1);
  }

  const Observation& observation_;
  const IsolationLevel level_;
  Node free_;
  std::vector<Arc>& arcs_;
  ArcRoom room_;
  Meter& meter_;
  ArcsInto readers_;             // per transaction, of writes_follow_reads
  std::vector<Node> first_met_;  // per transaction, the first of the last session that met it
  // Of the current session: the writers it knows, first as they were met, then key by key.
  std::vector<KnownWriter> met_;
  std::vector<KnownWriter> known_;
  std::vector<KeyId> keys_;
  std::vector<Group> groups_;  // per key
  std::vector<Node> read_in_;  // per key, the begin of the last session that reads it
};

}  // namespace

bool is_session_guarantee(IsolationLevel level) {
  return level == IsolationLevel::read_your_writes || level == IsolationLevel::monotonic_reads ||
         level == IsolationLevel::monotonic_writes || level == IsolationLevel::writes_follow_reads;
}

std::optional<OrderGraph> session_guarantee_graph(const Observation& observation,
                                                  IsolationLevel level, const BaseOrder& base,
                                                  Meter& meter) {
  HEDDLE_ASSERT(is_session_guarantee(level) && observation.choices().empty());
  if (!meter.may_allocate(16 * observation.node_count() + 16 * observation.all_reads().size())) {
    return std::nullopt;
  }
  OrderGraph graph(observation.node_count(), base_arcs(observation, base));
  std::vector<Arc> arcs = version_arcs(observation);
  GuaranteePass pass(observation, level, static_cast<Node>(graph.node_count()), arcs, meter);
  if (!pass.run()) return std::nullopt;
  if (!meter.may_allocate(4 * arcs.size() + 4 * std::size_t{pass.free()})) return std::nullopt;
  graph.set_forced(ArcsInto(pass.free(), arcs));
  return graph;
}

EngineAnswer check_session_guarantee(const Observation& observation, IsolationLevel level,
                                     const OrderSwitches& switches, Meter& meter) {
  if (has_illegal(observation, level)) return {Verdict::violated};
  const BaseOrder base = base_order(level, switches);
  const auto graph = session_guarantee_graph(observation, level, base, meter);
  return graph ? decide(observation, *graph, level, base, meter) : EngineAnswer{};
}

}  // namespace heddle
