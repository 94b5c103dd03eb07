#include "check/observation/observation.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "check/observation/list_versions.h"
#include "check/observation/write_index.h"

namespace heddle {

namespace {

bool is_write(KeyAction action) {
  return action == KeyAction::write || action == KeyAction::append;
}

// Per operation, whether it makes its transaction's last version of its key.
std::vector<bool> final_writes(const TransactionHistory& history) {
  std::vector<bool> is_final(history.operations.size(), false);
  std::vector<std::uint32_t> met_in(history.keys.size(), kNoOperation);
  for (std::size_t txn = 0; txn < history.transactions.size(); ++txn) {
    const RecordedTransaction& recorded = history.transactions[txn];
    for (std::uint32_t i = recorded.first + recorded.count; i-- > recorded.first;) {
      const KeyOperation& operation = history.operations[i];
      if (!is_write(operation.action)) continue;
      is_final[i] = met_in[operation.key.index()] != txn;
      met_in[operation.key.index()] = static_cast<std::uint32_t>(txn);
    }
  }
  return is_final;
}

}  // namespace

// Fills an Observation, pass by pass.
class ObservationBuilder {
 public:
  ObservationBuilder(const TransactionHistory& history, std::span<const TransactionId> left_out,
                     Observation& result)
      : history_(history),
        left_out_(left_out),
        result_(result),
        index_(history),
        is_final_(final_writes(history)) {}

  void run() {
    decide_what_counts();
    number_nodes();
    place_appends();
    make_room();
    // In the order of the history, whose operations and lists lie side by side.
    for (const Node node : result_.node_of_) {
      if (node != kManyWriters) take_in(node);
    }
    close_gaps();
    collect_writers();
    std::ranges::stable_sort(result_.illegal_, {}, &IllegalOperation::operation);
  }

 private:
  struct OwnWrites {
    Node node = kInitialNode;           // whose they are: others are forgotten
    std::vector<std::uint32_t> writes;  // to this key so far
    std::uint32_t first_place = 0;      // of all its appends in the key's longest list; 0: in none

    OwnWrites& of(Node wanted) {
      if (node != wanted) clear();
      node = wanted;
      return *this;
    }
    void clear() {
      writes.clear();
      first_place = 0;
    }
    void add_place(std::uint32_t place) {
      if (place != 0) first_place = first_place == 0 ? place : std::min(first_place, place);
    }
  };
  // Reads of a node that are fewer than the room for them.
  struct Gap {
    Node node = kInitialNode;
    std::uint32_t missing = 0;
  };

  static constexpr std::uint32_t kFewOperations = 16;

  const KeyOperation& operation(std::uint32_t index) const { return history_.operations[index]; }

  // A transaction with an unknown outcome counts when what it wrote was read by one that counts.
  void decide_what_counts() {
    counts_.resize(history_.transactions.size());
    for (std::size_t txn = 0; txn < counts_.size(); ++txn) {
      if (history_.transactions[txn].outcome == TransactionOutcome::committed) count(txn);
      has_unknown_ |= history_.transactions[txn].outcome == TransactionOutcome::unknown;
    }
    for (bool grown = true; grown;) {
      // Where all outcomes are known reads make nobody count.
      if (!has_unknown_) uncharted_.clear();
      while (!uncharted_.empty()) {
        const std::size_t txn = uncharted_.back();
        uncharted_.pop_back();
        count_writers_for(txn);
      }
      result_.doubt_.clear();
      versions_ = list_versions(history_, index_, counts_, result_.doubt_);
      for (const ListVersions& versions : versions_) {
        for (const std::uint32_t append : versions.appends) {
          if (append != kNoOperation) count_unknown(index_.transaction_of(append).index());
        }
      }
      grown = !uncharted_.empty();
    }
  }

  void count(std::size_t txn) {
    counts_[txn] = true;
    uncharted_.push_back(txn);
  }

  void count_unknown(std::size_t txn) {
    const bool is_unknown = history_.transactions[txn].outcome == TransactionOutcome::unknown;
    if (counts_[txn] || !is_unknown) return;
    if (!std::ranges::binary_search(left_out_, TransactionId(txn))) count(txn);
  }

  static bool has_written(std::span<const KeyOperation> operations, KeyId key) {
    return std::ranges::any_of(operations, [&](const KeyOperation& operation) {
      return operation.key == key && is_write(operation.action);
    });
  }

