#!/usr/bin/env python3
"""Rows and columns under two names: partitions, whose rows are their parent's, and columns that are
computed from others. What is wrong is found and confirmed, what locks is safe."""
import json
import os
import subprocess
import tempfile
import unittest

import program

COMPUTED = """
CREATE TABLE account (id int PRIMARY KEY, owner int NOT NULL, balance int NOT NULL,
  doubled int GENERATED ALWAYS AS (balance * 2) STORED,
  is_poor boolean GENERATED ALWAYS AS (balance < 10) STORED);
"""
PARTS = """
CREATE TABLE account (id int, region text NOT NULL, balance int NOT NULL, PRIMARY KEY (id, region))
  PARTITION BY LIST (region);
CREATE TABLE account_eu PARTITION OF account FOR VALUES IN ('eu');
CREATE TABLE account_us (id int, region text NOT NULL, balance int NOT NULL);
ALTER TABLE ONLY account ATTACH PARTITION account_us FOR VALUES IN ('us');
"""
PLPGSQL = """
CREATE PROCEDURE take(p int, q int) LANGUAGE plpgsql AS $$
DECLARE b int; r record;
BEGIN
  {body}
END $$;
"""
JDBC = """
import java.sql.*;

public class Till {
  public void take(Connection c, int p) throws SQLException {
    PreparedStatement s = c.prepareStatement("%s");
    s.setInt(1, p);
    ResultSet r = s.executeQuery();
    if (!r.next() || r.getInt("doubled") < 20) return;
    PreparedStatement w = c.prepareStatement("UPDATE account SET balance = ? WHERE id = ?");
    w.setInt(1, r.getInt("doubled") / 2 - 10);
    w.setInt(2, p);
    w.executeUpdate();
  }
}
"""
WRITE = "UPDATE account SET balance = b - 1 WHERE id = p;"

# Tables, body, whether it is wrong.
CASES = {
    "read": (COMPUTED, "SELECT doubled INTO b FROM account WHERE id = p; " + WRITE, True),
    "read of all": (COMPUTED, "SELECT * INTO r FROM account WHERE id = p; b := r.doubled; "
                    "IF b > 20 THEN " + WRITE + " END IF;", True),
    "predicate": (COMPUTED, "SELECT count(*) INTO b FROM account WHERE owner = q AND NOT is_poor; "
                  "IF b > 1 THEN UPDATE account SET balance = 0 WHERE id = p AND owner = q; "
                  "END IF;", True),
    "locked": (COMPUTED, "SELECT doubled INTO b FROM account WHERE id = p FOR UPDATE; " + WRITE,
               False),
    "another column": (COMPUTED, "SELECT doubled INTO b FROM account WHERE id = p; "
                       "UPDATE account SET owner = q WHERE id = p;", False),
    "part": (PARTS, "SELECT balance INTO b FROM account WHERE id = p AND region = 'eu'; "
             "UPDATE account_eu SET balance = b - 1 WHERE id = p AND region = 'eu';", True),
    "attached": (PARTS, "SELECT balance INTO b FROM account_us WHERE id = p AND region = 'us'; "
                 "UPDATE account SET balance = b - 1 WHERE id = p AND region = 'us';", True),
    "part locked": (PARTS, "SELECT balance INTO b FROM account_eu WHERE id = p AND region = 'eu' "
                    "FOR UPDATE; UPDATE account SET balance = b - 1 "
                    "WHERE id = p AND region = 'eu';", False),
}


def find(files, level, store):
    """Exit code, and the statuses of causes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(text)
        done = subprocess.run(
            [program.HEDDLE, "find", f"--isolation={level}", f"--on={store}", "--no-progress",
             "--format=json", "--length=4", "--instances=2", folder],
            capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        raise AssertionError(f"{done.returncode}\n{done.stdout[-1500:]}\n{done.stderr}")
    return done.returncode, [one["status"] for one in json.loads(done.stdout)["causes"]]


class ComputedColumns(unittest.TestCase):
    def expect(self, files, level, store, is_wrong):
        code, causes = find(files, level, store)
        if is_wrong:
            self.assertIn("confirmed", causes)
            self.assertEqual(code, 1)
        else:
            self.assertEqual((code, causes), (0, []))

    def test_plpgsql(self):
        for name, (tables, body, is_wrong) in CASES.items():
            with self.subTest(name):
                self.expect({"program.sql": tables + PLPGSQL.format(body=body)},
                            "postgres:read-committed", "postgres", is_wrong)

    def test_jdbc(self):
        query = "SELECT id, doubled FROM account WHERE id = ?"
        for tables, store in [(COMPUTED, "postgres"),
                              (COMPUTED.replace("boolean", "tinyint(1)"), "mariadb")]:
            for lock, is_wrong in [("", True), (" FOR UPDATE", False)]:
                with self.subTest(f"{store}{lock}"):
                    self.expect({"schema.sql": tables, "Till.java": JDBC % (query + lock)},
                                f"{store}:read-committed", store, is_wrong)

    def test_inheritance_is_not_read(self):
        tables = """CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE special (extra int) INHERITS (account);
"""
        body = ("SELECT balance INTO b FROM account WHERE id = p; "
                "UPDATE special SET balance = b - 1 WHERE id = p;")
        code, causes = find({"program.sql": tables + PLPGSQL.format(body=body)},
                            "postgres:read-committed", "postgres")
        self.assertEqual((code, causes), (3, []))


if __name__ == "__main__":
    unittest.main()
