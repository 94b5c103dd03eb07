#!/usr/bin/env python3
"""Programs that read and change views: what is wrong is found, executed and confirmed, as on
tables, and what is safe is not reported. In PL/pgSQL, JDBC, and JDBC on MariaDB."""
import json
import os
import subprocess
import tempfile
import unittest

import program

TABLES = """
CREATE TABLE owner (id int PRIMARY KEY, name varchar(20) NOT NULL, vip {boolean} NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, owner_id int NOT NULL REFERENCES owner (id),
  balance int NOT NULL, active int NOT NULL);
CREATE VIEW open_account AS SELECT id, balance FROM account WHERE active = 1;
CREATE VIEW of_owner (number, total) AS
  SELECT a.id, a.balance FROM account a JOIN owner o ON o.id = a.owner_id WHERE o.name <> 'nobody';
CREATE VIEW open_again AS SELECT * FROM open_account;
"""

PLPGSQL = """
CREATE PROCEDURE take(p int) LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  {read};
  {write};
END $$;
"""

JDBC = """
import java.sql.*;

public class Till {{
  public void take(Connection c, int p) throws SQLException {{
    int b;
    try (PreparedStatement s = c.prepareStatement("{read}")) {{
      s.setInt(1, p);
      ResultSet r = s.executeQuery();
      if (!r.next()) return;
      b = r.getInt({column});
    }}
    try (PreparedStatement w = c.prepareStatement("{write}")) {{
      w.setInt(1, b - 1);
      w.setInt(2, p);
      w.executeUpdate();
    }}
  }}
}}
"""

TO_TABLE = "UPDATE account SET balance = {b} WHERE id = {p}"
TO_VIEW = "UPDATE open_account SET balance = {b} WHERE id = {p}"

# Query, write; whether two of it lose an update.
CASES = {
    "read": ("SELECT balance FROM open_account WHERE id = {p}", TO_TABLE, True),
    "joined": ("SELECT total FROM of_owner v WHERE v.number = {p}", TO_TABLE, True),
    "written": ("SELECT balance FROM account WHERE id = {p}",
                "UPDATE open_again SET balance = {b} WHERE id = {p}", True),
    "both": ("SELECT x.balance FROM open_again x WHERE x.id = {p}", TO_VIEW, True),
    "derived": ("SELECT d.b FROM (SELECT id, balance AS b FROM account WHERE active = 1) d "
                "WHERE d.id = {p}", TO_TABLE, True),
    "locked": ("SELECT balance FROM open_account WHERE id = {p} FOR UPDATE", TO_TABLE, False),
    "joined and locked": ("SELECT total FROM of_owner v WHERE v.number = {p} FOR UPDATE",
                          TO_TABLE, False),
    "join locked": ("SELECT a.balance FROM account a JOIN owner o ON o.id = a.owner_id "
                    "WHERE a.id = {p} FOR UPDATE", TO_VIEW, False),
    "common table not locked": ("WITH v AS (SELECT id, balance FROM account) "
                                "SELECT v.balance FROM v WHERE v.id = {p} FOR UPDATE",
                                TO_TABLE, True),
    "other side locked": ("SELECT a.balance FROM account a JOIN owner o ON o.id <> a.owner_id "
                          "WHERE a.id = {p} FOR UPDATE OF o", TO_TABLE, True),
}


def find(files, level, store):
    """Exit code, and the kinds of causes by their status."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(text)
        done = subprocess.run(
            [program.HEDDLE, "find", f"--isolation={level}", f"--on={store}", "--no-progress",
             "--format=json", "--length=3", "--instances=2", folder],
            capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{done.returncode}\n{done.stdout[-1500:]}\n{done.stderr}")
    causes = json.loads(done.stdout)["causes"]
    return done.returncode, [(one["kind"], one["status"]) for one in causes]


class Views(unittest.TestCase):
    def expect(self, files, level, store, is_wrong):
        code, causes = find(files, level, store)
        if is_wrong:
            self.assertIn(("lost-update", "confirmed"), causes)
            self.assertEqual(code, 1)
        else:
            self.assertEqual((code, causes), (0, []))

    def test_plpgsql(self):
        for name, (read, write, is_wrong) in CASES.items():
            with self.subTest(name):
                text = read.format(p="p")
                is_behind = text.startswith("WITH")
                parts = (text.rsplit if is_behind else text.split)(" FROM", 1)
                into = " INTO b FROM".join(parts)
                text = PLPGSQL.format(read=into, write=write.format(b="b - 1", p="p"))
                self.expect({"program.sql": TABLES.format(boolean="boolean") + text},
                            "postgres:read-committed", "postgres", is_wrong)

    def test_a_table_beside_itself(self):
        tables = TABLES.format(boolean="boolean")
        for name, statement in {
                "joined": "UPDATE account a SET balance = x.balance - 1 FROM account x "
                          "WHERE x.id = p AND a.id = p;",
                "common tables": "WITH x AS (SELECT balance FROM account WHERE id = p), "
                                 "y AS (SELECT balance - 1 AS n FROM x) "
                                 "UPDATE account SET balance = y.n FROM y WHERE id = p;"}.items():
            with self.subTest(name):
                body = ("CREATE PROCEDURE take(p int) LANGUAGE plpgsql AS $$ BEGIN "
                        + statement + " END $$;")
                self.expect({"program.sql": tables + body}, "postgres:read-committed", "postgres",
                            True)

    def test_jdbc(self):
        for name in ["joined", "written", "locked"]:
            read, write, is_wrong = CASES[name]
            with self.subTest(name):
                column = '"total"' if name == "joined" else "1"
                code = JDBC.format(read=read.format(p="?"), write=write.format(b="?", p="?"),
                                   column=column)
                self.expect({"schema.sql": TABLES.format(boolean="boolean"), "Till.java": code},
                            "postgres:read-committed", "postgres", is_wrong)

    def test_jdbc_on_mariadb(self):
        definer = "CREATE ALGORITHM=MERGE DEFINER=`me`@`%` SQL SECURITY INVOKER VIEW open_account"
        tables = TABLES.format(boolean="tinyint(1)").replace("CREATE VIEW open_account", definer)
        tables = tables.replace("CREATE TABLE owner (id int", "CREATE TABLE owner (`id` int")
        for name in ["read", "joined", "both"]:
            read, write, is_wrong = CASES[name]
            with self.subTest(name):
                code = JDBC.format(read=read.format(p="?"), write=write.format(b="?", p="?"),
                                   column="1")
                self.expect({"schema.sql": tables, "Till.java": code}, "mariadb:read-committed",
                            "mariadb", is_wrong)

    def test_what_cannot_be_followed_is_said(self):
        text = TABLES.format(boolean="boolean") + """
CREATE VIEW totals AS
  SELECT owner_id, sum(balance) AS total FROM account GROUP BY owner_id;
CREATE PROCEDURE reset(p int) LANGUAGE plpgsql AS $$ BEGIN UPDATE totals SET total = 0; END $$;
"""
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(text)
            file.flush()
            done = subprocess.run(
                [program.HEDDLE, "find", "--isolation=eventual", "--no-progress", file.name],
                capture_output=True, text=True, check=False)
        self.assertIn("a change of the view totals is not followed", done.stderr)


if __name__ == "__main__":
    unittest.main()
