// Findings survive being written and read; what is not a finding is refused with a clear message.

#include "heddle/finding.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "format/random_finding_testing.h"
#include "format/same_finding_testing.h"
#include "format/sample_finding_testing.h"

namespace heddle {
namespace {

// The document of the sample with its first `what` replaced.
std::string changed(const std::string& what, const std::string& by) {
  std::string text = to_json(sample::lost_update());
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string message(const std::string& json) {
  const Result<Finding> finding = parse_finding(json, "f.json");
  return finding ? "no error" : to_string(finding.error());
}

TEST(Finding, the_sample_survives_writing_and_reading) {
  const Finding finding = sample::lost_update();
  const Result<Finding> again = parse_finding(to_json(finding), "f.json");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_TRUE(sample::same(finding, *again));
}

TEST(Finding, random_findings_survive_writing_and_reading) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Finding finding = sample::RandomFinding(seed).make();
    const std::string json = to_json(finding);
    const Result<Finding> again = parse_finding(json, "f.json");
    ASSERT_TRUE(again.has_value()) << "seed " << seed << ": " << to_string(again.error());
    ASSERT_TRUE(sample::same(finding, *again)) << "seed " << seed << "\n" << json;
    ASSERT_EQ(to_json(*again), json) << "seed " << seed;
  }
}

TEST(Finding, the_comparison_of_the_tests_sees_a_change) {
  Finding finding = sample::lost_update();
  finding.run.records[2].replies[0].result->command_tag = "UPDATE 2";
  EXPECT_FALSE(sample::same(finding, sample::lost_update()));
}

TEST(Finding, bytes_that_are_no_utf8_are_written_as_hex) {
  Finding finding = sample::lost_update();
  finding.store = "a\xff";
  const std::string json = to_json(finding);
  EXPECT_NE(json.find(R"("store": {"hex": "61ff"})"), std::string::npos);
  EXPECT_EQ(parse_finding(json, "f.json")->store, "a\xff");
}

TEST(Finding, sessions_of_the_same_name_are_told_apart_by_position) {
  Finding finding = sample::lost_update();
  finding.scenario.sessions[1].name = "s1";
  finding.run.aborted = {SessionId(1)};
  const Result<Finding> again = parse_finding(to_json(finding), "f.json");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_EQ(again->run.aborted, finding.run.aborted);
}

TEST(Finding, what_is_no_json_is_refused_with_its_place) {
  EXPECT_EQ(message("{\n  \"heddle\": x\n}").rfind("f.json:2:13: this is not JSON: ", 0), 0U)
      << message("{\n  \"heddle\": x\n}");
  EXPECT_EQ(message("").rfind("f.json:1:1: this is not JSON: ", 0), 0U) << message("");
  EXPECT_EQ(message("[1, 2").rfind("f.json:1:6: this is not JSON: ", 0), 0U) << message("[1, 2");
  EXPECT_NE(message("{\"a\": 1e999}"), "no error");
}

TEST(Finding, other_documents_are_refused) {
  EXPECT_EQ(message("[]"), "f.json:1:1: the document: expected an object");
  EXPECT_EQ(message("{}"), "f.json:1:1: the document: the member \"heddle\" is missing");
  EXPECT_EQ(message(changed("finding/1", "explore/1")),
            "f.json:2:13: /heddle: expected \"finding/1\", give a file that heddle explore --save "
            "or --format=json wrote");
}

TEST(Finding, wrong_members_are_named_with_their_place) {
  EXPECT_EQ(message(changed("\"boundary_problem\": false", "\"boundary_problem\": 0")),
            "f.json:7:23: /boundary_problem: expected true or false");
  EXPECT_EQ(message(changed("\"effect\": \"internal\"", "\"effect\": \"odd\"")),
            "f.json:5:13: /effect: unknown word, use one of: internal, external");
  EXPECT_EQ(message(changed("[\"r1\", \"r2\"", "[\"r1\", \"zz\"")),
            "f.json:15:22: /schedule/1: the scenario has no step of that name");
  EXPECT_EQ(message(changed("\"wrong_step\": 3", "\"wrong_step\": 6")),
            "f.json:24:17: /wrong_step: expected a number from 0 to below 6");
  EXPECT_EQ(
      message(changed("\"operations\": [0, 2]", "\"operations\": [0, 4]")),
      "f.json:122:78: /history/transactions/0/operations/1: expected a number from 0 to below "
      "4");
}

TEST(Finding, histories_that_contradict_themselves_are_refused) {
  EXPECT_EQ(
      message(changed("\"writer\": 0, \"value\"", "\"writer\": 1, \"value\"")),
      "f.json:120:14: /history: the history contradicts itself: operation 2 writes version 1, "
      "which another transaction wrote");
  EXPECT_NE(message(changed("\"from\": 1,", "\"from\": 0,")).find("the cycle contradicts"),
            std::string::npos);
}

TEST(Finding, an_error_in_its_spec_file_is_reported) {
  const std::string text = message(changed("session s1", "sesssion s1"));
  EXPECT_EQ(text.rfind("f.json:13:13: /scenario/spec: this spec file has an error: line 5: ", 0),
            0U)
      << text;
}

TEST(Finding, the_last_of_equal_members_counts_also_for_its_place) {
  EXPECT_EQ(message(R"({"heddle": "finding/1",
 "heddle": 7})"),
            "f.json:2:12: /heddle: expected a text, or {\"hex\": \"...\"} with bytes that are not "
            "UTF-8");
}

TEST(Finding, deep_documents_are_refused_and_do_no_harm) {
  EXPECT_EQ(message(std::string(200'000, '[')),
            "f.json:1:65: this is nested too deeply for a document of heddle's, give a file that "
            "heddle wrote");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_NE(message(changed("\"s1\"", deep)), "no error");
  EXPECT_EQ(message(changed("\"5f3a90c1\"", "\"" + std::string(100, '[') + "\"")), "no error");
}

TEST(Finding, no_single_changed_byte_does_harm) {
  const std::string json = to_json(sample::lost_update());
  for (std::size_t i = 0; i < json.size(); i += 11) {
    for (const char c : {'"', '0', '{', ',', '\xff'}) {
      std::string text = json;
      text[i] = c;
      const Result<Finding> finding = parse_finding(text, "f.json");
      EXPECT_TRUE(finding || finding.error().position.line != 0) << to_string(finding.error());
    }
  }
}

}  // namespace
}  // namespace heddle
