// What is left out of larger sets of functionalities without asking is no core.
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/find_testing.h"
#include "heddle/split.h"
#include "split/random_program_testing.h"

namespace heddle {
namespace {

// Each table is a service.
Cut cut_apart(const Program& program) {
  Cut cut{.file = "cut.json", .services = {}};
  for (const Table& table : program.schema.tables) {
    cut.services.push_back({.name = table.name, .position = {}, .tables = {{table.name, {}}}});
  }
  return cut;
}

SplitReport split(const Program& program, const SplitOptions& options) {
  Result<SplitReport> report = split_program(program, cut_apart(program), options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  return report ? std::move(*report) : SplitReport{};
}

std::string text_of(const SplitCause& cause) {
  std::string text(definition(cause.kind).name);
  for (const std::vector<SplitPart>& of : cause.parts) {
    text += " |";
    for (const SplitPart& part : of) text += fmt::format(" {}.{}", part.functionality, part.number);
  }
  return text;
}

// Each with the number of its cycles.
std::map<std::string, std::size_t> causes_of(const SplitReport& report, bool only_cores) {
  std::map<std::string, std::size_t> causes;
  for (const SplitCause& cause : report.causes) {
    if (cause.is_core || !only_cores) causes[text_of(cause)] = cause.cycles.size();
  }
  return causes;
}

std::size_t cores_of_three(const SplitReport& report) {
  return static_cast<std::size_t>(std::ranges::count_if(report.causes, [](const SplitCause& cause) {
    return cause.is_core && cause.parts.size() > 2;
  }));
}

// Functionalities that have one table in common at most, so that it often takes three to go wrong.
std::string sparse_program(std::mt19937& random, std::size_t tables) {
  std::string sql;
  for (std::size_t i = 0; i < tables; ++i) {
    sql += fmt::format("CREATE TABLE t{} (id int PRIMARY KEY, n int NOT NULL);\n", i);
  }
  for (std::size_t i = 0; i < tables; ++i) {
    const auto statement = [&](std::size_t table) {
      const char* const text = random() % 2 == 0 ? "SELECT n INTO v FROM t{} WHERE id = 1;\n"
                                                 : "UPDATE t{} SET n = v WHERE id = 1;\n";
      return fmt::format(fmt::runtime(text), table);
    };
    sql += fmt::format("CREATE PROCEDURE f{}(v int) LANGUAGE plpgsql AS $$\nBEGIN\n{}{}END\n$$;\n",
                       i, statement(i), statement((i + 1) % tables));
  }
  return sql;
}

// At a service's own level of every strength, with and without what the whole program allows.
TEST(OnlyCores, are_those_of_a_search_of_everything) {
  std::size_t asked = 0;
  std::size_t asked_for_cores = 0;
  std::size_t of_three = 0;
  for (unsigned seed = 0; seed < test_rounds(6); ++seed) {
    std::mt19937 random(seed);
    const std::string sql =
        seed % 2 == 0 ? chopping::random_program(random, 3, 3) : sparse_program(random, 3);
    const Program program = find::parse(sql);
    SplitOptions options;
    options.find.max_length = seed % 2 == 0 ? 4 : 6;
    if (seed % 3 == 1) options.within = IsolationLevel::snapshot;
    options.counts_all = seed % 3 == 2;
    const SplitReport all = split(program, options);
    options.only_cores = true;
    const SplitReport cores = split(program, options);
    EXPECT_EQ(causes_of(cores, true), causes_of(all, true)) << "seed " << seed << "\n" << sql;
    const std::map<std::string, std::size_t> known = causes_of(all, false);
    for (const auto& [cause, cycles] : causes_of(cores, false)) {
      EXPECT_TRUE(known.contains(cause)) << cause << "\n" << sql;
    }
    asked += all.counts.skeletons;
    asked_for_cores += cores.counts.skeletons;
    of_three += cores_of_three(cores);
  }
  EXPECT_LT(asked_for_cores, asked);
  EXPECT_GT(of_three, 0U);
}

// Three that pass something round: no two of them go wrong together. The canary: who leaves out
// sets of three has another answer.
TEST(OnlyCores, of_three_functionalities_are_found) {
  std::string sql;
  for (const char* name : {"a", "b", "c"}) {
    sql += fmt::format("CREATE TABLE {} (id int PRIMARY KEY, n int NOT NULL);\n", name);
  }
  for (const char* pair : {"ab", "bc", "ca"}) {
    sql += fmt::format(
        "CREATE PROCEDURE {0}{1}(k int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN\n"
        "SELECT n INTO v FROM {0} WHERE id = 1; UPDATE {1} SET n = v WHERE id = 1; END $$;\n",
        pair[0], pair[1]);
  }
  const Program program = find::parse(sql);
  SplitOptions options;
  options.find.max_length = 6;
  options.only_cores = true;
  const SplitReport cores = split(program, options);
  EXPECT_GT(cores_of_three(cores), 0U);
  options.find.max_instances = 2;
  EXPECT_NE(causes_of(split(program, options), true), causes_of(cores, true));
}

}  // namespace
}  // namespace heddle
