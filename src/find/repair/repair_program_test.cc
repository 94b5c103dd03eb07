// Repairs of small programs whose repairs are known, and of random ones against all sets of
// changes.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/repair/changes.h"
#include "find/repair/hitting_set.h"
#include "find/search/find_testing.h"
#include "heddle/program_repair.h"

namespace heddle::find {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

FindOptions at(const std::string& level) {
  FindOptions options;
  options.level = find_isolation_level(level);
  EXPECT_TRUE(options.level.has_value()) << level;
  return options;
}

ProgramRepairReport repair(const Program& program, const FindOptions& options) {
  const Result<FindReport> found = find_anomalies(program, options);
  EXPECT_TRUE(found);
  EXPECT_FALSE(found->causes.empty());
  Result<ProgramRepairReport> report = repair_program(program, options, *found);
  EXPECT_TRUE(report);
  return std::move(*report);
}

std::vector<std::string> sentences(const ProgramRepair& repair) {
  std::vector<std::string> sentences;
  for (const ProgramChange& change : repair.changes) sentences.push_back(change.sentence);
  return sentences;
}

std::vector<std::string> causes_after(const ProgramRepair& repair, FindOptions options) {
  for (std::size_t i = 0; i < repair.levels.size(); ++i) {
    options.levels[repair.program.functionalities[i].name] = repair.levels[i].level;
  }
  return causes(repair.program, options);
}

TEST(RepairProgram, an_update_computes_what_the_client_computed) {
  const Program program = parse(kWithdraw);
  const FindOptions options = at("postgres:read-committed");
  const ProgramRepairReport report = repair(program, options);
  ASSERT_EQ(report.repairs.size(), 2U);
  EXPECT_THAT(sentences(report.repairs[0]),
              ElementsAre("compute in the UPDATE at p.sql:6 (withdraw) what it writes: UPDATE "
                          "account SET balance = balance - amount WHERE id = acc"));
  EXPECT_THAT(sentences(report.repairs[1]),
              ElementsAre("run withdraw at postgres:repeatable-read"));
  for (const ProgramRepair& one : report.repairs) {
    EXPECT_TRUE(one.is_cheapest);
    EXPECT_THAT(causes_after(one, options), IsEmpty());
  }
  const std::string printed = print_program(report.repairs[0].program);
  EXPECT_NE(printed.find("PERFORM 1 FROM account WHERE id = acc"), std::string::npos) << printed;
}

// The client decides by what it read: the read has to lock.
const std::string kGuarded =
    std::string(kAccount) + routine("withdraw(acc int, amount int)",
                                    "DECLARE b int;\nBEGIN\n"
                                    "SELECT balance INTO b FROM account WHERE id = acc;\n"
                                    "IF b < amount THEN RETURN; END IF;\n"
                                    "UPDATE account SET balance = b - amount WHERE id = acc;\nEND");

TEST(RepairProgram, a_read_that_decides_is_locked) {
  const FindOptions options = at("postgres:read-committed");
  const ProgramRepairReport report = repair(parse(kGuarded), options);
  ASSERT_FALSE(report.repairs.empty());
  EXPECT_THAT(sentences(report.repairs[0]),
              ElementsAre("append FOR UPDATE to the SELECT at p.sql:5 (withdraw)"));
  EXPECT_THAT(causes_after(report.repairs[0], options), IsEmpty());
}

TEST(RepairProgram, mariadb_needs_the_lock_at_repeatable_read_too) {
  const ProgramRepairReport report = repair(parse(kGuarded), at("mariadb:repeatable-read"));
  ASSERT_FALSE(report.repairs.empty());
  EXPECT_THAT(sentences(report.repairs[0]),
              ElementsAre("append FOR UPDATE to the SELECT at p.sql:5 (withdraw)"));
}

// Nothing but a level helps where nobody takes locks.
TEST(RepairProgram, weak_stores_need_levels) {
  const ProgramRepairReport report = repair(parse(kGuarded), at("eventual"));
  ASSERT_EQ(report.repairs.size(), 1U);
  EXPECT_THAT(sentences(report.repairs[0]), ElementsAre("run withdraw at snapshot"));
}

// Locks keep nobody from inserting; only a level does.
const std::string kBooking =
    "CREATE TABLE booking (id int PRIMARY KEY, room int NOT NULL);\n" +
    routine("book(new_id int, wanted int)",
            "DECLARE n int;\nBEGIN\nSELECT count(*) INTO n FROM booking WHERE room = wanted;\n"
            "IF n = 0 THEN INSERT INTO booking VALUES (new_id, wanted); END IF;\nEND");

TEST(RepairProgram, phantoms_need_a_level) {
  const FindOptions options = at("postgres:read-committed");
  const ProgramRepairReport report = repair(parse(kBooking), options);
  ASSERT_EQ(report.repairs.size(), 1U);
  EXPECT_THAT(sentences(report.repairs[0]), ElementsAre("run book at postgres:serializable"));
  EXPECT_THAT(causes_after(report.repairs[0], options), IsEmpty());
}

TEST(RepairProgram, what_nothing_removes_is_left) {
  const Program program = parse(
      std::string(kAccount) +
      routine(
          "withdraw(acc int, amount int)",
          "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = acc;\nROLLBACK;\n"
          "IF b < amount THEN RETURN; END IF;\n"
          "UPDATE account SET balance = b - amount WHERE id = acc;\nEND"));
  const ProgramRepairReport report = repair(program, at("postgres:read-committed"));
  for (const ProgramRepair& one : report.repairs) EXPECT_THAT(sentences(one), IsEmpty());
  EXPECT_FALSE(report.left.empty());
}

// A lock that is given up before the row is written locks in vain.
TEST(RepairProgram, a_commit_in_the_middle_is_taken_out) {
  const Program program = parse(
      std::string(kAccount) +
      routine("withdraw(acc int, amount int)",
              "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = acc FOR UPDATE;"
              "\nCOMMIT;\nIF b < amount THEN RETURN; END IF;\n"
              "UPDATE account SET balance = b - amount WHERE id = acc;\nEND"));
  const FindOptions options = at("postgres:read-committed");
  const ProgramRepairReport report = repair(program, options);
  ASSERT_FALSE(report.repairs.empty());
  EXPECT_THAT(sentences(report.repairs[0]),
              ElementsAre("take out the COMMIT at p.sql:6 (withdraw)"));
  EXPECT_THAT(causes_after(report.repairs[0], options), IsEmpty());
  EXPECT_FALSE(report.repairs[0].program.functionalities[0].states_boundaries);
}

// The lock of a row that nobody changes keeps others from making rows that refer to it. A level
// that takes a snapshot before it waits for the lock would undo that.
TEST(RepairProgram, a_level_does_not_hide_what_a_boundary_repairs) {
  const Program program = parse(
      "CREATE TABLE room (id int PRIMARY KEY, places int NOT NULL);\n"
      "CREATE TABLE guest (id serial PRIMARY KEY, room int NOT NULL);\n" +
      routine("enter(r int)",
              "DECLARE p int; n int;\nBEGIN\n"
              "SELECT places INTO p FROM room WHERE id = r FOR UPDATE;\nCOMMIT;\n"
              "SELECT count(*) INTO n FROM guest WHERE room = r;\n"
              "IF n < p THEN INSERT INTO guest (room) VALUES (r); END IF;\nEND"));
  const FindOptions options = at("postgres:read-committed");
  const ProgramRepairReport report = repair(program, options);
  ASSERT_FALSE(report.repairs.empty());
  EXPECT_THAT(sentences(report.repairs[0]), ElementsAre("take out the COMMIT at p.sql:7 (enter)"));
  EXPECT_THAT(causes_after(report.repairs[0], options), IsEmpty());
}

// Whatever it is that a run shows, the changes that it was run with are no repair.
TEST(RepairProgram, what_goes_wrong_when_it_is_run_is_refused) {
  const Program program = parse(kGuarded);
  const FindOptions options = at("postgres:read-committed");
  const Result<FindReport> found = find_anomalies(program, options);
  ASSERT_TRUE(found);
  const RepairTrial trial = [](const ProgramRepair& repair, const UnrepairedSets& /*left*/) {
    const bool is_lock = repair.changes[0].kind == RepairKind::lock_read;
    return RepairExecution{
        .causes = 1, .orders = 4, .goes_wrong = is_lock ? "lost update" : "", .wrong = {0}};
  };
  const Result<ProgramRepairReport> report = repair_program(program, options, *found, trial);
  ASSERT_TRUE(report);
  // With and without something that is of no use.
  ASSERT_EQ(report->refused.size(), 2U);
  EXPECT_THAT(sentences(report->refused[0]),
              ElementsAre("append FOR UPDATE to the SELECT at p.sql:5 (withdraw)"));
  ASSERT_EQ(report->repairs.size(), 1U);
  EXPECT_THAT(sentences(report->repairs[0]),
              ElementsAre("run withdraw at postgres:repeatable-read"));
}

TEST(RepairProgram, a_reader_in_between_takes_a_shared_lock) {
  const Program program =
      parse(std::string(kAccount) +
            routine("move(a int, b int)",
                    "BEGIN\nUPDATE account SET balance = balance - 1 WHERE id = a;\n"
                    "UPDATE account SET balance = balance + 1 WHERE id = b;\nEND") +
            "CREATE FUNCTION sum_of(a int, b int) RETURNS int LANGUAGE plpgsql AS $$\n"
            "DECLARE x int; y int;\nBEGIN\nSELECT balance INTO x FROM account WHERE id = a;\n"
            "SELECT balance INTO y FROM account WHERE id = b;\nRETURN x + y;\nEND\n$$;\n");
  const FindOptions options = at("postgres:read-committed");
  const ProgramRepairReport report = repair(program, options);
  ASSERT_FALSE(report.repairs.empty());
  for (const ProgramRepair& one : report.repairs) {
    EXPECT_THAT(causes_after(one, options), IsEmpty());
  }
}

// No set of changes that costs less removes everything, and the repair does.
void expect_cheapest(const Program& program, const FindOptions& options) {
  const ProgramRepairReport report = repair(program, options);
  const Result<FindReport> found = find_anomalies(program, options);
  const std::vector<ProgramChange> changes = possible_changes(program, found->levels);
  ASSERT_LE(changes.size(), 8U);
  std::optional<std::size_t> least;
  for (std::size_t chosen = 0; chosen < std::size_t{1} << changes.size(); ++chosen) {
    ProgramRepair one{.changes = {}, .program = program, .levels = found->levels};
    std::size_t cost = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if ((chosen >> i & 1U) == 0) continue;
      one.changes.push_back(changes[i]);
      cost += cost_of(changes[i]);
    }
    if (least && cost >= *least) continue;
    for (std::size_t f = 0; f < program.functionalities.size(); ++f) {
      std::vector<ProgramChange> own = one.changes;
      std::erase_if(own, [&](const ProgramChange& change) { return change.functionality != f; });
      apply_changes(one.program.functionalities[f], own, program.schema);
      one.levels[f].level = changed_level(one.levels[f].level, own);
    }
    if (causes_after(one, options).empty()) least = cost;
  }
  ASSERT_EQ(least.has_value(), !report.repairs.empty());
  if (!least) return;
  std::size_t cost = 0;
  for (const ProgramChange& change : report.repairs[0].changes) cost += cost_of(change);
  EXPECT_EQ(cost, *least) << print_program(program);
}

