// For every read of x by T3 from T1 and every other writer T2 of x: if T3 sees T2, T2 comes before
// T1 in the order co (Biswas and Enea, OOPSLA 2019, section 2.2). The levels differ in whom T3
// sees. Reads of the initial state have T1 = kInitialNode, which is before all.
//
// What T3 sees is looked up, not searched: in an order that keeps wr and so, the transactions seen
// causally are a prefix of each session, and those seen at the prefix levels a prefix of co.
#include "check/observation/explains.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "base/assert.h"
#include "check/observation/real_time.h"

namespace heddle {

namespace {

using enum Axiom;

constexpr std::array kReadCommitted = {no_intermediate_reads, commit_order};
constexpr std::array kSnapshot = {no_intermediate_reads, commit_order, sees_prefix, sees_conflicts};
constexpr std::array kSerializable = {no_intermediate_reads, commit_order, sees_all};
constexpr std::array kStrictSerializable = {no_intermediate_reads, commit_order,
                                            session_order_in_co, real_time_order, sees_all};

class Explanation {
 public:
  Explanation(const Observation& observation, std::span<const Node> order,
              std::span<const Node> chosen, std::span<const Axiom> axioms,
              const OrderSwitches& switches)
      : observation_(observation),
        order_(order),
        chosen_(chosen),
        axioms_(axioms),
        keeps_real_time_(switches.realtime || asks(real_time_order)),
        keeps_all_sessions_(switches.session || switches.realtime || asks(session_order_in_co)),
        real_time_(observation) {}

  bool holds() {
    if (!is_legal() || !is_order() || !keeps_versions() || !keeps_sessions()) return false;
    if (keeps_real_time_ && !keeps_real_time()) return false;
    if (!resolve_reads()) return false;
    if (!asks(commit_order)) return true;
    if (!keeps_reads()) return false;
    if (axioms_.size() == kReadCommitted.size()) return true;  // nobody need see anybody
    look_back();
    sort_writers();
    for (Node node = 1; node < observation_.node_count(); ++node) {
      for (std::size_t read = 0; read < observation_.reads(node).size(); ++read) {
        if (!is_newest_seen(node, read)) return false;
      }
    }
    return true;
  }

 private:
  bool asks(Axiom axiom) const { return std::ranges::find(axioms_, axiom) != axioms_.end(); }
  bool before(Node a, Node b) const { return position_[a] < position_[b]; }

  bool is_legal() const {
    if (asks(no_intermediate_reads)) return observation_.illegal().empty();
    return std::ranges::find(observation_.illegal(), AnomalyKind::inconsistent_order,
                             &IllegalOperation::kind) == observation_.illegal().end();
  }

  bool is_order() {
    if (order_.size() + 1 != observation_.node_count()) return false;
    position_.assign(observation_.node_count(), 0);
    std::uint32_t position = 0;
    for (const Node node : order_) {
      if (node == kInitialNode || node >= position_.size() || position_[node] != 0) return false;
      position_[node] = ++position;
    }
    return true;
  }

  // Orders of versions that lists have shown hold at every level.
  bool keeps_versions() const {
    for (const VersionPair& pair : observation_.interleaved()) {
      if (!before(pair.earlier, pair.later)) return false;
    }
    for (std::size_t key = 0; key < observation_.key_count(); ++key) {
      const KeyWriters writers = observation_.writers(KeyId(key));
      for (std::size_t i = 1; i < writers.all.size() && writers.ordered > 0; ++i) {
        const std::size_t last_ordered = std::min<std::size_t>(i, writers.ordered) - 1;
        if (!before(writers.all[last_ordered], writers.all[i])) return false;
      }
    }
    return true;
  }

  bool keeps_sessions() const {
    // Monotonic writes: a session's writes take effect in its order.
    const bool writers = asks(sees_session_writes);
    for (std::size_t session = 0; session < observation_.session_count(); ++session) {
      Node last = kInitialNode;
      const Node end = observation_.session_begin(session + 1);
      for (Node node = observation_.session_begin(session); node < end; ++node) {
        if (!keeps_all_sessions_ && !(writers && !observation_.writes(node).empty())) continue;
        if (!before(last, node)) return false;
        last = node;
      }
    }
    return true;
  }

