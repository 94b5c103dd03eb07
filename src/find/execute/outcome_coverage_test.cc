// Each cause of small random programs goes wrong when it is executed, or a serial order that ends
// alike is named.
#include <cstdint>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/random_program_testing.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/replay.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

using find::RandomPrograms;

struct Outcomes {
  std::size_t confirmed = 0;
  std::size_t refuted = 0;
  std::size_t not_shown = 0;
  std::size_t others = 0;
};

// Of each cause: it goes wrong, and again, or the serial order that ends alike is named.
void execute_all(std::uint64_t seed, const std::string& server, Outcomes& outcomes) {
  RandomPrograms random(seed, RandomPrograms::Contention::much);
  const std::string text = random.next(2);
  const Result<Program> program = parse_program({{"p.sql", text}});
  ASSERT_TRUE(program) << to_string(program.error());
  FindOptions options;
  options.level = IsolationLevel::postgres_read_committed;
  options.max_instances = 2;
  Result<FindReport> report = find_anomalies(*program, options);
  ASSERT_TRUE(report) << to_string(report.error());
  const ExecuteOptions execution{.on = {{server}}, .jobs = 2};
  ASSERT_TRUE(execute_findings(*program, options, execution, *report));
  for (const FoundCause& cause : report->causes) {
    ASSERT_TRUE(cause.execution.has_value());
    const std::string where =
        fmt::format("{}, HEDDLE_TEST_SEED={}\n{}", cause.execution->reason, seed, text);
    switch (cause.execution->status) {
      case FindingStatus::confirmed: {
        ++outcomes.confirmed;
        const auto again = replay_finding(*cause.execution->finding, {.on = {{server}}, .runs = 2});
        ASSERT_TRUE(again) << to_string(again.error()) << "\n" << where;
        EXPECT_EQ(again->verdict, Verdict::violated) << where;
        break;
      }
      case FindingStatus::refuted:
        ++outcomes.refuted;
        break;
      case FindingStatus::not_shown:
        ++outcomes.not_shown;
        EXPECT_GT(cause.execution->runs, 0U) << where;
        EXPECT_NE(cause.execution->reason.find("one after the other"), std::string::npos) << where;
        break;
      case FindingStatus::possible:
      case FindingStatus::not_executable:
        ++outcomes.others;
    }
  }
}

TEST(OutcomeCoverage, what_was_found_goes_wrong_or_ends_as_a_serial_order_does) {
  const auto server = ThrowawayPostgres::start({});
  ASSERT_TRUE(server) << to_string(server.error());
  Outcomes outcomes;
  const char* const only = std::getenv("HEDDLE_TEST_SEED");
  for (std::uint64_t seed = 0; seed < (only != nullptr ? 1 : test_rounds(8)); ++seed) {
    execute_all(only != nullptr ? std::strtoull(only, nullptr, 10) : seed, (*server)->conninfo(),
                outcomes);
  }
  fmt::print("{} causes confirmed, {} refuted, {} not shown, {} not executed\n", outcomes.confirmed,
             outcomes.refuted, outcomes.not_shown, outcomes.others);
  if (only != nullptr) return;
  EXPECT_GT(outcomes.confirmed, 0U);
  EXPECT_LT(outcomes.others, outcomes.confirmed + outcomes.refuted + outcomes.not_shown);
}

}  // namespace
}  // namespace heddle
