#include "check/follow/forced_order.h"

#include <algorithm>

namespace heddle {

namespace {

constexpr int kMostRounds = 20;

}  // namespace

ForcedOrder::ForcedOrder(const KeptPart& part, const LevelShape& shape)
    : part_(part), shape_(shape), points_(shape.point_count(part.transactions.size())) {
  collect_accesses();
  find_candidates();
  add_sessions();
  add_real_time();
  add_reads(true);
  for (auto& [name, key] : keys_) {
    for (const auto& [earlier, later] : key.list_order) {
      add(shape_.commit(earlier), shape_.overwrite(later));
    }
  }
  if (!saturate(sure_, false)) return;
  add_reads(false);
  is_known_ = saturate(likely_, true);
}

// Reads of what others wrote, and last writes.
void ForcedOrder::collect_accesses() {
  for (Node node = 0; node < part_.transactions.size(); ++node) {
    const KeptTransaction& txn = part_.transactions[node];
    if (txn.is_aborted()) continue;
    std::unordered_map<std::int64_t, std::size_t> own;  // appends or writes so far, by key
    for (const KeptOperation& operation : txn.operations) {
      KeptKey& key = keys_[operation.key.code];
      const bool is_list =
          operation.action == KeyAction::append || operation.action == KeyAction::read_list;
      if (key.reads.empty() && key.writes.empty()) key.is_list = is_list;
      key.is_mixed = key.is_mixed || key.is_list != is_list;
      if (is_write(operation.action)) {
        std::vector<Value>& values = written_[operation.key.code];
        if (own[operation.key.code]++ == 0) {
          key.writes.push_back({node});
          values.push_back(operation.value);
        }
        values.back() = operation.value;
      } else if (is_seen(operation) && (own[operation.key.code] == 0 || is_list)) {
        // Of a list, what the transaction itself appended stands at the end.
        key.reads.push_back({node});
        read_operations_[operation.key.code].push_back(&operation);
      }
    }
  }
  for (auto& [name, key] : keys_) {
    const KeyState* const state = part_.state_of(Value{name});
    if (state != nullptr && state->is_list != key.is_list) key.is_mixed = true;
  }
}

void ForcedOrder::find_candidates() {
  for (auto& [name, key] : keys_) {
    ListWriters list_writers;
    if (key.is_list && !key.reads.empty()) list_writers = writers_of_elements(name, key);
    const KeyState* const state = part_.state_of(Value{name});
    const std::optional<Value> first =
        state != nullptr ? std::optional(state->value) : part_.initial;
    for (std::size_t i = 0; i < key.reads.size(); ++i) {
      const KeptOperation& operation = *read_operations_[name][i];
      if (key.is_mixed) continue;
      if (key.is_list) {
        const std::size_t known = state == nullptr ? 0 : state->list.size();
        const std::span<const Value> list = operation.list;
        find_list_candidates(list.subspan(std::min(known, list.size())), list_writers, key,
                             key.reads[i]);
        continue;
      }
      if (operation.value == first) key.reads[i].candidates.push_back(kBefore);
      for (std::size_t j = 0; j < key.writes.size(); ++j) {
        if (written_[name][j] != operation.value || key.writes[j].writer == key.reads[i].reader) {
          continue;
        }
        key.reads[i].candidates.push_back(key.writes[j].writer);
        key.writes[j].is_read = true;
      }
      // Somebody else may have written it, at any time.
      if (part_.partial && key.reads[i].candidates.empty()) {
        key.reads[i].candidates.push_back(kBefore);
      }
    }
  }
}

ForcedOrder::ListWriters ForcedOrder::writers_of_elements(std::int64_t name,
                                                          const KeptKey& key) const {
  ListWriters writers;
  for (const KeptWrite& write : key.writes) {
    for (const KeptOperation& each : part_.transactions[write.writer].operations) {
      if (each.key.code == name && each.action == KeyAction::append) {
        writers[each.value.code].push_back(write.writer);
      }
    }
  }
  return writers;
}

// `list` is what follows on the forgotten elements.
void ForcedOrder::find_list_candidates(std::span<const Value> list, const ListWriters& writers,
                                       KeptKey& key, KeptRead& read) const {
  const bool is_settled = part_.transactions[read.reader].is_settled;
  Node last = kBefore;
  bool is_clear = true;
  for (const Value element : list) {
    const auto found = writers.find(element.code);
    const bool is_one = found != writers.end() && found->second.size() == 1;
    is_clear = is_clear && is_one;
    if (found == writers.end()) continue;
    read.shown.insert(read.shown.end(), found->second.begin(), found->second.end());
    for (KeptWrite& write : key.writes) {
      write.is_read |= std::ranges::find(found->second, write.writer) != found->second.end();
    }
    if (!is_one || found->second.front() == read.reader) continue;
    if (is_settled && is_clear && last != kBefore && last != found->second.front()) {
      key.list_order.emplace_back(last, found->second.front());
    }
    last = found->second.front();
  }
  if (is_clear) {
    read.candidates.push_back(last);
    return;
  }
  read.candidates.push_back(kBefore);
  for (const KeptWrite& write : key.writes) {
    if (write.writer != read.reader) read.candidates.push_back(write.writer);
  }
}

void ForcedOrder::add_sessions() {
  if (!shape_.session) return;
  std::unordered_map<std::uint32_t, Node> last;
  for (Node node = 0; node < part_.transactions.size(); ++node) {
    const KeptTransaction& txn = part_.transactions[node];
    if (txn.is_aborted()) continue;
    const auto [entry, is_first] = last.try_emplace(txn.recorded.session, node);
    if (!is_first) add(shape_.commit(entry->second), shape_.begin(node));
    // What may never happen orders nothing that comes after it.
    if (txn.counts()) {
      entry->second = node;
    } else if (is_first) {
      last.erase(entry);
    }
  }
}

// As in saturation.cc: of those that ended before, the ones that no third one comes between.
void ForcedOrder::add_real_time() {
  const auto times = [&](Node node) -> const RecordedTransaction& {
    return part_.transactions[node].recorded;
  };
  std::vector<Node> by_end;
  for (Node node = 0; node < part_.transactions.size(); ++node) {
    const KeptTransaction& txn = part_.transactions[node];
    if (txn.counts() && !txn.is_open()) by_end.push_back(node);
  }
  std::ranges::stable_sort(by_end, {}, [&](Node node) { return times(node).ended; });
  std::vector<Moment> latest_begin;
  for (const Node node : by_end) {
    const Moment began = times(node).began;
    latest_begin.push_back(latest_begin.empty() ? began : std::max(latest_begin.back(), began));
  }
  for (Node node = 0; node < part_.transactions.size(); ++node) {
    if (part_.transactions[node].is_aborted()) continue;
    const auto end = std::ranges::lower_bound(by_end, times(node).began, {},
                                              [&](Node other) { return times(other).ended; });
    auto count = static_cast<std::size_t>(end - by_end.begin());
    if (count == 0) continue;
    const Moment frontier = latest_begin[count - 1];
    for (; count > 0 && times(by_end[count - 1]).ended >= frontier; --count) {
      add(shape_.commit(by_end[count - 1]), shape_.begin(node));
    }
  }
}

void ForcedOrder::add_reads(bool settled) {
  for (const auto& [name, key] : keys_) {
    for (const KeptRead& read : key.reads) {
      if (part_.transactions[read.reader].is_settled != settled) continue;
      if (read.candidates.size() != 1 || read.candidates.front() == kBefore) continue;
      add(shape_.commit(read.candidates.front()), shape_.begin(read.reader));
    }
  }
}

// The transitive closure; false: there is a cycle.
bool ForcedOrder::close(PointRelation& relation) const {
  std::vector<std::vector<Point>> next(points_);
  std::vector<std::uint32_t> waiting(points_, 0);  // arcs out that are not done
  std::vector<std::vector<Point>> previous(points_);
  const auto join = [&](Point from, Point to) {
    next[from].push_back(to);
    previous[to].push_back(from);
    ++waiting[from];
  };
  for (Point point = 0; shape_.split && point < points_; point += 2) join(point, point + 1);
  for (const PointArc& arc : arcs_) join(arc.from, arc.to);
  std::vector<Point> ready;
  for (Point point = 0; point < points_; ++point) {
    if (waiting[point] == 0) ready.push_back(point);
  }
  relation = PointRelation(points_);
  std::size_t done = 0;
  while (!ready.empty()) {
    const Point point = ready.back();
    ready.pop_back();
    ++done;
    for (const Point to : next[point]) {
      relation.set(point, to);
      relation.include(point, to);
    }
    for (const Point from : previous[point]) {
      if (--waiting[from] == 0) ready.push_back(from);
    }
  }
  return done == points_;
}

bool ForcedOrder::saturate(PointRelation& relation, bool likely) {
  for (int round = 0; round < kMostRounds; ++round) {
    if (!close(relation)) return false;
    if (!derive(relation, likely)) return true;
  }
  return close(relation);
}

bool ForcedOrder::derive(const PointRelation& relation, bool likely) {
  bool found = false;
  for (auto& [name, key] : keys_) {
    if (key.is_mixed) continue;
    for (KeptRead& read : key.reads) {
      // What others read is settled for nobody.
      if (!part_.transactions[read.reader].is_settled) continue;
      found |= derive_from(relation, key, read, likely);
    }
    if (!shape_.overlap) found |= derive_between_writers(relation, key);
  }
  return found;
}

bool ForcedOrder::is_possible(const PointRelation& relation, const KeptKey& key,
                              const KeptRead& read, Node candidate) const {
  const Point reads = shape_.begin(read.reader);
  if (candidate != kBefore && relation.holds(reads, shape_.commit(candidate))) return false;
  return std::ranges::none_of(key.writes, [&](const KeptWrite& write) {
    const Node other = write.writer;
    if (other == candidate || other == read.reader || !may_lead_on(other)) return false;
    return relation.holds(shape_.commit(other), reads) &&
           (candidate == kBefore ||
            relation.holds(shape_.commit(candidate), shape_.overwrite(other)));
  });
}

// With `likely` set only what comes after the reader follows: see the beginning of the header.
bool ForcedOrder::derive_from(const PointRelation& relation, KeptKey& key, KeptRead& read,
                              bool likely) {
  bool found = false;
  if (!likely && read.candidates.size() > 1) {
    std::vector<Node> left = read.candidates;
    std::erase_if(left, [&](Node node) { return !is_possible(relation, key, read, node); });
    if (left.size() == 1) {
      read.candidates = left;
      found = true;
      if (left.front() != kBefore) add(shape_.commit(left.front()), shape_.begin(read.reader));
    }
  }
  if (read.candidates.size() != 1) return found;
  const Node writer = read.candidates.front();
  const auto writes_too = [&](Node node) {
    return std::ranges::find(key.writes, node, &KeptWrite::writer) != key.writes.end();
  };
  const bool misses = shape_.rw_is_edge || writes_too(read.reader);
  const auto is_left_out = [&](Node other) {
    return key.is_list && std::ranges::find(read.shown, other) == read.shown.end();
  };
  for (const KeptWrite& write : key.writes) {
    const Node other = write.writer;
    if (other == writer || other == read.reader) continue;
    if (!likely && writer != kBefore && may_lead_on(other) &&
        relation.holds(shape_.commit(other), shape_.begin(read.reader)) &&
        !relation.holds(shape_.commit(other), shape_.overwrite(writer))) {
      add(shape_.commit(other), shape_.overwrite(writer));
      found = true;
    }
    // What is not in a list was appended after what is.
    const bool is_later = writer == kBefore || is_left_out(other) ||
                          relation.holds(shape_.commit(writer), shape_.overwrite(other));
    if (writer != kBefore && is_left_out(other) &&
        !relation.holds(shape_.commit(writer), shape_.overwrite(other))) {
      add(shape_.commit(writer), shape_.overwrite(other));
      found = true;
    }
    if (misses && is_later && !relation.holds(shape_.begin(read.reader), shape_.commit(other))) {
      add(shape_.begin(read.reader), shape_.commit(other));
      found = true;
    }
  }
  return found;
}

bool ForcedOrder::derive_between_writers(const PointRelation& relation, const KeptKey& key) {
  bool found = false;
  for (const KeptWrite& first : key.writes) {
    if (!may_lead_on(first.writer)) continue;
    for (const KeptWrite& second : key.writes) {
      if (first.writer == second.writer) continue;
      const Point end = shape_.commit(first.writer);
      if (relation.holds(shape_.begin(first.writer), shape_.commit(second.writer)) &&
          !relation.holds(end, shape_.begin(second.writer))) {
        add(end, shape_.begin(second.writer));
        found = true;
      }
    }
  }
  return found;
}

}  // namespace heddle
