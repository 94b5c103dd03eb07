// Whatever goes wrong when small programs are run in every order on a real PostgreSQL or MariaDB is
// compared with what the search has found: brute force over arguments, rows and interleavings.
#pragma once

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

namespace heddle::coverage {

using find::RandomPrograms;

inline constexpr IsolationLevel kPostgresLevels[] = {IsolationLevel::postgres_read_committed,
                                                     IsolationLevel::postgres_repeatable_read};
inline constexpr IsolationLevel kMariadbLevels[] = {IsolationLevel::mariadb_read_committed,
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
inline bool asks_alike(RandomPrograms::Keys keys) {
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
inline std::size_t random_functionality(RandomPrograms& random, const Program& program) {
  const std::size_t one = random.below(program.functionalities.size());
  const std::size_t other = random.below(program.functionalities.size());
  const auto length = [&](std::size_t which) {
    return list_statements(program.functionalities[which]).size();
  };
  return length(one) > length(other) ? one : other;
}

// A row whose last column refers to a row, if that is there.
inline std::string with_reference(const Table& table, const std::string& values) {
  const std::size_t comma = values.rfind(',');
  return fmt::format("INSERT INTO {0} SELECT {1}, id FROM {2} ORDER BY abs(id - {3}) LIMIT 1;\n",
                     table.name, values.substr(0, comma), table.foreign_keys[0].referenced_table,
                     values.substr(comma + 2));
}

// What fills the tables.
inline std::string filler(const Schema& schema) {
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
inline std::string filling(RandomPrograms& random) {
  return fmt::format("session filled first call {{ fill({}, {}) }}\n", random.below(4),
                     random.below(4));
}

inline Case random_case(RandomPrograms& random, const Kind& kind, const Program& program,
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
inline bool has_error(const Finding& finding) {
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

inline std::string without(std::string text, const std::vector<std::string>& forgotten) {
  for (const std::string& one : forgotten) {
    for (std::size_t at = 0; (at = text.find(one, at)) != std::string::npos;) {
      text.erase(at, one.size());
    }
  }
  return text;
}

// Where that which `opens` at that place ends; it may have brackets within.
inline std::size_t end_of_brackets(const std::string& text, std::size_t opens) {
  std::size_t depth = 0;
  for (std::size_t at = opens; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return text.size();
}

// As if what a query within a statement gives were always the same.
inline std::string with_constants_for_queries(std::string text) {
  for (std::size_t at = 0; (at = text.find("(SELECT ", at)) != std::string::npos;) {
    text.replace(at, end_of_brackets(text, at) - at, "1");
  }
  return text;
}

// As if a statement within another one only looked at rows.
inline std::string with_reads_for_inner_writes(std::string text) {
  static constexpr std::string_view kBegin = "WITH done AS (";
  for (std::size_t at = 0; (at = text.find(kBegin, at)) != std::string::npos; at += 1) {
    const std::size_t opens = at + kBegin.size() - 1;
    text.replace(opens, end_of_brackets(text, opens) - opens, "(SELECT id, x FROM t0)");
  }
  return text;
}

// What random_case() makes for programs that check.
inline Constraints all_are_one(const Schema& schema) {
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

inline Constraints all_are_empty(const Schema& schema) {
  std::string facts;
  for (const Table& table : schema.tables) {
    facts += fmt::format("initially \"{0}\" {{ SELECT id <> id FROM {0} }}\n", table.name);
  }
  Result<Constraints> constraints = parse_constraints(facts, "facts");
  EXPECT_TRUE(constraints) << (constraints ? "" : to_string(constraints.error()));
  return constraints ? *std::move(constraints) : Constraints{};
}

inline Constraints all_require(const Program& program, const std::string& condition) {
  std::string text;
  for (const Functionality& each : program.functionalities) {
    text += fmt::format("requires {} {{ {} }}\n", each.name, condition);
  }
  Result<Constraints> constraints = parse_constraints(text, "requirements");
  EXPECT_TRUE(constraints) << (constraints ? "" : to_string(constraints.error()));
  return constraints ? *std::move(constraints) : Constraints{};
}

// Whether the functionality has a DELETE of that table.
inline bool deletes(const Program& program, std::size_t functionality, const std::string& table) {
  return std::ranges::any_of(
      list_statements(program.functionalities[functionality]), [&](const ListedStatement& listed) {
        return listed.statement->statement.text.starts_with("DELETE FROM " + table + " ");
      });
}

inline bool both_delete(const Program& program, const Case& of, const std::string& table) {
  return deletes(program, of.first, table) && deletes(program, of.second, table);
}

inline void compare(std::uint64_t seed, const Kind& kind, IsolationLevel level,
                    const std::string& server, Tally& tally) {
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
      // The order of two deletions of a row is no dependency of the search. A run may be named
      // after it where what goes with the row shows the same.
      const auto is_of_found = [&](const std::string& row) {
        const std::string table = row.substr(0, row.find('('));
        return tables.contains(table) ||
               (kind.keys == RandomPrograms::Keys::cascade && both_delete(*program, chosen, table));
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

inline Tally compare_all(const Kind& kind) {
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

inline bool has_one_seed() { return std::getenv("HEDDLE_TEST_SEED") != nullptr; }

}  // namespace heddle::coverage