  bool keeps_real_time() const {
    std::vector<std::uint32_t> latest = latest_ended();
    return std::ranges::all_of(
        order_, [&](Node node) { return latest[real_time_.ended_before(node)] < position_[node]; });
  }

  // The latest position in co among the first nodes to end, by how many.
  std::vector<std::uint32_t> latest_ended() const {
    std::vector<std::uint32_t> latest = {0};
    for (const Node node : real_time_.by_end()) {
      latest.push_back(std::max(latest.back(), position_[node]));
    }
    return latest;
  }

  bool resolve_reads() {
    const auto& choices = observation_.choices();
    if (chosen_.size() != choices.size()) return false;
    for (const Seen& seen : observation_.all_reads()) sources_.push_back(seen.writer);
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (!std::ranges::binary_search(choices[i].candidates, chosen_[i])) return false;
      sources_[choices[i].seen] = chosen_[i];
    }
    return true;
  }

  // The writers that a node's reads saw, in program order.
  std::span<const Node> sources(Node node) const {
    const auto reads = observation_.reads(node);
    const auto first = reads.data() - observation_.all_reads().data();
    return std::span(sources_).subspan(static_cast<std::size_t>(first), reads.size());
  }

  bool keeps_reads() const {
    for (Node node = 1; node < observation_.node_count(); ++node) {
      for (const Node source : sources(node)) {
        if (!before(source, node)) return false;
      }
    }
    return true;
  }

  void look_back() {
    if (asks(sees_reads_again) || asks(sees_sources)) note_first_readers();
    if (asks(sees_causally)) note_causes();
    if (asks(sees_prefix) || asks(sees_all)) note_prefixes();
  }

  std::uint64_t by_session(std::uint32_t session, Node node) const {
    return std::uint64_t{session} << 32 | node;
  }

  void note_first_readers() {
    for (Node node = 1; node < observation_.node_count(); ++node) {
      for (const Node source : sources(node)) {
        first_reader_.emplace(by_session(observation_.session_of(node), source), node);
      }
    }
  }

  // Whether a transaction of `reader`'s session read from `source` before it.
  bool session_read(Node reader, Node source) const {
    const auto first = first_reader_.find(by_session(observation_.session_of(reader), source));
    return first != first_reader_.end() && first->second < reader;
  }

  bool has_predecessor(Node node) const {
    return node != observation_.session_begin(observation_.session_of(node));
  }

  Node& last_cause(Node node, std::size_t session) {
    return causes_[node * observation_.session_count() + session];
  }

  void add_cause(Node node, Node cause) {
    if (cause == kInitialNode) return;
    for (std::size_t session = 0; session < observation_.session_count(); ++session) {
      last_cause(node, session) = std::max(last_cause(node, session), last_cause(cause, session));
    }
    Node& last = last_cause(node, observation_.session_of(cause));
    last = std::max(last, cause);
  }

  void note_causes() {
    causes_.assign(observation_.node_count() * observation_.session_count(), kInitialNode);
    std::vector<Node> last_writer(observation_.key_count(), kInitialNode);
    for (const Node node : order_) {
      if (has_predecessor(node)) add_cause(node, node - 1);
      for (const Node source : sources(node)) add_cause(node, source);
      if (!asks(sees_in_parallel)) continue;
      for (const KeyId key : observation_.writes(node)) {
        add_cause(node, last_writer[key.index()]);
        last_writer[key.index()] = node;
      }
      if (!keeps_real_time_) continue;
      for (const Node ended : real_time_.by_end().first(real_time_.ended_before(node))) {
        if (last_cause(node, observation_.session_of(ended)) < ended) add_cause(node, ended);
      }
    }
  }

  void note_prefixes() {
    prefix_.assign(observation_.node_count(), 0);
    std::vector<Node> last_writer(observation_.key_count(), kInitialNode);
    const std::vector<std::uint32_t> latest = latest_ended();
    for (const Node node : order_) {
      Node last = kInitialNode;
      const auto see = [&](Node other) { last = before(last, other) ? other : last; };
      for (const Node source : sources(node)) see(source);
      if (keeps_all_sessions_ && has_predecessor(node)) see(node - 1);
      for (const KeyId key : observation_.writes(node)) {
        if (asks(sees_conflicts)) see(last_writer[key.index()]);
        last_writer[key.index()] = node;
      }
      prefix_[node] = asks(sees_all) ? position_[node] - 1 : position_[last];
      if (!keeps_real_time_) continue;
      prefix_[node] = std::max(prefix_[node], latest[real_time_.ended_before(node)]);
    }
  }

