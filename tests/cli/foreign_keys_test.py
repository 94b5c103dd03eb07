"""Rows that have to be there for others: what foreign keys check, found and executed. A broken and a
safe program in each style, with names of its own."""

import random
import unittest

import program

NAMES = [("team", "player"), ("shelf", "box"), ("author", "text")]

TABLES = """CREATE TABLE {one} (id int PRIMARY KEY, size int NOT NULL);
CREATE TABLE {many} (id int PRIMARY KEY, {one}_id int NOT NULL REFERENCES {one} (id));
"""

# Looks whether something refers to a row, and deletes it where nothing does.
PLPGSQL = """CREATE PROCEDURE remove(which int) LANGUAGE plpgsql AS $$
BEGIN
{lock}  IF NOT EXISTS (SELECT 1 FROM {many} WHERE {one}_id = which) THEN
    DELETE FROM {one} WHERE id = which;
  END IF;
END $$;
CREATE PROCEDURE add_one(number int, which int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO {many} (id, {one}_id) VALUES (number, which);
END $$;
"""
PLPGSQL_LOCK = """  PERFORM 1 FROM {one} WHERE id = which FOR UPDATE;
  IF NOT found THEN RETURN; END IF;
"""

# Looks whether a row is there, and refers to it.
JDBC = """import java.sql.*;

public class Keeper {{
    public boolean addOne(Connection open, int number, int which) throws SQLException {{
        PreparedStatement look =
                open.prepareStatement("SELECT size FROM {one} WHERE id = ?{lock}");
        look.setInt(1, which);
        if (!look.executeQuery().next()) {{
            return false;
        }}
        PreparedStatement make =
                open.prepareStatement("INSERT INTO {many} (id, {one}_id) VALUES (?, ?)");
        make.setInt(1, number);
        make.setInt(2, which);
        return make.executeUpdate() == 1;
    }}

    public int remove(Connection open, int which) throws SQLException {{
        PreparedStatement gone = open.prepareStatement("DELETE FROM {one} WHERE id = ?");
        gone.setInt(1, which);
        return gone.executeUpdate();
    }}
}}
"""

# One statement each, in SQL; rows go to another one, whose own goes.
SQL = """CREATE FUNCTION size_of(which int) RETURNS int LANGUAGE sql AS $$
  SELECT size FROM {one} WHERE id = which{lock};
$$;
CREATE PROCEDURE move(number int, which int) LANGUAGE plpgsql AS $$
DECLARE found_size int;
BEGIN
  found_size := size_of(which);
  IF found_size IS NULL THEN RETURN; END IF;
  UPDATE {many} SET {one}_id = which WHERE id = number;
END $$;
CREATE PROCEDURE remove(which int) LANGUAGE sql AS $$
  DELETE FROM {one} WHERE id = which;
$$;
"""


class ForeignKeysTest(program.ProgramTest):

    def made(self, seed, text, lock):
        one, many = random.Random(seed).choice(NAMES)
        names = {"one": one, "many": many}
        folder = self.folder / f"made{seed}{bool(lock)}"
        folder.mkdir()
        name = "Keeper.java" if "class Keeper" in text else "routines.sql"
        body = text.format(lock=lock.format(**names), **names)
        tables = TABLES.format(**names)
        (folder / "tables.sql").write_text(tables)
        (folder / name).write_text(body)
        return folder

    def test_checks_are_found_and_executed(self):
        for seed, (text, lock, one, other) in enumerate([
                (PLPGSQL, PLPGSQL_LOCK, "remove", "add_one"),
                (JDBC, " FOR SHARE", "addOne", "remove"),
                (SQL, " FOR SHARE", "move", "remove")]):
            with self.subTest(one=one):
                broken = self.made(seed, text, "")
                done = self.heddle("find", "--on=postgres", str(broken))
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
                self.assertRegex(done.stdout, rf"{one} and {other} .*confirmed")
                self.assertIn("violates foreign key constraint", done.stdout)
                safe = self.made(seed, text, lock)
                done = self.heddle("find", "--on=postgres", "--fail-on=confirmed", str(safe))
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                 done.stdout)

    def test_a_table_without_references_has_none(self):
        folder = self.made(9, PLPGSQL, "")
        tables = (folder / "tables.sql").read_text()
        (folder / "tables.sql").write_text(tables[:tables.index(" REFERENCES")] + ");\n")
        done = self.heddle("find", str(folder))
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)


if __name__ == "__main__":
    unittest.main()
