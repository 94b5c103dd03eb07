// What dbcop's events mean, whichever way they are written down.
#pragma once

#include "frontend/history/forms/byte_reader.h"
#include "heddle/recorded_history.h"

namespace heddle {

// Collects dbcop's sessions. An event without success is a read whose result is unknown, or a write
// that did not happen: in a transaction that succeeded it becomes an aborted transaction of its
// own, so that reading it shows. A value of 0 is the initial one unless it is written
// (plume_zero.h).
class DbcopEvents {
 public:
  DbcopEvents() : key_table_(history_.keys) {}
  DbcopEvents(const DbcopEvents&) = delete;
  DbcopEvents& operator=(const DbcopEvents&) = delete;

  ValueTexts& texts() { return history_.texts; }
  bool is_full() const { return history_.operations.size() >= kMostOperations; }

  void begin_transaction(std::uint32_t line = 0);
  // `value` is kNil for a read of what was there before any write.
  void add(bool write, Value variable, Value value, bool success);
  void end_transaction(bool success);
  void end_session() { ++session_; }
  TransactionHistory take();

 private:
  TransactionHistory history_;
  KeyTable key_table_;
  std::uint32_t session_ = 0;
  RecordedTransaction txn_;
  std::vector<KeyOperation> operations_;     // of the open transaction
  std::vector<KeyOperation> failed_writes_;  // of it
};

}  // namespace heddle
