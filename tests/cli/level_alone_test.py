"""heddle check at one level alone takes no longer than at all levels together, where it is open whose
writes were read and a strong level is easier than a weak one; and what cannot be told in few words
is told soon."""

import json
import resource
import subprocess
import unittest

import program

LEVELS = ["read-committed", "read-your-writes", "read-atomic", "transactional-causal", "snapshot",
          "serializable"]
# Values repeat; alone they took 10 s, 0.7 s and 17 s once, and together a twentieth of a second.
REPEATED = ["tpcc,kind=register,seed=93,times=yes,transactions=2000",
            "small,kind=register,seed=551,sessions=2,transactions=200,plant=long-fork:1",
            "tpcc,initial=nil,kind=register,seed=964,transactions=666,updates=1,writes-per-key=0"]
# Its parts are far harder than the whole.
HARD_PARTS = "awdit,distribution=hotspot,seed=937,times=no,transactions=2000,unknown=0"


def check(history, *options):
    """Seconds of the processor, and the verdicts by level."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([program.HEDDLE, "check", f"--generate={history}", "--format=json", *options],
                          capture_output=True, text=True, check=False)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    document = json.loads(done.stdout)
    return seconds, {answer["level"]: answer["verdict"] for answer in document["levels"]}


class LevelAloneTest(unittest.TestCase):
    def test_takes_no_longer_than_all(self):
        for history in REPEATED:
            together, verdicts = check(history)
            for level in LEVELS:
                with self.subTest(history=history, level=level):
                    alone, verdict = check(history, f"--level={level}")
                    self.assertEqual({level: verdicts[level]}, verdict)
                    # Most of it is making the history up.
                    self.assertLess(alone, 1.1 * together + 0.3)

    def test_says_soon_what_has_no_cycle(self):
        seconds, verdicts = check(HARD_PARTS, "--level=snapshot")
        self.assertEqual({"snapshot": "violated"}, verdicts)
        self.assertLess(seconds, 60)  # unoptimised; it did not end in minutes


if __name__ == "__main__":
    unittest.main()
