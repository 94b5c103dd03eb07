"""Calls before a cycle, which make the rows that are not there at first, and several calls of one
session: found, executed, saved and replayed, in programs of several styles."""

import json
import unittest

import program

TABLE = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
EMPTY = 'initially "no accounts" { SELECT id <> id FROM account }\n'

# What opens an account, what reads it twice, and what changes it where `only` says.
PLPGSQL = """CREATE PROCEDURE open_account(i int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account VALUES (i, 10) ON CONFLICT DO NOTHING;
END $$;
CREATE PROCEDURE look_twice(i int) LANGUAGE plpgsql AS $$
DECLARE a int; b int;
BEGIN
  SELECT balance INTO a FROM account WHERE id = i;
  SELECT balance INTO b FROM account WHERE id = i;
END $$;
CREATE PROCEDURE pay(i int) LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = i;
  IF b {only} THEN
    UPDATE account SET balance = b - 1 WHERE id = i;
  END IF;
END $$;
"""
SQL = """CREATE PROCEDURE open_account(i int) LANGUAGE sql AS $$
  INSERT INTO account VALUES (i, 10) ON CONFLICT DO NOTHING;
$$;
CREATE PROCEDURE look_twice(i int) LANGUAGE sql AS $$
  SELECT balance FROM account WHERE id = i;
  SELECT balance FROM account WHERE id = i;
$$;
CREATE PROCEDURE pay(i int) LANGUAGE sql AS $$
  UPDATE account SET balance = 3 WHERE id = i AND balance {only};
$$;
"""
JAVA = """import java.sql.*;

public class Bank {{
    public void open_account(Connection c, int i) throws SQLException {{
        PreparedStatement make = c.prepareStatement(
            "INSERT INTO account VALUES (?, 10) ON CONFLICT DO NOTHING");
        make.setInt(1, i);
        make.executeUpdate();
    }}

    private int balance(Connection c, int i) throws SQLException {{
        PreparedStatement read = c.prepareStatement("SELECT balance FROM account WHERE id = ?");
        read.setInt(1, i);
        ResultSet rows = read.executeQuery();
        return rows.next() ? rows.getInt(1) : 0;
    }}

    public int look_twice(Connection c, int i) throws SQLException {{
        return balance(c, i) - balance(c, i);
    }}

    public void pay(Connection c, int i) throws SQLException {{
        int before = balance(c, i);
        if (before {only}) {{
            PreparedStatement write = c.prepareStatement(
                "UPDATE account SET balance = ? WHERE id = ?");
            write.setInt(1, before - 1);
            write.setInt(2, i);
            write.executeUpdate();
        }}
    }}
}}
"""
STYLES = {"routines.sql": PLPGSQL, "sql.sql": SQL, "Bank.java": JAVA}


class SessionsTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.write("tables.sql", TABLE)
        self.write("empty.txt", EMPTY)

    def style(self, name, only):
        self.write(name, STYLES[name].format(only=only))
        return name

    def causes(self, *arguments):
        done = self.heddle("find", "--format=json", "tables.sql", *arguments)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)["causes"]

    @staticmethod
    def between(causes, *names):
        """Those of just these functionalities."""
        return [cause for cause in causes
                if {of["functionality"].rpartition(".")[2] for of in cause["cores"][0]["operations"]}
                == set(names)]

    def test_calls_before_make_the_rows(self):
        for name in STYLES:
            with self.subTest(style=name):
                self.style(name, "> 5")
                search = ["--constraints=empty.txt", "--instances=2", name]
                without = self.causes("--prefix=0", *search)
                self.assertEqual([], self.between(without, "look_twice", "pay"))
                found = self.between(self.causes("--on=postgres", *search), "look_twice", "pay")
                self.assertTrue(found)
                self.assertEqual(["open_account"], [called.rpartition(".")[2]
                                                    for called in found[0]["cores"][0]["prefix"]])
                self.assertEqual("confirmed", found[0]["status"], found[0]["reason"])
                spec = found[0]["finding"]["scenario"]["spec"]
                self.assertIn(" first\n", spec)
                self.assertNotIn("INSERT INTO account (", spec)
                for order in found[0]["finding"]["serial"]:
                    self.assertTrue(order["order"][0].endswith("open_account"), order)

    def test_calls_before_make_no_others(self):
        for name in STYLES:
            with self.subTest(style=name):
                self.style(name, "> 50")
                found = self.causes("--constraints=empty.txt", "--prefix=2", "--instances=2", name)
                self.assertEqual([], self.between(found, "look_twice", "pay"))

    def test_what_is_saved_runs_again_with_its_calls_before(self):
        self.style("routines.sql", "> 5")
        done = self.heddle("find", "--on=postgres", "--constraints=empty.txt", "--instances=2",
                           "--only=pay", "--save=saved", "tables.sql", "routines.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn(", after open_account", done.stdout)
        self.assertRegex(done.stdout, r"after at\s+most 2 calls")
        saved = [path for path in sorted(self.folder.glob("saved/*.json"))
                 if " first" in path.read_text()]
        self.assertTrue(saved)
        again = self.heddle("replay", str(saved[0]))
        self.assertEqual(program.FOUND, again.returncode, again.stdout + again.stderr)
        spec = saved[0].with_suffix(".spec")
        explored = self.heddle("explore", str(spec))
        self.assertEqual(program.FOUND, explored.returncode, explored.stdout + explored.stderr)

    def test_sessions_see_older_states(self):
        for name in STYLES:
            with self.subTest(style=name):
                self.style(name, "> 5")
                self.write("known.txt", "session again { look_twice(who); look_twice(who) }\n"
                           if name != "Bank.java" else
                           "session again { look_twice; look_twice }\n")
                search = ["--constraints=known.txt", "--instances=2", name]
                weak = self.between(self.causes("--isolation=eventual", "--on=replicated", *search),
                                    "again", "pay")
                session = [cause for cause in weak if cause["kind"] == "session-cycle"]
                self.assertTrue(session, weak)
                self.assertEqual("confirmed", session[0]["status"], session[0]["reason"])
                self.assertEqual("transaction", session[0]["finding"]["unit"])
                strong = self.between(self.causes("--isolation=causal", *search), "again", "pay")
                self.assertEqual([], [cause for cause in strong
                                      if cause["kind"] == "session-cycle"])

    def test_options_and_files_at_fault(self):
        self.style("routines.sql", "> 5")
        self.assert_trouble(r"--prefix is about what follows from the rows at the beginning, "
                            r"say what is known of these: --reachable or --constraints=FILE",
                            "find", "--prefix=1", "tables.sql", "routines.sql")
        self.write("known.txt", "session s { look_twice(1); lok(1) }")
        self.assert_trouble(r'known\.txt:1:28: there is no functionality "lok"', "find",
                            "--constraints=known.txt", "tables.sql", "routines.sql")
        self.assert_trouble(r"--sessions", "find", "--sessions=0", "tables.sql", "routines.sql")

    def test_all_sessions_are_looked_at(self):
        self.style("sql.sql", "> 5")
        one = self.heddle("find", "--isolation=eventual", "--instances=2", "tables.sql", "sql.sql")
        two = self.heddle("find", "--isolation=eventual", "--instances=2", "--sessions=2",
                          "tables.sql", "sql.sql")
        self.assertNotIn("session order cycle", one.stdout)
        self.assertIn("session order cycle: pay then look_twice", two.stdout)


if __name__ == "__main__":
    unittest.main()
