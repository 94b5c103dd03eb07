// Public histories, where they lie beside the checkout: every file is read, and as what.
#include <filesystem>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/history/formats/read_history.h"
#include "frontend/history/write/samples_testing.h"

namespace heddle {
namespace {

// "4 transactions, 19 operations" or "cas-register, 9 calls: 7 ok, 0 failed, 2 unknown".
std::string summary(const std::filesystem::path& path) {
  const Result<RecordedHistory> history = read_history(read_sample(path), path.filename());
  if (!history) return to_string(history.error());
  if (const auto* const transactions = std::get_if<TransactionHistory>(&*history)) {
    return fmt::format("{} transactions, {} operations{}", transactions->transactions.size(),
                       transactions->operations.size(),
                       transactions->has_times ? "" : " without times");
  }
  const auto& objects = std::get<ObjectHistory>(*history);
  std::map<CallOutcome, int> outcomes;
  for (const ObjectCall& call : objects.calls) ++outcomes[call.outcome];
  return fmt::format("{}, {} ok, {} failed, {} unknown", to_string(objects.model),
                     outcomes[CallOutcome::ok], outcomes[CallOutcome::failed],
                     outcomes[CallOutcome::unknown]);
}

// Of all files of a folder with one ending, by name.
std::map<std::string, std::string> summaries(const std::string& folder,
                                             const std::string& extension) {
  std::map<std::string, std::string> found;
  for (const auto& path : find_samples(folder, extension)) found[path.filename()] = summary(path);
  return found;
}

void expect_rows(const std::map<std::string, std::string>& found,
                 const std::map<std::string, std::string>& rows) {
  if (found.empty()) return;
  EXPECT_EQ(found, rows);
}

TEST(PublicJepsenHistories, TransactionsOfElle) {
  expect_rows(summaries("elle", ".edn"),
              {
                  {"paper-example.edn", "4 transactions, 19 operations"},
                  {"si-without-g-single.edn", "4 transactions, 8 operations"},
              });
}

TEST(PublicJepsenHistories, EdnOfElleCli) {
  expect_rows(summaries("elle-cli", ".edn"),
              {
                  {"bad-analysis.edn", "cas-register, 7 ok, 0 failed, 2 unknown"},
                  {"bank-neg.edn", "bank, 1 ok, 0 failed, 0 unknown"},
                  {"bank.edn", "bank, 221 ok, 99 failed, 1 unknown"},
                  {"cas-failure.edn", "cas-register, 205 ok, 85 failed, 1 unknown"},
                  {"comments.edn", "set, 3 ok, 0 failed, 0 unknown"},
                  {"counter.edn", "counter, 287 ok, 0 failed, 0 unknown"},
                  {"etcd.edn", "mutex, 261 ok, 299 failed, 3 unknown"},
                  {"list-append-gh-30.edn", "5 transactions, 11 operations"},
                  {"long-fork.edn", "2 transactions, 6 operations"},
                  {"memstress3-9.edn", "cas-register, 233 ok, 83 failed, 0 unknown"},
                  {"mongodb-v0-ack-rollback-6.edn", "cas-register, 61 ok, 679 failed, 6 unknown"},
                  {"paper-example.edn", "4 transactions, 19 operations"},
                  {"rethink-fail-minimal.edn", "cas-register, 4 ok, 0 failed, 0 unknown"},
                  {"rethink-fail-smaller.edn", "cas-register, 125 ok, 121 failed, 4 unknown"},
                  {"rethink-fail.edn", "cas-register, 125 ok, 121 failed, 4 unknown"},
                  {"rw-register.edn", "3 transactions, 3 operations"},
                  {"set.edn", "set, 4 ok, 0 failed, 0 unknown"},
              });
}

TEST(PublicJepsenHistories, JsonOfElleCli) {
  expect_rows(summaries("elle-cli", ".json"),
              {
                  {"bank-negative-balances.json", "bank, 2 ok, 0 failed, 0 unknown"},
                  {"bank.json", "bank, 221 ok, 99 failed, 1 unknown"},
                  {"counter.json", "counter, 287 ok, 0 failed, 0 unknown"},
                  {"etcd.json", "mutex, 261 ok, 299 failed, 3 unknown"},
                  {"memstress3-9.json", "cas-register, 233 ok, 83 failed, 0 unknown"},
                  {"paper-example.json", "4 transactions, 19 operations"},
                  {"rw-register.json", "3 transactions, 3 operations"},
              });
}

TEST(PublicJepsenHistories, RegistersOfKnossos) {
  expect_rows(summaries("knossos", ".edn"),
              {
                  {"bad-analysis.edn", "cas-register, 7 ok, 0 failed, 2 unknown"},
                  {"cas-failure.edn", "cas-register, 205 ok, 85 failed, 1 unknown"},
                  {"immediate-failure.edn", "cas-register, 1 ok, 1 failed, 0 unknown"},
                  {"memstress3-0.edn", "cas-register, 231 ok, 86 failed, 0 unknown"},
                  {"memstress3-1.edn", "cas-register, 217 ok, 88 failed, 0 unknown"},
                  {"memstress3-10.edn", "cas-register, 226 ok, 70 failed, 0 unknown"},
                  {"memstress3-11.edn", "cas-register, 244 ok, 76 failed, 0 unknown"},
                  {"memstress3-12.edn", "cas-register, 216 ok, 88 failed, 0 unknown"},
                  {"memstress3-13.edn", "cas-register, 207 ok, 97 failed, 0 unknown"},
                  {"memstress3-14.edn", "cas-register, 232 ok, 73 failed, 0 unknown"},
                  {"memstress3-15.edn", "cas-register, 227 ok, 81 failed, 0 unknown"},
                  {"memstress3-16.edn", "cas-register, 193 ok, 90 failed, 0 unknown"},
                  {"memstress3-17.edn", "cas-register, 226 ok, 85 failed, 0 unknown"},
                  {"memstress3-18.edn", "cas-register, 221 ok, 77 failed, 0 unknown"},
                  {"memstress3-19.edn", "cas-register, 223 ok, 83 failed, 0 unknown"},
                  {"memstress3-2.edn", "cas-register, 205 ok, 94 failed, 0 unknown"},
                  {"memstress3-3.edn", "cas-register, 214 ok, 82 failed, 0 unknown"},
                  {"memstress3-4.edn", "cas-register, 214 ok, 86 failed, 0 unknown"},
                  {"memstress3-5.edn", "cas-register, 229 ok, 74 failed, 0 unknown"},
                  {"memstress3-6.edn", "cas-register, 214 ok, 80 failed, 0 unknown"},
                  {"memstress3-7.edn", "cas-register, 237 ok, 79 failed, 0 unknown"},
                  {"memstress3-8.edn", "cas-register, 224 ok, 93 failed, 0 unknown"},
                  {"memstress3-9.edn", "cas-register, 233 ok, 83 failed, 0 unknown"},
                  {"rethink-fail-minimal.edn", "cas-register, 4 ok, 0 failed, 0 unknown"},
                  {"rethink-fail-smaller.edn", "cas-register, 125 ok, 121 failed, 4 unknown"},
                  {"rethink-fail.edn", "cas-register, 125 ok, 121 failed, 4 unknown"},
              });
}

TEST(PublicJepsenHistories, KeyValueStoresOfPorcupine) {
  expect_rows(summaries("kv", ".txt"),
              {
                  {"c01-bad.txt", "key-value, 38 ok, 0 failed, 0 unknown"},
                  {"c01-ok.txt", "key-value, 58 ok, 0 failed, 0 unknown"},
                  {"c10-bad.txt", "key-value, 405 ok, 0 failed, 0 unknown"},
                  {"c10-ok.txt", "key-value, 337 ok, 0 failed, 0 unknown"},
              });
}

TEST(PublicEtcdLogs, AreCompareAndSetRegisters) {
  std::map<CallOutcome, int> outcomes;
  const auto files = find_samples("etcd", ".log");
  for (const auto& path : files) {
    const Result<RecordedHistory> history = read_history(read_sample(path), path.filename());
    ASSERT_TRUE(history) << to_string(history.error());
    const auto& objects = std::get<ObjectHistory>(*history);
    EXPECT_EQ(objects.model, ObjectModel::cas_register);
    for (const ObjectCall& call : objects.calls) ++outcomes[call.outcome];
  }
  if (files.empty()) return;
  EXPECT_EQ(files.size(), 40);
  EXPECT_EQ(outcomes[CallOutcome::ok], 2125);
  EXPECT_EQ(outcomes[CallOutcome::failed], 701);
  EXPECT_EQ(outcomes[CallOutcome::unknown], 515);
}

TEST(PublicHistories, ShowTheirFormat) {
  const std::map<std::string, std::string> formats = {
      {"elle", ".edn"}, {"etcd", ".log"}, {"kv", ".txt"}, {"awdit", ".txt"}, {"plume", ".txt"}};
  const std::map<std::string, HistoryFormat> expected = {{"elle", HistoryFormat::jepsen_edn},
                                                         {"etcd", HistoryFormat::jepsen_log},
                                                         {"kv", HistoryFormat::jepsen_edn},
                                                         {"awdit", HistoryFormat::awdit},
                                                         {"plume", HistoryFormat::plume}};
  for (const auto& [folder, extension] : formats) {
    for (const auto& path : find_samples(folder, extension)) {
      const Result<HistoryFormat> format =
          detect_history_format(read_sample(path), path.filename());
      ASSERT_TRUE(format) << to_string(format.error());
      EXPECT_EQ(*format, expected.at(folder)) << path;
    }
  }
}

TEST(PublicHistories, OneLogOfCobraIsRefused) {
  for (const auto& path : find_samples("cobra", ".log")) {
    EXPECT_FALSE(read_history(read_sample(path), path.filename())) << path;
  }
}

}  // namespace
}  // namespace heddle
