// Small programs whose anomalies are known, at levels that allow and forbid them.
#include "heddle/find.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

TEST(Find, finds_the_lost_update_where_levels_allow_it) {
  EXPECT_THAT(causes(kWithdraw, "eventual"), Contains("lost update: withdraw withdraw on account"));
  EXPECT_THAT(causes(kWithdraw, "read-committed"),
              UnorderedElementsAre("lost update: withdraw withdraw on account"));
  EXPECT_THAT(causes(kWithdraw, "postgres:read-committed"),
              UnorderedElementsAre("lost update: withdraw withdraw on account"));
  EXPECT_THAT(causes(kWithdraw, "mariadb:repeatable-read"),
              UnorderedElementsAre("lost update: withdraw withdraw on account"));
  for (const char* level : {"snapshot", "postgres:repeatable-read", "serializable",
                            "postgres:serializable", "mariadb:serializable"}) {
    EXPECT_THAT(causes(kWithdraw, level), IsEmpty()) << level;
  }
}

// One statement reads and writes the newest row on a server; replicas lose its increments.
TEST(Find, an_increment_in_the_database_is_lost_only_between_replicas) {
  const std::string program =
      std::string(kAccount) + routine("deposit(acc int, amount int)",
                                      "BEGIN\nUPDATE account SET balance = balance + amount "
                                      "WHERE id = acc;\nEND");
  EXPECT_THAT(causes(program, "eventual"), Not(IsEmpty()));
  EXPECT_THAT(causes(program, "postgres:read-committed"), IsEmpty());
  EXPECT_THAT(causes(program, "mariadb:read-committed"), IsEmpty());
}

TEST(Find, locking_the_row_removes_the_lost_update) {
  const std::string program =
      std::string(kAccount) +
      routine("withdraw(acc int, amount int)",
              "DECLARE b int;\nBEGIN\n"
              "SELECT balance INTO b FROM account WHERE id = acc FOR UPDATE;\n"
              "UPDATE account SET balance = b - amount WHERE id = acc;\nEND");
  EXPECT_THAT(causes(program, "postgres:read-committed"), IsEmpty());
}

// A row that is another variable's, or that nobody knows, is none without values.
TEST(Find, follows_rows_from_variable_to_variable) {
  for (const char* row : {"r", "heddle_unknown('a row')"}) {
    const std::string program =
        std::string(kAccount) +
        routine("withdraw(acc int, amount int)",
                "DECLARE r record; s record;\nBEGIN\n"
                "SELECT id, balance INTO r FROM account WHERE id = acc;\ns := " +
                    std::string(row) +
                    ";\n"
                    "UPDATE account SET balance = s.balance - amount WHERE id = s.id;\nEND");
    EXPECT_THAT(causes(program, "read-committed"),
                Contains("lost update: withdraw withdraw on account"))
        << row;
  }
}

// Each reads what the other writes: only snapshots of the whole keep it.
TEST(Find, snapshots_leave_write_skew) {
  const std::string program =
      "CREATE TABLE duty (doctor int PRIMARY KEY, on_call boolean NOT NULL);\n" +
      routine("leave(me int, other int)",
              "DECLARE covered boolean;\nBEGIN\n"
              "SELECT on_call INTO covered FROM duty WHERE doctor = other;\n"
              "IF covered THEN\nUPDATE duty SET on_call = false WHERE doctor = me;\nEND IF;\nEND");
  for (const char* level : {"snapshot", "postgres:repeatable-read", "postgres:read-committed"}) {
    EXPECT_THAT(causes(program, level), Contains("write skew: leave leave on duty")) << level;
  }
  EXPECT_THAT(causes(program, "postgres:serializable"), IsEmpty());
  EXPECT_THAT(causes(program, "repeatable-read"), IsEmpty());
}

