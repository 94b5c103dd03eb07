"""Names, lengths, documentation of the public headers, and tests that nobody switched off."""

import re
import unittest

import house
import layers_test

LONGEST_LINE = 100
LONGEST_FUNCTION = 70
LONGEST_FILE = 600

VAGUE = re.compile(r"\b(?:class|struct|enum(?:\s+class)?)\s+(\w*(?:Manager|Helper|Util|Utils|Impl|Data|"
                   r"Info|Handler))\b(?!\s*[*&)])")
VAGUE_FILE = re.compile(r"(?:^|_)(?:manager|helpers?|utils?|impl|misc|common)\.(?:cc|h)$")

# Written in two parts, so that this file does not contain them.
BANNED = [re.compile(left + right) for left, right in [
    ("GTEST_", "SKIP"), (r"\bDISABLED", "_"), (r"\bTO", r"DO\b"), (r"\bFIX", r"ME\b"),
    (r"\bXX", r"X\b"), (r"@unittest\.", "skip"), ("expected", "Failure"),
    (r"(?<![\w.])/(?:work|ro", r"ot|home)/")]]

NOT_A_FUNCTION = re.compile(r"^(?:namespace|struct|class|enum|union|extern|using|#|//|[})\s])|=")
DECLARATION = re.compile(r"^(?:struct|class|enum class|enum|using|[A-Za-z_][\w:<>,*& ]* [*&]*\w+\()")
NOT_DOCUMENTED = re.compile(r"^(?:using namespace|namespace|template <>|struct std::)")


def raw_literal_lines(text):
    """Lines of raw string literals: an expected text is as long as it is."""
    lines = set()
    for literal in re.finditer(r'R"(\w*)\(.*?\)\1"', text, re.DOTALL):
        first = text.count("\n", 0, literal.start()) + 1
        lines.update(range(first, text.count("\n", 0, literal.end()) + 2))
    return lines


def line_violations(root):
    found = []
    for path in house.files(root, house.CXX + (".py",)):
        text = path.read_text()
        literal = raw_literal_lines(text)
        for number, line in enumerate(text.splitlines(), 1):
            if number not in literal and len(line) > LONGEST_LINE + (5 if path.suffix == ".py" else 0):
                found.append(f"{house.relative(path, root)}:{number}: longer than {LONGEST_LINE}")
    return found


def name_violations(root):
    found = []
    for path in house.files(root, house.CXX):
        where = house.relative(path, root)
        if VAGUE_FILE.search(path.name):
            found.append(f"{where}: a file's name says what it holds")
        for name in VAGUE.findall(path.read_text()):
            found.append(f"{where}: {name} does not say what it is")
    return found


def banned_violations(root):
    found = []
    for path in house.files(root, house.TEXT) + house.scripts(root):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for banned in BANNED:
                match = banned.search(line)
                if match:
                    found.append(f"{house.relative(path, root)}:{number}: {match.group()}")
    return found


def long_functions(lines):
    """(line, length) of functions at namespace scope, as clang-format lays them out: a signature
    that begins in the first column, its "{" at the end of a line, "}" in the first column."""
    found = []
    begin = None
    opened = False
    for number, line in enumerate(lines, 1):
        if line.startswith("}"):
            if begin is not None and number - begin + 1 > LONGEST_FUNCTION:
                found.append((begin, number - begin + 1))
            begin = None
        elif begin is None and "(" in line and not NOT_A_FUNCTION.search(line.partition("(")[0]):
            begin, opened = number, False
        opened = opened or line.endswith("{")
        if begin is not None and not opened and line.endswith((";", "}")):
            begin = None
    return found


def length_violations(root):
    found = []
    for path in house.files(root, house.CXX):
        where = house.relative(path, root)
        lines = path.read_text().splitlines()
        if len(lines) > LONGEST_FILE:
            found.append(f"{where}: {len(lines)} lines, at most {LONGEST_FILE}")
        for begin, length in long_functions(lines):
            found.append(f"{where}:{begin}: a function of {length} lines")
    return found