  // Whether T3 sees T2 when it makes the read.
  bool sees(Node node, Node other, std::size_t read) {
    const auto seen = sources(node);
    const std::uint32_t session = observation_.session_of(other);
    const bool in_session = session == observation_.session_of(node) && other < node;
    const bool reads_from = std::ranges::find(seen, other) != seen.end();
    const auto any_source = [&](auto&& condition) {
      return std::ranges::any_of(
          seen, [&](Node source) { return source != kInitialNode && condition(source); });
    };
    const auto follows = [&](Node source) {
      return observation_.session_of(source) == session && other < source;
    };
    const auto knows = [&](Node source) { return session_read(source, other); };
    const auto earlier = seen.first(read);
    return (asks(sees_own_session) && in_session) ||
           (asks(sees_reads_again) && session_read(node, other)) ||
           (asks(sees_session_writes) && any_source(follows)) ||
           (asks(sees_sources) && any_source(knows)) ||
           (asks(sees_after_reading) && std::ranges::find(earlier, other) != earlier.end()) ||
           (asks(sees_directly) && (in_session || reads_from)) ||
           (asks(sees_causally) && other <= last_cause(node, session)) ||
           ((asks(sees_prefix) || asks(sees_all)) && position_[other] <= prefix_[node]);
  }

  void sort_writers() {
    writers_.resize(observation_.key_count());
    for (const Node node : order_) {
      for (const KeyId key : observation_.writes(node)) writers_[key.index()].push_back(node);
    }
  }

  // Whether none of the writers after the source is seen.
  bool is_newest_seen(Node node, std::size_t read) {
    const Node source = sources(node)[read];
    const std::vector<Node>& writers = writers_[observation_.reads(node)[read].key.index()];
    auto other = std::ranges::upper_bound(writers, position_[source], {},
                                          [&](Node writer) { return position_[writer]; });
    for (; other != writers.end(); ++other) {
      // In an order that keeps sessions what a transaction sees comes before it.
      if (keeps_all_sessions_ && !before(*other, node)) return true;
      if (sees(node, *other, read)) return false;
    }
    return true;
  }

  const Observation& observation_;
  const std::span<const Node> order_;
  const std::span<const Node> chosen_;
  const std::span<const Axiom> axioms_;
  const bool keeps_real_time_;
  const bool keeps_all_sessions_;
  const RealTime real_time_;
  std::vector<std::uint32_t> position_;                   // in co, per node
  std::vector<Node> sources_;                             // per read
  std::vector<std::vector<Node>> writers_;                // per key, in co
  std::unordered_map<std::uint64_t, Node> first_reader_;  // per session and source
  std::vector<Node> causes_;           // per node and session: the last that it sees causally
  std::vector<std::uint32_t> prefix_;  // per node: it sees all up to this position
};

}  // namespace

std::optional<std::span<const Axiom>> order_axioms(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::read_uncommitted:
      return std::span<const Axiom>();
    case IsolationLevel::read_committed:
      return kReadCommitted;
    case IsolationLevel::repeatable_read:  // Recorded histories have no predicates.
    case IsolationLevel::serializable:
      return kSerializable;
    case IsolationLevel::snapshot:
      return kSnapshot;
    case IsolationLevel::strict_serializable:
      return kStrictSerializable;
    default:
      break;
  }
  const auto axioms = definition(level).axioms;
  if (std::ranges::find(axioms, commit_order) == axioms.end()) return std::nullopt;
  return axioms;
}

bool explains(const Observation& observation, std::span<const Node> order,
              std::span<const Node> chosen, IsolationLevel level, const OrderSwitches& switches) {
  const auto axioms = order_axioms(level);
  HEDDLE_ASSERT(axioms);
  return Explanation(observation, order, chosen, *axioms, switches).holds();
}

}  // namespace heddle
