"""Whole runs of explore and replay on a throwaway server: exit codes, formats, files, interruption."""

import json
import os
import signal
import subprocess
import time
import unittest

import program

BANK = """
setup
{
  CREATE TABLE account (id int PRIMARY KEY, balance int);
  INSERT INTO account VALUES (1, 100);
}
teardown { DROP TABLE account; }
session s1
step r1 { SELECT balance FROM account WHERE id = 1; }
step w1 { UPDATE account SET balance = 110 WHERE id = 1; }
session s2
step r2 { SELECT balance FROM account WHERE id = 1; }
step w2 { UPDATE account SET balance = 120 WHERE id = 1; }
"""
ALONE = BANK + "permutation r1 w1 r2 w2\n"
# What a database of its own puts into rows: the clock, chance, and keys computed of nothing else.
MADE = """
setup
{
  CREATE TABLE visit (id int PRIMARY KEY, at timestamp NOT NULL DEFAULT clock_timestamp(),
    token uuid NOT NULL DEFAULT gen_random_uuid(), n int NOT NULL);
  INSERT INTO visit (id, n) VALUES (1, 0), (2, 0);
}
session s1
step a1 { SELECT n FROM visit WHERE id = 1; }
step a2 { UPDATE visit SET n = n + 1 WHERE id = 1; }
session s2
step b1 { SELECT n FROM visit WHERE id = 2; }
step b2 { UPDATE visit SET n = n + 1 WHERE id = 2; }
"""
STUCK = BANK.replace("step r2 { SELECT balance", "step r2 { SELECT pg_sleep(60), balance")
BROKEN = BANK.replace("CREATE TABLE account", "CREATE TABEL account")


class ExploreTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("bank.spec", BANK)
        self.write("alone.spec", ALONE)

    def explore(self, code, *words, **more):
        done = self.heddle("explore", *words, **more)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def test_rows_that_each_database_begins_with_otherwise_are_no_anomaly(self):
        self.write("made.spec", MADE)
        for jobs in (1, 2, 4):
            run = self.heddle("explore", f"--jobs={jobs}", "made.spec")
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn("0 anomalous", run.stdout)
        lost = MADE.replace("SET n = n + 1 WHERE id = 2", "SET n = 7 WHERE id = 1")
        self.write("lost.spec", lost.replace("SELECT n FROM visit WHERE id = 2",
                                             "SELECT n FROM visit WHERE id = 1"))
        run = self.heddle("explore", "--jobs=2", "lost.spec")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)

    def test_found_and_nothing_found(self):
        self.assertIn("bank.spec", self.explore(program.FOUND, "bank.spec").stdout)
        self.assertIn("alone.spec", self.explore(program.NOTHING_FOUND, "alone.spec").stdout)

    def test_the_same_input_gives_the_same_output(self):
        first = self.explore(program.FOUND, "--jobs=1", "bank.spec").stdout
        self.assertEqual(first, self.explore(program.FOUND, "--jobs=2", "bank.spec").stdout)

    def test_piped_text_has_no_control_characters(self):
        done = self.explore(program.FOUND, "bank.spec")
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertEqual("", done.stderr)
        self.assertIn("\x1b[", self.explore(program.FOUND, "--color=always", "bank.spec").stdout)

    def test_reduction_finds_the_same(self):
        all_of_them = json.loads(self.explore(program.FOUND, "--format=json", "bank.spec").stdout)
        reduced = json.loads(self.explore(program.FOUND, "--format=json", "--reduce=conflicts",
                                          "bank.spec").stdout)
        level, less = all_of_them["levels"][0], reduced["levels"][0]
        self.assertLessEqual(less["interleavings"], level["interleavings"])
        self.assertEqual([finding["kind"] for finding in level["findings"]],
                         [finding["kind"] for finding in less["findings"]])
        done = self.explore(program.FOUND, "--reduce=conflicts", "--isolation=serializable",
                            "bank.spec")
        self.assertIn("all interleavings are run: serializable transactions", done.stdout)
        self.assert_refused("heddle: --preemptions does not go with --reduce=conflicts, which may "
                            "keep of equal interleavings the one with more preemptions, leave one "
                            "of the two out",
                            "explore", "--reduce=conflicts", "--preemptions=1", "bank.spec")

    def test_standard_input(self):
        self.explore(program.FOUND, "-", stdin=BANK)

    def test_several_files_are_reported_in_order(self):
        done = self.explore(program.FOUND, "--format=json", "alone.spec", "bank.spec")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(2, len(lines))
        for line in lines:
            self.assertTrue(line["heddle"].startswith("explore/"))

    def test_output_file(self):
        printed = self.explore(program.FOUND, "--format=markdown", "bank.spec").stdout
        done = self.explore(program.FOUND, "--format=markdown", "--output=out.md", "bank.spec")
        self.assertEqual("", done.stdout)
        self.assertEqual(printed, (self.folder / "out.md").read_text())

    def test_a_printed_spec_shows_its_anomaly_again(self):
        spec = self.explore(program.FOUND, "--format=spec", "bank.spec").stdout
        self.assertEqual(1, spec.count("\npermutation"), spec)
        self.write("again.spec", spec)
        self.explore(program.FOUND, "again.spec")

    def test_saved_findings_replay(self):
        self.explore(program.FOUND, "--save=findings", "bank.spec")
        saved = sorted(os.listdir(self.folder / "findings"))
        self.assertNotEqual([], saved)
        for name in saved:
            self.assertRegex(name, r"^bank-[a-z-]+-[0-9a-f]+\.json$")
            done = self.heddle("replay", "--runs=2", f"findings/{name}")
            self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)
            self.assertIn("2/2", done.stdout)

    def test_isolationtester_output(self):
        done = self.explore(program.NOTHING_FOUND, "--format=isolationtester", "alone.spec")
        self.assertEqual(ISOLATIONTESTER, done.stdout)

    def test_a_setup_that_fails(self):
        self.write("broken.spec", BROKEN)
        done = self.explore(program.TROUBLE, "broken.spec", "bank.spec")
        self.assertIn("broken.spec", done.stderr)
        self.assertIn("bank.spec", done.stdout)

    def test_a_server_that_is_not_there(self):
        done = self.explore(program.TROUBLE, "--on=postgres://nobody@127.0.0.1:1/", "bank.spec")
        self.assertEqual("", done.stdout)
        self.assertRegex(done.stderr, r"\Aheddle: cannot connect .*Connection refused")
        self.assertEqual(1, done.stderr.count("heddle: "), done.stderr)

    def test_a_step_that_never_returns(self):
        self.write("stuck.spec", STUCK)
        started = time.monotonic()
        self.explore(program.UNKNOWN, "--step-timeout=200ms", "--timeout=20s", "stuck.spec")
        self.assertLess(time.monotonic() - started, 60)

    def test_interruption(self):
        self.write("stuck.spec", STUCK)
        with subprocess.Popen([program.HEDDLE, "explore", "stuck.spec"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            time.sleep(3)
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=30)
            self.assertEqual(program.INTERRUPTED, running.returncode)


ISOLATIONTESTER = """\
Parsed test spec with 2 sessions

starting permutation: r1 w1 r2 w2
step r1: SELECT balance FROM account WHERE id = 1;
balance
-------
    100
(1 row)

step w1: UPDATE account SET balance = 110 WHERE id = 1;
step r2: SELECT balance FROM account WHERE id = 1;
balance
-------
    110
(1 row)

step w2: UPDATE account SET balance = 120 WHERE id = 1;
"""


if __name__ == "__main__":
    unittest.main()
