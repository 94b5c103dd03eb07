"""scripts/slow-tests runs what changes reach of the tests that take long, and says what does not fit."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

TREE = {
    "CMakeLists.txt": "heddle_module(base USES LINKS fmt)\n"
                      "heddle_module(wire USES base LINKS fmt)\n"
                      "heddle_module(sched/runtime RUNTIME USES base)\n"
                      "heddle_module(cli USES base wire)\n",
    "CMakePresets.json": '{"configurePresets": []}\n',
    "cmake/HeddleModules.cmake": "set(heddle_slow_seconds 15)\n",
    "src/base/text_test.cc": "",
    "src/base/text.cc": "",
    "src/wire/frame.cc": "",
    "src/wire/frame_test.cc": "",
    "src/sched/runtime/step.cc": "",
    "src/cli/main.cc": "",
    "tests/cli/usage_test.py": "",
    "tests/cli/quick_test.py": "",
    "tests/cli/whole_long_test.py": "",
    "tests/sched/bugs_test.cc": "",
    "tests/seconds.txt": "# seconds\nbase.text_test 40\nwire.frame_test 20\ncli.usage 30\ncli.quick 14\n"
                         "cli.whole_long 900\nsched.bugs 25\n",
    "docs/a.md": "",
    ".gitignore": "log\n",
}


class SlowTestsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for path, content in TREE.items():
            self.write(path, content)
        for script in ("slow-tests", "module_lines.py", "plan_checks.py", "reached"):
            (self.root / "scripts").mkdir(exist_ok=True)
            shutil.copy(ROOT / "scripts" / script, self.root / "scripts")
        self.write("bin/ctest", '#!/bin/sh\necho "$*" >log\nexit 8\n')
        (self.root / "bin/ctest").chmod(0o755)
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "First")

    def write(self, path, content):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(content)

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, *words], check=True)

    def run_slow(self, *words):
        path = f"{self.root}/bin:{os.environ['PATH']}"
        return subprocess.run([self.root / "scripts" / "slow-tests", *words], capture_output=True,
                              text=True, check=False, env={**os.environ, "PATH": path})

    def plan(self, *words):
        done = self.run_slow("--plan", *words)
        self.assertEqual(0, done.returncode, done.stderr)
        return done.stdout.split()

    def test_what_changes_reach(self):
        self.assertEqual([], self.plan("--since=HEAD"))
        for changed, expected in {
            "src/base/text.cc": ["base.text_test", "cli.usage"],
            "src/wire/frame_test.cc": ["wire.frame_test"],
            "src/sched/runtime/step.cc": ["sched.bugs"],
            "tests/sched/bugs_test.cc": ["sched.bugs"],
            "tests/cli/usage_test.py": ["cli.usage"],
            "docs/a.md": [],
        }.items():
            with self.subTest(changed):
                self.write(changed, "// changed\n")
                self.assertEqual(expected, self.plan("--since=HEAD"))
                self.write(changed, TREE[changed])

    def test_without_a_known_beginning_everything_runs(self):
        self.assertEqual(["base.text_test", "cli.usage", "sched.bugs", "wire.frame_test"], self.plan())

    def test_what_is_near_the_change_comes_first(self):
        cores = os.cpu_count()
        self.write("tests/cli/usage_test.py", "# changed\n")
        self.write("src/base/text.cc", "// changed\n")
        done = self.run_slow("--plan", "--since=HEAD", f"--minutes={31 / 60 / cores}")
        self.assertEqual("slow tests: 1 of the 2 that are reached fit; left out: base.text_test\n"
                         "cli.usage\n", done.stdout)

    def test_runs_these_alone_and_fails_with_them(self):
        self.write("src/base/text.cc", "// changed\n")
        self.assertEqual(8, self.run_slow("--since=HEAD").returncode)
        self.assertEqual("--preset test --no-tests=error "
                         "--tests-regex ^(base[.]text_test|cli[.]usage)$\n",
                         (self.root / "log").read_text())

    def test_nothing_to_run_is_said(self):
        done = self.run_slow("--since=HEAD")
        self.assertEqual((0, "slow tests: none to run\n"), (done.returncode, done.stdout))


if __name__ == "__main__":
    unittest.main()
