"""Programs with a main of their own, built by the installed package and unchanged: what is wrong with
them is found, told, and comes back with its token; what is right passes; nothing is left behind."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

import outside
from outside import ROOT, run

SOURCES = ROOT / "tests" / "sched" / "own_main"

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(programs LANGUAGES C CXX)
enable_testing()
find_package(heddle 0.1 REQUIRED)
add_compile_options(-O1 -Wall -Wextra)
foreach(name bank forks pool server ends stuck files children timers)
  heddle_add_sched_program(${name} %(sources)s/${name}.cc)
endforeach()
foreach(name buffer cancel pipes posix)
  heddle_add_sched_program(${name} %(sources)s/${name}.c)
endforeach()
heddle_add_sched_program(pool_of_two %(sources)s/pool.cc ARGUMENTS -n 2)
"""

RIGHT = [("bank", "right"), ("forks", "right"), ("pool",), ("pool", "-n", "2"), ("server",),
         ("cancel",), ("cancel", "turns"), ("posix",), ("pipes",), ("timers",),
         ("files",), ("children",), ("ends", "main first"), ("ends",)]

WRONG = [
    (("bank",), "exit: the program ends with exit code 3, and not with 0"),
    (("forks",), "deadlock: no thread can go on"),
    (("pool", "-b"), "deadlock: no thread can go on"),
    (("pool", "-x"), "exit: the program ends with exit code 2, and not with 0"),
    (("server", "wrong"), "exception escaped: std::logic_error: answers are not counted"),
    (("children", "wrong"), "deadlock: no thread can go on"),
    (("cancel", "wrong"), "deadlock: no thread can go on"),
    (("posix", "spin"), "data race: "),
    (("posix", "c11"), "data race: "),
    (("pipes", "wrong"), "deadlock: thread "),
    (("pipes", "lost"), "data race: "),
    (("stuck", "read"), "deadlock: thread 0 waits for descriptor "),
    (("ends", "assert"), "assertion failed: came"),
    (("ends", "exit"), "exit: the program ends with exit code 4, and not with 0"),
    (("ends", "_exit"), "exit: the program ends with exit code 5, and not with 0"),
    (("ends", "quick_exit"), "exit: the program ends with exit code 6, and not with 0"),
    (("ends", "kill"), "crash: the process is ended by SIGKILL"),
    (("ends", "null"), "crash: Segmentation fault"),
    (("ends", "throw"), "exception escaped: std::runtime_error: too early"),
    (("ends", "throw here"), "exception escaped: std::logic_error: too late"),
    (("ends", "leave"), "abort: the program calls abort(), or std::terminate()"),
    (("ends", "detach"), "abort: the program calls abort(), or std::terminate()"),
]


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_")}
    return kept | {"HEDDLE_EXECUTIONS": "400", "HEDDLE_SECONDS": "60", "HEDDLE_TOKENS": "off"} | more


def processes_of(path):
    """Processes that execute the file."""
    found = []
    for link in pathlib.Path("/proc").glob("[0-9]*/exe"):
        try:
            if os.readlink(link) == str(path):
                found.append(link.parent.name)
        except OSError:
            continue
    return found


class ProgramsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        (cls.folder / "CMakeLists.txt").write_text(PROJECT % {"sources": SOURCES})
        cls.build = outside.build_project(cls.folder)

    def start(self, name, *words, **more):
        more.setdefault("env", environment())
        return run(self.build / name, *words, cwd=self.folder, **more)

    def test_what_is_right_passes(self):
        for name, *words in RIGHT:
            with self.subTest(name, words=words):
                done = self.start(name, *words)
                self.assertEqual((0, ""), (done.returncode, done.stdout), done.stderr)
                self.assertRegex(done.stderr, r"^heddle: \d+ executions?, none failed: [^\n]+\n$")

    def test_what_is_wrong_is_found_and_comes_back(self):
        for (name, *words), wanted in WRONG:
            with self.subTest(name, words=words):
                done = self.start(name, *words)
                self.assertEqual((1, ""), (done.returncode, done.stdout), done.stderr)
                self.assertTrue(done.stderr.startswith("heddle: " + wanted), done.stderr)
                token = re.search(r"^again: HEDDLE_REPLAY=(\S+) (.*)$", done.stderr, re.MULTILINE)
                self.assertIn(words[0] if words else name, token[2])
                again = self.start(name, *words, env=environment(HEDDLE_REPLAY=token[1]))
                self.assertEqual(1, again.returncode)
                drawn = [re.sub("\nfound in execution [^\n]*\n", "", text)
                         for text in (done.stderr, again.stderr)]
                self.assertEqual(drawn[0], drawn[1])

    def test_what_it_writes_is_told_once_with_the_thread(self):
        done = self.start("bank")
        self.assertEqual(1, done.stderr.count("overdrawn"))
        self.assertIn("\nit wrote:\n  thread 0: least -4\n  thread 0: overdrawn\n", done.stderr)

    def test_each_execution_reads_the_same_input(self):
        written = self.folder / "input"
        written.write_text("2\n")
        with open(written, encoding="utf-8") as file:
            done = self.start("buffer", stdin=file)
        self.assertEqual(0, done.returncode, done.stderr)
        done = self.start("buffer", stdin=None, input="2\n")
        self.assertEqual(0, done.returncode, done.stderr)
        done = self.start("buffer")
        self.assertIn("the program ends with exit code 1", done.stderr)

    def test_what_is_found_does_not_depend_on_workers(self):
        for name, *words in (["bank"], ["forks"], ["server", "wrong"]):
            reports = [self.start(name, *words, env=environment(HEDDLE_JOBS=jobs,
                                                                HEDDLE_STRATEGY="random")).stderr
                       for jobs in ("1", "2", "3")]
            self.assertIn("again: HEDDLE_REPLAY=", reports[0])
            self.assertEqual(reports[:1] * 3, reports)

    def test_what_was_found_is_tried_first(self):
        kept = environment(HEDDLE_EXECUTIONS="400")
        del kept["HEDDLE_TOKENS"]
        tokens = self.folder / ".heddle" / "bank.tokens"
        first = self.start("bank", env=kept)
        token = re.search(r"HEDDLE_REPLAY=(\S+)", first.stderr)[1]
        self.assertEqual(token + "\n", tokens.read_text())
        tokens.write_text("no token\n" + token + "\n")
        again = self.start("bank", env=kept)
        self.assertIn("\nfound in execution 1;", again.stderr)
        self.assertEqual(token, re.search(r"HEDDLE_REPLAY=(\S+)", again.stderr)[1])
        self.assertEqual(token + "\n", tokens.read_text())
        self.assertEqual(0, self.start("bank", "right", env=kept).returncode)
        self.assertEqual(["bank.tokens"], os.listdir(tokens.parent))

    def test_another_exit_code_may_be_expected(self):
        done = self.start("pool", "-x", env=environment(HEDDLE_EXIT_CODE="2"))
        self.assertEqual(0, done.returncode, done.stderr)
        done = self.start("pool", "-x", env=environment(HEDDLE_EXIT_CODE="256"))
        self.assertIn("HEDDLE_EXIT_CODE=256: give a number from 0 to 255", done.stderr)

    def test_without_heddle_it_is_the_program(self):
        done = self.start("bank", "right", env=environment(HEDDLE_SCHED="off"))
        self.assertEqual((0, "least 3\n", ""), (done.returncode, done.stdout, done.stderr))

    def test_what_does_not_come_back_is_told_and_ended(self):
        for how, function in (("loop", "go_round() at stuck.cc:"),
                              ("wait", "wait_for_nothing() at stuck.cc:")):
            with self.subTest(how):
                done = self.start("stuck", how, env=environment(HEDDLE_WATCHDOG="1"))
                self.assertEqual((1, ""), (done.returncode, done.stdout), done.stderr)
                self.assertRegex(done.stderr, "^heddle: stuck: no thread came to a step for 1 seconds")
                self.assertIn(function, done.stderr)
                self.assertRegex(done.stderr, r"main at stuck\.cc:\d+")
                token = re.search(r"HEDDLE_REPLAY=(\S+) ", done.stderr)[1]
                again = self.start("stuck", how,
                                   env=environment(HEDDLE_WATCHDOG="1", HEDDLE_REPLAY=token))
                self.assertIn(function, again.stderr)
                self.assertEqual([], processes_of(self.build / "stuck"))

    def test_nothing_is_left_when_it_is_ended(self):
        path = self.build / "server"
        for ending in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(ending):
                with subprocess.Popen([path], stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                      env=environment(HEDDLE_EXECUTIONS="100000000")) as process:
                    while len(processes_of(path)) < 2:
                        time.sleep(0.01)
                    process.send_signal(ending)
                    self.assertEqual(-ending, process.wait(timeout=30))
                deadline = time.monotonic() + 30
                while processes_of(path) and time.monotonic() < deadline:
                    time.sleep(0.01)
                self.assertEqual([], processes_of(path))

    def test_ctest_starts_them_with_their_arguments(self):
        done = run("ctest", "--test-dir", self.build, "-R", "pool_of_two", env=environment())
        self.assertIn("100% tests passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
