"""Which textbook anomalies each level of each store allows, against what is published of them.

The scenarios are those of Martin Kleppmann's Hermitage project, which ran them by hand; here every
interleaving of each is run. A level that allows an anomaly has an interleaving without a serial order.
"""

import json
import unittest

import program

SETUP = """
setup { CREATE TABLE test (id int PRIMARY KEY, value int); INSERT INTO test VALUES (1, 10), (2, 20); }
teardown { DROP TABLE test; }
"""

# Name, the two sessions, and where it is allowed: at the levels of MariaDB and of PostgreSQL.
ANOMALIES = [
    ("G0, dirty write",
     ["UPDATE test SET value = 11 WHERE id = 1", "UPDATE test SET value = 21 WHERE id = 2", "COMMIT"],
     ["UPDATE test SET value = 12 WHERE id = 1", "UPDATE test SET value = 22 WHERE id = 2", "COMMIT"],
     {"mariadb": [], "postgres": []}),
    ("G1a, aborted read",
     ["UPDATE test SET value = 101 WHERE id = 1", "ROLLBACK"],
     ["SELECT * FROM test", "SELECT * FROM test", "COMMIT"],
     {"mariadb": ["read-uncommitted"], "postgres": []}),
    ("G1b, intermediate read",
     ["UPDATE test SET value = 101 WHERE id = 1", "UPDATE test SET value = 11 WHERE id = 1", "COMMIT"],
     ["SELECT * FROM test", "COMMIT"],
     {"mariadb": ["read-uncommitted"], "postgres": []}),
    ("PMP, phantom",
     ["SELECT * FROM test WHERE value = 30", "SELECT * FROM test WHERE value % 3 = 0", "COMMIT"],
     ["INSERT INTO test VALUES (3, 30)", "COMMIT"],
     {"mariadb": ["read-uncommitted", "read-committed"], "postgres": ["read-committed"]}),
    ("PMP, for a write",
     ["UPDATE test SET value = value + 10", "COMMIT"],
     ["SELECT * FROM test WHERE value = 20", "DELETE FROM test WHERE value = 20", "COMMIT"],
     {"mariadb": ["read-uncommitted", "read-committed", "repeatable-read"],
      "postgres": ["read-committed"]}),
    ("P4, lost update",
     ["SELECT * FROM test WHERE id = 1", "UPDATE test SET value = 11 WHERE id = 1", "COMMIT"],
     ["SELECT * FROM test WHERE id = 1", "UPDATE test SET value = 12 WHERE id = 1", "COMMIT"],
     {"mariadb": ["read-uncommitted", "read-committed", "repeatable-read"],
      "postgres": ["read-committed"]}),
    ("G-single, read skew",
     ["SELECT * FROM test WHERE id = 1", "SELECT * FROM test WHERE id = 2", "COMMIT"],
     ["UPDATE test SET value = 12 WHERE id = 1", "UPDATE test SET value = 18 WHERE id = 2", "COMMIT"],
     {"mariadb": ["read-uncommitted", "read-committed"], "postgres": ["read-committed"]}),
    ("G2-item, write skew",
     ["SELECT * FROM test WHERE id IN (1, 2)", "UPDATE test SET value = 11 WHERE id = 1", "COMMIT"],
     ["SELECT * FROM test WHERE id IN (1, 2)", "UPDATE test SET value = 21 WHERE id = 2", "COMMIT"],
     {"mariadb": ["read-uncommitted", "read-committed", "repeatable-read"],
      "postgres": ["read-committed", "repeatable-read"]}),
    ("G2, write skew on a predicate",
     ["SELECT * FROM test WHERE value % 3 = 0", "INSERT INTO test VALUES (3, 30)", "COMMIT"],
     ["SELECT * FROM test WHERE value % 3 = 0", "INSERT INTO test VALUES (4, 42)", "COMMIT"],
     {"mariadb": ["read-uncommitted", "read-committed", "repeatable-read"],
      "postgres": ["read-committed", "repeatable-read"]}),
]

GAPS = """
setup {
  CREATE TABLE t (id INT PRIMARY KEY, v INT, KEY (v));
  INSERT INTO t VALUES (1, 10), (5, 50), (9, 90);
}
teardown { DROP TABLE t; }
session s1
step a1 { BEGIN; SELECT * FROM t WHERE v BETWEEN 20 AND 60 FOR UPDATE; }
step a2 { INSERT INTO t VALUES (3, 30); }
step a3 { COMMIT; }
session s2
step b1 { BEGIN; SELECT * FROM t WHERE v > 40; }
step b2 { DELETE FROM t WHERE v = 50; }
step b3 { INSERT INTO t VALUES (6, 50); }
step b4 { COMMIT; }
"""

LEVELS = {
    "mariadb": ["read-uncommitted", "read-committed", "repeatable-read", "serializable"],
    "postgres": ["read-committed", "repeatable-read", "serializable"],
}


def scenario(first, second):
    text = SETUP
    for session, statements in (("s1", first), ("s2", second)):
        text += f"session {session}\n"
        for number, statement in enumerate(["BEGIN"] + statements):
            text += f"step {session}_{number} {{ {statement}; }}\n"
    return text


class HermitageTest(program.ProgramTest):
    def allowed(self, store, text):
        levels = [f"--isolation={store}:{level}" for level in LEVELS[store]]
        done = self.heddle("explore", f"--on={store}", *levels, "--format=json", "-", stdin=text)
        self.assertIn(done.returncode, (program.FOUND, program.NOTHING_FOUND), done.stderr)
        answers = json.loads(done.stdout)["levels"]
        self.assertEqual(len(LEVELS[store]), len(answers))
        for answer in answers:
            self.assertIn(answer["verdict"], ("violated", "satisfied"))
            self.assertGreater(answer["interleavings"], 1)
        pairs = zip(LEVELS[store], answers)
        return [level for level, answer in pairs if answer["verdict"] == "violated"]

    def agrees(self, store):
        for name, first, second, expected in ANOMALIES:
            with self.subTest(anomaly=name):
                self.assertEqual(expected[store], self.allowed(store, scenario(first, second)))

    def test_mariadb(self):
        self.agrees("mariadb")

    def test_postgres(self):
        self.agrees("postgres")

    def test_rows_that_are_gone_leave_no_locks_behind(self):
        """InnoDB keeps deleted rows for a while; what is locked must not depend on how long."""
        self.write("gap.spec", GAPS)
        seen = set()
        for jobs in (1, 2, 1, 2):
            done = self.heddle("explore", "--on=mariadb", "--isolation=serializable", f"--jobs={jobs}",
                               "--format=json", "gap.spec")
            self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
            seen.add(done.stdout)
        self.assertEqual(1, len(seen))


if __name__ == "__main__":
    unittest.main()
