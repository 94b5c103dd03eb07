// Two searches that share what statements mean and nothing else find the same cycles.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/find_testing.h"
#include "find/search/random_program_testing.h"
#include "heddle/constraints.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

constexpr std::array kLevels = {
    IsolationLevel::eventual,
    IsolationLevel::causal_visibility,
    IsolationLevel::causal,
    IsolationLevel::read_uncommitted,
    IsolationLevel::read_committed,
    IsolationLevel::repeatable_read_axiom,
    IsolationLevel::repeatable_read,
    IsolationLevel::snapshot,
    IsolationLevel::serializable,
    IsolationLevel::read_atomic,
    IsolationLevel::transactional_causal,
};

struct Tally {
  std::size_t compared = 0;
  std::size_t cycles = 0;
  std::size_t unknown = 0;
};

std::string with_other_key(std::string text) {
  const std::string_view primary = "ON CONFLICT (id)";
  for (std::size_t at = 0; (at = text.find(primary, at)) != std::string::npos;) {
    text.replace(at, primary.size(), "ON CONFLICT (x)");
  }
  return text;
}

// What both find in the text, at some level. A statement that runs several times may close a cycle
// in several ways, which have names of their own: then the cycles alone are compared.
void compare(std::uint64_t seed, const std::string& text, RandomPrograms& programs,
             std::size_t instances, Tally& tally,
             std::set<std::string> Found::* what = &Found::named) {
  const Program program = parse(text);
  FindOptions options;
  options.level = kLevels[programs.below(kLevels.size())];
  options.max_instances = instances;
  options.max_length = instances == 2 ? 3 + programs.below(2) : 4;
  options.jobs = 1;
  options.internal_only = seed % 8 == 5;
  const Found fast = cycles_of(program, options);
  options.engine = FindEngine::reference;
  const Found reference = cycles_of(program, options);
  if (!fast.undecided.empty() || !reference.bound.empty()) {
    ++tally.unknown;
    return;
  }
  ++tally.compared;
  tally.cycles += fast.cycles.size();
  EXPECT_EQ(difference(fast.*what, reference.*what), "")
      << "at " << definition(*options.level).name << ", length " << *options.max_length << ", "
      << instances << " transactions, HEDDLE_TEST_SEED=" << seed << "\n"
      << text;
}

// Of a program with at most so many procedures.
void compare(std::uint64_t seed, std::size_t instances, std::size_t procedures, Tally& tally) {
  // Every third one has procedures of several transactions.
  const auto borders =
      seed % 3 == 2 ? RandomPrograms::Borders::some : RandomPrograms::Borders::none;
  RandomPrograms programs(seed, RandomPrograms::Contention::some, borders);
  const std::string met = programs.next(procedures);
  // In every second one the row in the way of an INSERT has another primary key.
  compare(seed, seed % 2 == 0 ? met : with_other_key(met), programs, instances, tally);
}

// The rounds, or the one of HEDDLE_TEST_SEED.
Tally compare_all(std::size_t rounds, std::size_t instances, std::size_t procedures) {
  Tally tally;
  if (const char* const only = std::getenv("HEDDLE_TEST_SEED")) {
    compare(std::strtoull(only, nullptr, 10), instances, procedures, tally);
    return tally;
  }
  for (std::uint64_t seed = 0; seed < rounds; ++seed) compare(seed, instances, procedures, tally);
  fmt::print("{} programs with {} cycles of up to {} transactions, {} undecided\n", tally.compared,
             tally.cycles, instances, tally.unknown);
  EXPECT_GT(tally.cycles, rounds);
  EXPECT_LE(tally.unknown, rounds / 10);
  return tally;
}

TEST(Engines, find_the_same_cycles_in_random_programs) { compare_all(test_rounds(40), 2, 3); }

TEST(Engines, find_the_same_cycles_of_three_transactions) { compare_all(test_rounds(6), 3, 2); }

// Statements of which nobody knows what they do.
std::string with_unknown(std::string text, std::uint64_t seed) {
  const std::string_view end = "END $$";
  std::size_t number = seed;
  for (std::size_t at = 0; (at = text.find(end, at)) != std::string::npos;) {
    const std::string more = number++ % 2 == 0 ? "  PERFORM book(a);\n" : "";
    text.insert(at, more);
    at += more.size() + end.size();
  }
  return text;
}

TEST(Engines, find_the_same_cycles_through_what_is_not_known) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < test_rounds(24); ++seed) {
    RandomPrograms programs(seed, RandomPrograms::Contention::some);
    compare(seed, with_unknown(programs.next(2), seed), programs, 2, tally, &Found::cycles);
  }
  fmt::print("{} programs with {} cycles, {} undecided\n", tally.compared, tally.cycles,
             tally.unknown);
  EXPECT_GT(tally.cycles, 100U);
}