TEST(RepairProgram, is_as_cheap_as_the_cheapest_of_all_sets) {
  const FindOptions options = at("postgres:read-committed");
  expect_cheapest(parse(kWithdraw), options);
  expect_cheapest(parse(kGuarded), options);
  expect_cheapest(parse(kBooking), options);
  expect_cheapest(
      parse("CREATE TABLE duty (doctor int PRIMARY KEY, on_call int NOT NULL);\n" +
            routine("leave(me int, other int)",
                    "DECLARE n int;\nBEGIN\nSELECT on_call INTO n FROM duty WHERE doctor = other;\n"
                    "IF n > 0 THEN UPDATE duty SET on_call = 0 WHERE doctor = me; END IF;\nEND")),
      options);
  expect_cheapest(
      parse(std::string(kAccount) +
            routine("move(a int, b int)",
                    "DECLARE x int;\nBEGIN\nSELECT balance INTO x FROM account WHERE id = a;\n"
                    "COMMIT;\nUPDATE account SET balance = x - 1 WHERE id = a;\nCOMMIT;\n"
                    "UPDATE account SET balance = balance + 1 WHERE id = b;\nEND")),
      options);
}

TEST(HittingSet, is_the_cheapest) {
  EXPECT_THAT(hitting_set({}, {1, 1}).elements, IsEmpty());
  EXPECT_THAT(hitting_set({{0, 1}, {1, 2}}, {1, 1, 1}).elements, ElementsAre(1));
  EXPECT_THAT(hitting_set({{0, 1}, {1, 2}}, {1, 3, 1}).elements, ElementsAre(0, 2));
  EXPECT_THAT(hitting_set({{0}, {0, 1}, {2, 1}}, {5, 1, 2}).elements, ElementsAre(0, 1));
}

