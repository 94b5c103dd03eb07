"""Scenarios of Redis commands, explored from end to end."""

import json
import unittest

import program

LOST_UPDATE = """
setup { SET balance 100 }
session alice
step a_read  { GET balance \\gset }
step a_write { SET balance :value,alice }
session bob
step b_read  { GET balance \\gset }
step b_write { SET balance :value,bob }
"""

INCREMENTS = """
setup { SET balance 100 }
session alice
step a { INCRBY balance -10 }
session bob
step b { INCRBY balance -20 }
"""

WATCHED = """
setup { SET balance 100 }
session alice
step a1 { WATCH balance }
step a2 { GET balance \\gset }
step a3 { MULTI
          SET balance :value,alice
          EXEC }
session bob
step b1 { WATCH balance }
step b2 { GET balance \\gset }
step b3 { MULTI
          SET balance :value,bob
          EXEC }
"""

# Whoever does not get the lock waits for the token in a list.
TOKEN = """
setup { SET balance 100
        RPUSH token x }
session alice
step a1 { BLPOP token 0 }
step a2 { GET balance \\gset
          SET balance :value,alice }
step a3 { RPUSH token x }
session bob
step b1 { BLPOP token 0 }
step b2 { GET balance \\gset
          SET balance :value,bob }
step b3 { RPUSH token x }
"""

# The lock is taken with a look first: both may find it free.
BROKEN_LOCK = """
session alice
step a1 { EXISTS lock \\gset }
step a2 { \\if :value
          \\else
          SET lock alice
          RPUSH holders alice
          \\endif
}
session bob
step b1 { EXISTS lock \\gset }
step b2 { \\if :value
          \\else
          SET lock bob
          RPUSH holders bob
          \\endif
}
invariant "one holds the lock" { EVAL_RO "return redis.call('llen', 'holders') == 1" 0 }
"""


class RedisTest(program.ProgramTest):
    def explore(self, text, *options, expected=program.FOUND):
        done = self.heddle("explore", "--on=redis", *options, "-", stdin=text)
        self.assertEqual(expected, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def test_a_lost_update_is_found_and_shown(self):
        shown = self.explore(LOST_UPDATE)
        self.assertIn("Lost update on redis(key=balance)", shown)
        self.assertIn("GET balance", shown)
        self.assertIn("→ value = 100", shown)
        self.assertIn("← redis(key=balance) = 100,bob", shown)
        self.assertRegex(shown, r"confirmed: this schedule was executed on Redis [0-9.]+ \(throwaway\)")

    def test_what_redis_prevents_is_prevented(self):
        for name, text in (("INCRBY", INCREMENTS), ("WATCH", WATCHED), ("BLPOP", TOKEN)):
            with self.subTest(by=name):
                self.assertIn("No anomaly", self.explore(text, expected=program.NOTHING_FOUND))

    def test_a_lock_that_two_hold_breaks_an_invariant(self):
        shown = self.explore(BROKEN_LOCK)
        self.assertIn("one holds the lock", shown)
        self.assertIn("SET lock alice; RPUSH holders alice", shown)

    def test_equal_runs_give_equal_reports(self):
        reports = {self.explore(text, "--format=json", f"--jobs={jobs}", expected=expected)
                   for jobs in (1, 2, 1) for text, expected in ((LOST_UPDATE, program.FOUND),)}
        self.assertEqual(1, len(reports))

    def test_reduction_finds_the_same(self):
        answer = json.loads(self.explore(WATCHED, "--format=json", "--reduce=conflicts",
                                         expected=program.NOTHING_FOUND))
        self.assertEqual("satisfied", answer["levels"][0]["verdict"])

    def test_other_levels_are_refused(self):
        self.write("a.spec", INCREMENTS)
        self.assert_trouble("Redis has no level read-committed", "explore", "--on=redis",
                            "--isolation=read-committed", "a.spec")

    def test_an_error_in_a_setup_is_named(self):
        self.write("a.spec", "setup { SET a x\n INCR a }\nsession s\nstep a { GET a }\n")
        self.assert_trouble("setup failed: ERR: value is not an integer", "explore", "--on=redis",
                            "a.spec")

    def test_addresses_that_cannot_be_used(self):
        self.write("a.spec", INCREMENTS)
        self.assert_trouble("cannot connect to Redis", "explore", "--on=unix:/nonexistent/socket",
                            "a.spec")
        self.assert_trouble("names the logical database 3", "explore", "--on=redis://h/3", "a.spec")


if __name__ == "__main__":
    unittest.main()
