// What people see first.
#include "find/search/ranking.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::find {
namespace {

using testing::ElementsAre;

FoundCause cause_of(FindingStatus status, const std::string& reason) {
  FoundCause cause;
  cause.execution.emplace();
  cause.execution->status = status;
  cause.execution->reason = reason;
  return cause;
}

FoundCause confirmed(Effect effect, const std::string& reason) {
  FoundCause cause = cause_of(FindingStatus::confirmed, reason);
  cause.execution->finding.emplace();
  cause.execution->finding->effect = effect;
  return cause;
}

std::vector<std::string> reasons(const std::vector<FoundCause>& causes) {
  std::vector<std::string> all;
  for (const FoundCause& cause : causes) {
    all.push_back(cause.execution ? cause.execution->reason : "untried");
  }
  return all;
}

TEST(Ranking, is_by_status_then_by_what_is_broken) {
  FoundCause breaking = confirmed(Effect::external, "breaks");
  breaking.execution->broken_invariants = {"sum"};
  std::vector<FoundCause> causes = {cause_of(FindingStatus::refuted, "proved"),
                                    cause_of(FindingStatus::not_shown, "run"),
                                    confirmed(Effect::external, "external"),
                                    cause_of(FindingStatus::not_executable, "none known"),
                                    FoundCause{},
                                    cause_of(FindingStatus::possible, "stronger"),
                                    confirmed(Effect::internal, "internal"),
                                    breaking};
  rank_causes(causes);
  EXPECT_THAT(reasons(causes), ElementsAre("breaks", "internal", "external", "untried", "stronger",
                                           "none known", "run", "proved"));
}

TEST(Ranking, what_a_limit_left_is_possible) {
  std::vector<FoundCause> causes = {FoundCause{}, cause_of(FindingStatus::not_shown, "run")};
  say_untried(causes, "--timeout");
  EXPECT_EQ(causes[0].execution->status, FindingStatus::possible);
  EXPECT_TRUE(causes[0].execution->is_cut_short);
  EXPECT_THAT(reasons(causes), ElementsAre("--timeout: nobody has executed it", "run"));
}

TEST(Ranking, a_search_that_stopped_proves_nothing) {
  FoundCause proved = cause_of(FindingStatus::refuted, "proved");
  withdraw_proof(proved.execution, "there may be others");
  EXPECT_EQ(proved.execution->status, FindingStatus::possible);
  EXPECT_EQ(proved.execution->reason, "proved; there may be others");
  FoundCause run = cause_of(FindingStatus::refuted, "proved");
  run.execution->runs = 2;
  withdraw_proof(run.execution, "there may be others");
  EXPECT_EQ(run.execution->status, FindingStatus::not_shown);
  FoundCause open = cause_of(FindingStatus::not_shown, "run");
  withdraw_proof(open.execution, "there may be others");
  EXPECT_EQ(open.execution->reason, "run");
}

}  // namespace
}  // namespace heddle::find
