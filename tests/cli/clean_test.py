"""A given server is left as it was, however heddle and its guard end; heddle clean does the rest.

With an argument of its own (clean_test.py --runs=200) or HEDDLE_TEST_SCALE, with many more runs.
"""

import contextlib
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import unittest

import given_servers
import program

LOST_UPDATE = """
setup { CREATE TABLE account (id INT PRIMARY KEY, balance INT); }
setup { INSERT INTO account VALUES (1, 100); }
session alice
step a_read  { SELECT balance FROM account WHERE id = 1 }
step a_write { UPDATE account SET balance = 90 WHERE id = 1 }
session bob
step b_read  { SELECT balance FROM account WHERE id = 1 }
step b_write { UPDATE account SET balance = 80 WHERE id = 1 }
"""

RUNS = 12 * int(os.environ.get("HEDDLE_TEST_SCALE", "0") or 0) or 12
OWN_NAME = r"heddle_[0-9a-f]{16}_[0-9a-f]{16}"


def own_databases(server):
    return {name for name in server.databases() if re.fullmatch(OWN_NAME, name)}


def guards_of(process):
    """The numbers of the guards that the process has started."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text()
            parent = int(fields[fields.rindex(")") + 1:].split()[1])
            if "(throwaway-guard)" in fields and parent == process:
                found.append(int(folder.name))
    return found


class GivenServer:
    """The tests that each kind of server runs."""

    server_of = None  # starts one

    def setUp(self):
        super().setUp()
        self.write("lost_update.spec", LOST_UPDATE)
        self.random = random.Random(self.id())
        started = contextlib.ExitStack()
        self.addCleanup(started.close)
        self.server = started.enter_context(type(self).server_of())
        self.server.fill()
        self.before = self.server.everything()

    @contextlib.contextmanager
    def start(self, *before):
        with subprocess.Popen(
                [*before, program.HEDDLE, "explore", f"--on={self.server.url}", "lost_update.spec"],
                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            try:
                yield run
            finally:
                # A test that fails may leave it stopped, and nobody would end it.
                run.kill()

    def assert_left_as_it_was(self):
        clean = given_servers.wait_until(lambda: not own_databases(self.server), 90)
        self.assertTrue(clean, own_databases(self.server))
        self.assertEqual(self.before, self.server.everything())

    def test_runs_that_end_and_runs_that_are_killed_leave_nothing(self):
        ended = killed = early = 0
        longest = 0.5
        while ended < RUNS // 2 or killed < RUNS // 2:
            with self.start() as run:
                begin = time.monotonic()
                if killed >= RUNS // 2 or self.random.random() < 0.5:
                    self.assertEqual(program.FOUND, run.wait())
                    longest = max(longest, time.monotonic() - begin)
                    ended += 1
                    continue
                moment = self.random.uniform(0, self.random.choice((0.5, longest)))
                time.sleep(moment)
                run.kill()
                if run.wait() == -signal.SIGKILL:
                    killed += 1
                    early += moment < 0.5
                else:
                    ended += 1
        self.assert_left_as_it_was()
        print(f"{type(self).__name__}: {ended} runs ended, {killed} were killed, {early} of them in "
              "the first half second, nothing is left", file=sys.stderr)

    def test_what_a_killed_guard_leaves_is_cleaned(self):
        left = 0
        for i in range(max(4, RUNS // 4)):
            with self.start() as run:
                if i % 2 == 0:
                    time.sleep(self.random.uniform(0.05, 0.8))
                else:
                    # On a fast machine the run may have ended by then.
                    given_servers.wait_until(
                        lambda: own_databases(self.server) or run.poll() is not None)
                run.send_signal(signal.SIGSTOP)
                for guard in guards_of(run.pid):
                    os.kill(guard, signal.SIGKILL)
                run.kill()
            # What the dead client asked for goes on, and may end in one more database.
            self.assertTrue(given_servers.wait_until(lambda: self.server.connections() == 0))
            left += len(own_databases(self.server))
            shown = self.clean()
            self.assertEqual(program.NOTHING_FOUND, shown.returncode, shown.stderr)
            for name in own_databases(self.server):
                self.assertIn(f"  {name}\n", shown.stdout)
            dropped = self.clean("--drop")
            self.assertEqual(program.NOTHING_FOUND, dropped.returncode, dropped.stderr)
        self.assertGreater(left, 0)
        self.assert_left_as_it_was()
        print(f"{type(self).__name__}: {left} databases without a guard were cleaned",
              file=sys.stderr)

    def clean(self, *more):
        return self.heddle("clean", f"--on={self.server.url}", *more)

    def stop_amid_its_work(self, run):
        """The names of its databases; none: it was at its end already, and goes on."""
        given_servers.wait_until(lambda: own_databases(self.server) or run.poll() is not None)
        if run.poll() is not None:
            return set()
        run.send_signal(signal.SIGSTOP)
        names = own_databases(self.server)
        if not names:
            run.send_signal(signal.SIGCONT)
        return names

    def test_a_run_that_lives_is_not_cleaned(self):
        for _ in range(20):
            with self.start() as run:
                names = self.stop_amid_its_work(run)
                if names:
                    done = self.clean("--drop")
                    self.assertLessEqual(names, own_databases(self.server))
                    self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
                    self.assertIn("0 databases of runs that are dead\n", done.stdout)
                    self.assertRegex(done.stdout, r"\d+ databases? of runs that live")
                    run.send_signal(signal.SIGCONT)
                self.assertEqual(program.FOUND, run.wait())
            if names:
                break
        self.assertTrue(names)
        self.assert_left_as_it_was()

    def test_two_with_the_same_process_number(self):
        own_numbers = ["unshare", "--pid", "--fork", "--kill-child"]
        if os.geteuid() != 0:
            own_numbers.insert(1, "--map-current-user")
        for _ in range(max(2, RUNS // 6)):
            with self.start(*own_numbers) as first, self.start(*own_numbers) as second:
                time.sleep(self.random.uniform(0.1, 0.6))
                first.kill()
                self.assertEqual(program.FOUND, second.wait())
        # The guard was in the namespace, too, and ended with it.
        self.assertTrue(given_servers.wait_until(lambda: self.server.connections() == 0))
        self.clean("--drop")
        self.assert_left_as_it_was()


class PostgresTest(GivenServer, program.ProgramTest):
    server_of = staticmethod(given_servers.postgres)


class MariadbTest(GivenServer, program.ProgramTest):
    server_of = staticmethod(given_servers.mariadb)


class UsageTest(program.ProgramTest):
    def test_it_takes_a_given_server(self):
        self.assert_refused("heddle: heddle clean needs --on=ADDRESS, name the given server, as in "
                            "--on=postgres://user@host:port/", "clean")
        use = "name a given server: postgres://user@host:port/ or mysql://user@host:port/"
        for store in ("postgres", "mariadb", "sqlite", "replicated", "mariadb:ring", "oracle"):
            self.assert_refused(f"heddle: {store} names no given server, {use}", "clean",
                                f"--on={store}")
        self.assert_trouble("whose keys are in one cannot be told", "clean", "--on=redis://h/")
        self.assert_trouble("no such store", "clean", "--on=oracle://me:secret@h/")
        self.assert_trouble("cannot connect to MariaDB", "clean", "--on=mysql://me@127.0.0.1:1/")
        self.assert_trouble("cannot connect to PostgreSQL", "clean", "--on=host=/nowhere")


if __name__ == "__main__":
    for word in [word for word in sys.argv if word.startswith("--runs=")]:
        RUNS = int(word.removeprefix("--runs="))
        sys.argv.remove(word)
    unittest.main()