// A count that others outrun by inserting.
TEST(Find, a_limit_that_is_counted_is_a_phantom) {
  const std::string program =
      "CREATE TABLE vote (id int PRIMARY KEY, phone int NOT NULL);\n" +
      routine("cast_vote(vote_id int, number int)",
              "DECLARE n bigint;\nBEGIN\n"
              "SELECT count(*) INTO n FROM vote WHERE phone = number;\n"
              "IF n < 2 THEN\nINSERT INTO vote (id, phone) VALUES (vote_id, number);\nEND IF;\n"
              "END");
  for (const char* level :
       {"postgres:read-committed", "snapshot", "repeatable-read", "mariadb:repeatable-read"}) {
    EXPECT_THAT(causes(program, level), Contains("phantom: cast_vote cast_vote on vote")) << level;
  }
  EXPECT_THAT(causes(program, "serializable"), IsEmpty());
}

TEST(Find, two_blind_writes_mix_where_transactions_are_not_kept_together) {
  const std::string program =
      "CREATE TABLE a (id int PRIMARY KEY, x int NOT NULL);\n"
      "CREATE TABLE b (id int PRIMARY KEY, y int NOT NULL);\n" +
      routine("store(k int, v int)",
              "BEGIN\nUPDATE a SET x = v WHERE id = k;\nUPDATE b SET y = v WHERE id = k;\nEND");
  EXPECT_THAT(causes(program, "eventual"), UnorderedElementsAre("dirty write: store store on a b"));
  for (const char* level : {"read-uncommitted", "read-committed", "mariadb:read-uncommitted"}) {
    EXPECT_THAT(causes(program, level), IsEmpty()) << level;
  }
}

TEST(Find, a_report_over_two_rows_is_skewed_until_it_has_a_snapshot) {
  const std::string program =
      std::string(kAccount) +
      routine("move(a int, b int, amount int)",
              "BEGIN\nUPDATE account SET balance = balance - amount WHERE id = a;\n"
              "UPDATE account SET balance = balance + amount WHERE id = b;\nEND") +
      "CREATE FUNCTION total(a int, b int) RETURNS int LANGUAGE plpgsql AS $$\n"
      "DECLARE x int; y int;\nBEGIN\nSELECT balance INTO x FROM account WHERE id = a;\n"
      "SELECT balance INTO y FROM account WHERE id = b;\nRETURN x + y;\nEND $$;\n";
  EXPECT_THAT(causes(program, "postgres:read-committed"),
              Contains("read skew: move total on account"));
  EXPECT_THAT(causes(program, "repeatable-read-axiom"),
              Not(Contains("non-repeatable read: move total on account")));
  EXPECT_THAT(causes(program, "postgres:repeatable-read"), IsEmpty());
}

// Branches that exclude each other are on no cycle together.
TEST(Find, a_path_is_taken_as_a_whole) {
  const std::string body =
      "DECLARE b int;\nBEGIN\nIF mode = 1 THEN\n"
      "SELECT balance INTO b FROM account WHERE id = acc;\nELSE\n"
      "UPDATE account SET balance = 5 WHERE id = acc;\nEND IF;\nEND";
  EXPECT_THAT(
      causes(std::string(kAccount) + routine("either_way(acc int, mode int)", body), "eventual"),
      IsEmpty());
}

// A guard with a return leaves a condition on everything after it.
TEST(Find, what_follows_an_early_return_is_guarded) {
  const std::string body =
      "DECLARE b int;\nBEGIN\nIF mode = 1 THEN\n"
      "SELECT balance INTO b FROM account WHERE id = acc;\nRETURN;\nEND IF;\n"
      "UPDATE account SET balance = 5 WHERE id = acc;\nEND";
  EXPECT_THAT(causes(std::string(kAccount) + routine("early(acc int, mode int)", body), "eventual"),
              IsEmpty());
}

