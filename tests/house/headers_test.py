"""Every header compiles on its own.

A header that a source includes before anything else is compiled on its own with that source, where
sources are compiled file by file: in the preset dev, and in .ci/run for what changes reach. Only that
it is guarded is left to look at. The others are compiled here."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import house

COMPILER = os.environ.get("HEDDLE_CXX", "g++")
SYSTEM_INCLUDES = os.environ.get("HEDDLE_SYSTEM_INCLUDES", "/usr/include/postgresql").split(":")
FIRST_INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.M)
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


def name_of(root, header):
    """As an #include names it."""
    return header.relative_to(root / ("include" if root / "include" in header.parents else "src"))


def included_first(root):
    found = [FIRST_INCLUDE.search(path.read_text()) for path in house.files(root, (".cc",), "src")]
    return {first[1] for first in found if first}


def compile_alone(root, folder, header):
    """The header in a file of its own, twice: it must also be guarded."""
    name = name_of(root, header)
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
    first = included_first(root)
    unguarded = [f"{house.relative(header, root)}: has no #pragma once" for header in headers
                 if "\n#pragma once\n" not in "\n" + header.read_text()]
    headers = [header for header in headers if name_of(root, header).as_posix() not in first]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        compiled = pool.map(lambda header: compile_alone(root, folder, header), headers)
        return unguarded + [violation for found in compiled for violation in found]


class HeadersTest(house.HouseTest):
    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_catches_a_header_that_leans_on_others(self):
        found = self.violations_in(check, {
            "include/heddle/whole.h": "#pragma once\n#include <string>\nusing Name = std::string;\n",
            "include/heddle/leaning.h": "#pragma once\nusing Name = std::string;\n",
            "src/base/open.h": "struct Open {};\n",
            "src/base/open.cc": "#include \"base/open.h\"\n",
            "src/base/unguarded.h": "struct Twice {};\n",
        })
        self.assertEqual(["src/base/open.h", "src/base/unguarded.h", "include/heddle/leaning.h",
                          "src/base/unguarded.h"], [violation.split(":")[0] for violation in found])


if __name__ == "__main__":
    unittest.main()
