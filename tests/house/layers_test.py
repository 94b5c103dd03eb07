"""The folders of src/ use each other only as the heddle_module lines of CMakeLists.txt allow."""

import re
import sys
import unittest

import house

sys.path.append(str(house.ROOT / "scripts"))
import module_lines  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

# Where each heavy header may be included: a folder of src/, or one file of it.
HEAVY = [
    (re.compile(r"^z3"), ["smt"]),
    (re.compile(r"^pg_query"), ["frontend/sql"]),
    (re.compile(r"^tree_sitter/"), ["frontend/java", "frontend/java/classes"]),
    (re.compile(r"^nlohmann/"), ["format", "format/json", "frontend/sql"]),
    (re.compile(r"^simdjson"), ["frontend/trace"]),
    (re.compile(r"^yaml-cpp/"), ["frontend/yaml"]),
    (re.compile(r"^CLI/"), ["cli/options/options.cc"]),
    (re.compile(r"^(postgresql/)?libpq"), ["store/postgres"]),
    (re.compile(r"^mysql|^mariadb"), ["store/mariadb", "store/ring"]),
    (re.compile(r"^hiredis"), ["store/redis"]),
    (re.compile(r"^sqlite3"), ["store/sqlite", "store/replicated"]),
    (re.compile(r"^boost/"), ["wire/http/message_parser.cc"]),
    (re.compile(r"^(zlib|brotli/)"), ["wire/http"]),
    (re.compile(r"^zstd"), ["record/lines", "wire/http"]),
    (re.compile(r"^openssl/"), ["record/redact/placeholder.cc"]),
]
# What a folder knows nothing of: public headers that none of its files may include.
UNKNOWN_TO = {"report/diagram": ["finding", "history", "outcome", "program", "scenario", "schedule",
                                 "statement"]}
# A header that several folders may include is still one that the folder's line must name.
NEEDED_LINK = {"nlohmann/": "json"}


def may_use(module, folder, where):
    is_test = where.endswith(("_test.cc", "_testing.h", "_fuzz.cc"))
    return folder in module.uses or (is_test and folder in module.tests)


def read_modules(root):
    return module_lines.read_modules((root / "CMakeLists.txt").read_text())


def includes(path):
    return [(quote == '"', name) for quote, name in INCLUDE.findall(path.read_text())]


def module_of(name, modules):
    """The module whose folder holds the path relative to src/, or None."""
    folder = name.rpartition("/")[0]
    return folder if folder in modules else None


def cycle_violations(modules):
    state = {}

    def visit(name, path):
        if state.get(name) == "done" or name not in modules:
            return []
        if name in path:
            return ["CMakeLists.txt: cycle " + " -> ".join(path[path.index(name):] + [name])]
        found = [v for used in modules[name].uses for v in visit(used, path + [name])]
        state[name] = "done"
        return found

    return [violation for name in sorted(modules) for violation in visit(name, [])]


def unknown_uses(modules):
    return [
        f"CMakeLists.txt: {module.name} uses {used}, which has no line"
        for module in modules.values()
        for used in module.uses + module.tests
        if used not in modules
    ]


def never_violations(modules):
    """What a folder reaches through the lines, though its own says NEVER."""
    def way_to(name, wanted, seen):
        module = modules.get(name)
        if module is None or name in seen:
            return None
        seen.add(name)
        if wanted in module.uses + module.links:
            return [name, wanted]
        for used in module.uses:
            rest = way_to(used, wanted, seen)
            if rest:
                return [name] + rest
        return None

    known = set(modules) | {link for module in modules.values() for link in module.links}
    found = []
    for module in modules.values():
        for wanted in module.never:
            way = way_to(module.name, wanted, set())
            if wanted not in known:
                found.append(f"CMakeLists.txt: {module.name} names {wanted}, which nobody has")
            elif way:
                found.append(f"CMakeLists.txt: {module.name} reaches {wanted}: {' -> '.join(way)}")
    return found


def heavy_violation(where, name, links):
    """Why the file, named relative to src/, may not include <name>; empty when it may."""
    for header, places in HEAVY:
        if not header.match(name):
            continue
        if where not in places and where.rpartition("/")[0] not in places:
            return f"may not include {name}, only {' and '.join(places)} may"
    for prefix, link in NEEDED_LINK.items():
        if name.startswith(prefix) and link not in links:
            return f"includes {name}, but its line does not link {link}"
    return ""


def include_violation(root, modules, where, quoted, name):
    """One #include of a file of src/, named relative to src/."""
    module = module_of(where, modules)
    heavy = heavy_violation(where, name, modules[module].links)
    if heavy:
        return heavy
    if not quoted:
        return f"includes <{name}> of heddle with angle brackets" if name.startswith("heddle/") else ""
    if name.removeprefix("heddle/").removesuffix(".h") in UNKNOWN_TO.get(module, []):
        return f"includes {name}, of which {module} is to know nothing"
    if name.startswith("heddle/"):
        return "" if (root / "include" / name).is_file() else f"includes missing {name}"
    if not (root / "src" / name).is_file():
        return f'includes "{name}", which is not in src/ (write paths from there)'
    used = module_of(name, modules)
    if used != module and not may_use(modules[module], used, where):
        return f"includes {name}, but the line of {module} does not use {used}"
    return ""


def source_violations(root, modules):
    found = []
    for path in house.files(root, house.CXX, "src"):
        where = house.relative(path, root / "src")
        if module_of(where, modules) is None:
            found.append(f"src/{where}: its folder has no heddle_module line")
            continue
        for quoted, name in includes(path):
            why = include_violation(root, modules, where, quoted, name)
            if why:
                found.append(f"src/{where}: {why}")
    return found


