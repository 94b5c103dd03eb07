"""What is open is kept, too: --save-unconfirmed of heddle find and heddle split, and heddle replay."""

import json
import unittest

import program

EXAMPLE = program.ROOT / "examples" / "transfer.sql"

# The one who reads does nothing with it, whatever rows are made up.
SCORES = """
CREATE TABLE answer (id int PRIMARY KEY, words text NOT NULL);
CREATE TABLE score (id int PRIMARY KEY, points int NOT NULL);
CREATE PROCEDURE judge(i int) LANGUAGE plpgsql AS $$
DECLARE w text;
BEGIN
  SELECT words INTO w FROM answer WHERE id = i;
  IF md5(w) = 'never' THEN UPDATE score SET points = points + 1 WHERE id = i; END IF;
END $$;
CREATE PROCEDURE reply(i int, s text) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE answer SET words = s WHERE id = i;
  UPDATE score SET points = 5 WHERE id = i;
END $$;
"""


class UnconfirmedTest(program.ProgramTest):
    def kept(self, folder):
        return sorted(path.name for path in (self.folder / folder).glob("*.json"))

    def document(self, path):
        return json.loads((self.folder / path).read_text())

    def test_what_is_not_shown_is_replayed(self):
        done = self.heddle("find", "--on=postgres", "--save=found", "--save-unconfirmed=open",
                           "--format=json", str(EXAMPLE))
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        causes = json.loads(done.stdout)["causes"]
        statuses = [cause["status"] for cause in causes]
        self.assertEqual(statuses.count("not-shown"), len(self.kept("open")))
        self.assertIn("not-shown", statuses)
        self.assertEqual("", done.stderr)
        self.assertEqual({"confirmed"},
                         {self.document(f"found/{name}")["status"] for name in self.kept("found")})
        name = self.kept("open")[0]
        saved = self.document(f"open/{name}")
        self.assertEqual(("not-shown", [], []),
                         (saved["status"], saved["serial"], saved["cycles"]))
        self.assertIn(name, f"{saved['kind']}-{saved['id']}.json")
        done = self.heddle("replay", "--runs=2", f"open/{name}")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertRegex(done.stdout, r"^not confirmed 0/2 on PostgreSQL ")
        self.assertIn("not shown so far", done.stdout.replace("\n", " "))
        self.assertIn("Nothing is confirmed of this yet", done.stdout)
        self.assertIn("2 runs    the outcome is that of a serial order", done.stdout)
        done = self.heddle("replay", "--runs=1", "--format=json", f"open/{name}")
        self.assertEqual((True, "satisfied"), (json.loads(done.stdout)["unconfirmed"],
                                               json.loads(done.stdout)["verdict"]))
        done = self.heddle("replay", "--runs=1", "--format=junit", "open")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertIn('failures="0"', done.stdout)
        done = self.heddle("explore", f"open/{name.replace('.json', '.spec')}")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_any_outcome_that_is_none_of_a_serial_order_confirms_it(self):
        self.heddle("find", "--on=postgres", "--save=found", str(EXAMPLE))
        confirmed = self.document(f"found/{self.kept('found')[0]}")
        other = {"internal": "external", "external": "internal"}[confirmed["effect"]]
        for status, code in ("not-shown", program.FOUND), ("confirmed", program.NOTHING_FOUND):
            self.write("one.json", json.dumps({**confirmed, "status": status, "effect": other}))
            done = self.heddle("replay", "--runs=2", "one.json")
            with self.subTest(status):
                self.assertEqual(code, done.returncode, done.stdout)

    def test_what_was_executed_at_a_stronger_level_is_kept_and_the_rest_is_counted(self):
        done = self.heddle("find", "--on=postgres", "--isolation=eventual",
                           "--save-unconfirmed=open", "--format=json", str(EXAMPLE))
        statuses = [cause["status"] for cause in json.loads(done.stdout)["causes"]]
        self.assertEqual(statuses.count("possible"), len(self.kept("open")))
        self.assertEqual("heddle: not in open, because no run of them was made: "
                         f"{statuses.count('not-executable')} not executable\n", done.stderr)
        done = self.heddle("replay", "--runs=1", "open")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertRegex(done.stdout, r"\d findings: \d shown by no run\n$")

    def test_cores_of_a_cut_are_kept(self):
        self.write("scores.sql", SCORES)
        self.write("cut.json", '{"M1": ["answer"], "M2": ["score"]}')
        for store in "postgres", "replicated":
            done = self.heddle("split", "--services=cut.json", f"--on={store}",
                               f"--save-unconfirmed={store}", "scores.sql")
            self.assertEqual(program.FOUND, done.returncode, done.stderr)
            self.assertRegex(done.stdout, r"of the cores.* (possible|not shown)")
            self.assertNotEqual([], self.kept(store))
            done = self.heddle("replay", "--runs=1", store)
            self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
            self.assertRegex(done.stdout, r"\d findings?: \d shown by no run\n$")

    def test_cores_of_several_cuts_are_kept(self):
        self.write("scores.sql", SCORES)
        self.write("cut.json", '{"M1": ["answer"], "M2": ["score"]}')
        done = self.heddle("split", "--compare", "cut.json", "--on=postgres",
                           "--save-unconfirmed=open", "scores.sql")
        self.assertEqual("", done.stderr)
        self.assertNotEqual([], self.kept("open"))

    def test_what_makes_no_sense_is_said(self):
        self.assert_trouble(r"--save-unconfirmed is about what is executed, say where to execute "
                            r"it: --on=postgres", "find", "--save-unconfirmed=open", str(EXAMPLE))
        self.write("file", "")
        self.assert_trouble(r"give --save-unconfirmed a directory that you may write to", "find",
                            "--on=postgres", "--save-unconfirmed=file", str(EXAMPLE))


if __name__ == "__main__":
    unittest.main()
