"""What test programs of the installed package write of a failure, and heddle replay of that."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import outside
from outside import BUILD, run

HEDDLE = pathlib.Path(os.environ.get("HEDDLE", str(BUILD / "heddle")))

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(reports LANGUAGES CXX)
enable_testing()
find_package(heddle 0.1 REQUIRED)
heddle_add_sched_test(lost lost.cc)
heddle_add_sched_test(changed lost.cc)
target_compile_definitions(changed PRIVATE CHANGED)
heddle_add_sched_test(of_gtest GTEST of_gtest.cc)
heddle_add_sched_test(optimised GTEST of_gtest.cc)
target_compile_options(optimised PRIVATE -O2)
heddle_add_sched_program(bank bank.cc)
"""

# With REPAIRED it does the same and does not mind.
LOST = """#include <atomic>
#include <cstdlib>
#include <heddle/sched.h>
#include <thread>
int main() {
  const bool repaired = std::getenv("REPAIRED") != nullptr;
  const bool passes = heddle::sched::test([] {
    std::atomic<int> counter = 0;
    std::thread other([&] { ++counter; });
    ++counter;
    other.join();
  }, {.executions = 50, .name = "kept"}) == 0;
  return heddle::sched::test([repaired] {
#ifdef CHANGED
    std::atomic<int> counter = 0;
    const auto add = [&] { ++counter; };
#else
    int counter = 0;
    const auto add = [&] { ++counter; };
#endif
    std::thread other(add);
    add();
    other.join();
    if (counter != 2 && !repaired) heddle::sched::fail("an increment is lost");
  }, {.executions = 2000, .races = heddle::sched::Races::find, .name = "lost <of> two"}) + !passes;
}
"""

OF_GTEST = """#include <atomic>
#include <gtest/gtest.h>
#include <heddle/sched.h>
#include <thread>
TEST(Counter, Counts) {
  heddle::sched::check([] {
    std::atomic<int> counter = 0;
    std::thread other([&] { counter = counter + 1; });
    counter = counter + 1;
    other.join();
    EXPECT_EQ(counter, 2);
  });
}
"""

BANK = """#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
int main(int count, char** words) {
  std::atomic<int> balance = 10;
  const auto take = [&] {
    if (balance >= 10) balance -= 10;
  };
  std::thread one(take);
  std::thread other(take);
  one.join();
  other.join();
  std::printf("left %d\\n", balance.load());
  return count > 1 && std::strcmp(words[1], "-s") == 0 && balance < 0 ? 3 : 0;
}
"""


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_")}
    return kept | {"HEDDLE_TOKENS": "off", "HEDDLE_EXECUTIONS": "2000"} | more


class ReportsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name).resolve()
        for name, text in (("CMakeLists.txt", PROJECT), ("lost.cc", LOST),
                           ("of_gtest.cc", OF_GTEST), ("bank.cc", BANK)):
            (cls.folder / name).write_text(text)
        cls.build = outside.build_project(cls.folder)
        cls.reports = cls.folder / "reports" / "deep"
        cls.lost = run(cls.build / "lost", cwd=cls.folder,
                       env=environment(HEDDLE_SCHED_REPORT=str(cls.reports)))
        cls.finding = cls.reports / "lost__of__two.json"

    def replay(self, *words, **more):
        more.setdefault("env", environment())
        return run(HEDDLE, "replay", "--runs=2", *words, cwd=self.folder, **more)

    def test_a_failure_is_written(self):
        self.assertEqual(1, self.lost.returncode, self.lost.stderr)
        self.assertEqual(["lost.junit.xml", "lost__of__two.html", "lost__of__two.json",
                          "lost__of__two.svg"],
                         sorted(path.name for path in self.reports.iterdir()))
        finding = json.loads(self.finding.read_text())
        self.assertEqual(("sched-finding/1", "lost <of> two", "assertion failed",
                          "an increment is lost", "lost update", str(self.build / "lost"), []),
                         tuple(finding[name] for name in ("heddle", "test", "oracle", "message",
                                                          "pattern", "program", "arguments")))
        first, second = (finding["steps"][finding["pair"][end]] for end in ("first", "second"))
        self.assertEqual((0, "reads", "0"), (first["thread"], first["operation"], first["before"]))
        self.assertEqual((1, "writes", "1"), (second["thread"], second["operation"], second["after"]))
        self.assertEqual(str(self.folder / "lost.cc"), first["place"]["file"])
        self.assertEqual("const auto add = [&] { ++counter; };", first["place"]["source"])

    def test_drawings_and_cases_are_xml(self):
        drawing = ElementTree.parse(self.finding.with_suffix(".svg")).getroot()
        self.assertEqual("{http://www.w3.org/2000/svg}svg", drawing.tag)
        self.assertIn("decides", "".join(drawing.itertext()))
        page = self.finding.with_suffix(".html").read_text()
        ElementTree.fromstring(page.partition("\n")[2])
        suite = ElementTree.parse(self.reports / "lost.junit.xml").getroot()[0]
        self.assertEqual([("kept", []), ("lost <of> two", ["failure"])],
                         [(case.get("name"), [part.tag for part in case]) for case in suite])

    def test_nothing_is_written_without_being_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            run(self.build / "lost", cwd=folder, env=environment())
            self.assertEqual([], os.listdir(folder))

    def test_a_folder_that_cannot_be_written_is_told_once(self):
        done = run(self.build / "lost", cwd=self.folder,
                   env=environment(HEDDLE_SCHED_REPORT="/dev/null/no"))
        self.assertEqual(1, done.returncode)
        told = [line for line in done.stderr.splitlines() if "HEDDLE_SCHED_REPORT" in line]
        self.assertEqual(1, len(told), done.stderr)
        self.assertTrue(told[0].startswith("heddle: HEDDLE_SCHED_REPORT=/dev/null/no: "), told)

    def test_tests_of_frameworks_have_their_names(self):
        reports = self.folder / "of_gtest_reports"
        run(self.build / "of_gtest", cwd=self.folder,
            env=environment(HEDDLE_SCHED_REPORT=str(reports)))
        self.assertEqual("lost update",
                         json.loads((reports / "Counter.Counts.json").read_text())["pattern"])

    def test_replay_confirms_and_draws(self):
        done = self.replay(self.finding)
        self.assertEqual((1, ""), (done.returncode, done.stderr), done.stdout)
        told = " ".join(done.stdout.split())
        self.assertTrue(told.startswith(f"confirmed 2/2 by {self.build}/lost: lost update, "
                                        "assertion failed: an increment is lost"), told)
        self.assertIn("pattern: lost update\n", done.stdout)
        for form, wanted in (("svg", "decides"), ("html", "The steps with their sources"),
                             ("junit", "confirmed 2/2")):
            drawn = self.replay(f"--format={form}", self.finding)
            self.assertEqual((1, ""), (drawn.returncode, drawn.stderr))
            text = drawn.stdout.partition("\n")[2] if form == "html" else drawn.stdout
            self.assertIn(wanted, "".join(ElementTree.fromstring(text).itertext()) + text)
        told = json.loads(self.replay("--format=json", self.finding).stdout)
        self.assertEqual(("sched-replay/1", "violated", 2, False),
                         (told["heddle"], told["verdict"], told["confirmed"], told["changed"]))

    def test_replay_of_a_program_elsewhere(self):
        moved = self.folder / "moved"
        shutil.copy(self.build / "lost", moved)
        done = self.replay("--program=moved", self.finding)
        self.assertEqual((1, ""), (done.returncode, done.stderr))
        self.assertIn("confirmed 2/2 by ./moved: ", done.stdout)

    def test_replay_of_what_is_repaired(self):
        done = self.replay(self.finding, env=environment(REPAIRED="1"))
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        self.assertTrue(done.stdout.startswith("not confirmed 0/2 by "), done.stdout)
        self.assertIn("nothing fails", done.stdout)

    def test_replay_of_a_program_that_has_changed(self):
        done = self.replay(f"--program={self.build}/changed", self.finding)
        self.assertEqual((3, ""), (done.returncode, done.stderr), done.stdout)
        self.assertTrue(done.stdout.startswith("program changed 0/2 by "), done.stdout)
        self.assertIn("the program has changed, and nothing fails", done.stdout)

    def test_replay_by_what_knows_no_tokens(self):
        done = self.replay("--program=/bin/true", self.finding)
        self.assertEqual((3, ""), (done.returncode, done.stderr), done.stdout)
        self.assertIn("the program does not execute this token", done.stdout)

    def test_replay_without_a_program(self):
        done = self.replay("--program=nowhere", self.finding)
        self.assertEqual((2, ""), (done.returncode, done.stdout))
        self.assertIn('there is no program "nowhere", build it, or say where it is: --program=PATH',
                      done.stderr)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)

    def test_replay_of_several(self):
        done = self.replay(self.reports)
        self.assertEqual((1, ""), (done.returncode, done.stderr), done.stdout)
        self.assertIn("lost__of__two.json: confirmed 2/2 by ", done.stdout)
        drawn = self.replay("--format=svg", self.reports)
        self.assertEqual((2, ""), (drawn.returncode, drawn.stdout))
        self.assertIn("--format=svg draws one finding of a thread program", drawn.stderr)

    def test_replay_of_a_program_with_its_own_main(self):
        reports = self.folder / "bank_reports"
        done = run(self.build / "bank", "-s", cwd=self.folder,
                   env=environment(HEDDLE_SCHED_REPORT=str(reports)))
        self.assertEqual(1, done.returncode, done.stderr)
        finding = json.loads((reports / "bank.json").read_text())
        self.assertEqual((["-s"], "check-then-act"), (finding["arguments"], finding["pattern"]))
        self.assertEqual([{"thread": 0, "text": "left -10"}], finding["output"])
        again = self.replay(reports / "bank.json")
        self.assertEqual((1, ""), (again.returncode, again.stderr), again.stdout)
        self.assertIn("confirmed 2/2", again.stdout)

    def test_variables_that_make_a_difference_are_kept(self):
        reports = self.folder / "bank_codes"
        done = run(self.build / "bank", cwd=self.folder,
                   env=environment(HEDDLE_SCHED_REPORT=str(reports), HEDDLE_EXIT_CODE="1"))
        self.assertIn(" HEDDLE_EXIT_CODE=1 ", done.stderr)
        again = self.replay(reports / "bank.json")
        self.assertEqual((1, ""), (again.returncode, again.stderr), again.stdout)

    def test_the_debugger_stops_at_what_decides(self):
        if shutil.which("gdb") is None:
            self.skipTest("there is no gdb")
        for name, words, report in (("lost", [], "lost__of__two"),
                                    ("of_gtest", [], "Counter.Counts"),
                                    ("optimised", [], "Counter.Counts"),
                                    ("bank", ["-s"], "bank")):
            with self.subTest(name):
                reports = self.folder / f"{name}_debugged"
                done = run(self.build / name, *words, cwd=self.folder,
                           env=environment(HEDDLE_SCHED_REPORT=str(reports)))
                finding = json.loads((reports / f"{report}.json").read_text())
                self.assertIn(f"debugger: {finding['debugger']}\n", done.stdout + done.stderr)
                command = finding["debugger"].replace("gdb -q", "gdb -q -nx -batch")
                debugged = run("sh", "-c", command, cwd=self.folder, env=environment(), timeout=120)
                step = finding["steps"][finding["pair"]["second"]]
                place = f"{step['place']['file']}:{step['place']['line']}"
                stopped = "(?s)hit Breakpoint 1, heddle_sched_break.*#\\d+ .* at " + place
                self.assertRegex(debugged.stdout, stopped, debugged.stderr)
                self.assertIn(step["place"]["source"], debugged.stdout)

    def test_the_runtime_has_no_parser_solver_or_store(self):
        names = run("nm", "-C", BUILD / "heddle_sched_runtime.o").stdout
        self.assertIn("heddle::render_svg", names)
        for foreign in ("nlohmann", "YAML::", "pg_query", "Z3_", "z3::", "sqlite3", "mysql",
                        "PQconnect", "boost::", "parse_sched_finding", "JsonReader"):
            self.assertNotIn(foreign, names)


if __name__ == "__main__":
    unittest.main()
