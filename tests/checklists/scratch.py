"""A copy of the sources in which CONTRIBUTING's checklists are followed, and what of it is built."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIED = ["CMakeLists.txt", "CMakePresets.json", "ARCHITECTURE.md", "CONTRIBUTING.md", "LICENSE",
          "README.md", "bench", "cmake", "docs", "include", "scripts", "src", "tests"]
# As scripts/build has it: objects that are as those of the repository come from the compiler's cache.
CACHE = {"CCACHE_NOHASHDIR": "true", "CCACHE_DEPEND": "true"}


BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", str(ROOT / "build" / "dev")))


def preset():
    """That of the build which the tests run in, so that the cache has its objects."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["buildPresets"]
    return BUILD.name if BUILD.name in [each["name"] for each in presets] else "dev"


def run(command, folder):
    env = os.environ | CACHE | {"CCACHE_BASEDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


class ScratchTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # Always there, because units of several files name them: the next time the cache has them.
        self.root = BUILD.resolve() / "checklists" / type(self).__name__
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, self.root / name)

    def insert(self, path, before, text):
        """Puts the text before the only place of the file that reads so."""
        content = (self.root / path).read_text()
        self.assertEqual(1, content.count(before), f"{path}: {before}")
        (self.root / path).write_text(content.replace(before, text + before))

    def replace(self, path, old, new):
        content = (self.root / path).read_text()
        self.assertEqual(1, content.count(old), f"{path}: {old}")
        (self.root / path).write_text(content.replace(old, new))

    def succeed(self, *command):
        done = run(command, self.root)
        self.assertEqual(0, done.returncode, done.stdout[-8000:] + done.stderr[-8000:])

    def build_tests(self, module):
        self.succeed("cmake", "--preset", preset(), "--log-level=WARNING")
        self.succeed("cmake", "--build", "--preset", preset(), "--target", f"{module}_test", "--",
                     "-j2", "--quiet")

    def said_by(self, tests):
        """What the tests of that name (a pattern) say; empty: all is well."""
        done = run(["ctest", "--test-dir", f"build/{preset()}", "-R", tests, "--no-tests=error",
                    "--output-on-failure"], self.root)
        return "" if done.returncode == 0 else done.stdout + done.stderr
