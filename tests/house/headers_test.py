"""Every header compiles on its own."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import unittest

import house

COMPILER = os.environ.get("HEDDLE_CXX", "g++")
SYSTEM_INCLUDES = os.environ.get("HEDDLE_SYSTEM_INCLUDES", "/usr/include/postgresql").split(":")
BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", str(house.ROOT / "build" / "dev")))


def command(root):
    """Compiles rather than only parses, because that is what ccache can remember."""
    cache = ["ccache"] if shutil.which("ccache") else []
    flags = cache + [COMPILER, "-std=c++20", "-c", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    flags += ["-I", str(root / "include"), "-I", str(root / "src")]
    # A system folder named again as such would hide the C++ library's own wrappers of it.
    for folder in SYSTEM_INCLUDES:
        if folder not in ("", "/usr/include"):
            flags += ["-isystem", folder]
    return flags


def compile_alone(root, folder, header):
    """The header in a file of its own, twice: it must also be guarded."""
    name = header.relative_to(root / ("include" if root / "include" in header.parents else "src"))
    source = folder / (name.as_posix().replace("/", "-") + ".cc")
    source.write_text(f'#include "{name.as_posix()}"\n' * 2)
    done = subprocess.run(command(root) + [str(source), "-o", str(source.with_suffix(".o"))],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    return [f"{house.relative(header, root)}: {(errors or [done.stderr])[0]}"]


def check(root):
    folder = BUILD / "headers" if root == house.ROOT else root / "headers"
    folder.mkdir(parents=True, exist_ok=True)
    headers = house.files(root, (".h",), "include", "src")
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        compiled = pool.map(lambda header: compile_alone(root, folder, header), headers)
        return [violation for found in compiled for violation in found]


class HeadersTest(house.HouseTest):
    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_catches_a_header_that_leans_on_others(self):
        found = self.violations_in(check, {
            "include/heddle/whole.h": "#pragma once\n#include <string>\nusing Name = std::string;\n",
            "include/heddle/leaning.h": "#pragma once\nusing Name = std::string;\n",
            "src/base/unguarded.h": "struct Twice {};\n",
        })
        self.assertEqual(["include/heddle/leaning.h", "src/base/unguarded.h"],
                         [violation.split(":")[0] for violation in found])


if __name__ == "__main__":
    unittest.main()
