"""Queues of jobs in a table: who takes the first job that nobody has locked, and what is wrong with
some of those who do it otherwise."""

import unittest

import program

TABLE = """CREATE TABLE job (id int PRIMARY KEY, state text NOT NULL, tries int NOT NULL, since date);
"""
PICK = """  SELECT id INTO v FROM job WHERE state = 'new' ORDER BY id LIMIT 1{lock};
  IF NOT FOUND THEN RETURN; END IF;
"""
DONE = "  UPDATE job SET state = 'done', tries = tries + 1 WHERE id = v;\n"
GONE = "  DELETE FROM job WHERE id = v;\n"
SKIP = " FOR UPDATE SKIP LOCKED"
EACH = """  FOR r IN SELECT id FROM job WHERE state = 'new'{limit}{lock} LOOP
    UPDATE job SET state = 'done' WHERE id = r.id;
  END LOOP;
"""


def routine(body, name="take"):
    return (f"CREATE PROCEDURE {name}(i int) LANGUAGE plpgsql AS $$\n"
            f"DECLARE v int; r record;\nBEGIN\n{body}END $$;\n")


FIRST = "SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1"
# In one statement.
AT_ONCE = (
    "UPDATE job SET state = 'done' WHERE id = ({first});",
    "UPDATE job SET state = 'done' WHERE id IN ({first});",
    "DELETE FROM job WHERE id = ANY ({first}) RETURNING id INTO v;",
    "WITH next AS ({first}) UPDATE job SET state = 'done', tries = tries + 1 FROM next "
    "WHERE job.id = next.id RETURNING job.id INTO v;",
    "WITH next AS ({first}) UPDATE job j SET state = 'done' WHERE j.id = (SELECT id FROM next);",
    "WITH next AS MATERIALIZED ({first}) DELETE FROM job AS j USING next n WHERE j.id = n.id;",
)
PUT = routine("  INSERT INTO job VALUES (i, 'new', 0, NULL);\n", "put")
SAFE = {
    "passes over": routine(PICK.format(lock=SKIP) + DONE),
    "passes over, beside who adds": routine(PICK.format(lock=SKIP) + GONE) + PUT,
    "deletes": routine(PICK.format(lock=" FOR NO KEY UPDATE SKIP LOCKED") + GONE),
    "in any order": routine(PICK.format(lock=SKIP).replace("ORDER BY id ", "") + GONE),
    "some at once": routine(EACH.format(limit=" ORDER BY id LIMIT 10", lock=SKIP)),
    "all at once": routine(EACH.format(limit="", lock=SKIP)),
    "by the clock": routine(
        "  FOR r IN SELECT id FROM job WHERE since IS NULL ORDER BY id FOR UPDATE SKIP LOCKED LOOP\n"
        "    UPDATE job SET since = now() WHERE id = r.id;\n  END LOOP;\n"),
    "a given one": routine("  PERFORM 1 FROM job WHERE id = i AND state = 'new' FOR UPDATE SKIP "
                           "LOCKED;\n  IF NOT FOUND THEN RETURN; END IF;\n"
                           "  UPDATE job SET state = 'done' WHERE id = i;\n"),
}
BROKEN = {
    "no lock": (routine(PICK.format(lock="") + DONE), ("read-committed", )),
    "given up before it is marked": (
        routine(PICK.format(lock=SKIP) + "  COMMIT;\n" + DONE),
        ("read-committed", "repeatable-read")),
    "given back": (
        routine(PICK.format(lock=SKIP) + "  IF v = i THEN RETURN; END IF;\n" + GONE),
        ("read-committed", "repeatable-read")),
    "passed over because it is looked at": (
        routine(PICK.format(lock=SKIP) + GONE) +
        routine("  UPDATE job SET tries = tries + 1 WHERE id = i;\n", "touch"),
        ("read-committed", "repeatable-read")),
    # The first one alone is locked.
    "another is counted": (
        routine("  SELECT id INTO v FROM job WHERE id >= i ORDER BY id LIMIT 1 FOR UPDATE;\n"
                "  IF (SELECT count(*) FROM job WHERE state = 'new') > 1 THEN\n"
                "    UPDATE job SET state = 'done' WHERE id = v;\n  END IF;\n"),
        ("read-committed", "repeatable-read")),
}
JAVA = """import java.sql.*;
public class Worker {
    public void work(Connection open) throws SQLException {
        open.setAutoCommit(false);
        int id;
        try (PreparedStatement next = open.prepareStatement(
                "SELECT id FROM job WHERE state = ? ORDER BY id LIMIT 1%s")) {
            next.setString(1, "new");
            ResultSet rows = next.executeQuery();
            if (!rows.next()) {
                open.rollback();
                return;
            }
            id = rows.getInt("id");
        }
        try (PreparedStatement done = open.prepareStatement(
                "UPDATE job SET state = ? WHERE id = ?")) {
            done.setString(1, "done");
            done.setInt(2, id);
            done.executeUpdate();
        }
        open.commit();
    }
}
"""


