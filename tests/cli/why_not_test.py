"""heddle explore --explain=why-not and --schedule, and diagrams of several stores."""

import json
import unittest

import program

EXAMPLE = str(program.ROOT / "examples" / "lost_update.spec")
CACHE = str(program.ROOT / "examples" / "stale_cache.spec")
FEARED = "--schedule=b1 r1 b2 r2 w2 c2 w1 c1"


class WhyNotTest(program.ProgramTest):
    def why_not(self, *words):
        return self.heddle("explore", "--explain=why-not", *words)

    def test_what_happens_is_found(self):
        done = self.why_not(FEARED, EXAMPLE)
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("It happens at postgres:read-committed: lost update on account(id=1).",
                      done.stdout)
        self.assertIn("It does not go wrong at postgres:repeatable-read, postgres:serializable.",
                      done.stdout)

    def test_what_does_not_happen_is_explained(self):
        done = self.why_not("--isolation=repeatable-read", FEARED, EXAMPLE)
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        text = " ".join(done.stdout.split())
        self.assertIn("The store ends s1 at w1, because another session has changed meanwhile", text)
        self.assertIn("It goes wrong at postgres:read-committed, not at postgres:serializable.", text)

    def test_the_document_has_it_all(self):
        done = self.why_not("--isolation=repeatable-read", "--format=json", FEARED, EXAMPLE)
        document = json.loads(done.stdout)
        self.assertEqual("why-not/1", document["heddle"])
        answer, = document["answers"]
        self.assertFalse(answer["happens"])
        self.assertEqual(["ends"], [obstacle["kind"] for obstacle in answer["obstacles"]])
        self.assertEqual(["s2"], answer["equal_order"])
        self.assertIsNone(answer["finding"])
        self.assertEqual({"postgres:read-committed": True, "postgres:serializable": False},
                         {level["isolation"]: level["happens"] for level in answer["elsewhere"]})
        done = self.why_not("--format=json", FEARED, EXAMPLE)
        finding = json.loads(done.stdout)["answers"][0]["finding"]
        self.write("finding.json", json.dumps(finding))
        done = self.heddle("replay", "finding.json")
        self.assertIn("confirmed 10/10", done.stdout)

    def test_markdown(self):
        done = self.why_not("--format=markdown", FEARED, EXAMPLE)
        self.assertIn("## b1 r1 b2 r2 w2 c2 w1 c1", done.stdout)

    def test_a_schedule_can_be_explored_alone(self):
        done = self.heddle("explore", "--format=json", FEARED, EXAMPLE)
        level, = json.loads(done.stdout)["levels"]
        self.assertEqual((1, 1), (level["interleavings"], level["anomalous"]))

    def test_mistakes_are_explained(self):
        self.assert_refused(
            f'{EXAMPLE}: --schedule="b1 r9": unknown step "r9" in a permutation, did you mean "r1"?',
            "explore", "--explain=why-not", "--schedule=b1 r9", EXAMPLE)
        self.assert_trouble("no schedule is stated", "explore", "--explain=why-not", EXAMPLE)
        self.assert_trouble("--explain does not go with --format=svg",
                            "explore", "--explain=why-not", "--format=svg", FEARED, EXAMPLE)
        self.assert_trouble("--repair means nothing with --explain",
                            "explore", "--explain=why-not", "--repair", FEARED, EXAMPLE)
        self.assert_trouble("--explain is for one level",
                            "explore", "--explain=why-not", "--isolation=read-committed",
                            "--isolation=serializable", FEARED, EXAMPLE)


class StoresTest(program.ProgramTest):
    def test_diagrams_tell_stores_apart(self):
        done = self.heddle("explore", "--format=mermaid", CACHE)
        self.assertIn("participant store1 as db\n", done.stdout)
        self.assertIn("p1->>store2: invalidate: cache: DEL account", done.stdout)
        done = self.heddle("explore", "--format=svg", CACHE)
        self.assertIn("cache: DEL account:1", done.stdout)

    def test_a_finding_in_several_stores_is_confirmed(self):
        self.heddle("explore", "--save=findings", CACHE)
        finding, = (self.folder / "findings").glob("*.json")
        done = self.heddle("replay", str(finding))
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("confirmed 10/10", done.stdout)

    def test_stores_are_named(self):
        self.assert_trouble(r"a.spec:1:1: cannot read the address oracle", "explore",
                            self.write("a.spec", "store db oracle\nsession s step a { SELECT 1 }\n"))
        self.assert_trouble(r'a.spec:1:21: no store "cache" is declared above', "explore",
                            self.write("a.spec", "session s step a on cache { GET a }\n"))


if __name__ == "__main__":
    unittest.main()
