// Sessions of several calls: what a user sees after what the same user did or saw.
#include "heddle/session_program.h"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/find_testing.h"
#include "find/search/random_program_testing.h"
#include "heddle/constraints.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kShop =
    std::string(kAccount) +
    routine("set_balance(acc int, v int)",
            "BEGIN\nUPDATE account SET balance = v WHERE id = acc;\nEND") +
    routine("look(acc int)",
            "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = acc;\nEND");

std::vector<std::string> sessions_found(const std::string& sql, std::string_view level,
                                        std::string_view known = "", std::size_t most = 2,
                                        std::size_t instances = 2) {
  const Program program = parse(sql);
  FindOptions options;
  options.level = find_isolation_level(level);
  EXPECT_TRUE(options.level) << level;
  options.max_instances = instances;
  options.max_length = 4;
  Result<Constraints> read = parse_constraints(known, "c.txt");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  if (read) options.constraints = *std::move(read);
  const Result<SessionProgram> whole = with_sessions(program, options, most);
  EXPECT_TRUE(whole) << (whole ? "" : to_string(whole.error()));
  return whole ? causes(whole->program, whole->options) : std::vector<std::string>{};
}

// Monotonic reads, read your writes, and the like.
TEST(Sessions, see_older_states_where_nothing_is_promised) {
  const std::vector<std::string> found = sessions_found(kShop, "eventual");
  EXPECT_THAT(found, Contains("session order cycle: look then look set_balance on account"));
  EXPECT_THAT(found, Contains("session order cycle: set_balance then look on account"));
  EXPECT_THAT(sessions_found(kShop, "eventual", "", 1), IsEmpty());
}

TEST(Sessions, keep_what_is_required_of_their_calls) {
  EXPECT_THAT(sessions_found(kShop, "eventual", "requires look { acc > 5 }"),
              Contains("session order cycle: set_balance then look on account"));
  EXPECT_THAT(sessions_found(kShop, "eventual",
                             "requires look { acc > 5 } requires set_balance { acc < 5 }"),
              IsEmpty());
  const std::string named = "session s { set_balance(mine, 7); look(mine) }\n";
  EXPECT_THAT(sessions_found(kShop, "eventual", named, 1), Contains(HasSubstr("cycle: s on")));
  EXPECT_THAT(sessions_found(kShop, "eventual", named + "requires set_balance { v > 6 }", 1),
              Contains(HasSubstr("cycle: s on")));
  EXPECT_THAT(sessions_found(kShop, "eventual", named + "requires set_balance { v > 7 }", 1),
              IsEmpty());
}

TEST(Sessions, see_what_they_did_and_saw_at_causal_levels) {
  // Two sessions, each of which writes and then does not see what the other one wrote.
  EXPECT_THAT(
      sessions_found(kShop, "causal"),
      Contains("session order cycle: set_balance then look set_balance then look on account"));
  EXPECT_THAT(sessions_found(kShop, "causal"),
              Each(Not(testing::AnyOf(HasSubstr(": set_balance then look on"),
                                      HasSubstr(": look then look set_balance on")))));
  for (const std::string_view level :
       {"serializable", "postgres:read-committed", "mariadb:repeatable-read"}) {
    EXPECT_THAT(sessions_found(kShop, level), IsEmpty()) << level;
  }
}

// Without a session the reader may come first: then nothing is wrong with it.
const std::string kTwoRows =
    std::string(kAccount) + "CREATE TABLE total (id int PRIMARY KEY, amount int NOT NULL);\n" +
    routine("pay(acc int, v int)", "BEGIN\nUPDATE account SET balance = v WHERE id = acc;\nEND") +
    routine("report(t int)",
            "DECLARE a int;\nBEGIN\nSELECT amount INTO a FROM total WHERE id = t;\nEND") +
    routine("sum_up(acc int, t int)",
            "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = acc;\n"
            "UPDATE total SET amount = b WHERE id = t;\nEND");

TEST(Sessions, are_not_in_one_order_with_others_at_snapshots) {
  constexpr const char* kCycle = "session order cycle: pay then report sum_up on account total";
  EXPECT_THAT(sessions_found(kTwoRows, "snapshot"), Contains(kCycle));
  EXPECT_THAT(sessions_found(kTwoRows, "postgres:read-committed"), Contains(kCycle));
  EXPECT_THAT(sessions_found(kTwoRows, "serializable"), IsEmpty());
}

