"""find --internal without a store: what was read goes into what is written, or it does not."""

import json
import unittest

import program

TABLES = """CREATE TABLE jar (id int PRIMARY KEY, coins int NOT NULL);
CREATE TABLE note (id int PRIMARY KEY, coins int NOT NULL);
"""
# Two jars change together.
POUR = """CREATE PROCEDURE pour(m int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE jar SET coins = coins - m WHERE id = 1;
  UPDATE jar SET coins = coins + m WHERE id = 2;
END $$;
"""
LOOK = """CREATE FUNCTION look() RETURNS int LANGUAGE plpgsql AS $$
DECLARE one int; two int;
BEGIN
  SELECT coins INTO one FROM jar WHERE id = 1;
  SELECT coins INTO two FROM jar WHERE id = 2;
  {then}
  RETURN one + two;
END $$;
"""
WAYS_INTO_ROWS = {
    "value": "INSERT INTO note VALUES (1, one + two);",
    "condition": "IF one + two < 9 THEN DELETE FROM note WHERE id = 1; END IF;",
    "key": "UPDATE note SET coins = 0 WHERE id = one + two;",
    "return": "IF one + two < 9 THEN RETURN 0; END IF; DELETE FROM note WHERE id = 1;",
    "error": "DELETE FROM note WHERE id = 1; IF one + two < 9 THEN RAISE 'few'; END IF;",
    "division": "DELETE FROM note WHERE id = 1; one := 9 / (one + two);",
    "rounds": "FOR i IN one .. two LOOP UPDATE note SET coins = coins + 1 WHERE id = 1; END LOOP;",
    "over a variable": "two := two + one; one := two; UPDATE note SET coins = one WHERE id = 1;",
    "query": "PERFORM 1 FROM note WHERE id = one + two; "
             "IF FOUND THEN DELETE FROM note WHERE id = 1; END IF;",
}
WAYS_ELSEWHERE = {
    "return": "",
    "another row": "UPDATE note SET coins = 1 WHERE id = 1;",
    "message": "RAISE NOTICE 'there are %', one + two; DELETE FROM note WHERE id = 1;",
    "error of a reader": "IF one + two < 9 THEN RAISE 'few'; END IF;",
    "condition behind": "DELETE FROM note WHERE id = 1; IF one > 9 THEN RETURN one; END IF;",
}
JAVA = """import java.sql.*;
class Jars {
  public int look(Connection connection) throws SQLException {
    int sum = 0;
    try (PreparedStatement s =
        connection.prepareStatement("SELECT coins FROM jar WHERE id = ?")) {
      for (int id = 1; id <= 2; id++) {
        s.setInt(1, id);
        try (ResultSet rows = s.executeQuery()) {
          while (rows.next()) sum += rows.getInt(1);
        }
      }
    }
    try (PreparedStatement s =
        connection.prepareStatement("UPDATE note SET coins = ? WHERE id = 1")) {
      s.setInt(1, VALUE);
      s.executeUpdate();
    }
    return sum;
  }
  public void pour(Connection connection, int m) throws SQLException {
    try (PreparedStatement s =
        connection.prepareStatement("UPDATE jar SET coins = coins + ? WHERE id = ?")) {
      s.setInt(1, -m);
      s.setInt(2, 1);
      s.executeUpdate();
      s.setInt(1, m);
      s.setInt(2, 2);
      s.executeUpdate();
    }
  }
}
"""


class InternalTest(program.ProgramTest):
    def find(self, *words):
        return self.heddle("find", "--isolation=postgres:read-committed", "--internal", *words)

    def assert_left_out(self, done):
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertIn("nothing that leaves wrong rows was found", done.stdout)
        self.assertRegex(done.stdout, r"\d+ causes? that concerns? reads alone (is|are) left out")

    def assert_found(self, done):
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertRegex(done.stdout, r"read skew: (look and pour|pour and look) ")

    def test_what_is_read_may_go_into_rows(self):
        for name, then in WAYS_INTO_ROWS.items():
            with self.subTest(way=name):
                self.write("jars.sql", TABLES + POUR + LOOK.format(then=then))
                self.assert_found(self.find("jars.sql"))

    def test_what_goes_elsewhere_is_left_out_and_counted(self):
        for name, then in WAYS_ELSEWHERE.items():
            with self.subTest(way=name):
                self.write("jars.sql", TABLES + POUR + LOOK.format(then=then))
                self.assert_left_out(self.find("jars.sql"))

    def test_runs_on_a_store_agree(self):
        # Whatever is left out here ends with the rows of a serial order there.
        for then in (WAYS_ELSEWHERE["another row"], WAYS_ELSEWHERE["condition behind"]):
            self.write("jars.sql", TABLES + POUR + LOOK.format(then=then))
            done = self.find("--on=postgres", "--format=json", "jars.sql")
            document = json.loads(done.stdout)
            self.assertEqual([], [cause for cause in document["causes"]
                                  if cause.get("effect") == "internal"])
            self.assertGreater(document["external_left_out"], 0)
        self.write("jars.sql", TABLES + POUR + LOOK.format(then=WAYS_INTO_ROWS["value"]))
        done = self.find("--on=postgres", "--format=json", "jars.sql")
        self.assertTrue(any(cause.get("effect") == "internal"
                            for cause in json.loads(done.stdout)["causes"]), done.stdout)

    def test_java(self):
        self.write("schema.sql", TABLES)
        self.write("Jars.java", JAVA.replace("VALUE", "sum"))
        self.assert_found(self.find("schema.sql", "Jars.java"))
        self.write("Jars.java", JAVA.replace("VALUE", "7"))
        self.assert_left_out(self.find("schema.sql", "Jars.java"))

    def test_other_anomalies_are_still_found(self):
        self.write("jars.sql", TABLES + POUR + LOOK.format(then="") + """
CREATE PROCEDURE take(a int) LANGUAGE plpgsql AS $$
DECLARE m int;
BEGIN
  SELECT coins INTO m FROM jar WHERE id = a;
  UPDATE jar SET coins = m - 1 WHERE id = a;
END $$;
""")
        done = self.find("jars.sql")
        self.assertEqual(program.FOUND, done.returncode)
        self.assertRegex(done.stdout, r"lost update: take twice")
        self.assertNotRegex(done.stdout, r"(?m)^\d+ .*\blook\b")


if __name__ == "__main__":
    unittest.main()
