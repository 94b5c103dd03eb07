#include "frontend/history/cobra.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "frontend/history/write/samples_testing.h"
#include "frontend/history/write/write_spelling.h"

namespace heddle {
namespace {

constexpr std::uint64_t kInitial = 0xbebeebee;
constexpr std::uint64_t kNull = 0xdeadbeef;
constexpr std::uint64_t kDelete = 0xabcdefab;

std::string entry(char kind, std::initializer_list<std::uint64_t> numbers) {
  std::string bytes(1, kind);
  for (const std::uint64_t number : numbers) {
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFF);
  }
  return bytes;
}

std::string write(std::uint64_t id, std::uint64_t key) { return entry('W', {id, key, 99}); }
std::string cobra_read(std::uint64_t transaction, std::uint64_t id, std::uint64_t key) {
  return entry('R', {transaction, id, key, 99});
}
std::string transaction(std::uint64_t id, const std::string& operations) {
  return entry('S', {id}) + operations + entry('C', {id});
}

std::string dump(const std::vector<std::string>& bytes) {
  std::vector<CobraLog> logs;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    logs.push_back({fmt::format("logs/T{}.log", i + 1), bytes[i]});
  }
  const Result<TransactionHistory> history = read_cobra(logs);
  if (!history) return to_string(history.error());
  EXPECT_EQ(find_flaw(*history), std::nullopt);
  return spell_history(*history);
}

TEST(Cobra, a_read_has_the_value_of_the_write_that_it_names) {
  EXPECT_EQ(dump({transaction(1, write(10, 5)) + transaction(2, write(11, 5)),
                  transaction(3, cobra_read(2, 11, 5))}),
            "initial null\n"
            "T1 committed w(5)=10\n"
            "T1 committed w(5)=11\n"
            "T2 committed r(5)=11\n");
}

TEST(Cobra, a_read_that_names_no_logged_write_matches_nothing) {
  const std::string writer = transaction(1, write(10, 5));
  EXPECT_EQ(dump({writer, transaction(3, cobra_read(2, 11, 5))}),
            "initial null\nT1 committed w(5)=10\n"
            "T2 committed r(5)=\"11 of transaction 2, not logged\"\n");
  // The same id, but of another transaction or of another key.
  EXPECT_EQ(dump({writer, transaction(3, cobra_read(2, 10, 5) + cobra_read(1, 10, 6))}),
            "initial null\nT1 committed w(5)=10\n"
            "T2 committed r(5)=\"10 of transaction 2, not logged\" "
            "r(6)=\"10 of transaction 1, not logged\"\n");
}

TEST(Cobra, ids_that_two_transactions_share_are_told_apart) {
  EXPECT_EQ(
      dump({transaction(1, write(10, 5)), transaction(2, write(10, 5)),
            transaction(3, cobra_read(1, 10, 5) + cobra_read(2, 10, 5) + cobra_read(7, 10, 5))}),
      "initial null\n"
      "T1 committed w(5)=\"10 of transaction 1\"\n"
      "T2 committed w(5)=\"10 of transaction 2\"\n"
      "T3 committed r(5)=\"10 of transaction 1\" r(5)=\"10 of transaction 2\" "
      "r(5)=\"10 of transaction 7\"\n");
}

TEST(Cobra, initial_null_and_deleted) {
  // A key that was not there, a key that was, one that was not until it was deleted.
  EXPECT_EQ(dump({transaction(1, cobra_read(kNull, kNull, 5) + cobra_read(kInitial, kInitial, 6)),
                  transaction(2, write(kDelete, 7) + cobra_read(kNull, kNull, 7))}),
            "initial null\nT1 committed r(5)=null r(6)=null\nT2 committed w(7)=null r(7)=null\n");
  // A key that was there and is gone.
  EXPECT_EQ(dump({transaction(1, cobra_read(kInitial, kInitial, 6)),
                  transaction(2, write(kDelete, 6)), transaction(3, cobra_read(kNull, kNull, 6))}),
            "initial null\nT1 committed r(6)=null\nT2 committed w(6)=\"deleted\"\n"
            "T3 committed r(6)=\"deleted\"\n");
}

