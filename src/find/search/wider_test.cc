// Small programs are searched further than others.
#include "find/search/wider.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/find_testing.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Two users write one row each; two readers see one of both writes, each another one.
struct Fork {
  const char* style;
  Program broken;
  Program safe;  // who reads both rows does so in one statement
};

constexpr std::string_view kReview =
    "CREATE TABLE review (id int PRIMARY KEY, stars int NOT NULL);\n";

Program of_routines(const std::string& compare, const std::string& match) {
  return parse(
      std::string(kReview) +
      routine("rate_first(v int)", "BEGIN\nUPDATE review SET stars = v WHERE id = 1;\nEND") +
      routine("rate_second(v int)", "BEGIN\nUPDATE review SET stars = v WHERE id = 2;\nEND") +
      routine("compare()", "DECLARE a int; b int;\nBEGIN\n" + compare + "END") +
      routine("match()", "DECLARE a int; b int;\nBEGIN\n" + match + "END"));
}

Fork plpgsql_fork() {
  const std::string first = "SELECT stars INTO a FROM review WHERE id = 1;\n";
  const std::string second = "SELECT stars INTO b FROM review WHERE id = 2;\n";
  const std::string both = "SELECT sum(stars) INTO a FROM review WHERE id IN (1, 2);\n";
  return {"PL/pgSQL", of_routines(first + second, second + first), of_routines(both, both)};
}

// Sensors and dials in tables of their own, and other names of everything.
Fork sql_fork() {
  const auto of = [](const std::string& reads, const std::string& other) {
    return parse(
        "CREATE TABLE inner_sensor (spot int PRIMARY KEY, heat int NOT NULL);\n"
        "CREATE TABLE outer_sensor (spot int PRIMARY KEY, heat int NOT NULL);\n"
        "CREATE FUNCTION warm_inside(s int, h int) RETURNS void LANGUAGE sql AS $$\n"
        "UPDATE inner_sensor SET heat = h WHERE spot = s;\n$$;\n"
        "CREATE FUNCTION warm_outside(s int, h int) RETURNS void LANGUAGE sql AS $$\n"
        "UPDATE outer_sensor SET heat = h WHERE spot = s;\n$$;\n"
        "CREATE FUNCTION show_dial(s int) RETURNS bigint LANGUAGE sql AS $$\n" +
        reads +
        "$$;\n"
        "CREATE FUNCTION show_log(s int) RETURNS bigint LANGUAGE sql AS $$\n" +
        other + "$$;\n");
  };
  const std::string in = "SELECT heat FROM inner_sensor WHERE spot = s;\n";
  const std::string out = "SELECT heat FROM outer_sensor WHERE spot = s;\n";
  return {"SQL", of(in + out, out + in), of(in, out)};
}

Fork jdbc_fork() {
  const auto of = [](const std::string& compare, const std::string& match) {
    const auto method = [](const std::string& head, const std::string& body) {
      return "  public void " + head + " throws SQLException {\n" + body + "  }\n";
    };
    const auto rate = [](const std::string& id) {
      return "    PreparedStatement p = c.prepareStatement(\n"
             "        \"UPDATE review SET stars = ? WHERE id = " +
             id + "\");\n    p.setInt(1, stars);\n    p.executeUpdate();\n";
    };
    Program program = parse(std::string(kReview));
    const std::string text =
        "import java.sql.*;\npublic class Reviews {\n"
        "  private final Connection c;\n"
        "  public Reviews(Connection c) { this.c = c; }\n" +
        method("rateFirst(int stars)", rate("1")) + method("rateSecond(int stars)", rate("2")) +
        method("compare()", compare) + method("match()", match) + "}\n";
    EXPECT_TRUE(read_java_program({{"Reviews.java", text}}, {}, program));
    return program;
  };
  const auto read = [](const std::string& name, const std::string& query) {
    return "    ResultSet " + name + " = c.prepareStatement(\"" + query +
           "\").executeQuery();\n    " + name + ".next();\n    System.out.println(" + name +
           ".getInt(1));\n";
  };
  const std::string first = read("a", "SELECT stars FROM review WHERE id = 1");
  const std::string second = read("b", "SELECT stars FROM review WHERE id = 2");
  const std::string both = read("a", "SELECT sum(stars) FROM review WHERE id IN (1, 2)");
  return {"JDBC", of(first + second, second + first), of(both, both)};
}

