// The writers behind write_history, one for each way of writing, and what they share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/history/history_format.h"
#include "heddle/recorded_history.h"
#include "heddle/result.h"

namespace heddle {

Result<std::string> write_plume(const TransactionHistory& history);
Result<std::string> write_awdit(const TransactionHistory& history);
Result<std::string> write_dbcop_bincode(const TransactionHistory& history);
Result<std::string> write_dbcop_json(const TransactionHistory& history);
Result<std::string> write_textbook(const TransactionHistory& history);
std::string write_heddle_lines(const TransactionHistory& history);
std::string write_heddle_lines(const ObjectHistory& history);
// REQUIRES: format is jepsen_edn or jepsen_json.
Result<std::string> write_jepsen(const TransactionHistory& history, HistoryFormat format);
Result<std::string> write_jepsen(const ObjectHistory& history, HistoryFormat format);

// "the FORMAT format cannot express this history: WHY".
Diagnostic cannot_write(HistoryFormat format, const std::string& why);

// "transaction 3 of session alice", both counted from 1 where they have no names.
std::string describe_transaction(const TransactionHistory& history, std::size_t index);
std::string session_name(const TransactionHistory& history, std::uint32_t session);

// The positions of the transactions of each session, in session order.
std::vector<std::vector<std::uint32_t>> group_by_session(const TransactionHistory& history);

// Numbers by which each session can be told: its name where all names are numbers, else its place.
std::vector<std::string> session_numbers(const TransactionHistory& history);

// The history as the formats of Plume, AWDIT and dbcop have it: registers with keys and values that
// are numbers, 0 and up, of at most 64 bits.
class NumericHistory {
 public:
  // `initial`: every register holds 0 at first, and that is how reads of the initial value come
  // out. Else a read of the initial value cannot be expressed.
  NumericHistory(const TransactionHistory& history, HistoryFormat format, bool initial_is_zero)
      : history_(history), format_(format), initial_is_zero_(initial_is_zero) {}

  // What stands in the way, or none. REQUIRES: called before the functions below.
  std::optional<Diagnostic> prepare();

  // Reads that were not seen are to be left out.
  static bool is_seen(const KeyOperation& operation) { return operation.value != kUnseen; }
  static bool is_write(const KeyOperation& operation) {
    return operation.action == KeyAction::write;
  }
  // A key that is no number is its place among the keys.
  std::uint64_t key(const KeyOperation& operation) const { return keys_[operation.key.index()]; }
  std::uint64_t value(const KeyOperation& operation) const;

 private:
  std::optional<std::uint64_t> number_of(Value value) const;
  void number_keys();
  std::optional<std::string> find_obstacle(const KeyOperation& operation) const;
  std::optional<std::string> find_obstacle_of_initial() const;

  const TransactionHistory& history_;
  HistoryFormat format_;
  bool initial_is_zero_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace heddle
