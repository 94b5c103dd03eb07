"""Checks before an INSERT: EXISTS, NOT EXISTS, counts, groups, joins, an INSERT that looks itself. Each
program is searched, and all interleavings of two of its calls are run beside that."""

import random
import unittest

import program

TABLES = """CREATE TABLE {guard} (id int PRIMARY KEY, level int NOT NULL);
CREATE TABLE {table} (id serial PRIMARY KEY, {column} int NOT NULL, place int NOT NULL);
"""

CHECKS = {
    "if exists": """  IF EXISTS (SELECT 1 FROM {table} WHERE {column} = what) THEN
    RETURN;
  END IF;
  INSERT INTO {table} ({column}, place) VALUES (what, 1);
""",
    "if not exists": """  IF NOT EXISTS (SELECT * FROM {table} x
      WHERE x.{column} = what AND place = 1) THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 1);
  END IF;
""",
    "count": """  SELECT count(*) INTO n FROM {table} WHERE {column} = what;
  IF n = 0 THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "found": """  PERFORM 1 FROM {table} WHERE {column} = what LIMIT 1;
  IF NOT found THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "one statement": """  INSERT INTO {table} ({column}, place)
    SELECT what, 1 WHERE NOT EXISTS (SELECT 1 FROM {table} WHERE {column} = what);
""",
    "not in": """  IF what NOT IN (SELECT {column} FROM {table} WHERE place = 4) THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 4);
  END IF;
""",
    "subquery": """  IF (SELECT count(*) FROM {table} x WHERE x.{column} = what) < 1 THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "of another table": """  INSERT INTO {table} ({column}, place)
    SELECT what, id FROM {guard} WHERE id = 1
      AND NOT EXISTS (SELECT 1 FROM {table} x WHERE x.{column} = what);
""",
    "distinct": """  SELECT DISTINCT place INTO n FROM {table} WHERE {column} = what;
  IF NOT found THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "group": """  SELECT count(*) INTO n FROM {table} WHERE {column} = what GROUP BY {column};
  IF n IS NULL THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "having": """  PERFORM {column} FROM {table} WHERE {column} = what
    GROUP BY {column} HAVING count(*) > 0;
  IF NOT found THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "union": """  PERFORM place FROM {table} WHERE {column} = what
    UNION SELECT place FROM {table} WHERE {column} = -what;
  IF NOT found THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "no table": """  SELECT count(*) INTO n FROM {table} WHERE {column} = what;
  PERFORM 1 WHERE n > 0;
  IF NOT found THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "rows of a function": """  IF NOT EXISTS (SELECT 1 FROM {table} WHERE {column} = what) THEN
    INSERT INTO {table} ({column}, place) SELECT what, place FROM generate_series(1, 2) AS place;
  END IF;
""",
    "offset": """  PERFORM id FROM {table} WHERE {column} = what ORDER BY id OFFSET 0;
  IF NOT found THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "derived": """  SELECT d.many INTO n
    FROM (SELECT count(*) AS many FROM {table} WHERE {column} = what) d;
  IF n = 0 THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "left join": """  SELECT x.place INTO n FROM {guard} g LEFT JOIN {table} x ON x.{column} = what
    WHERE g.id = 1;
  IF n IS NULL THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "anti join": """  PERFORM g.level FROM {guard} g LEFT JOIN {table} x ON x.{column} = what
    WHERE g.id = 1 AND x.id IS NULL;
  IF found THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
""",
    "one statement with a name": """  INSERT INTO {table} ({column}, place)
    SELECT what, 3
    WHERE NOT EXISTS (SELECT x.id FROM {table} AS x WHERE x.{column} = what AND x.place = 3)
    RETURNING id INTO n;
""",
}
# The derived table has the name of the one around it, whose value is another one.
HIDDEN = """  IF what < 1 THEN
    RETURN;
  END IF;
  SELECT count(*) INTO n FROM {guard} g WHERE g.id = 1 AND g.level = 0 AND EXISTS
    (SELECT 1 FROM {table} x, (SELECT what AS level) g WHERE x.{column} = g.level);
  IF n = 0 THEN
    INSERT INTO {table} ({column}, place) VALUES (what, 2);
  END IF;
"""

LOCK = "  PERFORM 1 FROM {guard} WHERE id = 1 FOR UPDATE;\n"


class Made:
    """A program with names of its own."""

    def __init__(self, seed, check, is_locked=False):
        names = random.Random(seed)
        self.names = {"table": names.choice(["seat", "booking", "member", "vote"]),
                      "column": names.choice(["number", "code", "who"]),
                      "guard": names.choice(["gate", "mutex"])}
        self.routine = names.choice(["take", "register", "claim"])
        lock = LOCK if is_locked else ""
        self.text = (TABLES + f"CREATE PROCEDURE {self.routine}(what int) LANGUAGE plpgsql AS $$\n"
                     "DECLARE n int;\nBEGIN\n" + lock + CHECKS.get(check, check) + "END $$;\n"
                     ).format(**self.names)

    def scenario(self):
        """Two calls with the same argument, and a row to lock."""
        tables, routine = self.text.split("CREATE PROCEDURE")
        return (f"setup {{ {tables} INSERT INTO {self.names['guard']} VALUES (1, 0); }}\n"
                f"program {{ {tables} CREATE PROCEDURE{routine} }}\n"
                f"session a call {{ {self.routine}(7) }}\nsession b call {{ {self.routine}(7) }}\n")


class ExistsTest(program.ProgramTest):

    def find(self, made, *more):
        self.write("made.sql", made.text)
        return self.heddle("find", *more, "made.sql")

    def explored(self, made):
        self.write("made.spec", made.scenario())
        done = self.heddle("explore", "made.spec")
        self.assertIn(done.returncode, (program.NOTHING_FOUND, program.FOUND), done.stderr)
        return done.returncode

    def test_what_is_checked_may_no_longer_be_true(self):
        for seed, check in enumerate(CHECKS):
            with self.subTest(check=check):
                made = Made(seed, check, False)
                done = self.find(made, "--on=postgres", "--details=none")
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
                self.assertRegex(done.stdout,
                                 rf"phantom: {made.routine} twice .*confirmed +internal")
                self.assertEqual(program.FOUND, self.explored(made))

    def test_a_derived_table_hides_the_one_of_its_name(self):
        made = Made(3, HIDDEN)
        done = self.find(made)
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        self.assertIn(f"phantom: {made.routine} twice", done.stdout)
        self.assertEqual(program.FOUND, self.explored(made))

    def test_a_deletion_looks_at_another_table(self):
        self.write("made.sql", "CREATE TABLE room (id int PRIMARY KEY, size int NOT NULL);\n"
                   "CREATE TABLE booking (id serial PRIMARY KEY, room int NOT NULL);\n"
                   "CREATE PROCEDURE close_room(r int) LANGUAGE plpgsql AS $$ BEGIN\n"
                   "  DELETE FROM room WHERE id = r AND NOT EXISTS\n"
                   "    (SELECT 1 FROM booking b WHERE b.room = r);\nEND $$;\n"
                   "CREATE PROCEDURE book(r int) LANGUAGE plpgsql AS $$ BEGIN\n"
                   "  INSERT INTO booking (room) SELECT id FROM room WHERE id = r;\nEND $$;\n")
        done = self.heddle("find", "--on=postgres", "made.sql")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        self.assertRegex(done.stdout, r"close_room and book .*confirmed +internal")

    def test_a_client_in_java_checks_as_well(self):
        text = '''public class Seats {
    public boolean reserve(Connection open, int number) throws SQLException {
        PreparedStatement check =
                open.prepareStatement("SELECT EXISTS (SELECT 1 FROM seat WHERE code = ?)");
        check.setInt(1, number);
        ResultSet rows = check.executeQuery();
        rows.next();
        if (rows.getBoolean(1)) {
            return false;
        }
        PreparedStatement make = open.prepareStatement("INSERT INTO seat (code) VALUES (?)");
        make.setInt(1, number);
        return make.executeUpdate() == 1;
    }

    public boolean reserveGrouped(Connection open, int number) throws SQLException {
        try (PreparedStatement check = open.prepareStatement(
                "SELECT code, COUNT(*) AS many FROM seat WHERE code = ? GROUP BY code")) {
            check.setInt(1, number);
            try (ResultSet rows = check.executeQuery()) {
                if (rows.next()) {
                    return false;
                }
            }
        }
        PreparedStatement make = open.prepareStatement("INSERT INTO seat (code) VALUES (?)");
        make.setInt(1, number);
        return make.executeUpdate() == 1;
    }

    public int reserveAtOnce(Connection open, int number) throws SQLException {
        PreparedStatement make = open.prepareStatement("INSERT INTO seat (code) SELECT ? "
                + "WHERE NOT EXISTS (SELECT id FROM seat WHERE code = ?)");
        make.setInt(1, number);
        make.setInt(2, number);
        return make.executeUpdate();
    }
}
'''
        (self.folder / "app").mkdir()
        self.write("app/Seats.java", "import java.sql.*;\n" + text)
        self.write("app/schema.sql",
                   "CREATE TABLE seat (id serial PRIMARY KEY, code int NOT NULL);\n")
        for name in ("reserve", "reserveAtOnce", "reserveGrouped"):
            done = self.heddle("find", "--entry=" + name, "--on=postgres", "app")
            self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
            self.assertRegex(done.stdout, rf"phantom: {name} twice .*confirmed +internal")

    def test_a_lock_in_front_keeps_it_true(self):
        for seed, check in enumerate(CHECKS):
            with self.subTest(check=check):
                made = Made(seed + 20, check, True)
                # Without its row the lock protects nothing, so that the row is given.
                self.write("rows.sql", f"INSERT INTO {made.names['guard']} VALUES (1, 0);\n")
                done = self.find(made, "--on=postgres", "--rows=rows.sql", "--fail-on=confirmed")
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                 done.stdout)
                self.assertEqual(program.NOTHING_FOUND, self.explored(made))

    def test_serializable_keeps_it_true(self):
        for seed, check in enumerate(CHECKS):
            with self.subTest(check=check):
                done = self.find(Made(seed + 40, check, False), "--isolation=serializable")
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                 done.stdout)


if __name__ == "__main__":
    unittest.main()
