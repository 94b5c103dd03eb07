"""Levels of single operations on the replicated store: linearizable and cassandra:one."""

import json
import unittest

import program

# One statement each: wrong only where a replica does not know what another one has done.
DEPOSIT = """
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE deposit(which int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = which;
END $$;
CREATE FUNCTION look(which int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = which;
  RETURN b;
END $$;
"""
# Several statements each: others may come in between wherever nothing holds them together.
WITHDRAW = """
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE withdraw(which int, amount int) LANGUAGE plpgsql AS $$
DECLARE available int;
BEGIN
  SELECT balance INTO available FROM account WHERE id = which;
  IF available < amount THEN RETURN; END IF;
  UPDATE account SET balance = available - amount WHERE id = which;
END $$;
CREATE FUNCTION twice(which int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE a int; b int;
BEGIN
  SELECT balance INTO a FROM account WHERE id = which;
  SELECT balance INTO b FROM account WHERE id = which;
  RETURN a || ' ' || b;
END $$;
"""
PARTED = """
store bank replicated
setup { CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 100); }
session s1
step w1 { UPDATE account SET balance = balance + 10 WHERE id = 1; }
session s2
setup { MOVE TO r2; }
step w2 { UPDATE account SET balance = balance + 20 WHERE id = 1; }
session network
step part { PARTITION r1 FROM r2; }
step heal { HEAL; }
"""


class SingleOperationsTest(program.ProgramTest):
    def causes(self, level, name, *words):
        done = self.heddle("find", "--on=replicated", f"--isolation={level}", "--format=json",
                           *words, name)
        self.assertIn(done.returncode, (program.NOTHING_FOUND, program.FOUND), done.stderr)
        return json.loads(done.stdout)["causes"]

    def test_what_a_single_copy_rules_out(self):
        self.write("deposit.sql", DEPOSIT)
        for level in "linearizable", "sequential":
            self.assertEqual([], self.causes(level, "deposit.sql"))
            self.assertEqual([], self.causes(level, "deposit.sql", "--sessions=2"))
        [lost] = self.causes("cassandra:one", "deposit.sql")
        self.assertEqual(("lost-update", "confirmed", "internal"),
                         (lost["kind"], lost["status"], lost["finding"]["effect"]))
        kinds = {cause["kind"] for cause in
                 self.causes("cassandra:one", "deposit.sql", "--sessions=2")
                 if cause["status"] == "confirmed"}
        self.assertEqual({"lost-update", "session-cycle"}, kinds)

    def test_what_a_single_copy_allows(self):
        self.write("withdraw.sql", WITHDRAW)
        for level in "linearizable", "sequential", "cassandra:one":
            causes = self.causes(level, "withdraw.sql")
            self.assertEqual({("lost-update", "confirmed"), ("non-repeatable-read", "confirmed")},
                             {(cause["kind"], cause["status"]) for cause in causes}, level)
            if level == "cassandra:one":
                continue
            # There is nothing that anybody would have to be kept from seeing.
            for cause in causes:
                self.assertNotIn("MOVE SESSION", cause["finding"]["scenario"]["spec"])
                self.assertEqual(cause["kind"], cause["finding"]["kind"])

    def test_a_finding_is_replayed(self):
        self.write("withdraw.sql", WITHDRAW)
        self.causes("linearizable", "withdraw.sql", "--save=found")
        done = self.heddle("replay", "--runs=2", "found")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)
        self.assertRegex(done.stdout, r"(\d) findings: \1 confirmed by every run")

    def test_who_is_parted_from_the_rest_is_refused(self):
        self.write("parted.spec", PARTED)
        done = self.heddle("explore", "--isolation=linearizable", "parted.spec")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertIn("the store aborted a session in 2 of them", done.stdout)
        done = self.heddle("explore", "--isolation=cassandra:one", "parted.spec")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)


if __name__ == "__main__":
    unittest.main()
