// Cycles that need rows which a table cannot hold, and the same ones where it can; and programs
// whose statements leave something open, of which nothing is proved.
#include "find/search/whole_check.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {
namespace {

// Both updates name one code, and different rows.
std::string program_with(const std::string& constraint) {
  return "CREATE TABLE item (id int PRIMARY KEY, code int NOT NULL, price int NOT NULL" +
         constraint + ");\n" +
         routine("change(a int, b int, c int)",
                 "BEGIN\nIF a = b THEN RETURN; END IF;\n"
                 "UPDATE item SET price = 1 WHERE id = a AND code = c;\n"
                 "UPDATE item SET price = 2 WHERE id = b AND code = c;\nEND");
}

FindReport found_in(const Program& program) {
  FindOptions options;
  options.level = IsolationLevel::eventual;
  options.max_instances = 2;
  Result<FindReport> report = find_anomalies(program, options);
  EXPECT_TRUE(report);
  return *std::move(report);
}

// How many of the smallest cycles at `eventual` are impossible, and of how many. `cycles`: those of
// another program with the same statements.
std::pair<std::size_t, std::size_t> impossible_in(const std::string& sql,
                                                  const FindReport* cycles = nullptr) {
  const Program program = parse(sql);
  FindOptions options;
  options.level = IsolationLevel::eventual;
  options.max_instances = 2;
  const FindReport own = found_in(program);
  const SearchInput input = prepare_search(program, options, own.levels);
  const WholeCheck check(input);
  std::size_t impossible = 0;
  std::size_t all = 0;
  for (const FoundCause& cause : (cycles == nullptr ? own : *cycles).causes) {
    for (const FoundCycle& cycle : cause.cores) {
      impossible += check.is_impossible(cycle) ? 1 : 0;
      ++all;
    }
  }
  return {impossible, all};
}

TEST(WholeCheck, rows_that_a_unique_key_forbids_make_no_cycle) {
  const FindReport cycles = found_in(parse(program_with("")));
  const auto [impossible, all] = impossible_in(program_with(", UNIQUE (code)"), &cycles);
  EXPECT_GT(all, 0U);
  EXPECT_EQ(impossible, all);
  EXPECT_EQ(impossible_in(program_with(", UNIQUE (code)")).second, 0U);
}

TEST(WholeCheck, what_the_rows_allow_stays_possible) {
  const auto [impossible, all] = impossible_in(program_with(""));
  EXPECT_GT(all, 0U);
  EXPECT_EQ(impossible, 0U);
  EXPECT_EQ(impossible_in(kWithdraw).first, 0U);
}

// What tables hold is not told by a trigger's text, nor by keys whose rows go with others.
TEST(WholeCheck, what_writes_unseen_leaves_all_open) {
  const std::string trigger =
      "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;\n"
      "CREATE TRIGGER noting AFTER UPDATE ON item EXECUTE FUNCTION note();\n";
  const FindReport cycles = found_in(parse(program_with("")));
  EXPECT_EQ(impossible_in(program_with(", UNIQUE (code)") + trigger, &cycles).first, 0U);
  const std::string unknown = routine("run(x text)", "BEGIN\nEXECUTE x;\nEND");
  EXPECT_EQ(impossible_in(program_with(", UNIQUE (code)") + unknown, &cycles).first, 0U);
}

// Each does something to items of its own kind alone, whose kind it looks at first.
std::string kinds(const std::string& first, const std::string& second) {
  const auto of_kind = [](const std::string& name, const std::string& kind) {
    return routine(name + "(i int)",
                   "DECLARE k text; v int;\nBEGIN\n"
                   "SELECT kind INTO k FROM item WHERE id = i;\n"
                   "IF k = '" +
                       kind +
                       "' THEN\n"
                       "SELECT n INTO v FROM item WHERE id = i;\n"
                       "UPDATE item SET n = v + 1 WHERE id = i;\n"
                       "END IF;\nEND");
  };
  return "CREATE TABLE item (id int PRIMARY KEY, kind text NOT NULL, n int NOT NULL);\n" +
         of_kind("sell", first) + of_kind("lend", second);
}

// Of the cycles between two functionalities, not of one with itself.
FindReport between(FindReport report) {
  std::erase_if(report.causes, [](const FoundCause& cause) {
    const FoundCycle& cycle = cause.cores.front();
    return cycle.nodes.front().functionality == cycle.nodes.back().functionality;
  });
  return report;
}

TEST(WholeCheck, others_may_change_what_two_transactions_agree_on) {
  const FindReport cycles = between(found_in(parse(kinds("new", "new"))));
  ASSERT_FALSE(cycles.causes.empty());
  EXPECT_EQ(impossible_in(kinds("new", "new"), &cycles).first, 0U);
  const auto [impossible, all] = impossible_in(kinds("new", "old"), &cycles);
  EXPECT_EQ(impossible, all);
  // A third one writes what the second waits for, between the two.
  const std::string turn =
      routine("age(i int)", "BEGIN\nUPDATE item SET kind = 'old' WHERE id = i;\nEND");
  EXPECT_EQ(impossible_in(kinds("new", "old") + turn, &cycles).first, 0U);
  const std::string given =
      routine("age(i int, k text)", "BEGIN\nUPDATE item SET kind = k WHERE id = i;\nEND");
  EXPECT_EQ(impossible_in(kinds("new", "old") + given, &cycles).first, 0U);
  // What it writes is the kind of neither.
  const std::string lose =
      routine("lose(i int)", "BEGIN\nUPDATE item SET kind = 'lost' WHERE id = i;\nEND");
  EXPECT_EQ(impossible_in(kinds("new", "old") + lose, &cycles).first, all);
  // An item that is made anew may be of another kind, if the one before it can go.
  const std::string make = routine("make(i int, k text)",
                                   "BEGIN\nINSERT INTO item (id, kind, n) VALUES (i, k, 0);\nEND");
  const std::string drop = routine("drop_it(i int)", "BEGIN\nDELETE FROM item WHERE id = i;\nEND");
  EXPECT_EQ(impossible_in(kinds("new", "old") + make, &cycles).first, all);
  EXPECT_EQ(impossible_in(kinds("new", "old") + make + drop, &cycles).first, 0U);
}

// Texts that a type or a collation takes for one value.
TEST(WholeCheck, what_is_written_in_two_ways_may_be_one_value) {
  const FindReport cycles = between(found_in(parse(kinds("new", "new"))));
  EXPECT_EQ(impossible_in(kinds("new", "NEW"), &cycles).first, 0U);
  EXPECT_EQ(impossible_in(kinds("2024-01-01", "2024-1-1"), &cycles).first, 0U);
  EXPECT_EQ(impossible_in(kinds("1", "1.0"), &cycles).first, 0U);
}

}  // namespace
}  // namespace heddle::find
