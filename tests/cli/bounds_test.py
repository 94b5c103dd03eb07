"""Time, memory, signals and stores that die: heddle stops in time and says what it has found."""

import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

import program

sys.path.insert(0, str(program.ROOT / "bench"))
import java_trees  # noqa: E402

BANK = program.ROOT / "tests" / "programs" / "smallbank"
BANK_FILES = (str(BANK / "schema.sql"), str(BANK / "class"))

# The second step waits for the first session, which never ends its transaction.
WAITING = {
    "sqlite": ("BEGIN IMMEDIATE; UPDATE t SET i = 1;", "UPDATE t SET i = 2;"),
    "sqlite:wal": ("BEGIN IMMEDIATE; UPDATE t SET i = 1;", "UPDATE t SET i = 2;"),
    "postgres": ("BEGIN; UPDATE t SET i = 1;", "UPDATE t SET i = 2;"),
    "mariadb": ("BEGIN; UPDATE t SET i = 1;", "UPDATE t SET i = 2;"),
}

# A slow machine takes its time for starting and ending things; what is tested is that nobody waits
# for the end of a statement (30 s) or for a reader (for ever).
PATIENCE = 15


def waiting(first, second):
    return (f"setup {{ CREATE TABLE t (i int); INSERT INTO t VALUES (0); }}\n"
            f"session s1\nstep a {{ {first} }}\nstep b {{ SELECT 1; }}\n"
            f"session s2\nstep c {{ {second} }}\npermutation a c b\n")


class BoundsTest(program.ProgramTest):

    def timed(self, *words, **more):
        begin = time.monotonic()
        done = self.heddle(*words, **more)
        return done, time.monotonic() - begin

    def start(self, *words):
        process = subprocess.Popen([program.HEDDLE, *words], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   errors="replace")
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, holds, what):
        end = time.monotonic() + 100
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)

    def is_catching(self, process):
        status = pathlib.Path("/proc", str(process.pid), "status").read_text()
        caught = int(re.search(r"SigCgt:\s*(\w+)", status).group(1), 16)
        return caught >> (signal.SIGINT - 1) & 1


class PipeTest(BoundsTest):
    """Nobody writes to the pipe that heddle is to read."""

    COMMANDS = {
        "explore": ("explore",),
        "find": ("find",),
        "replay": ("replay",),
        "split": ("split", "--services=cut.json"),
    }

    def test_reading_obeys_the_time_limit(self):
        os.mkfifo(self.folder / "pipe")
        self.write("cut.json", '{"A": ["t"]}')
        for name, words in self.COMMANDS.items():
            with self.subTest(name):
                done, taken = self.timed(*words, "--timeout=300ms", "pipe")
                self.assertEqual((program.UNKNOWN, ""), (done.returncode, done.stdout))
                self.assertEqual("pipe: --timeout was hit while nobody wrote to it, give more, or "
                                 "less to do\n", done.stderr)
                self.assertLess(taken, PATIENCE)

    def test_what_was_read_in_part_is_printed_as_such(self):
        java_trees.Provider(self.folder, 300).make()
        done, taken = self.timed("find", "--list-statements", "--timeout=100ms", ".")
        self.assertEqual(program.UNKNOWN, done.returncode)
        self.assertRegex(done.stderr, "methods were not read: --timeout")
        self.assertLess(taken, PATIENCE)

    def test_a_formula_that_is_being_built_obeys_the_time_limit(self):
        java_trees.branches(self.folder, calls="each")
        for more in (["--isolation=eventual"], ["--isolation=postgres:read-committed"],
                     ["--isolation=read-committed", "--engine=reference"]):
            with self.subTest(more):
                done, took = self.timed("find", "--timeout=4s", *more, ".")
                self.assertEqual(program.UNKNOWN, done.returncode, done.stderr)
                self.assertLess(took, 4 + PATIENCE)
                self.assertIn("not complete: --timeout", done.stdout)

    def test_standard_input_does_too(self):
        reading, writing = os.pipe()
        try:
            done = subprocess.run([program.HEDDLE, "find", "--timeout=300ms", "-"], text=True,
                                  stdin=reading, capture_output=True, timeout=60, check=False)
        finally:
            os.close(reading)
            os.close(writing)
        self.assertEqual((program.UNKNOWN, ""), (done.returncode, done.stdout))
        self.assertIn("<stdin>: --timeout was hit while nobody wrote to it", done.stderr)

    @staticmethod
    def has_open(process, name):
        """Signals are caught for good before the first file is opened."""
        folder = f"/proc/{process.pid}/fd"
        try:
            return any(os.readlink(f"{folder}/{fd}").endswith(f"/{name}") for fd in os.listdir(folder))
        except OSError:
            return False

    def test_reading_obeys_signals(self):
        os.mkfifo(self.folder / "pipe")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                process = self.start("find", "pipe")
                self.wait_until(lambda: self.has_open(process, "pipe"), "it never opened the pipe")
                process.send_signal(number)
                out, error = process.communicate(timeout=60)
                self.assertEqual((128 + number, ""), (process.returncode, out))
                self.assertEqual("pipe: interrupted while nobody wrote to it\n", error)

    def test_a_pipe_with_a_writer_is_read_whole(self):
        os.mkfifo(self.folder / "pipe")
        process = self.start("find", "--list-statements", "pipe")
        with open(self.folder / "pipe", "w", encoding="utf-8") as pipe:
            pipe.write("CREATE TABLE t (id int PRIMARY KEY);\n")
            pipe.flush()
            pipe.write("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT id FROM t';\n")
        out, error = process.communicate(timeout=60)
        self.assertEqual((program.NOTHING_FOUND, ""), (process.returncode, error))
        self.assertIn("SELECT id FROM t", out)


