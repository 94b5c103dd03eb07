// Whatever goes wrong when a user makes two calls beside another one, in every order on a real
// PostgreSQL, the search has found: brute force is the oracle, as in coverage_test.cc.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/execute/found_tables_testing.h"
#include "find/search/random_program_testing.h"
#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/scenario.h"
#include "heddle/session_program.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

using find::RandomPrograms;

constexpr IsolationLevel kSessionLevels[] = {IsolationLevel::postgres_read_committed,
                                             IsolationLevel::postgres_repeatable_read};

struct SessionTally {
  std::size_t cases = 0;
  std::size_t wrong = 0;
  std::size_t of_sessions = 0;  // cases that go wrong only where calls are of one user
  std::vector<std::string> missed;
};

// A session of two calls beside a single call.
struct SessionCase {
  std::size_t session = 0;
  std::size_t first = 0;
  std::size_t second = 0;
  std::size_t other = 0;
  std::string spec;
  std::string apart;  // the same calls by three users
};

SessionCase random_session(RandomPrograms& random, const Program& program, const Program& whole,
                           const std::string& tables) {
  const std::size_t count = program.functionalities.size();
  // Mostly it changes something, and reads then.
  const bool is_usual = random.below(4) != 0;
  const std::size_t first = is_usual ? 0 : random.below(count - 1);
  const std::size_t second = is_usual ? 1 : random.below(count - 1);
  const std::size_t other = count - 1;
  const std::size_t session = count + first * count + second;
  std::string rows;
  for (const Table& table : program.schema.tables) {
    for (std::size_t id = 1; id <= 2; ++id) {
      std::string values = std::to_string(id);
      for (std::size_t i = 1; i < table.columns.size(); ++i) {
        values += fmt::format(", {}", random.below(4));
      }
      rows += fmt::format("INSERT INTO {} VALUES ({});\n", table.name, values);
    }
  }
  using Arguments = std::vector<std::optional<std::string>>;
  const auto chosen = [&](std::size_t functionality) {
    Arguments arguments;
    for (std::size_t i = 0; i < program.functionalities[functionality].parameters.size(); ++i) {
      arguments.emplace_back(std::to_string(random.below(i % 2 == 0 ? 8 : 2) == 0 ? 2 : 1));
    }
    return arguments;
  };
  const Arguments of_first = chosen(first);
  const Arguments of_second = chosen(second);
  const Arguments of_other = chosen(other);
  Arguments of_both = of_first;
  of_both.insert(of_both.end(), of_second.begin(), of_second.end());
  const auto spec = [&](const std::vector<std::pair<std::size_t, Arguments>>& calls) {
    Program called;
    std::string sessions;
    for (const auto& [functionality, arguments] : calls) {
      const Functionality& one = whole.functionalities[functionality];
      const bool is_known = std::ranges::any_of(
          called.functionalities, [&](const Functionality& of) { return of.name == one.name; });
      if (!is_known) called.functionalities.push_back(one);
      sessions +=
          fmt::format("session s{} call {{ {} }}\n", sessions.size(), print_call(one, arguments));
    }
    return fmt::format("setup {{\n{}{}}}\nprogram {{\n{}}}\n{}", tables, rows,
                       print_program(called), sessions);
  };
  return {.session = session,
          .first = first,
          .second = second,
          .other = other,
          .spec = spec({{session, of_both}, {other, of_other}}),
          .apart = spec({{first, of_first}, {second, of_second}, {other, of_other}})};
}

// Calls of one statement each, and at the end one that reads before it writes.
std::string short_calls(RandomPrograms& random) {
  std::string text =
      "CREATE TABLE t0 (id int PRIMARY KEY, x int NOT NULL);\n"
      "CREATE TABLE t1 (id int PRIMARY KEY, x int NOT NULL);\n";
  const auto read = [&](std::size_t table) {
    return fmt::format("SELECT x INTO v FROM t{} WHERE {};", table,
                       random.below(4) == 0 ? "x > 1 ORDER BY id LIMIT 1" : "id = a");
  };
  const auto change = [&](std::size_t table) {
    static constexpr const char* kChanges[] = {
        "UPDATE t{} SET x = x + b WHERE id = a;", "UPDATE t{} SET x = b + 4 WHERE id = a;",
        "DELETE FROM t{} WHERE id = a;", "INSERT INTO t{} VALUES (a + 2, b);"};
    return fmt::format(fmt::runtime(kChanges[random.below(4)]), table);
  };
  const auto routine = [&](std::size_t number, const std::string& body) {
    text += fmt::format(
        "CREATE PROCEDURE f{}(a int, b int) LANGUAGE plpgsql AS $$\nDECLARE v int;\nBEGIN\n{}\n"
        "END $$;\n",
        number, body);
  };
  const std::size_t changed = random.below(2);
  const std::size_t looked_at = random.below(4) == 0 ? changed : 1 - changed;
  routine(0, change(changed));
  routine(1, read(looked_at));
  const bool decides = random.below(3) == 0;
  routine(2, read(changed) + "\n" + (decides ? "IF v > 1 THEN " : "") + change(looked_at) +
                 (decides ? " END IF;" : ""));
  return text;
}

