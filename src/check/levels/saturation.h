// Finds the orders that a level forces upon writers, until nothing more follows. Of a read of x by
// r from w and another writer w' of x: where w' must come before r, it must come before w (ww); and
// where w must come before w', r must come before w' (rw). Only the last such w' of each chain is
// looked at, and the first; the others follow. What this leaves open is for a search to decide.
// (Biswas and Enea 2019, section 3, for the rules; Moldrup et al., "AWDIT", PLDI 2025, and Huang et
// al., "PolySI", VLDB 2023, for pruning by reachability.)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "check/levels/chains.h"
#include "check/levels/level_graph.h"
#include "check/observation/bounds.h"
#include "check/observation/engine.h"

namespace heddle {

// Writers of one key in one chain, by place.
struct ChainWriters {
  std::uint32_t chain = 0;
  std::uint32_t begin = 0;  // into Saturation::writers_in_chains()
  std::uint32_t end = 0;
};

// Of one level and history. REQUIRES: the observation outlives it.
class Saturation {
 public:
  // What is supposed counts as known.
  Saturation(const Observation& observation, const LevelShape& shape, Meter& meter,
             std::vector<KnownEdge> supposed = {});

  // Until nothing more follows, a cycle is found, or a bound is hit.
  void run();

  // Only where lists show an order; elsewhere nothing comes of it, no cycle either.
  void take_order_of_lists();

  // The edges of a shortest cycle; empty while there is none.
  const std::vector<std::uint32_t>& cycle() const { return cycle_; }
  // Whether everything that follows from reachability along tracked chains is there: not after a
  // cycle or a bound.
  bool is_complete() const { return complete_; }

  // Whether no question is open: lists have shown the order of all versions that matter. Then only
  // edges() and order() are there.
  bool is_decided() const { return decided_; }

  const std::vector<KnownEdge>& edges() const { return edges_; }
  bool is_supposed(std::uint32_t edge) const {
    return edge >= first_supposed_ && edge - first_supposed_ < supposed_.size();
  }
  const std::vector<Point>& order() const { return order_; }  // topological
  // Per read of Observation::all_reads(): its writer, also where candidates were ruled out.
  const std::vector<Node>& writer_of() const { return writer_of_; }
  // Per choice, the candidates that are left.
  const std::vector<Choice>& choices() const { return choices_; }
  Node reader_of(std::uint32_t read) const { return reader_of_[read]; }

  // Whether the first point is known to come before the second. REQUIRES: no cycle, no bound hit.
  bool reaches(Point from, Point to) const;
  // The writers of a key, chain by chain.
  std::span<const ChainWriters> writers_by_chain(KeyId key) const;
  std::span<const Node> writers_in_chains() const { return by_chain_; }
  const PointGraph& graph() const { return *graph_; }
  const Chains& chains() const { return *chains_; }

 private:
  struct Rivals {
    KeyId key;
    Node first = kInitialNode;
    Node second = kInitialNode;
  };

  void add_base_edges();
  void add_real_time();
  void add_known_versions();
  void number_versions();
  std::uint32_t version_of(const Seen& seen) const;
  bool lists_decide();
  std::optional<std::vector<Rivals>> rivals() const;
  bool order_rivals();
  bool order_rivals_at_once(std::span<const Rivals> pairs);
  void add_missed_versions();
  bool sort_points();
  bool sort_acyclic_points();
  bool refresh();
  void sort_writers();
  bool derive();
  void derive_from_read(std::uint32_t read);
  void derive_between_writers(KeyId key, Node writer);
  void prune_choices();
  bool is_possible(std::uint32_t read, Node candidate) const;
  std::optional<Node> last_before(const ChainWriters& group, Point point, Node not_this) const;
  std::optional<Node> first_after(const ChainWriters& group, Node writer) const;
  void add(DependencyKind kind, Node from, Node to, KeyId key, std::uint32_t read);

  const Observation& observation_;
  const LevelShape shape_;
  Meter& meter_;
  std::vector<KnownEdge> supposed_;
  std::size_t first_supposed_ = 0;
  std::vector<KnownEdge> edges_;
  std::vector<std::uint32_t> cycle_;
  bool complete_ = false;
  bool decided_ = false;
  bool resolved_ = false;  // a choice, in this round
  std::vector<Point> order_;
  std::optional<PointGraph> graph_;
  std::optional<Chains> chains_;
  ChainClocks clocks_;
  std::vector<Node> writer_of_;
  std::vector<Node> reader_of_;
  std::vector<Choice> choices_;
  std::vector<Node> by_chain_;
  std::vector<ChainWriters> chain_writers_;
  std::vector<std::uint32_t> chain_writer_begins_;  // per key
  std::vector<std::uint32_t> rank_;
  std::vector<std::uint32_t> versions_;      // per write of a key, in the order of nodes
  std::vector<std::uint32_t> version_read_;  // per read, where lists decide
};

// The answer of what lists decided. REQUIRES: saturation.is_decided().
EngineAnswer decided_order(const Saturation& saturation, const LevelShape& shape);

}  // namespace heddle
