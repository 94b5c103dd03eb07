"""scripts/check-all plans what changes reach, divides it, and goes on where it ended."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ("check-all", "module_lines.py", "plan_checks.py", "reached")

TREE = {
    "CMakeLists.txt": "project(small)\n"
                      "heddle_module(base USES LINKS fmt)\n"
                      "heddle_module(wire USES base LINKS fmt TESTS store)\n"
                      "heddle_module(store USES base)\n"
                      "heddle_module(cli USES base wire)\n",
    "CMakePresets.json": '{"configurePresets": [{"name": "asan"}, {"name": "dev"}]}\n',
    "include/heddle/row.h": "#pragma once\n",
    "src/base/text.h": "#pragma once\n",
    "src/base/text.cc": '#include "base/text.h"\n',
    "src/base/text_test.cc": '#include "base/text.h"\nTEST(Text, Random) { test_rounds(5); }\n',
    "src/wire/frame.h": '#pragma once\n#include "base/text.h"\n',
    "src/wire/frame.cc": '#include "wire/frame.h"\n',
    "src/wire/frame_test.cc": '#include "wire/frame.h"\n',
    "src/wire/frame_fuzz.cc": '#include "wire/frame.h"\n',
    "src/store/rows.cc": '#include "heddle/row.h"\n',
    "src/store/rows_test.cc": 'read("examples/a.spec");\n',
    "src/cli/main.cc": "int main() {}\n",
    "tests/cli/usage_test.py": "",
    "tests/house/names_test.py": "",
    "examples/a.spec": "",
    ".gitignore": "build/\nlog\nfail*\nhang\n",
}

# Builds nothing, and says what it was asked for.
BUILD = """#!/bin/sh
echo "build $(echo "$*" | sed "s,$PWD/,,g")" >>log
[ ! -e fail ] || sed 's,.*,FAILED: CMakeFiles/x.dir/&.o,' fail
[ ! -e fail ]
"""
# Passes every test that is asked for but those that the file "fail_test" names; hangs where there is a
# file "hang".
CTEST = """#!/usr/bin/env python3
import os, pathlib, re, signal, sys
names = re.search(r"\\^\\((.*)\\)\\$", " ".join(sys.argv))[1].replace("[.]", ".").split("|")
log = pathlib.Path("log")
log.write_text(log.read_text() + f"ctest {sys.argv[2]} {' '.join(names)}\\n")
fail = pathlib.Path("fail_test").read_text().split() if pathlib.Path("fail_test").exists() else []
for name in names:
    word = "***Failed " if name in fail else "   Passed "
    print(f"  1/9 Test #12: {name} .........{word}   0.01 sec", flush=True)
    if pathlib.Path("hang").exists():
        os.kill(int(os.environ["CHECK_ALL"]), signal.SIGTERM)
        signal.pause()
