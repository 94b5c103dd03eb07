"""A recording of examples/tickets, for tests of heddle race; and the faults that are in it."""

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
SECONDS = 850
# Results of a replay that are races.
SHOWN = ("confirmed", "stale-read")

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


def is_fault(first, second):
    return any({first, second} == {one, other} for one, other, _ in FAULTS.values())


class RecordedTickets(unittest.TestCase):
    """`REPAIR` is what runs repaired."""

    REPAIR = ""

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
        if cls.REPAIR:
            cls.environment["TICKETS_REPAIR"] = cls.REPAIR
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

    def candidates(self):
        run = self.heddle("race", f"--config={CONFIG}", "--format=json", str(self.trace))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return json.loads(run.stdout)["candidates"]

    def replay(self, *words):
        """The exit code, and what came of each candidate."""
        run = self.heddle("race", f"--config={CONFIG}", "--replay", "--format=json", *words,
                          str(self.trace))
        self.assertEqual(run.stderr, "")
        return run.returncode, json.loads(run.stdout)["findings"]


class SavedTickets(RecordedTickets):
    """What heddle race has saved of examples/tickets as it is; the trace is gone."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.saved = pathlib.Path(cls.folder.name) / "saved"
        done = cls.heddle("race", f"--config={CONFIG}", "--replay", f"--save={cls.saved}",
                          str(cls.trace))
        if (done.returncode, done.stderr) != (1, ""):
            raise AssertionError(done.stdout + done.stderr)
        cls.trace.unlink()

    def run_again(self, *words):
        """The exit code, and what came of each finding."""
        done = self.heddle("replay", f"--config={CONFIG}", "--format=json", *words, str(self.saved))
        self.assertEqual(done.stderr, "")
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]