// Of programs with such keys and errors. Who gives rows other keys also reads the table for those
// that have them, and may close a cycle in several ways.
void compare_all(RandomPrograms::Keys keys, RandomPrograms::Errors errors) {
  Tally tally;
  const bool changes_keys =
      keys == RandomPrograms::Keys::two || keys == RandomPrograms::Keys::changed;
  const char* const only = std::getenv("HEDDLE_TEST_SEED");
  const std::uint64_t first = only == nullptr ? 0 : std::strtoull(only, nullptr, 10);
  const std::uint64_t rounds = only == nullptr ? test_rounds(24) : 1;
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const auto contention =
        seed % 2 == 0 ? RandomPrograms::Contention::some : RandomPrograms::Contention::much;
    RandomPrograms programs(seed, contention, RandomPrograms::Borders::none, keys, errors);
    compare(seed, programs.next(2), programs, 2, tally,
            changes_keys ? &Found::cycles : &Found::named);
  }
  fmt::print("{} programs with {} cycles, {} undecided\n", tally.compared, tally.cycles,
             tally.unknown);
  EXPECT_TRUE(only != nullptr || tally.cycles > rounds);
  EXPECT_LE(tally.unknown, rounds / 8);
}

// An INSERT that does nothing where a row is in its way, by the primary key or by another one.
TEST(Engines, find_the_same_cycles_where_rows_have_two_keys) {
  compare_all(RandomPrograms::Keys::two, RandomPrograms::Errors::none);
}

TEST(Engines, find_the_same_cycles_where_rows_get_other_keys) {
  compare_all(RandomPrograms::Keys::changed, RandomPrograms::Errors::none);
}

TEST(Engines, find_the_same_cycles_where_rows_go_with_others) {
  compare_all(RandomPrograms::Keys::cascade, RandomPrograms::Errors::none);
}

TEST(Engines, find_the_same_cycles_where_rows_refer_to_others) {
  compare_all(RandomPrograms::Keys::foreign, RandomPrograms::Errors::none);
}

TEST(Engines, find_the_same_cycles_where_procedures_raise_errors) {
  compare_all(RandomPrograms::Keys::primary, RandomPrograms::Errors::many);
}

// That level for the second transaction of each functionality, the fourth, and so on.
std::vector<std::vector<std::optional<IsolationLevel>>> at_every_other(const Program& program,
                                                                       IsolationLevel level) {
  std::vector<std::vector<std::optional<IsolationLevel>>> all;
  for (const Functionality& functionality : program.functionalities) {
    all.emplace_back();
    bool is_other = false;
    for (const ListedStatement& listed : list_statements(functionality)) {
      const bool ends = listed.statement->statement.kind == StatementKind::commit;
      is_other = is_other != ends;
      all.back().push_back(is_other ? std::optional(level) : std::nullopt);
    }
  }
  return all;
}

// Each with a level of its transactions and one across them.
TEST(Engines, find_the_same_cycles_with_a_guarantee_across_transactions) {
  Tally tally;
  std::size_t removed = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(16); ++seed) {
    RandomPrograms programs(seed, RandomPrograms::Contention::much, RandomPrograms::Borders::many);
    const std::string text = programs.next(2);
    const Program program = parse(text);
    FindOptions options;
    options.level = kLevels[programs.below(kLevels.size())];
    options.max_instances = 2;
    options.max_length = 4;
    options.jobs = 1;
    const Found without = cycles_of(program, options);
    options.across = kLevels[programs.below(kLevels.size())];
    const Found fast = cycles_of(program, options);
    options.engine = FindEngine::reference;
    const Found reference = cycles_of(program, options);
    if (!fast.undecided.empty() || !reference.bound.empty()) {
      ++tally.unknown;
      continue;
    }
    tally.cycles += fast.cycles.size();
    removed += without.cycles.size() - fast.cycles.size();
    EXPECT_EQ(difference(fast.named, reference.named), "")
        << definition(*options.level).name << ", across " << definition(*options.across).name
        << ", seed " << seed << "\n"
        << text;
  }
  fmt::print("{} cycles, {} removed by guarantees, {} programs undecided\n", tally.cycles, removed,
             tally.unknown);
  EXPECT_GT(tally.cycles, 0U);
  EXPECT_GT(removed, 0U);
  EXPECT_LE(tally.unknown, 1U);
}