TEST(Find, rows_with_different_constant_keys_are_different) {
  const std::string program =
      std::string(kAccount) +
      routine("one()",
              "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = 1;\n"
              "UPDATE account SET balance = b + 1 WHERE id = 1;\nEND") +
      routine("two()",
              "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = 2;\n"
              "UPDATE account SET balance = b + 1 WHERE id = 2;\nEND");
  EXPECT_THAT(
      causes(program, "postgres:read-committed"),
      UnorderedElementsAre("lost update: one one on account", "lost update: two two on account"));
}

// An INSERT that updates the row in its way reads that row alone, and the newest version of it.
TEST(Find, an_upsert_meets_its_own_row_only) {
  const auto upsert = [](const std::string& change) {
    return std::string(kAccount) +
           routine("put(acc int, amount int)",
                   "BEGIN\nINSERT INTO account (id, balance) VALUES (acc, amount)\n"
                   "ON CONFLICT (id) DO UPDATE SET balance = " +
                       change + ";\nEND");
  };
  const std::string adds = upsert("account.balance + amount");
  EXPECT_THAT(causes(adds, "eventual"), Not(IsEmpty()));
  for (const char* level : {"postgres:read-committed", "snapshot", "postgres:repeatable-read",
                            "mariadb:repeatable-read", "serializable"}) {
    EXPECT_THAT(causes(adds, level), IsEmpty()) << level;
  }
  // What it leaves does not hang on what was there.
  EXPECT_THAT(causes(upsert("excluded.balance"), "eventual"), IsEmpty());
}

// What is not understood may read and change any row.
TEST(Find, what_is_not_known_may_touch_anything) {
  const auto program = [](const std::string& unknown) {
    return std::string(kAccount) + routine("withdraw(acc int, amount int)",
                                           "DECLARE b int;\nBEGIN\n"
                                           "SELECT balance INTO b FROM account WHERE id = acc;\n" +
                                               unknown + ";\nEND");
  };
  const std::string calls = program("PERFORM book(acc, b - amount)");
  for (const char* level :
       {"read-committed", "postgres:read-committed", "mariadb:repeatable-read"}) {
    EXPECT_THAT(causes(calls, level), Contains("lost update: withdraw withdraw on any table"))
        << level;
  }
  EXPECT_THAT(causes(calls, "serializable"), IsEmpty());
  EXPECT_THAT(causes(program("PERFORM abs(amount)"), "read-committed"), IsEmpty());
}

// It may be several statements, and leave a row alone that somebody else writes meanwhile.
TEST(Find, what_is_not_known_locks_nothing_that_it_need_not_write) {
  for (const char* unknown : {"PERFORM book(acc);", "PERFORM book(acc);\nPERFORM book(acc);"}) {
    const std::string calls =
        std::string(kAccount) + routine("settle(acc int)", fmt::format("BEGIN\n{}\nEND", unknown)) +
        routine("close(acc int)", "BEGIN\nUPDATE account SET balance = 0 WHERE id = acc;\nEND");
    for (const char* level :
         {"read-committed", "postgres:read-committed", "mariadb:repeatable-read"}) {
      EXPECT_THAT(causes(calls, level), Contains("lost update: close settle on account"))
          << unknown << " " << level;
    }
    EXPECT_THAT(causes(calls, "postgres:serializable"), IsEmpty()) << unknown;
  }
}

// What was read of a row that an INSERT changes because it is in the way is overwritten.
TEST(Find, an_upsert_overwrites_what_was_read) {
  const auto withdraw = [](const std::string& change) {
    return std::string(kAccount) +
           routine("withdraw(acc int, amount int)",
                   "DECLARE b int;\nBEGIN\n"
                   "SELECT balance INTO b FROM account WHERE id = acc;\n"
                   "IF b >= amount THEN\n"
                   "INSERT INTO account (id, balance) VALUES (acc, b - amount)\n"
                   "ON CONFLICT (id) DO " +
                       change + ";\nEND IF;\nEND");
  };
  const std::string lost = "lost update: withdraw withdraw on account";
  for (const char* change :
       {"UPDATE SET balance = b - amount", "UPDATE SET balance = excluded.balance",
        "UPDATE SET balance = account.balance - amount"}) {
    for (const char* level : {"read-committed", "postgres:read-committed", "mariadb:read-committed",
                              "mariadb:repeatable-read"}) {
      EXPECT_THAT(causes(withdraw(change), level), Contains(lost)) << change << " " << level;
    }
    EXPECT_THAT(causes(withdraw(change), "postgres:repeatable-read"), IsEmpty()) << change;
  }
  EXPECT_THAT(causes(withdraw("NOTHING"), "postgres:read-committed"), IsEmpty());
}

