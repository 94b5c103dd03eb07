"""A project outside of the repository uses the installed package: find_package, a test, a replay."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", str(ROOT / "build" / "dev")))

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
enable_testing()
find_package(heddle 0.1 REQUIRED)
heddle_add_sched_test(lost lost.cc)
heddle_add_sched_test(kept kept.cc)
"""

LOST = """#include <heddle/sched.h>
#include <thread>
int main() {
  return heddle::sched::test([] {
    int counter = 0;
    std::thread other([&counter] { ++counter; });
    ++counter;
    other.join();
    if (counter != 2) heddle::sched::fail("an increment is lost");
  }, {.races = heddle::sched::Races::find});
}
"""

KEPT = LOST.replace("int counter", "std::atomic<int> counter").replace(
    "#include <thread>", "#include <atomic>\n#include <thread>")


def run(*words, **more):
    more.setdefault("env", os.environ | {"HEDDLE_TOKENS": "off"})
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False, **more)


class OutsideTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        prefix = cls.folder / "prefix"
        done = run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "sched")
        assert done.returncode == 0, done.stdout + done.stderr
        (cls.folder / "CMakeLists.txt").write_text(PROJECT)
        (cls.folder / "lost.cc").write_text(LOST)
        (cls.folder / "kept.cc").write_text(KEPT)
        cls.build = cls.folder / "build"
        for step in (["cmake", "-S", cls.folder, "-B", cls.build, f"-DCMAKE_PREFIX_PATH={prefix}"],
                     ["cmake", "--build", cls.build]):
            done = run(*step)
            assert done.returncode == 0, done.stdout + done.stderr

    def test_what_is_right_passes(self):
        done = run(self.build / "kept")
        self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))

    def test_what_is_wrong_fails_and_is_replayed(self):
        done = run(self.build / "lost")
        self.assertEqual(1, done.returncode)
        self.assertIn("assertion failed: an increment is lost", done.stderr)
        self.assertIn("lost.cc:7", done.stderr)
        token = re.search(r"HEDDLE_REPLAY=(\S+)", done.stderr)[1]
        self.assertLessEqual(len(token), 20)
        for _ in range(10):
            again = run(self.build / "lost", env=os.environ | {"HEDDLE_REPLAY": token})
            self.assertEqual(1, again.returncode)
            self.assertIn(f"HEDDLE_REPLAY={token} ", again.stderr)

    def test_a_token_that_was_cut_is_refused(self):
        done = run(self.build / "lost", env=os.environ | {"HEDDLE_REPLAY": "aQhs22g"})
        self.assertNotIn(done.returncode, (0, 1))
        self.assertIn("HEDDLE_REPLAY is no token", done.stderr)

    def test_ctest_runs_them(self):
        done = run("ctest", "--test-dir", self.build)
        self.assertRegex(done.stdout, r"1 tests failed out of 2")


if __name__ == "__main__":
    unittest.main()
