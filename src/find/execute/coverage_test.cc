// Whatever goes wrong when small programs are run in every order on a real PostgreSQL, the search
// has found: brute force over arguments, rows and interleavings is the oracle.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/execute/found_tables_testing.h"
#include "find/search/random_program_testing.h"
#include "heddle/constraints.h"
#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/replay.h"
#include "heddle/scenario.h"
#include "store/mariadb/throwaway.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

using find::RandomPrograms;

constexpr IsolationLevel kPostgresLevels[] = {IsolationLevel::postgres_read_committed,
                                              IsolationLevel::postgres_repeatable_read};
constexpr IsolationLevel kMariadbLevels[] = {IsolationLevel::mariadb_read_committed,
                                             IsolationLevel::mariadb_repeatable_read};

// What the programs of a test are like.
struct Kind {
  RandomPrograms::Keys keys = RandomPrograms::Keys::primary;
  RandomPrograms::Errors errors = RandomPrograms::Errors::none;
  std::vector<std::string> left_out = {};    // errors that the search takes for refusals
  std::vector<std::string> forgotten = {};   // what the search does not know of the program
  std::string (*misread)(std::string) = {};  // another program, which the search is given
  bool differ = false;                       // the arguments of each call do
  std::string required = {};                 // what the search is told of these
  std::uint64_t first_seed = 0;              // the first ones may have nothing that goes wrong
  // The tables are empty at first; so many calls of what fills them may come before the others, and
  // the search is asked for so many. None: there are rows.
  std::optional<std::size_t> calls_before = {};
  bool internal = false;  // what leaves other rows, and nothing else
  bool on_mariadb = false;
  std::optional<IsolationLevel> searched_at = {};  // none: as executed
  RandomPrograms::Borders borders = RandomPrograms::Borders::none;
  std::size_t seeds = 8;
};

// Whether two calls of one functionality ask the same before they act.
bool asks_alike(RandomPrograms::Keys keys) {
  return keys == RandomPrograms::Keys::absent || keys == RandomPrograms::Keys::grouped ||
         keys == RandomPrograms::Keys::locked || keys == RandomPrograms::Keys::inner;
}

// Two calls that run at the same time, and the rows that they begin with.
struct Case {
  std::size_t first = 0;
  std::size_t second = 0;
  std::optional<std::uint32_t> preemptions;  // none: all orders
  std::string spec;
};

// Of two the longer one: with one statement not much goes wrong.
std::size_t random_functionality(RandomPrograms& random, const Program& program) {
  const std::size_t one = random.below(program.functionalities.size());
  const std::size_t other = random.below(program.functionalities.size());
  const auto length = [&](std::size_t which) {
    return list_statements(program.functionalities[which]).size();
  };
  return length(one) > length(other) ? one : other;
}

// A row whose last column refers to a row, if that is there.
std::string with_reference(const Table& table, const std::string& values) {
  const std::size_t comma = values.rfind(',');
  return fmt::format("INSERT INTO {0} SELECT {1}, id FROM {2} ORDER BY abs(id - {3}) LIMIT 1;\n",
                     table.name, values.substr(0, comma), table.foreign_keys[0].referenced_table,
                     values.substr(comma + 2));
}

// What fills the tables.
std::string filler(const Schema& schema) {
  std::string body;
  for (const Table& table : schema.tables) {
    std::string values;
    for (std::size_t i = 1; i < table.columns.size(); ++i) values += i == 1 ? ", a" : ", b";
    for (std::size_t id = 1; id <= 2; ++id) {
      body += fmt::format("  INSERT INTO {} VALUES ({}{}) ON CONFLICT DO NOTHING;\n", table.name,
                          id, values);
    }
  }
  return fmt::format(
      "CREATE PROCEDURE fill(a int, b int) LANGUAGE plpgsql AS $$\nBEGIN\n{}END $$;\n", body);
}

// The session that is first.
std::string filling(RandomPrograms& random) {
  return fmt::format("session filled first call {{ fill({}, {}) }}\n", random.below(4),
                     random.below(4));
}

