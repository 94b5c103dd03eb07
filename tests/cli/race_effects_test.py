"""heddle race where only a trigger writes what another request reads."""

import json
import unittest

import program
import raced_shop

ENTRIES = """
CREATE TABLE entry (id serial PRIMARY KEY, account int REFERENCES account ON DELETE CASCADE,
                    amount int);
CREATE FUNCTION book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account;
  RETURN NULL;
END $$;
CREATE TRIGGER book AFTER INSERT ON entry FOR EACH ROW EXECUTE FUNCTION book();
"""


class RaceEffectsTest(raced_shop.RacedShopTest):
    EMPTIED = "entry, account, users"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.ask(ENTRIES)

    def setUp(self):
        super().setUp()
        self.write("mode", "entries")
        self.record()

    def test_what_a_trigger_writes_is_read_by_the_other(self):
        done = self.heddle("race", "--replay", *raced_shop.QUICK, "--format=json", "trace.jsonl")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        results = {each["first_endpoint"]: each["result"]
                   for each in json.loads(done.stdout)["findings"]}
        self.assertEqual("confirmed", results["POST shop/accounts/*/withdrawals"], results)
        self.assert_nothing_is_left()

    def test_what_is_known_is_left_alone(self):
        replay = ("race", "--replay", *raced_shop.QUICK)
        done = self.heddle(*replay, "--write-suppressions=known", "trace.jsonl")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        known = (self.folder / "known").read_text()
        self.assertRegex(known, r"(?m)^lost-update-[0-9a-f]{12}  not judged yet: Two POST shop/acc")
        self.write("known", known + "creation-0123456789ab  gone\n")
        done = self.heddle(*replay, "--suppress=known", "trace.jsonl")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertRegex(done.stderr, r"^known:\d+:1: warning: no finding has the id "
                                      r"creation-0123456789ab, take the entry out")
        self.assertIn("; suppressed: not judged yet", done.stdout)
        self.assertIn("suppressed)", done.stdout.splitlines()[0])
        self.assert_nothing_is_left()

    def test_the_report_says_what_writes(self):
        done = self.heddle("race", "trace.jsonl")
        self.assertIn(", by trigger book", " ".join(done.stdout.split()))

    def test_a_recording_without_the_trigger_knows_nothing_of_it(self):
        lines = (self.folder / "trace.jsonl").read_text().splitlines(keepends=True)
        documents = [json.loads(line) for line in lines]
        for document in documents:
            for table in document.get("tables", []):
                table.pop("triggers", None)
        self.write("trace.jsonl", "".join(json.dumps(each) + "\n" for each in documents))
        done = self.heddle("race", "trace.jsonl")
        self.assertNotIn("withdrawals and", done.stdout)


if __name__ == "__main__":
    unittest.main()
