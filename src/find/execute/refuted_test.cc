// What is called refuted is shown by no run: small programs of random statements are run in many
// orders on random rows, and whatever goes wrong must be of a cause that is not refuted. Brute
// force is the oracle; proofs that are broken on purpose are noticed.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/refutation.h"
#include "find/terms/search_input.h"
#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/scenario.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

constexpr IsolationLevel kRefutedLevels[] = {IsolationLevel::postgres_read_committed,
                                             IsolationLevel::postgres_repeatable_read,
                                             IsolationLevel::postgres_serializable};

// Programs whose causes are often none: additions, and what a mark or a kind of a row keeps apart.
class GuardedPrograms {
 public:
  explicit GuardedPrograms(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }

  std::string tables() const {
    std::string text;
    for (const char name : {'x', 'y', 'z'}) {
      text += fmt::format(
          "CREATE TABLE {} (id int PRIMARY KEY, n int NOT NULL, done int NOT NULL, kind text NOT "
          "NULL);\n",
          name);
    }
    return text;
  }

  std::string rows() {
    std::string text;
    for (const char name : {'x', 'y', 'z'}) {
      for (std::size_t id = 1; id <= 2; ++id) {
        if (below(8) == 0) continue;
        text += fmt::format("INSERT INTO {} VALUES ({}, {}, {}, '{}');\n", name, id, below(3),
                            below(2), below(2) == 0 ? "new" : "old");
      }
    }
    return text;
  }

  std::string routine(const std::string& name) {
    std::string body;
    const std::size_t count = 2 + below(2);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0 && below(2) == 0) body += "COMMIT;\n";
      body += statement(true);
    }
    return fmt::format(
        "CREATE PROCEDURE {}(p int, m int) LANGUAGE plpgsql AS $$\nDECLARE v int; k text;\n"
        "BEGIN\n{}END $$;\n",
        name, body);
  }

 private:
  std::string statement(bool may_guard) {
    const char table = "xyz"[below(3)];
    switch (below(may_guard ? 9 : 6)) {
      case 0:
      case 1:
        return fmt::format("UPDATE {} SET n = n + m WHERE id = p;\n", table);
      case 2:
        return fmt::format("UPDATE {} SET n = n - 1 WHERE id = p;\n", table);
      case 3:
        return fmt::format("UPDATE {} SET n = m WHERE id = p;\n", table);
      case 4:
        return fmt::format("SELECT n INTO v FROM {} WHERE id = p;\n", table);
      case 5:
        return fmt::format("UPDATE {} SET done = {} WHERE id = p;\n", table, below(2));
      case 6:
        return fmt::format(
            "SELECT n INTO v FROM {} WHERE id = p;\nUPDATE {} SET n = v + 1 WHERE "
            "id = p;\n",
            table, table);
      case 7:
        return fmt::format(
            "SELECT kind INTO k FROM {} WHERE id = p;\nIF k = '{}' THEN\n{}{}END "
            "IF;\n",
            table, below(2) == 0 ? "new" : "old", statement(false), statement(false));
      default:
        return fmt::format(
            "SELECT done INTO v FROM {} WHERE id = p;\nIF v = 0 THEN\nUPDATE {} SET "
            "done = 1 WHERE id = p;\n{}END IF;\n",
            table, table, statement(false));
    }
  }

  std::mt19937_64 random_;
};

using Members = std::multiset<std::size_t>;  // functionalities
using Tables = std::map<Members, std::set<std::string>>;

Members members_of(const FoundCause& cause) {
  std::map<std::size_t, std::size_t> functionality_of;
  for (const FoundNode& node : cause.cores.front().nodes) {
    functionality_of[node.instance] = node.functionality;
  }
  Members members;
  for (const auto& [instance, functionality] : functionality_of) members.insert(functionality);
  return members;
}

// The tables on which functionalities have causes.
struct Claims {
  Tables open;
  Tables refuted;
  std::size_t refuted_causes = 0;
};

using Refutes = std::function<bool(const find::Refuter&, const FoundCause&)>;

bool is_refuted(const find::Refuter& refuter, const FoundCause& cause) {
  return refuter.refute(find::all_cycles(cause)).has_value();
}

Claims claims_of(const Program& program, IsolationLevel level, const Refutes& refutes) {
  FindOptions options;
  options.level = level;
  options.max_instances = 2;
  options.max_length = 6;
  const Result<FindReport> report = find_anomalies(program, options);
  Claims claims;
  EXPECT_TRUE(report);
  if (!report) return claims;
  const find::SearchInput input = find::prepare_search(program, options, report->levels);
  const find::Refuter refuter(input, report->levels);
  for (const FoundCause& cause : report->causes) {
    const bool refuted = refutes(refuter, cause);
    claims.refuted_causes += refuted ? 1 : 0;
    std::set<std::string>& tables = (refuted ? claims.refuted : claims.open)[members_of(cause)];
    for (const auto* cycles : {&cause.cores, &cause.extensions}) {
      for (const FoundCycle& cycle : *cycles) {
        for (const FoundEdge& edge : cycle.edges) tables.insert(edge.table);
      }
    }
  }
  return claims;
}

bool has_all(const std::set<std::string>& tables, const std::vector<std::string>& asked) {
  return std::ranges::all_of(asked, [&](const std::string& one) { return tables.contains(one); });
}