Case random_case(RandomPrograms& random, const Kind& kind, const Program& program,
                 const std::string& text) {
  // The first one is what checks, and the second one comes in between.
  const bool has_checker = kind.errors != RandomPrograms::Errors::none;
  const bool retries = kind.borders == RandomPrograms::Borders::retried;
  const bool is_apart = kind.borders == RandomPrograms::Borders::apart;
  const bool has_order = has_checker || retries || is_apart ||
                         kind.keys == RandomPrograms::Keys::foreign || asks_alike(kind.keys) ||
                         kind.keys == RandomPrograms::Keys::changed;
  // Two that ask the same before they act.
  const bool asks = (asks_alike(kind.keys) || is_apart) && random.below(4) != 0;
  Case chosen{.first = has_order ? 0 : random_functionality(random, program),
              .second = asks        ? 0
                        : has_order ? 1
                                    : random_functionality(random, program),
              .preemptions = {},
              .spec = {}};
  // What goes wrong mostly does so with two; all orders take ten times as long.
  if (random.below(4) != 0 || retries) chosen.preemptions = 2;
  const std::size_t routines = text.find("CREATE PROCEDURE");
  std::string rows;
  for (const Table& table : program.schema.tables) {
    if (kind.calls_before) break;
    const std::size_t others = table.unique_constraints.empty() ? 0 : random.below(3);
    for (std::size_t id = 1; id <= 2; ++id) {
      // Mostly nothing refers to a row.
      const bool is_looked_for =
          kind.keys == RandomPrograms::Keys::foreign && !table.foreign_keys.empty();
      if (random.below(is_looked_for ? 3 : 8) < (is_looked_for ? 2 : 1)) continue;
      std::string values = std::to_string(id);
      for (std::size_t i = 1; i < table.columns.size(); ++i) {
        const bool is_key = i == 1 && !table.unique_constraints.empty();
        values += fmt::format(", {}", is_key        ? 1 + (id + others) % 3
                                      : has_checker ? 1
                                                    : random.below(4));
      }
      rows += table.foreign_keys.empty()
                  ? fmt::format("INSERT INTO {} VALUES ({});\n", table.name, values)
                  : with_reference(table, values);
    }
  }
  // Mostly about the same row.
  const auto call = [&](std::size_t functionality) {
    const std::size_t second = 1 + random.below(2);
    const std::size_t first = random.below(4) == 0 ? 2 : 1;
    return fmt::format("{}({}, {})", program.functionalities[functionality].name, first,
                       kind.differ ? 3 - first : second);
  };
  chosen.spec = fmt::format(
      "setup {{\n{}{}}}\nprogram {{\n{}}}\n{}session s1 call {{ {} }}\nsession s2 call {{ {} }}\n",
      text.substr(0, routines), rows, text.substr(routines),
      kind.calls_before ? filling(random) : "", call(chosen.first), call(chosen.second));
  return chosen;
}

// Whether somebody ends in an error, in the run or in a serial order.
bool has_error(const Finding& finding) {
  return std::ranges::any_of(finding.run.records, [](const StepRecord& record) {
    return record.call_end && record.call_end->error;
  });
}

struct Tally {
  std::size_t cases = 0;
  std::size_t wrong = 0;
  std::size_t with_errors = 0;
  std::size_t of_sessions = 0;      // cases that go wrong only where calls are of one user
  std::vector<std::string> missed;  // what nothing that was found has to do with
};

std::string without(std::string text, const std::vector<std::string>& forgotten) {
  for (const std::string& one : forgotten) {
    for (std::size_t at = 0; (at = text.find(one, at)) != std::string::npos;) {
      text.erase(at, one.size());
    }
  }
  return text;
}