FindOptions widened(std::string_view level) {
  FindOptions options;
  options.level = find_isolation_level(level);
  EXPECT_TRUE(options.level) << level;
  options.widens = true;
  return options;
}

TEST(Wider, a_long_fork_is_found_in_a_small_program) {
  std::size_t styles = 0;
  for (const Fork& fork : {plpgsql_fork(), sql_fork(), jdbc_fork()}) {
    SCOPED_TRACE(fork.style);
    ++styles;
    EXPECT_THAT(fork.broken.functionalities, SizeIs(4));
    for (const std::string_view level : {"read-committed", "causal", "postgres:read-committed"}) {
      SCOPED_TRACE(level);
      FindOptions options = widened(level);
      const Result<FindReport> report = find_anomalies(fork.broken, options);
      ASSERT_TRUE(report);
      // Two readers of one kind, or one of each.
      ASSERT_THAT(report->causes, SizeIs(3));
      for (const FoundCause& cause : report->causes) {
        EXPECT_EQ(cause.cores.front().edges.size(), 4U);
        EXPECT_EQ(cause.cores.front().nodes.size(), 6U);
      }
      EXPECT_EQ(report->all_within, (FindBounds{.length = 4, .instances = 3}));
      EXPECT_EQ(report->max_length, 6U);
      EXPECT_EQ(report->max_instances, 4U);
      options.widens = false;
      EXPECT_THAT(causes(fork.broken, options), IsEmpty());
    }
    for (const std::string_view level : {"snapshot", "serializable"}) {
      EXPECT_THAT(causes(fork.broken, widened(level)), IsEmpty()) << level;
    }
    for (const std::string_view level : {"postgres:read-committed", "snapshot"}) {
      EXPECT_THAT(causes(fork.safe, widened(level)), IsEmpty()) << level;
    }
  }
  EXPECT_EQ(styles, 3U);
}

// Which two rows are read, and which one is written, is for who calls to say: of one and the same
// row something smaller is wrong with these statements, and of different ones a long fork.
TEST(Wider, a_long_fork_is_found_beside_what_needs_equal_arguments) {
  const Program program =
      parse(std::string(kReview) +
            routine("rate(r int, v int)", "BEGIN\nUPDATE review SET stars = v WHERE id = r;\nEND") +
            routine("compare(one int, other int)",
                    "DECLARE a int; b int;\nBEGIN\n"
                    "SELECT stars INTO a FROM review WHERE id = one;\n"
                    "SELECT stars INTO b FROM review WHERE id = other;\nEND"));
  for (const std::string_view level : {"eventual", "causal", "postgres:read-committed"}) {
    SCOPED_TRACE(level);
    const Result<FindReport> report = find_anomalies(program, widened(level));
    ASSERT_TRUE(report);
    const std::vector<FoundCause>& found = report->causes;
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_TRUE(found[0].needs_equal_arguments());
    EXPECT_FALSE(found[1].needs_equal_arguments());
    EXPECT_THAT(found[1].cores.front().edges, SizeIs(4));
  }
  EXPECT_THAT(causes(program, widened("snapshot")), IsEmpty());
}

TEST(Wider, is_no_more_than_usual_for_a_large_program) {
  const FindOptions options = widened("read-committed");
  const std::string fork =
      "SELECT stars INTO a FROM review WHERE id = 1;\n"
      "SELECT stars INTO b FROM review WHERE id = 2;\n";
  Program program = of_routines(fork, fork);
  const Functionality more = program.functionalities.back();
  for (const char* const name : {"a", "b", "c", "d"}) {
    program.functionalities.push_back(more);
    program.functionalities.back().name = name;
  }
  const Result<FindReport> report = find_anomalies(program, options);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->all_within);
  EXPECT_EQ(report->max_length, 4U);
  EXPECT_EQ(report->max_instances, 3U);
}

