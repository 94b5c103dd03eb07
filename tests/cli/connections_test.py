"""Transactions of one call that are open at the same time on connections of their own, executed:
what is found is confirmed, what is safe is not found, and a call that waits for itself ends."""

import json
import unittest

import program

LEVELS = {
    "postgres": ["read-committed", "repeatable-read", "serializable"],
    "mariadb": ["read-committed", "repeatable-read"],
}
SCHEMA = """CREATE TABLE item (id int PRIMARY KEY, sold int NOT NULL);
CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE entry (id int NOT NULL, what int NOT NULL);
"""

# The caller's transaction is open while something is done on another connection.
SHOP = """import java.sql.*;
import javax.sql.DataSource;

public class Shop {
    private final DataSource pool;
    public Shop(DataSource pool) {
        this.pool = pool;
    }
    private static int value(Connection c, String text, int id) throws SQLException {
        PreparedStatement query = c.prepareStatement(text);
        query.setInt(1, id);
        ResultSet rows = query.executeQuery();
        return rows.next() ? rows.getInt(1) : 0;
    }
    private static void change(Connection c, String text, int value, int id) throws SQLException {
        PreparedStatement update = c.prepareStatement(text);
        update.setInt(1, value);
        update.setInt(2, id);
        update.executeUpdate();
    }
    %s
}
"""

# Each has its own connection that is turned to transactions.
OPENED = """try (Connection a = pool.getConnection(); Connection b = pool.getConnection()) {
            a.setAutoCommit(false);
            b.setAutoCommit(false);
            %s
        }"""

# The counter is read and written in a transaction that has nothing to do with the caller's.
COUNTED = """public void sell(int item, int counter) throws SQLException {
        """ + OPENED % """change(a, "UPDATE item SET sold = sold + ? WHERE id = ?", 1, item);
            int n = value(b, "SELECT n FROM counter WHERE id = ?", counter);
            change(b, "UPDATE counter SET n = ? WHERE id = ?", n + 1, counter);
            b.commit();
            a.commit();""" + """
    }"""

# What is written on the one connection was read on the other one, before.
CROSSED = """public void sell(int item, int counter) throws SQLException {
        """ + OPENED % """change(a, "UPDATE item SET sold = sold + ? WHERE id = ?", 1, item);
            int n = value(a, "SELECT n FROM counter WHERE id = ?", counter);
            change(b, "UPDATE counter SET n = ? WHERE id = ?", n + 1, counter);
            b.commit();
            a.commit();""" + """
    }"""

# It need not lock anything for that; and somebody else may end it.
LOOKED = """public void count(int counter) throws SQLException {
        """ + OPENED % """int n = value(a, "SELECT n FROM counter WHERE id = ?", counter);
            change(b, "UPDATE counter SET n = ? WHERE id = ?", n + 1, counter);
            b.commit();
            a.commit();""" + """
    }"""
GIVEN = """public void count(Connection given, int counter) throws SQLException {
        int n = value(given, "SELECT n FROM counter WHERE id = ?", counter);
        Connection own = pool.getConnection();
        change(own, "UPDATE counter SET n = ? WHERE id = ?", n + 1, counter);
        own.close();
    }"""

# The lock of the item, which has to be there, is held on the one connection until the other one has
# committed; or not.
LOCKED = """public void sell(int item) throws SQLException {
        """ + OPENED % """int sold = value(a, "SELECT sold FROM item WHERE id = ? FOR UPDATE", item);
            if (sold == 0) return;
            int n = value(b, "SELECT n FROM counter WHERE id = ?", item);
            change(b, "UPDATE counter SET n = ? WHERE id = ?", n + 1, item);
            %s.commit();
            %s.commit();""" + """
    }"""

# The entry of the audit stays when the caller's transaction is rolled back.
AUDITED = """public void sell(int item, int limit) throws SQLException {
        """ + OPENED % """change(a, "UPDATE item SET sold = sold + ? WHERE id = ?", 1, item);
            int sold = value(a, "SELECT sold FROM item WHERE id = ?", item);
            change(b, "INSERT INTO entry (what, id) VALUES (?, ?)", sold, item);
            b.commit();
            if (sold >= limit) {
                a.rollback();
            } else {
                a.commit();
            }""" + """
    }
    public String look(int item) throws SQLException {
        try (Connection c = pool.getConnection()) {
            c.setAutoCommit(false);
            int entry = value(c, "SELECT what FROM entry WHERE id = ?", item);
            int sold = value(c, "SELECT sold FROM item WHERE id = ?", item);
            c.commit();
            return entry + " " + sold;
        }
    }"""

# Twice the same row, on two connections.
WAITS = """CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE log (id int PRIMARY KEY);
INSERT INTO account VALUES (1, 100), (2, 100);"""
SELF_WAIT = """setup {{ {tables} }}
program {{
CREATE PROCEDURE pay(source integer, target integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - 1 WHERE id = source;
  -- on connection 2:
  {first};
  -- on connection 2:
  COMMIT;
  -- on connection 2:
  UPDATE account SET balance = balance + 1 WHERE id = target;
  -- on connection 2:
  COMMIT;
END $$;
CREATE FUNCTION look() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  n integer;
BEGIN
  SELECT count(*) INTO n FROM log;
  RETURN n;
END $$;
}}
session payer call {{ pay(1, 1) }}
session looker call {{ look() }}
"""


