"""find --reachable: rows that calls have made, and no others."""

import json
import unittest

import program

TABLES = """CREATE TABLE ticket (id int PRIMARY KEY, state int NOT NULL, uses int NOT NULL);
CREATE TABLE gate (id int PRIMARY KEY, passed int NOT NULL);
"""
ISSUE = """CREATE PROCEDURE issue(a int) LANGUAGE plpgsql AS $$
BEGIN INSERT INTO ticket VALUES (a, 1, 0); END $$;
"""
# Only what is in such a state is used.
USE = """CREATE PROCEDURE use(a int) LANGUAGE plpgsql AS $$
DECLARE s int; n int;
BEGIN
  SELECT state, uses INTO s, n FROM ticket WHERE id = a;
  IF s = {state} THEN
    UPDATE ticket SET uses = n + 1 WHERE id = a;
  END IF;
END $$;
"""
BLOCK = """CREATE PROCEDURE block(a int) LANGUAGE plpgsql AS $$
BEGIN UPDATE ticket SET state = 2 WHERE id = a; END $$;
"""
# Nobody in the program makes gates.
PASS = """CREATE PROCEDURE pass(g int) LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT passed INTO n FROM gate WHERE id = g;
  UPDATE gate SET passed = n + 1 WHERE id = g;
END $$;
"""
JAVA = """import java.sql.*;
class Tickets {
  public void issue(Connection connection, int id) throws SQLException {
    try (PreparedStatement s =
        connection.prepareStatement("INSERT INTO ticket (id, state, uses) VALUES (?, 1, 0)")) {
      s.setInt(1, id);
      s.executeUpdate();
    }
  }
  public void use(Connection connection, int id) throws SQLException {
    int uses;
    try (PreparedStatement s =
        connection.prepareStatement("SELECT uses FROM ticket WHERE id = ? AND state = STATE")) {
      s.setInt(1, id);
      try (ResultSet rows = s.executeQuery()) {
        if (!rows.next()) return;
        uses = rows.getInt(1);
      }
    }
    try (PreparedStatement s =
        connection.prepareStatement("UPDATE ticket SET uses = ? WHERE id = ?")) {
      s.setInt(1, uses + 1);
      s.setInt(2, id);
      s.executeUpdate();
    }
  }
}
"""
LOST = r"lost update: use twice"


class ReachableTest(program.ProgramTest):
    def find(self, *words):
        return self.heddle("find", "--isolation=postgres:read-committed", "--only=use", *words)

    def test_rows_that_no_call_makes_show_nothing(self):
        self.write("tickets.sql", TABLES + ISSUE + USE.format(state=2))
        self.assertRegex(self.find("tickets.sql").stdout, LOST)
        done = self.find("--reachable", "tickets.sql")
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertIn("all rows of ticket are made by calls", done.stdout)

    def test_what_follows_from_calls_is_executed_behind_them(self):
        self.write("tickets.sql", TABLES + ISSUE + USE.format(state=1))
        done = self.find("--reachable", "--on=postgres", "--format=json", "tickets.sql")
        cause = json.loads(done.stdout)["causes"][0]
        self.assertEqual(("lost-update", "confirmed"), (cause["kind"], cause["status"]), done.stdout)
        text = self.find("--reachable", "tickets.sql").stdout
        self.assertRegex(text, LOST + ", after issue")

    def test_more_calls_are_made_where_it_is_said(self):
        self.write("tickets.sql", TABLES + ISSUE + USE.format(state=2) + BLOCK)
        one = self.find("--reachable", "--prefix=1", "tickets.sql")
        self.assertNotRegex(one.stdout, LOST)
        two = self.find("--reachable", "--prefix=2", "tickets.sql")
        self.assertRegex(two.stdout, LOST + ", after issue and block")

    def test_a_table_is_one_however_it_is_named(self):
        twice = ISSUE.replace("INTO ticket", "INTO public.ticket").replace("issue", "again")
        tables = TABLES.replace("TABLE ticket", "TABLE public.ticket") + \
            'CREATE TABLE "My log" (id int PRIMARY KEY);\n'
        log = """CREATE PROCEDURE note(a int) LANGUAGE plpgsql AS $$
BEGIN INSERT INTO "My log" VALUES (a); END $$;
"""
        self.write("tickets.sql", tables + ISSUE + twice + USE.format(state=2) + log)
        done = self.find("--reachable", "tickets.sql")
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertIn("all rows of ticket, My log are made by calls", done.stdout)

    def test_tables_that_nobody_fills_have_any_rows(self):
        self.write("gates.sql", TABLES + ISSUE + PASS)
        done = self.heddle("find", "--isolation=postgres:read-committed", "--reachable", "gates.sql")
        self.assertRegex(done.stdout, r"lost update: pass twice")

    def test_rows_that_nobody_else_would_have_made_come_first(self):
        self.write("both.sql", TABLES + USE.format(state=1) + PASS + ISSUE)
        done = self.heddle("find", "--isolation=postgres:read-committed", "--on=postgres",
                           "--format=json", "both.sql")
        made_up = [cause.get("made_up_tables", []) for cause in json.loads(done.stdout)["causes"]
                   if cause["status"] == "confirmed" and cause["effect"] == "internal"]
        self.assertEqual(sorted(made_up), made_up)
        self.assertEqual([], made_up[0])
        self.assertEqual(["ticket"], made_up[-1])
        text = self.heddle("find", "--isolation=postgres:read-committed", "--on=postgres",
                           "both.sql").stdout
        self.assertRegex(text, r"\d+ of the confirmed begins? with rows in tables that the program "
                               r"fills: --reachable keeps")
        reached = self.heddle("find", "--isolation=postgres:read-committed", "--on=postgres",
                              "--reachable", "both.sql").stdout
        self.assertNotIn("of the confirmed begin", reached)

    def test_facts_that_are_given_stand(self):
        self.write("tickets.sql", TABLES + ISSUE + USE.format(state=2))
        self.write("facts.txt", 'initially "blocked" { SELECT state = 2 FROM ticket }\n')
        done = self.find("--reachable", "--constraints=facts.txt", "tickets.sql")
        self.assertRegex(done.stdout, LOST)

    def test_java(self):
        self.write("schema.sql", TABLES)
        for state, is_found in ((1, True), (2, False)):
            self.write("Tickets.java", JAVA.replace("STATE", str(state)))
            done = self.find("--reachable", "schema.sql", "Tickets.java")
            self.assertEqual(program.FOUND if is_found else program.NOTHING_FOUND, done.returncode,
                             done.stdout)

    def test_options_that_do_not_go_with_it(self):
        self.write("tickets.sql", TABLES + ISSUE)
        self.write("rows.sql", "")
        for words, what in ((("--rows=rows.sql", "--on=postgres"), "--reachable is about rows"),
                            (("--engine=reference",), "--reachable does not go with")):
            done = self.find("--reachable", *words, "tickets.sql")
            self.assertEqual(program.TROUBLE, done.returncode)
            self.assertIn(what, done.stderr)
        done = self.find("--prefix=1", "tickets.sql")
        self.assertIn("--reachable or --constraints=FILE", done.stderr)


if __name__ == "__main__":
    unittest.main()