// Where that which `opens` at that place ends; it may have brackets within.
std::size_t end_of_brackets(const std::string& text, std::size_t opens) {
  std::size_t depth = 0;
  for (std::size_t at = opens; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return text.size();
}

// As if what a query within a statement gives were always the same.
std::string with_constants_for_queries(std::string text) {
  for (std::size_t at = 0; (at = text.find("(SELECT ", at)) != std::string::npos;) {
    text.replace(at, end_of_brackets(text, at) - at, "1");
  }
  return text;
}

// As if a statement within another one only looked at rows.
std::string with_reads_for_inner_writes(std::string text) {
  static constexpr std::string_view kBegin = "WITH done AS (";
  for (std::size_t at = 0; (at = text.find(kBegin, at)) != std::string::npos; at += 1) {
    const std::size_t opens = at + kBegin.size() - 1;
    text.replace(opens, end_of_brackets(text, opens) - opens, "(SELECT id, x FROM t0)");
  }
  return text;
}

// What random_case() makes for programs that check.
Constraints all_are_one(const Schema& schema) {
  std::string facts;
  for (const Table& table : schema.tables) {
    for (std::size_t i = 1; i < table.columns.size(); ++i) {
      facts += fmt::format("initially \"{0} {1}\" {{ SELECT {1} = 1 FROM {0} }}\n", table.name,
                           table.columns[i].name);
    }
  }
  Result<Constraints> constraints = parse_constraints(facts, "facts");
  EXPECT_TRUE(constraints) << (constraints ? "" : to_string(constraints.error()));
  return constraints ? *std::move(constraints) : Constraints{};
}

Constraints all_are_empty(const Schema& schema) {
  std::string facts;
  for (const Table& table : schema.tables) {
    facts += fmt::format("initially \"{0}\" {{ SELECT id <> id FROM {0} }}\n", table.name);
  }
  Result<Constraints> constraints = parse_constraints(facts, "facts");
  EXPECT_TRUE(constraints) << (constraints ? "" : to_string(constraints.error()));
  return constraints ? *std::move(constraints) : Constraints{};
}

Constraints all_require(const Program& program, const std::string& condition) {
  std::string text;
  for (const Functionality& each : program.functionalities) {
    text += fmt::format("requires {} {{ {} }}\n", each.name, condition);
  }
  Result<Constraints> constraints = parse_constraints(text, "requirements");
  EXPECT_TRUE(constraints) << (constraints ? "" : to_string(constraints.error()));
  return constraints ? *std::move(constraints) : Constraints{};
}

void compare(std::uint64_t seed, const Kind& kind, IsolationLevel level, const std::string& server,
             Tally& tally) {
  RandomPrograms random(seed, RandomPrograms::Contention::much, kind.borders, kind.keys,
                        kind.errors);
  std::string text = random.next(2);
  Result<Program> program = parse_program({{"p.sql", text}});
  ASSERT_TRUE(program) << to_string(program.error());
  if (kind.calls_before) {
    text += filler(program->schema);
    program = parse_program({{"p.sql", text}});
  }
  std::string told = without(text, kind.forgotten);
  if (kind.misread != nullptr) told = kind.misread(std::move(told));
  const Result<Program> known = parse_program({{"p.sql", std::move(told)}});
  ASSERT_TRUE(known) << to_string(known.error());
  FindOptions options;
  options.level = kind.searched_at.value_or(level);
  options.max_instances = 2;
  options.max_length = 4;
  options.refusals = kind.left_out;
  options.internal_only = kind.internal;
  if (kind.errors != RandomPrograms::Errors::none) {
    options.constraints = all_are_one(program->schema);
  }
  if (kind.calls_before) options.constraints = all_are_empty(program->schema);
  if (!kind.required.empty()) options.constraints = all_require(*program, kind.required);
  options.max_prefix = kind.calls_before;
  const Result<FindReport> found = find_anomalies(*known, options);
  ASSERT_TRUE(found) << to_string(found.error());
  for (int i = 0; i < 4; ++i) {
    const Case chosen = random_case(random, kind, *program, text);
    const Result<Scenario> scenario = parse_scenario(chosen.spec, "case.spec");
    ASSERT_TRUE(scenario) << to_string(scenario.error()) << "\n" << chosen.spec;
    ExploreOptions exploration;
    exploration.on.texts = {server};
    exploration.levels = {level};
    exploration.all = true;
    exploration.preemptions = chosen.preemptions;
    exploration.jobs = 2;
    const Result<ExploreReport> executed = explore(*scenario, exploration);
    ASSERT_TRUE(executed) << to_string(executed.error()) << "\n" << chosen.spec;
    ++tally.cases;
    const std::set<std::string> tables = tables_found(*found, {{chosen.first, chosen.second}});
    for (const Finding& finding : executed->levels[0].findings) {
      if (kind.internal && finding.effect != Effect::internal) continue;
      ++tally.wrong;
      if (has_error(finding)) ++tally.with_errors;
      const auto is_of_found = [&](const std::string& row) {
        return tables.contains(row.substr(0, row.find('(')));
      };
      // The cycle of a run takes what changes rows within WITH for one that looks at all its
      // tables.
      const bool is_one_enough = kind.keys == RandomPrograms::Keys::inner && !finding.rows.empty();
      // Where it leaves other rows, what a run is named after may still be a read.
      const bool is_found = kind.internal ? !tables.empty()
                            : is_one_enough
                                ? std::ranges::any_of(finding.rows, is_of_found)
                                : !tables.empty() && std::ranges::all_of(finding.rows, is_of_found);
      if (is_found) continue;
      tally.missed.push_back(fmt::format("{} at {}, HEDDLE_TEST_SEED={}\n{}",
                                         definition(finding.kind).name, definition(level).name,
                                         seed, chosen.spec));
    }
  }
}

// One server for all.
class Server {
 public:
  explicit Server(const Kind& kind) {
    if (kind.on_mariadb) {
      auto started = ThrowawayMariadb::start({});
      EXPECT_TRUE(started) << to_string(started.error());
      if (!started) return;
      mariadb_ = std::move(*started);
      address_ = "mariadb://root@/?socket=" + mariadb_->socket();
      levels_ = kMariadbLevels;
    } else {
      auto started = ThrowawayPostgres::start({});
      EXPECT_TRUE(started) << to_string(started.error());
      if (!started) return;
      postgres_ = std::move(*started);
      address_ = postgres_->conninfo();
      levels_ = kPostgresLevels;
    }
  }

  const std::string& address() const { return address_; }
  // Empty: it has not started.
  std::span<const IsolationLevel> levels() const { return levels_; }

 private:
  std::unique_ptr<ThrowawayPostgres> postgres_;
  std::unique_ptr<ThrowawayMariadb> mariadb_;
  std::string address_;
  std::span<const IsolationLevel> levels_;
};

Tally compare_all(const Kind& kind) {
  const Server server(kind);
  Tally tally;
  const char* const only = std::getenv("HEDDLE_TEST_SEED");
  for (const IsolationLevel level : server.levels()) {
    for (std::uint64_t seed = 0; seed < (only != nullptr ? 1 : test_rounds(kind.seeds)); ++seed) {
      compare(only != nullptr ? std::strtoull(only, nullptr, 10) : kind.first_seed + seed, kind,
              level, server.address(), tally);
    }
  }
  fmt::print("{} pairs of calls in all their orders, {} things that went wrong, {} with errors\n",
             tally.cases, tally.wrong, tally.with_errors);
  return tally;
}

bool has_one_seed() { return std::getenv("HEDDLE_TEST_SEED") != nullptr; }

using testing::IsEmpty;

TEST(Coverage, what_goes_wrong_was_found) {
  const Tally tally = compare_all({});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Procedures raise errors because of what they have read.
TEST(Coverage, what_ends_in_errors_was_found) {
  const Tally tally = compare_all({.errors = RandomPrograms::Errors::many});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.with_errors > 0 || has_one_seed());
}

// That a search which leaves something out is told from one that does not.
void expect_noticed(const Kind& kind) {
  const Server server(kind);
  ASSERT_FALSE(server.levels().empty());
  Tally tally;
  constexpr std::uint64_t kSeeds = 100;
  std::uint64_t seed = kind.first_seed;
  for (; seed < kind.first_seed + kSeeds && tally.missed.empty(); ++seed) {
    compare(seed, kind, server.levels()[0], server.address(), tally);
  }
  fmt::print("noticed by program {}\n", seed - 1);
  EXPECT_GT(tally.missed.size(), 0U);
}

TEST(Coverage, a_search_that_leaves_errors_out_is_noticed) {
  expect_noticed({.errors = RandomPrograms::Errors::many, .left_out = {"*"}});
}

// INSERTs do nothing where a row is in their way, by the primary key or by another one.
TEST(Coverage, what_goes_wrong_where_rows_have_two_keys_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::two});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Rows go with those that they refer to.
TEST(Coverage, what_goes_wrong_by_cascades_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::cascade});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Rows have to be there for those that refer to them, and change with them.
TEST(Coverage, what_goes_wrong_by_foreign_keys_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::foreign});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.with_errors > 0 || has_one_seed());
}