class Connections(program.ProgramTest):

    def find(self, java, store, level, *options):
        self.write("schema.sql", SCHEMA)
        self.write("Shop.java", SHOP % java)
        ran = self.heddle("find", f"--isolation={store}:{level}", f"--on={store}",
                          "--format=json", *options, "schema.sql", "Shop.java")
        self.assertIn(ran.returncode, (program.NOTHING_FOUND, program.FOUND), ran.stderr)
        causes = json.loads(ran.stdout)["causes"]
        return {(cause["kind"], cause["status"]) for cause in causes}

    def find_at_each_level(self, java):
        for store, levels in LEVELS.items():
            for level in levels:
                yield store, level, self.find(java, store, level)

    # Who comes second is refused where the first committer wins.
    def assert_loses_updates(self, found, store, level):
        is_lost = level == "read-committed" or store == "mariadb"
        self.assertEqual({("lost-update", "confirmed")} if is_lost else set(), found,
                         (store, level))

    def test_a_counter_in_a_transaction_of_its_own_loses_an_update(self):
        for store, level, found in self.find_at_each_level(COUNTED):
            self.assert_loses_updates(found, store, level)

    # No level helps: each of the two transactions is one that is alone.
    def test_what_is_read_on_one_and_written_on_the_other_is_lost_at_all_levels(self):
        for java in CROSSED, LOOKED, GIVEN:
            for store, level, found in self.find_at_each_level(java):
                self.assertIn(("lost-update", "confirmed"), found, (java, store, level))
                self.assertLessEqual({status for _, status in found}, {"confirmed", "refuted"},
                                     (java, store, level))

    def test_a_lock_on_one_protects_what_the_other_does_until_it_ends(self):
        for store, level, found in self.find_at_each_level(LOCKED % ("b", "a")):
            self.assertEqual(set(), found, (store, level))

    def test_a_lock_that_ends_before_the_other_has_committed_protects_nothing(self):
        for store, level, found in self.find_at_each_level(LOCKED % ("a", "b")):
            self.assert_loses_updates(found, store, level)

    def test_what_the_inner_one_has_committed_is_seen_and_stays(self):
        for store, level, found in self.find_at_each_level(AUDITED):
            self.assertIn(("read-skew", "confirmed"), found, (store, level))
            self.assertLessEqual({status for _, status in found}, {"confirmed", "refuted"},
                                 (store, level))

    def test_runs_are_saved_and_replayed(self):
        for store in LEVELS:
            self.find(CROSSED, store, "repeatable-read", f"--save={store}")
            for saved in sorted((self.folder / store).glob("*.json")):
                ran = self.heddle("replay", str(saved))
                self.assertEqual(program.FOUND, ran.returncode, ran.stderr)
                self.assertIn("confirmed 10/10", ran.stdout)
                records = json.loads(saved.read_text())["run"]["records"]
                self.assertEqual({"connection 1", "connection 2"},
                                 {record["service"] for record in records})
            for saved in sorted((self.folder / store).glob("*.spec")):
                self.assertIn("-- on connection 2:", saved.read_text())
                ran = self.heddle("explore", f"--on={store}", str(saved))
                self.assertEqual(program.FOUND, ran.returncode, ran.stdout + ran.stderr)

    # Nothing of it is left, or what the other connection had committed.
    def test_a_call_that_waits_for_itself_ends(self):
        for store in LEVELS:
            for first, is_left in (("PERFORM 1 FROM log", False),
                                   ("INSERT INTO log VALUES (1)", True)):
                self.write("self.spec", SELF_WAIT.format(tables=WAITS, first=first))
                ran = self.heddle("explore", f"--on={store}", "--all", "self.spec")
                self.assertEqual(program.FOUND if is_left else program.NOTHING_FOUND,
                                 ran.returncode, ran.stdout + ran.stderr)
                if is_left:
                    self.assertIn("the call waits for itself", " ".join(ran.stdout.split()))

    def test_the_replicated_store_says_that_it_does_not_run_them(self):
        self.write("schema.sql", SCHEMA)
        self.write("Shop.java", SHOP % CROSSED)
        ran = self.heddle("find", "--isolation=serializable", "--on=replicated", "schema.sql",
                          "Shop.java")
        self.assertEqual(program.FOUND, ran.returncode, ran.stderr)
        self.assertIn("sell has transactions open on several connections at the same time",
                      ran.stdout)
        self.assertIn("not executable", ran.stdout)

    # A COMMIT behind which nothing has happened is no step of a run.
    def test_commits_of_nothing_move_no_step(self):
        self.write("p.sql", """CREATE TABLE till (id int PRIMARY KEY, money int NOT NULL);
CREATE PROCEDURE pay(a int) LANGUAGE plpgsql AS $$
DECLARE
  had int;
BEGIN
  COMMIT;
  -- on connection 2:
  COMMIT;
  SELECT money INTO had FROM till WHERE id = 1;
  UPDATE till SET money = had + a WHERE id = 1;
  COMMIT;
  COMMIT;
END $$;
""")
        ran = self.heddle("find", "--isolation=postgres:read-committed", "--on=postgres",
                          "--format=json", "p.sql")
        found = [(cause["kind"], cause["status"]) for cause in json.loads(ran.stdout)["causes"]]
        self.assertEqual([("lost-update", "confirmed")], found)

    def test_numbers_that_no_connection_has_are_errors_with_their_place(self):
        self.write("p.sql", "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$\nBEGIN\n"
                   "  -- on connection 0:\n  COMMIT;\nEND $$;\n")
        self.assert_trouble(r"^p\.sql:3:3: there is no connection 0, "
                            r"number connections from 1 to 16$", "find", "p.sql")


if __name__ == "__main__":
    unittest.main()
