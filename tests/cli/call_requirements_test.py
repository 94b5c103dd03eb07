"""Arguments that callers exclude: causes that need equal arguments of one call say so, and facts of
arguments leave them out. A broken and a safe program in each style, with names of its own."""

import json
import random
import re
import unittest

import program

NAMES = [("jar", "pour", "refill"), ("shelf", "shift", "deliver"), ("tank", "drain", "top_up")]

# Who copies from one row to another waits for others who do, and not for who changes a row.
PLPGSQL = """CREATE TABLE gate (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE {row} (id int PRIMARY KEY, amount int NOT NULL);
CREATE PROCEDURE {copy}(source int, target int) LANGUAGE plpgsql AS $$
DECLARE held int; found int;
BEGIN
  SELECT n INTO STRICT held FROM gate WHERE id = 1 FOR UPDATE;
  SELECT amount INTO found FROM {row} WHERE id = source{lock};
  UPDATE {row} SET amount = found + 1 WHERE id = target;
END $$;
CREATE PROCEDURE {change}(which int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE {row} SET amount = amount + 5 WHERE id = which;
END $$;
"""

JDBC_TABLES = """CREATE TABLE gate (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE {row} (id int PRIMARY KEY, amount int NOT NULL);
"""
JDBC = """import java.sql.*;

public class Keeper {{
    public void {copy}(Connection open, int source, int target) throws SQLException {{
        PreparedStatement wait = open.prepareStatement("SELECT n FROM gate WHERE id = 1 FOR UPDATE");
        if (!wait.executeQuery().next()) {{
            return;
        }}
        PreparedStatement look =
                open.prepareStatement("SELECT amount FROM {row} WHERE id = ?{lock}");
        look.setInt(1, source);
        ResultSet rows = look.executeQuery();
        int found = rows.next() ? rows.getInt(1) : 0;
        PreparedStatement put = open.prepareStatement("UPDATE {row} SET amount = ? WHERE id = ?");
        put.setInt(1, found + 1);
        put.setInt(2, target);
        put.executeUpdate();
    }}

    public void {change}(Connection open, int which) throws SQLException {{
        PreparedStatement put =
                open.prepareStatement("UPDATE {row} SET amount = amount + 5 WHERE id = ?");
        put.setInt(1, which);
        put.executeUpdate();
    }}
}}
"""

# By routines that call others.
SQL = """CREATE TABLE gate (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE {row} (id int PRIMARY KEY, amount int NOT NULL);
CREATE FUNCTION amount_of(p int) RETURNS int LANGUAGE sql AS $$
  SELECT amount FROM {row} WHERE id = p{lock};
$$;
CREATE PROCEDURE {copy}(source int, target int) LANGUAGE plpgsql AS $$
DECLARE held int; found int;
BEGIN
  SELECT n INTO STRICT held FROM gate WHERE id = 1 FOR UPDATE;
  found := amount_of(source);
  UPDATE {row} SET amount = found + 1 WHERE id = target;
END $$;
CREATE PROCEDURE {change}(which int) LANGUAGE sql AS $$
  UPDATE {row} SET amount = amount + 5 WHERE id = which;
$$;
"""

ONLY = "only with equal arguments"


class CallRequirementsTest(program.ProgramTest):

    def made(self, seed, text, lock=""):
        row, copy, change = random.Random(seed).choice(NAMES)
        names = {"row": row, "copy": copy, "change": change, "lock": lock}
        folder = self.folder / f"made{seed}{bool(lock)}"
        folder.mkdir()
        is_java = "class Keeper" in text
        (folder / ("Keeper.java" if is_java else "routines.sql")).write_text(text.format(**names))
        if is_java:
            (folder / "tables.sql").write_text(JDBC_TABLES.format(**names))
        return folder, copy, change

    def known(self, text):
        file = self.folder / "known.txt"
        file.write_text(text)
        return f"--constraints={file}"

    def test_a_cause_that_needs_equal_arguments_says_so_and_is_excluded(self):
        for seed, text in enumerate([PLPGSQL, JDBC, SQL]):
            with self.subTest(seed=seed):
                broken, copy, change = self.made(seed, text)
                done = self.heddle("find", "--on=postgres", "--details=all", f"--entry={copy}",
                                   f"--entry={change}", str(broken))
                self.assertEqual(program.FOUND, done.returncode, done.stderr + done.stdout)
                self.assertRegex(done.stdout, rf"lost update: .*{copy}.*{ONLY}.*confirmed")
                self.assertRegex(done.stdout, rf"{ONLY}: +source = target in T\d")
                for folder, known in [
                        (broken, f"requires {copy} {{ source <> target }}"),
                        (self.made(seed, text, " FOR UPDATE")[0], f"requires {copy} {{ true }}")]:
                    done = self.heddle("find", "--on=postgres", f"--entry={copy}",
                                       f"--entry={change}", self.known(known), str(folder))
                    self.assertEqual(program.NOTHING_FOUND, done.returncode,
                                     done.stderr + done.stdout)

    def test_different_arguments_are_tried_first_and_requirements_are_heeded(self):
        folder, copy, change = self.made(4, PLPGSQL.replace(" FOR UPDATE", ""))
        for known, is_kept in [("true", lambda a, b: a != b),
                               ("source < target", lambda a, b: a < b),
                               ("source = target + 3", lambda a, b: a == b + 3)]:
            done = self.heddle("find", "--on=postgres", "--format=json",
                               self.known(f"requires {copy} {{ {known} }}"), str(folder))
            self.assertEqual(program.FOUND, done.returncode, done.stderr)
            causes = json.loads(done.stdout)["causes"]
            seen = 0
            for cause in causes:
                if cause["status"] != "confirmed" or cause.get("only_with_equal_arguments"):
                    continue
                calls = re.findall(rf"{copy}\((\d+), (\d+)\)", json.dumps(cause["finding"]))
                seen += len(calls)
                for a, b in calls:
                    self.assertTrue(is_kept(int(a), int(b)), (known, a, b))
            self.assertGreater(seen, 0)
            equal = [c for c in causes if c.get("only_with_equal_arguments")]
            self.assertEqual(known == "true", bool(equal))
            for cause in equal:
                self.assertEqual(["source", "target"],
                                 cause["cores"][0]["equal_arguments"][0]["arguments"])
            # Among equals they come last.
            flags = [bool(c.get("only_with_equal_arguments")) for c in causes
                     if c.get("effect") == "internal"]
            self.assertEqual(sorted(flags), flags)

    def test_what_the_program_does_not_have_has_a_place(self):
        folder, copy, _ = self.made(5, PLPGSQL)
        row = random.Random(5).choice(NAMES)[0]
        self.write("cut.json", json.dumps({"one": ["gate"], "other": [row]}))
        for text, place, what in [
                (f"# callers\nrequires {copy}x {{ source > 0 }}", "2:10",
                 f'there is no functionality "{copy}x"'),
                (f"requires {copy} {{\n  source <> sorce }}", "2:13",
                 f'{copy} has no parameter "sorce", did you mean "source"?'),
                (f"requires {copy} {{ source <> }}", None, "syntax error"),
                (f"requires {copy} {{ source + target }}", "1:10", "cannot be computed"),
                (f"requires {copy} {{ abs(source) > 0 }}", "1:10", "cannot be computed"),
                (f"requires {copy} {{ source IN (SELECT 1) }}", None, "no condition")]:
            for command in (["find"], ["split", "--services=cut.json"]):
                self.assert_trouble(f"known.txt:{place or ''}.*{what}", *command,
                                    self.known(text), str(folder))


if __name__ == "__main__":
    unittest.main()
