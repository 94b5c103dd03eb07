#include "check/levels/saturation.h"

#include <algorithm>
#include <utility>

#include "check/levels/dynamic_order.h"
#include "check/observation/real_time.h"

namespace heddle {

namespace {

// Clocks take at most this much where no bound on memory is set.
constexpr std::size_t kMostClockBytes = std::size_t{1} << 30;
// Pairs of rivals per node that are tried one by one.
constexpr std::size_t kMostRivals = 8;
// Of a DynamicOrder.
constexpr std::size_t kBytesPerPoint = 80;
constexpr std::size_t kBytesPerEdge = 32;
// Of points and edges that are sorted once more.
constexpr std::size_t kBytesPerPlace = 24;
constexpr std::size_t kBytesPerSortedEdge = 8;
constexpr std::uint32_t kNoVersion = 0xFFFFFFFF;

}  // namespace

Saturation::Saturation(const Observation& observation, const LevelShape& shape, Meter& meter,
                       std::vector<KnownEdge> supposed)
    : observation_(observation),
      shape_(shape),
      meter_(meter),
      supposed_(std::move(supposed)),
      choices_(observation.choices()) {
  const auto reads = observation.all_reads();
  writer_of_.reserve(reads.size());
  for (const Seen& seen : reads) writer_of_.push_back(seen.writer);
  reader_of_.reserve(reads.size());
  for (Node node = 0; node < observation.node_count(); ++node) {
    reader_of_.insert(reader_of_.end(), observation.reads(node).size(), node);
  }
  // Sessions are taken to go on at the same pace: a good guess where times are unknown.
  rank_.assign(observation.node_count(), 0);
  for (std::size_t session = 0; session < observation.session_count(); ++session) {
    const Node begin = observation.session_begin(session);
    const Node end = observation.session_begin(session + 1);
    for (Node node = begin; node < end; ++node) {
      rank_[node] = static_cast<std::uint32_t>((std::uint64_t{node - begin} << 30) / (end - begin));
    }
  }
}

void Saturation::run() {
  if (!meter_.may_allocate(observation_.all_reads().size() * 2 * sizeof(KnownEdge))) return;
  add_base_edges();
  if (lists_decide()) {
    add_missed_versions();
    decided_ = complete_ = sort_points() && order_rivals();
    if (decided_ || !cycle_.empty()) return;
  }
  while (refresh()) {
    const std::size_t before = edges_.size();
    resolved_ = false;
    if (!derive()) return;
    if (edges_.size() == before && !resolved_) {
      complete_ = true;
      return;
    }
  }
}

void Saturation::take_order_of_lists() {
  if (!observation_.has_lists() || !choices_.empty()) return;
  if (!meter_.may_allocate(observation_.all_reads().size() * 2 * sizeof(KnownEdge))) return;
  add_base_edges();
  if (!lists_decide()) return;
  add_missed_versions();
  decided_ = complete_ = sort_acyclic_points() && order_rivals();
}

void Saturation::add(DependencyKind kind, Node from, Node to, KeyId key, std::uint32_t read) {
  edges_.push_back({kind, from, to, key, read});
}

void Saturation::add_base_edges() {
  edges_.reserve(observation_.node_count() + writer_of_.size() +
                 observation_.history().operations.size() + supposed_.size());
  if (shape_.session) {
    for (std::size_t session = 0; session < observation_.session_count(); ++session) {
      const Node end = observation_.session_begin(session + 1);
      for (Node node = observation_.session_begin(session) + 1; node < end; ++node) {
        add(DependencyKind::so, node - 1, node, {}, kNoRead);
      }
    }
  }
  if (shape_.realtime && observation_.history().has_times) add_real_time();
  std::vector<Node> last_reader(observation_.node_count(), kInitialNode);
  for (std::uint32_t read = 0; read < writer_of_.size(); ++read) {
    const Node writer = writer_of_[read];
    if (writer == kInitialNode || writer == kManyWriters) continue;
    if (last_reader[writer] == reader_of_[read]) continue;
    last_reader[writer] = reader_of_[read];
    add(DependencyKind::wr, writer, reader_of_[read], observation_.all_reads()[read].key, read);
  }
  add_known_versions();
  first_supposed_ = edges_.size();
  edges_.insert(edges_.end(), supposed_.begin(), supposed_.end());
}

// Of the transactions that ended before another began, those that no third one comes between.
void Saturation::add_real_time() {
  const RealTime real_time(observation_);
  const auto times = [&](Node node) -> const RecordedTransaction& {
    return observation_.history().transactions[observation_.transaction(node).index()];
  };
  const auto by_end = real_time.by_end();
  std::vector<Moment> latest_begin;  // among those up to each in by_end
  for (const Node node : by_end) {
    const Moment began = times(node).began;
    latest_begin.push_back(latest_begin.empty() ? began : std::max(latest_begin.back(), began));
  }
  for (Node node = 1; node < observation_.node_count(); ++node) {
    std::size_t count = real_time.ended_before(node);
    if (count == 0) continue;
    const Moment frontier = latest_begin[count - 1];
    for (; count > 0 && times(by_end[count - 1]).ended >= frontier; --count) {
      add(DependencyKind::rt, by_end[count - 1], node, {}, kNoRead);
    }
  }
}

void Saturation::add_known_versions() {
  if (observation_.has_lists()) number_versions();
  for (const VersionPair& pair : observation_.interleaved()) {
    add(DependencyKind::ww, pair.earlier, pair.later, pair.key, kNoRead);
  }
  for (std::size_t key = 0; key < observation_.key_count(); ++key) {
    const KeyWriters writers = observation_.writers(KeyId(key));
    for (std::size_t i = 1; i < writers.all.size() && writers.ordered > 0; ++i) {
      const std::size_t before = std::min<std::size_t>(i - 1, writers.ordered - 1);
      add(DependencyKind::ww, writers.all[before], writers.all[i], KeyId(key), kNoRead);
    }
  }
}

// Per write of a key: how many versions there are up to it, where lists tell.
void Saturation::number_versions() {
  const Observation& all = observation_;
  const Node last = static_cast<Node>(all.node_count() - 1);
  const KeyId* const begin = all.writes(kInitialNode).data();
  versions_.assign(
      static_cast<std::size_t>(all.writes(last).data() + all.writes(last).size() - begin),
      kNoVersion);
  for (std::size_t key = 0; key < all.key_count(); ++key) {
    const KeyWriters writers = all.writers(KeyId(key));
    for (std::uint32_t i = 0; i < writers.ordered; ++i) {
      const auto writes = all.writes(writers.all[i]);
      const auto entry = std::ranges::lower_bound(writes, KeyId(key));
      versions_[static_cast<std::size_t>(&*entry - begin)] = i + 1;
    }
  }
}

// Whether the writers of each key are in order but for some that nobody reads.
bool Saturation::lists_decide() {
  if (!observation_.has_lists() || !choices_.empty() || !shape_.rw_is_edge) return false;
  std::size_t unread = 0;
  version_read_.reserve(writer_of_.size());
  std::vector<std::uint32_t> loose(observation_.key_count(), 0);
  for (std::size_t key = 0; key < loose.size(); ++key) {
    const KeyWriters writers = observation_.writers(KeyId(key));
    loose[key] = static_cast<std::uint32_t>(writers.all.size()) - writers.ordered;
  }
  for (std::uint32_t read = 0; read < writer_of_.size(); ++read) {
    const Seen& seen = observation_.all_reads()[read];
    version_read_.push_back(version_of(seen));
    if (version_read_.back() == kNoVersion) return false;
    const bool is_last = version_read_.back() == observation_.writers(seen.key).ordered;
    unread += is_last ? loose[seen.key.index()] : 0;
  }
  // Every reader of a last version misses all that nobody read: too many are better left to clocks.
  return unread <= 8 * (writer_of_.size() + observation_.node_count());
}

// How many ordered versions of its key a read is past: 0 for the initial one.
std::uint32_t Saturation::version_of(const Seen& seen) const {
  if (seen.writer == kInitialNode) return 0;
  const auto writes = observation_.writes(seen.writer);
  const auto entry = std::ranges::lower_bound(writes, seen.key);
  const auto index = static_cast<std::size_t>(&*entry - observation_.writes(kInitialNode).data());
  return versions_[index];
}

void Saturation::add_missed_versions() {
  for (std::uint32_t read = 0; read < writer_of_.size(); ++read) {
    const Seen& seen = observation_.all_reads()[read];
    const KeyWriters writers = observation_.writers(seen.key);
    const std::uint32_t version = version_read_[read];
    const std::size_t end = version < writers.ordered ? version + 1 : writers.all.size();
    for (std::size_t next = version; next < end; ++next) {
      if (writers.all[next] != reader_of_[read]) {
        add(DependencyKind::rw, reader_of_[read], writers.all[next], seen.key, read);
      }
    }
  }
}

// Pairs of writers that must not overlap and whose order nobody has seen. None: they are too many.
std::optional<std::vector<Saturation::Rivals>> Saturation::rivals() const {
  std::vector<Rivals> found;
  for (std::size_t key = 0; key < observation_.key_count() && !shape_.overlap; ++key) {
    const KeyWriters writers = observation_.writers(KeyId(key));
    const std::size_t loose = writers.all.size() - writers.ordered;
    if (found.size() + loose * loose > kMostRivals * observation_.node_count()) return std::nullopt;
    for (std::size_t i = writers.ordered; i < writers.all.size(); ++i) {
      for (std::size_t j = i + 1; j < writers.all.size(); ++j) {
        found.push_back({KeyId(key), writers.all[i], writers.all[j]});
      }
    }
  }
  return found;
}

// Takes all rivals to come in the order found, which mostly is right. False: they do not.
bool Saturation::order_rivals_at_once(std::span<const Rivals> pairs) {
  if (!meter_.would_fit(order_.size() * kBytesPerPlace + edges_.size() * kBytesPerSortedEdge)) {
    return false;
  }
  std::vector<std::uint32_t> place(order_.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) place[order_[i]] = i;
  const std::size_t known = edges_.size();
  for (auto [key, first, second] : pairs) {
    if (place[shape_.commit(second)] < place[shape_.commit(first)]) std::swap(first, second);
    add(DependencyKind::ww, first, second, key, kNoRead);
  }
  const PointGraph guessed(shape_, observation_.node_count(), edges_);
  edges_.resize(known);
  std::vector<Point> order = topological_points(shape_, guessed, rank_);
  if (order.empty()) return false;
  order_ = std::move(order);
  return meter_.may_step(pairs.size());
}

// Of two rivals the one comes first that can; where both can, the one that commits first in the
// order found, which mostly is right. False: it was not, or there is a cycle.
bool Saturation::order_rivals() {
  const auto pairs = rivals();
  if (!pairs) return false;
  if (pairs->empty() || order_rivals_at_once(*pairs)) return true;
  if (!meter_.may_allocate(order_.size() * kBytesPerPoint + edges_.size() * kBytesPerEdge)) {
    return false;
  }
  DynamicOrder order(order_);
  const auto put = [&](Node first, Node second) {
    return order.add(shape_.commit(first), shape_.begin(second), 0);
  };
  for (Node node = 0; node < observation_.node_count(); ++node) {
    order.add(shape_.begin(node), shape_.commit(node), 0);
  }
  for (const KnownEdge& edge : edges_) order.add(tail_of(shape_, edge), head_of(shape_, edge), 0);
  for (const bool is_guess : {false, true}) {
    for (auto [key, first, second] : *pairs) {
      if (!meter_.may_step()) return false;
      if (order.place(shape_.commit(second)) < order.place(shape_.commit(first))) {
        std::swap(first, second);
      }
      if (put(first, second)) {
        if (!is_guess) order.pop();
        continue;
      }
      const bool fits = put(second, first);
      if (!is_guess) add(DependencyKind::ww, second, first, key, kNoRead);
      if (!fits) return !is_guess && sort_points();
    }
  }
  std::ranges::sort(order_, {}, [&](Point point) { return order.place(point); });
  return true;
}

// False: there is a cycle, which is looked for.
bool Saturation::sort_points() {
  if (!sort_acyclic_points()) cycle_ = shortest_cycle(shape_, *graph_, edges_);
  return !order_.empty();
}

// False: there is a cycle.
bool Saturation::sort_acyclic_points() {
  graph_.emplace(shape_, observation_.node_count(), edges_);
  order_ = topological_points(shape_, *graph_, rank_);
  return !order_.empty();
}

// Brings order and clocks up to date with the edges. False: there is a cycle, or no room.
bool Saturation::refresh() {
  if (!sort_points()) return false;
  if (!chains_) {
    chains_.emplace(shape_, observation_.node_count(), edges_, order_);
    sort_writers();
  }
  const std::size_t column = graph_->size() * sizeof(std::uint32_t);
  std::size_t tracked = std::min(chains_->count(), kMostClockBytes / column);
  while (tracked > 0 && !meter_.would_fit(tracked * column)) tracked /= 2;
  clocks_.compute(shape_, *chains_, tracked, *graph_, order_);
  return meter_.may_step(edges_.size());
}

void Saturation::sort_writers() {
  chain_writer_begins_.assign(1, 0);
  by_chain_.clear();
  for (std::size_t key = 0; key < observation_.key_count(); ++key) {
    const auto all = observation_.writers(KeyId(key)).all;
    const auto first = static_cast<std::ptrdiff_t>(by_chain_.size());
    by_chain_.insert(by_chain_.end(), all.begin(), all.end());
    std::sort(by_chain_.begin() + first, by_chain_.end(), [&](Node a, Node b) {
      return std::pair(chains_->chain_of(a), chains_->place_of(a)) <
             std::pair(chains_->chain_of(b), chains_->place_of(b));
    });
    for (auto i = static_cast<std::uint32_t>(first); i < by_chain_.size(); ++i) {
      const std::uint32_t chain = chains_->chain_of(by_chain_[i]);
      const bool is_new = chain_writers_.size() == chain_writer_begins_.back() ||
                          chain_writers_.back().chain != chain;
      if (is_new) chain_writers_.push_back({chain, i, i});
      chain_writers_.back().end = i + 1;
    }
    chain_writer_begins_.push_back(static_cast<std::uint32_t>(chain_writers_.size()));
  }
}

std::span<const ChainWriters> Saturation::writers_by_chain(KeyId key) const {
  const std::uint32_t begin = chain_writer_begins_[key.index()];
  return {chain_writers_.data() + begin, chain_writer_begins_[key.index() + 1] - begin};
}

bool Saturation::reaches(Point from, Point to) const {
  const Node source = shape_.node_of(from);
  const Node target = shape_.node_of(to);
  const std::uint32_t chain = chains_->chain_of(source);
  if (chain == chains_->chain_of(target)) {
    return chains_->position(shape_, from) < chains_->position(shape_, to);
  }
  return clocks_.at(to, chain) >= chains_->position(shape_, from);
}

// Edges that follow from all reads and writers. False: a bound was hit.
bool Saturation::derive() {
  for (std::uint32_t read = 0; read < writer_of_.size(); ++read) {
    if (writer_of_[read] == kManyWriters) continue;
    derive_from_read(read);
    if (!meter_.may_step(writers_by_chain(observation_.all_reads()[read].key).size())) return false;
  }
  if (!shape_.overlap) {
    for (std::size_t key = 0; key < observation_.key_count(); ++key) {
      for (const Node writer : observation_.writers(KeyId(key)).all) {
        derive_between_writers(KeyId(key), writer);
      }
      if (!meter_.may_step()) return false;
    }
  }
  prune_choices();
  return meter_.may_allocate(edges_.size() * sizeof(KnownEdge));
}

// The last writer of the group whose commit reaches the point and that is not `not_this`.
std::optional<Node> Saturation::last_before(const ChainWriters& group, Point point,
                                            Node not_this) const {
  const auto begin = by_chain_.begin() + group.begin;
  const auto end = by_chain_.begin() + group.end;
  auto after = std::partition_point(begin, end, [&](Node writer) {
    return shape_.commit(writer) == point || reaches(shape_.commit(writer), point);
  });
  while (after != begin) {
    --after;
    if (*after != not_this) return *after;
  }
  return std::nullopt;
}

// The first writer of the group that must come after `writer`; the first of all after the initial
// state.
std::optional<Node> Saturation::first_after(const ChainWriters& group, Node writer) const {
  const auto begin = by_chain_.begin() + group.begin;
  const auto end = by_chain_.begin() + group.end;
  const auto after =
      writer == kInitialNode ? begin : std::partition_point(begin, end, [&](Node other) {
        return other == writer || !reaches(shape_.overwrite(writer), shape_.commit(other));
      });
  if (after == end) return std::nullopt;
  return *after;
}

void Saturation::derive_from_read(std::uint32_t read) {
  const KeyId key = observation_.all_reads()[read].key;
  const Node reader = reader_of_[read];
  const Node writer = writer_of_[read];
  // Where writers of one key may not overlap, who overwrites what they read comes before the
  // others.
  const bool misses = shape_.rw_is_edge || observation_.writes_key(reader, key);
  for (const ChainWriters& group : writers_by_chain(key)) {
    const std::optional<Node> before = last_before(group, shape_.begin(reader), reader);
    if (before && *before != writer && writer != kInitialNode &&
        !reaches(shape_.commit(*before), shape_.overwrite(writer))) {
      add(DependencyKind::ww, *before, writer, key, read);
    }
    if (misses) {
      const std::optional<Node> after = first_after(group, writer);
      if (after && *after != reader && !reaches(shape_.begin(reader), shape_.commit(*after))) {
        add(DependencyKind::rw, reader, *after, key, read);
      }
    } else if (before && writer == kInitialNode) {
      add(DependencyKind::rw, reader, *before, key, read);  // closes a cycle
    }
  }
}

// Writers that may not overlap: who begins before the other commits must commit before it begins.
void Saturation::derive_between_writers(KeyId key, Node writer) {
  for (const ChainWriters& group : writers_by_chain(key)) {
    const auto begin = by_chain_.begin() + group.begin;
    auto after = std::partition_point(begin, by_chain_.begin() + group.end, [&](Node other) {
      return other == writer || reaches(shape_.begin(other), shape_.commit(writer));
    });
    while (after != begin) {
      --after;
      if (*after == writer) continue;
      if (!reaches(shape_.commit(*after), shape_.begin(writer))) {
        add(DependencyKind::ww, *after, writer, key, kNoRead);
      }
      break;
    }
  }
}

// Rules candidates out. Where one is left, the read saw that one; where none is, the first one
// stands for all, and leads to a cycle.
void Saturation::prune_choices() {
  std::erase_if(choices_, [&](Choice& choice) {
    const Node first = choice.candidates.front();
    std::erase_if(choice.candidates,
                  [&](Node candidate) { return !is_possible(choice.seen, candidate); });
    if (choice.candidates.size() > 1) return false;
    const Node writer = choice.candidates.empty() ? first : choice.candidates.front();
    writer_of_[choice.seen] = writer;
    resolved_ = true;
    if (writer != kInitialNode) {
      const KeyId key = observation_.all_reads()[choice.seen].key;
      add(DependencyKind::wr, writer, reader_of_[choice.seen], key, choice.seen);
    }
    return true;
  });
}

bool Saturation::is_possible(std::uint32_t read, Node candidate) const {
  const Node reader = reader_of_[read];
  const bool is_initial = candidate == kInitialNode;
  if (!is_initial && reaches(shape_.begin(reader), shape_.commit(candidate))) return false;
  const auto groups = writers_by_chain(observation_.all_reads()[read].key);
  return std::ranges::none_of(groups, [&](const ChainWriters& group) {
    const std::optional<Node> before = last_before(group, shape_.begin(reader), reader);
    return before && *before != candidate &&
           (is_initial || reaches(shape_.overwrite(candidate), shape_.commit(*before)));
  });
}

EngineAnswer decided_order(const Saturation& saturation, const LevelShape& shape) {
  std::vector<Node> order;
  for (const Point point : saturation.order()) {
    const Node node = shape.node_of(point);
    if (node != kInitialNode && point == shape.commit(node)) order.push_back(node);
  }
  return {Verdict::satisfied, std::move(order), {}, {}};
}

}  // namespace heddle
