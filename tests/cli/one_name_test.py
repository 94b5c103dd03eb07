"""One cycle has one name in explore, find and check, and what was written by another still holds."""

import json
import unittest

import program

FORMER = program.ROOT / "tests" / "cli" / "former"
# Three transactions, each of which reads what the next one overwrites.
RING = "r1[x=0] w1[z=1] r2[y=0] w2[x=1] r3[z=0] w3[y=1] c1 c2 c3\n"


class OneNameTest(program.ProgramTest):

    def found(self, *words, **more):
        done = self.heddle(*words, "--format=json", **more)
        self.assertIn(done.returncode, (program.NOTHING_FOUND, program.FOUND), done.stderr)
        return json.loads(done.stdout), done

    def test_a_cycle_of_three_is_write_skew_everywhere(self):
        done = self.heddle("explore", "--on=replicated", "--isolation=snapshot",
                           str(FORMER / "ring.spec"))
        self.assertIn("Write skew on cell(id=1), cell(id=2), cell(id=3)", done.stdout)
        done = self.heddle("find", "--isolation=snapshot", "--length=6", str(FORMER / "ring.sql"))
        self.assertIn("1. write skew: a and b and c, on cell", done.stdout)
        done = self.heddle("check", "--from=textbook", "--level=serializable", "-",
                           stdin="initial: 0\n" + RING)
        self.assertIn("serializable is violated: write skew on x, z, y",
                      " ".join(done.stdout.split()))

    def test_suppressions_of_findings_still_match(self):
        known = str(FORMER / "ring.spec.known")
        done = self.heddle("explore", "--on=replicated", "--isolation=snapshot",
                           f"--suppress={known}", str(FORMER / "ring.spec"))
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)

    def suppressed(self, name, isolation, *words):
        known = FORMER / f"{name}.known"
        report, done = self.found("find", f"--isolation={isolation}", f"--suppress={known}",
                                  "--write-suppressions=renewed", *words, str(FORMER / name))
        # No entry is left over.
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr))
        for cause in report["causes"]:
            self.assertIn("not judged yet", cause["suppressed"])
        return report["causes"]

    def test_suppressions_of_causes_still_match(self):
        causes = self.suppressed("ring.sql", "snapshot", "--length=6")
        self.assertEqual(["write-skew"], [cause["kind"] for cause in causes])

    def test_a_cause_is_known_by_the_id_that_it_had_under_another_name(self):
        causes = self.suppressed("put.sql", "eventual")
        self.assertEqual(["circular-flow", "serialization-cycle"],
                         [cause["kind"] for cause in causes])
        former = (FORMER / "put.sql.known").read_text()
        self.assertIn(causes[0]["id"], former)
        self.assertNotIn(causes[1]["id"], former)
        # A new file has the entry by the id of today, with its reason.
        renewed = (self.folder / "renewed").read_text()
        self.assertIn(f"{causes[1]['id']}  not judged yet: lost update: put twice", renewed)
        _, done = self.found("find", "--isolation=eventual", "--suppress=renewed",
                             str(FORMER / "put.sql"))
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr))

    def test_canary_an_unknown_id_is_not_taken_for_a_former_one(self):
        text = (FORMER / "put.sql.known").read_text()
        changed = self.write("changed", text.replace("4bc1b7e7f9e8", "4bc1b7e7f9e9"))
        self.assertNotEqual(text, (self.folder / changed).read_text())
        _, done = self.found("find", "--isolation=eventual", f"--suppress={changed}",
                             str(FORMER / "put.sql"))
        self.assertEqual(program.FOUND, done.returncode)
        self.assertIn("no finding has the id 4bc1b7e7f9e9", done.stderr)

    def test_saved_findings_are_shown_again(self):
        saved = sorted(FORMER.glob("*.json"))
        self.assertEqual(3, len(saved))
        for path in saved:
            with self.subTest(path.name):
                done = self.heddle("replay", "--on=replicated", str(path))
                self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)
                self.assertIn("confirmed", done.stdout)


if __name__ == "__main__":
    unittest.main()
