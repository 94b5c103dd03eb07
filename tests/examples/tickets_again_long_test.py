"""heddle replay on what heddle race saved of examples/tickets: each shows 10 times of 10."""

import unittest

from recorded_tickets import FAULTS, SHOWN, SavedTickets


class Again(SavedTickets):
    def test_each_is_shown_ten_times_of_ten(self):
        code, findings = self.run_again()
        self.assertEqual(code, 1)
        self.assertGreaterEqual(len([each for each in findings if each["result"] in SHOWN]),
                                len(FAULTS))
        for finding in findings:
            with self.subTest(finding["finding"], result=finding["result"]):
                self.assertEqual((finding["runs"], finding["confirmed"], finding["differences"]),
                                 (10, 10, []))


if __name__ == "__main__":
    unittest.main()
