#include "check/levels/weak/weak_levels_reason.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/assert.h"
#include "check/observation/explains.h"

namespace heddle {

namespace {

using Path = std::vector<OrderEdge>;

// A read and who made it.
struct Reading {
  Node reader = kInitialNode;
  std::uint32_t read = kNoRead;
};

class Reasons {
 public:
  Reasons(const Observation& observation, IsolationLevel level, const BaseOrder& base,
          std::span<const Node> heads)
      : observation_(observation), axioms_(*order_axioms(level)), base_(base) {
    for (const Node node : heads) readings_[node];
    for (Node node = 1; node < observation.node_count(); ++node) {
      std::uint32_t read = first_read(observation, node);
      for (const Seen& seen : observation.reads(node)) {
        const auto found = readings_.find(seen.writer);
        if (found != readings_.end()) found->second.push_back({node, read});
        ++read;
      }
    }
  }

  OrderEdge edge(Node from, Node to) {
    if (base_.reads) {
      if (const auto wr = read_edge(from, to, kNoRead)) return *wr;
    }
    if (const auto ww = known_version(from, to)) return *ww;
    if (keeps_session(from, to)) return so(from, to);
    if (base_.realtime && ends_before(from, to)) return {DependencyKind::rt, from, to, {}};
    if (from == kInitialNode) return {DependencyKind::ww, from, to, {}};
    return forced(from, to);
  }

 private:
  bool asks(Axiom axiom) const { return std::ranges::find(axioms_, axiom) != axioms_.end(); }

  static OrderEdge so(Node from, Node to) { return {DependencyKind::so, from, to, {}}; }

  const Seen& seen(std::uint32_t read) const { return observation_.all_reads()[read]; }

  bool same_session(Node from, Node to) const {
    return from != kInitialNode && to != kInitialNode &&
           observation_.session_of(from) == observation_.session_of(to) && from < to;
  }

  bool keeps_session(Node from, Node to) const {
    if (!same_session(from, to)) return false;
    return base_.sessions || (base_.session_writers && !observation_.writes(from).empty() &&
                              !observation_.writes(to).empty());
  }

  bool ends_before(Node from, Node to) const {
    if (from == kInitialNode || to == kInitialNode) return false;
    const auto& transactions = observation_.history().transactions;
    const auto& first = transactions[observation_.transaction(from).index()];
    return observation_.history().has_times && first.outcome == TransactionOutcome::committed &&
           first.ended < transactions[observation_.transaction(to).index()].began;
  }

  // The first read of `to` from `from`, before that read (kNoRead: at all).
  std::optional<OrderEdge> read_edge(Node from, Node to, std::uint32_t before) const {
    if (to == kInitialNode) return std::nullopt;
    std::uint32_t read = first_read(observation_, to);
    for (const Seen& current : observation_.reads(to)) {
      if (read == before) break;
      if (current.writer == from) return OrderEdge{DependencyKind::wr, from, to, current.key, read};
      ++read;
    }
    return std::nullopt;
  }

  std::optional<OrderEdge> known_version(Node from, Node to) const {
    if (!observation_.has_lists() || from == kInitialNode || to == kInitialNode) {
      return std::nullopt;
    }
    for (const VersionPair& pair : observation_.interleaved()) {
      if (pair.earlier == from && pair.later == to) {
        return OrderEdge{DependencyKind::ww, from, to, pair.key};
      }
    }
    for (const KeyId key : observation_.writes(from)) {
      if (!observation_.writes_key(to, key)) continue;
      const KeyWriters writers = observation_.writers(key);
      const auto place = [&](Node node) {
        return std::ranges::find(writers.all, node) - writers.all.begin();
      };
      if (place(from) < place(to) && place(from) < writers.ordered) {
        return OrderEdge{DependencyKind::ww, from, to, key};
      }
    }
    return std::nullopt;
  }

  // Somebody reads from `to` a key that `from` writes, too, and sees `from`.
  OrderEdge forced(Node from, Node to) {
    std::optional<Path> best;
    Reading why;
    find_causes(from);
    for (const Reading& reading : readings_[to]) {
      if (!observation_.writes_key(from, seen(reading.read).key)) continue;
      std::optional<Path> path = sees(reading, from);
      if (!path || (best && best->size() <= path->size())) continue;
      best = std::move(path);
      why = reading;
    }
    HEDDLE_ASSERT(best);
    return {DependencyKind::ww, from, to, seen(why.read).key, why.read, std::move(*best)};
  }

  // How the reader sees the other transaction, or none where it does not.
  std::optional<Path> sees(const Reading& reading, Node other) const {
    const Node reader = reading.reader;
    if (asks(Axiom::sees_causally)) return causal_path(other, reader);
    if (asks(Axiom::sees_after_reading)) {
      if (const auto wr = read_edge(other, reader, reading.read)) return Path{*wr};
      return std::nullopt;
    }
    if (asks(Axiom::sees_directly)) {
      if (const auto wr = read_edge(other, reader, kNoRead)) return Path{*wr};
    }
    if (asks(Axiom::sees_directly) || asks(Axiom::sees_own_session)) {
      if (same_session(other, reader)) return Path{so(other, reader)};
      return std::nullopt;
    }
    if (asks(Axiom::sees_reads_again)) return read_before(other, reader);
    return through_sources(other, reader);
  }

