"""heddle replay on what heddle race saved of examples/tickets, once the system is repaired."""

import unittest

from recorded_tickets import SHOWN, SavedTickets


class Mended(SavedTickets):
    def test_no_race_is_confirmed(self):
        self.environment["TICKETS_REPAIR"] = "all"
        code, findings = self.run_again("--runs=2")
        self.assertNotEqual(code, 1)
        shown = [finding for finding in findings if finding["result"] in SHOWN]
        for finding in shown:
            with self.subTest(finding["finding"], obstacle=finding["obstacle"]):
                self.assertEqual(0, finding["confirmed"])
        # Where the repair sends the statements at which a schedule holds, it is run.
        self.assertTrue(any(finding["runs"] == 2 for finding in shown))


if __name__ == "__main__":
    unittest.main()
