"""The sources of a folder, and of folders that share units (heddle_share_units), can be compiled as
one unit, whichever of them share it, and their tests as another: what stands in their unnamed
namespaces has a name of its own in the folder, functions of different parameters included, because
another file's might be the better match of a call. An alias may be repeated with the same meaning, and
what bodies of functions call so hides none of another file."""

import collections
import re
import unittest

import house
import layers_test

OTHER = re.compile(r"(_fuzz|_benchmark|/main)\.cc$")
NOISE = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*', re.DOTALL)
ALIAS = re.compile(r"(?:using \w+ = |using [\w:]+;|namespace \w+ = )")
FILE_ALIAS = re.compile(r"^(?:using|namespace) (\w+) = ([^;]*);", re.M)
DECLARED = [
    re.compile(r"(?:struct|class|enum class) (\w+)"),
    re.compile(r"(?=\w)[\w:<>,*& ]*?\b(k[A-Z]\w*)\b"),
    re.compile(r"(?=\w)(?!using|namespace|template|return)[\w:<>,*& ]*?[ &*](\w+)\("),
]
SUITE = re.compile(r"^TEST(?:_F|_P)?\((\w+),", re.M)
# Members are "static constexpr", and hide nothing.
LOCAL_CONSTANT = re.compile(r"^ +(?:constexpr|(?:static )?const) [^=({]*?\b(k[A-Z]\w*)\b", re.M)
LOCAL_ALIAS = re.compile(r"^( +)using (\w+) = ", re.M)
# What members of classes stand in, as clang-format lays it out.
CLASS = re.compile(r" *(?:struct|class|public:|protected:|private:)")


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


def own_aliases(text):
    """(name, meaning) and line of aliases in the first column."""
    return {(found[1], " ".join(found[2].split())): text.count("\n", 0, found.start()) + 1
            for found in FILE_ALIAS.finditer(text)}


def local_aliases(text):
    """Names that bodies of functions give to types, by line; members of classes hide nothing."""
    lines = text.splitlines()
    names = {}
    for found in LOCAL_ALIAS.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        outer = next((line for line in reversed(lines[:number - 1])
                      if line.strip() and len(line) - len(line.lstrip()) < len(found[1])), "")
        if not CLASS.match(outer):
            names.setdefault(found[2], number)
    return names


def alias_violations(aliases, declared):
    """Aliases of one name that have another meaning in another file, or are something else there."""
    found = []
    for name, places in sorted(aliases.items()):
        for file, (number, meaning) in sorted(places.items()):
            others = [other for other in places if other < file and places[other][1] != meaning]
            others += declared.get(name, {})
            if others:
                found.append(f"{file}:{number}: {name} is another name in {min(others)}")
    return found


def stands_before(one, other):
    """Whether the file may come before the other in a unit: in a folder names are in order."""
    return one < other or one.rpartition("/")[0] != other.rpartition("/")[0]


def folder_violations(paths, root):
    declared, aliases, local = (collections.defaultdict(dict) for _ in range(3))
    for path in paths:
        text = without_noise(path.read_text())
        where = house.relative(path, root)
        for name, number in own_names(unnamed_parts(text)).items():
            declared[name][where] = number
        for (name, meaning), number in own_aliases(unnamed_parts(text)).items():
            aliases[name][where] = (number, meaning)
        for found in LOCAL_CONSTANT.finditer(text):
            local[found[1]][where] = text.count("\n", 0, found.start(1)) + 1
        for name, number in local_aliases(text).items():
            local[name][where] = number
    found = alias_violations(aliases, declared)
    for name, files in sorted(declared.items()):
        first, *others = sorted(files)
        found += [f"{other}:{files[other]}: {name} is a name in {first}, too" for other in others]
    for name in sorted(set(local) & (set(declared) | set(aliases))):
        files = declared.get(name, {}) | aliases.get(name, {})
        found += [f"{other}:{number}: {name} hides that of {min(files)} in a unit of both"
                  for other, number in sorted(local[name].items())
                  if other not in files and any(stands_before(file, other) for file in files)]
    return found


def suite_violations(tests, root):
    """Suites of one name in two folders: ctest runs those of a file by their names."""
    found = []
    folders = {}
    for path in tests:
        for name in SUITE.findall(path.read_text()):
            folder = folders.setdefault(name, path.parent)
            if folder != path.parent:
                found.append(f"{house.relative(path, root)}: {name} is a suite in "
                             f"{house.relative(folder, root)}, too")
    return sorted(set(found))


def sharing(root):
    """Lists of the folders that share units, and the folders whose tests do not."""
    text = (root / "CMakeLists.txt").read_text()
    groups, apart = [], []
    for found in re.finditer(r"^heddle_share_units\(\w+ ([^)]*)\)", text, re.M):
        folders, _, alone = found[1].partition("TESTS_APART")
        groups.append(folders.split())
        apart += alone.split()
    return groups, apart


