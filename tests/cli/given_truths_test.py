"""Truth values in the rows that a user gives: --rows of heddle find and heddle split."""

import json
import unittest

import program

# Nobody has looked at a room whose note is null; the key has a truth value, too.
ROOMS = """
CREATE TABLE room (
  id int, upstairs boolean DEFAULT false, free boolean NOT NULL DEFAULT true, note boolean, guest int,
  PRIMARY KEY (id, upstairs), CHECK (free OR guest IS NOT NULL));
CREATE PROCEDURE book(which int, above boolean, who int) LANGUAGE plpgsql AS $$
DECLARE f boolean; n boolean;
BEGIN
  SELECT free, note INTO f, n FROM room WHERE id = which AND upstairs = above;
  IF NOT f OR n IS NOT NULL THEN RETURN; END IF;
  UPDATE room SET free = false, guest = who WHERE id = which AND upstairs = above;
END $$;
"""
ROWS = """
INSERT INTO room VALUES (1, {true}, {true}, {false}, 5), (2, {false}, {true}, NULL, 5);
INSERT INTO room (id, free, note, guest) VALUES (3, {false}, NULL, 7);
"""
WRITTEN = {"words": {"true": "true", "false": "FALSE"}, "letters": {"true": "'t'", "false": "'f'"},
           "texts": {"true": "' Yes '", "false": "'off'"}}

TWO = """
CREATE TABLE room (id int PRIMARY KEY, free boolean NOT NULL);
CREATE TABLE guest (id int PRIMARY KEY, vip boolean NOT NULL, paid boolean);
CREATE PROCEDURE move_in(r int, g int) LANGUAGE plpgsql AS $$
DECLARE f boolean;
BEGIN
  SELECT free INTO f FROM room WHERE id = r;
  IF NOT f THEN RETURN; END IF;
  UPDATE room SET free = false WHERE id = r;
  UPDATE guest SET paid = true WHERE id = g AND vip;
END $$;
CREATE FUNCTION look(r int, g int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE f boolean; p boolean;
BEGIN
  SELECT free INTO f FROM room WHERE id = r;
  SELECT paid INTO p FROM guest WHERE id = g;
  RETURN f || ' ' || coalesce(p::text, 'unknown');
END $$;
"""
TWO_ROWS = """
INSERT INTO room VALUES (1, true), (2, {true}), (3, {false});
INSERT INTO guest VALUES (1, {true}, NULL), (2, {false}, {true}), (3, false, true);
"""

JAVA = """
import java.sql.*;
public class Rooms {
  private final Connection connection;
  public Rooms(Connection connection) { this.connection = connection; }
  public void book(int which, int who) throws SQLException {
    connection.setAutoCommit(false);
    boolean free;
    try (PreparedStatement s = connection.prepareStatement("SELECT free FROM room WHERE id = ?")) {
      s.setInt(1, which);
      ResultSet r = s.executeQuery();
      r.next();
      free = r.getBoolean(1);
    }
    if (!free) { connection.rollback(); return; }
    try (PreparedStatement s = connection.prepareStatement(
             "UPDATE room SET free = FALSE, guest = ? WHERE id = ?")) {
      s.setInt(1, who);
      s.setInt(2, which);
      s.executeUpdate();
    }
    connection.commit();
  }
}
"""

STORES = {"postgres": "read-committed", "mariadb": "read-committed", "replicated": "eventual"}