// Against all subsets.
TEST(HittingSet, agrees_with_all_subsets) {
  std::uint32_t state = 1;
  const auto draw = [&](std::uint32_t below) {
    state = state * 1'664'525 + 1'013'904'223;
    return (state >> 16) % below;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::size_t> costs(6);
    for (std::size_t& cost : costs) cost = 1 + draw(4);
    std::vector<std::vector<std::size_t>> sets(1 + draw(6));
    for (std::vector<std::size_t>& set : sets) {
      for (std::size_t i = 0; i < costs.size(); ++i) {
        if (draw(3) == 0) set.push_back(i);
      }
      if (set.empty()) set.push_back(draw(6));
    }
    const auto cost_of_subset = [&](std::uint32_t chosen) {
      std::size_t cost = 0;
      for (std::size_t i = 0; i < costs.size(); ++i) cost += (chosen >> i & 1U) * costs[i];
      return cost;
    };
    const auto hits_all = [&](std::uint32_t chosen) {
      return std::ranges::all_of(sets, [&](const std::vector<std::size_t>& set) {
        return std::ranges::any_of(set, [&](std::size_t i) { return (chosen >> i & 1U) != 0; });
      });
    };
    std::size_t least = 1'000;
    for (std::uint32_t chosen = 0; chosen < 64; ++chosen) {
      if (hits_all(chosen)) least = std::min(least, cost_of_subset(chosen));
    }
    std::uint32_t found = 0;
    for (const std::size_t element : hitting_set(sets, costs).elements) found |= 1U << element;
    EXPECT_TRUE(hits_all(found));
    EXPECT_EQ(cost_of_subset(found), least);
  }
}

}  // namespace
}  // namespace heddle::find
