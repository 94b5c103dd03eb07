"""The examples in the comments that public headers open with compile.

What stands three columns into a `///` comment is code, and all of it in one comment is one function.
`use` and `print` take anything. What an example expects its reader to have is in GIVEN. A line that
ends without `;` before a comment shows an expression and, in the comment, its value."""

import re
import subprocess
import unittest

import headers_test
import house

GIVEN = {
    "check.h": "const TransactionHistory& history",
    "constraints.h": "std::string text",
    "coverage.h": "Program program",
    "cut_search.h": "Result<Program> program, Cut cut, Cut other",
    "dependency.h": "History history",
    "explore.h": "Scenario scenario",
    "find.h": "Result<Program> program",
    "find_and_execute.h": "Result<Program> program, ExecuteOptions execution",
    "follow.h": "TransactionHistory frame, TransactionHistory recorded, TransactionId id, "
                "Moment oldest_running_began",
    "interpret.h": "Program program, StatementRunner& runner",
    "java_program.h": "std::string text",
    "linearizability.h": "ObjectHistory history",
    "program.h": "std::string text",
    "program_repair.h": "Result<Program> program, FindOptions options",
    "repair.h": "ExploreReport report",
    "race_finding.h": "std::string text",
    "result.h": "std::string text",
    "scenario.h": "std::string text",
    "session_program.h": "Result<Program> program, FindOptions options",
    "split.h": "Result<Program> program",
    "split_failures.h": "Result<Program> program, Result<Cut> cut",
    "why_not.h": "Scenario scenario",
}
# A comment that is shown for a value has no effect, and what is made to be looked at is not used.
QUIET = ["-Wno-unused-value", "-Wno-unused-variable", "-Wno-empty-body"]
EXPRESSION = re.compile(r"(?P<code>.*[^\s;{},(])(?P<comment>\s*// .*)")


def examples(text):
    """Lists of (line number, code), one list for each comment that shows code."""
    found = [[]]
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.match(r"\s*///(?P<code>   .*)?", line)
        if not comment:
            found.append([])
        elif comment["code"]:
            found[-1].append((number, comment["code"]))
    return [example for example in found if example]


def statement(code):
    shown = EXPRESSION.fullmatch(code)
    return f"{shown['code']};{shown['comment']}" if shown else code


def unit(root, headers):
    """One source with a function for each example, whose lines have their places in the headers."""
    source = [f'#include "{headers_test.name_of(root, header)}"' for header in headers]
    source += ["namespace heddle {", "template <class... Seen> void use(const Seen&...);",
               "template <class Seen> void print(const Seen&);"]
    for header in headers:
        for index, lines in enumerate(examples(header.read_text())):
            source.append(f'#line {lines[0][0]} "{house.relative(header, root)}"')
            source.append(f"Result<bool> {header.stem}_{index}([[maybe_unused]] "
                          f"{GIVEN.get(header.name, 'int nothing')}) {{")
            for number, code in lines:
                source += [f'#line {number} "{house.relative(header, root)}"', statement(code)]
            source += ["return true;", "}"]
    return "\n".join(source + ["}  // namespace heddle", ""])


def check(root):
    headers = house.files(root, (".h",), "include")
    folder = headers_test.BUILD / "headers" if root == house.ROOT else root
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "examples_of_headers.cc"
    source.write_text(unit(root, headers))
    done = subprocess.run(headers_test.command(root) + QUIET +
                          [str(source), "-o", str(source.with_suffix(".o"))],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    return errors or [done.stderr]


class ExamplesTest(house.HouseTest):
    def test_repository(self):
        self.assert_clean(check(house.ROOT))
        shown = [header for header in house.files(house.ROOT, (".h",), "include")
                 if examples(header.read_text())]
        self.assertGreaterEqual(len(shown), len(GIVEN))
        self.assertLessEqual(set(GIVEN), {header.name for header in shown})

    def errors_in(self, example):
        lines = "".join(f"///   {line}\n" for line in example)
        tree = {"include/heddle/result.h": "#pragma once\n#include <string>\nnamespace heddle {\n"
                                           "template <class T> struct Result { Result(T); };\n"
                                           "int count(std::string text);\n}\n",
                "include/heddle/a.h": "/// Counts.\n///\n" + lines + "///\n/// More.\n#pragma once\n"}
        return [error.partition(": error")[0] for error in self.violations_in(check, tree)]

    def test_catches_examples_that_do_not_compile(self):
        self.assertEqual([], self.errors_in(["int many = count(\"a\");", "use(many);"]))
        self.assertEqual("include/heddle/a.h:4",
                         self.errors_in(["use(count(", "    missing));"])[0].rpartition(":")[0])
        self.assertEqual(1, len(self.errors_in(["for (int each : {1, 2}) use(each, other);"])))
        self.assertEqual([], self.errors_in(["count(\"a\")   // 1", "count(\"b\")  // 1"]))
        self.assertNotEqual([], self.errors_in(["count(\"a\")", "count(\"b\")"]))


if __name__ == "__main__":
    unittest.main()
