// Which format a beginning shows, and how histories come out whichever way they are written.
#include "frontend/history/formats/read_history.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/history/jepsen_dump_testing.h"

namespace heddle {
namespace {

std::string detected(std::string_view bytes) {
  const Result<HistoryFormat> format = detect_history_format(bytes, "file");
  return format ? std::string(to_string(*format)) : to_string(format.error());
}

TEST(DetectHistoryFormat, KnowsEveryBeginning) {
  struct Row {
    std::string_view bytes;
    std::string_view format;
  };
  const std::vector<Row> rows = {
      {"{:process 0, :type :invoke}", "jepsen-edn"},
      {"[{:process 0, :type :invoke}]", "jepsen-edn"},
      {"({:process 0})", "jepsen-edn"},
      {"[\n  ; a comment\n {:a 1}]", "jepsen-edn"},
      {"; T1 ww T2\n\n{:index 10}", "jepsen-edn"},
      {"#jepsen.history.Op{:process 0}", "jepsen-edn"},
      {"[#jepsen.history.Op{:process 0}]", "jepsen-edn"},
      {"#_ {:ignored 1} {:process 0}", "jepsen-edn"},
      {R"({"type" "ok"})", "jepsen-edn"},
      {"[]", "jepsen-edn"},
      {"\xef\xbb\xbf{:process 0}", "jepsen-edn"},
      {R"({"type":"invoke"})", "jepsen-json"},
      {R"( [ {"process" : 1}])", "jepsen-json"},
      {"INFO  jepsen.util - 0\t:invoke\t:read\tnil", "jepsen-log"},
      {"something else\nINFO  jepsen.util - 0\t:invoke\t:read\tnil", "jepsen-log"},
      {"[2020-01-01 00:00:00] INFO jepsen.util 0\t:invoke\t:read\tnil", "jepsen-log"},
      {"r(1,0,0,0)", "plume"},
      {"w(1,2,-1,0)\nr(1,0,0,0)", "plume"},
      {"r 0 0\nw 0 1", "awdit"},
      {"\n-----\nw 0 1", "awdit"},
      {"=====\nw 0 1", "awdit"},
      {"r1[x=0] w1[x=1] c1", "textbook"},
      {"# a comment\nw1[x=1]", "textbook"},
      {"append12[x=1]", "textbook"},
      {"b1 c1", "textbook"},
      {"session s1: 1 2", "textbook"},
      {R"({"heddle": "history/1"})", "heddle"},
      {R"({"params":{"id":0},"data":[]})", "dbcop-json"},
      {R"([[{"events":[],"committed":true}]])", "dbcop-json"},
      {"[[],[]]", "dbcop-json"},
      {std::string_view("\1\0\0\0\0\0\0\0", 8), "dbcop-bincode"},
  };
  for (const Row& row : rows) EXPECT_EQ(detected(row.bytes), row.format) << row.bytes;
}

TEST(DetectHistoryFormat, SaysWhatItDoesNotKnow) {
  EXPECT_TRUE(detected("").starts_with("file:1:1: the file is empty, give a history in one of"));
  EXPECT_TRUE(detected(" \n\t").starts_with("file:1:1: the file is empty"));
  EXPECT_TRUE(detected("Hello!").starts_with("file:1:1: this does not begin like any known"));
  EXPECT_TRUE(detected("# only a comment").starts_with("file:1:1: this does not begin"));
  EXPECT_EQ(detected(std::string_view("S\0\0\0\0\0\0\0\1W\0\0", 12)),
            "file: one log of Cobra is not a whole history, "
            "give the folder with the logs of all sessions");
}

TEST(ReadHistory, ReadsOneHistoryFromEveryFormat) {
  const std::vector<std::string_view> texts = {
      "{:process 0, :type :ok, :f :txn, :value [[:w 1 2] [:r 3 4]]}",
      R"([{"process":0,"type":"ok","f":"txn","value":[["w",1,2],["r",3,4]]}])",
      "INFO jepsen.util - 0\t:ok\t:txn\t[[:w 1 2] [:r 3 4]]",
      "w(1,2,0,0)\nr(3,4,0,0)\n",
      "w 1 2\nr 3 4\n",
      R"([[{"events":[["w",1,2],["r",3,4]],"committed":true}]])",
  };
  for (const std::string_view text : texts) {
    const Result<RecordedHistory> history = read_history(text, "file");
    ASSERT_TRUE(history) << text << to_string(history.error());
    const std::string dump = dump_history(*history);
    EXPECT_EQ(dump.substr(dump.find(':')), ": w 1 2, r 3 4\n") << text;
  }
}

TEST(ReadHistory, ReadsTextbookNotation) {
  const Result<RecordedHistory> history = read_history("w1[x=2] r1[y=4] c1", "file");
  ASSERT_TRUE(history) << to_string(history.error());
  const std::string dump = dump_history(*history);
  EXPECT_EQ(dump.substr(dump.find(':')), ": w x 2, r y 4\n");
}

TEST(ReadHistory, TakesTheFormatThatIsAskedFor) {
  ReadHistoryOptions options{.format = HistoryFormat::jepsen_json};
  EXPECT_FALSE(read_history("{:process 0}", "file", options));
  options.format = HistoryFormat::cobra;
  const Result<RecordedHistory> history = read_history("S", "file", options);
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().what_to_do, "give the folder with the logs of all sessions");
}

}  // namespace
}  // namespace heddle