  // Of what the transaction reads before it writes there itself.
  void count_writers_for(std::size_t txn) {
    const auto operations = history_.operations_of(TransactionId(txn));
    for (auto read = operations.begin(); read != operations.end(); ++read) {
      if (read->action != KeyAction::read || read->value == kUnseen) continue;
      const auto index = static_cast<std::uint32_t>(&*read - history_.operations.data());
      for (const std::uint32_t write : index_.writes_seen_by(index)) {
        const std::size_t writer = index_.transaction_of(write).index();
        if (counts_[writer] || has_written({operations.begin(), read}, read->key)) continue;
        count_unknown(writer);
      }
    }
  }

  void number_nodes() {
    std::uint32_t sessions = 0;
    for (const RecordedTransaction& txn : history_.transactions) {
      sessions = std::max(sessions, txn.session + 1);
    }
    std::vector<Node> next(std::size_t{sessions} + 1, 0);
    for (std::size_t txn = 0; txn < counts_.size(); ++txn) {
      if (counts_[txn]) ++next[history_.transactions[txn].session + 1];
    }
    next[0] = 1;
    for (std::size_t session = 1; session <= sessions; ++session)
      next[session] += next[session - 1];
    result_.session_begins_ = next;
    const std::size_t nodes = next.back();
    result_.transactions_.resize(nodes);
    result_.sessions_.resize(nodes);
    result_.node_of_.assign(counts_.size(), kManyWriters);
    for (std::size_t txn = 0; txn < counts_.size(); ++txn) {
      if (!counts_[txn]) continue;
      const std::uint32_t session = history_.transactions[txn].session;
      const Node node = next[session]++;
      result_.transactions_[node] = TransactionId(txn);
      result_.sessions_[node] = session;
      result_.node_of_[txn] = node;
    }
  }

  // Where the longest lists have what was appended, so that no read has to look at each element.
  void place_appends() {
    sound_.resize(versions_.size());
    for (std::size_t key = 0; key < versions_.size(); ++key) {
      const std::vector<std::uint32_t>& appends = versions_[key].appends;
      if (!appends.empty()) place_.resize(history_.operations.size());
      const auto is_sound = [&](std::uint32_t append) {
        return append != kNoOperation &&
               result_.node_of_[index_.transaction_of(append).index()] != kManyWriters;
      };
      sound_[key] =
          static_cast<std::size_t>(std::ranges::find_if_not(appends, is_sound) - appends.begin());
      for (std::uint32_t i = 0; i < appends.size(); ++i) {
        const bool is_first = appends[i] != kNoOperation && place_[appends[i]] == 0;
        if (is_first) place_[appends[i]] = i + 1;
      }
    }
  }

  // Where the reads and writes of each node go: no node has more than its operations tell.
  void make_room() {
    const std::size_t nodes = result_.node_count();
    result_.read_begins_.assign(nodes + 1, 0);
    result_.write_begins_.assign(nodes + 1, 0);
    for (std::size_t txn = 0; txn < counts_.size(); ++txn) {
      const Node node = result_.node_of_[txn];
      if (node == kManyWriters) continue;
      const RecordedTransaction& recorded = history_.transactions[txn];
      for (std::uint32_t i = recorded.first; i < recorded.first + recorded.count; ++i) {
        const bool writes = is_write(operation(i).action);
        if (writes && is_final_[i]) ++result_.write_begins_[node + 1];
        if (!writes && operation(i).value != kUnseen) ++result_.read_begins_[node + 1];
      }
    }
    for (std::size_t node = 0; node < nodes; ++node) {
      result_.read_begins_[node + 1] += result_.read_begins_[node];
      result_.write_begins_[node + 1] += result_.write_begins_[node];
    }
    result_.reads_.resize(result_.read_begins_.back());
    result_.writes_.resize(result_.write_begins_.back());
  }

  // What the transaction, whose operation this is, has written to its key before.
  const OwnWrites& own_writes(Node node, const RecordedTransaction& txn, std::uint32_t i) {
    if (txn.count > kFewOperations) return own_writes_[operation(i).key.index()].of(node);
    few_.clear();
    for (std::uint32_t other = txn.first; other < txn.first + txn.count; ++other) {
      if (!is_write(operation(other).action) || operation(other).key != operation(i).key) continue;
      if (other < i) few_.writes.push_back(other);
      if (!place_.empty()) few_.add_place(place_[other]);
    }
    return few_;
  }

  // Transactions with many operations are not looked through again for each read.
  void enter_many(Node node, const RecordedTransaction& txn) {
    own_writes_.resize(history_.keys.size());
    if (place_.empty()) return;
    for (std::uint32_t i = txn.first; i < txn.first + txn.count; ++i) {
      if (place_[i] != 0) own_writes_[operation(i).key.index()].of(node).add_place(place_[i]);
    }
  }