class QueuesTest(program.ProgramTest):

    def find(self, *arguments):
        return self.heddle("find", "--no-progress", *arguments)

    def test_who_passes_over_locked_jobs_takes_another(self):
        for name, text in SAFE.items():
            self.write("queue.sql", TABLE + text)
            for level in ("read-committed", "repeatable-read"):
                with self.subTest(queue=name, level=level):
                    done = self.find(f"--isolation=postgres:{level}", "queue.sql")
                    self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_one_statement_is_enough(self):
        for text in AT_ONCE:
            for lock in (SKIP, " FOR UPDATE"):
                self.write("queue.sql", TABLE + routine(text.format(first=FIRST + lock) + "\n"))
                for level in ("read-committed", "repeatable-read"):
                    with self.subTest(queue=text, lock=lock, level=level):
                        done = self.find(f"--isolation=postgres:{level}", "queue.sql")
                        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_one_statement_without_a_lock_is_not(self):
        for text in AT_ONCE:
            with self.subTest(queue=text):
                self.write("queue.sql", TABLE + routine(text.format(first=FIRST) + "\n"))
                done = self.find("--isolation=postgres:read-committed", "--on=postgres",
                                 "--internal", "queue.sql")
                self.assertEqual(program.FOUND, done.returncode, done.stdout)
                self.assertIn("confirmed", done.stdout)

    def test_the_others_are_confirmed(self):
        for name, (text, levels) in BROKEN.items():
            self.write("queue.sql", TABLE + text)
            for level in levels:
                with self.subTest(queue=name, level=level):
                    done = self.find(f"--isolation=postgres:{level}", "--on=postgres", "queue.sql")
                    self.assertEqual(program.FOUND, done.returncode, done.stdout)
                    self.assertIn("confirmed", done.stdout)

    def test_it_is_told_who_passes_over_what(self):
        self.write("queue.sql", TABLE + BROKEN["given back"][0])
        done = self.find("--isolation=postgres:read-committed", "queue.sql")
        self.assertIn("T1 (line 5) locks a row of job, which T2 (line 5) passes over", done.stdout)
        self.assertIn("T2 (line 5) passes over a row of job that T1 (line 5) leaves in it",
                      done.stdout)

    def test_java(self):
        self.write("schema.sql", TABLE)
        for lock, status in ((SKIP, program.NOTHING_FOUND), ("", program.FOUND)):
            self.write("Worker.java", JAVA % lock)
            for level, dialect in (("postgres:read-committed", "postgres"),
                                   ("mariadb:read-committed", "mysql"),
                                   ("mariadb:repeatable-read", "mysql")):
                with self.subTest(lock=lock, level=level):
                    done = self.find(f"--isolation={level}", f"--dialect={dialect}",
                                     "schema.sql", "Worker.java")
                    self.assertEqual(status, done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
