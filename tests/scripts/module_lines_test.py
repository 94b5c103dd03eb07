"""scripts/module_lines.py tells what stands behind each keyword of a line."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
import module_lines  # noqa: E402

TEXT = """project(small)
heddle_module(base                  USES)
heddle_module(wire/postgres USES base
                            LINKS fmt NEVER store smt)
heddle_module(store USES base LINKS fmt pq TESTS wire/postgres NEVER smt)
include(Rest)
"""


class ModuleLinesTest(unittest.TestCase):
    def test_words_belong_to_the_keyword_before_them(self):
        modules = module_lines.read_modules(TEXT)
        self.assertEqual(["base", "wire/postgres", "store"], list(modules))
        self.assertEqual(module_lines.Module("base"), modules["base"])
        self.assertEqual(
            module_lines.Module("wire/postgres", uses=("base",), links=("fmt",),
                                never=("store", "smt")), modules["wire/postgres"])
        self.assertEqual(
            module_lines.Module("store", uses=("base",), links=("fmt", "pq"),
                                tests=("wire/postgres",), never=("smt",)), modules["store"])
        self.assertEqual("wire_postgres", modules["wire/postgres"].target())
        self.assertEqual(["project(small)", "include(Rest)"],
                         module_lines.without_modules(TEXT).split())

    def test_every_word_of_the_repository_is_a_module_or_a_library(self):
        modules = module_lines.read_modules((ROOT / "CMakeLists.txt").read_text())
        self.assertGreater(len(modules), 5)
        for module in modules.values():
            self.assertLessEqual(set(module.uses + module.tests), set(modules), module.name)


if __name__ == "__main__":
    unittest.main()
