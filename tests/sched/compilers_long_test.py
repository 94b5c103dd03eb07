"""The test programs of heddle::sched pass whichever compiler and level made them, and the runtime has
every function that these compilers may call under -fsanitize=thread; one that it lacks is an error of
the linker."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", ROOT / "build/dev"))
RUNTIME = BUILD / "heddle_sched_runtime.o"
# Each starts in seconds; what else stands here takes longer and says nothing about compilers.
PROGRAMS = ["entry_points", "primitives", "counter", "depth_first", "library", "containers",
            "weak_exchange", "small_programs", "signals"]
COMPILERS = ["g++", "clang++-19"]
LEVELS = ["-O0", "-O2"]
FLAGS = ["-std=c++20", "-g", "-fsanitize=thread", "-D_GLIBCXX_EXTERN_TEMPLATE=0", f"-I{ROOT}",
         f"-I{ROOT / 'include'}", f"-isystem{ROOT / 'cmake/libstdcxx'}"]
NO_BUILTINS = ["memcpy", "memmove", "memset", "memcmp", "mempcpy", "strcpy", "stpcpy", "strncpy",
               "strcat", "strncat", "bzero", "bcopy"]
# As cmake/HeddleSchedTests.cmake gives them.
MORE_FLAGS = {"g++": ["-Wno-tsan"] + [f"-fno-builtin-{name}" for name in NO_BUILTINS],
              "clang++-19": ["-mllvm", "-tsan-instrument-read-before-write=1"]}

SIZES = [1, 2, 4, 8, 16]
# What clang's pass makes of the names that stand in it (LLVM: ThreadSanitizer.cpp, initialize()).
PLAIN = ["read", "write", "unaligned_read", "unaligned_write", "volatile_read", "volatile_write",
         "unaligned_volatile_read", "unaligned_volatile_write", "read_write", "unaligned_read_write"]
ATOMIC = ["load", "store", "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor",
          "fetch_nand", "compare_exchange_val"]
OTHERS = ["init", "func_entry", "func_exit", "ignore_thread_begin", "ignore_thread_end",
          "atomic_thread_fence", "atomic_signal_fence", "memcpy", "memmove", "memset", "vptr_read",
          "vptr_update", "read_range", "write_range"]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          **options)


def compile_program(compiler, level, source, made):
    more = MORE_FLAGS[compiler]
    return run(compiler, level, *FLAGS, *more, "-c", source, "-o", made)


def names_of_clang():
    names = {f"__tsan_{one}{size}" for one in PLAIN for size in SIZES}
    names |= {f"__tsan_atomic{8 * size}_{one}" for one in ATOMIC for size in SIZES}
    return names | {f"__tsan_{one}" for one in OTHERS}


def names_of_gcc():
    """All that stand in the compiler itself."""
    compiler = run("g++", "-print-prog-name=cc1plus").stdout.strip()
    text = pathlib.Path(shutil.which(compiler) or compiler).read_bytes()
    return {name.decode() for name in re.findall(rb"\0(__tsan_\w+)(?=\0)", text)}


def names_of_runtime():
    lines = run("nm", "--defined-only", "--extern-only", RUNTIME).stdout.splitlines()
    return {line.split()[-1] for line in lines}


class Compilers(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="heddle_sched_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_the_programs_pass(self):
        for compiler in COMPILERS:
            for level in LEVELS:
                for name in PROGRAMS:
                    with self.subTest(compiler=compiler, level=level, program=name):
                        self.check_program(compiler, level, name)

    def check_program(self, compiler, level, name, more=()):
        made = self.folder / "made.o"
        program = self.folder / name
        compiled = compile_program(compiler, level, ROOT / f"tests/sched/{name}_test.cc", made)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        linked = run(compiler, made, RUNTIME, *more, "-o", program)
        self.assertEqual(linked.returncode, 0, linked.stderr)
        ran = run(program, timeout=600)
        missed = "\n".join(line for line in ran.stderr.splitlines() if line.startswith("not so"))
        self.assertEqual(ran.returncode, 0, missed or ran.stderr[-2000:])

    def test_the_standard_library_may_be_linked_statically(self):
        for name in ("library", "chance"):
            with self.subTest(program=name):
                self.check_program("g++", "-O2", name, ["-static-libstdc++", "-static-libgcc"])

    def test_the_runtime_has_what_compilers_call(self):
        self.assertGreater(len(names_of_gcc()), 50)
        for name in sorted(names_of_gcc() | names_of_clang()):
            with self.subTest(name=name):
                self.assertIn(name, names_of_runtime())

    def test_an_unknown_function_is_an_error_that_names_it(self):
        source = self.folder / "unknown.cc"
        source.write_text('extern "C" void __tsan_from_the_future(void*);\n'
                          "int main(int n, char**) { __tsan_from_the_future(&n); }\n")
        made = self.folder / "unknown.o"
        self.assertEqual(compile_program("g++", "-O0", source, made).returncode, 0)
        linked = run("g++", made, RUNTIME, "-o", self.folder / "unknown")
        self.assertNotEqual(linked.returncode, 0)
        self.assertIn("__tsan_from_the_future", linked.stderr)


if __name__ == "__main__":
    unittest.main()
