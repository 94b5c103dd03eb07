"""Statements that change rows within WITH: each of these changes is one of the program."""

import random
import unittest

import program

TABLES = """CREATE TABLE {queue} (id int PRIMARY KEY, body int NOT NULL);
CREATE TABLE {done} (id int PRIMARY KEY, body int NOT NULL);
"""
MOVE = """  WITH moved AS (DELETE FROM {queue} WHERE id = what RETURNING id, body)
  INSERT INTO {done} (id, body) SELECT id, body FROM moved;
"""

# Two routines, and the name of what goes wrong between them at read committed; none: nothing does.
PROGRAMS = {
    # Nobody sees a row twice or never, unless he asks twice.
    "moved once": (MOVE, None, None),
    "looked for twice": (
        MOVE, """  SELECT count(*) INTO n FROM {queue} WHERE id = what;
  SELECT count(*) INTO m FROM {done} WHERE id = what;
  RETURN n + m;
""", "read skew: run and look"),
    "looked for once": (
        MOVE, """  SELECT count(*) INTO n FROM
    (SELECT id FROM {queue} WHERE id = what UNION ALL SELECT id FROM {done} WHERE id = what) both_of;
  RETURN n;
""", None),
    # What it decides by is deleted.
    "acts on what is gone": (
        MOVE, """  SELECT body INTO n FROM {queue} WHERE id = what;
  IF found THEN
    UPDATE {done} SET body = body + 1 WHERE id = what;
  END IF;
  RETURN n;
""", "run and look"),
    # The second one waits for the first, and then finds nothing.
    "the first one is taken by both": (
        """  WITH taken AS (DELETE FROM {queue}
      WHERE id = (SELECT min(id) FROM {queue}) RETURNING id, body)
  SELECT body INTO n FROM taken;
  IF n IS NULL THEN
    INSERT INTO {done} VALUES (what, 0);
  END IF;
""", None, "run twice"),
    "an update finds none": (
        """  WITH changed AS (UPDATE {queue} SET body = body + 1 WHERE body = what RETURNING id)
  INSERT INTO {queue} (id, body) SELECT what * 10 + other, what
    WHERE NOT EXISTS (SELECT FROM changed);
""", None, "phantom: run twice"),
}


def made(seed, name):
    names = random.Random(seed)
    tables = {"queue": names.choice(["job", "outbox", "inbox"]),
              "done": names.choice(["archive", "history", "sent"])}
    first, second, _ = PROGRAMS[name]
    routine = "CREATE FUNCTION {}(what int, other int) RETURNS int LANGUAGE plpgsql AS $$\n" \
              "DECLARE n int; m int;\nBEGIN\n{}END $$;\n"
    text = TABLES.format(**tables)
    text += routine.format("run", first.format(**tables) + "  RETURN n;\n")
    if second is not None:
        text += routine.format("look", second.format(**tables))
    return text


class InnerWritesTest(program.ProgramTest):

    def test_each_change_is_one_of_the_program(self):
        for seed, (name, (_, _, wrong)) in enumerate(PROGRAMS.items()):
            with self.subTest(program=name):
                self.write("made.sql", made(seed, name))
                done = self.heddle("find", "--isolation=postgres:read-committed", "--on=postgres",
                                   "--fail-on=confirmed", "--details=none", "made.sql")
                self.assertEqual("", done.stderr)
                if wrong is None:
                    self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
                    continue
                self.assertEqual(program.FOUND, done.returncode, done.stdout)
                self.assertRegex(done.stdout, rf"{wrong} .*confirmed")

    def test_serializable_keeps_all_of_them_apart(self):
        for seed, name in enumerate(PROGRAMS):
            with self.subTest(program=name):
                self.write("made.sql", made(seed + 20, name))
                done = self.heddle("find", "--isolation=serializable", "made.sql")
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                 done.stdout)

    def test_a_part_is_shown_beside_the_whole(self):
        self.write("made.sql", made(3, "looked for twice"))
        listed = self.heddle("find", "--list-statements", "made.sql")
        self.assertEqual((program.NOTHING_FOUND, ""), (listed.returncode, listed.stderr))
        self.assertRegex(listed.stdout, r"DELETE FROM \w+ WHERE id = what RETURNING id, body\n")
        printed = self.heddle("find", "--print-program", "made.sql")
        self.assertEqual((program.NOTHING_FOUND, ""), (printed.returncode, printed.stderr))
        self.assertEqual(1, printed.stdout.count("DELETE FROM"))

    def test_a_client_in_java_takes_from_a_queue(self):
        (self.folder / "app").mkdir()
        self.write("app/schema.sql", TABLES.format(queue="job", done="archive"))
        self.write("app/Worker.java", '''import java.sql.*;
public class Worker {
    public int next(Connection open) throws SQLException {
        try (PreparedStatement take = open.prepareStatement(
                "WITH one AS (DELETE FROM job WHERE id = (SELECT MIN(id) FROM job) RETURNING *) "
                + "SELECT id, body FROM one");
                ResultSet rows = take.executeQuery()) {
            return rows.next() ? rows.getInt("body") : 0;
        }
    }
}
''')
        done = self.heddle("find", "--on=postgres", "app")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        self.assertRegex(done.stdout, r"next twice .*confirmed")


if __name__ == "__main__":
    unittest.main()