  // The reads and writes of one transaction.
  void take_in(Node node) {
    const RecordedTransaction& txn = history_.transactions[result_.transactions_[node].index()];
    const bool has_many = txn.count > kFewOperations;
    if (has_many) enter_many(node, txn);
    next_read_ = result_.read_begins_[node];
    std::uint32_t next_write = result_.write_begins_[node];
    for (std::uint32_t i = txn.first; i < txn.first + txn.count; ++i) {
      fetch_ahead(i);
      const KeyOperation& current = operation(i);
      if (is_write(current.action)) {
        if (is_final_[i]) result_.writes_[next_write++] = current.key;
        if (has_many) own_writes_[current.key.index()].of(node).writes.push_back(i);
      } else if (current.value != kUnseen) {
        take_any_read(node, i, own_writes(node, txn, i));
      }
    }
    std::sort(result_.writes_.begin() + result_.write_begins_[node],
              result_.writes_.begin() + next_write);
    const std::uint32_t missing = result_.read_begins_[node + 1] - next_read_;
    if (missing > 0) gaps_.push_back({node, missing});
  }

  void take_any_read(Node node, std::uint32_t read, const OwnWrites& own) {
    if (operation(read).action == KeyAction::read_list) {
      result_.has_lists_ = true;
      take_list_read(node, read, own);
    } else if (own.writes.empty()) {
      take_read(node, read);
    } else if (operation(own.writes.back()).value != operation(read).value) {
      illegal(AnomalyKind::internal_inconsistency, read, own.writes.back());
    }
  }

  // The write that a read will look up soon.
  void fetch_ahead(std::uint32_t read) const {
    constexpr std::size_t kAhead = 32;
    const std::size_t ahead = read + kAhead;
    if (ahead >= history_.operations.size()) return;
    if (history_.operations[ahead].action == KeyAction::read) {
      index_.prefetch(static_cast<std::uint32_t>(ahead));
    }
  }

  void illegal(AnomalyKind kind, std::uint32_t operation,
               std::optional<std::uint32_t> other = std::nullopt) {
    result_.illegal_.push_back({kind, operation, other});
  }

  void add_seen(std::uint32_t read, Node writer) {
    result_.reads_[next_read_++] = {operation(read).key, writer, read};
  }

  void take_read(Node node, std::uint32_t read) {
    const KeyOperation& current = operation(read);
    const auto writes = index_.writes_seen_by(read);
    candidates_.clear();
    if (history_.initial == current.value) candidates_.push_back(kInitialNode);
    for (const std::uint32_t write : writes) {
      const Node writer = result_.node_of_[index_.transaction_of(write).index()];
      if (is_final_[write] && writer != kManyWriters && writer != node) {
        candidates_.push_back(writer);
      }
    }
    if (candidates_.size() == 1) return add_seen(read, candidates_[0]);
    if (candidates_.empty()) return explain_illegal(node, read, writes);
    std::ranges::sort(candidates_);
    result_.choices_.push_back({next_read_, candidates_});
    add_seen(read, kManyWriters);
  }

  // No write that could be seen has the value. The mildest excuse counts.
  void explain_illegal(Node node, std::uint32_t read, std::span<const std::uint32_t> writes) {
    if (writes.empty()) return illegal(AnomalyKind::unwritten_read, read);
    std::uint32_t best = writes.front();
    AnomalyKind kind = AnomalyKind::aborted_read;
    for (const std::uint32_t write : writes) {
      const Node writer = result_.node_of_[index_.transaction_of(write).index()];
      if (writer == kManyWriters) continue;
      kind = writer == node ? AnomalyKind::future_read : AnomalyKind::intermediate_read;
      best = write;
    }
    illegal(kind, read, best);
  }

