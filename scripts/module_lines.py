"""Reads the heddle_module lines of CMakeLists.txt."""

import dataclasses
import re

LINE = re.compile(r"^heddle_module\(([^)]*)\)", re.M)
KEYWORDS = ("USES", "LINKS", "TESTS", "NEVER")


@dataclasses.dataclass(frozen=True)
class Module:
    """The words behind each keyword.

    uses: the modules that the library is linked with; links: libraries of others; tests: modules that
    its tests and fuzzers need besides; never: modules and libraries that it must not reach, by however
    many others."""
    name: str
    uses: tuple = ()
    links: tuple = ()
    tests: tuple = ()
    never: tuple = ()

    def target(self):
        return self.name.replace("/", "_")


def read_modules(text):
    """By name, in the order of the lines."""
    modules = {}
    for line in LINE.findall(text):
        name, *words = line.split()
        behind = {keyword: [] for keyword in KEYWORDS}
        keyword = None
        for word in words:
            if word == "RUNTIME":
                continue
            if word in KEYWORDS:
                keyword = word
            elif keyword:
                behind[keyword].append(word)
        modules[name] = Module(name, *(tuple(behind[keyword]) for keyword in KEYWORDS))
    return modules


def without_modules(text):
    """What else the text says."""
    return LINE.sub("", text)
