// Whatever goes wrong when small programs run as the services run them, in every order on a real
// PostgreSQL with a connection to each service, the search has found: brute force over arguments,
// rows that earlier calls made, and interleavings of sub-transactions is the oracle.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/random_program_testing.h"
#include "heddle/constraints.h"
#include "heddle/explore.h"
#include "heddle/scenario.h"
#include "heddle/split.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

using find::RandomPrograms;

struct CutTally {
  std::size_t cases = 0;
  std::size_t wrong = 0;
  std::vector<std::string> missed;
};

// What a procedure does to a table, with `a` the key.
std::string random_statement(RandomPrograms& random, std::size_t table) {
  static constexpr const char* kStatements[] = {
      "  SELECT x INTO v FROM t{} WHERE id = a;\n",
      "  SELECT x INTO v FROM t{} WHERE id = a;\n",
      "  UPDATE t{} SET x = b + 4 WHERE id = a;\n",
      "  UPDATE t{} SET x = x + b WHERE id = a;\n",
      "  IF v > 1 THEN\n    UPDATE t{} SET x = v - 1 WHERE id = a;\n  END IF;\n",
      "  SELECT x INTO v FROM t{} WHERE id = a;\n  IF NOT found THEN RETURN; END IF;\n",
      "  DELETE FROM t{} WHERE id = a;\n"};
  return fmt::format(fmt::runtime(kStatements[random.below(std::size(kStatements))]), table);
}

// Procedures on two tables that are empty at first, each of which uses both, and one that fills
// them.
std::string program_of_two_tables(RandomPrograms& random) {
  std::string text =
      "CREATE TABLE t0 (id int PRIMARY KEY, x int NOT NULL);\n"
      "CREATE TABLE t1 (id int PRIMARY KEY, x int NOT NULL);\n";
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t first = random.below(2);
    std::string body = random_statement(random, first) + random_statement(random, 1 - first);
    if (random.below(3) == 0) body += random_statement(random, first);
    text += fmt::format(
        "CREATE PROCEDURE f{}(a int, b int) LANGUAGE plpgsql AS $$\nDECLARE v int := 2;\nBEGIN\n{}"
        "END $$;\n",
        i, body);
  }
  return text +
         "CREATE PROCEDURE fill(a int, b int) LANGUAGE plpgsql AS $$\nBEGIN\n"
         "  INSERT INTO t0 VALUES (1, a), (2, a);\n  INSERT INTO t1 VALUES (1, b), (2, b);\n"
         "END $$;\n";
}

SplitOptions split_options(const Schema& schema, std::size_t calls) {
  std::string facts;
  for (const Table& table : schema.tables) {
    facts += fmt::format("initially \"{0}\" {{ SELECT id <> id FROM {0} }}\n", table.name);
  }
  Result<Constraints> constraints = parse_constraints(facts, "facts");
  EXPECT_TRUE(constraints) << (constraints ? "" : to_string(constraints.error()));
  SplitOptions options;
  if (constraints) options.find.constraints = *std::move(constraints);
  options.find.max_instances = 2;
  options.find.max_length = 4;
  options.find.max_prefix = calls;
  options.within = IsolationLevel::postgres_read_committed;
  options.counts_all = true;
  return options;
}

std::set<std::string> tables_found_in(const SplitReport& report,
                                      const std::multiset<std::size_t>& members) {
  std::set<std::string> tables;
  for (const SplitCause& cause : report.causes) {
    std::multiset<std::size_t> own;
    for (const std::vector<SplitPart>& parts : cause.parts) own.insert(parts[0].functionality);
    if (own == members) tables.insert(cause.tables.begin(), cause.tables.end());
  }
  return tables;
}

