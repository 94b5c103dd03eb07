"""heddle replay on what heddle race saved of examples/tickets: each shows 10 times of 10."""

import json
import pathlib
import unittest

from recorded_tickets import CONFIG, FAULTS, SHOWN, RecordedTickets


class Again(RecordedTickets):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.saved = pathlib.Path(cls.folder.name) / "saved"
        done = cls.heddle("race", f"--config={CONFIG}", "--replay", f"--save={cls.saved}",
                          str(cls.trace))
        if (done.returncode, done.stderr) != (1, ""):
            raise AssertionError(done.stdout + done.stderr)
        # Findings hold all that is needed.
        cls.trace.unlink()

    def run_again(self, *words):
        """The exit code, and what came of each finding."""
        done = self.heddle("replay", f"--config={CONFIG}", "--format=json", *words, str(self.saved))
        self.assertEqual(done.stderr, "")
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def test_each_is_shown_ten_times_of_ten(self):
        code, findings = self.run_again()
        self.assertEqual(code, 1)
        self.assertGreaterEqual(len([each for each in findings if each["result"] in SHOWN]),
                                len(FAULTS))
        for finding in findings:
            with self.subTest(finding["finding"], result=finding["result"]):
                self.assertEqual((finding["runs"], finding["confirmed"], finding["differences"]),
                                 (10, 10, []))

    def test_none_is_confirmed_once_the_system_is_repaired(self):
        self.environment["TICKETS_REPAIR"] = "all"
        self.addCleanup(self.environment.pop, "TICKETS_REPAIR")
        code, findings = self.run_again("--runs=2")
        self.assertNotEqual(code, 1)
        for finding in findings:
            with self.subTest(finding["finding"], obstacle=finding["obstacle"]):
                self.assertTrue(finding["result"] not in SHOWN or finding["confirmed"] == 0)


if __name__ == "__main__":
    unittest.main()
