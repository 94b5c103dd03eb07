"""All C++ is laid out as clang-format lays it out."""

import re
import shutil
import subprocess
import unittest

import house

CLANG_FORMAT = shutil.which("clang-format-19") or "clang-format"
COMPLAINT = re.compile(r"^(.*?):\d+:\d+: error: ", re.M)


def check(root):
    paths = [str(path) for path in house.files(root, house.CXX)]
    style = "--style=file:" + str(house.ROOT / ".clang-format")
    done = subprocess.run([CLANG_FORMAT, "--dry-run", "-Werror", style] + paths,
                          capture_output=True, text=True)
    found = sorted(set(COMPLAINT.findall(done.stderr)))
    if done.returncode != 0 and not found:
        return [done.stderr]
    return [f"{name}: run clang-format-19 -i on it" for name in found]


class FormatTest(house.HouseTest):
    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_catches_a_loose_file(self):
        found = self.violations_in(check, {"src/tidy.cc": "int f() { return 1; }\n",
                                           "src/loose.cc": "int  f( )\n{ return 1 ; }\n"})
        self.assertEqual(1, len(found), found)
        self.assertIn("loose.cc", found[0])


if __name__ == "__main__":
    unittest.main()
