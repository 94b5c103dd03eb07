// With and without reduction the same outcomes must be found where sessions call functionalities.
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "explore/conflicts_testing.h"
#include "replay/called_places.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr const char* kCalledTables =
    "setup { CREATE TABLE a (id int PRIMARY KEY, v int); CREATE TABLE b (id int PRIMARY KEY, v "
    "int);\n"
    "        CREATE TABLE c (id int PRIMARY KEY, a int REFERENCES a (id));\n"
    "        INSERT INTO a VALUES (1, 10), (2, 20); INSERT INTO b VALUES (1, 10), (2, 20); }\n"
    "teardown { DROP TABLE c; DROP TABLE b; DROP TABLE a; }\n";

// Two functionalities of a few statements with branches, loops and handlers, one call of each; or
// one call beside a session of its own statements. With several connections each statement runs on
// one of two, whose transactions may end on the way.
class CalledScenarios {
 public:
  explicit CalledScenarios(std::uint64_t seed, bool has_connections = false)
      : random_(seed), has_connections_(has_connections) {}

  std::string text() {
    std::string text = kCalledTables;
    text += "program {\n" + functionality(1) + functionality(2) + "}\n";
    text += fmt::format("session s1 call {{ f1({}) }} steps {}\n", row(), 2 + below(3));
    if (below(3) > 0) {
      return text + fmt::format("session s2 call {{ f2({}) }} steps {}\n", row(), 2 + below(3));
    }
    text += "session s2\nstep b2 { BEGIN; }\n";
    for (int i = 0; i < 2; ++i) {
      text += fmt::format("step t2{} {{ {}; }}\n", i, change(std::to_string(row())));
    }
    return text + "step c2 { COMMIT; }\n";
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  int row() { return 1 + below(2); }
  const char* table() { return below(2) == 0 ? "a" : "b"; }

  std::string change(const std::string& id) {
    switch (below(6)) {
      case 0:
        return fmt::format("DELETE FROM {} WHERE id = {}", table(), id);
      case 1:
        return fmt::format("INSERT INTO {} VALUES ({} + 2, 30)", table(), id);
      case 2:
        return fmt::format("INSERT INTO c VALUES (7, {})", id);
      default:
        return fmt::format("UPDATE {} SET v = v * 2 + {} WHERE id = {}", table(), below(3), id);
    }
  }

  std::string action() {
    if (!has_connections_) return plain_action();
    const std::string comment = below(2) == 0 ? "  -- on connection 2:\n" : "";
    if (below(5) == 0) return comment + "  COMMIT;\n";
    return comment + (below(3) == 0 ? plain_action() : fmt::format("  {};\n", change("p")));
  }

  std::string plain_action() {
    switch (below(7)) {
      case 0:
        return fmt::format("  IF x > 10 THEN\n    {};\n  END IF;\n", change("p"));
      case 1:
        return fmt::format("  FOR r IN SELECT id FROM {} LOOP\n    {};\n  END LOOP;\n", table(),
                           change("r.id"));
      case 2:
        return fmt::format(
            "  BEGIN\n    {};\n  EXCEPTION WHEN unique_violation THEN\n    {};\n  END;\n",
            change("p"), change("p"));
      case 3:
        return "  p := 3 - p;\n";
      default:
        return fmt::format("  {};\n", change("p"));
    }
  }

  std::string functionality(int number) {
    std::string text = fmt::format(
        "CREATE FUNCTION f{}(p integer) RETURNS integer LANGUAGE plpgsql AS $$\n"
        "DECLARE\n  x integer;\n  r record;\nBEGIN\n"
        "  SELECT v INTO x FROM {} WHERE id = p{};\n",
        number, table(), below(3) == 0 ? " FOR UPDATE" : "");
    for (int i = 1 + below(has_connections_ ? 3 : 2); i > 0; --i) text += action();
    return text + "  RETURN x;\nEND\n$$;\n";
  }

  std::mt19937_64 random_;
  bool has_connections_ = false;
};

void compare_with_all_runs(bool has_connections, std::size_t seeds) {
  std::size_t all_runs = 0;
  std::size_t reduced_runs = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(seeds); ++seed) {
    const Scenario scenario = scenario_of(CalledScenarios(seed, has_connections).text());
    const ReducedLevel& level = kReducedLevels[seed % std::size(kReducedLevels)];
    const ReducedOutcomes all = outcomes_of(scenario, level, false);
    const ReducedOutcomes reduced = outcomes_of(scenario, level, true);
    EXPECT_EQ(all.texts, reduced.texts) << seed << " at " << definition(level.level).name << "\n"
                                        << to_spec(scenario);
    EXPECT_LE(reduced.runs, all.runs);
    all_runs += all.runs;
    reduced_runs += reduced.runs;
  }
  EXPECT_LT(reduced_runs, all_runs);
}

