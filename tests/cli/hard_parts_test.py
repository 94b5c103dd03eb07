"""heddle check says soon what is violated without a cycle, also where parts of the history are far
harder than the whole, and a counterexample could be made smaller for ever."""

import json
import subprocess
import unittest

import program

HARD_PARTS = "awdit,distribution=hotspot,seed=937,times=no,transactions=2000,unknown=0"


class HardPartsTest(unittest.TestCase):
    def test_ends_by_itself(self):
        done = subprocess.run(
            [program.HEDDLE, "check", f"--generate={HARD_PARTS}", "--format=json", "--level=snapshot"],
            capture_output=True, text=True, check=False, timeout=120)  # it did not end in minutes
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        [answer] = json.loads(done.stdout)["levels"]
        self.assertEqual(("snapshot", "violated"), (answer["level"], answer["verdict"]))
        self.assertTrue(answer["counterexamples"])


if __name__ == "__main__":
    unittest.main()