// Rows have to be there, or must not, in subqueries.
TEST(Coverage, what_goes_wrong_by_subqueries_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::absent, .first_seed = 8});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Rows have to be there, or must not, for a query to have a result.
TEST(Coverage, what_goes_wrong_by_values_of_inner_queries_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::guarded});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, a_search_that_takes_inner_queries_for_constants_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::guarded, .misread = with_constants_for_queries});
}

TEST(Coverage, what_goes_wrong_by_groups_and_outer_joins_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::grouped});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// A sum over no rows is there, a group of no rows is not.
TEST(Coverage, a_search_that_knows_no_groups_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::grouped,
                  .forgotten = {RandomPrograms::kGroups, RandomPrograms::kHaving}});
}

// Statements change rows within WITH.
TEST(Coverage, what_goes_wrong_by_inner_writes_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::inner, .seeds = 12});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, a_search_that_takes_inner_writes_for_reads_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::inner, .misread = with_reads_for_inner_writes});
}

// Queries lock rows, and at some levels the places where others would be.
TEST(Coverage, what_goes_wrong_in_spite_of_locks_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::locked});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, what_goes_wrong_in_spite_of_locks_of_mariadb_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::locked, .on_mariadb = true});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, a_search_that_takes_gaps_for_locked_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::locked,
                  .on_mariadb = true,
                  .searched_at = IsolationLevel::mariadb_repeatable_read});
}