  // wr;so: somebody read from `other` before, in the session of `node`.
  std::optional<Path> read_before(Node other, Node node) const {
    if (node == kInitialNode) return std::nullopt;
    const Node begin = observation_.session_begin(observation_.session_of(node));
    for (Node earlier = begin; earlier < node; ++earlier) {
      if (const auto wr = read_edge(other, earlier, kNoRead)) {
        return Path{*wr, so(earlier, node)};
      }
    }
    return std::nullopt;
  }

  // so;wr and wr;so;wr: by way of those that the reader reads from.
  std::optional<Path> through_sources(Node other, Node reader) const {
    std::uint32_t read = first_read(observation_, reader);
    for (const Seen& current : observation_.reads(reader)) {
      const OrderEdge wr{DependencyKind::wr, current.writer, reader, current.key, read++};
      if (asks(Axiom::sees_session_writes) && same_session(other, current.writer)) {
        return Path{so(other, current.writer), wr};
      }
      if (!asks(Axiom::sees_sources)) continue;
      if (auto path = read_before(other, current.writer)) {
        path->push_back(wr);
        return path;
      }
    }
    return std::nullopt;
  }

  // Searches the paths of wr and so from a node, breadth first.
  void find_causes(Node from) {
    if (!asks(Axiom::sees_causally) || from == searched_from_) return;
    searched_from_ = from;
    if (readers_.node_count() == 0) index_readers();
    came_from_.assign(observation_.node_count(), kManyWriters);
    std::vector<Node> passed;  // per session, from which node on all have been met
    for (std::size_t session = 1; session <= observation_.session_count(); ++session) {
      passed.push_back(observation_.session_begin(session));
    }
    std::vector<Node> met = {from};
    for (std::size_t i = 0; i < met.size(); ++i) {
      const Node node = met[i];
      const auto meet = [&](Node next) {
        if (next == from || came_from_[next] != kManyWriters) return;
        came_from_[next] = node;
        met.push_back(next);
      };
      for (const Node reader : readers_.of(node)) meet(reader);
      // However far so leads, it is one edge.
      const std::uint32_t session = observation_.session_of(node);
      for (Node next = node + 1; next < passed[session]; ++next) meet(next);
      passed[session] = std::min(passed[session], node + 1);
    }
  }

  // As arcs into the writers: from readers to those that they read from.
  void index_readers() {
    std::vector<Arc> arcs;
    for (Node node = 1; node < observation_.node_count(); ++node) {
      for (const Seen& current : observation_.reads(node)) {
        if (current.writer != kInitialNode) arcs.push_back({node, current.writer});
      }
    }
    readers_ = ArcsInto(observation_.node_count(), arcs);
  }

  std::optional<Path> causal_path(Node from, Node to) const {
    if (came_from_[to] == kManyWriters) return std::nullopt;
    Path path;
    for (Node node = to; node != from; node = came_from_[node]) {
      const auto wr = read_edge(came_from_[node], node, kNoRead);
      path.push_back(wr ? *wr : so(came_from_[node], node));
    }
    std::ranges::reverse(path);
    return path;
  }

  const Observation& observation_;
  const std::span<const Axiom> axioms_;
  const BaseOrder base_;
  std::unordered_map<Node, std::vector<Reading>> readings_;  // of the nodes that edges end at
  ArcsInto readers_;
  Node searched_from_ = kInitialNode;  // node of find_causes
  std::vector<Node> came_from_;        // per node, on the way from there
};

}  // namespace

std::vector<OrderEdge> labelled_cycle(const Observation& observation, std::span<const Node> cycle,
                                      IsolationLevel level, const BaseOrder& base) {
  Reasons reasons(observation, level, base, cycle);
  std::vector<OrderEdge> edges;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    edges.push_back(reasons.edge(cycle[i], cycle[(i + 1) % cycle.size()]));
  }
  // What a transaction writes it puts in the place of the initial state.
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].kind != DependencyKind::ww || edges[i].from != kInitialNode) continue;
    edges[i].key = edges[(i + edges.size() - 1) % edges.size()].key;
  }
  return edges;
}

std::vector<OrderEdge> labelled_arcs(const Observation& observation, std::span<const Arc> arcs,
                                     IsolationLevel level, const BaseOrder& base) {
  std::vector<Node> heads;
  for (const Arc& arc : arcs) heads.push_back(arc.to);
  Reasons reasons(observation, level, base, heads);
  std::vector<OrderEdge> edges;
  for (const Arc& arc : arcs) edges.push_back(reasons.edge(arc.from, arc.to));
  return edges;
}

}  // namespace heddle