def check(root):
    found = []
    folders = list(layers_test.read_modules(root))
    groups, apart = sharing(root)
    shared = [folder for group in groups for folder in group]
    found += [f"CMakeLists.txt: {folder} is no folder that can share units"
              for folder, count in collections.Counter(shared).items()
              if count > 1 or folder not in folders]
    for group in groups + [[folder] for folder in folders if folder not in shared]:
        paths = [path for folder in group for path in sorted((root / "src" / folder).glob("*.cc"))]
        tests = [path for path in paths if path.name.endswith("_test.cc")]
        found += folder_violations([path for path in paths
                                    if path not in tests and not OTHER.search(path.as_posix())], root)
        alone = [folder for folder in group if folder in apart]
        for folders in [[folder] for folder in alone] + [[f for f in group if f not in alone]]:
            shared_tests = [path for path in tests
                            if house.relative(path.parent, root) in [f"src/{f}" for f in folders]]
            found += folder_violations(shared_tests, root) + suite_violations(shared_tests, root)
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

    def test_tests_share_units_with_tests_alone(self):
        names = "namespace {\nconstexpr int kMost = 1;\n}  // namespace\n"
        tree = {"CMakeLists.txt": "heddle_module(base USES)\n", "src/base/a.cc": names,
                "src/base/a_test.cc": names}
        self.assert_clean(self.violations_in(check, tree))
        tree["src/base/b_test.cc"] = names
        self.assertEqual(["src/base/b_test.cc:2: kMost is a name in src/base/a_test.cc, too"],
                         self.violations_in(check, tree))

    def test_folders_share_units(self):
        names = "namespace {\nconstexpr int kMost = 1;\n}  // namespace\n"
        modules = "heddle_module(base USES)\nheddle_module(base/words USES)\n"
        tree = {"CMakeLists.txt": modules, "src/base/a.cc": names, "src/base/words/b.cc": names}
        self.assert_clean(self.violations_in(check, tree))
        tree["CMakeLists.txt"] = "heddle_share_units(both base\n  base/words)\n" + modules
        self.assertEqual(["src/base/words/b.cc:2: kMost is a name in src/base/a.cc, too"],
                         self.violations_in(check, tree))
        tree["CMakeLists.txt"] = "heddle_share_units(both base wordz)\n" + modules
        self.assertEqual(["CMakeLists.txt: wordz is no folder that can share units"],
                         self.violations_in(check, tree))
        suite = "TEST(Words, are_found) {}\n"
        self.assertEqual(["src/base/words/b_test.cc: Words is a suite in src/base, too"],
                         self.violations_in(check, {
                             "CMakeLists.txt": "heddle_share_units(both base base/words)\n" + modules,
                             "src/base/a_test.cc": suite, "src/base/words/b_test.cc": suite}))

    def test_catches_local_constants_that_hide_a_files(self):
        file = "constexpr int kMost = 1;\n"
        local = "int f() {\n  constexpr int kMost = 2;\n  return kMost;\n}\n"
        self.assertEqual(1, len(self.in_files((file, ""), ("", local))))
        self.assert_clean(self.in_files(("", local), ("", local)))

    def test_catches_aliases_of_two_meanings(self):
        one, other = "using Row = int;\n", "using Row = std::vector<\n    long>;\n"
        self.assertEqual(["src/base/b.cc:5: Row is another name in src/base/a.cc"],
                         self.in_files((one, ""), (other, "")))
        self.assert_clean(self.in_files((one, ""), (one, "")))
        declared = "struct Row {\n  int a;\n};\n"
        self.assertEqual(1, len(self.in_files((declared, ""), (one, ""))))
        self.assertEqual(1, len(self.in_files((one, ""), (declared, ""))))

    def test_catches_local_aliases_that_hide_a_files(self):
        local = "int f() {\n  if (true) {\n    int a = 1;\n    using Row = long;\n  }\n}\n"
        member = "struct A {\n  using Row = long;\n  Row row;\n};\n"
        in_class = "class A {\n public:\n  A();\n\n private:\n  using Row = long;\n};\n"
        for file in ("using Row = int;\n", "struct Row {\n  int a;\n};\n", "using Row = long;\n"):
            self.assertEqual(["src/base/b.cc:11: Row hides that of src/base/a.cc in a unit of both"],
                             self.in_files((file, ""), ("", local)))
            # The unit has a.cc first, so that its own local name hides nothing yet.
            self.assert_clean(self.in_files(("", local), (file, "")))
            self.assert_clean(self.in_files((file, ""), ("", member)))
            self.assert_clean(self.in_files((file, ""), ("", in_class)))
        self.assert_clean(self.in_files(("", local), ("", local)))

    def test_knows_aliases_texts_and_calls(self):
        for one in ("using Clock = std::chrono::steady_clock;\n", "namespace fs = std::filesystem;\n",
                    "constexpr const char* k{} = R\"sql(\nSELECT count(a)\n)sql\";\n",
                    "// Calls put(a).\n"):
            self.assert_clean(self.in_files((one.replace("{}", "One"), ""),
                                            (one.replace("{}", "Other"), "")))


if __name__ == "__main__":
    unittest.main()
