"""heddle split --failures: what stops half-way leaves, and compensations that are at fault."""

import json
import unittest

import program

BANK = """CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION look(cid int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int;
BEGIN
  SELECT balance INTO a FROM account WHERE id = cid;
  RETURN a;
END $$;
CREATE PROCEDURE transfer(cid int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = cid;
  UPDATE wallet SET balance = balance + amount WHERE id = cid;
END $$;
"""
STORE = """CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE store(cid int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = amount WHERE id = cid;
  PERFORM balance FROM wallet WHERE id = cid;
END $$;
"""
UNDO = """CREATE PROCEDURE compensate_transfer_1(cid int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = cid;
END $$;
"""
FAILURES = ("split", "--services=cut.json", "--length=2", "--instances=2", "--failures")


class SplitFailuresTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.write("bank.sql", BANK)
        self.write("cut.json", '{"M1": ["account"], "M2": ["wallet"]}')
        self.write("undo.sql", UNDO)

    def test_failures_are_possible_before_they_are_executed(self):
        done = self.heddle(*FAILURES, "bank.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"transfer +│ \[1\] on M1 +│ lost answer +│ account +│ wallet")
        self.assertIn("aborted read by look[1]", done.stdout)
        self.assertIn("of the failures between sub-transactions 3 possible", done.stdout)

    def test_what_is_harmless_is_nothing_found(self):
        self.write("store.sql", STORE)
        done = self.heddle(*FAILURES, "store.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout + done.stderr)
        self.assertIn("F1 refuted: nothing is written after it", done.stdout)
        self.assertIn("F2 refuted: what is written twice is the same both times", done.stdout)

    def test_failures_are_executed(self):
        self.write("rows.sql", "INSERT INTO account VALUES (1, 100);"
                   "INSERT INTO wallet VALUES (1, 50);")
        self.write("sum.spec", 'invariant "sum" { SELECT sum(balance) = 150 FROM '
                   "(SELECT * FROM account UNION ALL SELECT * FROM wallet) t }\n")
        done = self.heddle(*FAILURES, "--on=postgres", "--rows=rows.sql", "--invariants=sum.spec",
                           "--compensations=undo.sql", "bank.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("F1. transfer stops behind [1] on M1", done.stdout)
        self.assertIn("✗ ERROR: transfer stops here", done.stdout)
        self.assertIn('invariant "sum" does not hold', done.stdout)
        self.assertIn("F2. the answer of transfer[1] on M1 is lost, and transfer is called again",
                      done.stdout)
        self.assertRegex(done.stdout, r"F4 not shown: .* it ends as transfer not at all does")
        self.assertIn("F3. aborted read: look[1] on M1 reads what transfer wrote, which stops "
                      "behind [1] on M1 and is", done.stdout)

    def test_failures_as_json(self):
        done = self.heddle(*FAILURES, "--format=json", "--on=postgres", "bank.sql")
        failures = json.loads(done.stdout)["failures"]
        self.assertEqual([("stop", "confirmed"), ("lost answer", "confirmed"),
                          ("stop", "confirmed")],
                         [(one["way"], one["status"]) for one in failures["found"]])
        self.assertEqual({"name": "transfer", "sub_transaction": 1, "service": "M1"},
                         failures["found"][0]["behind"])
        self.assertEqual((["account"], ["wallet"]),
                         (failures["found"][0]["written"], failures["found"][0]["not_written"]))
        self.assertEqual("aborted-read", failures["found"][2]["kind"])
        self.assertEqual("look", failures["found"][2]["reader"]["name"])
        self.assertEqual("finding/1", failures["found"][2]["finding"]["heddle"])

    def test_merges_are_worth_failures(self):
        self.write("total.sql", BANK.replace(
            "  RETURN a;", "  SELECT a + balance INTO a FROM wallet WHERE id = cid;\n  RETURN a;"))
        split = ("split", "--services=cut.json", "--failures")
        done = self.heddle(*split, "--format=json", "total.sql")
        document = json.loads(done.stdout)
        merge, = document["merges"]
        self.assertEqual(("account", "M2"), (merge["table"], merge["service"]))
        open_ones = [one for one in document["failures"]["found"] if one["status"] == "possible"]
        self.assertGreater(len(open_ones), 0)
        self.assertEqual(len(open_ones), merge["failures"])
        self.assertIn("failures gone", self.heddle(*split, "total.sql").stdout)
        done = self.heddle("split", "--services=cut.json", "--format=json", "total.sql")
        self.assertNotIn("failures", json.loads(done.stdout)["merges"][0])

    def test_one_service_has_none(self):
        self.write("one.json", '{"M": ["account", "wallet"]}')
        done = self.heddle("split", "--services=one.json", "--failures", "bank.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertIn("no functionality can fail between two sub-transactions", done.stdout)

    def test_compensations_that_are_at_fault(self):
        def assert_fault(pattern, text):
            self.write("undo.sql", text)
            self.assert_trouble(pattern, *FAILURES, "--compensations=undo.sql", "bank.sql")

        assert_fault(r"undo\.sql:1:1: transfer has no sub-transaction 7",
                     UNDO.replace("_1", "_7"))
        assert_fault(r"undo\.sql:1:1: the program has no functionality transfr, did you mean "
                     r"transfer\?", UNDO.replace("transfer", "transfr"))
        assert_fault(r"undo\.sql:1:1: transfer has no parameter who, take some of cid, amount",
                     UNDO.replace("cid", "who"))
        assert_fault(r"undo\.sql:3:3: wallet is a table of M2", UNDO.replace("account", "wallet"))
        assert_fault(r"undo\.sql:1:1: undo names no sub-transaction",
                     UNDO.replace("compensate_transfer_1", "undo"))
        assert_fault(r"undo\.sql: this is no file of compensations", "")
        assert_fault(r"undo\.sql:1:\d+: ", "CREATE PROCEDURE compensate_transfer_1(")
        self.assert_trouble(r"none\.sql", *FAILURES, "--compensations=none.sql", "bank.sql")

    def test_options_that_need_others(self):
        self.assert_trouble(r"--compensations is about functionalities that fail", "split",
                            "--services=cut.json", "--compensations=undo.sql", "bank.sql")
        self.assert_trouble(r"--rows is about what is executed", *FAILURES,
                            "--rows=rows.sql", "bank.sql")


if __name__ == "__main__":
    unittest.main()
