"""heddle race --replay on a few candidates of examples/tickets, one of each kind of result."""

import os
import pathlib
import unittest

from recorded_tickets import RecordedTickets

# The endpoints of two requests of a kind, and what comes of them.
RESULTS = {
    "POST seats/reservations": "confirmed",
    "POST payments/tills/*/cash": "not-feasible",
    "PUT orders/profiles/*": "refused",
}


class Replay(RecordedTickets):
    def ids(self):
        candidates = self.candidates()
        return [each["id"] for each in candidates
                if each["first_endpoint"] == each["second_endpoint"]
                and each["first_endpoint"] in RESULTS]

    def test_each_comes_out_as_it_has_to(self):
        saved = pathlib.Path(self.folder.name) / "saved"
        code, findings = self.replay(f"--save={saved}", *(f"--only={each}" for each in self.ids()))
        self.assertEqual(code, 1)
        self.assertEqual({each["first_endpoint"]: each["result"] for each in findings}, RESULTS)
        confirmed = findings[0]
        self.assertTrue(confirmed["explanation"]["however"])
        self.assertTrue(any(step.get("held")
                            for step in confirmed["steps"]), confirmed["steps"])
        self.assertTrue(any(name.startswith(confirmed["id"]) for name in os.listdir(saved)))


if __name__ == "__main__":
    unittest.main()
