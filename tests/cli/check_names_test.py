"""The names that heddle check gives to anomalies, on the histories that the names come from."""

import unittest

import program

# What the textbooks say, as (name, level that it violates, history).
NAMED = (
    # A register does not show the order of its writes, a list does.
    ("dirty write", "read-uncommitted",
     "append1[x=1] append2[x=2] append2[y=2] append1[y=1] c1 c2 r3[x=[1 2]] r3[y=[2 1]] c3"),
    ("circular information flow", "read-committed", "w1[x=1] w2[y=2] r1[y=2] r2[x=1] c1 c2"),
    ("lost update", "snapshot", "r1[x=0] r2[x=0] w1[x=1] c1 w2[x=2] c2"),
    ("lost update", "serializable", "r1[x=0] r2[x=0] w1[x=1] c1 w2[x=2] c2"),
    ("lost update", "parallel-snapshot", "w0[x=5] c0 r1[x=5] r2[x=5] w1[x=1] c1 w2[x=2] c2"),
    ("non-repeatable read", "read-atomic", "r1[x=0] w2[x=1] c2 r1[x=1] c1"),
    ("non-repeatable read", "serializable", "r1[x=0] w2[x=1] c2 r1[x=1] c1"),
    ("fractured read", "read-atomic", "r1[x=0] w2[x=1] w2[y=1] c2 r1[y=1] c1"),
    ("read skew", "serializable", "r1[x=0] w2[x=1] w2[y=1] c2 r1[y=1] c1"),
    # Two readers that disagree about which of two transactions was last.
    ("fractured read", "read-atomic",
     "w1[x=1] w1[y=1] c1 w2[x=2] w2[y=2] c2 r3[x=1] r3[y=2] c3 r4[x=2] r4[y=1] c4"),
    ("read skew", "transactional-causal",
     "w1[x=1] c1 r2[x=1] w2[y=1] c2 r3[y=1] r3[x=0] c3"),
    ("write skew", "serializable",
     "r1[x=0] r1[y=0] r2[x=0] r2[y=0] w1[x=1] w2[y=1] c1 c2"),
    ("read skew", "parallel-snapshot", "r1[x=0] r2[y=0] w1[x=1] w1[y=1] w2[x=2] c1 c2"),
    ("write skew", "serializable", "r1[x=0] r2[y=0] w1[x=1] w1[y=1] w2[x=2] c1 c2"),
    ("long fork", "prefix",
     "w1[x=1] c1 w2[y=1] c2 r3[x=1] r3[y=0] c3 r4[x=0] r4[y=1] c4"),
    # At serializable a special case goes by the name that it has in explore and find.
    ("write skew", "serializable",
     "w1[x=1] c1 w2[y=1] c2 r3[x=1] r3[y=0] c3 r4[x=0] r4[y=1] c4"),
    ("write skew", "serializable",
     "r1[x=0] w1[y=1] r2[y=0] w2[z=1] r3[z=0] w3[x=1] c1 c2 c3"),
    ("causality violation", "read-your-writes", "session a: 1 2\nw1[x=1] c1 r2[x=0] c2"),
    ("causality violation", "monotonic-reads",
     "session a: 2 3\nw1[x=1] c1 r2[x=1] c2 r3[x=0] c3"),
    ("session order cycle", "strong-session-serializable", "session a: 1 2\nw1[x=1] c1 r2[x=0] c2"),
    ("long fork", "strong-session-snapshot",
     "session a: 1 2\nsession b: 3 4\nw1[x=1] c1 r2[y=0] c2 w3[y=1] c3 r4[x=0] c4"),
    ("session order cycle", "strong-session-serializable",
     "session a: 1 2\nr1[x=1] c1 w2[x=1] c2"),
    # Whichever of T1 and T4 wrote z first, it does not fit.
    ("session order cycle", "parallel-snapshot",
     "session a: 2 4\nw1[z=4] r1[y=0] c1 r3[y=0] w3[z=5] w3[x=6] c3 w2[y=3] r2[x=0] c2 "
     "w4[z=7] r4[x=0] r4[y=3] c4"),
    ("real-time cycle", "strict-serializable", "w1[x=1] c1 r2[x=0] c2"),
    ("aborted read", "read-committed", "w1[x=1] r2[x=1] a1 c2"),
    ("intermediate read", "read-committed", "w1[x=1] r2[x=1] w1[x=2] c1 c2"),
    ("unwritten read", "read-committed", "r1[x=9] c1"),
    ("future read", "read-committed", "r1[x=1] w1[x=1] c1"),
    ("internal inconsistency", "read-committed", "w1[x=1] r1[x=0] c1"),
    ("inconsistent order", "read-committed",
     "append1[x=1] c1 append2[x=2] c2 r3[x=[1 2]] c3 r4[x=[2 1]] c4"),
)


class CheckNamesTest(program.ProgramTest):
    def test_names(self):
        for name, level, history in NAMED:
            with self.subTest(name, level=level):
                lists = "append" in history
                text = ("" if lists else "initial: 0\n") + history + "\n"
                done = self.heddle("check", "--from=textbook", f"--level={level}", "-", stdin=text)
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
                verdict = f"<stdin>: {level} is violated: {name}"
                self.assertEqual(verdict, " ".join(done.stdout.split())[:len(verdict)])


if __name__ == "__main__":
    unittest.main()