// Each of two levels for every other transaction of a functionality, and one across them.
TEST(Engines, find_the_same_cycles_of_transactions_at_several_levels) {
  std::size_t cycles = 0;
  std::size_t differ = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(12); ++seed) {
    RandomPrograms programs(seed, RandomPrograms::Contention::much, RandomPrograms::Borders::many);
    const std::string text = programs.next(2);
    const Program program = parse(text);
    FindOptions options;
    options.level = kLevels[programs.below(kLevels.size())];
    const IsolationLevel other = kLevels[programs.below(kLevels.size())];
    if (seed % 2 == 1) options.across = kLevels[programs.below(kLevels.size())];
    options.max_instances = 2;
    options.max_length = 4;
    options.jobs = 1;
    const Found same = cycles_of(program, options);
    options.levels_of_statements = at_every_other(program, other);
    const Found fast = cycles_of(program, options);
    options.engine = FindEngine::reference;
    const Found reference = cycles_of(program, options);
    cycles += fast.cycles.size();
    differ += difference(same.cycles, fast.cycles).empty() ? 0 : 1;
    EXPECT_EQ(difference(fast.named, reference.named), "")
        << definition(*options.level).name << " and " << definition(other).name << ", seed " << seed
        << "\n"
        << text;
  }
  fmt::print("{} cycles, {} programs that the second level changes\n", cycles, differ);
  EXPECT_GT(cycles, 0U);
  EXPECT_GT(differ, 0U);
}

// Rows that are deleted and put back, in functionalities of several transactions, at levels that
// let a session miss what it did itself.
TEST(Engines, find_the_same_cycles_where_rows_are_put_back) {
  constexpr std::array kMissing = {
      IsolationLevel::eventual,       IsolationLevel::read_uncommitted,
      IsolationLevel::read_committed, IsolationLevel::repeatable_read_axiom,
      IsolationLevel::snapshot,
  };
  std::size_t cycles = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(24); ++seed) {
    RandomPrograms programs(seed, RandomPrograms::Contention::much, RandomPrograms::Borders::many,
                            RandomPrograms::Keys::again);
    const std::string text = programs.next(2);
    const Program program = parse(text);
    FindOptions options;
    options.level = kMissing[seed % kMissing.size()];
    if (seed % 3 == 2) options.across = kLevels[programs.below(kLevels.size())];
    options.max_instances = 2;
    options.max_length = 3;
    options.jobs = 1;
    const Found fast = cycles_of(program, options);
    options.engine = FindEngine::reference;
    const Found reference = cycles_of(program, options);
    cycles += fast.cycles.size();
    EXPECT_EQ(difference(fast.named, reference.named), "")
        << definition(*options.level).name << ", across "
        << (options.across ? definition(*options.across).name : "nothing") << ", seed " << seed
        << "\n"
        << text;
  }
  EXPECT_GT(cycles, 0U);
}

// What levels promise, said by a user.
struct SaidLevel {
  IsolationLevel level;
  std::string_view axioms;
};

constexpr std::array kSaid = {
    SaidLevel{IsolationLevel::causal_visibility,
              "axiom transitive { vis(a,b) and vis(b,c) imply vis(a,c) }"},
    SaidLevel{IsolationLevel::causal,
              "axiom transitive { vis(a,b) and vis(b,c) imply vis(a,c) }\n"
              "axiom session { so(a,b) implies vis(a,b) }"},
    SaidLevel{IsolationLevel::repeatable_read_axiom,
              "axiom again { ST(a,b) and vis(c,a) and not so(c,a) and not so(a,c) and write(c) "
              "and not ST(c,a) implies vis(c,b) }"},
};

Constraints read_constraints(std::string_view text) {
  Result<Constraints> read = parse_constraints(text, "axioms");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  return read ? *std::move(read) : Constraints{};
}

TEST(Engines, agree_with_levels_that_are_said_as_axioms) {
  Tally tally;
  std::size_t removed = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(12); ++seed) {
    RandomPrograms programs(seed);
    const std::string text = programs.next(2);
    const Program program = parse(text);
    for (const SaidLevel& said : kSaid) {
      FindOptions options;
      options.max_instances = 2;
      options.level = said.level;
      const Found by_level = cycles_of(program, options);
      options.level = IsolationLevel::eventual;
      const Found weakest = cycles_of(program, options);
      options.constraints = read_constraints(said.axioms);
      const Found fast = cycles_of(program, options);
      options.engine = FindEngine::reference;
      const Found reference = cycles_of(program, options);
      const std::string context = fmt::format("{}, seed {}\n{}", said.axioms, seed, text);
      EXPECT_EQ(difference(fast.cycles, by_level.cycles), "") << context;
      EXPECT_EQ(difference(fast.named, reference.named), "") << context;
      tally.cycles += by_level.cycles.size();
      removed += weakest.cycles.size() - by_level.cycles.size();
    }
  }
  fmt::print("{} cycles, {} removed by axioms\n", tally.cycles, removed);
  EXPECT_GT(tally.cycles, 0U);
  EXPECT_GT(removed, 0U);
}

