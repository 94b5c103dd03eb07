"""A test program of heddle::sched works wherever the runtime stands among what is linked, and with the
standard library linked as an archive; other sanitizers' runtimes are refused, with what to change."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", ROOT / "build/dev"))
RUNTIME = BUILD / "heddle_sched_runtime.o"
FLAGS = ["-std=c++20", "-g", "-O1", "-fsanitize=thread", "-D_GLIBCXX_EXTERN_TEMPLATE=0",
         f"-I{ROOT / 'include'}", f"-isystem{ROOT / 'cmake/libstdcxx'}", "-Wno-tsan"]
SHARED = []
STATIC = ["-static-libstdc++", "-static-libgcc"]

PROGRAM = """
#include <heddle/sched.h>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

int main() {
  const heddle::sched::Options options{.executions = 300};
  const auto right = heddle::sched::check([] {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::string, int> counts;
    auto other = std::async(std::launch::async, [&] {
      const std::lock_guard lock(mutex);
      std::ostringstream text;
      text << "made" << 1;
      ++counts[text.str()];
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return counts.size() == 1; });
    lock.unlock();
    other.get();
  }, options);
  const auto wrong = heddle::sched::expect_failure([] {
    std::map<std::string, int> counts;
    std::thread other([&] { ++counts["one"]; });
    ++counts["two"];
    other.join();
  }, options);
  const auto thrown = heddle::sched::expect_failure([] {
    std::thread other([] { throw std::string("nobody catches it"); });
    other.join();
  }, options);
  return right && wrong && wrong.failure.kind == "data race" && thrown &&
         thrown.failure.kind == "exception escaped" ? 0 : 1;
}
"""


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          timeout=300)


class Linking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle_linking_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        source = cls.folder / "program.cc"
        source.write_text(PROGRAM)
        cls.made = cls.folder / "program.o"
        compiled = run("g++", *FLAGS, "-c", source, "-o", cls.made)
        if compiled.returncode != 0:
            raise AssertionError(compiled.stderr)

    def link(self, *words):
        program = self.folder / "program"
        linked = run("g++", *words, "-o", program, "-pthread")
        self.assertEqual(linked.returncode, 0, linked.stderr)
        return run(program)

    def test_the_runtime_may_stand_first_or_last(self):
        for how, objects in (("first", (RUNTIME, self.made)), ("last", (self.made, RUNTIME))):
            for library in (SHARED, STATIC):
                with self.subTest(runtime=how, library=library):
                    ran = self.link(*objects, *library)
                    self.assertEqual(ran.returncode, 0, ran.stderr[-2000:])

    def test_it_may_stand_behind_the_libraries(self):
        ran = self.link(self.made, "-lstdc++", "-lm", "-lc", RUNTIME)
        self.assertEqual(ran.returncode, 0, ran.stderr[-2000:])

    def test_address_sanitizer_is_refused(self):
        ran = self.link(self.made, RUNTIME, "-fsanitize=address")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("heddle: the test is linked with AddressSanitizer: leave -fsanitize=address away",
                      ran.stderr)

    def test_thread_sanitizer_is_refused(self):
        program = self.folder / "both"
        linked = run("g++", self.made, RUNTIME, "-fsanitize=thread", "-o", program)
        if linked.returncode != 0:
            # An archive has the functions twice.
            self.assertIn("__tsan_", linked.stderr)
            return
        ran = run(program)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("heddle: the test is linked with ThreadSanitizer", ran.stderr)


if __name__ == "__main__":
    unittest.main()
