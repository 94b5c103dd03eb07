"""heddle replay with findings of races: they hold what is needed, and fail while the race is there."""

import json
import unittest
import xml.etree.ElementTree

import program
import raced_shop
import trouble_test


class RaceAgainTest(raced_shop.RacedShopTest):
    def setUp(self):
        super().setUp()
        self.save()

    def test_a_finding_is_confirmed_without_its_trace(self):
        done = self.replay("--runs=3", self.withdrawals())
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertRegex(" ".join(done.stdout.split()),
                         r"^confirmed 3/3 on the system of heddle\.yaml: lost update, two POST "
                         r"shop/accounts/\*/withdrawals, by A until update account set balance = \? "
                         r"where id = \?; B; A$")
        self.assert_nothing_is_left()

    def test_several_share_one_system(self):
        self.write("bank.spec", trouble_test.BANK)
        found = self.heddle("explore", "--isolation=read-committed", "--save=races", "bank.spec")
        self.assertEqual(program.FOUND, found.returncode, found.stderr)
        done = self.replay("--runs=1", "--format=text", "races")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        lines = done.stdout.splitlines()
        names = sorted(path.name for path in (self.folder / "races").glob("*.json"))
        self.assertEqual([f"races/{name}" for name in names],
                         [line.partition(":")[0] for line in lines[:-1]])
        self.assertEqual(f"{len(names)} findings: {len(names)} confirmed by every run", lines[-1])
        self.assertEqual(1, sum("on PostgreSQL" in line for line in lines))
        self.assert_nothing_is_left()

    def test_documents(self):
        done = self.replay("--runs=1", "--format=json", self.withdrawals())
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(("race-replay/1", 1, 1, "violated", None, []),
                         tuple(document[key] for key in ("heddle", "runs", "confirmed", "verdict",
                                                         "obstacle", "differences")))
        done = self.replay("--runs=1", "--format=json", "races")
        self.assertEqual({"race-replay/1"},
                         {json.loads(line)["heddle"] for line in done.stdout.splitlines()})
        done = self.replay("--runs=1", "--format=junit", "races")
        cases = list(xml.etree.ElementTree.fromstring(done.stdout).iter("testcase"))
        self.assertEqual(len(list((self.folder / "races").glob("*.json"))), len(cases))
        self.assertTrue(all(case.find("failure") is not None for case in cases), done.stdout)

    def test_what_waits_does_not_confirm(self):
        self.write("mode", "mutex")
        done = self.replay("--runs=2", self.withdrawals())
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertTrue(done.stdout.startswith("not confirmed 0/2 on the system"), done.stdout)
        self.assertIn("2 runs    nothing: B waited for A in the application", done.stdout)

    def test_another_version_of_the_system(self):
        for mode, why in (
                ("atomic", 'A does not send "update account set balance = ? where id = ?" any more'),
                ("moved", "on the way to its state: POST /accounts was answered with 404, not 201: "
                          '{"message": "there is no such place"}'),
                ("fail", "on the way to its state: POST /accounts was answered with 500, not 201: "
                         '{"message": "nothing works"}')):
            with self.subTest(mode):
                self.write("mode", mode)
                done = self.replay("--runs=2", self.withdrawals())
                self.assertEqual((program.UNKNOWN, ""), (done.returncode, done.stderr))
                self.assertTrue(" ".join(done.stdout.split()).startswith(
                    f"not replayable on the system of heddle.yaml, {why}: "), done.stdout)
                self.assert_nothing_is_left()
        self.write("mode", "fail")
        done = self.replay("races")
        self.assertEqual((program.UNKNOWN, ""), (done.returncode, done.stderr))
        self.assertRegex(done.stdout, r"\n2 findings: 2 not replayable\n$")
        self.write("mode", "")
        self.describe(store="other-db")
        done = self.replay(self.withdrawals())
        self.assertEqual((program.TROUBLE, ""), (done.returncode, done.stdout))
        self.assertEqual(f"{self.withdrawals()}: the finding needs the edge shop -> shop-db, which "
                         "heddle.yaml does not have, record the system again\n", done.stderr)
        self.assert_nothing_is_left()

    def test_a_system_that_does_not_come_up(self):
        for mode, words in raced_shop.DOWN.items():
            with self.subTest(mode):
                self.write("mode", mode)
                for what in (self.withdrawals(), "races"):
                    done = self.replay("--health-timeout=1s", what)
                    self.assertEqual(program.TROUBLE, done.returncode, done.stdout)
                    self.assertTrue(done.stderr.startswith("heddle.yaml: " + words), done.stderr)
                    self.assertEqual(1, done.stderr.count("heddle.yaml: "), done.stderr)
                    self.assertIn(done.stdout, ("", "2 findings: 2 could not be run\n"))
                    self.assert_nothing_is_left()

    def test_a_service_that_dies_does_not_keep_others_from_being_run(self):
        self.write("mode", "die")
        done = self.replay("--runs=1", "races")
        self.assertNotEqual(program.FOUND, done.returncode, done.stdout)
        self.assertIn("2 findings: ", done.stdout)
        self.assert_nothing_is_left()

    def test_bad_findings(self):
        text = (self.folder / self.withdrawals()).read_text()
        for change, why in ((lambda text: text[:-100], r"^f\.json:\d+:\d+: "),
                            (lambda text: text.replace("race-finding/1", "race-finding/2"), "."),
                            (with_no_recording, "does not hold the requests that are to be sent"),
                            (with_no_turns, "does not say in which order its requests went on"),
                            (with_result("nothing"), 'its result is "nothing"'),
                            (with_other_unit, "the request of unit 999 is not in it")):
            self.write("f.json", change(text))
            with self.subTest(why):
                self.assert_trouble(why, "replay", *raced_shop.QUICK, "f.json")
        self.write("f.json", text)
        self.assert_trouble("nowhere.yaml: cannot open", "replay", "--config=nowhere.yaml",
                            "f.json")
        self.assert_nothing_is_left()

    def test_a_limit_of_time(self):
        done = self.replay("--runs=1000", "--timeout=6s", self.withdrawals())
        # What the runs until then have shown; all of them, or there was none.
        self.assertIn(done.returncode, (program.FOUND, program.UNKNOWN), done.stdout + done.stderr)
        self.assertNotIn("1000", done.stdout)
        self.assert_nothing_is_left()


def changed(change):
    def apply(text):
        document = json.loads(text)
        change(document)
        return json.dumps(document)
    return apply


with_no_recording = changed(lambda document: document.update(recording=None))
with_no_turns = changed(lambda document: document.update(turns=[]))
with_other_unit = changed(lambda document: document["recording"].update(second=999))


def with_result(word):
    return changed(lambda document: document.update(result=word))


if __name__ == "__main__":
    unittest.main()