sys.exit(1 if set(fail) & set(names) else 0)
"""


class CheckAllTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for path, content in TREE.items():
            self.write(path, content)
        for script in SCRIPTS:
            (self.root / "scripts").mkdir(exist_ok=True)
            shutil.copy(ROOT / "scripts" / script, self.root / "scripts")
        for path, content in {"scripts/build": BUILD, "bin/ctest": CTEST,
                              "scripts/setup": "#!/bin/sh\n"}.items():
            self.write(path, content)
            (self.root / path).chmod(0o755)
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "First")

    def write(self, path, content):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(content)

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, *words], check=True)

    def run_check(self, *words):
        # A shell, so that the stand-in of ctest knows the script's process.
        command = 'CHECK_ALL=$$ exec "$0" "$@"'
        return subprocess.run(["sh", "-c", command, self.root / "scripts" / "check-all", *words],
                              capture_output=True, text=True, check=False, timeout=120,
                              env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"})

    def plan(self, *words):
        """The planned pieces by stage."""
        done = self.run_check("--plan", *words)
        self.assertEqual(0, done.returncode, done.stderr)
        stages = {}
        for line in done.stdout.splitlines():
            if line.startswith("  "):
                stages[stage].append(line.strip())
            else:
                stage = line.partition(":")[0]
                stages[stage] = []
        return stages

    def log(self):
        text = (self.root / "log").read_text() if (self.root / "log").exists() else ""
        (self.root / "log").write_text("")
        return text.splitlines()

    def test_the_whole(self):
        tests = ["base.text_test", "wire.frame_test", "store.rows_test", "cli.usage"]
        plan = self.plan()
        self.assertEqual(["asan", "tsan", "tidy", "fuzz", "release"], list(plan))
        for stage in ("asan", "tsan", "release"):
            self.assertEqual(tests, plan[stage])
        self.assertEqual(["frame_fuzz"], plan["fuzz"])
        self.assertEqual(8, len(plan["tidy"]))
        self.assertEqual(["tidy"], list(self.plan("tidy")))

    def test_what_changes_reach(self):
        self.assertEqual({}, self.plan("--since=HEAD"))
        for changed, expected in {
            "src/base/text.h": {"asan": ["base.text_test", "wire.frame_test", "cli.usage"],
                                "tsan": ["base.text_test", "wire.frame_test"],
                                "tidy": ["src/base/text.cc"], "fuzz": ["frame_fuzz"],
                                "release": ["base.text_test"]},
            "src/wire/frame.cc": {"asan": ["wire.frame_test", "cli.usage"], "tsan": ["wire.frame_test"],
                                  "tidy": ["src/wire/frame.cc"], "fuzz": ["frame_fuzz"]},
            "src/store/rows_test.cc": {"asan": ["store.rows_test"], "tsan": ["store.rows_test"],
                                       "tidy": ["src/store/rows_test.cc"]},
            "include/heddle/row.h": {"asan": ["store.rows_test"], "tsan": ["store.rows_test"],
                                     "tidy": ["src/store/rows.cc"]},
            "src/wire/frame_fuzz.cc": {"tidy": ["src/wire/frame_fuzz.cc"], "fuzz": ["frame_fuzz"]},
            "examples/a.spec": {"asan": ["store.rows_test"], "tsan": ["store.rows_test"]},
            "tests/cli/usage_test.py": {"asan": ["cli.usage"], "tsan": ["cli.usage"],
                                        "release": []},
            "docs/a.md": {},
        }.items():
            with self.subTest(changed):
                before = TREE.get(changed, "")
                self.write(changed, before + "# changed\n")
                self.assertEqual({k: v for k, v in expected.items() if v}, self.plan("--since=HEAD"))
                self.write(changed, before)

    def test_what_is_new_or_gone_or_configured(self):
        self.write("src/store/new_test.cc", "")
        self.assertEqual(["store.new_test"], self.plan("--since=HEAD", "asan")["asan"])
        (self.root / "src/store/new_test.cc").unlink()
        (self.root / "src/wire/frame_fuzz.cc").unlink()
        self.assertEqual(["wire.frame_test", "cli.usage"], self.plan("--since=HEAD", "asan")["asan"])
        self.git("checkout", "--quiet", ".")
        lines = TREE["CMakeLists.txt"]
        self.write("CMakeLists.txt", lines.replace("store USES base", "store USES base wire"))
        self.assertEqual(["store.rows_test"], self.plan("--since=HEAD", "asan")["asan"])
        self.write("CMakeLists.txt", lines + "option(X)\n")
        done = self.run_check("--plan", "--since=HEAD")
        self.assertTrue(done.stdout.startswith("CMakeLists.txt has changed, which reaches everything\n"))
        self.write("CMakeLists.txt", lines)
        for preset, reaches in {"dev": False, "asan": True}.items():
            self.write("CMakePresets.json", TREE["CMakePresets.json"].replace(
                f'"name": "{preset}"', f'"name": "{preset}", "x": 1'))
            self.assertEqual(reaches, bool(self.plan("--since=HEAD")), preset)

    def test_shards_are_a_partition(self):
        whole = self.plan()
        for count in (1, 2, 3, 30):
            parts = [self.plan(f"--shard={index}/{count}") for index in range(1, count + 1)]
            for stage, pieces in whole.items():
                found = [piece for part in parts for piece in part.get(stage, [])]
                self.assertEqual(sorted(pieces), sorted(found))
            self.assertEqual(parts[0], self.plan(f"--shard=1/{count}"))

    def test_continues_where_it_ended(self):
        self.write("hang", "")
        done = self.run_check("asan", "tsan")
        self.assertEqual(130, done.returncode, done.stdout + done.stderr)
        self.assertIn("left of asan: 3: wire.frame_test store.rows_test cli.usage\n", done.stdout)
        self.assertIn("left of tsan: 4: ", done.stdout)
        self.assertIn("to go on: scripts/check-all --continue asan tsan\n", done.stdout)
        self.assertEqual("build asan base_test heddle store_test wire_test", self.log()[0])
        (self.root / "hang").unlink()
        self.write("fail_test", "store.rows_test")
        done = self.run_check("--continue", "asan")
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^asan     FAILED +\d+ s  build/check-all/asan.log$")
        self.assertIn("left of asan: 1: store.rows_test\n", done.stdout)
        self.assertEqual(["build asan heddle store_test wire_test",
                          "ctest asan wire.frame_test store.rows_test cli.usage"], self.log())
        (self.root / "fail_test").unlink()
        done = self.run_check("--continue", "asan")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertTrue(done.stdout.endswith("nothing is left\n"), done.stdout)
        self.assertEqual(["build asan store_test", "ctest asan store.rows_test"], self.log())

    def test_tidy_goes_on_with_what_failed(self):
        self.write("fail", "src/wire/frame.cc\n")
        done = self.run_check("tidy")
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertIn("left of tidy: 1: src/wire/frame.cc\n", done.stdout)
        self.assertEqual(1, len(self.log()))
        self.write("fail", "cmake is broken\n")
        self.assertIn("left of tidy: 1: ", self.run_check("--continue", "tidy").stdout)
        (self.root / "fail").unlink()
        self.log()
        self.assertEqual(0, self.run_check("--continue", "tidy").returncode)
        self.assertEqual(["build tidy src/wire/frame.cc^ -- -k 0"], self.log())
        self.assertEqual({}, self.plan("--continue", "tidy"))

    def test_what_passed_counts_for_these_sources_only(self):
        self.assertEqual(0, self.run_check("asan").returncode)
        self.assertEqual({}, self.plan("--continue", "asan"))
        self.assertEqual(4, len(self.plan("--continue", "tsan")["tsan"]))
        self.assertEqual(4, len(self.plan("asan")["asan"]))
        self.write("fail_test", "cli.usage")
        self.assertEqual(1, self.run_check("asan").returncode)
        self.assertEqual(["cli.usage"], self.plan("--continue", "asan")["asan"])
        self.write("src/base/text.cc", "// changed\n")
        self.assertEqual(4, len(self.plan("--continue", "asan")["asan"]))

    def test_usage(self):
        for words in (["--shard=3/2"], ["--shard=0/2"], ["--since=nothing"], ["house"],
                      ["--fuzz-seconds=0"]):
            self.assertEqual(2, self.run_check(*words).returncode, words)


if __name__ == "__main__":
    unittest.main()
