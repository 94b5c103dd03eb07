// Findings of thread programs survive being written and read; what is none is refused with a clear
// message.
#include "heddle/sched_finding.h"

#include <initializer_list>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "format/json/json.h"
#include "format/sched/json_lines.h"
#include "format/sched/sample_sched_testing.h"

namespace heddle {
namespace {

std::string sched_message(const std::string& json) {
  const Result<SchedFinding> finding = parse_sched_finding(json, "f.json");
  return finding ? "no error" : to_string(finding.error());
}

std::string changed_execution(const std::string& what, const std::string& by) {
  std::string text = to_json(sample::lost_update());
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(SchedFindingJson, is_read_as_it_was_written) {
  for (const SchedFinding& finding : sample::sched_findings()) {
    const std::string json = to_json(finding);
    ASSERT_TRUE(is_sched_finding(json)) << json;
    const Result<SchedFinding> read = parse_sched_finding(json, "f.json");
    ASSERT_TRUE(read) << to_string(read.error()) << "\n" << json;
    EXPECT_EQ(*read, finding) << json;
    EXPECT_EQ(to_json(*read), json);
  }
}

TEST(SchedFindingJson, of_an_execution_is_read_as_it_was_written) {
  for (const SchedExecution& execution :
       {SchedExecution{.token = "a", .is_changed = true, .finding = std::nullopt},
        SchedExecution{.token = "b", .finding = sample::deadlock()}}) {
    const Result<SchedExecution> read = parse_sched_execution(to_json(execution), "f.json");
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(*read, execution);
  }
}

// The library would write the same texts.
TEST(SchedFindingJson, texts_are_those_of_the_library) {
  for (const std::string text : {"", "plain", "\"\\/", "\b\f\n\r\t\x01\x7f",
                                 "\xc3\xa4\xe2\x80\xae\xf0\x9f\x99\x82", "\xff\xfe", "a\xc3"}) {
    const Json read = Json::parse(json_of_text(text));
    EXPECT_EQ(read, text_json(text)) << json_of_text(text);
  }
}

TEST(SchedFindingJson, refuses_what_is_none) {
  EXPECT_FALSE(is_sched_finding("{}"));
  EXPECT_FALSE(is_sched_finding("[1"));
  EXPECT_NE(sched_message("[1").find("f.json"), std::string::npos);
  EXPECT_NE(sched_message(R"({"heddle": "finding/1"})").find("expected \"sched-finding/1\""),
            std::string::npos);
}

TEST(SchedFindingJson, refuses_what_cannot_be_drawn) {
  for (const auto& [what, by] : std::initializer_list<std::pair<const char*, const char*>>{
           {"\"threads\": 2", "\"threads\": 1"},
           {"\"threads\": 2", "\"threads\": 65"},
           {"\"first\": 0", "\"first\": 4"},
           {"\"step\": 1", "\"step\": 4"},
           {"\"number\": 2", "\"number\": 1"},
           {"\"thread\": 0, \"text\": \"hello\"", "\"thread\": 2, \"text\": \"hello\""},
           {"\"before\": \"0\"", "\"before\": \"0x\""},
           {"\"line\": 9", "\"line\": -9"}}) {
    EXPECT_NE(sched_message(changed_execution(what, by)), "no error") << what << by;
  }
}

}  // namespace
}  // namespace heddle
