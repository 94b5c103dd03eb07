#include "check/levels/weak/weak_levels_base.h"

#include <algorithm>

#include "base/assert.h"
#include "check/levels/weak/weak_levels_reason.h"
#include "check/observation/explains.h"
#include "check/observation/real_time.h"

namespace heddle {

namespace {

bool asks(IsolationLevel level, Axiom axiom) {
  const auto axioms = order_axioms(level);
  HEDDLE_ASSERT(axioms);
  return std::ranges::find(*axioms, axiom) != axioms->end();
}

Node predecessor_in_session(const Observation& observation, const BaseOrder& base, Node node) {
  if (node == kInitialNode) return kInitialNode;
  const Node begin = observation.session_begin(observation.session_of(node));
  if (base.sessions) return node == begin ? kInitialNode : node - 1;
  if (!base.session_writers || observation.writes(node).empty()) return kInitialNode;
  for (Node before = node; before-- > begin;) {
    if (!observation.writes(before).empty()) return before;
  }
  return kInitialNode;
}

}  // namespace

BaseOrder base_order(IsolationLevel level, const OrderSwitches& switches) {
  BaseOrder base;
  base.reads = asks(level, Axiom::commit_order);
  base.realtime = switches.realtime || asks(level, Axiom::real_time_order);
  base.sessions = switches.session || switches.realtime || asks(level, Axiom::session_order_in_co);
  base.session_writers = asks(level, Axiom::sees_session_writes);
  return base;
}

bool has_illegal(const Observation& observation, IsolationLevel level) {
  if (asks(level, Axiom::no_intermediate_reads)) return !observation.illegal().empty();
  return std::ranges::any_of(observation.illegal(), [](const IllegalOperation& illegal) {
    return illegal.kind == AnomalyKind::inconsistent_order;
  });
}

ArcsInto base_arcs(const Observation& observation, const BaseOrder& base) {
  const std::size_t nodes = observation.node_count();
  const RealTime real_time(observation);
  const std::size_t ends = base.realtime ? real_time.by_end().size() : 0;
  ArcsInto arcs;
  arcs.reserve(nodes + ends,
               2 * nodes + 2 * ends + (base.reads ? observation.all_reads().size() : 0));
  arcs.finish_node();
  for (Node node = 1; node < nodes; ++node) {
    const Node before = predecessor_in_session(observation, base, node);
    if (before != kInitialNode) arcs.add(before);
    if (base.reads) {
      for (const Seen& seen : observation.reads(node)) {
        if (seen.writer != kManyWriters) arcs.add(seen.writer);
      }
    }
    const std::size_t ended = base.realtime ? real_time.ended_before(node) : 0;
    if (ended > 0) arcs.add(static_cast<Node>(nodes + ended - 1));
    arcs.finish_node();
  }
  // Auxiliary node i comes after the first i + 1 transactions to end.
  for (std::size_t i = 0; i < ends; ++i) {
    arcs.add(real_time.by_end()[i]);
    if (i > 0) arcs.add(static_cast<Node>(nodes + i - 1));
    arcs.finish_node();
  }
  return arcs;
}

std::vector<Arc> version_arcs(const Observation& observation) {
  std::vector<Arc> arcs;
  if (!observation.has_lists()) return arcs;
  for (const VersionPair& pair : observation.interleaved()) {
    arcs.push_back({pair.earlier, pair.later});
  }
  for (std::size_t key = 0; key < observation.key_count(); ++key) {
    const KeyWriters writers = observation.writers(KeyId(key));
    for (std::size_t i = 1; i < writers.all.size() && writers.ordered > 0; ++i) {
      const std::size_t before = std::min<std::size_t>(i, writers.ordered) - 1;
      arcs.push_back({writers.all[before], writers.all[i]});
    }
  }
  return arcs;
}

EngineAnswer decide(const Observation& observation, const OrderGraph& graph, IsolationLevel level,
                    const BaseOrder& base, Meter& meter) {
  EngineAnswer answer;
  // Two times: of a depth-first search, and of the cycle that is looked for when it fails.
  if (!meter.may_allocate(24 * graph.node_count())) return answer;
  answer.order = topological_order(graph, meter);
  if (meter.is_hit()) return {};
  if (answer.order.empty()) {
    answer.verdict = Verdict::violated;
    const auto before = [&](Node node) { return predecessor_in_session(observation, base, node); };
    answer.cycle = labelled_cycle(observation, short_cycle(graph, before), level, base);
    return answer;
  }
  answer.verdict = Verdict::satisfied;
  std::erase_if(answer.order,
                [&](Node node) { return node == kInitialNode || !graph.is_real(node); });
  return answer;
}

WritersByNode::WritersByNode(const Observation& observation) : observation_(observation) {
  if (!observation.has_lists()) return;
  begins_.push_back(0);
  for (std::size_t key = 0; key < observation.key_count(); ++key) {
    const auto all = observation.writers(KeyId(key)).all;
    sorted_.insert(sorted_.end(), all.begin(), all.end());
    std::sort(sorted_.begin() + begins_.back(), sorted_.end());
    begins_.push_back(static_cast<std::uint32_t>(sorted_.size()));
  }
}

}  // namespace heddle
