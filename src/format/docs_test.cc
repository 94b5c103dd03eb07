// The examples in docs/formats are what heddle writes, and what it reads.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "format/report_json.h"
#include "format/same_finding_testing.h"
#include "format/sample_finding_testing.h"

namespace heddle {
namespace {

std::string read_docs_page(const std::string& name) {
  std::ifstream file(source_tree() / "docs" / "formats" / name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The blocks of the page that are fenced as `language`.
std::vector<std::string> find_blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> blocks;
  const std::string fence = "```" + language + "\n";
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    const std::size_t begin = at + fence.size();
    at = page.find("```\n", begin);
    blocks.push_back(page.substr(begin, at - begin));
    if (at == std::string::npos) break;
    at += 4;
  }
  return blocks;
}

TEST(Docs, the_example_of_a_finding_is_one) {
  const std::vector<std::string> blocks = find_blocks(read_docs_page("finding.md"), "json");
  ASSERT_EQ(blocks.size(), 1U);
  const Result<Finding> finding = parse_finding(blocks[0], "finding.md");
  ASSERT_TRUE(finding.has_value()) << to_string(finding.error());
  EXPECT_TRUE(sample::same(*finding, sample::lost_update()));
  EXPECT_EQ(to_json(*finding), blocks[0]);
}

TEST(Docs, every_member_of_a_finding_is_described) {
  const std::string page = read_docs_page("finding.md");
  const std::string text = page.substr(0, page.find("```json"));
  for (const char* name : {"heddle",      "id",       "kind",
                           "effect",      "status",   "boundary_problem",
                           "unit",        "store",    "isolation",
                           "scenario",    "schedule", "explanation",
                           "cause_steps", "rows",     "broken_invariants",
                           "wrong_step",  "serial",   "run",
                           "history",     "cycles",   "also"}) {
    EXPECT_NE(text.find("| `" + std::string(name) + "` |"), std::string::npos) << name;
  }
}

TEST(Docs, every_kind_of_anomaly_is_named) {
  const std::string page = read_docs_page("finding.md");
  for (const AnomalyDefinition& kind : anomaly_kinds()) {
    EXPECT_NE(page.find("`" + std::string(kind.slug) + "`"), std::string::npos) << kind.slug;
  }
}

TEST(Docs, the_examples_of_reports_are_what_heddle_writes) {
  const std::vector<std::string> blocks = find_blocks(read_docs_page("report.md"), "json");
  ASSERT_EQ(blocks.size(), 2U);
  const Finding finding = sample::lost_update();
  ExploreReport report;
  report.store = finding.store;
  LevelReport level;
  level.isolation = IsolationLevel::serializable;
  level.verdict = Verdict::satisfied;
  level.interleavings = 20;
  level.aborted_runs = 8;
  level.serial_orders = 2;
  report.levels = {level};
  report.warnings = {{"unused step name: r3", "", "lost_update.spec", {7, 6}}};
  EXPECT_EQ(to_json(report, finding.scenario), blocks[0]);
  const ReplayReport replay{
      {.runs = 10, .confirmed = 9, .differences = {"run 4: result of step r2: (110)"}},
      finding.store};
  EXPECT_EQ(to_json(replay, finding), blocks[1]);
}

TEST(Docs, a_report_holds_whole_findings) {
  const Finding finding = sample::lost_update();
  ExploreReport report;
  report.levels.resize(1);
  report.levels[0].findings = {finding};
  const std::string json = to_json(report, finding.scenario);
  const std::size_t begin = json.find("{\n", json.find("\"findings\""));
  const std::size_t end = json.rfind('}', json.find("\"warnings\""));
  const std::size_t last = json.rfind('}', json.rfind(']', end));
  const Result<Finding> again = parse_finding(json.substr(begin, last - begin + 1), "part.json");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_TRUE(sample::same(*again, finding));
}

}  // namespace
}  // namespace heddle