// Whether causes that are refuted would be the reason for what went wrong, and no others.
bool contradicts(const Claims& claims, const Members& members,
                 const std::vector<std::string>& tables) {
  const auto of = [&](const Tables& all) {
    const auto found = all.find(members);
    return found == all.end() ? std::set<std::string>{} : found->second;
  };
  const std::set<std::string> open = of(claims.open);
  std::set<std::string> all = of(claims.refuted);
  if (all.empty()) return false;
  const bool is_explained = !open.empty() && has_all(open, tables);
  all.insert(open.begin(), open.end());
  return !is_explained && has_all(all, tables);
}

// The functionalities whose sessions are on the finding's cycle.
Members members_of(const Finding& finding, const std::vector<std::size_t>& called) {
  std::set<std::size_t> sessions;
  for (const Step& step : finding.scenario.steps) {
    if (std::ranges::find(finding.cause_steps, step.name) != finding.cause_steps.end()) {
      sessions.insert(step.session.index());
    }
  }
  Members members;
  for (const std::size_t session : sessions) members.insert(called[session]);
  return members;
}

struct RefutedTally {
  std::size_t refuted = 0;
  std::size_t runs = 0;
  std::size_t wrong = 0;
  std::vector<std::string> contradictions;
};

class Comparison {
 public:
  Comparison(std::string server, Refutes refutes)
      : server_(std::move(server)), refutes_(std::move(refutes)) {}

  void compare(std::uint64_t seed, IsolationLevel level) {
    GuardedPrograms random(seed);
    const std::string routines = random.routine("f") + random.routine("g") + random.routine("h");
    const std::string text = random.tables() + routines;
    const Result<Program> program = parse_program({{"p.sql", text}});
    ASSERT_TRUE(program) << to_string(program.error());
    const Claims claims = claims_of(*program, level, refutes_);
    tally.refuted += claims.refuted_causes;
    std::vector<Members> asked;
    for (const auto& [members, tables] : claims.refuted) asked.push_back(members);
    for (std::size_t i = 0; i < 3 && !asked.empty(); ++i) {
      const Members members = asked[random.below(asked.size())];
      std::vector<std::size_t> called(members.begin(), members.end());
      // A third call, which is on no cycle of theirs, may be what lets it happen.
      if (random.below(3) == 0) called.push_back(random.below(3));
      std::string spec = fmt::format("setup {{\n{}{}}}\nprogram {{\n{}}}\n", random.tables(),
                                     random.rows(), routines);
      for (std::size_t k = 0; k < called.size(); ++k) {
        spec += fmt::format("session s{} call {{ {}({}, {}) }}\n", k + 1, "fgh"[called[k]],
                            random.below(4) == 0 ? 2 : 1, 1 + random.below(2));
      }
      run(spec, level, called, claims, seed);
    }
  }

  RefutedTally tally;

 private:
  void run(const std::string& spec, IsolationLevel level, const std::vector<std::size_t>& called,
           const Claims& claims, std::uint64_t seed) {
    const Result<Scenario> scenario = parse_scenario(spec, "case.spec");
    ASSERT_TRUE(scenario) << to_string(scenario.error()) << "\n" << spec;
    ExploreOptions options;
    options.on.texts = {server_};
    options.levels = {level};
    options.all = true;
    options.preemptions = called.size() > 2 ? 1 : 3;
    options.jobs = 2;
    const Result<ExploreReport> executed = explore(*scenario, options);
    ASSERT_TRUE(executed) << to_string(executed.error()) << "\n" << spec;
    tally.runs += executed->levels[0].interleavings;
    for (const Finding& finding : executed->levels[0].findings) {
      ++tally.wrong;
      std::vector<std::string> tables;
      for (const std::string& row : finding.rows) tables.push_back(row.substr(0, row.find('(')));
      if (!contradicts(claims, members_of(finding, called), tables)) continue;
      tally.contradictions.push_back(fmt::format("{} at {}, HEDDLE_TEST_SEED={}\n{}",
                                                 ::heddle::definition(finding.kind).name,
                                                 ::heddle::definition(level).name, seed, spec));
    }
  }

  std::string server_;
  Refutes refutes_;
};

RefutedTally compare_refuted(const std::string& server, const Refutes& refutes,
                             std::uint64_t rounds) {
  Comparison comparison(server, refutes);
  const char* const only = std::getenv("HEDDLE_TEST_SEED");
  for (const IsolationLevel level : kRefutedLevels) {
    for (std::uint64_t seed = 0; seed < (only != nullptr ? 1 : rounds); ++seed) {
      comparison.compare(only != nullptr ? std::strtoull(only, nullptr, 10) : seed, level);
    }
  }
  return comparison.tally;
}

TEST(Refuted, no_run_shows_what_is_refuted) {
  const auto server = ThrowawayPostgres::start({});
  ASSERT_TRUE(server) << to_string(server.error());
  const RefutedTally tally = compare_refuted((*server)->conninfo(), is_refuted, test_rounds(4));
  fmt::print("{} causes refuted; {} runs of their functionalities, {} things that went wrong\n",
             tally.refuted, tally.runs, tally.wrong);
  EXPECT_THAT(tally.contradictions, testing::IsEmpty());
  EXPECT_TRUE(std::getenv("HEDDLE_TEST_SEED") != nullptr || tally.refuted > 0);
}

// A canary: what proves everything.
TEST(Refuted, proofs_that_are_broken_are_noticed) {
  const auto server = ThrowawayPostgres::start({});
  ASSERT_TRUE(server) << to_string(server.error());
  const RefutedTally all =
      compare_refuted((*server)->conninfo(),
                      [](const auto& /*refuter*/, const auto& /*cause*/) { return true; }, 2);
  EXPECT_FALSE(all.contradictions.empty());
}

}  // namespace
}  // namespace heddle