// The statements of the cycles, whatever tables they meet on.
std::set<std::string> without_tables(const std::set<std::string>& cycles) {
  std::set<std::string> all;
  for (std::string cycle : cycles) {
    for (std::size_t at = 0; (at = cycle.find(" on ", at)) != std::string::npos;) {
      cycle.erase(at, std::min(cycle.find(',', at), cycle.size()) - at);
    }
    all.insert(std::move(cycle));
  }
  return all;
}

// Of statements that nobody knows and that meet on one table: what holds of the tables alone is
// known where there are axioms, even one that says nothing.
TEST(Engines, one_table_stands_for_all_that_unknown_statements_may_use) {
  std::size_t cycles = 0;
  std::size_t more = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(12); ++seed) {
    RandomPrograms programs(seed, RandomPrograms::Contention::some);
    const std::string text = with_unknown(programs.next(2), seed);
    const Program program = parse(text);
    FindOptions options;
    options.max_instances = 2;
    options.level = kLevels[programs.below(kLevels.size())];
    const Found one = cycles_of(program, options);
    options.constraints = read_constraints("axiom nothing { vis(a,b) implies vis(a,b) }");
    const Found all = cycles_of(program, options);
    if (!one.undecided.empty() || !all.undecided.empty()) continue;
    EXPECT_EQ(difference(without_tables(one.cycles), without_tables(all.cycles)), "")
        << "seed " << seed << "\n"
        << text;
    cycles += one.cycles.size();
    more += all.cycles.size() - one.cycles.size();
  }
  EXPECT_GT(cycles, 50U);
  EXPECT_GT(more, 20U);
}

// Who sees the second write of a row sees what the first one's transaction wrote elsewhere. It
// takes three transactions and five operations to miss that, more than the random programs are
// given.
TEST(Engines, find_the_same_cycles_around_a_snapshot_that_is_a_prefix) {
  const auto procedure = [](const std::string& name, const std::string& body) {
    return "CREATE PROCEDURE " + name +
           "(a int, b int) LANGUAGE plpgsql AS $$\nDECLARE v int; w int;\nBEGIN\n" + body +
           "END $$;\n";
  };
  const Program program = parse("CREATE TABLE t (id int PRIMARY KEY, x int);\n" +
                                procedure("write_two",
                                          "UPDATE t SET x = 1 WHERE id = a;\n"
                                          "UPDATE t SET x = 2 WHERE id = b;\n") +
                                procedure("write_one", "UPDATE t SET x = 3 WHERE id = a;\n") +
                                procedure("look",
                                          "SELECT x INTO v FROM t WHERE id = a;\n"
                                          "SELECT x INTO w FROM t WHERE id = b;\n"));
  FindOptions options;
  options.jobs = 1;
  options.max_instances = 3;
  options.max_length = 5;
  for (const auto level : {IsolationLevel::read_committed, IsolationLevel::snapshot}) {
    options.level = level;
    options.engine = FindEngine::fast;
    const Found fast = cycles_of(program, options);
    options.engine = FindEngine::reference;
    const Found reference = cycles_of(program, options);
    EXPECT_EQ(difference(fast.named, reference.named), "") << definition(level).name;
    EXPECT_EQ(fast.cycles.empty(), level == IsolationLevel::snapshot);
  }
}

// The canary: one engine searches without an axiom that the other one has. That visibility is
// transitive shows between three transactions only.
TEST(Engines, a_missing_axiom_is_noticed) {
  const std::vector<std::pair<IsolationLevel, IsolationLevel>> without = {
      {IsolationLevel::causal, IsolationLevel::causal_visibility},
      {IsolationLevel::read_uncommitted, IsolationLevel::eventual},
      {IsolationLevel::repeatable_read_axiom, IsolationLevel::eventual},
      {IsolationLevel::repeatable_read, IsolationLevel::read_committed},
  };
  for (const auto& [level, weaker] : without) {
    std::string noticed;
    for (std::uint64_t seed = 0; seed < 40 && noticed.empty(); ++seed) {
      const Program program = parse(RandomPrograms(seed).next(2));
      FindOptions options;
      options.jobs = 1;
      options.max_instances = 2;
      options.max_length = 4;
      options.level = level;
      const Found fast = cycles_of(program, options);
      options.level = weaker;
      options.engine = FindEngine::reference;
      noticed = difference(fast.cycles, cycles_of(program, options).cycles);
    }
    EXPECT_NE(noticed, "") << definition(level).name;
    EXPECT_EQ(noticed.find("only fast"), std::string::npos) << noticed;
  }
}

