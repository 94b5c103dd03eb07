"""The sources of a folder can be compiled as one unit, whichever of them share it: what stands in
their unnamed namespaces has a name of its own in the folder, functions of different parameters
included, because another file's might be the better match of a call."""

import collections
import re
import unittest

import house
import layers_test

OTHER = re.compile(r"(_test|_fuzz|_benchmark|/main)\.cc$")
NOISE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*', re.DOTALL)
ALIAS = re.compile(r"(?:using \w+ = |using [\w:]+;|namespace \w+ = )")
DECLARED = [
    re.compile(r"(?:struct|class|enum class) (\w+)"),
    re.compile(r"(?=\w)[\w:<>,*& ]*?\b(k[A-Z]\w*)\b"),
    re.compile(r"(?=\w)(?!using|namespace|template|return)[\w:<>,*& ]*?[ &*](\w+)\("),
]
# Members are "static constexpr", and hide nothing.
LOCAL_CONSTANT = re.compile(r"^ +(?:constexpr|(?:static )?const) [^=({]*?\b(k[A-Z]\w*)\b", re.M)


def own_names(text):
    """Names that are declared in the first column, as clang-format lays them out, by line."""
    names = {}
    for number, line in enumerate(text.splitlines(), 1):
        for pattern in [] if ALIAS.match(line) else DECLARED:
            found = pattern.match(line)
            if found:
                names.setdefault(found[1], number)
                break
    return names


def without_noise(text):
    """The text with its lines, but without texts and comments, except those that end namespaces."""
    return NOISE.sub(lambda found: found[0] if found[0].startswith("// namespace")
                     else "\n" * found[0].count("\n"), text)


def unnamed_parts(text):
    """The text with what stands outside unnamed namespaces blanked, line by line."""
    lines = []
    is_inside = False
    for line in text.splitlines():
        is_end = re.fullmatch(r"}\s*// namespace\s*", line) is not None
        is_inside = (is_inside or line.startswith("namespace {")) and not is_end
        lines.append(line if is_inside else "")
    return "\n".join(lines)


def folder_violations(paths, root):
    places = collections.defaultdict(dict)
    constants = collections.defaultdict(dict)
    for path in paths:
        text = without_noise(path.read_text())
        where = house.relative(path, root)
        for name, number in own_names(unnamed_parts(text)).items():
            places[name][where] = number
        for found in LOCAL_CONSTANT.finditer(text):
            constants[found[1]][where] = text.count("\n", 0, found.start(1)) + 1
    found = []
    for name, files in sorted(places.items()):
        first, *others = sorted(files)
        found += [f"{other}:{files[other]}: {name} is a name in {first}, too" for other in others]
        found += [f"{other}:{number}: {name} hides that of {first} in a unit of both"
                  for other, number in sorted(constants[name].items())
                  if other > first and other not in files]
    return found


def check(root):
    found = []
    for folder in layers_test.read_modules(root):
        paths = sorted((root / "src" / folder).glob("*.cc"))
        found += folder_violations([p for p in paths if not OTHER.search(p.as_posix())], root)
    return found


class UnitsTest(house.HouseTest):
    def in_files(self, first, second):
        inside = "namespace heddle {{\n\nnamespace {{\n\n{}\n}}  // namespace\n\n{}}}\n"
        tree = {"CMakeLists.txt": "heddle_module(base USES)\n"}
        for name, (content, behind) in {"a": first, "b": second}.items():
            tree[f"src/base/{name}.cc"] = inside.format(content, behind)
        return self.violations_in(check, tree)

    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_catches_names_of_two_files(self):
        for one in ("constexpr int kMost = 1;\n", "struct Rule {\n  int a;\n};\n",
                    "bool is_odd(int number) { return number % 2; }\n",
                    "std::vector<int> numbers_of(\n    int count) {\n  return {};\n}\n",
                    "template <class T>\nconst T& first(const T& a) {\n  return a;\n}\n"):
            self.assertEqual(1, len(self.in_files((one, ""), (one, ""))), one)
            self.assert_clean(self.in_files((one, ""), ("", one.replace("int", "long"))))
        one, other = "void put(int a) {}\n", "void put(long a) {}\n"
        self.assertEqual(["src/base/b.cc:5: put is a name in src/base/a.cc, too"],
                         self.in_files((one, ""), (other, "")))

    def test_catches_local_constants_that_hide_a_files(self):
        file = "constexpr int kMost = 1;\n"
        local = "int f() {\n  constexpr int kMost = 2;\n  return kMost;\n}\n"
        self.assertEqual(1, len(self.in_files((file, ""), ("", local))))
        self.assert_clean(self.in_files(("", local), ("", local)))

    def test_knows_aliases_texts_and_calls(self):
        for one in ("using Clock = std::chrono::steady_clock;\n", "namespace fs = std::filesystem;\n",
                    "constexpr const char* k{} = R\"sql(\nSELECT count(a)\n)sql\";\n",
                    "// Calls put(a).\n"):
            self.assert_clean(self.in_files((one.replace("{}", "One"), ""),
                                            (one.replace("{}", "Other"), "")))


if __name__ == "__main__":
    unittest.main()