// What an INSERT leaves is what it says, or what the row in its way becomes.
TEST(Find, an_upsert_leaves_what_it_says) {
  const auto is_seen_as_nine = [](const std::string& inserted, const std::string& change) {
    const std::string program =
        std::string(kAccount) + "CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);\n" +
        routine("put(acc int)",
                "DECLARE m int;\nBEGIN\nINSERT INTO account (id, balance) VALUES (acc, " +
                    inserted + ")\nON CONFLICT (id) DO UPDATE SET balance = " + change +
                    ";\nSELECT n INTO m FROM log WHERE id = 1;\nEND") +
        routine("look(acc int)",
                "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = acc;\n"
                "IF b = 9 THEN UPDATE log SET n = 1 WHERE id = 1; END IF;\nEND");
    const std::vector<std::string> found = causes(program, "eventual");
    return std::ranges::any_of(found, [](const std::string& cause) {
      return cause.starts_with("circular information flow: look put");
    });
  };
  EXPECT_TRUE(is_seen_as_nine("9", "1"));
  EXPECT_TRUE(is_seen_as_nine("1", "9"));
  EXPECT_TRUE(is_seen_as_nine("1", "account.balance + excluded.balance"));
  EXPECT_FALSE(is_seen_as_nine("1", "2"));
  EXPECT_FALSE(is_seen_as_nine("1", "excluded.balance + 1"));
}

// What is in the way of an INSERT that does nothing then stays as it is.
TEST(Find, an_insert_that_does_nothing_overwrites_nothing) {
  const auto program = [](const std::string& clause) {
    return std::string(kAccount) +
           routine("put(acc int)", "BEGIN\nINSERT INTO account (id, balance) VALUES (acc, 0)\n" +
                                       clause + ";\nEND") +
           routine("empty(acc int)",
                   "BEGIN\nUPDATE account SET balance = 1 WHERE id = acc;\n"
                   "UPDATE account SET balance = 2 WHERE id = acc;\nEND");
  };
  const std::string between = "dirty write: empty put on account";
  EXPECT_THAT(causes(program("ON CONFLICT (id) DO UPDATE SET balance = 0"), "eventual"),
              Contains(between));
  for (const char* clause : {"ON CONFLICT DO NOTHING", "ON CONFLICT (id) DO NOTHING"}) {
    EXPECT_THAT(causes(program(clause), "eventual"), Not(Contains(between))) << clause;
  }
}

// A row with its second key keeps it from making one, which others make then.
TEST(Find, an_insert_that_does_nothing_makes_no_row) {
  const auto program = [](const std::string& unique) {
    return "CREATE TABLE account (id int PRIMARY KEY, mail text NOT NULL" + unique + ");\n" +
           routine("put(acc int, given text)",
                   "DECLARE m int;\nBEGIN\n"
                   "INSERT INTO account (id, mail) VALUES (acc, given) ON CONFLICT DO NOTHING;\n"
                   "SELECT id INTO m FROM account WHERE id = acc;\n"
                   "SELECT id INTO m FROM account WHERE id = acc;\nEND") +
           routine("take(acc int, other text)",
                   "BEGIN\nINSERT INTO account (id, mail) VALUES (acc, other);\nEND");
  };
  const std::string seen_twice = "phantom: put take on account";
  EXPECT_THAT(causes(program(" UNIQUE"), "postgres:read-committed"), Contains(seen_twice));
  EXPECT_THAT(causes(program(""), "postgres:read-committed"), Not(Contains(seen_twice)));
}

