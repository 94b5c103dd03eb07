"""However heddle replay ends while it runs a race, in whatever phase: nothing is left of it."""

import signal
import subprocess
import unittest

import given_servers
import program
import raced_shop

# What pauses, and the number of the call: the runs before the overlap have two withdrawals each.
PAUSES = {"reset": ("reset", 1), "requests before": ("account", 1), "control run": ("withdrawal", 1),
          "held overlap": ("withdrawal", 10)}
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -signal.SIGKILL}

# Putting rows back, which is done as a replica does it, waits for a lock that the test holds.
TRIGGER = """
CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7);
  RETURN new;
END $$;
CREATE TRIGGER wait_for_test BEFORE INSERT OR UPDATE ON account
FOR EACH ROW EXECUTE FUNCTION wait_for_test();
ALTER TABLE account ENABLE REPLICA TRIGGER wait_for_test;
"""
WAITERS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


class RaceKillTest(raced_shop.RacedShopTest):
    def setUp(self):
        super().setUp()
        self.save()

    def end_and_look(self, process, number):
        code, said, complaints = self.end(process, number)
        self.assertEqual((CODES[number], ""), (code, complaints), said)
        for path in self.folder.glob("pause-*"):
            path.unlink()
        self.assert_nothing_is_left()
        self.assertEqual([], [path.name for path in self.folder.glob("*report.txt*")])

    def test_each_phase(self):
        for phase, (name, call) in PAUSES.items():
            for number in CODES:
                with self.subTest(phase, signal=number.name):
                    self.write(f"pause-{name}", str(call))
                    process = self.begin("replay", *raced_shop.QUICK, "--output=report.txt",
                                         self.withdrawals())
                    at = self.folder / f"at-{name}"
                    self.assertTrue(given_servers.wait_until(at.exists))
                    at.unlink()
                    self.end_and_look(process, number)

    def test_while_the_system_comes_up(self):
        self.write("mode", "deaf")
        for number in CODES:
            with self.subTest(signal=number.name):
                process = self.begin("replay", *raced_shop.QUICK, "--output=report.txt",
                                     self.withdrawals())
                self.assertTrue(given_servers.wait_until(
                    lambda: len(self.running()) > 1))
                self.end_and_look(process, number)

    def test_while_rows_are_put_back(self):
        self.server.ask(TRIGGER)
        self.addCleanup(self.server.ask, "DROP FUNCTION wait_for_test CASCADE")
        for number in CODES:
            with self.subTest(signal=number.name):
                holder = self.hold_lock()
                process = self.begin("replay", *raced_shop.QUICK, "--output=report.txt",
                                     self.withdrawals())
                self.assertTrue(given_servers.wait_until(
                    lambda: self.server.ask(WAITERS).strip() == "1"))
                process.send_signal(number)
                said = process.communicate(timeout=60)
                self.assertEqual((CODES[number], ("", "")), (process.returncode, said))
                holder.communicate()
                self.assert_nothing_is_left()
                self.assertFalse((self.folder / "report.txt").exists())

    def hold_lock(self):
        holder = subprocess.Popen(["psql", f"{self.server.address} dbname=postgres", "-qXAt"],
                                  text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(holder.communicate)
        self.addCleanup(holder.kill)
        holder.stdin.write("SELECT pg_advisory_lock(7);\n\\echo held\n")
        holder.stdin.flush()
        self.assertEqual(["\n", "held\n"], [holder.stdout.readline() for _ in range(2)])
        return holder

    def test_of_several_those_that_were_run_are_told(self):
        races = sorted(path.name for path in (self.folder / "races").glob("*.json"))
        self.assertEqual(2, len(races))
        # Of the later finding, nothing comes behind its first withdrawal.
        last = self.withdrawals()
        first = next(name for name in races if not last.endswith(name))
        self.write("pause-withdrawal", "1")
        process = self.begin("replay", *raced_shop.QUICK, "--runs=1", f"races/{first}", last)
        at = self.folder / "at-withdrawal"
        self.assertTrue(given_servers.wait_until(at.exists))
        code, said, complaints = self.end(process, signal.SIGINT)
        self.assertEqual((program.INTERRUPTED, ""), (code, complaints))
        self.assertRegex(said, r"^races/\S+: confirmed 1/1 on .*\n2 findings: 1 confirmed by every "
                               r"run, 1 not come to\n$")
        self.assert_nothing_is_left()


if __name__ == "__main__":
    unittest.main()
