"""Two MariaDB servers in a ring from outside: what scenarios see, what is refused, what stays behind."""

import json
import os
import pathlib
import re
import signal
import subprocess
import unittest

import program

SETUP = """
setup { CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 100); }
"""

PARTED = SETUP + """
session s1
step w1 { UPDATE account SET balance = balance + 10 WHERE id = 1; }
session s2
setup { MOVE TO r2; }
step w2 { UPDATE account SET balance = balance + 20 WHERE id = 1; }
session network
step part { PARTITION r1 FROM r2; }
step heal { HEAL; }
"""

# The step sleeps until it is cancelled.
STUCK = SETUP + """
session s1
step w1 { UPDATE account SET balance = SLEEP(100) WHERE id = 1; }
"""


# Even what adds in the database is lost between two servers.
ADD = """
CREATE TABLE account (id integer PRIMARY KEY, balance numeric(10,2) NOT NULL);
CREATE FUNCTION add(who integer, amount numeric) RETURNS void AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = who;
END $$ LANGUAGE plpgsql;
"""


class MariadbRingTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)  # the servers run as somebody else where we are root

    def refused(self, step):
        """The report on a step that is refused."""
        text = SETUP + f"session s1\nstep a {{ {step} }}\nstep b {{ SELECT 1; }}\npermutation a b\n"
        self.write("refused.spec", text)
        done = self.heddle("explore", "--on=mariadb:ring", "--explain=why-not", "refused.spec")
        self.assertEqual("", done.stderr)
        return re.sub(r"[\s│]+", " ", done.stdout)

    def test_replicas_that_do_not_converge_are_found_and_found_again(self):
        self.write("parted.spec", PARTED)
        done = self.heddle("explore", "--on=mariadb:ring", "--save=found", "--format=json",
                           "parted.spec")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        level, = json.loads(done.stdout)["levels"]
        self.assertEqual((12, 2), (level["interleavings"], level["anomalous"]))
        document, = pathlib.Path(self.folder, "found").glob("*.json")
        again = self.heddle("replay", "--on=mariadb:ring", str(document))
        self.assertEqual(program.FOUND, again.returncode, again.stdout + again.stderr)
        self.assertIn("confirmed 10/10 on MariaDB", again.stdout)

    def test_findings_of_programs_are_executed_and_kept(self):
        self.write("add.sql", ADD)
        done = self.heddle("find", "--on=mariadb:ring", "--isolation=eventual", "--instances=2",
                           "--save=found", "add.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"confirmed on MariaDB .*2 servers in circular replication")
        document, = pathlib.Path(self.folder, "found").glob("*.json")
        again = self.heddle("replay", str(document))
        self.assertIn("confirmed 10/10 on MariaDB", again.stdout, again.stderr)
        alone = self.heddle("find", "--on=mariadb", "--isolation=mariadb:read-committed", "add.sql")
        self.assertEqual(program.NOTHING_FOUND, alone.returncode, alone.stdout)

    def test_what_a_server_cannot_do_is_refused_in_one_sentence(self):
        told = self.refused("BEGIN; UPDATE account SET balance = 1; DELIVER s1.1 TO r2;")
        self.assertIn("a server logs a transaction when it commits, and s1.1 is not committed", told)
        self.assertIn("there is no server r3: a ring of MariaDB servers has r1 and r2",
                      self.refused("MOVE TO r3;"))

    def test_other_addresses(self):
        self.write("parted.spec", PARTED)
        self.assert_trouble(r"cannot read the address mariadb:rings: .*use mariadb or mariadb:ring",
                            "explore", "--on=mariadb:rings", "parted.spec")
        self.assert_trouble(r"MariaDB has no level causal, use read-uncommitted", "explore",
                            "--on=mariadb:ring", "--isolation=causal", "parted.spec")
        self.write("commands.spec", "setup { MOVE TO r2; }\nsession s\nstep a { SELECT 1; }\n")
        self.assert_trouble(r"setup failed", "explore", "--on=mariadb:ring", "commands.spec")

    def test_nothing_stays_behind_after_an_interrupt(self):
        self.write("stuck.spec", STUCK)
        roots = self.folder / "roots"
        roots.mkdir()
        os.chmod(roots, 0o777)
        environment = {**os.environ, "TMPDIR": str(roots)}
        with subprocess.Popen([program.HEDDLE, "explore", "--on=mariadb:ring", "stuck.spec"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment) as running:
            while len(list(roots.glob("*/data/binlog.000001"))) < 2:
                self.assertIsNone(running.poll())
            running.send_signal(signal.SIGINT)
            running.communicate(timeout=60)
            self.assertEqual(program.INTERRUPTED, running.returncode)
        self.assertEqual([], list(roots.iterdir()))


if __name__ == "__main__":
    unittest.main()
