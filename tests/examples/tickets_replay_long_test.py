"""heddle race --replay on examples/tickets: each seeded race is confirmed, and nothing else is."""

import unittest

from recorded_tickets import FAULTS, SHOWN, RecordedTickets, is_fault

class AsItIs(RecordedTickets):
    def test_each_fault_is_confirmed_and_nothing_else(self):
        code, findings = self.replay()
        self.assertEqual(code, 1)
        shown = [each for each in findings if each["result"] in SHOWN]
        for name, (first, second, _) in FAULTS.items():
            with self.subTest(name):
                self.assertTrue(any({each["first_endpoint"], each["second_endpoint"]}
                                    == {first, second} for each in shown))
        for each in shown:
            pair = (each["first_endpoint"], each["second_endpoint"])
            with self.subTest(pair):
                # A cancellation refunds as a refund does, and two of them do so twice.
                both = "POST cancellations/cancellations"
                self.assertTrue(is_fault(*pair) or both in pair)


class Repaired(RecordedTickets):
    REPAIR = "all"

    def test_no_repaired_version_is_confirmed(self):
        _, findings = self.replay()
        shown = [(each["first_endpoint"], each["second_endpoint"], each["why"])
                 for each in findings if each["result"] in SHOWN]
        self.assertEqual(shown, [])


if __name__ == "__main__":
    unittest.main()