class GivenTruthsTest(program.ProgramTest):
    def causes(self, *words):
        done = self.heddle(*words, "--format=json")
        self.assertNotEqual(program.TROUBLE, done.returncode, done.stderr)
        return json.loads(done.stdout)["causes"]

    def assert_given(self, finding, *rows):
        spec = finding["scenario"]["spec"]
        for row in rows:
            self.assertIn(f"VALUES ({row})", spec)

    def test_find(self):
        self.write("rooms.sql", ROOMS)
        for store, level in STORES.items():
            for name, words in WRITTEN.items():
                with self.subTest(store=store, written=name):
                    self.write("rows.sql", ROWS.format(**words))
                    [cause] = self.causes("find", f"--on={store}", f"--isolation={level}",
                                          "--rows=rows.sql", "rooms.sql")
                    self.assertEqual("confirmed", cause["status"], cause)
                    self.assert_given(cause["finding"], "'1', true, true, false, '5'",
                                      "'2', false, true, NULL, '5'", "'3', false, false, NULL, '7'")
                    # The only room that is free and has no note.
                    self.assertRegex(cause["finding"]["scenario"]["spec"], r"book\(2, 'false', \d+\)")

    def test_rows_decide(self):
        self.write("rooms.sql", ROOMS)
        for store, level in STORES.items():
            for row in "(2, 'f', 'f', NULL, 5)", "(2, 'f', 't', 't', 5)":
                with self.subTest(store=store, row=row):
                    self.write("rows.sql", f"INSERT INTO room VALUES {row};\n")
                    [cause] = self.causes("find", f"--on={store}", f"--isolation={level}",
                                          "--rows=rows.sql", "rooms.sql")
                    self.assertEqual("not-executable", cause["status"], cause)
                    self.assertIn("with the rows that were given", cause["reason"])

    def test_split(self):
        self.write("two.sql", TWO)
        self.write("cut.json", '{"M1": ["room"], "M2": ["guest"]}')
        for store in STORES:
            for name in "words", "letters":
                with self.subTest(store=store, written=name):
                    self.write("rows.sql", TWO_ROWS.format(**WRITTEN[name]))
                    causes = self.causes("split", "--services=cut.json", f"--on={store}",
                                         "--rows=rows.sql", "two.sql")
                    skew = next(cause for cause in causes if cause["kind"] == "read-skew")
                    self.assertEqual("confirmed", skew["status"], skew)
                    self.assert_given(skew["finding"], "'2', true", "'1', true, NULL",
                                      "'2', false, true")

    def test_numbers_of_mysql_stay_what_they_are(self):
        self.write("tables.sql", "CREATE TABLE room (id INT PRIMARY KEY, free TINYINT(1) NOT NULL, "
                                 "note BOOLEAN, guest INT) ENGINE=InnoDB;\n")
        self.write("Rooms.java", JAVA)
        self.write("rows.sql", "INSERT INTO room VALUES (1, TRUE, NULL, NULL), (2, 5, false, 5), "
                               "(3, 0, true, 7);\n")
        [cause] = self.causes("find", "--on=mariadb", "--dialect=mariadb", "--rows=rows.sql",
                              "tables.sql", "Rooms.java")
        self.assertEqual("confirmed", cause["status"], cause)
        self.assert_given(cause["finding"], "'1', 1, NULL, NULL", "'2', 5, 0, '5'",
                          "'3', 0, 1, '7'")

    def test_what_is_no_truth_value(self):
        self.write("rooms.sql", ROOMS)
        self.write("rows.sql", "INSERT INTO room VALUES (1, 'maybe', true, false, 5);\n")
        for store, level in STORES.items():
            self.assert_trouble(r"rows\.sql: (the store refuses the rows: .*boolean: \"maybe\"|"
                                r"'maybe' is no truth value for upstairs), write ",
                                "find", f"--on={store}", f"--isolation={level}", "--rows=rows.sql",
                                "rooms.sql")
        # What is wrong with other rows is said as the store says it.
        self.write("rows.sql", "INSERT INTO room VALUES (1, 't', true, false, 'x');\n")
        self.assert_trouble(r"rows\.sql: the store refuses the rows: Incorrect integer value: ",
                            "find", "--on=mariadb", "--isolation=read-committed",
                            "--rows=rows.sql", "rooms.sql")


if __name__ == "__main__":
    unittest.main()
