"""Programs of MySQL on MariaDB: columns that Java reads by their number, truth values that are
numbers, and the moment at which a transaction takes the snapshot of its plain reads."""

import unittest

import program

LAMP = "CREATE TABLE lamp (id int PRIMARY KEY, lit {type} NOT NULL) ENGINE=InnoDB;\n"
OFF = """import java.sql.*;
class Lamps {{
  public void off(Connection connection, int id, int other) throws SQLException {{
    PreparedStatement ask = connection.prepareStatement("SELECT lit FROM lamp WHERE id = ?");
    ask.setInt(1, other);
    ResultSet rows = ask.executeQuery();
    if (!rows.next() || !({condition})) return;
    PreparedStatement off =
        connection.prepareStatement("UPDATE lamp SET lit = {value} WHERE id = ?");
    {given}
    off.executeUpdate();
  }}
}}
"""
ONE = "off.setInt(1, id);"
TWO = "off.{setter}(1, {value}); off.setInt(2, id);"
COUNT = """import java.sql.*;
class Lamps {{
  public void off(Connection connection, int id) throws SQLException {{
    PreparedStatement ask = connection.prepareStatement("SELECT COUNT(*) FROM lamp WHERE {where}");
    ResultSet rows = ask.executeQuery();
    rows.next();
    if (rows.getInt(1) < 2) return;
    PreparedStatement off =
        connection.prepareStatement("UPDATE lamp SET lit = {value} WHERE id = ?");
    off.setInt(1, id);
    off.executeUpdate();
  }}
}}
"""
STATES = """import java.sql.*;
class Lamps {
  public void repair(Connection connection, int id, int other) throws SQLException {
    PreparedStatement ask = connection.prepareStatement("SELECT lit FROM lamp WHERE id = ?");
    ask.setInt(1, other);
    ResultSet rows = ask.executeQuery();
    if (!rows.next() || rows.getInt("lit") != 2) return;
    PreparedStatement on = connection.prepareStatement("UPDATE lamp SET lit = 1 WHERE id = ?");
    on.setInt(1, id);
    on.executeUpdate();
  }
  public void burn(Connection connection, int id) throws SQLException {
    PreparedStatement burn = connection.prepareStatement("UPDATE lamp SET lit = 2 WHERE id = ?");
    burn.setInt(1, id);
    burn.executeUpdate();
  }
}
"""
INVOICE = "CREATE TABLE invoice (no int PRIMARY KEY, amount int NOT NULL) ENGINE=InnoDB;\n"
ISSUE = """import java.sql.*;
class Invoices {
  public void issue(Connection connection, int amount) throws SQLException {
    Statement statement = connection.createStatement();
    ResultSet rows = statement.executeQuery("SELECT COALESCE(MAX(no), 0) + 1 FROM invoice");
    rows.next();
    int no = rows.getInt(1);
    PreparedStatement add = connection.prepareStatement("INSERT INTO invoice VALUES (?, ?)");
    add.setInt(1, no);
    add.setInt(2, amount);
    add.executeUpdate();
  }
}
"""
TAG = "CREATE TABLE tag (id int AUTO_INCREMENT PRIMARY KEY, name varchar(30) NOT NULL UNIQUE);\n"
NAME = """import java.sql.*;
class Tags {{
  public int tag(Connection connection, String name) throws SQLException {{
    {first}PreparedStatement add =
        connection.prepareStatement("INSERT IGNORE INTO tag (name) VALUES (?)");
    add.setString(1, name);
    add.executeUpdate();
    PreparedStatement ask = connection.prepareStatement("SELECT id FROM tag WHERE name = ?");
    ask.setString(1, name);
    ResultSet rows = ask.executeQuery();
    if (rows.next()) return rows.getInt(1);
    throw new IllegalStateException("no tag");
  }}
}}
"""
COUNTED = "connection.createStatement().executeQuery(\"SELECT COUNT(*) FROM tag\");\n    "
SHOW = """CREATE TABLE shows (id int PRIMARY KEY, seats int NOT NULL) ENGINE=InnoDB;
CREATE TABLE booking (id int AUTO_INCREMENT PRIMARY KEY, of int NOT NULL, KEY (of)) ENGINE=InnoDB;
"""
BOOK = """import java.sql.*;
class Shows {{
  public void book(Connection connection, int show) throws SQLException {{
    {first}
    {second}
    if (taken >= seats) return;
    PreparedStatement add = connection.prepareStatement("INSERT INTO booking (of) VALUES (?)");
    add.setInt(1, show);
    add.executeUpdate();
  }}
}}
"""
SEATS = """PreparedStatement lock =
        connection.prepareStatement("SELECT seats FROM shows WHERE id = ? FOR UPDATE");
    lock.setInt(1, show);
    ResultSet locked = lock.executeQuery();
    if (!locked.next()) return;
    int seats = locked.getInt(1);"""
