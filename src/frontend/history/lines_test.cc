#include "frontend/history/lines.h"

#include <limits>

#include <gtest/gtest.h>

#include "frontend/history/formats/write_history.h"
#include "frontend/history/lines_json.h"
#include "frontend/history/write/write_random.h"
#include "frontend/history/write/write_spelling.h"

namespace heddle {
namespace {

std::string spelled_lines(const std::string& text) {
  const Result<RecordedHistory> history = read_heddle_lines(text, "h.jsonl");
  if (!history) return to_string(history.error());
  EXPECT_EQ(std::visit([](const auto& shape) { return find_flaw(shape); }, *history), std::nullopt);
  return spell_history(*history);
}

const std::string kHeader = R"({"heddle": "history/1", "shape": "transactions"})";
const std::string kCalls = R"({"heddle": "history/1", "shape": "calls", "model": "queue"})";

TEST(HeddleLines, reads_transactions) {
  EXPECT_EQ(
      spelled_lines(R"({"heddle": "history/1", "shape": "transactions", "initial": 0, "times": true}
{"session": 0, "began": 1, "ended": 4, "ops": [["r", "x", 0], ["w", "x", 1]]}
{"session": 1, "outcome": "unknown", "began": 2, "ops": [["r", "x"], ["append", 7, "a"]]}
{"session": 0, "outcome": "aborted", "began": 5, "ended": 6, "ops": [["r", 7, ["a"]]]}
{"session": 1, "ops": [["r-list", 7]]}
)"),
      "initial 0, times\n"
      "#0 committed [1, 4] r(\"x\")=0 w(\"x\")=1\n"
      "#1 unknown [2, 9223372036854775807] r(\"x\")={\"unseen\": true} append(7)=\"a\"\n"
      "#0 aborted [5, 6] r-list(7)=[\"a\" ]\n"
      "#1 committed [0, 9223372036854775807] r-list(7)={\"unseen\": true}\n");
}

TEST(HeddleLines, reads_calls) {
  EXPECT_EQ(spelled_lines(kCalls + R"(
{"process": 3, "function": "enqueue", "object": "q", "argument": "a", "called": 1, "returned": 2}
{"process": 1, "function": "dequeue", "object": "q", "result": null, "called": 0, "returned": 5}
{"process": 4, "function": "dequeue", "object": "q", "outcome": "unknown", "called": 2}
)"),
            "queue initial null permits 1\n"
            "1 dequeue(\"q\", null, null)=null 0 [0, 5]\n"
            "3 enqueue(\"q\", \"a\", null)={\"unseen\": true} 0 [1, 2]\n"
            "4 dequeue(\"q\", null, null)={\"unseen\": true} 2 [2, 9223372036854775807]\n");
}

TEST(HeddleLines, sessions_by_name) {
  EXPECT_EQ(spelled_lines(kHeader + R"({"session": "bob", "ops": []}{"session": "al", "ops": []}
                              {"session": "bob", "ops": []})"),
            "initial none\nbob committed\nal committed\nbob committed\n");
  const std::string named =
      R"({"heddle": "history/1", "shape": "transactions", "sessions": ["al", "bob"]})";
  EXPECT_EQ(spelled_lines(named + R"({"session": "bob"}{"session": 0})"),
            "initial none\nbob committed\nal committed\n");
  EXPECT_EQ(spelled_lines(named + R"({"session": "eve"})"),
            "h.jsonl:1:88: unknown session \"eve\"");
  EXPECT_EQ(spelled_lines(named + R"({"session": 2})"),
            "h.jsonl:1:88: the number of a session is between 0 and 1");
  EXPECT_EQ(spelled_lines(kHeader + R"({"session": "eve"}{"session": 0})"),
            "h.jsonl:1:79: expected the name of a session, as in the lines above");
  EXPECT_EQ(spelled_lines(kHeader + R"({"session": 0}{"session": "eve"})"),
            "h.jsonl:1:75: unknown session \"eve\"");
}

TEST(HeddleLines, unknown_members_are_ignored) {
  EXPECT_EQ(spelled_lines(R"({"made": {"by": ["x", {"y": null}]}, "heddle": "history/1",
                     "shape": "transactions"}{"note": "\u00e9\"", "session": 0, "cost": 1.5e-3})"),
            "initial none\n#0 committed\n");
}

TEST(HeddleLines, texts_of_any_bytes) {
  EXPECT_EQ(spelled_lines(kHeader +
                          R"({"session": 0, "ops": [["w", {"hex": "00ff"}, "\ud83d\ude00\n"]]})"),
            "initial none\n#0 committed w({\"hex\": \"00ff\"})=\"\xF0\x9F\x98\x80\\n\"\n");
}

TEST(HeddleLines, says_what_is_wrong_and_where) {
  const std::string none =
      "no history of heddle, the first line looks like {\"heddle\": \"history/1\", \"shape\": ...}";
  EXPECT_EQ(spelled_lines(""), "h.jsonl:1:1: expected an object");
  EXPECT_EQ(spelled_lines("{}"), "h.jsonl:1:1: " + none);
  EXPECT_EQ(spelled_lines(R"({"heddle": "finding/1"})"), "h.jsonl:1:1: " + none);
  EXPECT_EQ(spelled_lines(R"({"heddle": "history/1"})"),
            "h.jsonl:1:1: unknown shape \"\", use one of: transactions, calls");
  EXPECT_EQ(spelled_lines(kHeader + "\n{\"ops\": []}"),
            "h.jsonl:2:1: a transaction without a session");
  EXPECT_EQ(spelled_lines(kHeader + "\n{\"session\": 0, \"ops\": [[\"w\", 1]]}"),
            "h.jsonl:2:24: an operation looks like [\"r\", \"x\", 1] or [\"w\", \"x\", 2]");
  EXPECT_EQ(spelled_lines(kHeader + "\n{\"session\": 0, \"ops\": [[\"x\", 1, 2]]}"),
            "h.jsonl:2:25: unknown action \"x\", use one of: r, w, append, r-list");
  EXPECT_EQ(spelled_lines(kHeader + "\n{\"session\": 0, \"ops\": [[\"w\", 1, 2.5]]}"),
            "h.jsonl:2:34: expected a whole number, write other numbers as texts");
  EXPECT_EQ(spelled_lines(kHeader + "\n{\"session\": 1000000}"),
            "h.jsonl:2:13: the number of a session is between 0 and 999999");
  EXPECT_EQ(spelled_lines(kHeader + "\n{\"session\": 0, \"outcome\": \"maybe\"}"),
            "h.jsonl:2:27: unknown outcome \"maybe\", use one of: committed, aborted, unknown");
  EXPECT_EQ(spelled_lines(R"({"heddle": "history/1", "shape": "transactions", "times": true}
{"session": 0, "began": 5, "ended": 4})"),
            "h.jsonl:2:1: the transaction ends before it begins");
  EXPECT_EQ(spelled_lines(R"({"heddle": "history/1", "shape": "calls", "model": "toaster"})"),
            "h.jsonl:1:1: unknown model \"toaster\"");
  EXPECT_EQ(spelled_lines(kCalls + "\n{\"process\": 0}"), "h.jsonl:2:1: a call without a function");
  EXPECT_EQ(spelled_lines(kCalls + R"({"function": "push", "called": 3, "returned": 2})"),
            "h.jsonl:1:60: the call returns before it begins");
  EXPECT_EQ(spelled_lines(kHeader + "{\"session\": 0"), "h.jsonl:1:62: expected ','");
  EXPECT_EQ(spelled_lines(kHeader + "{\"session"), "h.jsonl:1:58: the text does not end");
  EXPECT_EQ(spelled_lines(kHeader + R"({"session": "\ud800"})"),
            "h.jsonl:1:68: half of a surrogate pair");
}

TEST(HeddleLines, every_history_survives) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomHistoryShape shape;
    if (seed % 3 == 0) shape.initial.reset();
    const RecordedHistory history = seed % 2 == 0
                                        ? RecordedHistory(RandomHistory(seed, shape).transactions())
                                        : RecordedHistory(RandomHistory(seed, shape).calls());
    const Result<std::string> text = write_history(history, HistoryFormat::heddle_lines);
    ASSERT_TRUE(text);
    ASSERT_EQ(spelled_lines(*text), spell_history(history)) << "seed " << seed << "\n" << *text;
    const Result<RecordedHistory> again = read_heddle_lines(*text, "again");
    ASSERT_TRUE(again);
    EXPECT_EQ(*write_history(*again, HistoryFormat::heddle_lines), *text) << "seed " << seed;
  }
}

