// Finds the operations that wrote a value to a key, in expected constant time and with four bytes
// per slot: an open-addressing table of operation indices.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "heddle/recorded_history.h"

namespace heddle {

class WriteIndex {
 public:
  // All writes and appends of the history, of aborted transactions, too.
  explicit WriteIndex(const TransactionHistory& history);

  // The operations that wrote it, by index; empty: none did. The span lives until the next call.
  std::span<const std::uint32_t> writes_of(KeyId key, Value value) const;
  // Memory is slow: what will soon be asked for may be fetched in two steps, some time apart.
  void prefetch(KeyId key, Value value) const;
  void prefetch_write(KeyId key, Value value) const;
  TransactionId transaction_of(std::uint32_t operation) const {
    return TransactionId(owners_[operation]);
  }

 private:
  std::size_t first_slot(KeyId key, Value value) const;
  std::size_t slot_of(KeyId key, Value value) const;

  const TransactionHistory& history_;
  std::vector<std::uint32_t> slots_;   // operations
  std::vector<std::uint32_t> owners_;  // per operation: its transaction
  // Further writes of the same value to the same key, the first one included.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> repeated_;
};

}  // namespace heddle
