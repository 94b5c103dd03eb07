"""What the calls of TPC-C should have left: each item of its calls_invariants.txt breaks."""

import json
import re
import unittest

import program

TPCC = program.ROOT / "tests" / "programs" / "tpcc"
ROWS = f"--rows={TPCC / 'consistent.sql'}"


class TpccTest(program.ProgramTest):
    def broken(self, entries, *words):
        """By causes of these functionalities, of the items that ask about no other calls."""
        text = (TPCC / "calls_invariants.txt").read_text()
        items = re.findall(r'^invariant .*?^}\n', text, re.MULTILINE | re.DOTALL)
        self.assertEqual(7, len(items))
        asked = [item for item in items if set(re.findall(r'calls\."?(\w+)', item)) <= set(entries)]
        self.write("asked.txt", "\n".join(asked))
        done = self.heddle(
            "find", "--no-progress", "--format=json", "--instances=2", "--length=4", "--rounds=1",
            "--invariants=asked.txt",
            *[f"--entry={entry}" for entry in entries], *words, TPCC / "schema.sql", TPCC / "class")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        causes = json.loads(done.stdout)["causes"]
        broken = [name for cause in causes for name in cause.get("broken_invariants", [])]
        return sorted({name.split(":")[0] for name in broken})

    def test_payments_are_lost(self):
        self.assertEqual(["1", "2", "3", "4"],
                         self.broken(["payment"], "--isolation=eventual", "--on=replicated", ROWS))

    def test_a_product_loses_only_what_the_client_computes(self):
        self.assertEqual(["3", "4"], self.broken(["payment"], "--isolation=postgres:read-committed",
                                                 "--on=postgres"))

    def test_orders_are_lost(self):
        self.assertEqual(["5", "6", "7"],
                         self.broken(["newOrder"], "--isolation=eventual", "--on=replicated", ROWS))

    def test_deliveries_are_lost(self):
        self.assertEqual(["7"], self.broken(["newOrder", "delivery"], "--only=delivery",
                                            "--isolation=eventual", "--on=replicated", ROWS))


if __name__ == "__main__":
    unittest.main()