TAKEN = """PreparedStatement count =
        connection.prepareStatement("SELECT COUNT(*) FROM booking WHERE of = ?");
    count.setInt(1, show);
    ResultSet counted = count.executeQuery();
    counted.next();
    int taken = counted.getInt(1);"""

READ_COMMITTED, REPEATABLE_READ = "mariadb:read-committed", "mariadb:repeatable-read"


class MysqlValuesTest(program.ProgramTest):
    def find(self, schema, name, text, level=READ_COMMITTED):
        self.write("schema.sql", schema)
        self.write(name, text)
        done = self.heddle("find", "--on=mariadb", f"--isolation={level}", "--dialect=mysql",
                           "schema.sql", name)
        self.assertEqual("", done.stderr)
        return done

    def assert_confirmed(self, kind, done):
        self.assertRegex(done.stdout, rf"1 +{kind}.* confirmed +internal")

    def assert_nothing(self, done):
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_java_reads_a_column_without_a_name_by_its_number(self):
        for level in (READ_COMMITTED, REPEATABLE_READ):
            done = self.find(INVOICE, "Invoices.java", ISSUE, level)
            self.assert_confirmed("phantom: issue twice +invoice", done)

    def test_truth_values_are_read_and_written_in_any_way(self):
        for condition, value, given in (
                ("rows.getInt(1) == 1", "0", ONE),
                ("rows.getBoolean(\"lit\")", "FALSE", ONE),
                ("rows.getBoolean(1)", "?", TWO.format(setter="setBoolean", value="false")),
                ("rows.getInt(\"lit\") > 0", "?", TWO.format(setter="setInt", value="0"))):
            for kind in ("tinyint(1)", "boolean"):
                text = OFF.format(condition=condition, value=value, given=given)
                done = self.find(LAMP.format(type=kind), "Lamps.java", text)
                self.assert_confirmed("write skew: off twice +lamp", done)

    def test_truth_values_are_compared_in_any_way(self):
        for where, value in (("lit = 1", "0"), ("lit = TRUE", "FALSE"), ("lit", "0"),
                             ("lit <> 0", "0")):
            text = COUNT.format(where=where, value=value)
            done = self.find(LAMP.format(type="tinyint(1)"), "Lamps.java", text)
            self.assertRegex(done.stdout, r"serialization cycle: off twice +lamp +confirmed")

    def test_a_truth_value_may_be_another_number(self):
        done = self.find(LAMP.format(type="tinyint(1)"), "Lamps.java", STATES)
        self.assertRegex(done.stdout, r"write skew: repair twice +lamp +confirmed +internal")

    def test_the_first_plain_read_takes_the_snapshot(self):
        self.assert_nothing(self.find(TAG, "Tags.java", NAME.format(first=""), REPEATABLE_READ))
        done = self.find(TAG, "Tags.java", NAME.format(first=COUNTED), REPEATABLE_READ)
        self.assertRegex(done.stdout, r"1 +phantom: tag twice +tag +confirmed")
        self.assert_nothing(
            self.find(SHOW, "Shows.java", BOOK.format(first=SEATS, second=TAKEN), REPEATABLE_READ))
        done = self.find(SHOW, "Shows.java", BOOK.format(first=TAKEN, second=SEATS),
                         REPEATABLE_READ)
        self.assert_confirmed("phantom: book twice +booking", done)


if __name__ == "__main__":
    unittest.main()
