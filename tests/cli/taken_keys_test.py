"""Keys that another row has already, and values that a check refuses: what the store looks at when
rows change, found and executed. A broken and a safe program in each style, with names of its own."""

import random
import unittest

import program

NAMES = [("seat", "place"), ("box", "shelf"), ("member", "nick")]

# A report that reads, and then gives a row another key.
PLPGSQL = """CREATE TABLE {row} (id int PRIMARY KEY, {key} int UNIQUE);
CREATE TABLE journal (id int PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION rename(p int, wanted int, page int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE before int;
BEGIN
  SELECT n INTO before FROM journal WHERE id = page{lock};
  UPDATE {row} SET {key} = wanted WHERE id = p;
  RETURN before;
END $$;
CREATE PROCEDURE claim(p int, wanted int, page int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE journal SET n = n + 1 WHERE id = page;
  INSERT INTO {row} VALUES (p + 1000, wanted);
END $$;
"""

# Several rows at once, and rows of a query.
JDBC = """import java.sql.*;

public class Maker {{
    public int copy(Connection open, int number) throws SQLException {{
        PreparedStatement look =
                open.prepareStatement("SELECT n FROM source WHERE id = ?{lock}");
        look.setInt(1, number);
        ResultSet rows = look.executeQuery();
        int found = rows.next() ? rows.getInt(1) : 0;
        PreparedStatement make = open.prepareStatement(
                "INSERT INTO {row} (id, {key}) SELECT id, 7 FROM source WHERE id = ?");
        make.setInt(1, number);
        make.executeUpdate();
        return found;
    }}

    public void fill(Connection open, int number) throws SQLException {{
        PreparedStatement count =
                open.prepareStatement("UPDATE source SET n = n + 1 WHERE id = ?");
        count.setInt(1, number);
        if (count.executeUpdate() == 0) {{
            return;
        }}
        PreparedStatement make = open.prepareStatement(
                "INSERT INTO {row} (id, {key}) VALUES (?, 1), (?, 2)");
        make.setInt(1, number);
        make.setInt(2, number + 1000);
        make.executeUpdate();
    }}
}}
"""
JDBC_TABLES = """CREATE TABLE source (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE {row} (id int PRIMARY KEY, {key} int NOT NULL);
"""

# A check of two columns, which two routines write.
SQL = """CREATE TABLE {row} (id int PRIMARY KEY, {key} int NOT NULL, used int NOT NULL,
  CHECK (used <= {key}));
CREATE FUNCTION size_of(p int) RETURNS int LANGUAGE sql AS $$
  SELECT {key} FROM {row} WHERE id = p{lock};
$$;
CREATE FUNCTION fill(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE before int;
BEGIN
  before := size_of(p);
  UPDATE {row} SET used = 8 WHERE id = p;
  RETURN before;
END $$;
CREATE PROCEDURE shrink(p int) LANGUAGE sql AS $$
  UPDATE {row} SET {key} = 5 WHERE id = p;
$$;
"""

# A row that would be refused is gone: who renames it is not refused any more.
GONE_TABLES = """CREATE TABLE owner (id int PRIMARY KEY);
CREATE TABLE {row} (id int PRIMARY KEY, {key} int NOT NULL{rule});
CREATE TABLE journal (id int PRIMARY KEY, n int NOT NULL);
"""
GONE_PLPGSQL = GONE_TABLES + """CREATE FUNCTION rename(p int, wanted int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE before int;
BEGIN
  SELECT n INTO before FROM journal WHERE id = p{lock};
  UPDATE {row} SET {key} = wanted WHERE id = p;
  RETURN before;
END $$;
CREATE PROCEDURE leave(p int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE journal SET n = n + 1 WHERE id = p;
  DELETE FROM {row} WHERE id = p;
END $$;
"""
GONE_JDBC = """import java.sql.*;

public class Maker {{
    public int rename(Connection open, int number, int wanted) throws SQLException {{
        PreparedStatement look =
                open.prepareStatement("SELECT n FROM journal WHERE id = ?{lock}");
        look.setInt(1, number);
        ResultSet rows = look.executeQuery();
        int before = rows.next() ? rows.getInt(1) : 0;
        PreparedStatement give =
                open.prepareStatement("UPDATE {row} SET {key} = ? WHERE id = ?");
        give.setInt(1, wanted);
        give.setInt(2, number);
        give.executeUpdate();
        return before;
    }}

    public void leave(Connection open, int number) throws SQLException {{
        PreparedStatement count =
                open.prepareStatement("UPDATE journal SET n = n + 1 WHERE id = ?");
        count.setInt(1, number);
        count.executeUpdate();
        PreparedStatement go = open.prepareStatement("DELETE FROM {row} WHERE id = ?");
        go.setInt(1, number);
        go.executeUpdate();
    }}
}}
"""
RULES = {" UNIQUE": "violates unique constraint", " CHECK ({key} > 3)": "violates check constraint",
         " REFERENCES owner (id)": "violates foreign key constraint"}


