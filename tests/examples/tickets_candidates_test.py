"""heddle race on a recording of examples/tickets: no seeded race is lost, and most pairs are."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import tickets

HEDDLE = os.environ["HEDDLE"]
CONFIG = tickets.FOLDER / "heddle.yaml"
SECONDS = 300
LEAST_LEFT_OUT = 79

# The faults of README.md: endpoints, and a table that both touch.
FAULTS = {
    "payment-cancel": ("POST payments/payments", "POST cancellations/cancellations", "payments"),
    "stale-balance": ("POST payments/payments", "POST payments/payments", "ledger"),
    "wallet-overlap": ("POST payments/gift-cards", "POST payments/gift-cards", "wallets"),
    "last-seat": ("POST seats/reservations", "POST seats/reservations", "reservations"),
    "registration": ("POST accounts/users", "POST accounts/users", "users"),
    "async-branch": ("POST cancellations/returns", "POST cancellations/returns", "returns"),
    "loyalty": ("POST orders/customers/*/points", "POST orders/customers/*/points", "customers"),
    "voucher": ("POST orders/vouchers/*/redeem", "POST orders/vouchers/*/redeem", "vouchers"),
    "double-refund": ("POST payments/refunds", "POST payments/refunds", "payments"),
    "invoice-number": ("POST orders/invoices", "POST orders/invoices", "invoices"),
    "purse-total": ("POST orders/purse-transfers", "GET orders/purse-total", "purses"),
    "hold-expiry": ("POST seats/holds/*/confirm", "POST seats/holds/*/release", "holds"),
    "duty": ("POST seats/stations/*/staff/*/leave", "POST seats/stations/*/staff/*/leave", "staff"),
}


def found(candidates, first, second, table):
    return any({each["first_endpoint"], each["second_endpoint"]} == {first, second}
               and any(conflict["table"] == table for conflict in each["pairs"][0]["conflicts"])
               for each in candidates)


class Candidates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        os.chmod(cls.folder.name, 0o755)
        ports = dict(zip(tickets.NAMES, tickets.free_ports(len(tickets.NAMES))))
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith("TICKETS_")}
        cls.environment = {**clean, "TMPDIR": cls.folder.name}
        for name, port in ports.items():
            cls.environment[f"TICKETS_{name.upper()}_PORT"] = str(port)
        for name in tickets.SERVICES:
            cls.environment[f"TICKETS_ADMIN_{name.upper()}"] = (
                f"postgres://postgres:postgres@127.0.0.1:{ports['database']}/{name}")
        cls.trace = pathlib.Path(cls.folder.name) / "trace.jsonl"
        recorded = cls.heddle("record", f"--output={cls.trace}", "--", "./test")
        if tickets.NO_PACKAGES in recorded.stderr:
            print(f"skipped: {recorded.stderr.strip()}", file=sys.stderr)
            raise unittest.SkipTest(recorded.stderr.strip())
        if recorded.returncode != 0:
            raise AssertionError(recorded.stderr)

    @classmethod
    def heddle(cls, *words):
        return subprocess.run([HEDDLE, *words], cwd=tickets.FOLDER, env=cls.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS, check=False)

    def race(self, *words):
        run = self.heddle("race", f"--config={CONFIG}", *words, str(self.trace))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_no_fault_is_lost(self):
        candidates = json.loads(self.race("--format=json"))["candidates"]
        for name, (first, second, table) in FAULTS.items():
            with self.subTest(name):
                self.assertTrue(found(candidates, first, second, table))
        branches = [each for each in candidates if each["between_branches"]]
        self.assertEqual({each["first_endpoint"] for each in branches},
                         {"POST cancellations/returns"})

    def test_most_pairs_are_left_out(self):
        table = json.loads(self.race("--format=json"))["table"]
        left_out = table["by_instance"] + table["by_flow"] + table["by_locks"]
        self.assertEqual(table["random_pairs"],
                         left_out + table["early_validated"] + table["to_test"])
        self.assertGreaterEqual(100 * left_out, LEAST_LEFT_OUT * table["random_pairs"], table)

    def test_the_answer_is_the_same_for_each_number_of_jobs(self):
        once = self.race("--jobs=1")
        for words in (["--jobs=1"], ["--jobs=2"], ["--jobs=7"]):
            self.assertEqual(self.race(*words), once)

    def test_why_a_pair_is_none(self):
        document = json.loads(self.race("--format=json"))
        pair = document["left_out"][0]
        text = self.race(f"--why-not={pair['first']},{pair['second']}")
        self.assertIn(f"left out by {pair['step']}: {pair['why']}"[:60], text.replace("\n      ", " "))


if __name__ == "__main__":
    unittest.main()
