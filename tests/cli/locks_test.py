"""Locks that are not of rows: advisory ones, LOCK TABLE, and the gaps that MariaDB locks. Each program
checks before an INSERT, with a lock in front that keeps others out, or one that does not."""

import unittest

import program

TABLES = """CREATE TABLE desk (id int PRIMARY KEY, floor int NOT NULL);
CREATE TABLE stay (id serial PRIMARY KEY, desk int NOT NULL, guest int NOT NULL);
"""
CHECK = """  SELECT count(*) INTO n FROM stay WHERE desk = d;
  IF n = 0 THEN
    INSERT INTO stay (desk, guest) VALUES (d, g);
  END IF;
"""
SAFE = {
    "by a number": "PERFORM pg_advisory_xact_lock(d);",
    "by two numbers": "PERFORM pg_advisory_xact_lock(3, d);",
    "by a text": "PERFORM pg_advisory_xact_lock(hashtext('desk ' || d));",
    "table": "LOCK TABLE stay;",
    "table in a mode": "LOCK TABLE stay IN SHARE ROW EXCLUSIVE MODE;",
    "table in a mode that two may hold": "LOCK TABLE ONLY stay IN SHARE MODE;",
    "another table": "LOCK desk IN EXCLUSIVE MODE;",
}
BROKEN = {
    "by another number": "PERFORM pg_advisory_xact_lock(g);",
    "shared": "PERFORM pg_advisory_xact_lock_shared(d);",
    "given back": "PERFORM pg_advisory_xact_lock(d); COMMIT;",
    "only tried": "PERFORM pg_try_advisory_xact_lock(d);",
    "of some": "IF d > 4 THEN PERFORM pg_advisory_xact_lock(d); END IF;",
    "weak mode": "LOCK TABLE stay IN ROW EXCLUSIVE MODE;",
    "another table in a weak mode": "LOCK TABLE desk IN ROW SHARE MODE;",
}

JAVA = """import java.sql.*;
public class Desks {
    public void %s(Connection open, int desk, int guest) throws SQLException {
        try (PreparedStatement lock = open.prepareStatement("%s")) {
            lock.setInt(1, %s);
            lock.execute();
        }
        PreparedStatement look =
            open.prepareStatement("SELECT guest FROM stay WHERE desk = ?");
        look.setInt(1, desk);
        if (look.executeQuery().next()) {
            return;
        }
        PreparedStatement make =
            open.prepareStatement("INSERT INTO stay (desk, guest) VALUES (?, ?)");
        make.setInt(1, desk);
        make.setInt(2, guest);
        make.executeUpdate();
    }
}
"""

GAPS = {
    # What stands in front of the INSERT, and whether it locks where the row would be.
    "SELECT guest INTO n FROM stay WHERE desk = d FOR UPDATE;": True,
    "SELECT guest INTO n FROM stay WHERE desk = d FOR SHARE;": True,
    "SELECT guest INTO n FROM stay WHERE desk BETWEEN d AND d + 1 FOR UPDATE;": True,
    "SELECT guest INTO n FROM stay WHERE desk = d;": False,
    "SELECT guest INTO n FROM stay WHERE desk = d FOR UPDATE SKIP LOCKED;": False,
}


def routine(body):
    return (TABLES + "CREATE PROCEDURE book(d int, g int) LANGUAGE plpgsql AS $$\n"
            "DECLARE n int;\nBEGIN\n" + body + "END $$;\n")


class LocksTest(program.ProgramTest):

    def found(self, text, *more):
        self.write("made.sql", text)
        done = self.heddle("find", "made.sql", *more)
        self.assertEqual("", done.stderr)
        return done

    def test_a_lock_keeps_others_out(self):
        for name, lock in SAFE.items():
            with self.subTest(lock=name):
                done = self.found(routine(f"  {lock}\n{CHECK}"))
                self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_a_lock_that_keeps_nobody_out_is_confirmed_to_do_nothing(self):
        for name, lock in BROKEN.items():
            with self.subTest(lock=name):
                done = self.found(routine(f"  {lock}\n{CHECK}"), "--on=postgres")
                self.assertEqual(program.FOUND, done.returncode, done.stdout)
                self.assertIn("confirmed", done.stdout)

    def test_a_lock_behind_the_check_comes_too_late(self):
        late = CHECK.replace("  IF n", "  PERFORM pg_advisory_xact_lock(d);\n  IF n")
        done = self.found(routine(late), "--on=postgres")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)
        self.assertIn("confirmed", done.stdout)

    def test_a_snapshot_is_older_than_the_lock(self):
        text = routine(f"  {SAFE['by a number']}\n{CHECK}")
        done = self.found(text, "--isolation=postgres:repeatable-read", "--on=postgres")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)
        self.assertIn("confirmed", done.stdout)

    def test_clients_in_java_lock_as_well(self):
        (self.folder / "app").mkdir()
        self.write("app/schema.sql", TABLES)
        for name, lock, of, code in (
                ("byDesk", "SELECT pg_advisory_xact_lock(?)", "desk", program.NOTHING_FOUND),
                ("byGuest", "SELECT pg_advisory_xact_lock(?)", "guest", program.FOUND)):
            with self.subTest(name=name):
                self.write("app/Desks.java", JAVA % (name, lock, of))
                done = self.heddle("find", "--entry=" + name, "app")
                self.assertEqual((code, ""), (done.returncode, done.stderr), done.stdout)

    def test_gaps_are_locked_at_repeatable_read_of_mariadb(self):
        for look, locks in GAPS.items():
            body = (f"  {look}\n  IF NOT found THEN\n"
                    "    INSERT INTO stay (desk, guest) VALUES (d, g);\n  END IF;\n")
            with self.subTest(look=look):
                done = self.found(routine(body), "--isolation=mariadb:repeatable-read")
                self.assertEqual(program.NOTHING_FOUND if locks else program.FOUND,
                                 done.returncode, done.stdout)
                done = self.found(routine(body), "--isolation=mariadb:read-committed",
                                  "--on=mariadb")
                self.assertEqual(program.FOUND, done.returncode, done.stdout)
                self.assertIn("confirmed", done.stdout)

    def test_the_lock_of_gaps_is_proposed(self):
        body = ("  PERFORM guest FROM stay WHERE desk = d;\n  IF NOT found THEN\n"
                "    INSERT INTO stay (desk, guest) VALUES (d, g);\n  END IF;\n")
        done = self.found(routine(body), "--isolation=mariadb:repeatable-read", "--repair")
        self.assertIn("append FOR UPDATE to the SELECT at made.sql:6", done.stdout)


if __name__ == "__main__":
    unittest.main()