// What goes through all statements of something smaller is not looked for.
TEST(Wider, says_nothing_new_where_something_smaller_is_wrong) {
  const Program program = parse(kWithdraw);
  FindOptions options = widened("read-committed");
  const Found wide = cycles_of(program, options);
  options.widens = false;
  const Found usual = cycles_of(program, options);
  EXPECT_THAT(usual.cycles, testing::Not(IsEmpty()));
  EXPECT_EQ(wide.named, usual.named);
}

std::vector<FoundCycle> all_cycles(const Program& program, const FindOptions& options) {
  std::vector<FoundCycle> all;
  const Result<FindReport> report = find_anomalies(program, options);
  EXPECT_TRUE(report);
  if (!report) return all;
  EXPECT_EQ(report->bound, "");
  for (const FoundCause& cause : report->causes) {
    for (const auto* cycles : {&cause.cores, &cause.extensions}) {
      all.insert(all.end(), cycles->begin(), cycles->end());
    }
  }
  return all;
}

std::set<std::string> texts_of(const std::vector<FoundCycle>& cycles, const Program& program) {
  std::set<std::string> texts;
  for (const FoundCycle& cycle : cycles) texts.insert(shown(cycle, program));
  return texts;
}

using Place = std::pair<std::size_t, std::size_t>;

std::set<Place> statements_in(const FoundCycle& cycle) {
  std::set<Place> places;
  for (const FoundNode& node : cycle.nodes) places.emplace(node.functionality, node.statement);
  return places;
}

struct Compared {
  std::set<std::string> expected;
  std::set<std::string> usual;
  std::set<std::string> found;
};

Compared compare_searches(const Program& program, FindOptions options) {
  Compared result;
  options.max_length = 4;
  options.max_instances = 2;
  const std::vector<FoundCycle> usual = all_cycles(program, options);
  options.widens = true;
  result.found = texts_of(all_cycles(program, options), program);
  options.widens = false;
  options.max_length = 6;
  options.max_instances = 4;
  std::vector<FoundCycle> every = all_cycles(program, options);
  std::erase_if(every, [&](const FoundCycle& cycle) {
    const bool is_larger = cycle.nodes.size() > 4 || cycle.edges.size() > 2;
    const std::set<Place> outer = statements_in(cycle);
    return is_larger && std::ranges::any_of(usual, [&](const FoundCycle& inner) {
             return std::ranges::includes(outer, statements_in(inner));
           });
  });
  result.expected = texts_of(every, program);
  result.usual = texts_of(usual, program);
  return result;
}

// A few reads and writes of two rows each, in a random order.
std::string random_text(std::mt19937_64& random) {
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  std::string text(kAccount);
  for (std::size_t f = 0; f < 3; ++f) {
    std::string body;
    for (std::size_t i = 0; i < 1 + below(2); ++i) {
      const std::size_t row = 1 + below(2);
      body += below(2) == 0
                  ? fmt::format("UPDATE account SET balance = v WHERE id = {};\n", row)
                  : fmt::format("SELECT balance INTO b FROM account WHERE id = {};\n", row);
    }
    text += routine(fmt::format("f{}(v int)", f), "DECLARE b int;\nBEGIN\n" + body + "END");
  }
  return text;
}

// The slow way is to find everything and to leave out what has something smaller in it.
TEST(Wider, finds_what_is_left_of_an_exhaustive_search) {
  constexpr std::array kTried = {IsolationLevel::causal, IsolationLevel::read_committed,
                                 IsolationLevel::snapshot, IsolationLevel::postgres_read_committed};
  std::size_t wider = 0;
  std::size_t missed = 0;  // by a search that is not widened: the comparison notices
  for (std::uint64_t seed = 0; seed < test_rounds(8); ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = random_text(random);
    const Program program = parse(text);
    FindOptions options;
    options.level = kTried[seed % kTried.size()];
    options.jobs = 1;
    const Compared compared = compare_searches(program, options);
    EXPECT_EQ(compared.found, compared.expected) << seed << "\n" << text;
    wider += compared.found.size() - compared.usual.size();
    missed += compared.usual == compared.expected ? 0 : 1;
  }
  EXPECT_GT(wider, 0U);
  EXPECT_GT(missed, 0U);
}

}  // namespace
}  // namespace heddle::find