// Whether it made its row is what FOUND says.
TEST(Find, an_insert_that_finds_its_key_taken_says_so) {
  const auto program = [](const std::string& condition) {
    return "CREATE TABLE account (id int PRIMARY KEY, mail text NOT NULL UNIQUE);\n"
           "CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);\n" +
           routine("put(acc int, given text)",
                   "DECLARE m int;\nBEGIN\n"
                   "INSERT INTO account (id, mail) VALUES (acc, given) ON CONFLICT DO NOTHING;\n"
                   "IF " +
                       condition + " THEN SELECT n INTO m FROM log WHERE id = 1; END IF;\nEND") +
           routine("drop(given text)",
                   "BEGIN\nDELETE FROM account WHERE mail = given;\n"
                   "UPDATE log SET n = n + 1 WHERE id = 1;\nEND");
  };
  const std::string skew = "read skew: drop put on account log";
  EXPECT_THAT(causes(program("NOT FOUND"), "postgres:read-committed"), Contains(skew));
  EXPECT_THAT(causes(program("FOUND"), "postgres:read-committed"), Not(Contains(skew)));
}

// What a unique index knows to be gone is no row in its way, even of a snapshot that still has it.
TEST(Find, a_row_is_made_in_the_place_of_one_that_the_snapshot_has) {
  for (const char* clause : {"", " ON CONFLICT DO NOTHING", " ON CONFLICT (id) DO NOTHING"}) {
    const std::string program =
        "CREATE TABLE account (id int PRIMARY KEY, mail text NOT NULL UNIQUE);\n"
        "CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);\n" +
        routine("put(acc int)",
                "DECLARE m int;\nBEGIN\nSELECT n INTO m FROM log WHERE id = 1;\n"
                "INSERT INTO account (id, mail) VALUES (acc, 'a')" +
                    std::string(clause) + ";\nEND") +
        routine("drop(acc int)",
                "BEGIN\nDELETE FROM account WHERE id = acc;\n"
                "IF FOUND THEN UPDATE log SET n = n + 1 WHERE id = 1; END IF;\nEND");
    const std::vector<std::string> found = causes(program, "postgres:repeatable-read");
    EXPECT_TRUE(std::ranges::any_of(found, [](const std::string& cause) {
      return cause.ends_with(": drop put on account log");
    })) << clause;
  }
}

// Without columns ON CONFLICT means any unique key that the new row can meet.
TEST(Find, a_conflict_without_columns_is_one_with_any_unique_key) {
  const auto found = [](const std::string& clause, const std::string& rows) {
    const std::string program =
        "CREATE TABLE account (id int UNIQUE, mail text UNIQUE, phone text UNIQUE,\n"
        "PRIMARY KEY (id, mail));\n"
        "CREATE TABLE log (id int PRIMARY KEY, n int NOT NULL);\n" +
        routine("put(acc int)",
                "DECLARE m int;\nBEGIN\nINSERT INTO account (id, mail) VALUES (1, 'a')\n" + clause +
                    ";\nSELECT n INTO m FROM log WHERE id = 1;\nEND") +
        routine("drop(acc int)", "BEGIN\nDELETE FROM account WHERE " + rows +
                                     ";\nUPDATE log SET n = n + 1 WHERE id = 1;\nEND");
    const std::vector<std::string> all = causes(program, "eventual");
    return std::ranges::any_of(all, [](const std::string& cause) {
      return cause.find(": drop put on account") != std::string::npos;
    });
  };
  EXPECT_TRUE(found("ON CONFLICT DO NOTHING", "id = 1 AND mail = 'b'"));
  EXPECT_TRUE(found("ON CONFLICT DO NOTHING", "id = 2 AND mail = 'a'"));
  EXPECT_FALSE(found("ON CONFLICT DO NOTHING", "id = 2 AND mail = 'b'"));
  // A null meets nothing.
  EXPECT_FALSE(found("ON CONFLICT DO NOTHING", "id = 2 AND mail = 'b' AND phone = 'c'"));
  EXPECT_TRUE(found("ON CONFLICT (mail) DO NOTHING", "id = 2 AND mail = 'a'"));
  EXPECT_FALSE(found("ON CONFLICT (mail) DO NOTHING", "id = 2 AND mail = 'b'"));
}

