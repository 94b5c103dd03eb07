"""heddle find --classes and heddle replay --classes: the compiled program itself runs."""

import json
import os
import signal
import subprocess
import time
import unittest

import java_program
import program

class ClassesTest(java_program.JavaProgramTest):

    def find(self, *more, **kinds):
        self.write_app()
        return self.heddle("find", "--isolation=postgres:read-committed", "--on=postgres",
                           "--classes=classes", *more, "app", **kinds)

    def left_over(self):
        """Machines that still run for one of our folders."""
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
        return [line for line in listed.stdout.splitlines() if str(self.folder) in line
                and "HeddleLauncher" in line]

    def test_the_program_itself_loses_an_update(self):
        self.compile()
        done = self.find("--save=found")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        text = " ".join(done.stdout.split())
        self.assertRegex(text, r"confirmed on PostgreSQL [^:]* by the program itself, internal: ")
        self.assertIn("of the 1 confirmed, 1 by the program itself", text)
        finding = self.find_finding()
        self.assertIn("method { bank.Bank.withdraw(Connection, int, int) }",
                      json.loads(finding.read_text())["scenario"]["spec"])
        again = self.heddle("replay", "--classes=classes", str(finding))
        self.assertEqual(program.FOUND, again.returncode, again.stdout + again.stderr)
        self.assertRegex(again.stdout, r"^confirmed 10/10 on PostgreSQL .* by the program itself: ")
        self.assertEqual([], self.left_over())

    def test_the_machine_takes_no_options_from_the_environment(self):
        self.compile()
        hostile = {"JAVA_TOOL_OPTIONS": "-Xbogus", "JDK_JAVA_OPTIONS": "-Xbogus",
                   "_JAVA_OPTIONS": "-Xbogus", "CLASSPATH": "/nowhere", "PGHOSTADDR": "192.0.2.1",
                   "PGSERVICE": "nowhere", "PGOPTIONS": "-c work_mem=1MB"}
        expected = self.find()
        self.assertEqual(program.FOUND, expected.returncode, expected.stderr)
        done = self.find(env={**os.environ, **hostile})
        self.assertEqual((expected.returncode, expected.stdout, expected.stderr),
                         (done.returncode, done.stdout, done.stderr))

    def test_json_says_so_too(self):
        self.compile()
        done = self.find("--format=json")
        cause, = json.loads(done.stdout)["causes"]
        self.assertEqual({"confirmed": True, "reason": ""}, cause["by_program"])

    def test_a_program_that_is_not_what_was_read_is_told(self):
        self.compile(java_program.BANK.replace("SET balance = ?", "SET balance = 0 + ?"))
        done = self.find("--save=found")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        text = " ".join(done.stdout.split())
        self.assertIn("of the 1 confirmed, 0 by the program itself", text)
        self.assertRegex(text, r"not by the program itself: .*the program executes UPDATE account "
                               r"SET balance = 0 \+ \$1 WHERE id = \$2 \(.*\) at Bank\.java:19 "
                               r"where UPDATE account SET balance = \S+ WHERE id = \d+ was "
                               r"expected")
        finding = self.find_finding()
        again = self.heddle("replay", "--classes=classes", "--runs=1", str(finding))
        self.assertEqual(program.UNKNOWN, again.returncode, again.stdout + again.stderr)
        self.assertIn("was expected", " ".join(again.stdout.split()))

    def test_a_method_that_is_not_there_is_told(self):
        self.compile(java_program.BANK.replace("withdraw(", "take("))
        text = " ".join(self.find().stdout.split())
        self.assertIn("there is no method bank.Bank.withdraw(Connection, int, int)", text)

    def test_what_is_missing_is_said_with_exit_code_two(self):
        done = self.find()
        self.assertEqual((program.TROUBLE, ""), (done.returncode, done.stdout))
        self.assertIn("the class path names classes, which is not there", done.stderr)
        (self.folder / "classes").mkdir()
        tools = self.folder / "tools"
        tools.mkdir()
        without = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
        done = self.find(env=without | {"PATH": str(tools)})
        self.assertEqual((program.TROUBLE, ""), (done.returncode, done.stdout))
        self.assertIn("there is no Java to run the program with", done.stderr)

    def test_it_goes_with_servers_of_tables_only(self):
        self.assert_trouble("--classes is about what is executed", "find", "--classes=.", "-")
        self.assert_trouble("executes on PostgreSQL, MariaDB and the replicated store only",
                            "find", "--classes=.", "--on=sqlite", "-")

    def test_findings_without_methods_say_so(self):
        saved = self.heddle("explore", "--save=found",
                            str(program.ROOT / "examples" / "calls.spec"))
        self.assertEqual(program.FOUND, saved.returncode, saved.stderr)
        finding = self.find_finding()
        (self.folder / "classes").mkdir()
        self.assert_trouble("no session calls a method of a program",
                            "replay", "--classes=classes", str(finding))

    def test_nothing_is_left_of_a_heddle_that_was_killed(self):
        # The program waits for ever, so that heddle is in the middle of a run.
        self.compile(java_program.BANK.replace("        return left;",
                                  "        while (true) Thread.onSpinWait();"))
        self.write_app()
        temporary = self.folder / "tmp"
        temporary.mkdir()
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number), subprocess.Popen(
                    [program.HEDDLE, "find", "--isolation=postgres:read-committed",
                     "--on=postgres", "--classes=classes", "app"], cwd=self.folder,
                    env=os.environ | {"TMPDIR": str(temporary)},
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
                self.wait_until(self.left_over)
                running.send_signal(number)
                running.wait(timeout=60)
                self.wait_until(lambda: not self.left_over() and not list(temporary.iterdir()))

    def wait_until(self, holds, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end, "it takes too long")
            time.sleep(0.05)


if __name__ == "__main__":
    java_program.demand_java()
    unittest.main()
