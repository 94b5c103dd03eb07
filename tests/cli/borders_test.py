"""Conditions that compare numbers: runs in which one more call decides, so that wrong rows come out
where other numbers would only show other reads."""

import json
import unittest

import program

TABLES = """CREATE TABLE voter (id int PRIMARY KEY, name text);
CREATE TABLE vote (id int PRIMARY KEY, voter int NOT NULL);
"""
AT_LEAST = """CREATE PROCEDURE cast_vote(v int, who int, most int) LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  {lock}
  SELECT count(*) INTO n FROM vote WHERE voter = who;
  IF n >= most THEN RETURN; END IF;
  INSERT INTO vote VALUES (v, who);
END $$;
"""
BELOW = """CREATE FUNCTION book_seat(seat int, client int, size int) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE taken int;
BEGIN
  {lock}
  taken := (SELECT count(*) FROM vote WHERE voter = client);
  IF size > taken + 1 THEN
    INSERT INTO vote (voter, id) VALUES (client, seat);
    RETURN true;
  END IF;
  RETURN false;
END $$;
"""
JAVA = """import java.sql.*;

public class Votes {
    private final Connection open;

    public Votes(Connection open) {
        this.open = open;
    }

    public boolean vote(int id, int who, int most) throws SQLException {
        {lock}
        PreparedStatement count = open.prepareStatement("SELECT count(*) FROM vote WHERE voter = ?");
        count.setInt(1, who);
        ResultSet rows = count.executeQuery();
        rows.next();
        if (rows.getInt(1) < most) {
            PreparedStatement add = open.prepareStatement("INSERT INTO vote VALUES (?, ?)");
            add.setInt(1, id);
            add.setInt(2, who);
            add.executeUpdate();
            return true;
        }
        return false;
    }
}
"""
JAVA_LOCK = """PreparedStatement one = open.prepareStatement(
                "SELECT name FROM voter WHERE id = ? FOR UPDATE");
        one.setInt(1, who);
        if (!one.executeQuery().next()) return false;"""
SQL_LOCK = """PERFORM 1 FROM voter WHERE id = {who} FOR UPDATE;
  IF NOT found THEN RETURN{nothing}; END IF;"""
STYLES = {"at_least.sql": (AT_LEAST, SQL_LOCK.format(who="who", nothing="")),
          "below.sql": (BELOW, SQL_LOCK.format(who="client", nothing=" false")),
          "Votes.java": (JAVA, JAVA_LOCK)}


class BordersTest(program.ProgramTest):

    def found(self, name, lock):
        self.write("tables.sql", TABLES)
        self.write(name, STYLES[name][0].replace("{lock}", lock))
        done = self.heddle("find", "--on=postgres", "--format=json", "tables.sql", name)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)["causes"]

    def test_a_limit_is_overrun(self):
        for name in STYLES:
            with self.subTest(style=name):
                wrong = [cause for cause in self.found(name, "")
                         if cause.get("effect") == "internal"]
                self.assertTrue(wrong)
                for order in wrong[0]["finding"]["serial"]:
                    self.assertTrue(any("final rows" in one["where"] for one in order["differences"]),
                                    order)

    def test_a_lock_keeps_it(self):
        for name, (_, lock) in STYLES.items():
            with self.subTest(style=name):
                self.assertEqual([], [cause for cause in self.found(name, lock)
                                      if cause.get("effect") == "internal"])


if __name__ == "__main__":
    unittest.main()
