"""heddle race --replay with traces that do not fit and systems that do not come up or that fail."""

import json
import signal
import unittest

import given_servers
import program
import raced_shop


class RaceTroubleTest(raced_shop.RacedShopTest):
    def setUp(self):
        super().setUp()
        if type(self).kept is None:
            self.record()
            type(self).kept = (self.folder / "trace.jsonl").read_text()
        self.write("trace.jsonl", self.kept)

    def race(self, *words):
        return self.heddle("race", "--replay", *raced_shop.QUICK, *words, "trace.jsonl")

    def results(self, done):
        """What came of the candidates, with the reason of each, and nothing else was said."""
        self.assertEqual("", done.stderr)
        return [(each["result"], each["why"]) for each in json.loads(done.stdout)["findings"]]

    def test_a_trace_that_was_cut_off(self):
        lines = self.kept.splitlines(keepends=True)
        requests = [i for i, line in enumerate(lines) if '"is":"request"' in line]
        # Behind the second withdrawal, in the middle of the next line.
        self.write("trace.jsonl", "".join(lines[:requests[2] + 1]) + lines[requests[2] + 1][:40])
        done = self.race("--format=json")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertEqual(["confirmed"], [result for result, _ in self.results(done)])
        self.assertIn("the trace ends in the middle of a line, which was not read",
                      json.loads(done.stdout)["remarks"])
        self.assert_nothing_is_left()
        # Before the second one there is nothing to race with.
        self.write("trace.jsonl", "".join(lines[:requests[1] + 1]))
        done = self.race("--format=json")
        self.assertEqual((program.NOTHING_FOUND, []), (done.returncode, self.results(done)))
        self.assert_nothing_is_left()

    def test_a_trace_of_a_system_with_other_edges(self):
        self.describe(store="other-db")
        done = self.race()
        self.assertEqual((program.TROUBLE, ""), (done.returncode, done.stdout))
        self.assertRegex(done.stderr, r"^heddle\.yaml:\d+:\d+: the trace has other edges than the "
                                      r"system that is described here, record the system again\n$")
        self.assert_nothing_is_left()

    def test_a_trace_of_another_version(self):
        for mode, why in (
                ("fail", "on the way to its state: POST /accounts was answered with 500, not 201: "
                         '{"message": "nothing works"}'),
                ("moved", "on the way to its state: POST /accounts was answered with 404, not 201: "
                          '{"message": "there is no such place"}'),
                ("atomic", 'POST /accounts/1/withdrawals never sent "select balance from account '
                           'where id = ?" to shop-db')):
            with self.subTest(mode):
                self.write("mode", mode)
                done = self.race("--format=json", "--save=saved")
                results = self.results(done)
                self.assertIn(("not-replayable", why), results)
                if mode != "atomic":
                    self.assertEqual(program.UNKNOWN, done.returncode)
                    self.assertEqual({"not-replayable"}, {result for result, _ in results})
                    self.assertEqual([], list((self.folder / "saved").iterdir()))
                self.assert_nothing_is_left()

    def test_a_system_that_does_not_come_up(self):
        for mode, words in raced_shop.DOWN.items():
            with self.subTest(mode):
                self.write("mode", mode)
                done = self.race("--health-timeout=1s", "--output=report.txt")
                self.assertEqual((program.TROUBLE, ""), (done.returncode, done.stdout))
                self.assertTrue(done.stderr.startswith("heddle: " + words), done.stderr)
                self.assertFalse((self.folder / "report.txt").exists())
                self.assert_nothing_is_left()

    def test_a_service_that_dies(self):
        self.write("mode", "die")
        done = self.race("--format=json")
        self.assertEqual(program.UNKNOWN, done.returncode)
        self.assertLessEqual({result for result, _ in self.results(done)},
                             {"not-replayable", "inconclusive"})
        self.assert_nothing_is_left()

    def test_an_interrupt_tells_what_was_reached(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)):
            with self.subTest(signal=number.name):
                self.write("pause-withdrawal", "10")
                process = self.begin("race", "--replay", *raced_shop.QUICK, "--only=lost",
                                     "--save=saved", "--output=report.txt", "trace.jsonl")
                at = self.folder / "at-withdrawal"
                self.assertTrue(given_servers.wait_until(at.exists))
                at.unlink()
                self.assertEqual((code, "", ""), self.end(process, number))
                (self.folder / "pause-withdrawal").unlink()
                self.assert_nothing_is_left()
                self.assertEqual([], list((self.folder / "saved").iterdir()))
                report = self.folder / "report.txt"
                self.assertEqual(number == signal.SIGTERM, report.exists())
                if report.exists():
                    self.assertRegex(report.read_text(), r"(?m)^not reached +1$")
                    report.unlink()


if __name__ == "__main__":
    unittest.main()