TEST(Find, each_row_of_an_insert_counts) {
  const std::string program =
      std::string(kAccount) +
      routine("open_two()", "BEGIN\nINSERT INTO account VALUES (1, 0), (2, 0);\nEND") +
      routine("look()",
              "DECLARE x int;\nBEGIN\n"
              "SELECT balance INTO x FROM account WHERE id = 2;\n"
              "SELECT balance INTO x FROM account WHERE id = 2;\nEND");
  EXPECT_THAT(causes(program, "postgres:read-committed"), Not(IsEmpty()));
}

// PL-1 says nothing of reads: each may see what the other one has written so far.
TEST(Find, uncommitted_reads_may_go_in_a_circle) {
  const std::string program =
      std::string(kAccount) + routine("swap(a int, b int)",
                                      "DECLARE x int;\nBEGIN\n"
                                      "UPDATE account SET balance = 1 WHERE id = a;\n"
                                      "SELECT balance INTO x FROM account WHERE id = b;\nEND");
  EXPECT_THAT(causes(program, "read-uncommitted"),
              Contains("circular information flow: swap swap on account"));
  EXPECT_THAT(causes(program, "mariadb:read-uncommitted"),
              Contains("circular information flow: swap swap on account"));
  for (const char* level : {"read-committed", "mariadb:read-committed"}) {
    EXPECT_THAT(causes(program, level),
                Not(Contains("circular information flow: swap swap on account")))
        << level;
  }
}

// A row that is deleted and made again was there before.
TEST(Find, a_row_that_is_replaced_is_read_twice) {
  const std::string program = std::string(kAccount) +
                              routine("replace(k int)",
                                      "BEGIN\nDELETE FROM account WHERE id = k;\n"
                                      "INSERT INTO account (id, balance) VALUES (k, 0);\nEND") +
                              routine("look(k int)",
                                      "DECLARE x int; y int;\nBEGIN\n"
                                      "SELECT balance INTO x FROM account WHERE id = k;\n"
                                      "SELECT balance INTO y FROM account WHERE id = k;\nEND");
  for (const char* level : {"read-committed", "postgres:read-committed"}) {
    EXPECT_THAT(causes(program, level), Contains("non-repeatable read: look replace on account"))
        << level;
  }
  EXPECT_THAT(causes(program, "snapshot"),
              Not(Contains("non-repeatable read: look replace on account")));
}

// Each misses the row that the other one makes: nothing is written twice, so that nobody waits.
TEST(Find, an_update_that_finds_no_row_writes_none) {
  const std::string program =
      std::string(kAccount) + routine("move(a int, b int)",
                                      "BEGIN\nINSERT INTO account (id, balance) VALUES (b, 1);\n"
                                      "UPDATE account SET balance = 2 WHERE id = a;\nEND");
  for (const char* level : {"snapshot", "postgres:repeatable-read"}) {
    EXPECT_THAT(causes(program, level), Contains("phantom: move move on account")) << level;
  }
}

// What a row's reader must not lose at PL-2.99 it does not lose to a deletion either.
TEST(Find, rows_that_were_read_are_not_deleted_at_repeatable_read) {
  const std::string program =
      std::string(kAccount) +
      routine("look(k int)",
              "DECLARE x int; y int;\nBEGIN\n"
              "SELECT balance INTO x FROM account WHERE id = k;\n"
              "SELECT balance INTO y FROM account WHERE id = k;\nEND") +
      routine("close(k int)", "BEGIN\nDELETE FROM account WHERE id = k;\nEND");
  EXPECT_THAT(causes(program, "read-committed"), Not(IsEmpty()));
  EXPECT_THAT(causes(program, "repeatable-read"), IsEmpty());
}