TEST(Cobra, marks_of_the_verifier_are_initial) {
  EXPECT_EQ(dump({transaction(
                1, cobra_read(kInitial, 0x23332333, 5) + cobra_read(kInitial, 0x66666666, 6))}),
            "initial null\nT1 committed r(5)=null r(6)=null\n");
}

TEST(Cobra, the_log_of_a_client_that_died) {
  EXPECT_EQ(dump({transaction(1, "") + entry('S', {2}) + write(10, 5)}),
            "initial null\nT1 committed\nT1 unknown w(5)=10\n");
  EXPECT_EQ(dump({entry('S', {2}) + write(10, 5) + entry('A', {2})}),
            "initial null\nT1 aborted w(5)=10\n");
}

TEST(Cobra, logs_with_timestamps) {
  EXPECT_EQ(dump({entry('S', {1, 1000}) + write(10, 5) + entry('C', {1, 1500})}),
            "initial null, times\nT1 committed [1000, 1500] w(5)=10\n");
}

TEST(Cobra, numbers_of_any_size) {
  const std::uint64_t large = 0xF123456789ABCDEF;
  EXPECT_EQ(dump({transaction(1, write(large, large))}),
            "initial null\nT1 committed w(\"17375808098319191535\")=\"17375808098319191535\"\n");
}

TEST(Cobra, says_what_is_wrong_and_where) {
  const std::string whole = transaction(1, write(10, 5));
  EXPECT_EQ(dump({whole, whole.substr(0, 20)}),
            "logs/T2.log: the log ends inside of an entry at byte 9");
  EXPECT_EQ(dump({"X" + whole}), "logs/T1.log: no entry of a Cobra log at byte 0");
  EXPECT_EQ(dump({write(1, 2)}), "logs/T1.log: an entry outside of a transaction at byte 0");
  EXPECT_EQ(dump({entry('S', {1}) + entry('S', {2})}),
            "logs/T1.log: a transaction starts inside of another one at byte 9");
  EXPECT_EQ(dump({entry('S', {1}) + entry('C', {2})}),
            "logs/T1.log: the end of a transaction that did not start at byte 9");
}

struct SampleSize {
  std::size_t transactions;
  std::size_t operations;
  std::size_t unexplained;  // reads of values that are neither initial nor written
};

TEST(Cobra, public_histories) {
  const std::map<std::string, SampleSize> sizes = {
      {"chengRW-100", {100, 800, 0}}, {"chengRW-500", {478, 3824, 0}}, {"cock-blog", {21, 21, 8}}};
  std::map<std::string, std::vector<CobraLog>> folders;
  std::vector<std::string> contents;
  const auto paths = find_samples("cobra", ".log");
  contents.reserve(paths.size());
  for (const auto& path : paths) {
    contents.push_back(read_sample(path));
    folders[path.parent_path().filename()].push_back({path.filename(), contents.back()});
  }
  for (const auto& [folder, logs] : folders) {
    const Result<TransactionHistory> history = read_cobra(logs);
    ASSERT_TRUE(history) << folder << ": " << to_string(history.error());
    EXPECT_EQ(find_flaw(*history), std::nullopt);
    const SampleSize size = sizes.at(folder);
    EXPECT_EQ(history->transactions.size(), size.transactions) << folder;
    EXPECT_EQ(history->operations.size(), size.operations) << folder;
    std::set<std::pair<KeyId, Value>> written;
    std::size_t unexplained = 0;
    for (const KeyOperation& operation : history->operations) {
      if (operation.action == KeyAction::write) written.emplace(operation.key, operation.value);
    }
    for (const KeyOperation& operation : history->operations) {
      const bool is_read = operation.action == KeyAction::read && operation.value != kNil;
      if (is_read && !written.contains({operation.key, operation.value})) ++unexplained;
    }
    EXPECT_EQ(unexplained, size.unexplained) << folder;
  }
}

}  // namespace
}  // namespace heddle
