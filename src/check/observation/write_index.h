// Finds the operations that wrote what was read. All operations of one key are looked at together:
// the table of a key's writes is small and stays near, where one of all writes would be far away
// from each read. Expected time is linear.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "heddle/recorded_history.h"

namespace heddle {

class WriteIndex {
 public:
  // All writes and appends of the history, of aborted transactions, too. The history outlives it.
  explicit WriteIndex(const TransactionHistory& history);

  // The operations that wrote the value that a read of a register returned, by index; empty: none
  // did. REQUIRES: the read's value is not kUnseen.
  std::span<const std::uint32_t> writes_seen_by(std::uint32_t read) const;
  // Those that wrote it to a key of which some list was read. The span lives until the next call,
  // which is fast for the same key.
  std::span<const std::uint32_t> writes_of(KeyId key, Value value);
  // REQUIRES: the operation writes or appends.
  TransactionId transaction_of(std::uint32_t write) const { return TransactionId(about_[write]); }
  // Memory is slow: what transaction_of and writes_seen_by will look at may be fetched before.
  void prefetch(std::uint32_t read) const;

 private:
  void name_writers();
  void sort_by_key();
  void look_up_reads(std::size_t key);
  void fill_table(std::size_t key);
  std::size_t slot_of(Value value) const;
  std::span<const std::uint32_t> all_like(const std::uint32_t& write) const;

  const TransactionHistory& history_;
  // Per operation: a write's transaction; of a register's read the first write that it may have
  // seen, kNoWrite where there is none.
  std::vector<std::uint32_t> about_;
  std::vector<std::uint32_t> by_key_;  // writes, appends and reads of registers
  std::vector<std::uint32_t> begins_;  // per key: where its own begin there
  std::vector<bool> is_read_;          // per key: as a register
  std::size_t key_in_table_;
  std::vector<std::uint32_t> slots_;  // open addressing: writes of that key
  std::size_t mask_ = 0;
  // Further writes of the same value to the same key, the first one included.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> repeated_;
};

}  // namespace heddle