// Rows get keys that others have, and values that a check refuses.
TEST(Coverage, what_goes_wrong_by_keys_that_change_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::changed});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.with_errors > 0 || has_one_seed());
}

TEST(Coverage, a_search_that_knows_no_unique_keys_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::changed,
                  .forgotten = {RandomPrograms::kUnique, RandomPrograms::kCheck}});
}

TEST(Coverage, a_search_that_leaves_subqueries_out_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::absent,
                  .forgotten = {RandomPrograms::kNoOther, RandomPrograms::kNoneLikeIt,
                                RandomPrograms::kNotAmong}});
}

TEST(Coverage, a_search_that_knows_no_foreign_keys_is_noticed) {
  expect_noticed(
      {.keys = RandomPrograms::Keys::foreign,
       .forgotten = {RandomPrograms::kRefers, RandomPrograms::kSetNull, RandomPrograms::kRename}});
}

TEST(Coverage, a_search_that_knows_no_references_is_noticed) {
  expect_noticed(
      {.keys = RandomPrograms::Keys::cascade, .forgotten = {RandomPrograms::kReference}});
}

// The rows are there because of earlier calls.
TEST(Coverage, what_goes_wrong_behind_earlier_calls_was_found) {
  const Tally tally = compare_all({.calls_before = 1});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// Two delete what both have read.
TEST(Coverage, what_goes_wrong_by_deletions_behind_earlier_calls_was_found) {
  const Tally tally =
      compare_all({.keys = RandomPrograms::Keys::taken, .calls_before = 1, .seeds = 6});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, a_search_that_makes_no_earlier_calls_is_noticed) {
  expect_noticed({.calls_before = 0});
}

// Rows are named by a unique key that is not the primary one.
TEST(Coverage, what_goes_wrong_where_another_key_names_rows_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::named});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, what_goes_wrong_with_arguments_that_differ_was_found) {
  const Tally tally =
      compare_all({.differ = true, .required = "a <> b AND a > 0 AND b BETWEEN 1 AND 2"});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, a_search_that_is_told_of_other_arguments_is_noticed) {
  expect_noticed({.differ = true, .required = "a > b AND a < b"});
}

// Attempts that come to nothing are left out of what is searched, and of the outcomes of runs.
TEST(Coverage, what_goes_wrong_with_retries_was_found) {
  const Tally tally =
      compare_all({.first_seed = 3, .borders = RandomPrograms::Borders::retried, .seeds = 3});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// What an attempt has committed stays when the next one begins.
TEST(Coverage, a_search_that_takes_all_of_an_attempt_to_be_undone_is_noticed) {
  expect_noticed({.forgotten = {"\n    COMMIT;"},
                  .first_seed = 83,
                  .borders = RandomPrograms::Borders::retried});
}

// Queries whose rows go nowhere are left out.
TEST(Coverage, what_leaves_other_rows_was_found) {
  const Tally tally = compare_all({.keys = RandomPrograms::Keys::flowing, .internal = true});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, a_search_that_does_not_see_where_values_go_is_noticed) {
  expect_noticed({.keys = RandomPrograms::Keys::flowing,
                  .forgotten = {" INTO v0", " INTO v1", " INTO v2"},
                  .internal = true});
}

TEST(Coverage, what_goes_wrong_where_ways_end_transactions_apart_was_found) {
  const Tally tally = compare_all({.borders = RandomPrograms::Borders::apart});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

TEST(Coverage, what_goes_wrong_where_each_statement_commits_was_found) {
  const Tally tally = compare_all({.borders = RandomPrograms::Borders::each});
  EXPECT_THAT(tally.missed, IsEmpty());
  EXPECT_TRUE(tally.wrong > 0 || has_one_seed());
}

// At the weakest level one transaction may see as much as several: it is searched at a strong one.
TEST(Coverage, a_search_that_takes_statements_for_one_transaction_is_noticed) {
  expect_noticed({.forgotten = {RandomPrograms::kBorder},
                  .searched_at = IsolationLevel::postgres_serializable,
                  .borders = RandomPrograms::Borders::each});
}

}  // namespace
}  // namespace heddle
