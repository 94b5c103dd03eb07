"""A source sees the headers of all free functions that it calls. Files that share a unit see each
other's includes, so that a missing one is noticed only where each is compiled by itself."""

import collections
import functools
import re
import unittest

import declarations
import house

SYSTEM_INCLUDE = re.compile(r"^#include <([^>]+)>", re.M)
# What another file of the unit is most likely to include.
WORDS_OF_LIBRARIES = {"gmock/gmock.h": re.compile(r"\b(EXPECT_THAT|ASSERT_THAT)\(")}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
# Neither a member nor a name of another namespace; heddle:: is ours.
CALL = re.compile(r"(?:(?<![\w.>:~])|(?<=\bheddle::))([a-z]\w*)\(")
BEFORE_DECLARED = re.compile(r"(?:\w|>|[*&]) *[*&]*$")
NO_TYPE = re.compile(r"\b(?:return|co_return|throw|else|case|and|or|not|do|new)$")


def find_header(root, name):
    """The header that an #include means, or None for one of the build."""
    for folder in ("include", "src"):
        if (root / folder / name).is_file():
            return root / folder / name
    return None


class Headers:
    """The headers of a tree: what each includes, what it declares, and which declares a function."""

    def __init__(self, root):
        self.root = root
        self.declaring = collections.defaultdict(set)
        self.names = {}
        for path in house.files(root, (".h",), "include", "src"):
            declared = declarations.read(path.read_text())
            self.names[path] = {one.name for one in declared}
            for one in declared:
                if one.is_function and not one.owner and not one.qualifier:
                    self.declaring[one.name].add(path)

    @functools.cache
    def included_by(self, path):
        named = [find_header(self.root, name) for name in INCLUDE.findall(path.read_text())]
        return frozenset(header for header in named if header)

    def seen_by(self, source):
        """All headers that a source includes, itself or through others."""
        seen, left = set(), [source]
        while left:
            fresh = self.included_by(left.pop()) - seen
            seen |= fresh
            left += fresh
        return seen


def is_declared(text, place):
    """Whether a name is declared here, as a function or a variable with arguments."""
    before = text[max(0, place - 80):place]
    return bool(BEFORE_DECLARED.search(before)) and not NO_TYPE.search(before.rstrip())


def calls(text):
    """Names of free functions that a source calls and does not declare itself, with their lines."""
    found, own = {}, {one.name for one in declarations.read(text)}
    text = declarations.without_noise(text)
    for call in CALL.finditer(text):
        if is_declared(text, call.start()):
            own.add(call[1])
        else:
            found.setdefault(call[1], text.count("\n", 0, call.start()) + 1)
    # What lambdas and parameters are called.
    own |= set(re.findall(r"[&*>\w] *[&*]*\b([a-z]\w*)\s*(?:=(?!=)|[,){;])", text))
    return {name: line for name, line in found.items() if name not in own}


def library_violations(text, seen):
    included = {name for part in [text, *(header.read_text() for header in seen)]
                for name in SYSTEM_INCLUDE.findall(part)}
    plain = declarations.without_noise(text)
    for header, words in WORDS_OF_LIBRARIES.items():
        found = words.search(plain)
        if found and header not in included:
            line = plain.count("\n", 0, found.start()) + 1
            yield f"{line}: includes no header of {found[1]}, such as {header}"


def check(root):
    headers = Headers(root)
    found = []
    for path in house.files(root, (".cc",), "src"):
        seen = headers.seen_by(path)
        found += [f"{house.relative(path, root)}:{violation}"
                  for violation in library_violations(path.read_text(), seen)]
        for name, line in calls(path.read_text()).items():
            declaring = headers.declaring.get(name, set())
            # A member of a class that is seen may be meant, too.
            if declaring and not any(name in headers.names[header] for header in seen):
                wanted = min(declaring).relative_to(root).as_posix().split("/", 1)[1]
                found.append(f"{house.relative(path, root)}:{line}: includes no header of {name}, "
                             f"such as {wanted}")
    return found


class IncludesTest(house.HouseTest):
    def in_source(self, text):
        return self.violations_in(check, {
            "include/heddle/far.h": "namespace heddle {\nint far_away(int a);\n}\n",
            "src/a/near.h": '#include "heddle/far.h"\nnamespace heddle {\nint nearby(int a);\n}\n',
            "src/a/a.cc": text})

    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_catches_a_header_that_another_file_includes(self):
        for call in ("return far_away(1);", "int b = heddle::far_away(2);", "f(far_away(3));"):
            text = f"namespace heddle {{\nint f() {{\n  {call}\n}}\n}}\n"
            self.assertEqual(["src/a/a.cc:3: includes no header of far_away, such as heddle/far.h"],
                             self.in_source(text), call)

    def test_catches_a_header_of_a_library(self):
        text = "int f() {\n  EXPECT_THAT(1, 2);\n}\n"
        self.assertEqual(
            ["src/a/a.cc:2: includes no header of EXPECT_THAT, such as gmock/gmock.h"],
            self.in_source(text))
        self.assert_clean(self.in_source("#include <gmock/gmock.h>\n" + text))

    def test_follows_headers(self):
        self.assert_clean(self.in_source(
            '#include "a/near.h"\nint f() {\n  return far_away(nearby(1));\n}\n'))

    def test_leaves_alone_what_is_called_alike(self):
        for call in ("a.far_away(1)", "a->far_away(1)", "other::far_away(1)", '"far_away(1)"'):
            self.assert_clean(self.in_source(f"int f() {{\n  return {call};\n}}\n"))
        self.assert_clean(self.in_source("int far_away(int a) {\n  return a;\n}\n"
                                         "int f() {\n  return far_away(1);\n}\n"))
        self.assert_clean(self.in_source("void f() {\n  const auto far_away = [] { return 1; };\n"
                                         "  far_away();\n}\n"))


if __name__ == "__main__":
    unittest.main()