// That the round trip can fail: a writer that forgets outcomes.
TEST(HeddleLines, the_round_trip_notices_a_forgotten_member) {
  unsigned differences = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const TransactionHistory history = RandomHistory(seed, {}).transactions();
    std::string text = *write_history(history, HistoryFormat::heddle_lines);
    const std::string member = ", \"outcome\": \"aborted\"";
    for (std::size_t at = text.find(member); at != std::string::npos; at = text.find(member)) {
      text.erase(at, member.size());
    }
    if (spelled_lines(text) != spell_history(history)) ++differences;
  }
  EXPECT_GT(differences, 30U);
}

TEST(JsonCursor, skips_what_nobody_asked_for) {
  for (const char* good : {"1", "-1.5e-3", "true", "null", "\"a\\\"\"", "[]", "[1, [2], {}]",
                           R"({"a": [1, {"b": "]"}], "c": null})"}) {
    const std::string name = "x";
    JsonCursor json(good, name);
    json.skip_value();
    EXPECT_FALSE(json.trouble()) << good;
    EXPECT_TRUE(json.at_end()) << good;
  }
  for (const char* bad : {"", "[", "]", "x", "\"a", "[1}", "{\"a\": ", "nul"}) {
    const std::string name = "x";
    JsonCursor json(bad, name);
    json.skip_value();
    EXPECT_TRUE(json.trouble()) << bad;
  }
}

}  // namespace
}  // namespace heddle
