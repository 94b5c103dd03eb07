"""Invariants that ask about the rows at the beginning and about the calls that were made."""

import json
import unittest

import program

TILL = """CREATE TABLE till (id integer PRIMARY KEY, money integer NOT NULL);
CREATE PROCEDURE pay(t integer, amount integer) LANGUAGE plpgsql AS $$
DECLARE had integer;
BEGIN
  SELECT money INTO had FROM till WHERE id = t{lock};
  UPDATE till SET money = had + amount WHERE id = t;
END $$;
CREATE PROCEDURE draw(t integer, amount integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE till SET money = money - amount WHERE id = t;
END $$;
"""
KEPT = """# what is there is what was there, and what the calls say
invariant "kept" {
  SELECT n.money = o.money + (SELECT coalesce(sum(amount), 0) FROM calls.pay WHERE t = n.id)
                 - (SELECT coalesce(sum(amount), 0) FROM calls.draw WHERE t = n.id)
  FROM till n JOIN initial.till o ON n.id = o.id
}
invariant "none is new" { SELECT count(*) = (SELECT count(*) FROM initial.till) FROM till }
"""
SHOP = """CREATE TABLE article (id integer PRIMARY KEY, stock integer NOT NULL);
CREATE TABLE basket (id integer PRIMARY KEY, pieces integer NOT NULL);
CREATE PROCEDURE move(a integer, b integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE article SET stock = stock - 1 WHERE id = a;
  UPDATE basket SET pieces = pieces + 1 WHERE id = b;
END $$;
CREATE FUNCTION look(a integer, b integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE s integer; p integer;
BEGIN
  SELECT stock INTO s FROM article WHERE id = a;
  SELECT pieces INTO p FROM basket WHERE id = b;
  UPDATE article SET stock = s + 0 WHERE id = a;
  RETURN s + p;
END $$;
"""
ALL_ARE_THERE = """invariant "all are there" {
  SELECT (SELECT sum(stock) FROM article) = (SELECT sum(stock) FROM initial.article)
       - (SELECT count(*) FROM calls.move)
}
"""
CUT = json.dumps({"M1": ["article"], "M2": ["basket"]})


def broken_in(document):
    """Names of the invariants that some cause breaks."""
    return sorted({name for cause in document["causes"] for name in cause.get("broken_invariants", [])})


class AskedInvariantsTest(program.ProgramTest):
    def find(self, *words, code=program.FOUND):
        done = self.heddle("find", "--no-progress", "--format=json", *words)
        self.assertEqual(code, done.returncode, done.stderr)
        return json.loads(done.stdout)

    def till(self, lock=""):
        self.write("kept.txt", KEPT)
        return self.write("till.sql", TILL.format(lock=lock))

    def test_what_is_lost_is_missed_on_each_store(self):
        file = self.till()
        for level, on in (("postgres:read-committed", "postgres"), ("eventual", "replicated"),
                          ("mariadb:repeatable-read", "mariadb")):
            with self.subTest(on):
                found = self.find(f"--isolation={level}", f"--on={on}", "--invariants=kept.txt", file)
                self.assertEqual(["kept"], broken_in(found))

    def test_nothing_is_said_where_nothing_is_lost(self):
        found = self.find("--on=postgres", "--invariants=kept.txt", self.till(" FOR UPDATE"),
                          code=program.NOTHING_FOUND)
        self.assertEqual([], found["causes"])

    def test_a_saved_run_breaks_it_again(self):
        self.find("--on=postgres", "--save=runs", "--invariants=kept.txt", self.till())
        files = sorted(str(path) for path in (self.folder / "runs").glob("*.json"))
        self.assertTrue(files)
        for file in files:
            self.assertEqual(["kept"], json.loads((self.folder / file).read_text())["broken_invariants"])
        again = self.heddle("replay", files[0])
        self.assertEqual(program.FOUND, again.returncode, again.stderr)
        specs = [str(path) for path in (self.folder / "runs").glob("*.spec")]
        self.assertTrue(specs)
        for spec in specs:
            explored = self.heddle("explore", spec)
            self.assertEqual(program.FOUND, explored.returncode, explored.stderr)

    def test_names_that_there_are_not_are_said_with_their_place(self):
        file = self.till()
        for text, message in (
                ('invariant "a" {\n  SELECT 1 = 1 FROM initial.tll\n}\n',
                 'bad.txt:2:21: there is no table "tll" at the beginning, did you mean "till"?'),
                ('invariant "a" { SELECT 1 = 1 FROM calls.pays }\n',
                 'bad.txt:1:35: there is no functionality "pays" to be called, did you mean "pay"?')):
            self.write("bad.txt", text)
            done = self.heddle("find", "--on=postgres", "--invariants=bad.txt", file)
            self.assertEqual(program.TROUBLE, done.returncode)
            self.assertEqual(message + "\n", done.stderr.removeprefix("heddle: "))

    def test_columns_that_there_are_not_are_the_store_s_to_say(self):
        self.write("bad.txt", 'invariant "a" { SELECT sum(amout) > 0 FROM calls.pay }\n')
        done = self.heddle("find", "--on=postgres", "--invariants=bad.txt", self.till())
        self.assertIn('column "amout" does not exist', done.stdout)

    def test_a_cut_is_asked_about_calls_and_its_failures_are_not(self):
        file = self.write("shop.sql", SHOP)
        self.write("cut.json", CUT)
        self.write("asked.txt", ALL_ARE_THERE)
        done = self.heddle("split", "--services=cut.json", "--on=postgres", "--invariants=asked.txt",
                           "--baseline=none", "--format=json", file)
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        causes = json.loads(done.stdout)["causes"]
        broken = [cause["finding"]["broken_invariants"] for cause in causes if "finding" in cause]
        self.assertIn(["all are there"], broken)
        done = self.heddle("split", "--services=cut.json", "--on=postgres", "--invariants=asked.txt",
                           "--failures", file)
        self.assertEqual(program.TROUBLE, done.returncode)
        self.assertIn("asked.txt:3:32: what a failure stops half-way is no call", done.stderr)


if __name__ == "__main__":
    unittest.main()
