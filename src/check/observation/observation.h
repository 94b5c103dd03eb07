// What a recorded history says before any order is guessed: which transactions count, which write
// each read saw, what is illegal whatever the order. The form in which all transactional engines
// take it: nodes, grouped by session, with their reads and writes of keys.
//
// Lists become registers whose versions are known in part: a read of [1 2] sees the version that
// the append of 2 made, and 1 comes before 2. A read sees one of three things: a write of another
// node, the value from before all writes (node 0 wrote it), or one of several candidates (values
// that were written more than once).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/recorded_history.h"

namespace heddle {

// 0: the initial transaction, which wrote every key before all others; then the transactions that
// count, session by session, in session order.
using Node = std::uint32_t;
inline constexpr Node kInitialNode = 0;
inline constexpr Node kManyWriters = 0xFFFFFFFF;  // Seen::writer: see Observation::choices

// A read of a key's version that another node wrote. Reads of what the node wrote itself before are
// not here, nor those whose result nobody was told.
struct Seen {
  KeyId key;
  Node writer = kInitialNode;   // kManyWriters: one of Observation::candidates(choice)
  std::uint32_t operation = 0;  // index into TransactionHistory::operations, for reports
};

// An operation that no order of transactions makes legal.
struct IllegalOperation {
  AnomalyKind kind = AnomalyKind::unwritten_read;
  std::uint32_t operation = 0;              // into TransactionHistory::operations
  std::optional<std::uint32_t> other = {};  // the write it saw, or the other read
};

// The writers of a key: first those whose order reads have shown, then all others.
struct KeyWriters {
  std::span<const Node>
      all;  // the first `ordered` in version order, others by node; without node 0
  std::uint32_t ordered = 0;  // those after the ordered ones come later than all of these
};

// A read whose value several nodes wrote.
struct Choice {
  std::uint32_t seen = 0;        // index into all reads
  std::vector<Node> candidates;  // sorted; may contain kInitialNode
};

// `earlier` made a version of the key before `later` made one.
struct VersionPair {
  Node earlier = kInitialNode;
  Node later = kInitialNode;
  KeyId key;
};

// REQUIRES: the history outlives it.
class Observation {
 public:
  // REQUIRES: !find_flaw(history). Time and memory are linear in operations and list elements
  // (expected, by hashing). Those of `left_out`, sorted, are taken not to have happened.
  explicit Observation(const TransactionHistory& history,
                       std::span<const TransactionId> left_out = {});

  const TransactionHistory& history() const { return *history_; }

  std::size_t node_count() const { return transactions_.size(); }  // with node 0
  std::size_t session_count() const { return session_begins_.size() - 1; }
  std::size_t key_count() const { return history_->keys.size(); }

  // REQUIRES: node != kInitialNode.
  TransactionId transaction(Node node) const { return transactions_[node]; }
  // None for transactions that do not count (aborted, left out, or unknown and never seen).
  std::optional<Node> node_of(TransactionId id) const;

  // Nodes of session s are [session_begin(s), session_begin(s + 1)).
  Node session_begin(std::size_t session) const { return session_begins_[session]; }
  // REQUIRES: node != kInitialNode.
  std::uint32_t session_of(Node node) const { return sessions_[node]; }

  // In program order; repeated reads of one key are all here. Node 0 reads nothing.
  std::span<const Seen> reads(Node node) const { return slice(reads_, read_begins_, node); }
  std::span<const Seen> all_reads() const { return reads_; }
  // Keys written, sorted, each once. Node 0 is taken to write every key and lists none.
  std::span<const KeyId> writes(Node node) const { return slice(writes_, write_begins_, node); }
  KeyWriters writers(KeyId key) const;
  bool writes_key(Node node, KeyId key) const;

  // The operation by which the node made its last version of the key. REQUIRES: writes_key.
  std::uint32_t last_write(Node node, KeyId key) const;

  // Orders between writers of a key that no final version shows: the versions of two transactions
  // are mixed up in a list.
  const std::vector<VersionPair>& interleaved() const { return interleaved_; }

  // Why lists leave the order of versions open where they should not; empty: they do not.
  const std::string& doubt() const { return doubt_; }

  // Sorted by operation.
  const std::vector<IllegalOperation>& illegal() const { return illegal_; }
  const std::vector<Choice>& choices() const { return choices_; }

  // Those of unknown outcome that count, and of which no read shows that they happened: somebody
  // else, too, wrote all of their values that were read. Sorted.
  std::vector<TransactionId> optional_transactions() const;

  // The same where each of choices() is decided. REQUIRES: one candidate of each, in order.
  Observation with_choices(std::span<const Node> chosen) const;

  bool has_lists() const { return has_lists_; }

 private:
  friend class ObservationBuilder;  // observation.cc

  template <class T>
  static std::span<const T> slice(const std::vector<T>& all,
                                  const std::vector<std::uint32_t>& begins, std::size_t index) {
    return {all.data() + begins[index], begins[index + 1] - begins[index]};
  }

  const TransactionHistory* history_;
  std::vector<TransactionId> transactions_;
  std::vector<std::uint32_t> sessions_;
  std::vector<Node> session_begins_;
  std::vector<Node> node_of_;  // per transaction; kManyWriters: does not count
  std::vector<Seen> reads_;
  std::vector<std::uint32_t> read_begins_;
  std::vector<KeyId> writes_;
  std::vector<std::uint32_t> write_begins_;
  std::vector<Node> writers_;
  std::vector<std::uint32_t> writer_begins_;
  std::vector<std::uint32_t> ordered_;  // per key
  std::vector<IllegalOperation> illegal_;
  std::vector<Choice> choices_;
  std::vector<VersionPair> interleaved_;
  std::string doubt_;
  bool has_lists_ = false;
};

}  // namespace heddle