// What goes wrong in all orders.
std::vector<Finding> all_wrong(const std::string& spec, IsolationLevel level,
                               const std::string& server) {
  const Result<Scenario> scenario = parse_scenario(spec, "case.spec");
  EXPECT_TRUE(scenario) << (scenario ? "" : to_string(scenario.error())) << "\n" << spec;
  if (!scenario) return {};
  ExploreOptions exploration;
  exploration.on.texts = {server};
  exploration.levels = {level};
  exploration.unit = Unit::transaction;
  exploration.preemptions = 2;
  exploration.all = true;
  const Result<ExploreReport> executed = explore(*scenario, exploration);
  EXPECT_TRUE(executed) << (executed ? "" : to_string(executed.error())) << "\n" << spec;
  return executed ? executed->levels[0].findings : std::vector<Finding>{};
}

// `calls`: of a session, as the search takes it.
void compare_session(std::uint64_t seed, std::size_t calls, const std::string& server,
                     SessionTally& tally) {
  RandomPrograms random(seed, RandomPrograms::Contention::much);
  const std::string text = short_calls(random);
  const Result<Program> program = parse_program({{"p.sql", text}});
  ASSERT_TRUE(program) << to_string(program.error());
  FindOptions options;
  options.level = kSessionLevels[seed % 2];
  options.max_instances = 2;
  options.max_length = 4;
  const Result<SessionProgram> whole = with_sessions(*program, options, 2);
  const Result<SessionProgram> known = with_sessions(*program, options, calls);
  ASSERT_TRUE(whole && known);
  const Result<FindReport> found = find_anomalies(known->program, known->options);
  ASSERT_TRUE(found) << to_string(found.error());
  for (int i = 0; i < 4; ++i) {
    const SessionCase chosen = random_session(random, *program, whole->program,
                                              text.substr(0, text.find("CREATE PROCEDURE")));
    ++tally.cases;
    const std::vector<Finding> wrong = all_wrong(chosen.spec, *options.level, server);
    if (wrong.empty()) continue;
    // What goes wrong only because the calls are of one user, a session has to explain.
    std::set<std::multiset<std::size_t>> members = {{chosen.session, chosen.other},
                                                    {chosen.session}};
    if (all_wrong(chosen.apart, *options.level, server).empty()) {
      ++tally.of_sessions;
    } else {
      members.insert({chosen.first, chosen.other});
      members.insert({chosen.second, chosen.other});
    }
    const std::set<std::string> tables = tables_found(*found, members);
    for (const Finding& finding : wrong) {
      ++tally.wrong;
      const bool is_found = !tables.empty() && std::ranges::all_of(finding.rows, [&](auto& row) {
        return tables.contains(row.substr(0, row.find('(')));
      });
      if (is_found) continue;
      tally.missed.push_back(fmt::format("{}, HEDDLE_TEST_SEED={}\n{}",
                                         definition(finding.kind).name, seed, chosen.spec));
    }
  }
}

SessionTally compare_sessions(std::uint64_t seeds, std::size_t calls) {
  const auto server = ThrowawayPostgres::start({});
  SessionTally tally;
  EXPECT_TRUE(server) << to_string(server.error());
  if (!server) return tally;
  const char* const only = std::getenv("HEDDLE_TEST_SEED");
  for (std::uint64_t seed = 0; seed < (only != nullptr ? 1 : seeds); ++seed) {
    compare_session(only != nullptr ? std::strtoull(only, nullptr, 10) : seed, calls,
                    (*server)->conninfo(), tally);
    if (calls < 2 && !tally.missed.empty()) break;
  }
  fmt::print(
      "{} sessions of two calls in all their orders, {} things that went wrong, {} sessions "
      "with what goes wrong for one user only\n",
      tally.cases, tally.wrong, tally.of_sessions);
  return tally;
}

TEST(SessionCoverage, what_goes_wrong_between_calls_of_a_session_was_found) {
  const SessionTally tally = compare_sessions(test_rounds(6), 2);
  EXPECT_THAT(tally.missed, testing::IsEmpty());
  EXPECT_TRUE(tally.of_sessions > 0 || (std::getenv("HEDDLE_TEST_SEED") != nullptr));
}

TEST(SessionCoverage, a_search_that_knows_single_calls_alone_is_noticed) {
  EXPECT_GT(compare_sessions(100, 1).missed.size(), 0U);
}

}  // namespace
}  // namespace heddle
