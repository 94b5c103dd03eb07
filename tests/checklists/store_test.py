"""CONTRIBUTING's checklist "Add a store" is followed to the letter in a copy of the sources, with the
least that a store has to do (shelf/)."""

import shutil
import unittest

import scratch

PROFILE = """    StoreProfile{
        .kind = StoreKind::shelf,
        .word = "shelf",
        .product = "a shelf",
        .dialect = Dialect::sqlite,
        .levels = [] { return Levels(kSerializable); },
        .usual = "shelf",
        .given = "",
        .outlives = false,
        .is_address = is_shelf_address,
        .start = start_shelf,
    },
"""
LAST_PROFILE = "    StoreProfile{\n        .kind = StoreKind::replicated,\n"
PROFILES = "src/store/open/store_profiles"


class StoreTest(scratch.ScratchTest):
    def test_checklist(self):
        room = self.root / "src" / "store" / "shelf"
        shutil.copytree(self.root / "tests" / "checklists" / "shelf", room)
        (room / "opening.cc").rename(room / "shelf_test.cc")
        self.insert("CMakeLists.txt", "heddle_module(store/open ",
                    "heddle_module(store/shelf USES store LINKS fmt TESTS store/open)\n")
        self.replace("CMakeLists.txt", "store/ring store/sqlite throwaway LINKS fmt)",
                     "store/ring store/shelf store/sqlite throwaway LINKS fmt)")
        self.insert(f"{PROFILES}.h", "replicated };", "shelf, ")
        self.insert(f"{PROFILES}.cc", '#include "store/sqlite/server.h"\n',
                    '#include "store/shelf/server.h"\n')
        self.insert(f"{PROFILES}.cc", LAST_PROFILE, PROFILE)
        self.replace(f"{PROFILES}_test.cc", "sqlite:wal, replicated, ",
                     "sqlite:wal, shelf, replicated, ")
        self.insert("docs/stores.md", "| `replicated`, ", "| `shelf` | nothing at all |\n")
        self.succeed("python3", "tests/house/layers_test.py")
        self.build_tests("store_shelf")
        self.assertEqual("", self.said_by(r"^store_shelf\."))
        self.build_tests("store_open")
        self.assertEqual("", self.said_by(r"^store_open\.store_profiles_test$"))


if __name__ == "__main__":
    unittest.main()