  void take_list_read(Node node, std::uint32_t read, const OwnWrites& of_node) {
    const std::vector<std::uint32_t>& own = of_node.writes;
    const auto list = history_.lists[operation(read).list()];
    const ListVersions& versions = versions_[operation(read).key.index()];
    const bool is_same_place = list.data() == versions.elements.data();
    if (!is_same_place && !std::equal(list.begin(), list.end(), versions.elements.begin())) {
      return illegal(AnomalyKind::inconsistent_order, read, versions.longest);
    }
    if (list.size() < own.size()) {
      return illegal(AnomalyKind::internal_inconsistency, read, own.back());
    }
    const std::size_t outside = list.size() - own.size();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (list[outside + i] != operation(own[i]).value) {
        return illegal(AnomalyKind::internal_inconsistency, read, own[i]);
      }
    }
    const bool has_own = of_node.first_place != 0 && of_node.first_place <= outside;
    const bool is_sound = outside <= sound_[operation(read).key.index()] && !has_own;
    if (!is_sound && !check_elements(node, read, versions, outside)) return;
    if (outside == 0) return add_seen(read, kInitialNode);
    const std::uint32_t last = versions.appends[outside - 1];
    if (!is_final_[last] && !versions.is_doubtful) {
      illegal(AnomalyKind::intermediate_read, read, last);
    }
    add_seen(read, result_.node_of_[index_.transaction_of(last).index()]);
  }

  // Whether the first elements were all appended by others that count.
  bool check_elements(Node node, std::uint32_t read, const ListVersions& versions,
                      std::size_t outside) {
    bool good = true;
    for (std::size_t i = 0; i < outside; ++i) {
      const std::uint32_t append = versions.appends[i];
      if (append == kNoOperation) {
        illegal(AnomalyKind::unwritten_read, read);
        good = false;
        continue;
      }
      const Node writer = result_.node_of_[index_.transaction_of(append).index()];
      if (writer != node && writer != kManyWriters) continue;
      if (versions.is_doubtful) continue;
      illegal(writer == node ? AnomalyKind::future_read : AnomalyKind::aborted_read, read, append);
      good = false;
    }
    return good;
  }

  // Moves the reads together where a node has fewer than there was room for.
  void close_gaps() {
    std::ranges::sort(gaps_, {}, &Gap::node);
    std::ranges::sort(result_.choices_, {}, &Choice::seen);
    auto choice = result_.choices_.begin();
    auto gap = gaps_.begin();
    std::uint32_t missing = 0;
    for (Node node = 1; node < result_.node_count() && !gaps_.empty(); ++node) {
      const std::uint32_t begin = result_.read_begins_[node];
      std::uint32_t end = result_.read_begins_[node + 1];
      const std::uint32_t missing_before = missing;
      if (gap != gaps_.end() && gap->node == node) {
        missing += gap->missing;
        end -= (gap++)->missing;
      }
      std::copy(result_.reads_.begin() + begin, result_.reads_.begin() + end,
                result_.reads_.begin() + (begin - missing_before));
      for (; choice != result_.choices_.end() && choice->seen < end; ++choice) {
        choice->seen -= missing_before;
      }
      result_.read_begins_[node] -= missing_before;
    }
    result_.read_begins_.back() -= missing;
    result_.reads_.resize(result_.read_begins_.back());
    own_writes_ = {};
  }

  void collect_writers() {
    const std::size_t keys = history_.keys.size();
    std::vector<std::uint32_t>& begins = result_.writer_begins_;
    begins.assign(keys + 1, 0);
    for (const KeyId key : result_.writes_) ++begins[key.index() + 1];
    for (std::size_t key = 0; key < keys; ++key) begins[key + 1] += begins[key];
    result_.writers_.resize(result_.writes_.size());
    std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
    for (Node node = 1; node < result_.node_count(); ++node) {
      for (const KeyId key : result_.writes(node)) result_.writers_[next[key.index()]++] = node;
    }
    result_.ordered_.assign(keys, 0);
    last_append_.assign(result_.node_count(), kNoOperation);
    for (std::size_t key = 0; key < keys; ++key) {
      if (versions_[key].longest != kNoOperation) order_writers(KeyId(key));
    }
  }

