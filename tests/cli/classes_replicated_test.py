"""heddle find --classes and heddle replay --classes on the replicated store: the compiled program
itself runs, and meets copies that differ."""

import json
import unittest

import java_program
import program

# Adds in the database, where one server would lose nothing.
ADDING = """package bank;

import java.sql.*;

public class Bank {
    public static void pay(Connection connection, int id, int amount) throws SQLException {
        PreparedStatement update = connection.prepareStatement(
                "UPDATE account SET balance = balance + ? WHERE id = ?");
        update.setInt(1, amount);
        update.setInt(2, id);
        update.executeUpdate();
    }
}
"""

# Keys that are generated, values of many types, and an error that the program knows.
SHOP_SCHEMA = """CREATE TABLE shop (id int PRIMARY KEY, taken numeric(10,2) NOT NULL,
  sold bigint NOT NULL, open boolean NOT NULL, last timestamp, note text);
CREATE TABLE sale (id serial PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, price numeric(10,2));
"""

SHOP = """package bank;

import java.math.BigDecimal;
import java.sql.*;

public class Bank {
    public static int sell(Connection connection, int shop, String name, BigDecimal price,
            Timestamp when) throws SQLException {
        PreparedStatement select = connection.prepareStatement(
                "SELECT taken, sold, open, note FROM shop WHERE id = ?");
        select.setInt(1, shop);
        ResultSet rows = select.executeQuery();
        if (!rows.next() || !rows.getBoolean("open")) {
            return -1;
        }
        BigDecimal taken = rows.getBigDecimal("taken");
        long sold = rows.getLong("sold");
        PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO sale (name, price) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS);
        insert.setString(1, name);
        insert.setBigDecimal(2, price);
        try {
            insert.executeUpdate();
        } catch (SQLException e) {
            if (!"23505".equals(e.getSQLState())) {
                throw e;
            }
            throw new IllegalStateException("sold twice");
        }
        ResultSet keys = insert.getGeneratedKeys();
        keys.next();
        int key = keys.getInt(1);
        PreparedStatement update = connection.prepareStatement(
                "UPDATE shop SET taken = ?, sold = ?, open = ?, last = ?, note = ? WHERE id = ?");
        update.setBigDecimal(1, taken.add(price));
        update.setLong(2, sold + 1);
        update.setBoolean(3, true);
        update.setTimestamp(4, when);
        update.setNull(5, Types.VARCHAR);
        update.setInt(6, shop);
        update.executeUpdate();
        return key;
    }
}
"""


class ClassesOnReplicatedTest(java_program.JavaProgramTest):

    def find(self, level, *more, bank=None, schema=None, on="replicated"):
        self.write_app(bank, schema)
        return self.heddle("find", f"--isolation={level}", f"--on={on}", "--classes=classes",
                           *more, "app")

    def check_confirmed(self, done, count=1):
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        text = " ".join(done.stdout.split())
        self.assertRegex(text, r"confirmed on SQLite [^:]* by the program itself, internal: ")
        self.assertIn(f"of the {count} confirmed, {count} by the program itself", text)

    def check_safe(self, done):
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertNotIn("confirmed", done.stdout)

    def test_the_program_itself_loses_an_update(self):
        self.compile()
        for level in ("eventual", "causal", "read-committed", "linearizable"):
            with self.subTest(level=level):
                self.check_confirmed(self.find(level))
        for level in ("snapshot", "serializable"):
            with self.subTest(level=level):
                self.check_safe(self.find(level))

    def test_an_addition_is_lost_between_copies(self):
        self.compile(ADDING)
        done = self.find("eventual", "--save=found", bank=ADDING)
        self.check_confirmed(done)
        finding = self.find_finding()
        self.assertIn("MOVE", json.loads(finding.read_text())["scenario"]["spec"])
        again = self.heddle("replay", "--classes=classes", str(finding))
        self.assertEqual(program.FOUND, again.returncode, again.stdout + again.stderr)
        self.assertRegex(" ".join(again.stdout.split()),
                         r"^confirmed 10/10 on SQLite .* by the program itself: ")
        self.check_safe(self.find("snapshot", bank=ADDING))

    def test_keys_types_and_errors(self):
        self.compile(SHOP)
        done = self.find("read-committed", bank=SHOP, schema=SHOP_SCHEMA)
        text = " ".join(done.stdout.split())
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertRegex(text, r"of the (\d+) confirmed, \1 by the program itself")

    def test_a_program_that_commits_each_statement(self):
        alone = java_program.BANK.replace(
            "        PreparedStatement select",
            "        connection.setAutoCommit(true);\n        PreparedStatement select")
        self.compile(alone)
        for level in ("eventual", "serializable"):
            with self.subTest(level=level):
                self.check_confirmed(self.find(level, bank=alone))

    def test_a_level_that_the_program_sets(self):
        serializable = java_program.BANK.replace(
            "        PreparedStatement select",
            "        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);\n"
            "        PreparedStatement select")
        self.compile(serializable)
        done = self.find("eventual", bank=serializable)
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertIn("not shown (", done.stdout)
        self.assertNotIn("confirmed", done.stdout)
        # What is saved of the program without a level is not what the one with a level does.
        self.compile()
        self.find("eventual", "--save=found")
        self.compile(serializable)
        again = self.heddle("replay", "--classes=classes", "--runs=1",
                            str(self.find_finding()))
        self.assertNotEqual(program.FOUND, again.returncode, again.stdout + again.stderr)

    def test_what_the_store_does_not_have_is_said(self):
        asking = java_program.BANK.replace(
            "        PreparedStatement select",
            "        connection.getMetaData().getTables(null, null, \"account\", null);\n"
            "        PreparedStatement select")
        self.compile(asking)
        done = self.find("eventual")
        text = " ".join(done.stdout.split())
        self.assertIn("of the 1 confirmed, 0 by the program itself", text, done.stderr)
        self.assertIn("the replicated store has no catalogue", text)

    def test_a_program_that_is_not_what_was_read_is_told(self):
        self.compile(java_program.BANK.replace("SET balance = ?", "SET balance = 0 + ?"))
        done = self.find("eventual", "--save=found")
        text = " ".join(done.stdout.split())
        self.assertIn("of the 1 confirmed, 0 by the program itself", text)
        self.assertRegex(text, r"not by the program itself: .*the program executes UPDATE account "
                               r"SET balance = 0 \+ \$1 WHERE id = \$2 \(.*\) at Bank\.java:19 "
                               r"where UPDATE account SET balance = \S+ WHERE id = \d+ was "
                               r"expected")
        again = self.heddle("replay", "--classes=classes", "--runs=1", str(self.find_finding()))
        self.assertEqual(program.UNKNOWN, again.returncode, again.stdout + again.stderr)


if __name__ == "__main__":
    java_program.demand_java()
    unittest.main()
