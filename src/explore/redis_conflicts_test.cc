// With and without reduction the same outcomes must be found on Redis.
#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "explore/conflicts.h"
#include "explore/search.h"
#include "replay/replay_testing.h"
#include "store/open/open.h"

namespace heddle {
namespace {

StoreServer& redis() {
  static const std::shared_ptr<StoreServer> server = must(open_server({"redis"}));
  return *server;
}

// Two or three sessions of up to five short steps on a few keys. One session may wait for another,
// which then pushes at its end.
class RedisScenarios {
 public:
  explicit RedisScenarios(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string text = "setup { MSET a 1 b 2 c 3 }\n";
    const int sessions = below(3) == 0 ? 3 : 2;
    for (int session = 1; session <= sessions; ++session) {
      text += fmt::format("session s{}\n", session);
      int number = 0;
      const auto add = [&](const std::string& command) {
        text += fmt::format("step t{}{} {{ {} }}\n", session, ++number, command);
      };
      const bool watches = session == 1 && below(2) == 0;  // who is aborted pushes nothing
      const bool transaction = watches || (sessions == 2 && below(3) == 0);
      const bool waits = session == 1 && below(3) == 0;
      if (watches) add("WATCH " + key());
      if (transaction) add("MULTI");
      for (int step = 0; step < (sessions == 3 ? 1 : 2); ++step) add(command(session, transaction));
      if (transaction) add(below(5) == 0 ? "DISCARD" : "EXEC");
      if (waits) add("BLPOP l 0");
      if (session == 2) add("RPUSH l x");
    }
    return text;
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  std::string key() { return std::string(1, static_cast<char>('a' + below(3))); }

  std::string command(int session, bool transaction) {
    switch (below(8)) {
      case 0:
        return fmt::format("MGET {} {}", key(), key());
      case 1:
        return fmt::format("SET {} {}", key(), session);
      case 2:
        return fmt::format("APPEND {} {}", key(), session);
      case 3:
        return fmt::format("SET {} {} NX", key(), session);
      case 4:
        return fmt::format("DEL {}", key());
      case 5:
        return "DBSIZE";
      case 6:
        return transaction ? "GET " + key() : "GET b \\gset\nAPPEND a :value";
      default:
        return "GET " + key();
    }
  }

  std::mt19937_64 random_;
};

std::string redis_outcome_text(const Scenario& scenario, const Run& run) {
  std::vector<std::string> parts;
  for (const StepRecord& record : run.records)
    parts.push_back(scenario.steps[record.step.index()].name + " " +
                    (record.skipped ? "skipped" : replies_text(record.replies)));
  std::ranges::sort(parts);
  parts.push_back(rows_text(run.tables.at(0).rows));
  return join(parts, "\n");
}

struct RedisOutcomes {
  std::set<std::string> texts;
  std::size_t runs = 0;
};

RedisOutcomes redis_outcomes_of(const Scenario& scenario, bool reduce) {
  std::vector<std::unique_ptr<Runner>> runners;
  runners.push_back(must(Runner::create(scenario, redis(), {std::nullopt, 30'000})));
  const StepConflicts conflicts(scenario, runners.front()->catalogue(),
                                runners.front()->statements(), {Dialect::redis}, std::nullopt);
  SearchOptions options;
  if (reduce) options.conflicts = &conflicts;
  const SearchResult found =
      must(search_interleavings(scenario, runners, {scripts_of(scenario)}, {}, options));
  RedisOutcomes outcomes;
  outcomes.runs = found.interleavings;
  for (const OutcomeClass& outcome : found.classes) {
    outcomes.texts.insert(redis_outcome_text(scenario, outcome.smallest));
  }
  return outcomes;
}

TEST(RedisConflicts, the_same_outcomes_with_fewer_runs) {
  std::size_t all_runs = 0;
  std::size_t reduced_runs = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(100); ++seed) {
    const Scenario scenario = scenario_of(RedisScenarios(seed).text());
    const RedisOutcomes all = redis_outcomes_of(scenario, false);
    const RedisOutcomes reduced = redis_outcomes_of(scenario, true);
    EXPECT_EQ(all.texts, reduced.texts) << seed << "\n" << to_spec(scenario);
    EXPECT_LE(reduced.runs, all.runs);
    all_runs += all.runs;
    reduced_runs += reduced.runs;
  }
  EXPECT_LT(2 * reduced_runs, all_runs);
}

// "a b": the steps of two sessions that are in conflict.
std::string redis_conflicts_text(const std::string& sessions) {
  const Scenario scenario = scenario_of(sessions);
  const auto runner = must(Runner::create(scenario, redis(), {std::nullopt, 30'000}));
  const StepConflicts conflicts(scenario, runner->catalogue(), runner->statements(),
                                {Dialect::redis}, IsolationLevel::serializable);
  EXPECT_EQ(conflicts.reason(), "");
  std::vector<std::string> pairs;
  for (const StepId a : scenario.sessions[0].steps) {
    for (const StepId b : scenario.sessions[1].steps) {
      if (!conflicts.in_conflict(a, b)) continue;
      pairs.push_back(scenario.steps[a.index()].name + " " + scenario.steps[b.index()].name);
    }
  }
  return join(pairs, ", ");
}

TEST(RedisConflicts, keys_tell_commands_apart) {
  EXPECT_EQ(redis_conflicts_text(R"(
session s1
step set_a { SET a 1 }
step get_b { GET b }
step both { MSET a 1 b 1 }
session s2
step get_a { GET a }
step set_b { SET b 1 }
step count { DBSIZE }
)"),
            "set_a get_a, set_a count, get_b set_b, both get_a, both set_b, both count");
}

TEST(RedisConflicts, a_transaction_conflicts_at_exec) {
  EXPECT_EQ(redis_conflicts_text(R"(
session s1
step watch { WATCH view:w }
step multi { MULTI }
step get { GET trigger:r }
step set { SET a 1 }
step exec { EXEC }
session s2
step w { SET view:w 1 }
step r { SET trigger:r 1 }
step a { GET a }
step b { SET b 1 }
)"),
            "watch w, exec w, exec r, exec a");
}

TEST(RedisConflicts, what_is_not_known_conflicts_with_everything) {
  EXPECT_EQ(
      redis_conflicts_text("session s1\nstep a { EVAL \"return 1\" 0 }\nstep b { CONFIG GET x }\n"
                           "session s2\nstep c { PING }\n"),
      "a c");
}

}  // namespace
}  // namespace heddle