// The same for what is guaranteed across transactions.
TEST(Engines, a_missing_guarantee_is_noticed) {
  for (const IsolationLevel across :
       {IsolationLevel::causal, IsolationLevel::read_uncommitted, IsolationLevel::read_committed,
        IsolationLevel::repeatable_read_axiom, IsolationLevel::repeatable_read,
        IsolationLevel::snapshot, IsolationLevel::serializable, IsolationLevel::read_atomic,
        IsolationLevel::transactional_causal}) {
    std::string noticed;
    for (std::uint64_t seed = 0; seed < 40 && noticed.empty(); ++seed) {
      const Program program = parse(
          RandomPrograms(seed, RandomPrograms::Contention::much, RandomPrograms::Borders::many)
              .next(2));
      FindOptions options;
      options.jobs = 1;
      options.max_instances = 2;
      options.max_length = 4;
      options.level = IsolationLevel::eventual;
      options.across = across;
      const Found fast = cycles_of(program, options);
      options.across.reset();
      options.engine = FindEngine::reference;
      noticed = difference(fast.cycles, cycles_of(program, options).cycles);
    }
    EXPECT_NE(noticed, "") << definition(across).name;
    EXPECT_EQ(noticed.find("only fast"), std::string::npos) << noticed;
  }
}

// The same for a dependency: what the one engine takes for a write the other one reads.
TEST(Engines, a_missing_dependency_is_noticed) {
  const std::string head =
      "CREATE TABLE t0 (id int PRIMARY KEY, x int);\n"
      "CREATE PROCEDURE f0(a int, b int) LANGUAGE plpgsql AS $$\nDECLARE v int;\nBEGIN\n"
      "  UPDATE t0 SET x = b WHERE id = a;\n";
  FindOptions options;
  options.level = IsolationLevel::eventual;
  const Found fast =
      cycles_of(parse(head + "  UPDATE t0 SET x = 1 WHERE id = b;\nEND $$;\n"), options);
  options.engine = FindEngine::reference;
  const Found reference =
      cycles_of(parse(head + "  SELECT x INTO v FROM t0 WHERE id = b;\nEND $$;\n"), options);
  EXPECT_NE(difference(fast.cycles, reference.cycles).find("only fast"), std::string::npos);
}

TEST(Engines, the_reference_knows_no_products) {
  FindOptions options;
  options.engine = FindEngine::reference;
  options.level = IsolationLevel::postgres_read_committed;
  const auto refused = find_anomalies(parse(RandomPrograms(1).next(1)), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "the reference engine does not know the axiom \"statement-snapshot\" of "
            "postgres:read-committed, the level of f0");
}

TEST(Engines, no_product_and_no_clock_is_a_guarantee_across_transactions) {
  const Program program = parse(RandomPrograms(1).next(1));
  const auto refusal = [&](IsolationLevel across, FindEngine engine = FindEngine::fast) {
    FindOptions options;
    options.level = IsolationLevel::serializable;
    options.across = across;
    options.engine = engine;
    const auto refused = find_anomalies(program, options);
    return refused ? std::string() : refused.error().what;
  };
  EXPECT_EQ(refusal(IsolationLevel::postgres_read_committed),
            "postgres:read-committed is no guarantee across transactions: it is told by what a "
            "product does inside of one");
  EXPECT_EQ(refusal(IsolationLevel::strict_serializable),
            "strict-serializable is no guarantee across transactions: it is told by a clock");
  EXPECT_EQ(refusal(IsolationLevel::transactional_causal), "");
  EXPECT_EQ(refusal(IsolationLevel::transactional_causal, FindEngine::reference), "");
  EXPECT_EQ(refusal(IsolationLevel::parallel_snapshot, FindEngine::reference),
            "the reference engine does not know the axiom \"sees-in-parallel\" of "
            "parallel-snapshot, the guarantee across transactions");
}

// An answer that nobody has is no "no".
TEST(Engines, the_reference_says_what_it_left_out) {
  FindOptions options;
  options.engine = FindEngine::reference;
  options.level = IsolationLevel::eventual;
  options.timeout_ms = 0;
  const auto report = find_anomalies(parse(RandomPrograms(1).next(1)), options);
  ASSERT_TRUE(report);
  EXPECT_NE(report->bound.find("not searched to"), std::string::npos);
}

}  // namespace
}  // namespace heddle::find
