#include "check/levels/pair_search.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "check/levels/clause_search.h"

namespace heddle {

namespace {

// Who reads a writer's version of a key; with a choice, perhaps.
struct Reader {
  KeyId key;
  Node writer = kInitialNode;
  Node reader = kInitialNode;
  Literal when = kNoLiteral;
};

struct DecidedEdge {
  KnownEdge edge;
  Literal when = kNoLiteral;
};

class PairSearch {
 public:
  PairSearch(const Observation& observation, const Saturation& saturation, const LevelShape& shape,
             Meter& meter)
      : observation_(observation),
        saturation_(saturation),
        shape_(shape),
        meter_(meter),
        search_(saturation.order()),
        place_(saturation.order().size()) {
    for (std::uint32_t i = 0; i < place_.size(); ++i) place_[saturation.order()[i]] = i;
  }

  EngineAnswer run() {
    add_known_edges();
    add_choices();
    collect_readers();
    if (!add_pairs() || !add_choice_edges()) return {};
    const auto review = [&] { return find_stale_read(); };
    const auto answer = shape_.rw_is_edge ? search_.solve(meter_) : search_.solve(meter_, review);
    if (answer == ClauseSearch::Answer::unknown) return {};
    if (answer == ClauseSearch::Answer::impossible) return {Verdict::violated, {}, {}, {}};
    return {Verdict::satisfied, commit_order(), chosen_writers(), {}};
  }

 private:
  void add_known_edges() {
    for (std::size_t node = 0; shape_.split && node < observation_.node_count(); ++node) {
      const Node at = static_cast<Node>(node);
      search_.add_edge(shape_.begin(at), shape_.commit(at));
    }
    for (const KnownEdge& edge : saturation_.edges()) {
      search_.add_edge(tail_of(shape_, edge), head_of(shape_, edge));
    }
  }

  // One variable per candidate: at least one of them is the one.
  void add_choices() {
    for (const Choice& choice : saturation_.choices()) {
      const Node reader = saturation_.reader_of(choice.seen);
      const std::size_t guess = guess_of(choice, reader);
      std::vector<Literal> clause;
      for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
        const Literal is_it = literal(search_.add_variable(i == guess), true);
        const Node candidate = choice.candidates[i];
        clause.push_back(is_it);
        if (candidate != kInitialNode) {
          search_.add_edge(shape_.commit(candidate), shape_.begin(reader), is_it);
        }
        readers_.push_back({observation_.all_reads()[choice.seen].key, candidate, reader, is_it});
      }
      search_.add_clause(std::move(clause));
    }
  }

