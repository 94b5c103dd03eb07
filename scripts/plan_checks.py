"""What scripts/check-all runs: pieces of work, each of one stage, small enough to be remembered.

A piece is an entry of ctest (asan, tsan, release), a source (tidy) or a fuzzer. All of them follow from
the sources and from the heddle_module lines, so that nothing needs to be built to plan. Seconds are
estimates of one core's time; nothing but the division into shards depends on them."""

import dataclasses
import functools
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import subprocess

from module_lines import read_modules, without_modules

ROOT = pathlib.Path(__file__).resolve().parents[1]
STAGES = ("asan", "tsan", "tidy", "fuzz", "release")
RUN_STAGES = ("asan", "tsan", "release")
# How many times the rounds of random tests the stage release has, and how many for a few changes.
SCALE, SCALE_SINCE = 25, 10

# Of one file, and of a test compared with the preset dev. Random tests of release have their scale, too.
COMPILE_S = {"asan": 6, "tsan": 5, "tidy": 0, "fuzz": 8, "release": 2}
TEST_TIMES = {"asan": 1.5, "tsan": 4, "release": 0.4}
TIDY_S = 20
USUAL_TEST_S = 2  # of what tests/seconds.txt does not name

EVERYTHING = re.compile(r"cmake/.*")


@dataclasses.dataclass(frozen=True)
class Piece:
    """name: what the stage runs; target: what has to be built for it; scale: of random tests' rounds."""
    stage: str
    name: str
    target: str
    module: str
    run_s: float
    scale: int = 1


def load_reached():
    """scripts/reached as a module, which has no suffix because people call it."""
    path = pathlib.Path(__file__).with_name("reached")
    loader = importlib.machinery.SourceFileLoader("reached", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("reached", loader))
    loader.exec_module(module)
    return module


reached = load_reached()


def git_text(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True,
                          check=False).stdout


@functools.lru_cache
def modules():
    return read_modules((ROOT / "CMakeLists.txt").read_text())


@functools.lru_cache
def linked(name):
    """The module and all that its library is linked with."""
    found, left = {name}, [name]
    while left:
        new = set(modules()[left.pop()].uses) - found
        found |= new
        left += new
    return frozenset(found)


def kind_of(path):
    """What CMake makes of a source: a part of a test program, a fuzzer, or of a library."""
    for kind in ("test", "fuzz", "benchmark"):
        if path.name.endswith(f"_{kind}.cc"):
            return kind
    return "library"


@functools.lru_cache
def sources(module):
    return tuple(sorted((ROOT / "src" / module).glob("*.cc")))


def files_of(module, kind):
    return [path for path in sources(module) if kind_of(path) == kind]


@functools.lru_cache
def seconds():
    path = ROOT / "tests" / "seconds.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    pairs = [line.split() for line in lines if line and not line.startswith("#")]
    return {name: float(number) for name, number in pairs}


def is_random(path):
    text = path.read_text()
    return "test_rounds" in text or "HEDDLE_TEST_SCALE" in text


def test_piece(stage, test, scale):
    name, path, module, target = test
    times = scale if stage == "release" else 1
    run_s = seconds().get(name, USUAL_TEST_S) * TEST_TIMES[stage] * (times if is_random(path) else 1)
    return Piece(stage, name, target, module, round(run_s, 1), times)


def all_tests():
    """(name of the entry, its file, its module, its target), as CMake registers them."""
    for module in modules().values():
        for path in files_of(module.name, "test"):
            yield f"{module.target()}.{path.stem}", path, module.name, f"{module.target()}_test"
    for path in sorted((ROOT / "tests").glob("*/*_test.py")):
        folder = path.parent.name
        # What looks at the sources, or builds a copy, has no need of a second compiler.
        if folder not in ("house", "checklists"):
            target = "heddle_printed" if folder == "install" else "heddle"
            yield f"{folder}.{path.stem[:-5]}", path, "cli", target


def whole_plan(stages, fuzz_seconds, scale):
    """Every piece there is, stage by stage."""
    pieces = []
    for stage in stages:
        if stage in RUN_STAGES:
            pieces += [test_piece(stage, test, scale) for test in all_tests()]
        for module in modules():
            if stage == "tidy":
                pieces += [Piece(stage, place(path), f"{path}^", module, TIDY_S)
                           for path in sources(module)]
            if stage == "fuzz":
                pieces += [Piece(stage, path.stem, path.stem, module, fuzz_seconds)
                           for path in files_of(module, "fuzz")]
    return pieces


def place(path):
    return path.relative_to(ROOT).as_posix()


