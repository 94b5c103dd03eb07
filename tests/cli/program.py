"""Runs the built heddle, for the tests of its command line."""

import faulthandler
import os
import pathlib
import subprocess
import tempfile
import unittest

import made_postgres

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEDDLE = os.environ.get("HEDDLE", str(ROOT / "build" / "dev" / "heddle"))

# What hangs says where, a little before ctest ends it (tests/CMakeLists.txt).
faulthandler.dump_traceback_later(float(os.environ.get("HEDDLE_TEST_TIMEOUT", "600")) - 20)

# A test that is run by hand, without ctest, uses initdb itself.
if "HEDDLE_BUILD" in os.environ:
    made_postgres.use_made(os.environ["HEDDLE_BUILD"])

NOTHING_FOUND, FOUND, TROUBLE, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 130


def children(parent):
    """Of all processes, those below `parent`: number -> name."""
    parents, names = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "stat").read_text(errors="replace")
            except OSError:
                continue
            name, _, rest = line.partition(" (")[2].rpartition(") ")
            parents[int(entry.name)] = int(rest.split()[1])
            names[int(entry.name)] = name
    family, found = {parent}, {}
    while more := {one for one, above in parents.items() if above in family} - family:
        family |= more
        found.update({one: names[one] for one in more})
    return found


class ProgramTest(unittest.TestCase):
    """Each test works in a fresh folder."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content) if isinstance(content, str) else path.write_bytes(content)
        return name

    def heddle(self, *words, stdin="", **more):
        """A completed process; texts are decoded, whatever their bytes."""
        more.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([HEDDLE, *words], cwd=self.folder, input=stdin, text=True,
                              errors="replace", stderr=subprocess.PIPE, timeout=120, check=False,
                              **more)

    def assert_refused(self, message, *words, **more):
        """Exit code 2, nothing on standard output, and exactly this one line on standard error."""
        done = self.heddle(*words, **more)
        self.assertEqual((TROUBLE, "", message + "\n"), (done.returncode, done.stdout, done.stderr))

    def assert_trouble(self, pattern, *words, **more):
        """Exit code 2, nothing on standard output, one line that matches on standard error."""
        done = self.heddle(*words, **more)
        self.assertEqual((TROUBLE, ""), (done.returncode, done.stdout), done.stderr)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)
        self.assertRegex(done.stderr, pattern)