  // The last candidate in front of the reader, as far as the order can be trusted.
  std::size_t guess_of(const Choice& choice, Node reader) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < choice.candidates.size(); ++i) {
      const std::uint32_t at = place_[shape_.commit(choice.candidates[i])];
      const std::uint32_t best_at = choice.candidates[best] == kInitialNode
                                        ? 0
                                        : place_[shape_.commit(choice.candidates[best])];
      const std::uint32_t reads_at = place_[shape_.begin(reader)];
      const bool is_before = at < reads_at;
      if (is_before ? best_at < at || best_at > reads_at : best_at > reads_at && at < best_at) {
        best = i;
      }
    }
    return best;
  }

  void collect_readers() {
    for (std::uint32_t read = 0; read < observation_.all_reads().size(); ++read) {
      const Node writer = saturation_.writer_of()[read];
      if (writer == kManyWriters || writer == kInitialNode) continue;
      readers_.push_back(
          {observation_.all_reads()[read].key, writer, saturation_.reader_of(read), kNoLiteral});
    }
    std::ranges::sort(readers_, {}, [](const Reader& reader) {
      return std::tuple(reader.key, reader.writer, reader.reader, reader.when);
    });
    const auto same = [](const Reader& a, const Reader& b) {
      return a.key == b.key && a.writer == b.writer && a.reader == b.reader && a.when == b.when;
    };
    readers_.erase(std::unique(readers_.begin(), readers_.end(), same), readers_.end());
  }

  std::span<const Reader> readers_of(KeyId key, Node writer) const {
    const auto range = std::ranges::equal_range(
        readers_, std::pair(key, writer), {},
        [](const Reader& reader) { return std::pair(reader.key, reader.writer); });
    return {range.begin(), range.end()};
  }

  bool is_ordered(Node first, Node second) const {
    return saturation_.reaches(shape_.commit(first), shape_.overwrite(second));
  }

  bool add_pairs() {
    const auto writers = saturation_.writers_in_chains();
    for (std::size_t key = 0; key < observation_.key_count(); ++key) {
      const auto groups = saturation_.writers_by_chain(KeyId(key));
      for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::uint32_t at = groups[i].begin; at < groups[i].end; ++at) {
          for (std::size_t j = i + 1; j < groups.size(); ++j) {
            add_pairs(KeyId(key), writers[at],
                      writers.subspan(groups[j].begin, groups[j].end - groups[j].begin));
          }
          if (!meter_.may_step(groups.size() - i)) return false;
        }
      }
    }
    return meter_.may_allocate(0);
  }

  // With those of another chain that nothing orders yet: they stand side by side.
  void add_pairs(KeyId key, Node writer, std::span<const Node> others) {
    const auto* const first =
        std::partition_point(others.data(), others.data() + others.size(),
                             [&](Node other) { return is_ordered(other, writer); });
    const auto* const last =
        std::partition_point(first, others.data() + others.size(),
                             [&](Node other) { return !is_ordered(writer, other); });
    const bool any_matters = !shape_.overlap || !shape_.rw_is_edge;
    const bool is_read = any_matters || !readers_of(key, writer).empty();
    for (const Node* other = first; other != last; ++other) {
      if (is_read || !readers_of(key, *other).empty()) add_pair(key, writer, *other);
    }
  }

  void add_pair(KeyId key, Node a, Node b) {
    const Node first = std::min(a, b);
    const Node second = std::max(a, b);
    const std::uint64_t name = (std::uint64_t{first} << 32) | second;
    auto [found, is_new] = pairs_.emplace(name, 0);
    if (is_new) {
      found->second =
          search_.add_variable(place_[shape_.commit(first)] < place_[shape_.commit(second)]);
      add_overwrite(first, second, key, literal(found->second, true));
      add_overwrite(second, first, key, literal(found->second, false));
    }
    if (!shape_.rw_is_edge) return;
    add_missed(key, first, second, literal(found->second, true));
    add_missed(key, second, first, literal(found->second, false));
  }

  void add_overwrite(Node first, Node second, KeyId key, Literal when) {
    search_.add_edge(shape_.commit(first), shape_.overwrite(second), when);
    if (!shape_.rw_is_edge) {
      decided_.push_back({{DependencyKind::ww, first, second, key, kNoRead}, when});
    }
  }

  // Who reads the first one's version comes before the second one.
  void add_missed(KeyId key, Node first, Node second, Literal when) {
    for (const Reader& reader : readers_of(key, first)) {
      if (reader.reader == second) continue;
      search_.add_edge(shape_.begin(reader.reader), shape_.commit(second), when, reader.when);
    }
  }

  // A read of a candidate misses those writers that are known to come after it.
  bool add_choice_edges() {
    if (!shape_.rw_is_edge) return true;
    for (const Reader& reader : readers_) {
      if (reader.when == kNoLiteral) continue;
      for (const ChainWriters& group : saturation_.writers_by_chain(reader.key)) {
        const auto writers =
            saturation_.writers_in_chains().subspan(group.begin, group.end - group.begin);
        const auto after = std::ranges::find_if(writers, [&](Node other) {
          return other != reader.reader && other != reader.writer &&
                 (reader.writer == kInitialNode || is_ordered(reader.writer, other));
        });
        if (after == writers.end()) continue;
        search_.add_edge(shape_.begin(reader.reader), shape_.commit(*after), reader.when);
      }
      if (!meter_.may_step()) return false;
    }
    return true;
  }

  // Parallel snapshots: a read that misses a write of its key which its transaction sees. As a
  // clause that the present answers break.
  std::vector<Literal> find_stale_read() {
    std::vector<KnownEdge> edges = saturation_.edges();
    std::vector<Literal> when(edges.size(), kNoLiteral);
    for (const DecidedEdge& decided : decided_) {
      if (!search_.is_true(decided.when)) continue;
      edges.push_back(decided.edge);
      when.push_back(decided.when);
    }
    for (const Reader& reader : readers_) {
      if (reader.when == kNoLiteral || !search_.is_true(reader.when)) continue;
      if (reader.writer == kInitialNode) continue;
      edges.push_back({DependencyKind::wr, reader.writer, reader.reader, reader.key, kNoRead});
      when.push_back(reader.when);
    }
    const PointGraph graph(shape_, observation_.node_count(), edges);
    std::vector<Point> order(graph.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](Point point) { return search_.place(point); });
    ChainClocks clocks;
    clocks.compute(shape_, saturation_.chains(), saturation_.chains().count(), graph, order);
    for (const Reader& reader : all_readers()) {
      const std::optional<Node> missed = missed_write(reader, clocks);
      if (!missed) continue;
      std::vector<Literal> clause;
      for (const std::uint32_t edge : shortest_path(shape_, graph, edges, shape_.commit(*missed),
                                                    shape_.begin(reader.reader), edges.size())) {
        clause.push_back(negated(when[edge]));
      }
      if (reader.when != kNoLiteral) clause.push_back(negated(reader.when));
      if (reader.writer != kInitialNode) {
        clause.push_back(negated(order_literal(reader.writer, *missed)));
      }
      std::erase(clause, negated(kNoLiteral));
      std::ranges::sort(clause);
      clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
      return clause;
    }
    return {};
  }

  // A writer of the key that the reader sees and that comes after the one it read from.
  std::optional<Node> missed_write(const Reader& reader, const ChainClocks& clocks) const {
    const Point reads_at = shape_.begin(reader.reader);
    for (const ChainWriters& group : saturation_.writers_by_chain(reader.key)) {
      const auto writers =
          saturation_.writers_in_chains().subspan(group.begin, group.end - group.begin);
      const std::uint32_t seen = clocks.at(reads_at, group.chain);
      auto after = std::partition_point(writers.begin(), writers.end(), [&](Node writer) {
        return saturation_.chains().position(shape_, shape_.commit(writer)) <= seen;
      });
      if (after != writers.begin() && *(after - 1) == reader.reader) --after;
      if (after == writers.begin() || *(after - 1) == reader.writer) continue;
      const Node last = *(after - 1);
      const bool is_later =
          reader.writer == kInitialNode ||
          search_.place(shape_.commit(reader.writer)) < search_.place(shape_.commit(last));
      if (is_later) return last;
    }
    return std::nullopt;
  }

  // As the present answers say, with those of the initial state.
  std::vector<Reader> all_readers() const {
    std::vector<Reader> all;
    for (std::uint32_t read = 0; read < observation_.all_reads().size(); ++read) {
      if (saturation_.writer_of()[read] != kInitialNode) continue;
      all.push_back({observation_.all_reads()[read].key, kInitialNode, saturation_.reader_of(read),
                     kNoLiteral});
    }
    for (const Reader& reader : readers_) {
      if (reader.when == kNoLiteral || search_.is_true(reader.when)) all.push_back(reader);
    }
    return all;
  }

  // That the first comes before the second; none where that is known.
  Literal order_literal(Node first, Node second) const {
    const std::uint64_t name =
        (std::uint64_t{std::min(first, second)} << 32) | std::max(first, second);
    const auto found = pairs_.find(name);
    if (found == pairs_.end()) return kNoLiteral;
    return literal(found->second, first < second);
  }

  std::vector<Node> commit_order() const {
    std::vector<Node> order(observation_.node_count() - 1);
    std::iota(order.begin(), order.end(), 1);
    std::ranges::sort(order, {}, [&](Node node) { return search_.place(shape_.commit(node)); });
    return order;
  }

  std::vector<Node> chosen_writers() const {
    std::vector<Node> chosen;
    for (const Choice& choice : observation_.choices()) {
      const Node known = saturation_.writer_of()[choice.seen];
      chosen.push_back(known != kManyWriters ? known : chosen_writer(choice.seen));
    }
    return chosen;
  }

  Node chosen_writer(std::uint32_t seen) const {
    const Node reader = saturation_.reader_of(seen);
    const KeyId key = observation_.all_reads()[seen].key;
    const auto choice = std::ranges::find(saturation_.choices(), seen, &Choice::seen);
    for (const Node candidate : choice->candidates) {
      for (const Reader& possible : readers_of(key, candidate)) {
        if (possible.reader == reader && possible.when != kNoLiteral &&
            search_.is_true(possible.when)) {
          return candidate;
        }
      }
    }
    return choice->candidates.front();
  }

  const Observation& observation_;
  const Saturation& saturation_;
  const LevelShape& shape_;
  Meter& meter_;
  ClauseSearch search_;
  std::vector<std::uint32_t> place_;  // per point, in the known order
  std::vector<Reader> readers_;
  std::unordered_map<std::uint64_t, std::uint32_t> pairs_;  // both nodes -> variable
  std::vector<DecidedEdge> decided_;                        // ww edges, where rw is no edge
};

}  // namespace

EngineAnswer search_pairs(const Observation& observation, const Saturation& saturation,
                          const LevelShape& shape, Meter& meter) {
  return PairSearch(observation, saturation, shape, meter).run();
}

}  // namespace heddle
