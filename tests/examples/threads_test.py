"""The project examples/threads, built with the installed package: each broken program fails as its page
says, and each repaired one passes."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", str(ROOT / "build" / "dev")))
PROJECT = ROOT / "examples" / "threads"


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False, **more)


def rows():
    """Programs, and what each says first and its pattern, as the page says."""
    found = {}
    for line in (PROJECT / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[2].startswith("`"):
            found[cells[2].strip("`")] = (cells[3], cells[4])
    return found


def environment(**more):
    """Without what would change how a test is executed."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith("HEDDLE_")} | {"HEDDLE_TOKENS": "off"} | more


class ThreadsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        prefix = pathlib.Path(folder.name) / "prefix"
        cls.build = pathlib.Path(folder.name) / "build"
        for step in (["cmake", "--install", BUILD, "--prefix", prefix, "--component", "sched"],
                     ["cmake", "-GNinja", "-S", PROJECT, "-B", cls.build,
                      f"-DCMAKE_PREFIX_PATH={prefix}",
                      "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON"],
                     ["cmake", "--build", cls.build, "--parallel", "2"]):
            done = run(*step)
            assert done.returncode == 0, done.stdout + done.stderr

    def programs(self, version):
        return sorted(path.name for path in self.build.iterdir()
                      if path.name.endswith(version) and os.access(path, os.X_OK))

    def test_the_page_lists_every_broken_program_and_every_header(self):
        self.assertEqual(sorted(rows()), self.programs("_broken"))
        page = (PROJECT / "README.md").read_text()
        headers = sorted(path.name for path in PROJECT.glob("*.h"))
        self.assertEqual(headers, sorted(re.findall(r"^\| \[(\w+\.h)\]", page, re.MULTILINE)))
        self.assertEqual(len(headers), len(self.programs("_repaired")))

    def test_broken_programs_fail_as_the_page_says(self):
        for name, (words, pattern) in rows().items():
            for seed in ("1", "2", "3"):
                with self.subTest(name, seed=seed):
                    done = run(self.build / name, env=environment(HEDDLE_SEED=seed))
                    self.assertEqual((1, ""), (done.returncode, done.stdout), done.stderr)
                    self.assertRegex(done.stderr, "^heddle: " + re.escape(words))
                    named = re.findall(r"^pattern: (.*)$", done.stderr, re.MULTILINE)
                    self.assertEqual([pattern] if pattern else [], named, done.stderr)

    def test_a_failure_is_the_same_when_it_is_replayed(self):
        for name in rows():
            with self.subTest(name):
                first = run(self.build / name, env=environment())
                token = re.search(r"HEDDLE_REPLAY=(\S+)", first.stderr)
                self.assertIsNotNone(token, first.stderr)
                again = run(self.build / name, env=environment(HEDDLE_REPLAY=token[1]))
                self.assertEqual(1, again.returncode)
                drawn = [re.search(r"^┌.*^└[^\n]*$", report, re.MULTILINE | re.DOTALL)
                         for report in (first.stderr, again.stderr)]
                self.assertEqual(drawn[0][0], drawn[1][0])

    def test_repaired_programs_pass(self):
        for name in self.programs("_repaired"):
            for seed in ("1", "2"):
                with self.subTest(name, seed=seed):
                    done = run(self.build / name, env=environment(HEDDLE_SEED=seed))
                    self.assertEqual((0, ""), (done.returncode, done.stdout), done.stderr)
                    self.assertRegex(done.stderr, "^heddle: [0-9]+ executions?, none failed: ")

    def test_ctest_knows_which_must_fail(self):
        done = run("ctest", "--test-dir", self.build, env=environment())
        count = len(self.programs("_broken")) + len(self.programs("_repaired"))
        self.assertIn(f"100% tests passed, 0 tests failed out of {count}", done.stdout)


if __name__ == "__main__":
    unittest.main()