class Reach:
    """What the changes since a revision can reach."""

    def __init__(self, revision):
        self.changed = changed_files(revision)
        code = {path for path in self.changed
                if path.suffix in (".cc", ".h") and path.exists() and is_below(path, "src", "include")}
        self.files = reached.reached_from(code)
        self.tidied = {path for path in code if path.suffix == ".cc"} | {
            includer for path in code if path.suffix == ".h" for includer in nearest_includer(path)}
        self.reason = next((place(path) for path in sorted(self.changed)
                            if EVERYTHING.fullmatch(place(path))), None)
        if ROOT / "CMakePresets.json" in self.changed and presets_differ(revision):
            self.reason = "CMakePresets.json"
        self.modules = {name for name in modules()
                        if any(path in self.files for path in files_of(name, "library"))}
        self.modules |= self.modules_of_other_files(revision)

    def modules_of_other_files(self, revision):
        """Modules with a file that is gone or is no C++, or whose line in CMakeLists.txt is new."""
        found = set()
        for path in self.changed:
            if is_below(path, "src") and not (path in self.files and path.exists()):
                found |= {part for part in modules() if ROOT / "src" / part in path.parents}
        if ROOT / "CMakeLists.txt" in self.changed:
            before = git_text("show", f"{revision}:CMakeLists.txt")
            now = (ROOT / "CMakeLists.txt").read_text()
            lines = read_modules(before)
            found |= {name for name in modules() if lines.get(name) != modules()[name]}
            if without_modules(before) != without_modules(now):
                self.reason = self.reason or "CMakeLists.txt"
        return found

    def has_test(self, name, path, module, stage):
        if path.suffix == ".py":
            return path in self.changed or self.has_folder_of(path) or self.has_program(name, stage)
        return module in self.modules or path in self.files or self.has_folder_of(path)

    def has_program(self, name, stage):
        """ThreadSanitizer makes the program so slow that its tests wait for changes of src/cli."""
        if name.startswith("scripts."):
            return False
        return not self.modules.isdisjoint(["cli"] if stage == "tsan" else linked("cli"))

    def has_folder_of(self, path):
        """Whether the test reads a folder outside src/ in which something has changed."""
        text = path.read_text()
        return any(all(re.search(rf"\b{re.escape(part)}\b", text) for part in folder)
                   for folder in self.folders())

    @functools.lru_cache
    def folders(self):
        """("examples",), ("tests", "programs"): where tests find what they read."""
        found = set()
        for path in self.changed:
            parts = path.relative_to(ROOT).parts[:-1]
            if parts[:1] == ("tests",) and parts[1:] and not path.name.endswith("_test.py"):
                found.add(parts[:2] if path.suffix != ".py" else (path.stem,))
            elif parts[:1] in (("examples",), ("bench",)):
                found.add(parts[:1])
        return sorted(found)

    def has(self, piece):
        if piece.stage == "tidy":
            return ROOT / piece.name in self.tidied
        if piece.stage == "fuzz":
            return piece.module in self.modules or fuzzer_source(piece) in self.files
        name, path, module, _ = tests_by_name()[piece.name]
        if piece.stage == "release" and not is_random(path):
            return False
        return self.has_test(name, path, module, piece.stage)


@functools.lru_cache
def tests_by_name():
    return {test[0]: test for test in all_tests()}


def fuzzer_source(piece):
    return ROOT / "src" / piece.module / f"{piece.name}.cc"


def presets_differ(revision):
    """Whether a stage is configured otherwise than at the revision."""
    def of_stages(text):
        return [preset for preset in json.loads(text or "{}").get("configurePresets", [])
                if preset["name"] in STAGES + ("base",)]
    return (of_stages(git_text("show", f"{revision}:CMakePresets.json"))
            != of_stages((ROOT / "CMakePresets.json").read_text()))


def is_below(path, *folders):
    return any(ROOT / folder in path.parents for folder in folders)


def changed_files(revision):
    """All that differs from the revision: committed or not, gone or new."""
    names = git_text("diff", "--name-only", "--no-renames", revision).splitlines()
    names += git_text("ls-files", "--others", "--exclude-standard").splitlines()
    return frozenset(ROOT / name for name in names)


def nearest_includer(header):
    """The source that shows clang-tidy a header: the header's own, else the first that includes it."""
    found = [path for module in modules() for path in sources(module)
             if header in reached.includes_of(path)]
    return sorted(found, key=lambda path: (path.stem != header.stem, kind_of(path), path))[:1]


def plan(stages, fuzz_seconds, revision=None):
    """(pieces, why these are all of them although a revision was given, or None)."""
    pieces = whole_plan(stages, fuzz_seconds, SCALE_SINCE if revision else SCALE)
    if revision is None:
        return pieces, None
    reach = Reach(revision)
    if reach.reason:
        return whole_plan(stages, fuzz_seconds, SCALE), reach.reason
    return [piece for piece in pieces if reach.has(piece)], None


def compiled(piece):
    """What a piece needs compiled, by (stage, module, kind), with the number of its files."""
    if piece.stage == "tidy":
        return {}
    module = modules()[piece.module]
    needed = linked(module.name)
    if piece.target == f"{module.target()}_test":
        needed = needed.union(*[linked(name) for name in module.tests])
    found = {(piece.stage, name, "library"): len(files_of(name, "library")) for name in needed}
    if piece.target.endswith("_test"):
        found[piece.stage, module.name, "test"] = len(files_of(module.name, "test"))
    return found


def shard(pieces, index, count):
    """Part `index` of `count`, from 1. The piece that takes longest comes first, and each goes where
    the work is least afterwards, counting what has to be compiled there for this piece alone: so
    pieces of one module stay together until their part has its share."""
    parts = [{"work": 0.0, "compiled": {}, "pieces": set()} for _ in range(count)]
    for piece in sorted(pieces, key=lambda piece: (-piece.run_s, piece.stage, piece.name)):
        files = compiled(piece)

        def work_with(part, piece=piece, files=files):
            new = sum(number for key, number in files.items() if key not in part["compiled"])
            return part["work"] + piece.run_s + new * COMPILE_S[piece.stage]

        least = min(parts, key=work_with)
        least["work"] = work_with(least)
        least["compiled"].update(files)
        least["pieces"].add(piece)
    return [piece for piece in pieces if piece in parts[index - 1]["pieces"]]


def estimate_s(pieces, cores=2):
    """Seconds of the pieces on some cores, with nothing compiled before. Fuzzers run one by one."""
    files = {}
    for piece in pieces:
        files.update(compiled(piece))
    compiling = sum(number * COMPILE_S[key[0]] for key, number in files.items())
    fuzzing = sum(piece.run_s for piece in pieces if piece.stage == "fuzz")
    running = sum(piece.run_s for piece in pieces if piece.stage != "fuzz")
    return compiling / cores, fuzzing + running / cores
