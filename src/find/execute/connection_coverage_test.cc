// Whatever goes wrong when two calls that have transactions open on two connections each run in
// every order on a real PostgreSQL or MariaDB, the search has found: brute force is the oracle, as
// in coverage_test.cc.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/execute/found_tables_testing.h"
#include "find/search/random_values_testing.h"
#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/scenario.h"
#include "store/mariadb/throwaway.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

constexpr const char* kOnSecond = "  -- on connection 2:\n";

// Two procedures of a few statements, each on one of two connections, whose transactions end on the
// way or with the call.
class ConnectionPrograms : public find::RandomValues {
 public:
  explicit ConnectionPrograms(std::uint64_t seed) : RandomValues(seed, Contention::much) {
    columns_ = 1;
  }

  std::string next() {
    std::string text;
    for (std::size_t table = 0; table < 2; ++table) {
      text += fmt::format("CREATE TABLE t{} (id int PRIMARY KEY, x int NOT NULL);\n", table);
    }
    for (std::size_t i = 0; i < 2; ++i) text += procedure(i);
    return text;
  }

  // Arguments that are mostly about the same rows.
  std::string call(std::size_t functionality) {
    return fmt::format("f{}({}, {})", functionality, below(8) == 0 ? 2 : 1, 1 + below(2));
  }

 private:
  // What goes wrong mostly does so where a row is written by what was read of it, or two are.
  std::string procedure(std::size_t number) {
    variables_ = 0;
    // The second one may be plain.
    connections_ = number == 1 && below(3) == 0 ? 1 : 2;
    std::string body;
    switch (number == 0 ? below(3) : 1 + below(3)) {
      case 0:
        body = changes_what_it_read();
        break;
      case 1:
        body = changes_both();
        break;
      case 2:
        body = random_statement() + changes_what_it_read() + (below(2) == 0 ? border() : "");
        break;
      default:
        body = reads_both();
    }
    if (below(3) == 0) {
      for (std::size_t i = connections_; i-- > 0;) body += line(i, "COMMIT");
    }
    return fmt::format(
        "CREATE PROCEDURE f{}(a int, b int) LANGUAGE plpgsql AS $$\n"
        "DECLARE v0 int; v1 int; v2 int; v3 int;\nBEGIN\n{}END $$;\n",
        number, body);
  }

  static std::string line(std::size_t connection, const std::string& statement) {
    return (connection == 0 ? "" : kOnSecond) + ("  " + statement + ";\n");
  }
  std::string somewhere(const std::string& statement) {
    return line(below(connections_), statement);
  }
  // Mostly the connections write tables of their own, or they would wait for each other.
  std::string written(std::size_t table, const std::string& statement) {
    const bool is_own = connections_ == 1 || below(6) != 0;
    return line(is_own ? table % connections_ : below(connections_), statement);
  }
  // Somewhere a transaction may end.
  std::string border() {
    if (below(3) != 0) return "";
    return somewhere(below(5) == 0 ? "ROLLBACK" : "COMMIT");
  }

  std::string changes_what_it_read() {
    const std::size_t table = below(2);
    const std::size_t read = variables_++;
    std::string body = somewhere(fmt::format("SELECT x INTO v{} FROM t{} WHERE id = a{}", read,
                                             table, below(4) == 0 ? " FOR UPDATE" : ""));
    body += border();
    const std::size_t changed = below(4) == 0 ? 1 - table : table;
    body += written(changed, fmt::format("UPDATE t{} SET x = v{} + 1 WHERE id = a", changed, read));
    return body;
  }

  std::string changes_both() {
    const std::size_t table = below(2);
    return written(table, change(table)) + border() + written(1 - table, change(1 - table)) +
           border();
  }

  std::string reads_both() {
    const std::size_t table = below(2);
    return somewhere(read(table)) + border() + somewhere(read(1 - table));
  }

  std::string random_statement() {
    const std::size_t table = below(2);
    return below(2) == 0 ? written(table, change(table)) : somewhere(read(table));
  }

  std::string read(std::size_t table) {
    return fmt::format("SELECT x INTO v{} FROM t{} WHERE id = {}", variables_++, table, key());
  }

  std::string change(std::size_t table) {
    return below(2) == 0
               ? fmt::format("UPDATE t{} SET x = x + 1 WHERE id = {}", table, key())
               : fmt::format("UPDATE t{} SET x = {} WHERE id = {}", table, client_value(), key());
  }

  std::size_t connections_ = 2;
};

struct ConnectionTally {
  std::size_t cases = 0;
  std::size_t wrong = 0;
  std::size_t of_several = 0;       // calls with several connections took part
  std::vector<std::string> missed;  // what nothing that was found has to do with
};

// All on one connection.
std::string joined(std::string text) {
  const std::string comment = kOnSecond;
  for (std::size_t at = 0; (at = text.find(comment, at)) != std::string::npos;) {
    text.erase(at, comment.size());
  }
  return text;
}

// Whose runs the search leaves out: a call is to be tried again.
bool is_given_up(const Finding& finding) { return !finding.run.aborted.empty(); }

