"""heddle check --follow: files that grow, standard input, ends, signals, what is refused."""

import json
import signal
import subprocess
import unittest

import program

BEGIN = "initial: 0\nr1[x=0] w1[x=1] c1\n"
STALE = "r4[x=0] c4\n"
CALLS = """\
{:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :invoke, :f :read, :value nil}
"""
TRANSACTIONS = """\
{:process 0, :type :invoke, :f :txn, :value [[:append 1 1] [:r 2 nil]]}
{:process 1, :type :invoke, :f :txn, :value [[:r 1 nil]]}
{:process 0, :type :ok, :f :txn, :value [[:append 1 1] [:r 2 nil]]}
{:process 1, :type :info, :f :txn, :value [[:r 1 nil]]}
{:process 2, :type :invoke, :f :txn, :value [[:r 1 nil] [:append 2 5]]}
{:process 2, :type :ok, :f :txn, :value [[:r 1 [1]] [:append 2 5]]}
"""


class FollowTest(program.ProgramTest):
    def start(self, *words, **more):
        """A heddle that follows; it is killed with the test."""
        process = subprocess.Popen([program.HEDDLE, "check", "--follow", *words], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   **more)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def ends(self, process, code):
        out, err = process.communicate(timeout=60)
        self.assertEqual(code, process.returncode, out + err)
        return out, err

    def append(self, name, text):
        with open(self.folder / name, "a", encoding="utf-8") as file:
            file.write(text)

    def follow(self, code, *words, **more):
        done = self.heddle("check", "--follow", *words, **more)
        self.assertEqual((code, ""), (done.returncode, done.stderr), done.stdout)
        return done.stdout

    def test_standard_input_until_its_end(self):
        text = self.follow(program.NOTHING_FOUND, "-", stdin=BEGIN + "r2[x=1] w2[x=2] c2")
        self.assertEqual("<stdin>: strict-serializable is satisfied\n"
                         "2 transactions followed, satisfied up to number 2; at most 2 kept\n", text)

    def test_a_violation_that_only_the_end_shows(self):
        text = self.follow(program.FOUND, "-", stdin=BEGIN + "r2[x=0] c2")
        self.assertIn("strict-serializable is violated", text)
        self.follow(program.NOTHING_FOUND, "--level=serializable", "-", stdin=BEGIN + "r2[x=0] c2")

    def test_a_violation_ends_it_at_once(self):
        self.write("h.txt", BEGIN)
        process = self.start("h.txt")
        self.append("h.txt", "r2[x=1] w2[x=2] c2 r3[x")
        self.append("h.txt", "=2] c3\n" + STALE)
        out, _ = self.ends(process, program.FOUND)
        self.assertIn("h.txt: strict-serializable is violated", out)
        self.assertIn("(s4, line 4)", out)

    def test_a_violation_in_the_middle_of_standard_input(self):
        process = self.start("-", stdin=subprocess.PIPE)
        self.addCleanup(process.stdin.close)
        process.stdin.write(BEGIN + STALE)
        process.stdin.flush()
        process.wait(timeout=60)
        self.assertEqual(program.FOUND, process.returncode)

    def test_signals_leave_what_is_known(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("--format=json", "-", stdin=subprocess.PIPE)
            # What is written behind the first line is read after the handler is there.
            process.stdin.write(BEGIN)
            process.stdin.flush()
            self.wait_until_read(process)
            process.send_signal(number)
            out, err = process.stdout.read(), process.stderr.read()
            process.stdin.close()
            self.assertEqual(128 + number, process.wait(timeout=60), err)
            known = json.loads(out)
            self.assertEqual(("satisfied", False, 1),
                             (known["verdict"], known["whole"], known["transactions"]))

    def wait_until_read(self, process):
        """Until the pipe is empty and the process waits."""
        import array
        import fcntl
        import termios
        left = array.array("i", [1])
        while left[0] != 0 or not self.sleeps(process):
            fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, left)

    @staticmethod
    def sleeps(process):
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] == "S"

    def test_trouble_with_the_file(self):
        self.write("h.txt", BEGIN)
        process = self.start("h.txt")
        self.append("h.txt", "r2[x=1] w2[x=2 c2\n")
        _, err = self.ends(process, program.TROUBLE)
        self.assertTrue(err.startswith("h.txt:3:"), err)
        self.write("h.txt", BEGIN * 1)
        process = self.start("h.txt", "--timeout=60s")
        self.wait_until_open(process, "h.txt")
        (self.folder / "h.txt").unlink()
        _, err = self.ends(process, program.TROUBLE)
        self.assertIn("h.txt: the file was removed while it was followed", err)
        self.write("h.txt", BEGIN)
        process = self.start("h.txt")
        self.wait_until_open(process, "h.txt")
        with open(self.folder / "h.txt", "r+", encoding="utf-8") as file:
            file.truncate(3)
        _, err = self.ends(process, program.TROUBLE)
        self.assertIn("h.txt: the file has become shorter while it was followed", err)

    def wait_until_open(self, process, name):
        """Until the whole file has been read and the process waits for more."""
        import os
        size = (self.folder / name).stat().st_size
        folder = f"/proc/{process.pid}/fd"
        while True:
            for number in os.listdir(folder):
                try:
                    if not os.readlink(f"{folder}/{number}").endswith(name):
                        continue
                    with open(f"/proc/{process.pid}/fdinfo/{number}", encoding="utf-8") as file:
                        position = int(file.readline().split()[1])
                except OSError:
                    continue
                if position == size and self.sleeps(process):
                    return

    def test_bounds(self):
        self.write("h.txt", BEGIN)
        text = self.follow(program.UNKNOWN, "--timeout=100ms", "h.txt")
        self.assertIn("h.txt: strict-serializable is unknown: the time limit\n", text)
        self.assertIn("satisfied up to number 1;", text)
        text = self.follow(program.UNKNOWN, "--memory=1M", "-", stdin=BEGIN)
        self.assertIn("is unknown: the memory limit of 1 MB", text)

    def test_jepsen(self):
        self.follow(program.NOTHING_FOUND, "-", stdin=TRANSACTIONS)
        self.follow(program.NOTHING_FOUND, "-", stdin="[" + TRANSACTIONS[:-1] + "]\n")
        stale = TRANSACTIONS.replace("[[:r 1 [1]]", "[[:r 1 []]")
        self.follow(program.FOUND, "-", stdin=stale)
        text = self.follow(program.NOTHING_FOUND, "-",
                           stdin=CALLS + "{:process 1, :type :ok, :f :read, :value 1}\n")
        self.assertEqual("<stdin>: linearizable is satisfied\n"
                         "2 calls followed, satisfied up to number 2; at most 1 kept\n",
                         text.replace("at most 2", "at most 1"))
        text = self.follow(program.FOUND, "-",
                           stdin=CALLS + "{:process 1, :type :ok, :f :read, :value nil}\n")
        self.assertIn("p1 read: nil fits into no order", text)

    def test_long_histories_of_every_format_and_the_whole_check_agree(self):
        for shape in ("list-append,times=yes", "small,times=yes,operations=2..4"):
            for form in ("jepsen-edn", "heddle", "textbook"):
                more = ["--initial=nil"] if form == "textbook" else []
                self.heddle("check", f"--generate={shape},transactions=2000", f"--convert={form}",
                            "--output=h")
                content = (self.folder / "h").read_text()
                report = self.follow(program.NOTHING_FOUND, "--format=json", *more, "-",
                                     stdin=content)
                self.assertEqual(2000, json.loads(report)["satisfied"], shape + form)

    def test_watermarks(self):
        head = '{"heddle": "history/1", "shape": "transactions", "initial": 0, "times": true}\n'
        first = '{"session": 0, "began": 1, "ended": 5, "ops": [["r", "x", 0], ["w", "x", 1]]}\n'
        late = '{"session": 1, "began": 3, "ended": 9, "ops": [["r", "x", 1]]}\n'
        self.follow(program.NOTHING_FOUND, "-", stdin=head + first + late)
        done = self.heddle("check", "--follow", "-", stdin=head + first + '{"watermark": 6}\n' + late)
        self.assertEqual(program.TROUBLE, done.returncode)
        self.assertTrue(done.stderr.startswith("<stdin>:4:1: this began at 3"), done.stderr)
        self.write("h", head + first + '{"watermark": 6}\n' + late.replace("3", "6"))
        done = self.heddle("check", "h")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)

    def test_what_is_refused(self):
        self.write("a.txt", "w 1 1\n=====\nr 1 1\n")
        self.assert_trouble("a.txt: awdit is not read line by line", "check", "--follow", "a.txt")
        self.assert_trouble("--follow follows one history", "check", "--follow", "a.txt", "a.txt")
        self.assert_trouble("--follow checks one level", "check", "--follow", "--level=prefix",
                            "--level=snapshot", "a.txt")
        self.assert_trouble("--follow and --witness do not go together", "check", "--follow",
                            "--witness", "a.txt")
        self.assert_trouble("missing.txt", "check", "--follow", "missing.txt")
        self.assert_trouble("initial: 0", "check", "--follow", "-", stdin="r1[x=0] c1\n")


if __name__ == "__main__":
    unittest.main()