TEST(Sessions, are_those_that_are_named) {
  const std::vector<std::string> found =
      sessions_found(kShop, "eventual", "session s { set_balance(who, 5); look(who) }", 1);
  EXPECT_THAT(found, Contains("session order cycle: s on account"));
  EXPECT_THAT(found, Each(Not(HasSubstr("then"))));
  // Other accounts have nothing to do with it.
  EXPECT_THAT(sessions_found(kShop, "eventual", "session s { set_balance(1, 5); look(2) }", 1),
              IsEmpty());
}

std::string session_trouble(std::string_view known) {
  FindOptions options;
  Result<Constraints> read = parse_constraints(known, "c.txt");
  if (!read) return to_string(read.error());
  options.constraints = *std::move(read);
  const Program program = parse(kShop);
  const Result<SessionProgram> whole = with_sessions(program, options, 1);
  EXPECT_FALSE(whole);
  return whole ? "" : to_string(whole.error());
}

TEST(Sessions, must_be_calls_of_the_program) {
  EXPECT_THAT(session_trouble("session s { look(1); lok(1) }"),
              HasSubstr("c.txt:1:22: there is no functionality \"lok\""));
  EXPECT_THAT(session_trouble("session s { look(1); look(1, 2) }"),
              HasSubstr("c.txt:1:22: look takes 1 argument, not 2"));
  EXPECT_THAT(session_trouble("session look { look(1); look(1) }"),
              HasSubstr("the session \"look\" is called as a functionality"));
  EXPECT_THAT(session_trouble("session s { look(1) }"), HasSubstr("has one call"));
  EXPECT_THAT(session_trouble("session s { look(1) look(2) }"),
              HasSubstr("where a call is expected"));
  EXPECT_THAT(session_trouble("session s { look(1; look(2) }"),
              HasSubstr("where a call is expected"));
  EXPECT_THAT(session_trouble("session s { look("), HasSubstr("c.txt:1"));
}

// A RETURN ends its own call alone.
TEST(Sessions, go_on_behind_a_return) {
  const std::string early =
      std::string(kAccount) +
      routine("maybe(acc int, v int)",
              "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = acc;\n"
              "IF b > 5 THEN RETURN; END IF;\n"
              "UPDATE account SET balance = v WHERE id = acc;\nEND");
  EXPECT_THAT(sessions_found(early, "eventual"),
              Contains(HasSubstr("session order cycle: maybe maybe then maybe on account")));
}

// The slow engine takes sessions for what they are by a clause of its own.
// A call ends on each connection on which it has left something open.
TEST(Sessions, end_calls_on_each_connection) {
  const Program program =
      parse(std::string(kAccount) +
            routine("pay(acc int)",
                    "BEGIN\nUPDATE account SET balance = 1 WHERE id = acc;\n"
                    "-- on connection 2:\nUPDATE account SET balance = 2 WHERE id = acc + 1;\n"
                    "-- on connection 3:\nUPDATE account SET balance = 2 WHERE id = acc + 2;\n"
                    "-- on connection 3:\nCOMMIT;\nEND"));
  const Result<SessionProgram> whole = with_sessions(program, {}, 2);
  ASSERT_TRUE(whole) << to_string(whole.error());
  std::vector<std::size_t> ended;
  for (const ListedStatement& listed : list_statements(whole->program.functionalities.back())) {
    if (listed.statement->ends_call) ended.push_back(listed.statement->connection);
  }
  EXPECT_THAT(ended, ElementsAre(0, 1));
}

TEST(Sessions, have_the_same_cycles_in_both_engines) {
  constexpr std::array kTried = {IsolationLevel::eventual, IsolationLevel::causal_visibility,
                                 IsolationLevel::causal, IsolationLevel::read_committed,
                                 IsolationLevel::snapshot};
  std::size_t cycles = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(10); ++seed) {
    RandomPrograms programs(seed);
    const std::string text = programs.next(1);
    const Program program = parse(text);
    FindOptions options;
    options.level = kTried[seed % kTried.size()];
    options.max_instances = 2;
    options.max_length = 4;
    options.jobs = 1;
    Result<SessionProgram> whole = with_sessions(program, options, 2);
    ASSERT_TRUE(whole);
    // What a session does to itself the slow engine does not look at.
    Found fast = cycles_of(whole->program, whole->options);
    whole->options.engine = FindEngine::reference;
    const Found reference = cycles_of(whole->program, whole->options);
    if (!fast.undecided.empty() || !reference.bound.empty()) continue;
    std::erase_if(fast.cycles,
                  [](const std::string& cycle) { return cycle.find(", ") == std::string::npos; });
    cycles += fast.cycles.size();
    EXPECT_EQ(fast.cycles, reference.cycles) << seed << "\n" << text;
  }
  EXPECT_GT(cycles, 0U);
}

}  // namespace
}  // namespace heddle::find