void execute_program(std::uint64_t seed, bool joins, IsolationLevel level,
                     const std::string& server, ConnectionTally& tally) {
  ConnectionPrograms random(seed);
  const std::string text = random.next();
  const Result<Program> known = parse_program({{"p.sql", joins ? joined(text) : text}});
  ASSERT_TRUE(known) << to_string(known.error()) << "\n" << text;
  FindOptions options;
  options.level = level;
  options.max_instances = 2;
  options.max_length = 4;
  const Result<FindReport> found = find_anomalies(*known, options);
  ASSERT_TRUE(found) << to_string(found.error());
  for (int i = 0; i < 2; ++i) {
    const std::size_t first = 0;
    const std::size_t second = i;
    const std::size_t routines = text.find("CREATE PROCEDURE");
    const std::string spec = fmt::format(
        "setup {{\n{}INSERT INTO t0 VALUES (1, 1), (2, 2), (3, 3);\n"
        "INSERT INTO t1 VALUES (1, 1), (2, 2), (3, 3);\n}}\nprogram {{\n{}}}\n"
        "session s1 call {{ {} }}\nsession s2 call {{ {} }}\n",
        text.substr(0, routines), text.substr(routines), random.call(first), random.call(second));
    const Result<Scenario> scenario = parse_scenario(spec, "case.spec");
    ASSERT_TRUE(scenario) << to_string(scenario.error()) << "\n" << spec;
    ExploreOptions exploration;
    exploration.on.texts = {server};
    exploration.levels = {level};
    exploration.all = true;
    exploration.preemptions = 2;
    exploration.jobs = 2;
    const Result<ExploreReport> executed = explore(*scenario, exploration);
    ASSERT_TRUE(executed) << to_string(executed.error()) << "\n" << spec;
    ++tally.cases;
    const std::set<std::string> tables = tables_found(*found, {{first, second}});
    for (const Finding& finding : executed->levels[0].findings) {
      if (is_given_up(finding)) continue;
      ++tally.wrong;
      if (text.find(kOnSecond) != std::string::npos) ++tally.of_several;
      const bool is_found =
          !tables.empty() && std::ranges::all_of(finding.rows, [&](const std::string& row) {
            return tables.contains(row.substr(0, row.find('(')));
          });
      if (is_found) continue;
      tally.missed.push_back(fmt::format("{} at {}, HEDDLE_TEST_SEED={}\n{}",
                                         definition(finding.kind).name, definition(level).name,
                                         seed, spec));
    }
  }
}

// The first seeds may have nothing that goes wrong.
struct Seeds {
  std::uint64_t first = 0;
  std::size_t count = 0;
};

ConnectionTally execute_programs(const std::vector<IsolationLevel>& levels,
                                 const std::string& server, bool joins, Seeds seeds) {
  ConnectionTally tally;
  const char* const only = std::getenv("HEDDLE_TEST_SEED");
  for (const IsolationLevel level : levels) {
    for (std::uint64_t i = 0; i < (only != nullptr ? 1 : test_rounds(seeds.count)); ++i) {
      const std::uint64_t seed =
          only != nullptr ? std::strtoull(only, nullptr, 10) : seeds.first + i;
      execute_program(seed, joins, level, server, tally);
    }
  }
  fmt::print(
      "{} pairs of calls in all their orders, {} things that went wrong, {} of them with several "
      "connections, {} missed\n",
      tally.cases, tally.wrong, tally.of_several, tally.missed.size());
  return tally;
}

std::string address_of(ThrowawayMariadb& server) {
  return "mariadb://root@/?socket=" + server.socket();
}

bool is_for_one_seed() { return std::getenv("HEDDLE_TEST_SEED") != nullptr; }

using testing::IsEmpty;

TEST(ConnectionCoverage, what_goes_wrong_with_several_connections_was_found) {
  auto server = ThrowawayPostgres::start({});
  ASSERT_TRUE(server) << to_string(server.error());
  const ConnectionTally tally = execute_programs(
      {IsolationLevel::postgres_read_committed, IsolationLevel::postgres_repeatable_read,
       IsolationLevel::postgres_serializable},
      (*server)->conninfo(), false, {.count = 20});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.of_several > 0 || is_for_one_seed());
}

TEST(ConnectionCoverage, what_goes_wrong_on_mariadb_was_found) {
  auto server = ThrowawayMariadb::start({});
  ASSERT_TRUE(server) << to_string(server.error());
  const ConnectionTally tally = execute_programs(
      {IsolationLevel::mariadb_read_committed, IsolationLevel::mariadb_repeatable_read,
       IsolationLevel::mariadb_serializable},
      address_of(**server), false, {.count = 20});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.of_several > 0 || is_for_one_seed());
}

TEST(ConnectionCoverage, a_search_that_takes_them_for_one_is_noticed) {
  auto server = ThrowawayPostgres::start({});
  ASSERT_TRUE(server) << to_string(server.error());
  const ConnectionTally tally =
      execute_programs({IsolationLevel::postgres_serializable}, (*server)->conninfo(), true,
                       {.first = 15, .count = 2});
  EXPECT_TRUE(!tally.missed.empty() || is_for_one_seed());
}

}  // namespace
}  // namespace heddle