// `calls`: of the prefix, as the search takes it.
void compare_cut(std::uint64_t seed, std::size_t calls, const std::string& server,
                 CutTally& tally) {
  RandomPrograms random(seed, RandomPrograms::Contention::much);
  const std::string text = program_of_two_tables(random);
  const Result<Program> program = parse_program({{"p.sql", text}});
  ASSERT_TRUE(program) << to_string(program.error());
  const Result<Cut> cut = parse_cut(R"({"M0": ["t0"], "M1": ["t1"]})", "cut.json");
  ASSERT_TRUE(cut);
  const Result<SplitReport> found =
      split_program(*program, *cut, split_options(program->schema, calls));
  ASSERT_TRUE(found) << to_string(found.error());
  const std::size_t routines = text.find("CREATE PROCEDURE");
  const std::size_t callers = program->functionalities.size() - 1;
  for (int i = 0; i < 3; ++i) {
    const std::size_t first = random.below(callers);
    const std::size_t second = random.below(callers);
    const auto call = [&](std::size_t functionality) {
      return fmt::format("{}({}, {})", program->functionalities[functionality].name,
                         random.below(4) == 0 ? 2 : 1, 1 + random.below(2));
    };
    Program called = found->chopped.program;
    called.schema.tables.clear();
    const std::string spec = fmt::format(
        "service M0 {{ t0 }}\nservice M1 {{ t1 }}\nsetup {{\n{}}}\nprogram {{\n{}}}\n"
        "session filled first call {{ fill({}, {}) }}\nsession s1 call {{ {} }}\n"
        "session s2 call {{ {} }}\n",
        text.substr(0, routines), print_program(called), random.below(4), random.below(4),
        call(first), call(second));
    const Result<Scenario> scenario = parse_scenario(spec, "case.spec");
    ASSERT_TRUE(scenario) << to_string(scenario.error()) << "\n" << spec;
    ExploreOptions exploration;
    exploration.on.texts = {server};
    exploration.levels = {IsolationLevel::postgres_read_committed};
    exploration.all = true;
    exploration.preemptions = 2;
    exploration.jobs = 2;
    const Result<ExploreReport> executed = explore(*scenario, exploration);
    ASSERT_TRUE(executed) << to_string(executed.error()) << "\n" << spec;
    ++tally.cases;
    const std::set<std::string> tables = tables_found_in(*found, {first, second});
    for (const Finding& finding : executed->levels[0].findings) {
      ++tally.wrong;
      const bool is_found = !tables.empty() && std::ranges::all_of(finding.rows, [&](auto& row) {
        return tables.contains(row.substr(0, row.find('(')));
      });
      if (is_found) continue;
      tally.missed.push_back(
          fmt::format("{}, HEDDLE_TEST_SEED={}\n{}", definition(finding.kind).name, seed, spec));
    }
  }
}

CutTally compare_cuts_of(std::uint64_t seeds, std::size_t calls) {
  const auto server = ThrowawayPostgres::start({});
  CutTally tally;
  EXPECT_TRUE(server) << to_string(server.error());
  if (!server) return tally;
  const char* const only = std::getenv("HEDDLE_TEST_SEED");
  for (std::uint64_t seed = 0; seed < (only != nullptr ? 1 : seeds); ++seed) {
    compare_cut(only != nullptr ? std::strtoull(only, nullptr, 10) : seed, calls,
                (*server)->conninfo(), tally);
    if (calls == 0 && !tally.missed.empty()) break;
  }
  fmt::print("{} pairs of calls across a cut in all their orders, {} things that went wrong\n",
             tally.cases, tally.wrong);
  return tally;
}

TEST(SplitCoverage, what_goes_wrong_behind_earlier_calls_was_found) {
  const CutTally tally = compare_cuts_of(test_rounds(4), 1);
  EXPECT_THAT(tally.missed, testing::IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || (std::getenv("HEDDLE_TEST_SEED") != nullptr));
}

TEST(SplitCoverage, a_search_that_makes_no_earlier_calls_is_noticed) {
  EXPECT_GT(compare_cuts_of(100, 0).missed.size(), 0U);
}

}  // namespace
}  // namespace heddle
