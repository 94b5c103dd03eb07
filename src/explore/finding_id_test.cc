#include "explore/finding_id.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/scenario.h"

namespace heddle {
namespace {

constexpr const char* kSpec = R"(setup { CREATE TABLE t (id int PRIMARY KEY, n int); }
session a setup { BEGIN; }
step r1 { SELECT n FROM t WHERE id = 1; }
step w1 { UPDATE t SET n = 2 WHERE id = 1; }
session b
step w2 { UPDATE t SET n = 3 WHERE id = 1; }
invariant "small" { SELECT n < 9 FROM t }
)";

// The same file with more in it, other names, other spacing.
constexpr const char* kEdited = R"(setup { CREATE TABLE t (id int PRIMARY KEY, n int, m int); }
session other step o1 { SELECT 1; }
session a setup { BEGIN  ; }
step look { SELECT n /* the number */ FROM t
            WHERE id=1 }
step more { SELECT 2; }
step change { UPDATE t SET n = 2 WHERE id = 1;; }
session b
step w2 { -- over it
  UPDATE t SET n = 3 WHERE id = 1; }
invariant "small" { SELECT n < 9 FROM t }
)";

// All steps of the scenario in its order; a cycle of transactions on one row of t.
Finding make(const std::string& spec, std::vector<std::string> causes) {
  Finding finding;
  Result<Scenario> scenario = parse_scenario(spec, "x.spec");
  EXPECT_TRUE(scenario.has_value());
  finding.scenario = std::move(*scenario);
  finding.kind = AnomalyKind::lost_update;
  finding.isolation = IsolationLevel::read_committed;
  for (std::size_t i = 0; i < finding.scenario.steps.size(); ++i) {
    finding.schedule.steps.push_back({StepId(i), {}});
  }
  finding.cause_steps = std::move(causes);
  finding.rows = {"t(id=1)"};
  return finding;
}

std::string id_of(Finding finding) {
  std::vector<Finding> findings = {std::move(finding)};
  assign_ids(findings);
  return findings[0].id;
}

const std::vector<std::string> kCauses = {"r1", "w1", "w2"};
const std::vector<std::string> kEditedCauses = {"look", "change", "w2"};

TEST(FindingId, is_short_and_the_same_on_every_machine) {
  EXPECT_EQ(id_of(make(kSpec, kCauses)), "44c1b26b933e");
}

TEST(FindingId, survives_edits_that_leave_its_steps_alone) {
  EXPECT_EQ(id_of(make(kEdited, kEditedCauses)), id_of(make(kSpec, kCauses)));
}

TEST(FindingId, does_not_depend_on_what_changes_from_run_to_run) {
  const std::string id = id_of(make(kSpec, kCauses));
  Finding finding = make(kSpec, {"w2", "w1", "r1"});
  finding.scenario.file = "elsewhere/y.spec";
  finding.store = "PostgreSQL 17";
  finding.rows = {"t(id=4711)"};
  std::swap(finding.schedule.steps[0], finding.schedule.steps[2]);
  finding.status = FindingStatus::confirmed;
  finding.also.assign(3, finding.schedule);
  EXPECT_EQ(id_of(finding), id);
}

TEST(FindingId, differs_with_what_the_finding_is) {
  const Finding finding = make(kSpec, kCauses);
  std::set<std::string> ids = {id_of(finding)};
  const auto add = [&](const auto& change) {
    Finding other = finding;
    change(other);
    ids.insert(id_of(other));
  };
  add([](Finding& other) { other.kind = AnomalyKind::write_skew; });
  add([](Finding& other) { other.effect = Effect::external; });
  add([](Finding& other) { other.boundary_problem = true; });
  add([](Finding& other) { other.unit = Unit::transaction; });
  add([](Finding& other) { other.isolation = IsolationLevel::snapshot; });
  add([](Finding& other) { other.cause_steps = {"w1", "w2"}; });
  add([](Finding& other) { other.broken_invariants = {"small"}; });
  add([](Finding& other) { other.scenario.steps[1].sql.text = "UPDATE t SET n = 4"; });
  add([](Finding& other) { other.scenario.sessions[0].setup->text = "BEGIN READ ONLY"; });
  EXPECT_EQ(ids.size(), 10U);
}

TEST(FindingId, takes_a_product_s_level_for_the_level) {
  Finding finding = make(kSpec, kCauses);
  const std::string id = id_of(finding);
  finding.isolation = IsolationLevel::postgres_read_committed;
  EXPECT_EQ(id_of(finding), id);
}

TEST(FindingId, findings_that_differ_in_their_keys_only_are_counted) {
  const Finding first = make(kSpec, kCauses);
  Finding second = first;
  second.rows = {"t(id=2)"};
  std::vector<Finding> findings = {second, first};
  assign_ids(findings);
  EXPECT_EQ(findings[1].id, id_of(first));
  EXPECT_NE(findings[0].id, findings[1].id);
}

TEST(FindingId, without_a_cycle_all_steps_of_the_schedule_count) {
  Finding finding = make(kSpec, {});
  const std::string id = id_of(finding);
  finding.schedule.steps.pop_back();
  EXPECT_NE(id_of(finding), id);
}

TEST(FindingId, bare_sql_has_no_comments_and_one_blank_between_tokens) {
  EXPECT_EQ(bare_sql("  SELECT 1 ; -- x\n;; "), "SELECT 1");
  EXPECT_EQ(bare_sql("a=':x  --y'/* /* */ */+$$ -- $$"), "a = ':x  --y' + $$ -- $$");
  EXPECT_EQ(bare_sql(""), "");
}

}  // namespace
}  // namespace heddle
