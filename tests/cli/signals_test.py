"""Signals and readers that go away: the exit code says which, nothing is half done, nothing stays."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import made_postgres
import program
import trouble_test

made_postgres.use_real()

SIGNALS = {signal.SIGHUP: 129, signal.SIGINT: 130, signal.SIGTERM: 143}
SPEC = trouble_test.BANK
# Many functionalities that all meet: the search of their sets takes long.
TABLE = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL, other int NOT NULL);\n"
ROUTINE = """CREATE PROCEDURE f%d(a int, b int) LANGUAGE plpgsql AS $$
DECLARE x int; y int;
BEGIN
  SELECT balance INTO x FROM account WHERE id = a;
  UPDATE account SET other = x - %d WHERE id = b;
  SELECT other INTO y FROM account WHERE id = b;
  UPDATE account SET balance = y - %d WHERE id = a;
END $$;
"""
MANY = TABLE + "".join(ROUTINE % (i, i, i) for i in range(30))
CUT = '{"M": ["account"]}'


class SignalsTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        temporary = tempfile.TemporaryDirectory(prefix="hs-", dir=trouble_test.MEMORY)
        self.addCleanup(temporary.cleanup)
        self.temporary = pathlib.Path(temporary.name)
        self.temporary.chmod(0o755)
        self.write("many.sql", MANY)
        self.write("few.sql", TABLE + ROUTINE % (1, 1, 1))
        self.write("bank.spec", SPEC)
        self.write("cut.json", CUT)
        os.mkfifo(self.folder / "pipe")

    def start(self, *words, **more):
        process = subprocess.Popen([program.HEDDLE, *words], cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "TMPDIR": str(self.temporary)}, **more)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, holds, process):
        end = time.monotonic() + 60
        while not holds():
            self.assertIsNone(process.poll(), "it ended too early")
            self.assertLess(time.monotonic(), end, "it never came so far")
            time.sleep(0.01)

    def catches(self, process, number):
        """Whether the process has come to its own code: it catches the signal."""
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
        return int(caught.split()[1], 16) >> (number - 1) & 1 == 1

    def naps(self, process):
        """Whether the server of this heddle runs the step that sleeps."""
        titles = [trouble_test.title_of(each) for each in trouble_test.descendants(process.pid)]
        return any(title.startswith("postgres:") and title.endswith(" DO") for title in titles)

    def assert_ends(self, process, number):
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(SIGNALS[number], process.returncode, output + errors)
        self.assertNotRegex(errors, "terminate|assert|Aborted|exception")
        self.assertEqual([], os.listdir(self.temporary))
        return output

    def test_while_reading(self):
        for words in [["find", "pipe"], ["split", "--services=cut.json", "pipe"],
                      ["explore", "pipe"], ["replay", "pipe"], ["check", "pipe"]]:
            for number in SIGNALS:
                with self.subTest(words=words, number=number):
                    process = self.start(*words)
                    self.wait_until(lambda: self.catches(process, number), process)
                    self.assertEqual("", self.assert_ends(process, number))

    def test_while_searching(self):
        for words in [["find", "--length=6", "many.sql"],
                      ["split", "--services=cut.json", "--length=6", "--baseline=none",
                       "--isolation=eventual", "many.sql"]]:
            for number in SIGNALS:
                with self.subTest(words=words, number=number):
                    process = self.start(*words, "--jobs=2")
                    threads = pathlib.Path(f"/proc/{process.pid}/task")
                    self.wait_until(lambda: len(os.listdir(threads)) > 1, process)
                    output = self.assert_ends(process, number)
                    self.assertIn("interrupted", output)

    def test_while_executing(self):
        napping = SPEC + trouble_test.NAP + "permutation r1 nap w1 r2 w2\n"
        self.write("stuck.spec", napping)
        for number in SIGNALS:
            with self.subTest(number=number):
                process = self.start("explore", "--on=postgres", "stuck.spec")
                self.wait_until(lambda: self.naps(process), process)
                self.assert_ends(process, number)

    def test_while_the_server_of_a_search_runs(self):
        for number in SIGNALS:
            with self.subTest(number=number):
                process = self.start("find", "--on=postgres", "few.sql")
                self.wait_until(lambda: trouble_test.server_of(process), process)
                self.assert_ends(process, number)

    def test_a_reader_that_went_away(self):
        self.write("cut.json", CUT)
        self.write("one.txt", "r1[x=0] w1[x=1] c1\n")
        for words in [["find", "few.sql"], ["find", "--list-statements", "few.sql"],
                      ["split", "--services=cut.json", "few.sql"], ["check", "one.txt"],
                      ["explore", "bank.spec"], ["help"], ["completion", "bash"]]:
            with self.subTest(words):
                reader, writer = os.pipe()
                os.close(reader)
                done = self.heddle(*words, stdout=writer,
                                   env={**os.environ, "TMPDIR": str(self.temporary)})
                os.close(writer)
                self.assertEqual(program.TROUBLE, done.returncode, done.stderr)
                self.assertEqual("heddle: cannot write to standard output: Broken pipe",
                                 done.stderr.splitlines()[-1])
                self.assertEqual([], os.listdir(self.temporary))

    def test_no_file_is_written_in_part(self):
        process = self.start("find", "--length=6", "--output=report.txt", "--jobs=2", "many.sql")
        threads = pathlib.Path(f"/proc/{process.pid}/task")
        self.wait_until(lambda: len(os.listdir(threads)) > 1, process)
        self.assert_ends(process, signal.SIGTERM)
        left = [name for name in os.listdir(self.folder) if name.startswith("report")]
        self.assertEqual(["report.txt"], left)
        self.assertIn("interrupted", (self.folder / "report.txt").read_text())


if __name__ == "__main__":
    unittest.main()
