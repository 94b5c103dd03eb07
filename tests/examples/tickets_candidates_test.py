"""heddle race on a recording of examples/tickets: no seeded race is lost, and most pairs are."""

import json
import unittest

from recorded_tickets import CONFIG, FAULTS, RecordedTickets

LEAST_LEFT_OUT = 79

def found(candidates, first, second, table):
    return any({each["first_endpoint"], each["second_endpoint"]} == {first, second}
               and any(conflict["table"] == table for conflict in each["pairs"][0]["conflicts"])
               for each in candidates)


class Candidates(RecordedTickets):
    def race(self, *words):
        run = self.heddle("race", f"--config={CONFIG}", *words, str(self.trace))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_no_fault_is_lost(self):
        candidates = json.loads(self.race("--format=json"))["candidates"]
        for name, (first, second, table) in FAULTS.items():
            with self.subTest(name):
                self.assertTrue(found(candidates, first, second, table))
        branches = [each for each in candidates if each["between_branches"]]
        self.assertEqual({each["first_endpoint"] for each in branches},
                         {"POST cancellations/returns"})

    def test_most_pairs_are_left_out(self):
        table = json.loads(self.race("--format=json"))["table"]
        left_out = table["by_instance"] + table["by_flow"] + table["by_locks"]
        self.assertEqual(table["random_pairs"],
                         left_out + table["early_validated"] + table["to_test"])
        self.assertGreaterEqual(100 * left_out, LEAST_LEFT_OUT * table["random_pairs"], table)

    def test_the_answer_is_the_same_for_each_number_of_jobs(self):
        once = self.race("--jobs=1")
        for words in (["--jobs=1"], ["--jobs=2"], ["--jobs=7"]):
            self.assertEqual(self.race(*words), once)

    def test_why_a_pair_is_none(self):
        document = json.loads(self.race("--format=json"))
        pair = document["left_out"][0]
        text = self.race(f"--why-not={pair['first']},{pair['second']}")
        self.assertIn(f"left out by {pair['step']}: {pair['why']}"[:60], text.replace("\n      ", " "))


if __name__ == "__main__":
    unittest.main()
