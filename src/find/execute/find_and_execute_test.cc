// Searching and executing side by side gives what the one after the other gives, whatever the
// number of threads and whoever is slow; and what ends it early leaves what was done.
#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/interrupt.h"
#include "base/rounds_testing.h"
#include "find/execute/executed_search.h"
#include "find/search/random_program_testing.h"
#include "heddle/find.h"
#include "heddle/finding.h"
#include "heddle/program.h"

namespace heddle {
namespace {

using find::RandomPrograms;

ExecuteOptions on_replicated(std::size_t jobs) {
  ExecuteOptions execution;
  execution.on.texts = {"replicated"};
  execution.jobs = jobs;
  return execution;
}

FindOptions options_at(IsolationLevel level, std::size_t jobs) {
  FindOptions options;
  options.level = level;
  options.max_length = 4;
  options.jobs = jobs;
  return options;
}

std::string text_of(const FoundCycle& cycle) {
  std::string text = fmt::format("{} {}", definition(cycle.kind).name, cycle.is_decided);
  for (const FoundNode& node : cycle.nodes) {
    text += fmt::format(" {}:{}.{}.{}", node.instance, node.functionality, node.statement,
                        static_cast<int>(node.part));
  }
  return text + "\n";
}

// Everything that a reader may see.
std::string text_of(const FindReport& report) {
  std::string text =
      fmt::format("{} of {}\n{}\n", report.counts.skeletons, report.counts.groups, report.bound);
  for (const FoundCause& cause : report.causes) {
    text += definition(cause.kind).name;
    text += "\n";
    for (const FoundCycle& core : cause.cores) text += "  core " + text_of(core);
    for (const FoundCycle& one : cause.extensions) text += "  in " + text_of(one);
    if (!cause.execution) continue;
    text += fmt::format("  {} {}\n", to_string(cause.execution->status), cause.execution->reason);
    if (cause.execution->finding) text += to_json(*cause.execution->finding);
    for (const FoundBreak& further : cause.execution->further) text += to_json(further.finding);
  }
  return text;
}

std::string one_after_the_other(const Program& program, IsolationLevel level) {
  Result<FindReport> report = find_anomalies(program, options_at(level, 1));
  EXPECT_TRUE(report);
  const Result<void> executed =
      execute_findings(program, options_at(level, 1), on_replicated(1), *report);
  EXPECT_TRUE(executed) << to_string(executed.error());
  return text_of(*report);
}

// Now and then some thread dawdles.
class Dawdling {
 public:
  explicit Dawdling(std::uint64_t seed) : next_(seed) {}

  void operator()() {
    std::mt19937_64 random(next_++);
    std::this_thread::sleep_for(
        std::chrono::microseconds(random() % 4 == 0 ? random() % 5'000 : 0));
  }

 private:
  std::atomic<std::uint64_t> next_;
};

TEST(FindAndExecute, the_report_does_not_depend_on_jobs_or_on_who_is_slow) {
  const auto rounds = static_cast<std::uint64_t>(test_rounds(2));
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    RandomPrograms random(seed, RandomPrograms::Contention::much);
    const std::string text = random.next(2);
    const Result<Program> program = parse_program({{"random.sql", text}});
    ASSERT_TRUE(program) << to_string(program.error()) << text;
    const std::string expected = one_after_the_other(*program, IsolationLevel::eventual);
    for (const std::size_t jobs : {1, 2, 3}) {
      Dawdling dawdling(seed * 100 + jobs);
      const auto done = find::find_and_execute(*program, options_at(IsolationLevel::eventual, jobs),
                                               on_replicated(jobs), [&] { dawdling(); });
      ASSERT_TRUE(done) << to_string(done.error());
      EXPECT_FALSE(done->trouble);
      ASSERT_EQ(text_of(done->report), expected) << jobs << " jobs, seed " << seed << "\n" << text;
    }
  }
}

std::size_t count_executed(const FindReport& report) {
  std::size_t count = 0;
  for (const FoundCause& cause : report.causes) count += cause.execution ? 1 : 0;
  return count;
}

constexpr const char* kShop = R"(
CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);
CREATE TABLE purse (id int PRIMARY KEY, money int NOT NULL);
CREATE PROCEDURE sell(which int) LANGUAGE plpgsql AS $$
DECLARE old int;
BEGIN
  SELECT stock INTO old FROM item WHERE id = which;
  UPDATE item SET stock = old - 1 WHERE id = which;
END $$;
CREATE PROCEDURE pay(who int, sum int) LANGUAGE plpgsql AS $$
DECLARE old int;
BEGIN
  SELECT money INTO old FROM purse WHERE id = who;
  UPDATE purse SET money = old - sum WHERE id = who;
END $$;
)";

TEST(FindAndExecute, an_interrupt_leaves_what_was_executed_before_the_search_had_ended) {
  const Result<Program> program = parse_program({{"shop.sql", kShop}});
  ASSERT_TRUE(program);
  int tasks = 0;
  const auto done = find::find_and_execute(*program, options_at(IsolationLevel::eventual, 1),
                                           on_replicated(1), [&] {
                                             // A set, what it found, and another set.
                                             if (++tasks == 4) raise_interrupt();
                                           });
  clear_interrupt();
  ASSERT_TRUE(done) << to_string(done.error());
  EXPECT_GE(count_executed(done->report), 1U) << text_of(done->report);
  EXPECT_EQ(done->report.bound.find("interrupted: "), 0U) << done->report.bound;
  EXPECT_NE(done->report.bound.find("sets of functionalities were not searched to their end"),
            std::string::npos)
      << done->report.bound;
}

TEST(FindAndExecute, no_time_at_all_says_that_nothing_was_searched) {
  const Result<Program> program = parse_program({{"shop.sql", kShop}});
  ASSERT_TRUE(program);
  FindOptions options = options_at(IsolationLevel::eventual, 2);
  options.timeout_ms = 0;
  const auto done = find_and_execute(*program, options, on_replicated(2));
  ASSERT_TRUE(done) << to_string(done.error());
  EXPECT_TRUE(done->report.causes.empty());
  EXPECT_EQ(done->report.bound,
            "--timeout: 4 of 4 sets of functionalities were not searched to their end");
}

TEST(FindAndExecute, a_store_that_cannot_be_reached_is_an_error) {
  const Result<Program> program = parse_program({{"shop.sql", kShop}});
  ASSERT_TRUE(program);
  ExecuteOptions execution;
  execution.on.texts = {"postgres://nobody@127.0.0.1:1/"};
  const auto done = find_and_execute(*program, options_at(IsolationLevel::eventual, 2), execution);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().trouble, Trouble::environment);
}

}  // namespace
}  // namespace heddle
