// How reports call the transactions, operations, keys and values of a recorded history.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heddle/check.h"
#include "heddle/recorded_history.h"

namespace heddle {

// On one line, safe to print, long ones cut.
std::string value_text(const ValueTexts& texts, Value value);
std::string key_text(const TransactionHistory& history, KeyId key);
// "3", or "[1 2 3]"; of a long list the end: "[... 98 99]".
std::string told_text(const TransactionHistory& history, const KeyOperation& operation);
std::string list_text(const ValueTexts& texts, std::span<const Value> list);

// "s1", or what the file calls the session.
std::string session_text(const TransactionHistory& history, std::uint32_t session);

// "s1#2", the second transaction of session s1, for all transactions. Linear in these.
std::vector<std::string> transaction_names(const TransactionHistory& history);

// The transactions that an explanation speaks of, T1, T2 and so on, and their operations.
class CheckNames {
 public:
  // Those of the cycle, of the paths behind it, of single operations and of what else is needed.
  // Linear in the history. REQUIRES: the history outlives it.
  CheckNames(const TransactionHistory& history, const Counterexample& counterexample);

  const TransactionHistory& history() const { return history_; }
  // In the order of their names.
  const std::vector<TransactionId>& transactions() const { return transactions_; }
  std::size_t left_out() const { return left_out_; }

  // "T1". REQUIRES: it is one of transactions().
  std::string name(TransactionId id) const;
  // "T1", or "the state before all transactions".
  std::string name_or_start(std::optional<TransactionId> id) const;
  // REQUIRES: the operation is one of a transaction in transactions().
  TransactionId owner(std::uint32_t operation) const;

  // "r1[x=0]", "w1[x=1]", "append1[x=2]", "r1[x=[1 2]]".
  std::string notation(std::uint32_t operation) const;
  // "s2, line 7": where to find it.
  std::string place(TransactionId id) const;
  // "r1[x=0] ... w1[x=1] c1": long transactions without what does not matter.
  std::string notation(TransactionId id) const;

  // In program order, operations that the counterexample names; of short transactions also others.
  std::vector<std::uint32_t> shown(TransactionId id) const;

 private:
  void note(const std::vector<RecordedEdge>& edges, std::uint32_t depth);
  void note(const std::optional<std::uint32_t>& operation);
  void choose_keys();
  std::vector<std::uint32_t> operations_of(TransactionId id, bool all) const;
  std::size_t number(TransactionId id) const;

  const TransactionHistory& history_;
  std::vector<TransactionId> transactions_;
  std::vector<std::uint32_t> operations_;
  std::set<KeyId> unshown_keys_;  // but for what the counterexample names
  std::size_t left_out_ = 0;
};

// How deep explanations follow what explains what.
inline constexpr std::uint32_t kDeepestBecause = 6;

}  // namespace heddle
