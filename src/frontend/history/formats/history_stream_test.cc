// Read in parts, wherever the bytes are cut, a history is what it is when it is read as a whole.
#include "frontend/history/formats/history_stream.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/history/formats/read_history.h"
#include "frontend/history/formats/write_history.h"
#include "frontend/history/write/write_random.h"

namespace heddle {
namespace {

std::string told(const TransactionHistory& history, const RecordedTransaction& txn) {
  std::string text =
      fmt::format("line {} {} {} {}:", txn.line, to_string(txn.outcome), txn.began, txn.ended);
  for (std::uint32_t i = txn.first; i < txn.first + txn.count; ++i) {
    const KeyOperation& operation = history.operations[i];
    text += fmt::format(" {} {}", to_string(operation.action),
                        history.texts.to_string(history.keys.name(operation.key)));
    if (operation.action == KeyAction::read_list && operation.value != kUnseen) {
      for (const Value element : history.lists[operation.list()]) {
        text += "," + history.texts.to_string(element);
      }
    } else {
      text += "=" + history.texts.to_string(operation.value);
    }
  }
  return text;
}

void add_told(const TransactionHistory& history, std::vector<std::string>& all) {
  for (const RecordedTransaction& txn : history.transactions) all.push_back(told(history, txn));
}

// All transactions of all parts; the watermarks are kept to.
Result<std::vector<std::string>> streamed(const std::string& bytes,
                                          const ReadHistoryOptions& options,
                                          RandomHistory& random) {
  HistoryStream stream("h", options);
  std::vector<std::string> all;
  Moment watermark = std::numeric_limits<Moment>::min();
  const auto take_part = [&]() -> Result<void> {
    const Result<std::optional<StreamedPart>> part = stream.take_part();
    if (!part) return part.error();
    if (!*part) return {};
    const auto& history = std::get<TransactionHistory>((*part)->history);
    for (const RecordedTransaction& txn : history.transactions) EXPECT_GE(txn.began, watermark);
    watermark = (*part)->watermark;
    add_told(history, all);
    return {};
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = std::min<std::size_t>(bytes.size() - at, 1 + random.below(80));
    if (Result<void> taken = stream.take(bytes.substr(at, size)); !taken) return taken.error();
    if (random.one_in(2)) {
      if (Result<void> taken = take_part(); !taken) return taken.error();
    }
    at += size;
  }
  if (Result<void> ended = stream.end(); !ended) return ended.error();
  if (Result<void> taken = take_part(); !taken) return taken.error();
  return all;
}

std::size_t compare(HistoryFormat format, bool lists) {
  std::size_t compared = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    // In textbook notation nobody knows before the end that a transaction has no outcome.
    const bool unknown = format != HistoryFormat::textbook;
    RandomHistory random(
        seed, {.texts = seed % 2 == 0, .lists = lists, .unknown = unknown, .overlap = false});
    const TransactionHistory made = random.transactions();
    if (!made.has_times || made.transactions.empty()) continue;
    const Result<std::string> bytes = write_history(made, format);
    if (!bytes) continue;
    ReadHistoryOptions options{.format = format};
    if (format == HistoryFormat::textbook) options.initial = "nil";
    const Result<RecordedHistory> whole = read_history(*bytes, "h", options);
    const Result<std::vector<std::string>> parts = streamed(*bytes, options, random);
    if (!whole) continue;
    if (!parts) {
      ADD_FAILURE() << "seed " << seed << ": " << to_string(parts.error()) << "\n" << *bytes;
      break;
    }
    std::vector<std::string> expected;
    add_told(std::get<TransactionHistory>(*whole), expected);
    std::vector<std::string> found = *parts;
    std::ranges::sort(expected);
    std::ranges::sort(found);
    EXPECT_EQ(expected, found) << "seed " << seed << "\n" << *bytes;
    ++compared;
    if (testing::Test::HasFailure()) break;
  }
  return compared;
}

TEST(HistoryStream, parts_of_heddle_lines) {
  EXPECT_GT(compare(HistoryFormat::heddle_lines, true), 50U);
}

TEST(HistoryStream, parts_of_jepsen) { EXPECT_GT(compare(HistoryFormat::jepsen_edn, false), 20U); }

TEST(HistoryStream, parts_of_textbook) { EXPECT_GT(compare(HistoryFormat::textbook, true), 20U); }

std::string complaint(const std::string& bytes) {
  HistoryStream stream("h", {});
  Result<void> taken = stream.take(bytes);
  if (taken) taken = stream.end();
  if (!taken) return to_string(taken.error());
  const Result<std::optional<StreamedPart>> part = stream.take_part();
  return part ? "" : to_string(part.error());
}

TEST(HistoryStream, complaints_name_the_line_of_the_file) {
  EXPECT_TRUE(complaint("initial: 0\n\nr1[x=0] c1\nr1[x=1]\n").starts_with("h:4:1: transaction 1"));
  EXPECT_TRUE(complaint("initial: 0\nr1[x=0\n").starts_with("h:2:"));
  EXPECT_TRUE(complaint("{:process 1, :type :invoke, :f :read, :value nil}\n{:process 1, :typ\n")
                  .starts_with("h:2:"));
  EXPECT_TRUE(complaint("{:process 1, :type :ok, :f :read, :value nil}\n").starts_with("h:1:1: "));
  const std::string head = R"({"heddle":"history/1","shape":"transactions","times":true})";
  EXPECT_TRUE(complaint(head + "\n\n{\"session\":0,\"ops\":3}\n").starts_with("h:3:"));
  EXPECT_TRUE(complaint("").starts_with("h:1:1: the file is empty"));
}

}  // namespace
}  // namespace heddle