TEST(CalledConflicts, the_same_outcomes_with_fewer_runs) { compare_with_all_runs(false, 24); }

TEST(CalledConflicts, the_same_outcomes_with_several_connections) {
  compare_with_all_runs(true, 24);
}

// Two functionalities of which each does one thing, on whichever row.
Scenario two_calls(const std::string& first, const std::string& second,
                   const std::string& steps = "") {
  return scenario_of(fmt::format(
      "{}program {{\nCREATE FUNCTION f1(p integer) RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n"
      "  {};\nEND\n$$;\nCREATE FUNCTION f2(p integer) RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n"
      "  {};\nEND\n$$;\n}}\nsession s1 call {{ f1(1) }}{}\nsession s2 call {{ f2(2) }}{}\n",
      kCalledTables, first, second, steps, steps));
}

TEST(CalledConflicts, rows_and_tables_that_calls_name) {
  const ReducedLevel level = kReducedLevels[0];
  const std::string change = "UPDATE a SET v = v + 1 WHERE id = p";
  const auto runs = [&](const std::string& first, const std::string& second) {
    return outcomes_of(two_calls(first, second), level, true).runs;
  };
  // Of six interleavings of two steps each.
  EXPECT_EQ(runs(change, change), 3U);
  EXPECT_EQ(runs(change, "UPDATE b SET v = 0 WHERE id = p"), 3U);
  // One of both reads what the other one changes, or changes another row than it was given.
  EXPECT_GT(runs(change, "PERFORM sum(v) FROM a"), 3U);
  EXPECT_GT(runs("p := 2;\n  " + change, change), 3U);
}

TEST(CalledConflicts, says_why_nothing_is_left_out) {
  const Scenario scenario =
      two_calls("PERFORM pg_advisory_xact_lock(p)", "UPDATE a SET v = 0 WHERE id = p");
  const ReducedLevel level = kReducedLevels[0];
  const auto runner =
      must(Runner::create(scenario, server_of(level.dialect), {level.level, 30'000}));
  const StepConflicts conflicts(scenario, runner->catalogue(), runner->statements(),
                                {level.dialect}, level.level);
  EXPECT_THAT(conflicts.reason(), HasSubstr("pg_advisory"));
}

// As text: "0-0 1-" for a statement of the first step alone, and one of the second and all later.
std::string places_text(const std::string& body) {
  const Scenario scenario = two_calls(body, "PERFORM 1");
  std::string text;
  for (const CalledPlace& place : called_places(scenario.program->program.functionalities[0])) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", place.earliest,
                        place.latest ? std::to_string(*place.latest) : "");
  }
  return text;
}

TEST(CalledPlaces, count_the_statements_in_front) {
  const std::string change = "UPDATE a SET v = v + 1 WHERE id = p;\n";
  EXPECT_EQ(places_text(change + change + "DELETE FROM b"), "0-0 1-1 2-2");
  EXPECT_EQ(places_text("IF p > 1 THEN " + change + change + "END IF; DELETE FROM b"),
            "0-0 1-1 0-2");
  EXPECT_EQ(places_text("WHILE p > 1 LOOP " + change + "p := p - 1; END LOOP; DELETE FROM b"),
            "0- 0-");
  EXPECT_EQ(places_text("BEGIN " + change + change + "EXCEPTION WHEN others THEN " + change +
                        "END; DELETE FROM b"),
            "0-0 1-1 0-2 0-3");
  EXPECT_EQ(places_text(change + "IF p > 1 THEN RETURN; END IF; DELETE FROM b"), "0-0 1-1");
}

// A canary: with conflicts that know nothing of what the second call reads, an outcome is lost.
TEST(CalledConflicts, the_comparison_notices_a_lost_outcome) {
  const std::string change = "UPDATE a SET v = 7 WHERE id = p";
  const Scenario scenario =
      two_calls(change, "INSERT INTO b SELECT 5, v FROM a WHERE id = 1", " steps 1");
  const Scenario blind = two_calls(change, "INSERT INTO b VALUES (5, p)", " steps 1");
  const ReducedLevel level = kReducedLevels[0];
  const ReducedOutcomes all = outcomes_of(scenario, level, false);
  EXPECT_EQ(all.texts.size(), 2U);
  EXPECT_EQ(outcomes_of(scenario, level, true).texts, all.texts);
  EXPECT_EQ(outcomes_of(scenario, level, true, &blind).texts.size(), 1U);
}

}  // namespace
}  // namespace heddle
