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
    "tried, and asked": "IF NOT pg_try_advisory_xact_lock(d) THEN RETURN; END IF;",
    "of the session": "PERFORM pg_advisory_lock(d);",
    "of the session, tried and asked":
        "SELECT pg_try_advisory_lock(3, d) INTO got; IF NOT got THEN RETURN; END IF;",
}
# Before and behind the check.
AROUND = {
    "commits before it gives back": (
        "PERFORM pg_advisory_lock(d);", "COMMIT; PERFORM pg_advisory_unlock(d);", True),
    "gives all back": (
        "PERFORM pg_advisory_lock(4, d);", "COMMIT; PERFORM pg_advisory_unlock_all();", True),
    "gives another one back": (
        "PERFORM pg_advisory_lock(d);",
        "PERFORM pg_advisory_unlock(d + 1000); COMMIT; PERFORM pg_advisory_unlock(d);", True),
    "gives back before it commits": (
        "PERFORM pg_advisory_lock(d);", "PERFORM pg_advisory_unlock(d); COMMIT;", False),
    "gives back before it looks": (
        "PERFORM pg_advisory_lock(d); PERFORM pg_advisory_unlock(d);", "COMMIT;", False),
    "shared": (
        "PERFORM pg_advisory_lock_shared(d);", "COMMIT; PERFORM pg_advisory_unlock_shared(d);",
        False),
    "another one": (
        "PERFORM pg_advisory_lock(g);", "COMMIT; PERFORM pg_advisory_unlock(g);", False),
    "keeps it over a commit": (
        "PERFORM pg_advisory_lock(d); COMMIT;", "COMMIT; PERFORM pg_advisory_unlock(d);", True),
}
BROKEN = {
    "by another number": "PERFORM pg_advisory_xact_lock(g);",
    "shared": "PERFORM pg_advisory_xact_lock_shared(d);",
    "given back": "PERFORM pg_advisory_xact_lock(d); COMMIT;",
    "only tried": "PERFORM pg_try_advisory_xact_lock(d);",
    "tried, and asked wrongly": "IF pg_try_advisory_xact_lock(d) THEN n := 1; END IF;",
    "none at all": "PERFORM 1; PERFORM now();",
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

MYSQL = """import java.sql.*;
public class Desk {
    public boolean book(Connection open, int desk, int guest) throws SQLException {
        PreparedStatement lock =
            open.prepareStatement("SELECT GET_LOCK(CONCAT('desk', ?), $get)");
        lock.setInt(1, $of);
        ResultSet got = lock.executeQuery();
        $asks
        open.setAutoCommit(false);
        PreparedStatement look = open.prepareStatement("SELECT guest FROM stay WHERE desk = ?");
        look.setInt(1, desk);
        boolean isFree = !look.executeQuery().next();
        if (isFree) {
            PreparedStatement make =
                open.prepareStatement("INSERT INTO stay (desk, guest) VALUES (?, ?)");
            make.setInt(1, desk);
            make.setInt(2, guest);
            make.executeUpdate();
        }
        $before
        open.commit();
        $behind
        return isFree;
    }
}
"""
ASKS = "if (!got.next() || got.getInt(1) != 1) return false;"
RELEASE = """PreparedStatement release =
            open.prepareStatement("DO RELEASE_LOCK(CONCAT('desk', ?))");
        release.setInt(1, desk);
        release.execute();"""

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
            "DECLARE n int;\n  got boolean;\nBEGIN\n" + body + "END $$;\n")


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

    def test_a_lock_of_a_session_holds_until_it_is_given_back(self):
        for name, (lock, release, is_safe) in AROUND.items():
            with self.subTest(lock=name):
                text = routine(f"  {lock}\n{CHECK}  {release}\n")
                done = self.found(text, "--on=postgres")
                self.assertEqual(program.NOTHING_FOUND if is_safe else program.FOUND,
                                 done.returncode, done.stdout)
                if not is_safe:
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

    def test_a_table_is_locked_before_the_snapshot(self):
        for before, status in (
                ("", program.NOTHING_FOUND),
                ("SELECT floor INTO n FROM desk WHERE id = d;", program.FOUND)):
            for mode in ("EXCLUSIVE", "SHARE ROW EXCLUSIVE"):
                with self.subTest(before=before, mode=mode):
                    text = routine(f"  {before} LOCK TABLE stay IN {mode} MODE;\n{CHECK}")
                    done = self.found(text, "--isolation=postgres:repeatable-read",
                                      "--on=postgres")
                    self.assertEqual(status, done.returncode, done.stdout)
                    self.assertEqual(status == program.FOUND, "confirmed" in done.stdout)

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

    def test_clients_of_mysql_lock_by_name(self):
        self.write("tables.sql", "CREATE TABLE stay (id int AUTO_INCREMENT PRIMARY KEY, "
                                 "desk int NOT NULL, guest int NOT NULL);\n")
        for name, get, asks, before, behind, is_safe in (
                ("asked", "10", True, "", RELEASE, True),
                ("forever", "-1", False, "", RELEASE, True),
                ("never asked", "10", False, "", RELEASE, False),
                ("given back too early", "10", True, RELEASE, "", False),
                ("of another", "10", True, "", RELEASE.replace("desk", "guest"), False)):
            of = "guest" if name == "of another" else "desk"
            text = MYSQL.replace("$get", get).replace("$of", of).replace("$before", before)
            text = text.replace("$asks", ASKS if asks else "").replace("$behind", behind)
            self.write("Desk.java", text)
            for level in ("read-committed", "repeatable-read"):
                with self.subTest(lock=name, level=level):
                    done = self.heddle("find", "--dialect=mysql", "--autocommit=on",
                                       f"--isolation=mariadb:{level}", "--on=mariadb",
                                       "tables.sql", "Desk.java")
                    self.assertEqual(program.NOTHING_FOUND if is_safe else program.FOUND,
                                     done.returncode, done.stdout)
                    # That a lock is waited for in vain no run shows.
                    if not is_safe and name != "never asked":
                        self.assertIn("confirmed", done.stdout)

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
        self.assertIn("append FOR UPDATE to the SELECT at made.sql:7", done.stdout)


if __name__ == "__main__":
    unittest.main()
