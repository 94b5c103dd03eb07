"""Locks of the rows of which something holds: who looks whether enough are on call, and leaves.
Programs are told apart by whether the rows that are counted are the ones that are locked."""

import unittest

import program

TABLE = """CREATE TABLE doctor (
  name varchar(20) PRIMARY KEY, shift int NOT NULL, on_call boolean NOT NULL, grade int NOT NULL);
"""
ON = "on_call = true AND shift = s"
COUNT = f"SELECT count(*) INTO n FROM doctor WHERE {ON};"
LEAVE = "IF n >= 2 THEN UPDATE doctor SET on_call = false WHERE name = who AND shift = s; END IF;"
OTHER = """CREATE PROCEDURE promote(who text) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE doctor SET grade = grade + 1 WHERE name = who;
END $$;
"""
SAFE = {
    "what is counted": f"PERFORM 1 FROM doctor WHERE {ON} FOR UPDATE; {COUNT}",
    "in order": f"PERFORM name FROM doctor WHERE {ON} ORDER BY name FOR NO KEY UPDATE; {COUNT}",
    "within": f"SELECT count(*) INTO n FROM (SELECT 1 FROM doctor WHERE {ON} FOR UPDATE) x;",
    "one by one": f"n := 0; FOR r IN SELECT name FROM doctor WHERE {ON} FOR UPDATE LOOP "
                  "n := n + 1; END LOOP;",
    "more than that": f"PERFORM 1 FROM doctor WHERE shift = s FOR UPDATE; {COUNT}",
    "asked within": f"PERFORM 1 FROM doctor WHERE {ON} ORDER BY name FOR UPDATE; "
                    f"n := 0; IF (SELECT count(*) FROM doctor WHERE {ON}) > 1 THEN n := 2; END IF;",
    "all": f"PERFORM 1 FROM doctor FOR UPDATE; {COUNT}",
}
BROKEN = {
    "nothing": COUNT,
    "the own row": f"PERFORM 1 FROM doctor WHERE name = who FOR UPDATE; {COUNT}",
    "another shift": "PERFORM 1 FROM doctor WHERE on_call = true AND shift = s + 1 FOR UPDATE; "
                     f"{COUNT}",
    "those that are off": f"PERFORM 1 FROM doctor WHERE NOT on_call AND shift = s FOR UPDATE; "
                          f"{COUNT}",
    "shared with those that leave": f"PERFORM 1 FROM doctor WHERE {ON} FOR KEY SHARE; {COUNT}",
    "and given back": f"PERFORM 1 FROM doctor WHERE {ON} FOR UPDATE; COMMIT; {COUNT}",
    "of some": f"PERFORM 1 FROM doctor WHERE {ON} AND grade > 3 FOR UPDATE; {COUNT}",
}
# Too late, but for a snapshot: who would lock what has changed since then is refused.
AFTERWARDS = f"{COUNT} PERFORM 1 FROM doctor WHERE {ON} FOR UPDATE;"
JAVA = """import java.sql.*;
public class Shifts {
    public void leave(Connection open, String who, int shift) throws SQLException {
        open.setAutoCommit(false);
        int on = 0;
        try (PreparedStatement look = open.prepareStatement(
                "SELECT name FROM doctor WHERE on_call = ? AND shift = ? %s")) {
            look.setBoolean(1, true);
            look.setInt(2, shift);
            ResultSet rows = look.executeQuery();
            while (rows.next()) {
                on++;
            }
        }
        if (on > 1) {
            try (PreparedStatement change = open.prepareStatement(
                    "UPDATE doctor SET on_call = ? WHERE name = ?")) {
                change.setBoolean(1, false);
                change.setString(2, who);
                change.executeUpdate();
            }
        }
        open.commit();
    }
}
"""


def leaving(body):
    return (TABLE + "CREATE PROCEDURE leave(who text, s int) LANGUAGE plpgsql AS $$\n"
            f"DECLARE n int; r record;\nBEGIN\n  {body}\n  {LEAVE}\nEND $$;\n" + OTHER)


class PredicateLocksTest(program.ProgramTest):

    def find(self, level, *files, status):
        done = self.heddle("find", f"--isolation={level}", "--no-progress", *files)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)

    def test_rows_that_are_counted_and_locked_do_not_go(self):
        for name, body in SAFE.items():
            self.write("p.sql", leaving(body))
            for level in ("read-committed", "repeatable-read"):
                with self.subTest(lock=name, level=level):
                    self.find(f"postgres:{level}", "p.sql", status=0)

    def test_others_do(self):
        for name, body in BROKEN.items():
            self.write("p.sql", leaving(body))
            for level in ("read-committed", "repeatable-read"):
                with self.subTest(lock=name, level=level):
                    self.find(f"postgres:{level}", "p.sql", status=1)

    def test_a_lock_afterwards_is_enough_where_there_is_a_snapshot(self):
        self.write("p.sql", leaving(AFTERWARDS))
        self.find("postgres:read-committed", "p.sql", status=1)
        self.find("postgres:repeatable-read", "p.sql", status=0)

    def test_it_is_run(self):
        for name in ("shared with those that leave", "of some"):
            self.write("p.sql", leaving(BROKEN[name]))
            with self.subTest(lock=name):
                done = self.heddle("find", "--isolation=postgres:repeatable-read", "--on=postgres",
                                   "--internal", "--no-progress", "p.sql")
                self.assertIn("confirmed", done.stdout, done.stderr)

    def test_java(self):
        self.write("schema.sql", TABLE)
        for lock, status in (("FOR UPDATE", 0), ("ORDER BY name FOR UPDATE", 0), ("", 1)):
            self.write("Shifts.java", JAVA % lock)
            for level in ("postgres:read-committed", "postgres:repeatable-read"):
                with self.subTest(lock=lock, level=level):
                    self.find(level, "schema.sql", "Shifts.java", status=status)

    def test_java_of_mysql(self):
        self.write("schema.sql", TABLE)
        for lock, status in (("FOR UPDATE", 0), ("LOCK IN SHARE MODE", 0), ("", 1)):
            self.write("Shifts.java", JAVA % lock)
            for level in ("mariadb:read-committed", "mariadb:repeatable-read"):
                with self.subTest(lock=lock, level=level):
                    self.find(level, "--dialect=mysql", "schema.sql", "Shifts.java", status=status)


if __name__ == "__main__":
    unittest.main()
