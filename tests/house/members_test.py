"""How many parameters functions have, and what members of classes are called and say of themselves."""

import re
import unittest

import declarations
import house

MOST_PARAMETERS = 6
# Functions of more, and why.
MANY_PARAMETERS = {
    ("Recorder", "on_change"): "SQLite says what its hook is given",
}

VAGUE = {"manager", "helper", "helpers", "util", "utils", "impl", "data", "info", "handler"}
# Members whose names have such a word all the same.
VAGUE_MEMBERS = {
    ("ThrowawayDirectory", "data"): "the data directory of databases is called so",
    ("RaceTable", "data_spans"): "MicroRacer's table calls accesses so",
}

# Public functions without a /// of their own.
SAID_BY_CLASS = {
    ("Id", "index"): "what an Id is says all of it",
    ("Result", "has_value"): "std::expected says it",
}
SPECIAL = re.compile(r"~|operator\b")
OVERRIDES = re.compile(r"\)[^;{]*\b(?:override|final)\b|= default$")
NESTED = re.compile(r" +(?:struct|class|enum class|enum) (\w+)[^;]*{")


def parameter_violations(root):
    found = []
    for path in house.files(root, house.CXX):
        for declared in declarations.read(path.read_text()):
            owner = declared.owner or declared.qualifier
            if declared.is_function and len(declared.parameters) > MOST_PARAMETERS and \
                    (owner, declared.name) not in MANY_PARAMETERS:
                found.append(f"{house.relative(path, root)}:{declared.line}: {declared.name} has "
                             f"{len(declared.parameters)} parameters, at most {MOST_PARAMETERS}")
    return found


def has_good_name(declared):
    """Of a public header's member; what clang-tidy says at length is said here at once."""
    if declared.is_function:
        is_constructor = declared.name.strip("~") == declared.owner
        return is_constructor or SPECIAL.match(declared.name) or declared.name.islower()
    if re.match(r"(?:static )?constexpr|static const\b", declared.text):
        return re.fullmatch(r"k[A-Z]\w*", declared.name)
    is_private = declared.access == "private"
    return declared.name.islower() and declared.name.endswith("_") == is_private


def name_violations(root):
    found = []
    for path in house.files(root, (".h",), "include", "src"):
        where = house.relative(path, root)
        for declared in declarations.read(path.read_text()):
            if not declared.owner:
                continue
            is_vague = VAGUE & set(declared.name.strip("_").split("_"))
            if is_vague and (declared.owner, declared.name) not in VAGUE_MEMBERS:
                found.append(f"{where}:{declared.line}: {declared.name} does not say what it is")
            elif root / "include" in path.parents and not has_good_name(declared):
                found.append(f"{where}:{declared.line}: {declared.name} is not called as members are")
    return found


def paragraph(lines, number):
    """What stands without an empty line around that line (counted from 1)."""
    first = last = number - 1
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return "\n".join(lines[first:last + 1])


def needs_words(declared):
    """A public member: not a special one, not one that its base class has told of."""
    if not declared.owner or declared.owner == "std" or declared.access != "public":
        return False
    is_special = SPECIAL.match(declared.name) or declared.name == declared.owner
    return not is_special and not (declared.is_function and OVERRIDES.search(declared.text)) and \
        (declared.owner, declared.name) not in SAID_BY_CLASS


def documentation_violations(root):
    found = []
    for path in house.files(root, (".h",), "include"):
        text = path.read_text()
        lines = text.splitlines()
        where = house.relative(path, root)
        members = [(d.line, d.name) for d in declarations.read(text) if needs_words(d)]
        nested = [(number, NESTED.match(line)[1]) for number, line in enumerate(lines, 1)
                  if NESTED.match(line)]
        for number, name in sorted(members + nested):
            if "///" not in paragraph(lines, number):
                found.append(f"{where}:{number}: no /// for {name}")
    return found


def check(root):
    return parameter_violations(root) + name_violations(root) + documentation_violations(root)


class MembersTest(house.HouseTest):
    def in_file(self, path, *lines):
        return [violation.split(":", 1)[1] for violation in
                self.violations_in(check, {path: "\n".join(lines) + "\n"})]

    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_exceptions_exist(self):
        known = {(d.owner, d.name) for path in house.files(house.ROOT, (".h",), "include", "src")
                 for d in declarations.read(path.read_text())}
        listed = set(MANY_PARAMETERS) | set(VAGUE_MEMBERS) | set(SAID_BY_CLASS)
        self.assertEqual(set(), listed - known)

    def test_counts_parameters(self):
        seven = "int a, std::map<int, int> b, int c = 1, void (*d)(int, int), int e, int f, int g"
        for function in (f"int put({seven});", f"int put({seven}) {{\n  return a;\n}}",
                         f"void A::put({seven}) const {{\n}}", f"template <class T>\nT put({seven});",
                         f"namespace b {{\nint put({seven});\n}}",
                         f"struct A {{\n  void put(\n      {seven});\n}};",
                         f"class A {{\n  int b = 1;\n\n public:\n  int put({seven}) {{ }}\n}};"):
            found = self.in_file("src/base/a.cc", function)
            self.assertEqual(1, len(found), function)
            self.assertRegex(found[0], r"put has 7 parameters")
        fine = seven.replace(", int g", "")
        self.assert_clean(self.in_file("src/base/a.cc", f"int put({fine});"))

    def test_counts_no_arguments(self):
        seven = "1, 2, 3, 4, 5, 6, 7"
        for code in (f"int f() {{\n  return put({seven});\n}}", f"const int k = put({seven});",
                     f"int k{{put({seven})}};", "std::function<int(A, B, C, D, E, F, G)> put;",
                     f"// int put({seven});", f"const char* k = \"int put({seven});\";",
                     f"A::A() : a_({seven}) {{\n}}", f"A::A() : b_{{1}}, a_({seven}) {{\n}}"):
            self.assert_clean(self.in_file("src/base/a.cc", code))

    def header(self, *members):
        return self.in_file("include/heddle/a.h", "/// A.", "class A {", " public:", *members, "};")

    def test_catches_names_of_members(self):
        for member in ("int row_data = 1;", "void run_helper();", "int handler();"):
            self.assertEqual(1, len(self.header("  /// Text.", "  " + member)), member)
            self.assertEqual(1, len(self.in_file("src/base/a.h", "struct A {", "  " + member, "};")))
        for member in ("int count_ = 1;", "int Count = 1;", "int countRows();",
                       "static constexpr int most = 1;", "static constexpr int Most = 1;"):
            self.assertEqual(1, len(self.header("  /// Text.", "  " + member)), member)
        self.assertEqual(1, len(self.header(" private:", "  int count = 1;")))
        self.assert_clean(self.header(" private:", "  int count_ = 1;", "  unsigned few_ : 3 = 1;"))
        self.assert_clean(self.header("  /// Text.", "  int database = 1;", "  int of[2] = {};",
                                      "  static constexpr int kMost = 1;"))

    def test_catches_members_without_words(self):
        for member in ("  int count() const;", "  int count = 1;", "  struct B {\n    int c;\n  };",
                       "  enum class B { c };"):
            self.assertLessEqual(1, len(self.header("  A();", "", member)), member)
            self.assert_clean(self.header("  A();", "", "  /// Text.", member))
        self.assert_clean(self.header("  A();", "  ~A();", "  A& operator=(const A&) = default;", "",
                                      "  bool is_odd() const override { return false; }", "",
                                      " private:", "  int count() const;"))


if __name__ == "__main__":
    unittest.main()
