"""What the tests of the house share: where the repository is, its files, and a tree for canaries."""

import os
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CXX = (".cc", ".h")
TEXT = CXX + (".py", ".cmake", ".md", ".txt", ".sh", ".spec", ".json", ".yaml")
SKIPPED_FOLDERS = {".git", "build", ".cache", "node_modules", "__pycache__"}


def files(root, suffixes, *folders):
    """All files below the folders (all of the root without any) that end so, sorted."""
    found = []
    for start in [root / folder for folder in folders] or [root]:
        for directory, names, leaves in os.walk(start):
            names[:] = sorted(n for n in names if n not in SKIPPED_FOLDERS)
            found += [pathlib.Path(directory, leaf) for leaf in leaves if leaf.endswith(suffixes)]
    return sorted(found)


def scripts(root):
    """Executable texts without a suffix, sorted."""
    found = []
    for folder in ("scripts", ".ci", "bench"):
        if (root / folder).is_dir():
            found += [p for p in (root / folder).iterdir() if p.is_file() and not p.suffix]
    return sorted(found)


def relative(path, root):
    return path.relative_to(root).as_posix()


class HouseTest(unittest.TestCase):
    """A check is a function from a root to a list of violations, one line of text each."""

    maxDiff = None

    def assert_clean(self, violations):
        self.assertEqual([], violations, "\n" + "\n".join(violations))

    def violations_in(self, check, tree):
        """Runs the check on a small tree of {path: content}: the canary of the check itself."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, content in tree.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content)
            return check(root)