// Two that take the oldest job take the same one, and one of them fails; a new job comes later.
TEST(Find, a_query_for_the_first_row_reads_no_other) {
  const std::string take = routine("take()",
                                   "DECLARE j int;\nBEGIN\n"
                                   "SELECT id INTO j FROM job ORDER BY id LIMIT 1;\n"
                                   "DELETE FROM job WHERE id = j;\nEND");
  const std::string table = "CREATE TABLE job (id int PRIMARY KEY, what text NOT NULL);\n";
  EXPECT_THAT(causes(table + take, "snapshot"), IsEmpty());
  EXPECT_THAT(causes(table + take, "postgres:read-committed"), Not(IsEmpty()));
  const std::string all = routine("take()",
                                  "DECLARE j int;\nBEGIN\n"
                                  "SELECT max(id) INTO j FROM job;\n"
                                  "DELETE FROM job WHERE id = j;\nEND");
  EXPECT_THAT(causes(table + all, "snapshot"), Contains("write skew: take take on job"));
}

TEST(Find, each_functionality_may_have_a_level_of_its_own) {
  const Program program = parse(kWithdraw + routine("reset(acc int)",
                                                    "BEGIN\nUPDATE account SET balance = 0 "
                                                    "WHERE id = acc;\nEND"));
  FindOptions options;
  options.level = IsolationLevel::postgres_repeatable_read;
  EXPECT_THAT(causes(program, options), IsEmpty());
  options.levels["withdraw"] = IsolationLevel::postgres_read_committed;
  EXPECT_THAT(causes(program, options), Contains("lost update: reset withdraw on account"));
  options.levels = {{"withdrawal", IsolationLevel::serializable}};
  const auto refused = find_anomalies(program, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "there is no functionality \"withdrawal\"");
}

TEST(Find, the_code_or_its_database_says_the_level) {
  const auto level_of = [](const std::string& body) {
    const auto report = find_anomalies(
        parse(std::string(kAccount) + routine("f()", "BEGIN\n" + body + "END")), FindOptions{});
    const FunctionalityLevel level = report->levels.at(0);
    return std::string(definition(level.level).name) +
           (level.origin == LevelOrigin::stated ? ", stated" : "");
  };
  EXPECT_EQ(level_of("DELETE FROM account;\n"), "postgres:read-committed");
  EXPECT_EQ(level_of("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;\nDELETE FROM account;\n"),
            "postgres:serializable, stated");
}

// The weaker of two levels allows at least what the stronger one does.
TEST(Find, stronger_levels_allow_less) {
  std::map<IsolationLevel, std::vector<std::string>> found;
  for (const LevelDefinition& level : isolation_levels()) {
    found[level.level] = causes(kWithdraw, std::string(level.name));
  }
  for (const LevelDefinition& stronger : isolation_levels()) {
    for (const LevelDefinition& weaker : isolation_levels()) {
      if (!implies(stronger.level, weaker.level)) continue;
      EXPECT_TRUE(std::ranges::includes(found[weaker.level], found[stronger.level]))
          << stronger.name << " " << weaker.name;
    }
  }
}

TEST(Find, the_report_does_not_depend_on_the_number_of_threads) {
  const Program program = parse(kWithdraw);
  FindOptions options;
  options.level = IsolationLevel::eventual;
  options.jobs = 1;
  const auto alone = find_anomalies(program, options);
  options.jobs = 4;
  const auto together = find_anomalies(program, options);
  ASSERT_EQ(alone->causes.size(), together->causes.size());
  for (std::size_t i = 0; i < alone->causes.size(); ++i) {
    EXPECT_EQ(alone->causes[i].kind, together->causes[i].kind);
    EXPECT_EQ(alone->causes[i].cores.front().nodes, together->causes[i].cores.front().nodes);
  }
  EXPECT_EQ(alone->counts.skeletons, together->counts.skeletons);
}

