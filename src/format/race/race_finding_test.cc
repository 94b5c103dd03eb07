// Findings of races survive being written and read; what is none is refused with a clear message.

#include "heddle/race_finding.h"

#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "format/race/race_finding_json.h"
#include "format/race/random_race_testing.h"
#include "format/race/sample_races_testing.h"

namespace heddle {
namespace {

std::string changed_race(const std::string& what, const std::string& by) {
  std::string text = to_json(sample::race_of_two_services());
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string race_message(const std::string& json) {
  const Result<RaceFinding> finding = parse_race_finding(json, "f.json");
  return finding ? "no error" : to_string(finding.error());
}

// Members that JSON has are compared one by one, so that a member that is neither written nor read
// does not go unnoticed.
void expect_same(const RaceFinding& a, const RaceFinding& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.result, b.result);
  EXPECT_EQ(a.why, b.why);
  EXPECT_EQ(a.what_helps, b.what_helps);
  EXPECT_EQ(a.pattern, b.pattern);
  EXPECT_EQ(a.first_endpoint, b.first_endpoint);
  EXPECT_EQ(a.second_endpoint, b.second_endpoint);
  EXPECT_EQ(a.is_between_branches, b.is_between_branches);
  EXPECT_EQ(a.conflicts, b.conflicts);
  EXPECT_EQ(a.requests, b.requests);
  EXPECT_EQ(a.restored, b.restored);
  EXPECT_EQ(a.schedule, b.schedule);
  EXPECT_EQ(a.turns, b.turns);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.wrong_step, b.wrong_step);
  EXPECT_EQ(a.differences, b.differences);
  EXPECT_EQ(a.broken, b.broken);
  EXPECT_EQ(a.explanation.let, b.explanation.let);
  EXPECT_EQ(a.explanation.then, b.explanation.then);
  EXPECT_EQ(a.explanation.however, b.explanation.however);
  EXPECT_EQ(a.runs, b.runs);
  EXPECT_EQ(a.left, b.left);
  EXPECT_EQ(a.masked, b.masked);
  EXPECT_EQ(a.recording, b.recording);
}

void expect_survives(const RaceFinding& finding) {
  const std::string json = to_json(finding);
  const Result<RaceFinding> again = parse_race_finding(json, "f.json");
  ASSERT_TRUE(again.has_value()) << to_string(again.error()) << "\n" << json;
  expect_same(finding, *again);
  EXPECT_EQ(to_json(*again), json);
}

TEST(RaceFinding, the_samples_survive_writing_and_reading) {
  for (const RaceFinding& finding : sample::race_report().findings) expect_survives(finding);
}

TEST(RaceFinding, random_findings_survive_writing_and_reading) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    expect_survives(sample::RandomRace(seed).make());
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RaceFinding, what_is_none_is_refused_with_its_place) {
  EXPECT_EQ(race_message(changed_race("race-finding/1", "finding/1")),
            "f.json:2:13: /heddle: expected \"race-finding/1\", give a file that heddle race "
            "--replay wrote");
  EXPECT_EQ(race_message(changed_race("\"confirmed\"", "\"perhaps\"")),
            "f.json:4:13: /result: unknown word, use one of: confirmed, stale-read, "
            "error-under-overlap, refused, order-dependent, nothing, not-feasible, inconclusive, "
            "not-replayable, not-reached");
  EXPECT_EQ(race_message(changed_race("\"party\": \"A\"", "\"party\": \"C\"")),
            "f.json:23:16: /turns/0/party: unknown word, use one of: A, B");
  EXPECT_EQ(race_message(changed_race("\"wrong_step\": null", "\"wrong_step\": 99")),
            "f.json:402:17: /wrong_step: expected a number from 0 to below 23");
  EXPECT_EQ(race_message(changed_race("\"runs\": 7", "\"runs\": -7")),
            "f.json:449:11: /runs: expected a number that is not negative");
  EXPECT_EQ(race_message("{}").rfind("f.json:1:1: ", 0), 0U) << race_message("{}");
  EXPECT_EQ(race_message("{").rfind("f.json:1:2: ", 0), 0U) << race_message("{");
}

TEST(RaceReport, counts_every_result) {
  const Json document = race_report_json(sample::race_report());
  EXPECT_EQ(document["heddle"], "race/1");
  EXPECT_EQ(document["table"]["random_pairs"], 2140);
  EXPECT_EQ(document["counts"]["candidates"], 11);
  EXPECT_EQ(document["counts"]["confirmed"], 1);
  EXPECT_EQ(document["counts"]["not-reached"], 2);
  EXPECT_EQ(document["findings"].size(), 11U);
  const Result<RaceFinding> first =
      parse_race_finding(print_json(document["findings"][0]), "race.json");
  ASSERT_TRUE(first.has_value()) << to_string(first.error());
  expect_same(*first, sample::race_of_two_services());
}

// The names of the members of an object, and of the objects in its lists.
std::set<std::string> member_names(const Json& value) {
  std::set<std::string> names;
  for (const auto& [name, member] : value.items()) {
    names.insert(name);
    const Json* inner = member.is_array() && !member.empty() ? &member.front() : &member;
    if (inner->is_object()) names.merge(member_names(*inner));
  }
  return names;
}

TEST(RaceDocs, every_member_of_a_finding_of_a_race_is_described) {
  std::ifstream file(source_tree() / "docs" / "formats" / "race.md");
  std::stringstream page;
  page << file.rdbuf();
  for (const std::string& name : member_names(race_report_json(sample::race_report()))) {
    EXPECT_NE(page.str().find("`" + name + "`"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace heddle
