"""A project outside of the repository uses the installed package: find_package, a test, a replay."""

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
heddle_add_sched_test(lost lost.cc)
heddle_add_sched_test(kept kept.cc)
heddle_add_sched_test(of_gtest GTEST of_gtest.cc)
heddle_add_sched_test(typed TYPES typed.cc)
heddle_add_sched_test(typed_with_flag typed.cc)
add_executable(typed_for_real typed.cc)
target_compile_features(typed_for_real PRIVATE cxx_std_20)
target_include_directories(typed_for_real PRIVATE ${HEDDLE_SCHED_INCLUDE})
find_package(Catch2 QUIET)
if(Catch2_FOUND)
  heddle_add_sched_test(of_catch2 CATCH2 of_catch2.cc)
endif()
"""

PROJECT_OF_CATCH3 = """cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
enable_testing()
find_package(heddle 0.1 REQUIRED)
find_package(Catch2 3 QUIET)
if(Catch2_FOUND)
  heddle_add_sched_test(of_catch2 CATCH2 of_catch2.cc)
  heddle_add_sched_test(own_main CATCH2 own_main.cc)
endif()
"""

OWN_MAIN_OF_CATCH3 = """#include <catch2/catch_all.hpp>
#include <cstdio>
#include <heddle/sched.h>
#include <mutex>
#include <thread>
#include <vector>
TEST_CASE("kept") {
  std::vector<int> outside;
  SECTION("locked") {
    heddle::sched::check([] {
      std::vector<int> all;
      std::mutex mutex;
      const auto add = [&](int number) {
        const std::lock_guard lock(mutex);
        all.push_back(number);
      };
      std::thread other(add, 1);
      add(2);
      other.join();
      REQUIRE(all.size() == 2);
      REQUIRE_THROWS_AS(throw 1, int);
    });
  }
}
int main(int argc, char** argv) {
  std::puts("its own main");
  return Catch::Session().run(argc, argv);
}
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

# One source: in a test, and without heddle's runtime.
TYPED = """#include <heddle/sched_types.h>
namespace sched = heddle::sched;
struct Cell {
  sched::atomic<int> version = 0;
  sched::Plain<int> first = 0;
  sched::Plain<int> second = 0;
  sched::mutex mutex;
  void write(bool locked) {
    sched::unique_lock<sched::mutex> lock(mutex, sched::defer_lock);
    if (locked) lock.lock();
    first = first + 1;
    second = second + 1;
    ++version;
  }
};
int run(bool locked, const sched::Options& options) {
  return sched::test([locked] {
    Cell cell;
    sched::thread other([&] { cell.write(locked); });
    cell.write(locked);
    other.join();
    if (cell.version != 2 || cell.first != 2 || cell.second != 2) sched::fail("a write is lost");
  }, options);
}
int run_pointers() {
  return sched::test([] {
    long numbers[3] = {};
    sched::atomic<long*> next = numbers;
    sched::atomic<bool> done = false;
    sched::thread other([&] { *next.fetch_add(1) = 1; done.store(true, std::memory_order_release); });
    *next++ = 2;
    while (!done.load(std::memory_order_acquire)) sched::this_thread::yield();
    other.join();
    bool expected = true;
    if (next.load() != numbers + 2 || !done.compare_exchange_strong(expected, false)) sched::fail("no");
  });
}
int main(int count, char**) {
  if (count > 1) return run(false, {.races = sched::Races::find});
  return run(true, {}) + run_pointers();
}
"""

OF_GTEST = """#include <atomic>
#include <gtest/gtest.h>
#include <heddle/sched.h>
#include <string>
#include <thread>
#include <vector>
TEST(Counter, IsLost) {
  heddle::sched::check([] {
    int counter = 0;
    std::thread other([&counter] { ++counter; });
    ++counter;
    other.join();
    EXPECT_EQ(counter, 2) << "an increment is lost";
  }, {.races = heddle::sched::Races::find});
}
TEST(Counter, IsWrongInAThread) {
  heddle::sched::check([] {
    std::atomic<int> counter = 0;
    std::thread other([&counter] { ASSERT_EQ(1, ++counter); });
    ++counter;
    other.join();
  });
}
// GoogleTest's library has its own copy of what a vector does.
TEST(Vector, Races) {
  const auto answer = heddle::sched::expect_failure([] {
    std::vector<int> vector;
    std::vector<std::string> texts;
    std::thread other([&] { vector.push_back(1); texts.push_back("a"); });
    vector.push_back(2);
    other.join();
  });
  EXPECT_TRUE(answer) << answer.failure.what;
}
TEST(Counter, IsKept) {
  EXPECT_TRUE(heddle::sched::check([] {
    std::atomic<int> counter = 0;
    std::thread other([&counter] { EXPECT_LE(1, ++counter); });
    ++counter;
    other.join();
    ASSERT_EQ(2, counter);
  }));
}
TEST(Plain, FailsAsEver) { EXPECT_EQ(1, 2); }
"""

OF_CATCH2 = """#include <atomic>
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
#include <heddle/sched.h>
#include <thread>
TEST_CASE("lost") {
  heddle::sched::check([] {
    std::atomic<int> counter = 0;
    std::thread other([&] { REQUIRE(++counter == 1); });
    ++counter;
    other.join();
  });
}
TEST_CASE("kept") {
  CHECK(heddle::sched::check([] {
    std::atomic<int> counter = 0;
    std::thread other([&] { ++counter; CHECK(counter > 0); });
    ++counter;
    other.join();
    CHECK(counter == 2);
  }));
}
"""


