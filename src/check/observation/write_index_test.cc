// What the index finds is what a look at each operation finds.
#include "check/observation/write_index.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "check/levels/sample_recorded.h"

namespace heddle {
namespace {

bool is_a_write(const KeyOperation& operation) {
  return operation.action == KeyAction::write || operation.action == KeyAction::append;
}

std::vector<std::uint32_t> writes_found_one_by_one(const TransactionHistory& history, KeyId key,
                                                   Value value) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < history.operations.size(); ++i) {
    const KeyOperation& operation = history.operations[i];
    if (is_a_write(operation) && operation.key == key && operation.value == value) {
      found.push_back(i);
    }
  }
  return found;
}

std::vector<std::uint32_t> copied(std::span<const std::uint32_t> writes) {
  return {writes.begin(), writes.end()};
}

// Whether the index of one history finds in another what a look at each operation finds there.
bool finds_all(WriteIndex& index, const TransactionHistory& history) {
  const bool has_lists = std::ranges::any_of(history.operations, [](const auto& operation) {
    return operation.action == KeyAction::read_list;
  });
  for (std::size_t txn = 0; txn < history.transactions.size(); ++txn) {
    const RecordedTransaction& recorded = history.transactions[txn];
    for (std::uint32_t i = recorded.first; i < recorded.first + recorded.count; ++i) {
      const KeyOperation& operation = history.operations[i];
      if (is_a_write(operation)) {
        if (index.transaction_of(i) != TransactionId(txn)) return false;
      } else if (operation.action == KeyAction::read && operation.value != kUnseen) {
        const auto expected = writes_found_one_by_one(history, operation.key, operation.value);
        if (copied(index.writes_seen_by(i)) != expected) return false;
      }
      if (operation.action == KeyAction::read_list || !has_lists) continue;
      const auto expected = writes_found_one_by_one(history, operation.key, operation.value);
      if (copied(index.writes_of(operation.key, operation.value)) != expected) return false;
    }
  }
  return true;
}

TEST(WriteIndex, finds_what_a_look_at_each_operation_finds) {
  for (std::uint64_t seed = 0; seed < test_rounds(3'000); ++seed) {
    const TransactionHistory history = sample_of_seed(seed, {.transactions = 12});
    WriteIndex index(history);
    // Twice: tables that are filled again find the same.
    ASSERT_TRUE(finds_all(index, history) && finds_all(index, history)) << text_of(history);
  }
}

TEST(WriteIndex, finds_many_writes_of_few_keys) {
  std::mt19937 random(1);
  TransactionHistory history;
  for (int i = 0; i < 400; ++i) {
    TransactionBuilder txn(history, random() % 5);
    for (int j = 0; j < 3; ++j) {
      const KeyId key = history.keys.of(Value::number(random() % 3));
      const Value value = Value::number(random() % 200);
      random() % 2 == 0 ? txn.write(key, value) : txn.read(key, value);
    }
    txn.end();
  }
  WriteIndex index(history);
  EXPECT_TRUE(finds_all(index, history));
}

// Shows that the comparison can fail.
TEST(WriteIndex, is_told_from_that_of_another_history) {
  const TransactionHistory history = recorded_sample("0 w(x,1) c\n1 w(x,2) r(x,1) c\n");
  WriteIndex index(history);
  EXPECT_TRUE(finds_all(index, history));
  EXPECT_FALSE(finds_all(index, recorded_sample("0 w(x,1) c\n1 w(x,1) r(x,1) c\n")));
  EXPECT_FALSE(finds_all(index, recorded_sample("0 w(x,3) c\n1 w(x,2) r(x,1) c\n")));
}

}  // namespace
}  // namespace heddle