class WaitingStepTest(BoundsTest):

    def test_a_step_that_waits_ends_with_the_time(self):
        def explore(store):
            name = self.write(f"{store}.spec".replace(":", "-"), waiting(*WAITING[store]))
            return self.timed("explore", f"--on={store}", "--timeout=5s", name)

        # Nearly all of it is waiting, so that they wait at once.
        with concurrent.futures.ThreadPoolExecutor(len(WAITING)) as pool:
            ended = dict(zip(WAITING, pool.map(explore, WAITING)))
        for store, (done, taken) in ended.items():
            with self.subTest(store):
                self.assertEqual(program.UNKNOWN, done.returncode, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r"the\s+time\s+limit\s+was\s+hit")
                self.assertLess(taken, 5 + PATIENCE)


class SearchTest(BoundsTest):

    def test_a_limit_of_time_leaves_causes_that_were_executed(self):
        done, taken = self.timed("find", "--on=replicated", "--isolation=eventual", "--timeout=12s",
                                 "--format=json", *BANK_FILES)
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        report = json.loads(done.stdout)
        confirmed = [cause for cause in report["causes"] if cause["status"] == "confirmed"]
        self.assertGreater(len(confirmed), 0)
        self.assertLess(taken, 12 + PATIENCE)

    def test_an_interrupt_leaves_causes_that_were_executed(self):
        saved = self.folder / "saved"
        process = self.start("find", "--on=replicated", "--isolation=eventual", "--length=6",
                             "--jobs=2", *BANK_FILES)
        self.wait_until(lambda: self.is_catching(process), "it never caught signals")
        # Nobody sees from outside when the first cause has been executed.
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual(program.INTERRUPTED, process.returncode, error)
        self.assertRegex(out, r"not complete: interrupted: \d+ of \d+ sets of functionalities")
        self.assertIn("confirmed", out)
        self.assertFalse(saved.exists())

    def test_the_number_of_jobs_changes_nothing(self):
        outputs = {self.heddle("find", "--on=replicated", "--isolation=eventual",
                               f"--jobs={jobs}", "--instances=2",
                               str(program.ROOT / "examples" / "transfer.sql")).stdout
                   for jobs in (1, 2, 3)}
        self.assertEqual(1, len(outputs))
        self.assertIn("confirmed", outputs.pop())

    def test_memory_is_bounded(self):
        done = self.heddle("find", "--isolation=eventual", "--memory=1K", *BANK_FILES)
        self.assertEqual(program.UNKNOWN, done.returncode)
        self.assertIn("--memory=1K", done.stdout + done.stderr)
        self.assert_refused("heddle: --memory=much is not a size, write it as 500M, 2G or in bytes",
                            "find", "--memory=much", *BANK_FILES)

    def test_memory_that_is_short_ends_the_search_with_what_was_found(self):
        free = self.heddle("find", "--isolation=eventual", "--length=3", *BANK_FILES)
        self.assertEqual(program.FOUND, free.returncode)
        done = self.heddle("find", "--isolation=eventual", "--memory=90M", "--length=6",
                           *BANK_FILES)
        self.assertIn(done.returncode, (program.FOUND, program.UNKNOWN), done.stderr)
        self.assertIn("not complete: --memory=90M: ", done.stdout)

    def test_a_very_large_program_ends_with_what_was_found(self):
        tables = "".join(f"CREATE TABLE t{i} (id int PRIMARY KEY, a int, b int, c int);\n"
                         for i in range(300))
        calls = "".join(f"CREATE PROCEDURE f{i}(x int) LANGUAGE plpgsql AS $$\nBEGIN\n"
                        + "PERFORM book(x);\n" * (i % 40) +
                        f"UPDATE t{i % 300} SET a = a + 1 WHERE id = x;\nEND $$;\n"
                        for i in range(1200))
        self.write("large.sql", tables + calls)
        for seconds in (15, 60):  # the second where other work keeps the machine busy
            done = self.heddle("find", "--isolation=eventual", "--memory=1G",
                               f"--timeout={seconds}s", "large.sql")
            if done.returncode == program.FOUND:
                break
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"\nnot complete: --timeout: \d+ of \d+ sets of ")
        self.assertIn(" lost update", done.stdout)


class DyingStoreTest(BoundsTest):

    def kill_servers(self, process, name, after):
        """Kills the servers of the name that `process` has started, `after` seconds of theirs."""
        def servers():
            return [one for one, of in program.children(process.pid).items() if of == name]
        self.wait_until(servers, f"no {name} was started")
        time.sleep(after)
        for one in servers():
            try:
                os.kill(one, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def test_what_was_found_before_the_server_died_is_reported(self):
        process = self.start("find", "--on=postgres", "--isolation=postgres:read-committed",
                             "--jobs=2", "--length=6", *BANK_FILES)
        self.kill_servers(process, "postgres", 6)
        out, error = process.communicate(timeout=100)
        self.assertEqual(program.TROUBLE, process.returncode, out + error)
        self.assertRegex(out, r"not complete: the store died: \d+ of \d+ sets(.|\n)*not\s+executed")
        self.assertIn("confirmed", out)
        self.assertNotEqual("", error)


if __name__ == "__main__":
    unittest.main()