def run(*words, **more):
    more.setdefault("env", os.environ | {"HEDDLE_TOKENS": "off"})
    return outside.run(*words, **more)


class CatchTest(unittest.TestCase):
    def expect_lost_of_catch2(self, done):
        self.assertNotEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("2 | 1 passed | 1 failed", done.stdout)
        self.assertEqual(1, done.stderr.count("assertion failed: REQUIRE( ++counter == 1 ) with 2 == 1"))


class Catch3Test(CatchTest):
    """HEDDLE_CATCH2 is where Catch2's version 3 is installed, if CMake does not find it by itself."""

    @classmethod
    def setUpClass(cls):
        before = os.environ.get("CMAKE_PREFIX_PATH")
        if "HEDDLE_CATCH2" in os.environ:
            os.environ["CMAKE_PREFIX_PATH"] = os.environ["HEDDLE_CATCH2"]
        try:
            cls.folder, cls.build = outside.build_sources(
                cls, CMakeLists=PROJECT_OF_CATCH3, of_catch2=OF_CATCH2, own_main=OWN_MAIN_OF_CATCH3)
        finally:
            if before is not None:
                os.environ["CMAKE_PREFIX_PATH"] = before
            elif "HEDDLE_CATCH2" in os.environ:
                del os.environ["CMAKE_PREFIX_PATH"]
        if not (cls.build / "of_catch2").exists():
            raise unittest.SkipTest("version 3 of Catch2 is not installed: HEDDLE_CATCH2 says where")

    def test_assertions_fail_executions(self):
        self.expect_lost_of_catch2(run(self.build / "of_catch2"))

    def test_the_line_that_is_printed_brings_the_failure_back(self):
        done = run(self.build / "of_catch2", "lost")
        command = re.search(r"^again: (HEDDLE_REPLAY=.*)$", done.stderr, re.M)[1]
        again = run("bash", "-c", command)
        self.assertIn(command, again.stderr)

    def test_a_program_may_have_its_main(self):
        done = run(self.build / "own_main")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("its own main", done.stdout)


class OutsideTest(CatchTest):
    @classmethod
    def setUpClass(cls):
        cls.folder, cls.build = outside.build_sources(cls, CMakeLists=PROJECT, lost=LOST,
                                                  kept=KEPT, typed=TYPED, of_gtest=OF_GTEST,
                                                  of_catch2=OF_CATCH2)

    def test_what_is_right_passes(self):
        done = run(self.build / "kept")
        self.assertEqual((0, ""), (done.returncode, done.stdout), done.stderr)
        self.assertRegex(done.stderr, r"^heddle: [0-9]+ executions, none failed: .+\n$")

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

    def test_assertions_of_gtest_fail_executions(self):
        done = run(self.build / "of_gtest")
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        failed = re.findall(r"\[  FAILED  \] (\S+) \(", done.stdout)
        self.assertEqual(["Counter.IsLost", "Counter.IsWrongInAThread", "Plain.FailsAsEver"], failed,
                         done.stdout)
        # Each failure once, from the shrunk execution.
        self.assertEqual(1, done.stdout.count("an increment is lost\n"), done.stdout)
        self.assertEqual(2, done.stdout.count("heddle: assertion failed"), done.stdout)
        self.assertEqual(3, done.stdout.count(": Failure\n"), done.stdout)
        self.assertIn("of_gtest.cc:13: EXPECT_EQ(counter, 2)", done.stdout)
        self.assertNotIn("assertion failed", done.stderr)

    def test_a_test_of_gtest_is_replayed_by_what_is_printed(self):
        done = run(self.build / "of_gtest", "--gtest_filter=*IsWrong*:*IsKept")
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        command = re.search(r"^again: (HEDDLE_REPLAY=.*)$", done.stdout, re.M)[1]
        again = run("bash", "-c", command)
        self.assertEqual(1, again.returncode, again.stdout + again.stderr)
        self.assertIn(command, again.stdout)

    def test_assertions_of_catch2_fail_executions(self):
        if not (self.build / "of_catch2").exists():
            self.skipTest("Catch2 is not installed")
        done = run(self.build / "of_catch2")
        self.expect_lost_of_catch2(done)

    def test_types_are_controlled_without_the_flag(self):
        for program in ("typed", "typed_with_flag"):
            with self.subTest(program):
                done = run(self.build / program)
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertIn(" executions, none failed: ", done.stderr)
                done = run(self.build / program, "broken")
                self.assertEqual(1, done.returncode)
                self.assertIn("assertion failed: a write is lost", done.stderr)
                self.assertIn("typed.cc:", done.stderr)

    def test_types_are_those_of_the_library_without_heddle(self):
        done = run(self.build / "typed_for_real")
        self.assertEqual(0, done.returncode)
        self.assertEqual("heddle: not linked with heddle's runtime: each test runs once, on real "
                         "threads\n", done.stderr)

    def test_ctest_runs_them(self):
        done = run("ctest", "--test-dir", self.build, "-R", "^(lost|kept)$")
        self.assertRegex(done.stdout, r"1 tests failed out of 2")


if __name__ == "__main__":
    unittest.main()