  // Puts those writers in front whose last append is in the longest list, in its order.
  void order_writers(KeyId key) {
    std::vector<Node> runs;
    std::vector<bool> is_last;  // per run: it ends with its node's last append
    for (const std::uint32_t append : versions_[key.index()].appends) {
      if (append == kNoOperation) continue;
      const Node node = result_.node_of_[index_.transaction_of(append).index()];
      if (node == kManyWriters) continue;
      if (runs.empty() || runs.back() != node) {
        runs.push_back(node);
        is_last.push_back(false);
      }
      is_last.back() = is_final_[append];
      const std::uint32_t before = std::exchange(last_append_[node], append);
      if (before != kNoOperation && before > append) {
        illegal(AnomalyKind::inconsistent_order, versions_[key.index()].longest, append);
      }
    }
    for (const Node node : runs) last_append_[node] = kNoOperation;
    std::vector<Node> ordered;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (is_last[i]) {
        ordered.push_back(runs[i]);
      } else if (i + 1 < runs.size()) {
        result_.interleaved_.push_back({runs[i], runs[i + 1], key});
      }
    }
    Node* const begin = result_.writers_.data() + result_.writer_begins_[key.index()];
    Node* const end = result_.writers_.data() + result_.writer_begins_[key.index() + 1];
    std::vector<Node> sorted = ordered;
    std::ranges::sort(sorted);
    const auto rest = std::stable_partition(
        begin, end, [&](Node node) { return std::ranges::binary_search(sorted, node); });
    HEDDLE_ASSERT(static_cast<std::size_t>(rest - begin) == ordered.size() ||
                  !result_.doubt_.empty());
    if (static_cast<std::size_t>(rest - begin) != ordered.size()) return;
    std::ranges::copy(ordered, begin);
    result_.ordered_[key.index()] = static_cast<std::uint32_t>(ordered.size());
  }

  const TransactionHistory& history_;
  const std::span<const TransactionId> left_out_;
  Observation& result_;
  WriteIndex index_;
  const std::vector<bool> is_final_;    // per operation
  std::vector<bool> counts_;            // per transaction
  bool has_unknown_ = false;            // whether some outcome is
  std::vector<std::size_t> uncharted_;  // counted, their reads not yet looked at
  std::vector<ListVersions> versions_;  // per key
  std::vector<std::size_t> sound_;      // per key: first elements that others appended who count
  std::vector<std::uint32_t> place_;    // per append: its first place in a list, from 1
  std::vector<OwnWrites> own_writes_;   // per key, of transactions with many operations
  OwnWrites few_;                       // of one key, of a transaction with few
  std::uint32_t next_read_ = 0;         // of result_.reads_
  std::vector<Gap> gaps_;
  std::vector<std::uint32_t> last_append_;  // per node, to the key whose writers are ordered
  std::vector<Node> candidates_;
};

Observation::Observation(const TransactionHistory& history, std::span<const TransactionId> left_out)
    : history_(&history) {
  ObservationBuilder(history, left_out, *this).run();
}

std::vector<TransactionId> Observation::optional_transactions() const {
  std::vector<bool> happened(node_count(), true);
  bool all_happened = true;
  for (Node node = 1; node < node_count(); ++node) {
    const RecordedTransaction& txn = history_->transactions[transactions_[node].index()];
    happened[node] = txn.outcome == TransactionOutcome::committed;
    all_happened = all_happened && happened[node];
  }
  if (all_happened) return {};
  for (std::size_t key = 0; key < key_count(); ++key) {
    const KeyWriters shown = writers(KeyId(key));
    for (const Node writer : shown.all.first(shown.ordered)) happened[writer] = true;
  }
  std::vector<Node> met;
  for (Node node = 1; node < node_count(); ++node) {
    if (happened[node]) met.push_back(node);
  }
  for (std::size_t i = 0; i < met.size(); ++i) {
    for (const Seen& seen : reads(met[i])) {
      if (seen.writer == kManyWriters || happened[seen.writer]) continue;
      happened[seen.writer] = true;
      met.push_back(seen.writer);
    }
  }
  std::vector<TransactionId> optional;
  for (Node node = 1; node < node_count(); ++node) {
    if (!happened[node]) optional.push_back(transactions_[node]);
  }
  std::ranges::sort(optional);
  return optional;
}

std::optional<Node> Observation::node_of(TransactionId id) const {
  const Node node = node_of_[id.index()];
  if (node == kManyWriters) return std::nullopt;
  return node;
}

Observation Observation::with_choices(std::span<const Node> chosen) const {
  HEDDLE_ASSERT(chosen.size() == choices_.size());
  Observation decided = *this;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    decided.reads_[choices_[i].seen].writer = chosen[i];
  }
  decided.choices_.clear();
  return decided;
}

KeyWriters Observation::writers(KeyId key) const {
  return {slice(writers_, writer_begins_, key.index()), ordered_[key.index()]};
}

bool Observation::writes_key(Node node, KeyId key) const {
  return std::ranges::binary_search(writes(node), key);
}

std::uint32_t Observation::last_write(Node node, KeyId key) const {
  HEDDLE_ASSERT(node != kInitialNode && writes_key(node, key));
  const RecordedTransaction& txn = history_->transactions[transactions_[node].index()];
  std::uint32_t operation = txn.first + txn.count;
  do {
    --operation;
  } while (!is_write(history_->operations[operation].action) ||
           history_->operations[operation].key != key);
  return operation;
}

}  // namespace heddle