def public_violations(root):
    found = []
    for path in house.files(root, house.CXX, "include"):
        for quoted, name in includes(path):
            heavy = any(header.match(name) for header, _ in HEAVY)
            if heavy or (quoted and not name.startswith("heddle/")):
                found.append(f"{house.relative(path, root)}: a public header includes {name}")
    return found


def check(root):
    modules = read_modules(root)
    return (
        cycle_violations(modules)
        + unknown_uses(modules)
        + never_violations(modules)
        + source_violations(root, modules)
        + public_violations(root)
    )


LINES = """
heddle_module(base   USES                LINKS fmt)
heddle_module(graph  USES base)
heddle_module(store/postgres USES base      LINKS pq)
heddle_module(cli/options USES base     LINKS cli11)
heddle_module(cli    USES base
                          graph          LINKS cli11)
"""


class LayersTest(house.HouseTest):
    def in_tree(self, tree):
        tree.setdefault("CMakeLists.txt", LINES)
        tree.setdefault("src/base/text.h", "")
        tree.setdefault("src/graph/graph.h", '#include "base/text.h"\n')
        tree.setdefault("include/heddle/id.h", "#include <vector>\n")
        return self.violations_in(check, tree)

    def test_repository(self):
        self.assertGreater(len(read_modules(house.ROOT)), 5, "the module lines were not read")
        self.assert_clean(check(house.ROOT))

    def test_clean_tree(self):
        source = '#include "heddle/id.h"\n#include "base/text.h"\n#include <libpq-fe.h>\n'
        self.assert_clean(self.in_tree({"src/store/postgres/store.cc": source}))

    def test_catches_a_use_that_no_line_allows(self):
        found = self.in_tree({"src/base/text.cc": '#include "graph/graph.h"\n'})
        self.assertEqual(
            ["src/base/text.cc: includes graph/graph.h, but the line of base does not use graph"],
            found)

    def test_catches_an_indirect_use(self):
        lines = LINES.replace("cli    USES base\n", "cli    USES\n")
        found = self.in_tree({"CMakeLists.txt": lines, "src/cli/a.cc": '#include "base/text.h"\n'})
        self.assertEqual(1, len(found), found)

    def test_tests_may_use_more(self):
        lines = LINES.replace("LINKS pq)", "LINKS pq TESTS graph)")
        source = '#include "graph/graph.h"\n'
        for name in ("src/store/postgres/a_test.cc", "src/store/postgres/a_testing.h"):
            self.assert_clean(self.in_tree({"CMakeLists.txt": lines, name: source}))
        tree = {"CMakeLists.txt": lines, "src/store/postgres/a.cc": source}
        self.assertEqual(1, len(self.in_tree(tree)))

    def test_catches_cycles(self):
        lines = LINES.replace("base   USES ", "base   USES cli")
        found = self.in_tree({"CMakeLists.txt": lines})
        self.assertIn("CMakeLists.txt: cycle base -> cli -> base", found)

    def test_catches_what_is_never_to_be_reached(self):
        lines = LINES.replace("graph  USES base)", "graph  USES base NEVER pq)")
        self.assert_clean(self.in_tree({"CMakeLists.txt": lines}))
        lines = lines.replace("USES base NEVER", "USES base store/postgres NEVER")
        found = self.in_tree({"CMakeLists.txt": lines})
        self.assertEqual(["CMakeLists.txt: graph reaches pq: graph -> store/postgres -> pq"], found)
        lines = LINES.replace("graph  USES base)", "graph  USES base NEVER nobody)")
        found = self.in_tree({"CMakeLists.txt": lines})
        self.assertEqual(["CMakeLists.txt: graph names nobody, which nobody has"], found)

    def test_catches_heavy_headers(self):
        for source in ("#include <libpq-fe.h>", "#include <CLI/CLI.hpp>", "#include <z3++.h>",
                       "#include <nlohmann/json.hpp>", "#  include <pg_query.h>"):
            self.assertEqual(1, len(self.in_tree({"src/cli/main.cc": source + "\n"})), source)
        self.assert_clean(self.in_tree({"src/cli/options/options.cc": "#include <CLI/CLI.hpp>\n"}))

    def test_catches_what_a_folder_is_to_know_nothing_of(self):
        tree = {"CMakeLists.txt": LINES + "heddle_module(report/diagram USES base)\n",
                "include/heddle/finding.h": "", "include/heddle/result.h": ""}
        self.assert_clean(self.in_tree(tree | {"src/report/diagram/a.h": "#include <string>\n"}))
        for header, count in (("finding", 1), ("result", 0)):
            source = {"src/report/diagram/a.h": f'#include "heddle/{header}.h"\n'}
            self.assertEqual(count, len(self.in_tree(tree | source)), header)

    def test_catches_a_public_header_that_leaves_the_vocabulary(self):
        for source in ('#include "base/text.h"', "#include <libpq-fe.h>"):
            self.assertEqual(1, len(self.in_tree({"include/heddle/a.h": source + "\n"})), source)

    def test_catches_folders_without_a_line_and_missing_files(self):
        self.assertEqual(1, len(self.in_tree({"src/wire/a.cc": ""})))
        self.assertEqual(1, len(self.in_tree({"src/cli/a.cc": '#include "text.h"\n'})))
        lines = LINES + "heddle_module(race USES wire)\n"
        self.assertEqual(1, len(self.in_tree({"CMakeLists.txt": lines})))


if __name__ == "__main__":
    unittest.main()
