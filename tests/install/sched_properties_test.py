"""Properties in a project outside of the repository: what fails is tried first by the next run, and
comes back by a token, or by a file where the token is long."""

import os
import pathlib
import re
import tempfile
import unittest

import outside

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
enable_testing()
find_package(heddle 0.1 REQUIRED)
heddle_add_sched_test(counted counted.cc)
heddle_add_sched_test(overflows overflows.cc)
find_package(rapidcheck QUIET)
if(rapidcheck_FOUND)
  heddle_add_sched_test(generated RAPIDCHECK generated.cc)
endif()
"""

COUNTED = """#include <heddle/sched_property.h>
struct Counter {
  std::atomic<int> value = 0;
  void increment() { value = value + 1; }
  int get() const { return value; }
};
int main() {
  heddle::sched::Property<Counter, int> property;
  property
      .command("increment", [](Counter& counter) { counter.increment(); },
               [](int& model) { ++model; })
      .command("get", [](Counter& counter) { return counter.get(); },
               [](int& model) { return model; });
  return heddle::sched::test(property);
}
"""

# It fails only after so many calls that the token cannot be short.
OVERFLOWS = """#include <heddle/sched_property.h>
struct Sum {
  std::uint64_t value = 0;
  std::uint64_t add(std::uint32_t more) { return value = value < 600u ? value + more % 2 + 1 : 0; }
};
int main() {
  heddle::sched::Property<Sum, std::uint64_t> property;
  property.command(
      "add", [](heddle::sched::Source& source) { return std::uint32_t(source.between(0, 1)); },
      [](Sum& sum, std::uint32_t more) { return sum.add(more); },
      [](std::uint64_t& model, std::uint32_t more) { return model += more + 1; });
  return heddle::sched::test(property, {.prefix = 1000, .branches = 0, .branch = 0, .suffix = 0});
}
"""


# Two threads that append lose one of what both have written.
GENERATED = """#include <heddle/sched_property.h>
#include <heddle/sched_rapidcheck.h>
#include <string>
struct Log {
  std::atomic<std::size_t> size = 0;
  std::size_t append(const std::string& text) {
    const std::size_t before = size;
    size = before + text.size();
    return before;
  }
};
int main() {
  heddle::sched::Property<Log, std::size_t> property;
  property.command(
      "append", rc::gen::nonEmpty(rc::gen::string<std::string>()),
      [](Log& log, const std::string& text) { return log.append(text); },
      [](std::size_t& model, const std::string& text) {
        const std::size_t before = model;
        model += text.size();
        return before;
      });
  return heddle::sched::test(property);
}
"""


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_")}
    return kept | more


def token_in(text):
    return re.search(r"HEDDLE_REPLAY=(\S+)", text)[1]


class PropertiesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder, cls.build = outside.build_sources(cls, CMakeLists=PROJECT, counted=COUNTED,
                                                  overflows=OVERFLOWS, generated=GENERATED)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)

    def start(self, program, **more):
        return outside.run(self.build / program, cwd=self.here, env=environment(**more))

    def test_what_was_found_is_tried_first(self):
        first = self.start("counted", HEDDLE_SEED="7")
        self.assertEqual(1, first.returncode)
        token = token_in(first.stderr)
        tokens = self.here / ".heddle" / "counted.tokens"
        self.assertEqual(token + "\n", tokens.read_text())
        again = self.start("counted")
        self.assertIn("\nfound in execution 1;", again.stderr)
        self.assertEqual(token_in(again.stderr), tokens.read_text().splitlines()[0])
        without = self.start("counted", HEDDLE_TOKENS="off")
        self.assertNotIn("\nfound in execution 1;", without.stderr)

    def test_several_processes_find_the_same(self):
        found = [self.start("counted", HEDDLE_JOBS=jobs, HEDDLE_TOKENS="off")
                 for jobs in ("1", "2", "0")]
        self.assertEqual({1}, {done.returncode for done in found})
        self.assertEqual(1, len({done.stderr for done in found}), [done.stderr for done in found])

    def test_a_token_holds_the_commands(self):
        token = token_in(self.start("counted", HEDDLE_TOKENS="off").stderr)
        again = self.start("counted", HEDDLE_REPLAY=token, HEDDLE_TOKENS="off")
        self.assertEqual(1, again.returncode)
        self.assertIn("thread 1: increment()\nthread 2: increment()\nlast: get()\n", again.stderr)
        self.assertRegex(again.stderr, r"reads 1 \(A\)[^\n]*\n(.*\n)?.*gives 1 ")

    def test_a_long_token_is_a_file(self):
        first = self.start("overflows")
        self.assertEqual(1, first.returncode, first.stderr)
        token = token_in(first.stderr)
        self.assertRegex(token, r"^\.heddle/overflows-[0-9a-f]{8}\.token$")
        self.assertGreater(len((self.here / token).read_text()), 200)
        for _ in range(2):
            again = self.start("overflows", HEDDLE_REPLAY=token)
            self.assertEqual(1, again.returncode, again.stderr)
            self.assertIn("not linearizable", again.stderr)
            self.assertNotIn("has changed", again.stderr)
        self.assertIn("\nfound in execution 1;", self.start("overflows").stderr)
        (self.here / token).unlink()
        lost = self.start("overflows", HEDDLE_REPLAY=token)
        self.assertNotIn(lost.returncode, (0, 1))
        self.assertEqual("heddle: HEDDLE_REPLAY names a file that is not there or holds no token\n",
                         lost.stderr)
        self.assertNotIn("found in execution 1;", self.start("overflows").stderr)

    def test_arguments_come_from_rapidcheck(self):
        if not (self.build / "generated").exists():
            self.skipTest("RapidCheck is not installed")
        first = self.start("generated")
        self.assertEqual(1, first.returncode, first.stderr)
        self.assertIn("thread 1: append(a)\nthread 2: append(a)\n", first.stderr)
        again = self.start("generated", HEDDLE_REPLAY=token_in(first.stderr))
        self.assertEqual(1, again.returncode, again.stderr)
        self.assertNotIn("has changed", again.stderr)
        several = self.start("generated", HEDDLE_JOBS="2", HEDDLE_TOKENS="off")
        self.assertEqual(self.start("generated", HEDDLE_TOKENS="off").stderr, several.stderr)

    def test_nothing_is_left_behind_without_tokens(self):
        done = self.start("overflows", HEDDLE_TOKENS="off")
        self.assertGreater(len(token_in(done.stderr)), 200)
        self.assertEqual([], os.listdir(self.here))


if __name__ == "__main__":
    unittest.main()
