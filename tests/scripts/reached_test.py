"""scripts/reached knows what changed last."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ReachedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "src" / "base").mkdir(parents=True)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts" / "reached", self.root / "scripts")
        self.git("init", "--quiet")
        self.commit("d.h", "a.cc", "b.cc", "c.cc", "c_test.cc", "d.cc")

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, *words], check=True)

    def write(self, name, content):
        (self.root / "src" / "base" / name).write_text(content)

    def commit(self, *names):
        for name in names:
            path = self.root / "src" / "base" / name
            before = path.read_text() if path.exists() else '#include "base/d.h"\n'
            path.write_text(before + "//\n")
        self.git("add", "--all")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "More")

    def reached(self, *words):
        done = subprocess.run([self.root / "scripts" / "reached", *words], capture_output=True,
                              text=True, check=True)
        return [line.removeprefix("src/base/") for line in done.stdout.splitlines()], done.stderr

    def test_what_includes_a_change_is_reached(self):
        self.write("d.h", "int d;\n")
        everything = ["a.cc", "b.cc", "c.cc", "c_test.cc", "d.cc"]
        self.assertEqual((everything, ""), self.reached("--since=HEAD"))
        self.assertEqual(([], ""), self.reached("--since=HEAD", "--changed"))
        self.write("new.cc", "")
        self.assertEqual((["new.cc"], ""), self.reached("--since=HEAD", "--changed"))

    def test_the_latest(self):
        self.commit("c.cc", "c_test.cc")
        self.commit("b.cc")
        for most, files, left in ((1, ["b.cc"], 3), (2, ["b.cc", "c.cc"], 2),
                                  (3, ["a.cc", "b.cc", "c.cc"], 1),
                                  (4, ["a.cc", "b.cc", "c.cc", "d.cc"], 0)):
            said = f"{left} more changed files are left to scripts/check-all tidy\n" if left else ""
            self.assertEqual((files, said), self.reached(f"--latest={most}"))
        self.write("d.cc", "int d;\n")
        self.assertEqual(["d.cc"], self.reached("--latest=1")[0])

    def test_so_many_and_what_changed_itself_first(self):
        self.commit("c.cc", "c_test.cc")
        self.write("d.h", "int d;\n")
        for most, files, left in ((1, ["c.cc"], 4), (3, ["a.cc", "c.cc", "c_test.cc"], 2),
                                  (5, ["a.cc", "b.cc", "c.cc", "c_test.cc", "d.cc"], 0)):
            said = f"{left} more files that changes reach are compiled in shared units alone\n"
            self.assertEqual((files, said if left else ""),
                             self.reached("--since=HEAD~1", f"--most={most}"))


if __name__ == "__main__":
    unittest.main()
