"""CONTRIBUTING's checklist "Add an isolation level" is followed to the letter in a copy of the
sources; without its step for the page the tests of the vocabulary fail."""

import unittest

import scratch

MEANING = "A session goes on seeing what it has seen."
ROW = f"""    LevelDefinition{{IsolationLevel::steady, "steady", "{MEANING}", kCausal,
                    kNothingMore, "nobody"}},
"""
FIRST_PRODUCT = "    LevelDefinition{IsolationLevel::postgres_read_committed, "
DOCUMENT = "docs/levels.md"


class LevelTest(scratch.ScratchTest):
    def write_page(self):
        page = (self.root / DOCUMENT).read_text()
        causal = next(line for line in page.splitlines() if line.startswith("| `causal` |  |"))
        axioms = next(line for line in page.splitlines() if line.startswith("| `causal` | vis"))
        product = "| `postgres:read-committed` | "
        sentence = next(line for line in page.splitlines() if line.startswith(product + "Each"))
        self.insert(DOCUMENT, sentence, f"| `steady` | {MEANING} | nobody |\n")
        self.insert(DOCUMENT, product + "statement-", axioms.replace("causal", "steady") + "\n")
        self.insert(DOCUMENT, product + "x |", causal.replace("causal", "steady") + "\n")
        self.insert(DOCUMENT, "| causal-visibility | eventual |", "| steady | causal | it is causal |\n")

    def test_checklist(self):
        self.insert("include/heddle/isolation.h", "  postgres_read_committed,\n", "  steady,\n")
        self.insert("src/vocabulary/isolation.cc", FIRST_PRODUCT, ROW)
        self.insert("src/vocabulary/isolation_order.h",
                    "    Implication{IsolationLevel::cassandra_one, ",
                    "    Implication{IsolationLevel::steady, IsolationLevel::causal},\n")
        self.insert("src/vocabulary/levels_table_test.cc", '    {"postgres:read-committed",\n',
                    '    {"steady", ""},\n')
        self.build_tests("vocabulary")
        self.assertIn("LevelsDocument", self.said_by(r"^vocabulary\."))
        self.write_page()
        self.assertEqual("", self.said_by(r"^vocabulary\."))


if __name__ == "__main__":
    unittest.main()
