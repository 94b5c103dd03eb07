#include "store/replicated/engine.h"

#include <string>

#include <gtest/gtest.h>

#include "store/replicated/engine_testing.h"

namespace heddle::replicated {

namespace {

constexpr const char* kAccount =
    "CREATE TABLE account (id int PRIMARY KEY, balance int, owner text);"
    "INSERT INTO account VALUES (1, 100, 'ann'), (2, 50, 'bob')";

// Two sessions, at r1 and r2, with nothing delivered unless it is said.
TestStore parted(const std::string& setup, IsolationLevel level = IsolationLevel::eventual) {
  TestStore store(2, setup);
  store.open("s1", level);
  store.open("s2", level);
  store.run("s1", "DELIVERY MANUAL; MOVE SESSION s2 TO r2");
  return store;
}

}  // namespace

TEST(Engine, loses_an_update_across_a_partition) {
  TestStore store(2, kAccount);
  store.open("s1", IsolationLevel::eventual);
  store.open("s2", IsolationLevel::eventual);
  EXPECT_EQ(store.run("s2", "MOVE TO r2"), "MOVE");
  EXPECT_EQ(store.run("s1", "PARTITION r1 FROM r2"), "PARTITION");
  EXPECT_EQ(store.run("s1", "UPDATE account SET balance = balance + 10 WHERE id = 1"), "UPDATE 1");
  EXPECT_EQ(store.run("s2", "UPDATE account SET balance = balance + 1 WHERE id = 1"), "UPDATE 1");
  EXPECT_EQ(store.run("s1", "SELECT balance FROM account WHERE id = 1"), "110");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account WHERE id = 1"), "101");
  EXPECT_EQ(store.run("s1", "HEAL"), "HEAL");
  EXPECT_EQ(store.run("s1", "SELECT balance FROM account WHERE id = 1"), "101");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account WHERE id = 1"), "101");
}

TEST(Engine, reads_a_table_again_only_when_it_has_changed) {
  TestStore store(2, std::string(kAccount) + "; CREATE TABLE log (id int PRIMARY KEY)");
  store.open("s1", IsolationLevel::eventual);
  const auto read = [&](const std::string& table) {
    return reply_text(store.engine().read_table(table, "SELECT id FROM " + table + " ORDER BY id"));
  };
  EXPECT_EQ(read("account"), "1;2");
  EXPECT_EQ(read("log"), "");
  EXPECT_EQ(read("account"), "1;2");
  EXPECT_EQ(store.engine().tables_read(), 2U);
  store.run("s1", "BEGIN; DELETE FROM account WHERE id = 2");
  EXPECT_EQ(read("account"), "1;2");
  EXPECT_EQ(store.engine().tables_read(), 2U);
  store.run("s1", "COMMIT");
  EXPECT_EQ(read("account"), "1");
  EXPECT_EQ(read("log"), "");
  EXPECT_EQ(store.engine().tables_read(), 3U);
  store.converged("INSERT INTO log VALUES (7)");
  EXPECT_EQ(read("log"), "7");
  EXPECT_TRUE(store.engine().restore_snapshot());
  EXPECT_EQ(read("account"), "1;2");
  EXPECT_EQ(read("log"), "");
  store.converged("DROP TABLE log; CREATE TABLE log (id int PRIMARY KEY)");
  store.converged("INSERT INTO log VALUES (8)");
  EXPECT_EQ(read("log"), "8");
}

// Programs ask for them by these names.
TEST(Engine, calls_columns_as_postgresql_does) {
  TestStore store(1, kAccount);
  const std::vector<Reply> replies = store.engine().run_everywhere(
      "SELECT COUNT(*), max(balance) AS most, id, abs(min(id)), min(id) + max(id) FROM account");
  ASSERT_EQ(replies.size(), 1U);
  ASSERT_TRUE(replies.front().result);
  std::vector<std::string> names;
  for (const Column& column : replies.front().result->columns) names.push_back(column.name);
  EXPECT_EQ(join(names, " | "), "count | most | id | abs | min(id) + max(id)");
}

TEST(Engine, delivers_at_once_where_nothing_is_parted) {
  TestStore store(3, kAccount);
  store.open("s1", IsolationLevel::eventual);
  store.open("s2", IsolationLevel::eventual);
  store.run("s2", "MOVE TO r3");
  store.run("s1", "UPDATE account SET balance = 0 WHERE id = 1");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account ORDER BY id"), "0;50");
}

// The pre-update hook is called for it, and the authorizer names the column.
TEST(Engine, takes_an_update_to_an_equal_value_for_an_effect) {
  TestStore store = parted(kAccount);
  store.run("s2", "UPDATE account SET balance = 7 WHERE id = 1");
  store.run("s1", "UPDATE account SET balance = 100 WHERE id = 1");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account WHERE id = 1"), "100");
}

TEST(Engine, merges_columns_one_by_one) {
  TestStore store = parted(kAccount);
  store.run("s1", "UPDATE account SET balance = 1 WHERE id = 1");
  store.run("s2", "UPDATE account SET owner = 'eve' WHERE id = 1");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s1", "SELECT balance, owner FROM account WHERE id = 1"), "1,eve");
  EXPECT_EQ(store.run("s2", "SELECT balance, owner FROM account WHERE id = 1"), "1,eve");
}

TEST(Engine, keeps_an_update_that_comes_before_its_row) {
  TestStore store = parted(kAccount);
  store.run("s1", "INSERT INTO account VALUES (3, 1, 'cy')");
  store.run("s1", "UPDATE account SET balance = 2 WHERE id = 3");
  store.run("s1", "DELIVER s1.2 TO r2");
  EXPECT_EQ(store.run("s2", "SELECT count(*) FROM account"), "2");
  store.run("s1", "DELIVER s1.1 TO r2");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account WHERE id = 3"), "2");
}

TEST(Engine, does_not_revive_a_row_by_an_update) {
  TestStore store = parted(kAccount);
  store.run("s1", "DELETE FROM account WHERE id = 1");
  store.run("s2", "UPDATE account SET balance = 2 WHERE id = 1");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", "SELECT id FROM account"), "2");
  EXPECT_EQ(store.converged("SELECT id FROM account"), "2");
}

TEST(Engine, takes_a_changed_key_for_a_delete_and_an_insert) {
  TestStore store = parted(kAccount);
  store.run("s1", "UPDATE account SET id = 9 WHERE id = 1");
  store.run("s2", "UPDATE account SET balance = 3 WHERE id = 1");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s1", "SELECT id, balance FROM account ORDER BY id"), "2,50;9,100");
}

TEST(Engine, tells_rows_without_a_key_apart) {
  TestStore store = parted("CREATE TABLE log (v int)");
  store.run("s1", "INSERT INTO log VALUES (1), (2)");
  store.run("s2", "INSERT INTO log VALUES (1)");
  store.run("s2", "DELIVER ALL");
  EXPECT_EQ(store.run("s1", "SELECT v FROM log ORDER BY v"), "1;1;2");
  store.run("s1", "DELETE FROM log WHERE v = 1");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", "SELECT v FROM log"), "2");
}

TEST(Engine, gives_numbers_that_all_replicas_share) {
  TestStore store = parted("CREATE TABLE entry (id serial PRIMARY KEY, v int)");
  EXPECT_EQ(store.run("s1", "INSERT INTO entry (v) VALUES (5) RETURNING id"), "1");
  EXPECT_EQ(store.run("s2", "INSERT INTO entry (v) VALUES (6) RETURNING id"), "2");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", "SELECT id, v FROM entry ORDER BY id"), "1,5;2,6");
}

TEST(Engine, does_not_give_a_number_that_a_row_has) {
  TestStore store =
      parted("CREATE TABLE entry (id serial PRIMARY KEY, v int); INSERT INTO entry VALUES (7, 0)");
  EXPECT_EQ(store.run("s1", "INSERT INTO entry (v) VALUES (5) RETURNING id"), "8");
  store.run("s1", "SELECT setval(pg_get_serial_sequence('public.entry', 'id'), 20, false)");
  EXPECT_EQ(store.run("s2", "INSERT INTO entry (v) VALUES (6) RETURNING id"), "20");
}

TEST(Engine, reads_truth_values_in_words) {
  TestStore store = parted(
      "CREATE TABLE flag (id int PRIMARY KEY, up boolean); INSERT INTO flag VALUES (1, 'true'), "
      "(2, 'f'), (3, true), (4, NULL)");
  EXPECT_EQ(store.run("s1", "SELECT id FROM flag WHERE up ORDER BY id"), "1;3");
  store.run("s1", "UPDATE flag SET up = 't' WHERE id = 2; DELIVER ALL");
  EXPECT_EQ(store.run("s1", "SELECT up FROM flag ORDER BY id"), "1;1;1;NULL");
  EXPECT_EQ(store.run("s2", "SELECT up FROM flag ORDER BY id"), "1;1;1;NULL");
}

TEST(Engine, changes_tables_before_sessions_have_written_and_drops_them_later) {
  TestStore store = parted(kAccount);
  EXPECT_EQ(store.run("s1", "ALTER TABLE account ADD COLUMN note text DEFAULT 'x'"), "ALTER");
  EXPECT_EQ(store.run("s1", "UPDATE account SET note = 'y' WHERE id = 1"), "UPDATE 1");
  EXPECT_TRUE(store.run("s1", "ALTER TABLE account DROP COLUMN note").starts_with("ERROR 55006"));
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", "SELECT note, balance FROM account ORDER BY id"), "y,100;x,50");
  EXPECT_EQ(
      store.run("s1", "DROP TABLE account CASCADE; CREATE TABLE account (id int PRIMARY KEY)"),
      "CREATE");
  EXPECT_EQ(store.run("s1", "INSERT INTO account VALUES (3); DELIVER ALL"), "DELIVER");
  EXPECT_EQ(store.run("s2", "SELECT * FROM account"), "3");
}

TEST(Engine, lets_merged_rows_break_constraints_and_enforces_them_again) {
  TestStore store = parted(
      "CREATE TABLE person (id int PRIMARY KEY, name text UNIQUE, age int CHECK (age < 200));"
      "CREATE TABLE pet (id int PRIMARY KEY, person int REFERENCES person (id));"
      "INSERT INTO person VALUES (1, 'ann', 3)");
  store.run("s1", "INSERT INTO person VALUES (2, 'bob', 4)");
  store.run("s2", "INSERT INTO person VALUES (3, 'bob', 5)");
  EXPECT_TRUE(
      store.run("s2", "INSERT INTO person VALUES (4, 'bob', 5)").starts_with("ERROR 23505"));
  EXPECT_EQ(store.run("s1", "DELIVER ALL"), "DELIVER");
  EXPECT_EQ(store.run("s2", "SELECT name FROM person ORDER BY id"), "ann;bob;bob");
  EXPECT_EQ(store.run("s2", "UPDATE person SET name = 'cy' WHERE id = 3"), "UPDATE 1");
  store.run("s2", "DELIVER ALL");
  EXPECT_EQ(store.run("s1", "SELECT count(*) FROM person"), "3");
  EXPECT_TRUE(
      store.run("s1", "INSERT INTO person VALUES (4, 'bob', 5)").starts_with("ERROR 23505"));
  EXPECT_TRUE(
      store.run("s1", "INSERT INTO person VALUES (4, 'x', 900)").starts_with("ERROR 23514"));
  store.run("s1", "INSERT INTO pet VALUES (1, 1)");
  store.run("s2", "DELETE FROM person WHERE id = 1");
  store.run("s2", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", "SELECT person FROM pet"), "1");
  EXPECT_TRUE(store.run("s2", "INSERT INTO pet VALUES (2, 1)").starts_with("ERROR 23503"));
}

TEST(Engine, runs_triggers_where_the_statement_runs_only) {
  TestStore store = parted(
      "CREATE TABLE t (id int PRIMARY KEY, v int); CREATE TABLE audit (v int);"
      "CREATE TRIGGER note AFTER UPDATE ON t BEGIN INSERT INTO audit VALUES (new.v); END;"
      "INSERT INTO t VALUES (1, 0)");
  store.run("s1", "UPDATE t SET v = 5");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", "SELECT v FROM audit"), "5");
}

TEST(Engine, merges_an_upsert_as_what_it_did) {
  TestStore store = parted(kAccount);
  const char* const upsert =
      "INSERT INTO account VALUES (1, 5, 'x') ON CONFLICT (id) DO UPDATE SET balance = 5";
  EXPECT_EQ(store.run("s1", upsert), "INSERT 0 1");
  store.run("s2", "UPDATE account SET owner = 'eve' WHERE id = 1");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s1", "SELECT balance, owner FROM account WHERE id = 1"), "5,eve");
  EXPECT_EQ(store.run("s1", "INSERT OR REPLACE INTO account VALUES (1, 6, 'z')"), "INSERT 0 1");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", "SELECT balance, owner FROM account WHERE id = 1"), "6,z");
}

TEST(Engine, withdraws_what_is_rolled_back_everywhere) {
  TestStore store(2, kAccount);
  store.open("s1", IsolationLevel::eventual);
  store.open("s2", IsolationLevel::eventual);
  store.run("s2", "MOVE TO r2");
  store.run("s1",
            "BEGIN; UPDATE account SET balance = 0 WHERE id = 1; SAVEPOINT a;"
            "UPDATE account SET balance = 9 WHERE id = 2");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account ORDER BY id"), "0;9");
  store.run("s1", "ROLLBACK TO SAVEPOINT a");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account ORDER BY id"), "0;50");
  EXPECT_EQ(store.converged("SELECT balance FROM account ORDER BY id"), "100;50");
  store.run("s1", "ROLLBACK");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account ORDER BY id"), "100;50");
}

TEST(Engine, makes_replicas_with_the_initial_contents) {
  TestStore store = parted(kAccount);
  store.run("s1", "UPDATE account SET balance = 0 WHERE id = 1");
  EXPECT_EQ(store.run("s2", "MOVE TO r3"), "MOVE");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account ORDER BY id"), "100;50");
  store.run("s2", "DELIVER s1.1 TO r3");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account ORDER BY id"), "0;50");
  EXPECT_EQ(store.seen("s2"), "s1.1");
  EXPECT_EQ(store.run("s2", "SHOW SEEN"), "s1.1");
  EXPECT_EQ(store.engine().replica_count(), 3U);
}

TEST(Engine, goes_back_to_the_snapshot) {
  TestStore store = parted("CREATE TABLE entry (id serial PRIMARY KEY, at text DEFAULT now())");
  const std::string insert = "INSERT INTO entry DEFAULT VALUES RETURNING id, at";
  store.run("s1", "MOVE TO r3; PARTITION r1 FROM r3");
  const std::string first = store.run("s1", insert);
  EXPECT_TRUE(store.engine().restore_snapshot());
  EXPECT_EQ(store.engine().replica_count(), 2U);
  EXPECT_EQ(store.engine().replica_of(store.number("s2")), 1U);
  EXPECT_EQ(store.converged("SELECT count(*) FROM entry"), "0");
  EXPECT_EQ(store.run("s1", "SELECT count(*) FROM entry"), "0");
  EXPECT_EQ(store.run("s2", "MOVE TO r2; SELECT count(*) FROM entry"), "0");
  EXPECT_TRUE(store.engine().restore_snapshot());
  EXPECT_EQ(store.run("s1", insert), first);
  EXPECT_EQ(store.run("s2", "MOVE TO r2; SELECT count(*) FROM entry"), "1");
}

TEST(Engine, reads_commands_on_one_copy_and_does_nothing) {
  TestStore store(2, kAccount);
  store.open("s1", IsolationLevel::eventual);
  store.open("s2", IsolationLevel::eventual);
  store.engine().keep_one_copy(true);
  EXPECT_EQ(store.run("s2", "MOVE TO r2"), "MOVE");
  EXPECT_EQ(store.run("s1", "PARTITION r1 FROM r2"), "PARTITION");
  EXPECT_EQ(store.run("s1", "DELIVER s2.7 TO r2"), "DELIVER");
  store.run("s1", "UPDATE account SET balance = 0 WHERE id = 1");
  EXPECT_EQ(store.run("s2", "SELECT balance FROM account WHERE id = 1"), "0");
}

TEST(Engine, says_what_is_wrong_with_a_command) {
  TestStore store = parted(kAccount);
  EXPECT_EQ(store.run("s1", "MOVE s1 TO r2"),
            "ERROR 42601: cannot read \"MOVE s1 TO r2\", write MOVE [SESSION name] TO r2");
  EXPECT_EQ(
      store.run("s1", "MOVE TO west"),
      "ERROR 42601: cannot read \"MOVE TO west\": \"west\" is no replica, which are called r1 "
      "to r200, write MOVE [SESSION name] TO r2");
  EXPECT_EQ(store.run("s1", "MOVE SESSION s9 TO r2"),
            "ERROR 42704: there is no session s9: write MOVE [SESSION name] TO r2");
  EXPECT_EQ(store.run("s1", "DELIVER s2.1 TO r1"),
            "ERROR 55000: session s2 has executed 0 statements so far: its statement 1 cannot be "
            "delivered yet");
  EXPECT_EQ(store.run("s1", "DELIVER ALL TO r3"),
            "ERROR 42704: there is no replica r3, only r1 to r2: MOVE a session there to make it");
  EXPECT_EQ(store.run("s1", "PARTITION r1 FROM r2, r1"),
            "ERROR 42601: r1 is on both sides of the partition");
  store.run("s1", "PARTITION r1 FROM r2; UPDATE account SET balance = 0");
  EXPECT_EQ(store.run("s1", "DELIVER s1 TO r2"),
            "ERROR 55000: r2 is parted from every replica that has s1.1; HEAL first");
}

}  // namespace heddle::replicated