TEST(Find, without_shared_shapes_it_finds_the_same) {
  FindOptions options;
  options.level = IsolationLevel::read_committed;
  const Program program = parse(kWithdraw);
  const auto shared = causes(program, options);
  options.groups_by_structure = false;
  EXPECT_EQ(causes(program, options), shared);
}

TEST(Find, time_that_runs_out_is_said) {
  FindOptions options;
  options.level = IsolationLevel::eventual;
  options.timeout_ms = 1;
  std::string many(kAccount);
  for (int i = 0; i < 12; ++i) {
    many += routine("f" + std::to_string(i) + "(acc int, amount int)",
                    "DECLARE b int;\nBEGIN\n"
                    "SELECT balance INTO b FROM account WHERE id = acc;\n"
                    "UPDATE account SET balance = b - amount WHERE id = acc;\nEND");
  }
  const auto report = find_anomalies(parse(many), options);
  EXPECT_THAT(report->bound, testing::HasSubstr("sets of functionalities were not searched"));
}

// Between the two transactions of a transfer somebody else may come; each of them is one update.
TEST(Find, transactions_as_units_leave_out_what_is_between_them) {
  const Program program = parse(R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE transfer(a int, b int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = a;
  COMMIT;
  UPDATE account SET balance = balance + amount WHERE id = b;
END $$;
CREATE PROCEDURE look(a int, b int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM balance FROM account WHERE id = a;
  PERFORM balance FROM account WHERE id = b;
END $$;)");
  FindOptions options;
  options.level = IsolationLevel::postgres_repeatable_read;
  options.max_length = 4;
  const std::vector<std::string> functionalities = causes(program, options);
  EXPECT_NE(std::ranges::find(functionalities, "read skew: look transfer on account"),
            functionalities.end());
  options.unit = Unit::transaction;
  EXPECT_EQ(causes(program, options), std::vector<std::string>{});
}

// Who gives up early ends his transaction there, and nobody else's.
TEST(Find, a_rollback_on_the_way_out_ends_no_transaction_that_goes_on) {
  const std::string locking =
      std::string(kAccount) +
      routine("withdraw(acc int, amount int)",
              "DECLARE b int;\nBEGIN\n"
              "SELECT balance INTO b FROM account WHERE id = acc FOR UPDATE;\n"
              "IF NOT found THEN ROLLBACK; RETURN; END IF;\n"
              "UPDATE account SET balance = b - amount WHERE id = acc;\nCOMMIT;\nEND");
  EXPECT_THAT(causes(locking, "postgres:read-committed"), IsEmpty());
  const std::string duty =
      "CREATE TABLE duty (doctor int PRIMARY KEY, on_call int NOT NULL);\n" +
      routine("leave(me int, other int)",
              "DECLARE n int;\nBEGIN\nSELECT on_call INTO n FROM duty WHERE doctor = other;\n"
              "IF n = 0 THEN ROLLBACK; RETURN; END IF;\n"
              "UPDATE duty SET on_call = 0 WHERE doctor = me;\nCOMMIT;\nEND");
  EXPECT_THAT(causes(duty, "postgres:repeatable-read"),
              UnorderedElementsAre("write skew: leave leave on duty"));
}

// No level reaches from one transaction into the next.
TEST(Find, what_happens_between_the_transactions_of_one_action_happens_at_every_level) {
  const std::string program =
      std::string(kAccount) +
      routine("withdraw(acc int, amount int)",
              "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = acc;\n"
              "COMMIT;\nUPDATE account SET balance = b - amount WHERE id = acc;\nEND");
  for (const char* level :
       {"snapshot", "serializable", "postgres:serializable", "mariadb:serializable"}) {
    EXPECT_THAT(causes(program, level),
                UnorderedElementsAre("lost update: withdraw withdraw on account"))
        << level;
  }
}

}  // namespace
}  // namespace heddle::find
