// SARIF and JUnit's XML. That they are well-formed for any bytes is also looked at from outside, by
// tests/cli/outputs_test.py with XML and JSON readers that are not ours.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "format/json/sarif.h"
#include "format/random_finding_testing.h"
#include "report/explore/explore_reports.h"
#include "report/explore/sample_reports_testing.h"

namespace heddle {
namespace {

using sample::expect_golden;
using sample::explored;
using sample::level;

Finding suppressed_skew() {
  Finding finding = sample::write_skew();
  finding.id = "0f3a90c15b7e";
  finding.suppressed = "only one clerk <works> at night";
  finding.effect = Effect::external;
  return finding;
}

LevelReport cut_short() {
  LevelReport report = level(IsolationLevel::serializable, {}, 0);
  report.verdict = Verdict::unknown;
  report.bound = "the time limit of 2 s";
  return report;
}

std::vector<ExploredScenario> everything() {
  const Finding finding = sample::lost_update();
  Scenario broken = finding.scenario;
  broken.file = "a folder/broken.spec";
  return {{finding.scenario,
           explored({level(IsolationLevel::read_committed, {finding, suppressed_skew()}, 0),
                     level(IsolationLevel::snapshot, {}, 8), cut_short()}),
           std::nullopt},
          {sample::three_sessions().scenario,
           explored({level(IsolationLevel::read_committed, {sample::three_sessions()}, 1)}),
           std::nullopt},
          {broken,
           {},
           Diagnostic{.what = "setup fails: \x1b[31m<&\">", .file = "a folder/broken.spec"}}};
}

TEST(Junit, has_a_suite_per_scenario_and_level_and_a_case_per_finding) {
  expect_golden("everything.junit.xml", render_junit(everything()));
}

TEST(Junit, a_bound_is_an_error_unless_the_answer_is_known) {
  LevelReport violated = level(IsolationLevel::read_committed, {sample::lost_update()}, 0);
  violated.bound = "the time limit of 2 s";
  const Scenario scenario = sample::lost_update().scenario;
  const std::vector<ExploredScenario> one = {{scenario, explored({violated}), std::nullopt}};
  const std::string known = render_junit(one);
  EXPECT_NE(known.find("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\""), std::string::npos);
  EXPECT_NE(known.find("<skipped message=\"not everything was tried: the time limit of 2 s\">"),
            std::string::npos);
}

TEST(Junit, a_replay_is_one_case) {
  const Finding finding = sample::lost_update();
  const auto replayed = [&](std::uint32_t confirmed, Verdict verdict) {
    return render_junit(
        ReplayReport{{.runs = 10, .confirmed = confirmed, .verdict = verdict}, "PostgreSQL 15.4"},
        finding);
  };
  EXPECT_NE(replayed(10, Verdict::violated).find("<failure message=\"confirmed 10/10"),
            std::string::npos);
  EXPECT_NE(replayed(4, Verdict::unknown).find("<error message=\"not always 4/10"),
            std::string::npos);
  const std::string refuted = replayed(0, Verdict::satisfied);
  EXPECT_NE(refuted.find("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""),
            std::string::npos);
  EXPECT_NE(refuted.find("name=\"Lost update on account(id=1) [5f3a90c1]\""), std::string::npos);
}

TEST(Sarif, has_a_result_per_finding_with_its_steps) {
  expect_golden("everything.sarif", render_sarif(everything()));
}

TEST(Sarif, names_files_as_uris_and_regions_by_their_ends) {
  SarifLog log;
  SarifResult result;
  result.place = {"a b/%ü.spec", {3, 5}, "x\n漢字"};
  log.results = {result};
  result.place = {"/tmp/x.spec", {0, 0}, ""};
  log.results.push_back(result);
  const std::string text = to_sarif(log);
  EXPECT_NE(text.find("\"uri\": \"a%20b/%25%C3%BC.spec\", \"uriBaseId\": \"%SRCROOT%\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"startLine\": 3"), std::string::npos);
  EXPECT_NE(text.find("\"endLine\": 4"), std::string::npos);
  EXPECT_NE(text.find("\"endColumn\": 3"), std::string::npos);
  EXPECT_NE(text.find("{\"uri\": \"file:///tmp/x.spec\"}"), std::string::npos);
}

TEST(Ci, findings_of_any_content_are_rendered) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const Finding finding = sample::RandomFinding(seed).make();
    const std::vector<ExploredScenario> one = {
        {finding.scenario, explored({level({}, {finding}, 0)}), std::nullopt}};
    EXPECT_TRUE(is_utf8(render_sarif(one))) << seed;
    EXPECT_TRUE(is_utf8(render_junit(one))) << seed;
  }
}

}  // namespace
}  // namespace heddle