def undocumented(text):
    """Declarations at namespace scope in paragraphs without any ///."""
    for paragraph in re.split(r"\n[ \t]*\n", text):
        lines = paragraph.splitlines()
        names = [l for l in lines if DECLARATION.match(l) and not NOT_DOCUMENTED.match(l)]
        if names and "///" not in paragraph:
            yield names[0]


def documentation_violations(root):
    found = []
    for path in house.files(root, (".h",), "include"):
        text = path.read_text()
        where = house.relative(path, root)
        if not text.startswith("/// "):
            found.append(f"{where}: does not open with what it is for")
        found += [f"{where}: no /// for: {name}" for name in undocumented(text)]
    return found


def unbuilt_tests(root):
    """Test, fuzzer and benchmark files outside the folders that CMake globs."""
    modules = list(layers_test.read_modules(root)) + ["tests/sched"]
    return [
        f"{house.relative(path, root)}: no heddle_module line builds it"
        for path in house.files(root, ("_test.cc", "_fuzz.cc", "_benchmark.cc"))
        if house.relative(path.parent, root / "src" if root / "src" in path.parents else root)
        not in modules
    ]


def check(root):
    return (line_violations(root) + name_violations(root) + banned_violations(root)
            + length_violations(root) + documentation_violations(root) + unbuilt_tests(root))


class NamesTest(house.HouseTest):
    def in_tree(self, path, content):
        tree = {"CMakeLists.txt": "heddle_module(base USES)\n", path: content}
        return self.violations_in(check, tree)

    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_catches_vague_names(self):
        for name in ("LockManager", "RowData", "SqlUtil", "StoreImpl"):
            self.assertEqual(1, len(self.in_tree("src/base/a.cc", f"struct {name} {{}};\n")), name)
        self.assert_clean(self.in_tree("src/base/a.cc", "struct Database {};\n"))
        self.assertEqual(1, len(self.in_tree("src/base/string_util.cc", "")))

    def test_catches_tests_that_were_switched_off(self):
        for line in ("GTEST_" + "SKIP();", "TEST(A, DISABLED" + "_b) {", "// TO" + "DO: later"):
            self.assertEqual(1, len(self.in_tree("src/base/a_test.cc", line + "\n")), line)

    def test_catches_long_lines_functions_and_files(self):
        self.assertEqual(1, len(self.in_tree("src/base/a.cc", "// " + "x" * 100 + "\n")))
        long = "int f() {\n" + "  g();\n" * 70 + "}\n"
        self.assertEqual(["src/base/a.cc:1: a function of 72 lines"],
                         self.in_tree("src/base/a.cc", long))
        member = "int A::f(int a,\n         int b) const {\n" + "  g();\n" * 70 + "}\n"
        self.assertEqual(1, len(self.in_tree("src/base/a.cc", member)))
        self.assert_clean(self.in_tree("src/base/a.cc", ("int f() {\n" + "  g();\n" * 60 + "}\n") * 2))
        declared = "int f(int a,\n      int b);\n" + "int i;\n" * 80 + "int g() {\n  return 1;\n}\n"
        self.assert_clean(self.in_tree("src/base/a.cc", declared))
        self.assertEqual(1, len(self.in_tree("src/base/a.cc", "int i;\n" * 601)))

    def test_catches_undocumented_declarations(self):
        head = "/// What it is for.\n#pragma once\n\n"
        for declaration in ("struct A {\n  int b;\n};\n", "int count(const A& a);\n",
                            "enum class A { b };\n"):
            self.assertEqual(1, len(self.in_tree("include/heddle/a.h", head + declaration)))
            self.assert_clean(
                self.in_tree("include/heddle/a.h", head + "/// Documented.\n" + declaration))
        self.assertEqual(1, len(self.in_tree("include/heddle/a.h", "#pragma once\n")))

    def test_catches_tests_that_nothing_builds(self):
        self.assertEqual(1, len(self.in_tree("src/wire/a_test.cc", "")))
        self.assertEqual(1, len(self.in_tree("tests/a_test.cc", "")))
        self.assert_clean(self.in_tree("src/base/a_test.cc", ""))


if __name__ == "__main__":
    unittest.main()
