#include "frontend/history/dbcop.h"

#include <gtest/gtest.h>

#include "frontend/history/write/write_spelling.h"

namespace heddle {
namespace {

std::string number(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}
std::string text(const std::string& content) { return number(content.size()) + content; }
std::string truth(bool value) { return std::string(1, value ? '\1' : '\0'); }
std::string event(bool write, std::uint64_t variable, std::uint64_t value, bool success = true) {
  return truth(write) + number(variable) + number(value) + truth(success);
}
std::string list(const std::vector<std::string>& elements) {
  std::string bytes = number(elements.size());
  for (const std::string& element : elements) bytes += element;
  return bytes;
}
std::string dbcop_transaction(const std::vector<std::string>& events, bool success = true) {
  return list(events) + truth(success);
}
std::string file(const std::vector<std::string>& sessions) {
  return number(1) + number(2) + number(3) + number(4) + number(5) + text("generated") +
         text("2019-03-11T14:00:00+01:00") + text("2019-03-11T14:00:01+01:00") + list(sessions);
}

std::string dbcop_dump(const Result<TransactionHistory>& history) {
  if (!history) return to_string(history.error());
  EXPECT_EQ(find_flaw(*history), std::nullopt);
  return spell_history(*history);
}
std::string binary(const std::string& bytes) {
  return dbcop_dump(read_dbcop_bincode(bytes, "history.bincode"));
}
std::string json(const std::string& document) {
  return dbcop_dump(read_dbcop_json(document, "h.json"));
}

TEST(DbcopBincode, reads_sessions_transactions_and_events) {
  EXPECT_EQ(binary(file({list({dbcop_transaction({event(true, 3, 1), event(false, 4, 0)}),
                               dbcop_transaction({event(true, 3, 2)}, false)}),
                         list({}), list({dbcop_transaction({event(false, 3, 2)})})})),
            "initial 0\n"
            "#0 committed w(3)=1 r(4)=0\n"
            "#0 aborted w(3)=2\n"
            "#2 committed r(3)=2\n");
}

TEST(DbcopBincode, events_without_success) {
  EXPECT_EQ(binary(file({list({dbcop_transaction(
                {event(true, 3, 1, false), event(false, 4, 0, false), event(true, 5, 2)})})})),
            "initial 0\n#0 committed r(4)={\"unseen\": true} w(5)=2\n#0 aborted w(3)=1\n");
}

TEST(DbcopBincode, the_initial_session_of_zeros_is_the_initial_state) {
  EXPECT_EQ(binary(file({list({dbcop_transaction({event(true, 3, 0), event(true, 4, 0)})}),
                         list({dbcop_transaction({event(false, 3, 0)})})})),
            "initial 0\n#0 committed r(3)=0\n");
}

TEST(DbcopBincode, says_what_is_wrong_and_where) {
  const std::string whole = file({list({dbcop_transaction({event(true, 3, 1)})})});
  EXPECT_EQ(binary(""), "history.bincode: the file ends too early at byte 0");
  EXPECT_EQ(binary(whole.substr(0, whole.size() - 1)),
            "history.bincode: the file ends too early at byte 165");
  EXPECT_EQ(binary(whole + "x"),
            "history.bincode: something follows after the history at byte 166");
  std::string bad = whole;
  bad.back() = '\2';
  EXPECT_EQ(binary(bad), "history.bincode: a truth value that is neither 0 nor 1 at byte 166");
  EXPECT_EQ(binary(number(1) + number(2) + number(3) + number(4) + number(5) +
                   number(std::uint64_t{1} << 63)),
            "history.bincode: the file ends too early at byte 48");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_dbcop_bincode(whole.substr(0, size), "cut")) << size;
  }
}

TEST(DbcopJson, all_ways_to_write_an_event) {
  const std::string expected =
      "initial 0\n#0 committed w(3)=1 r(4)=0\n#0 aborted w(3)=2\n#1 committed r(3)=2\n";
  EXPECT_EQ(json(R"({"params": {"id": 1, "list": [{"a": [null, true, -1.5e3]}]}, "data": [
    [{"events": [{"write": true, "variable": 3, "value": 1, "success": true},
                 {"write": false, "variable": 4, "value": 0, "success": true}], "success": true},
     {"success": false,
      "events": [{"write": true, "variable": 3, "value": 2, "success": true}]}],
    [{"events": [{"success": true, "value": 2, "variable": 3, "write": false}], "success": true}]],
    "info": "generated"})"),
            expected);
  EXPECT_EQ(json(R"([[{"events": [{"Write": {"variable": 3, "version": 1}},
                                  {"Read": {"variable": 4, "version": null}}], "committed": true},
                      {"events": [["w", 3, 2]], "committed": false}],
                     [{"events": [["r", 3, 2]], "committed": true}]])"),
            expected);
}

TEST(DbcopJson, names_of_variables_and_reads_of_nothing) {
  EXPECT_EQ(json(R"([[{"events": [["w", "x", 0], ["w", "y", 5]], "committed": true},
                      {"events": [["r", "x", 0], ["r", "x", null]], "committed": true}]])"),
            "initial null\n#0 committed w(\"x\")=0 w(\"y\")=5\n"
            "#0 committed r(\"x\")=0 r(\"x\")=null\n");
}

TEST(DbcopJson, says_what_is_wrong_and_where) {
  EXPECT_EQ(json(""), "h.json:1:1: expected an object");
  EXPECT_EQ(json("{}"), "h.json:1:3: no \"data\", a history of dbcop has a list of sessions there");
  EXPECT_EQ(json("[[{\"events\": []}]]"),
            "h.json:1:3: a transaction needs \"events\" and \"committed\"");
  EXPECT_EQ(json(R"([[{"events": [["x", 1, 2]], "committed": true}]])"),
            "h.json:1:19: expected \"r\" or \"w\"");
  EXPECT_EQ(json(R"([[{"events": [["w", 1]], "committed": true}]])"),
            "h.json:1:23: an event needs a variable and a version");
  EXPECT_EQ(json(R"([[{"events": [["w", 1, null]], "committed": true}]])"),
            "h.json:1:29: a write needs a version");
  EXPECT_EQ(json("[] []"), "h.json:1:4: something follows after the history");
  EXPECT_EQ(json("{\"x\": " + std::string(2000, '[')),
            "h.json:1:1008: more than 1000 brackets inside of each other");
}

}  // namespace
}  // namespace heddle
