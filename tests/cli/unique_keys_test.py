"""Unique keys that are not the primary one name rows: what needs two rows with one of them, or two
INSERTs that both make one, is not found. A broken and a safe program in each style, with names of
its own, and the safe one without its key."""

import random
import unittest

import program

NAMES = [("tag", "code", "uses"), ("badge", "holder", "visits"), ("plate", "letters", "fines")]

# What two rows of one key would let happen.
PLPGSQL = """CREATE TABLE {row} (id int PRIMARY KEY, {key} int NOT NULL{unique});
CREATE TABLE total (id int PRIMARY KEY, {count} int NOT NULL);
CREATE PROCEDURE bump(wanted int, other int) LANGUAGE plpgsql AS $$
DECLARE one int; two int; found int;
BEGIN
  SELECT id INTO one FROM {row} WHERE {key} = wanted;
  SELECT id INTO two FROM {row} WHERE {key} = {second};
  IF one <> two THEN
    SELECT {count} INTO found FROM total WHERE id = 1;
    UPDATE total SET {count} = found + 1 WHERE id = 1;
  END IF;
END $$;
"""

JDBC_TABLES = """CREATE TABLE {row} (id int PRIMARY KEY, {key} int NOT NULL{unique});
CREATE TABLE total (id int PRIMARY KEY, {count} int NOT NULL);
"""
JDBC = """import java.sql.*;

public class Counter {{
    public void bump(Connection open, int wanted, int other) throws SQLException {{
        PreparedStatement look = open.prepareStatement("SELECT id FROM {row} WHERE {key} = ?");
        look.setInt(1, wanted);
        ResultSet rows = look.executeQuery();
        if (!rows.next()) {{
            return;
        }}
        int one = rows.getInt(1);
        look.setInt(1, {second});
        rows = look.executeQuery();
        if (!rows.next() || rows.getInt(1) == one) {{
            return;
        }}
        PreparedStatement read = open.prepareStatement("SELECT {count} FROM total WHERE id = 1");
        ResultSet counts = read.executeQuery();
        int found = counts.next() ? counts.getInt(1) : 0;
        PreparedStatement put = open.prepareStatement("UPDATE total SET {count} = ? WHERE id = 1");
        put.setInt(1, found + 1);
        put.executeUpdate();
    }}
}}
"""

SQL = """CREATE TABLE {row} (id int PRIMARY KEY, {key} int NOT NULL{unique});
CREATE TABLE total (id int PRIMARY KEY, {count} int NOT NULL);
CREATE FUNCTION row_of(wanted int) RETURNS int LANGUAGE sql AS $$
  SELECT id FROM {row} WHERE {key} = wanted;
$$;
CREATE PROCEDURE bump(wanted int, other int) LANGUAGE plpgsql AS $$
DECLARE found int;
BEGIN
  IF row_of(wanted) <> row_of({second}) THEN
    SELECT {count} INTO found FROM total WHERE id = 1;
    UPDATE total SET {count} = found + 1 WHERE id = 1;
  END IF;
END $$;
"""

# Of two who make a row with one key the second one waits, and is refused.
CLAIM = """CREATE TABLE {row} (id int PRIMARY KEY, {key} int NOT NULL{unique});
CREATE TABLE total (id int PRIMARY KEY, {count} int NOT NULL);
CREATE PROCEDURE bump(made int, wanted int) LANGUAGE plpgsql AS $$
DECLARE found int;
BEGIN
  INSERT INTO {row} (id, {key}) VALUES (made, wanted);
  SELECT {count} INTO found FROM total WHERE id = wanted;
  UPDATE total SET {count} = found + 1 WHERE id = wanted;
END $$;
"""


class UniqueKeysTest(program.ProgramTest):

    def made(self, seed, text, second, unique):
        row, key, count = random.Random(seed).choice(NAMES)
        names = {"row": row, "key": key, "count": count, "second": second, "unique": unique}
        folder = self.folder / f"made{seed}{second}{bool(unique)}"
        folder.mkdir()
        is_java = "class Counter" in text
        (folder / ("Counter.java" if is_java else "routines.sql")).write_text(text.format(**names))
        if is_java:
            (folder / "tables.sql").write_text(JDBC_TABLES.format(**names))
        return str(folder)

    def found(self, folder, *more):
        return self.heddle("find", "--entry=bump", *more, folder)

    def test_a_key_names_one_row(self):
        for seed, text in enumerate([PLPGSQL, JDBC, SQL]):
            with self.subTest(seed=seed):
                done = self.found(self.made(seed, text, "other", " UNIQUE"), "--on=postgres")
                self.assertEqual(program.FOUND, done.returncode, done.stderr)
                self.assertRegex(done.stdout, "lost update: bump twice .*confirmed")
                done = self.found(self.made(seed, text, "wanted", " UNIQUE"))
                self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout + done.stderr)
                done = self.found(self.made(seed, text, "wanted", ""))
                self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)

    def test_who_makes_a_row_with_a_key_waits_for_others(self):
        done = self.found(self.made(3, CLAIM, "none", ""), "--on=postgres")
        self.assertRegex(done.stdout, "lost update: bump twice .*confirmed")
        done = self.found(self.made(3, CLAIM, "none", " UNIQUE"))
        self.assertNotIn("lost update", done.stdout)
        # Copies that do not see each other may both have it.
        done = self.found(self.made(4, CLAIM, "none", " UNIQUE"), "--isolation=eventual")
        self.assertIn("lost update", done.stdout)

    def test_rows_that_are_made_up_have_keys_of_their_own(self):
        self.write("routines.sql", """CREATE TABLE slot (id int PRIMARY KEY, n int NOT NULL,
  code int DEFAULT 7 UNIQUE, note int, place text NOT NULL DEFAULT 'x', floor int,
  UNIQUE (place, floor), UNIQUE NULLS NOT DISTINCT (note));
CREATE PROCEDURE bump(one int, other int) LANGUAGE plpgsql AS $$
DECLARE found int;
BEGIN
  SELECT n INTO STRICT found FROM slot WHERE id = one;
  UPDATE slot SET n = found + 1 WHERE id = other;
END $$;
""")
        done = self.found("routines.sql", "--on=postgres")
        self.assertRegex(done.stdout, "write skew: bump twice .*confirmed")
        self.assertNotIn("not executable", done.stdout)


if __name__ == "__main__":
    unittest.main()