class TakenKeysTest(program.ProgramTest):

    def made(self, seed, text, lock):
        row, key = random.Random(seed).choice(NAMES)
        names = {"row": row, "key": key, "lock": lock}
        folder = self.folder / f"made{seed}{bool(lock)}"
        folder.mkdir()
        is_java = "class Maker" in text
        (folder / ("Maker.java" if is_java else "routines.sql")).write_text(text.format(**names))
        if is_java:
            (folder / "tables.sql").write_text(JDBC_TABLES.format(**names))
        return folder

    def test_what_is_refused_is_found_and_executed(self):
        for seed, (text, pair, error) in enumerate([
                (PLPGSQL, "rename and claim", "violates unique constraint"),
                (JDBC, "copy and fill", "violates unique constraint"),
                (SQL, "fill and shrink", "violates check constraint")]):
            with self.subTest(pair=pair):
                broken = self.made(seed, text, "")
                done = self.heddle("find", "--on=postgres", "--details=all", str(broken))
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
                self.assertRegex(done.stdout, rf"{pair} .*confirmed")
                self.assertIn(error, done.stdout)
                safe = self.made(seed, text, " FOR UPDATE")
                done = self.heddle("find", "--on=postgres", "--fail-on=confirmed", str(safe))
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                 done.stdout)

    def test_without_the_key_nothing_is_refused(self):
        folder = self.made(9, PLPGSQL, "")
        routines = folder / "routines.sql"
        routines.write_text(routines.read_text().replace(" UNIQUE", ""))
        done = self.heddle("find", str(folder))
        self.assertNotIn("write skew", done.stdout)

    def gone(self, number, text, rule, lock):
        row, key = NAMES[number % len(NAMES)]
        names = {"row": row, "key": key, "lock": lock, "rule": rule.format(key=key)}
        folder = self.folder / f"gone{number}{bool(lock)}"
        folder.mkdir()
        if text is GONE_JDBC:
            (folder / "Maker.java").write_text(text.format(**names))
            text = GONE_TABLES
        (folder / "routines.sql").write_text(text.format(**names))
        return str(folder)

    def test_that_a_row_is_gone_is_seen_by_who_would_be_refused(self):
        for number, (text, rule) in enumerate(
                (text, rule) for text in (GONE_PLPGSQL, GONE_JDBC) for rule in RULES):
            with self.subTest(text=text[:20], rule=rule):
                done = self.heddle("find", "--on=postgres", "--details=all",
                                   self.gone(number, text, rule, ""))
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
                self.assertRegex(done.stdout, "read skew: rename and leave .*confirmed")
                self.assertIn(RULES[rule], done.stdout)
                done = self.heddle("find", self.gone(number, text, rule, " FOR UPDATE"))
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                 done.stdout)
        for number, text in enumerate((GONE_PLPGSQL, GONE_JDBC)):
            done = self.heddle("find", self.gone(10 + number, text, "", ""))
            self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                             done.stdout)


if __name__ == "__main__":
    unittest.main()
