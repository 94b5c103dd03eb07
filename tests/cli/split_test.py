"""heddle split: what a cut adds, how it is shown, and cuts that are at fault."""

import json
import unittest
import xml.etree.ElementTree

import program

BANK = """CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION total(cid int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; w int;
BEGIN
  SELECT balance INTO a FROM account WHERE id = cid;
  SELECT balance INTO w FROM wallet WHERE id = cid;
  RETURN a + w;
END $$;
CREATE PROCEDURE transfer(cid int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = cid;
  UPDATE wallet SET balance = balance + amount WHERE id = cid;
END $$;
"""
TWO = '{"M1": ["account"], "M2": ["wallet"]}'


class SplitTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.write("bank.sql", BANK)
        self.write("cut.json", TWO)

    def test_the_papers_example_has_two_causes(self):
        done = self.heddle("split", "--services=cut.json", "bank.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("1. dirty write: transfer twice, on account, wallet", done.stdout)
        self.assertIn("2. read skew: total and transfer, on account, wallet", done.stdout)
        self.assertIn("the cut adds 2 causes: 2 cores and 0 extensions", done.stdout)

    def test_one_service_adds_nothing(self):
        self.write("one.yaml", "M:\n  - account\n  - wallet\n")
        done = self.heddle("split", "--services=one.yaml", "bank.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertIn("the cut adds nothing within 4 operations and 3 transactions", done.stdout)

    def test_the_chopping_reads_back(self):
        chopped = self.heddle("split", "--services=cut.json", "--show-chopping", "bank.sql")
        self.assertEqual(program.NOTHING_FOUND, chopped.returncode, chopped.stderr)
        self.assertEqual(2, chopped.stdout.count("COMMIT;"))
        self.write("chopped.sql", chopped.stdout)
        again = self.heddle("split", "--services=cut.json", "--show-chopping", "chopped.sql")
        self.assertEqual(chopped.stdout, again.stdout)
        found = self.heddle("find", "--isolation=serializable", "--length=4", "chopped.sql")
        self.assertEqual(program.FOUND, found.returncode, found.stderr)

    def test_what_is_added_as_json(self):
        done = self.heddle("split", "--services=cut.json", "--format=json", "bank.sql")
        document = json.loads(done.stdout)
        self.assertEqual("split/1", document["heddle"])
        total, _ = document["functionalities"]
        self.assertEqual(["M1", "M2"], total["sub_transactions"])
        self.assertEqual([[6], [7]], [[one["line"] for one in part]
                                      for part in total["statements"]])
        self.assertEqual({"M1": ["account"], "M2": ["wallet"]}, document["services"])
        self.assertEqual([("dirty-write", True), ("read-skew", True)],
                         [(cause["kind"], cause["core"]) for cause in document["causes"]])
        self.assertEqual([{"name": "transfer", "sub_transactions": [1, 2],
                           "services": ["M1", "M2"]}] * 2,
                         document["causes"][0]["functionalities"])

    def test_guarantees_across_services(self):
        done = self.heddle("split", "--services=cut.json", "--across=read-uncommitted", "bank.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("across services read-uncommitted is guaranteed", " ".join(done.stdout.split()))
        self.assertIn("1. read skew: total and transfer", done.stdout)
        self.assertIn("the cut adds 1 cause:", done.stdout)
        done = self.heddle("split", "--services=cut.json", "--across=snapshot", "--format=json",
                           "bank.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertEqual("snapshot", json.loads(done.stdout)["across"])
        self.assert_trouble("postgres:read-committed is no guarantee across transactions: it is "
                            "told by what a product does inside of one, use an abstract level",
                            "split", "--services=cut.json", "--across=postgres:read-committed",
                            "bank.sql")

    def test_levels_of_services(self):
        done = self.heddle("split", "--services=cut.json", "--isolation=M2=read-committed",
                           "--format=json", "bank.sql")
        self.assertEqual({"M1": "serializable", "M2": "read-committed"},
                         json.loads(done.stdout)["levels"])
        done = self.heddle("split", "--services=cut.json", "--isolation=M2=read-committed",
                           "bank.sql")
        self.assertIn("M2: wallet, at read-committed", done.stdout)
        self.assert_trouble(r"cut\.json has no service \"M3\", which is to run at snapshot, did you "
                            r"mean \"M", "split", "--services=cut.json", "--isolation=M3=snapshot",
                            "bank.sql")
        self.assert_trouble("--isolation", "split", "--services=cut.json", "--isolation=M1=snapsot",
                            "bank.sql")

    def test_what_cores_need(self):
        done = self.heddle("split", "--services=cut.json", "--needs", "bank.sql")
        self.assertEqual(2, " ".join(done.stdout.split()).count(
            "transactional-causal across services would remove it"))
        self.assertRegex(done.stdout,
                         r"removed across services by │ core │\n.*\n│ transactional-causal +│ 2")
        done = self.heddle("split", "--services=cut.json", "--needs", "--format=json", "bank.sql")
        self.assertEqual(["transactional-causal"] * 2,
                         [cause["needs"] for cause in json.loads(done.stdout)["causes"]])

    def test_extensions_are_left_out(self):
        done = self.heddle("split", "--services=cut.json", "--only-cores", "bank.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("the cut adds 2 causes: 2 cores and 0 extensions", done.stdout)
        self.assertIn("extensions of more functionalities were left out: --only-cores", done.stdout)
        self.assert_trouble("--only-cores is about one cut", "split", "--compare", "--only-cores",
                            "cut.json", "bank.sql")

    def test_what_is_left_with_a_guarantee_is_executed(self):
        done = self.heddle("split", "--services=cut.json", "--across=read-uncommitted",
                           "--on=postgres", "bank.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("of the cores 1 confirmed", done.stdout)

    def test_the_graph_is_xml_with_both_services(self):
        for form in "svg", "html":
            done = self.heddle("split", "--services=cut.json", f"--format={form}", "bank.sql")
            self.assertEqual(program.FOUND, done.returncode, done.stderr)
            text = "".join(xml.etree.ElementTree.fromstring(done.stdout).itertext())
            self.assertIn("M1: account", text)
            self.assertIn("account and wallet: 2 of 2 causes are cores", text)
            self.assertNotIn("<script", done.stdout)
        self.assertIn("T1 transfer  bank.sql:12: UPDATE account", text)

    def test_odd_names_are_no_markup(self):
        self.write("odd.sql", BANK.replace("account", '"a<b&""c\'é"'))
        self.write("odd.json", json.dumps({"<M> & 'x'": ["a<b&\"c'é"], "w" * 300: ["wallet"]}))
        for form in "svg", "html":
            done = self.heddle("split", "--services=odd.json", f"--format={form}", "odd.sql")
            self.assertEqual(program.FOUND, done.returncode, done.stderr)
            text = "".join(xml.etree.ElementTree.fromstring(done.stdout).itertext())
            self.assertIn("<M> & 'x': a<b&\"c'é", text)

    def test_a_cut_that_adds_nothing_is_drawn(self):
        self.write("one.json", '{"M": ["account", "wallet"]}')
        for form in "svg", "html":
            done = self.heddle("split", "--services=one.json", f"--format={form}", "bank.sql")
            self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
            text = "".join(xml.etree.ElementTree.fromstring(done.stdout).itertext())
            self.assertIn("the cut adds nothing", text)

    def test_cuts_are_compared(self):
        self.write("one.json", '{"M": ["account", "wallet"]}')
        done = self.heddle("split", "--format=json", "bank.sql", "--compare", "one.json",
                           "cut.json")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        one, two = json.loads(done.stdout)["cuts"]
        self.assertEqual((0, 0, 0), (one["cores"], one["causes"], one["calls"]))
        self.assertEqual((2, 2, 2), (two["cores"], two["causes"], two["calls"]))
        self.assert_trouble("--compare needs cuts", "split", "--compare", "bank.sql")

    def test_the_best_cuts_are_found_and_saved(self):
        done = self.heddle("split", "--search", "--services=2", "--save=cuts", "bank.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertIn("the best of all 2 cuts", done.stdout)
        saved = [json.loads((self.folder / "cuts" / f"cut-{i}.json").read_text()) for i in (1, 2)]
        self.assertEqual([{"S1": ["account", "wallet"]}, {"S1": ["account"], "S2": ["wallet"]}],
                         saved)
        again = self.heddle("split", "--services=cuts/cut-2.json", "bank.sql")
        self.assertIn("the cut adds 2 causes", again.stdout)
        self.assert_trouble("is no number of services", "split", "--search", "--services=cut.json",
                            "bank.sql")
        self.assert_trouble("--together is about cuts that are looked for", "split",
                            "--services=cut.json", "--together=account,wallet", "bank.sql")

    def test_the_cut_whose_tables_hang_together_best(self):
        routine = ("CREATE PROCEDURE {}(i int) LANGUAGE plpgsql AS $$ BEGIN\n"
                   "DELETE FROM {} WHERE id = i; DELETE FROM {} WHERE id = i; END $$;\n")
        self.write("pairs.sql", "".join(f"CREATE TABLE {name} (id int PRIMARY KEY);\n"
                                        for name in "abcde") +
                   routine.format("f", "a", "c") + routine.format("g", "b", "d") +
                   routine.format("h", "b", "e"))
        search = ["split", "--search", "--by=silhouette"]
        done = self.heddle(*search, "--format=json", "--save=found", "pairs.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        document = json.loads(done.stdout)
        cut = {"S1": ["a", "c"], "S2": ["b", "d", "e"]}
        self.assertEqual([cut], [one["services"] for one in document["cuts"]])
        self.assertEqual(["2", "3", "4"], list(document["silhouettes"]))
        self.assertEqual(cut, json.loads((self.folder / "found" / "cut-1.json").read_text()))
        self.assertEqual(done.stdout, self.heddle(*search, "--format=json", "--jobs=1",
                                                  "pairs.sql").stdout)
        text = self.heddle(*search, "pairs.sql").stdout
        self.assertIn("the cluster of the highest silhouette", text)
        apart = json.loads(self.heddle(*search, "--format=json", "--apart=a,c", "--services=3",
                                       "pairs.sql").stdout)
        self.assertFalse(any({"a", "c"} <= set(tables)
                             for tables in apart["cuts"][0]["services"].values()))
        self.assertLessEqual(set(apart["silhouettes"]), {"2", "3"})
        self.assert_trouble("2 tables make no clusters that could be held against each other",
                            *search, "bank.sql")
        self.assert_trouble("no clusters of tables into 2 to 4 services keep to the rules",
                            *search, "--least-tables=3", "pairs.sql")
        self.assert_trouble("--by is about cuts that are looked for, add --search", "split",
                            "--services=cut.json", "--by=silhouette", "bank.sql")
        self.assert_trouble("--search=exhaustive looks at all cuts, and --by=silhouette at clusters",
                            "split", "--search=exhaustive", "--by=silhouette", "pairs.sql")
        self.assert_trouble("--by=size", "split", "--search", "--by=size",
                            "pairs.sql")

    def test_several_cuts_are_examined_as_one_is(self):
        self.write("one.json", '{"M": ["account", "wallet"]}')
        done = self.heddle("split", "--compare", "one.json", "cut.json", "--needs", "--failures",
                           "--on=postgres", "--format=json", "--save=runs", "bank.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        one, two = json.loads(done.stdout)["cuts"]
        self.assertNotIn("needs", one)
        self.assertNotIn("executed", one)
        self.assertEqual(0, one["failures"])
        self.assertEqual({"transactional-causal": 2}, two["needs"])
        self.assertEqual(2, sum(two["executed"].values()))
        self.assertGreater(two["executed"]["confirmed"], 0)
        self.assertGreater(two["failures"], 0)
        self.assertTrue(list((self.folder / "runs").glob("*.json")))
        done = self.heddle("split", "--search", "--services=2", "--needs", "bank.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"│ needs +│")

    def test_several_cuts_have_levels_and_guarantees(self):
        done = self.heddle("split", "--compare", "cut.json", "--across=read-uncommitted",
                           "--format=json", "bank.sql")
        document = json.loads(done.stdout)
        self.assertEqual("read-uncommitted", document["across"])
        self.assertEqual(1, document["cuts"][0]["cores"])
        self.write("one.json", '{"M": ["account", "wallet"]}')
        done = self.heddle("split", "--compare", "one.json", "--isolation=M=eventual",
                           "--format=json", "bank.sql")
        one, = json.loads(done.stdout)["cuts"]
        self.assertEqual({"M": "eventual"}, one["levels"])
        self.assertGreater(one["cores"], 0)
        done = self.heddle("split", "--search", "--isolation=wallet=snapshot", "bank.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertIn("wallet, at snapshot", done.stdout)
        self.assert_trouble('no cut has a service "N", which is to run at snapshot', "split",
                            "--compare", "cut.json", "--isolation=N=snapshot", "bank.sql")
        self.assert_trouble('there is no table "N", whose service is to run at snapshot', "split",
                            "--search", "--isolation=N=snapshot", "bank.sql")

    def test_what_calls_before_a_cycle_make_possible(self):
        self.write("open.sql", BANK + """
CREATE PROCEDURE open_account(cid int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO account VALUES (cid, 5) ON CONFLICT DO NOTHING;
  INSERT INTO wallet VALUES (cid, 5) ON CONFLICT DO NOTHING;
END $$;
""")
        self.write("empty.txt", """initially "no accounts" { SELECT id <> id FROM account }
initially "no wallets" { SELECT id <> id FROM wallet }
""")
        split = ["split", "--services=cut.json", "--constraints=empty.txt", "--only=total"]
        done = self.heddle(*split, "--prefix=0", "open.sql")
        self.assertNotIn("total and transfer", done.stdout)
        done = self.heddle(*split, "--prefix=1", "--on=postgres", "--save=runs", "open.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"read skew: total and transfer,\s+after\s+open_account")
        self.assertIn("after at most 1 call", " ".join(done.stdout.split()))
        specs = [path.read_text() for path in (self.folder / "runs").glob("*.spec")]
        self.assertTrue([text for text in specs if "session open_account first" in text], specs)

    def test_calls_of_one_user(self):
        self.write("deposits.sql", BANK[:BANK.index("CREATE PROCEDURE")] + """
CREATE PROCEDURE pay_in(cid int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = cid;
END $$;
CREATE PROCEDURE fill(cid int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wallet SET balance = balance + amount WHERE id = cid;
END $$;
""")
        split = ["split", "--services=cut.json", "deposits.sql"]
        done = self.heddle(*split)
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        done = self.heddle(*split, "--sessions=2", "--only=fill")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("session order cycle: total and pay_in then fill", done.stdout)
        self.assertIn("also 9 sessions of several calls", done.stdout)
        done = self.heddle(*split, "--sessions=2", "--format=json")
        self.assertEqual(["pay_in", "fill"],
                         [one["calls"] for one in json.loads(done.stdout)["functionalities"]
                          if one["name"] == "pay_in then fill"][0])
        self.assert_trouble("--sessions is about one cut", "split", "--search", "--sessions=2",
                            "deposits.sql")

    def test_a_chopping_that_was_edited(self):
        chopped = self.heddle("split", "--services=cut.json", "--show-chopping", "bank.sql")
        self.write("chopped.sql", chopped.stdout)
        done = self.heddle("split", "--services=cut.json", "--chopped", "chopped.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("the cut adds 2 causes: 2 cores and 0 extensions", done.stdout)
        self.write("one.json", '{"M": ["account", "wallet"]}')
        done = self.heddle("split", "--services=one.json", "--chopped", "chopped.sql")
        self.assertIn("the cut adds 2 causes: 2 cores and 0 extensions", done.stdout)
        self.write("edited.sql", chopped.stdout.replace("COMMIT;", ""))
        done = self.heddle("split", "--services=one.json", "--chopped", "edited.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        done = self.heddle("split", "--services=one.json", "chopped.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)

    def test_a_program_that_is_chopped_by_annotations(self):
        self.write("tables.sql", BANK[:BANK.index("CREATE FUNCTION")])
        method = """  @ChoppedTransaction(originalTransaction="{0}", microservice="{1}")
  public void {0}_{1}(int id, int value) throws SQLException {{
    PreparedStatement s = connection.prepareStatement("{2}");
    s.setInt(1, {3});
    {4}
  }}
"""
        parts = [("store", "m1", "UPDATE account SET balance = ? WHERE id = ?", "value"),
                 ("store", "m2", "UPDATE wallet SET balance = ? WHERE id = ?", "value"),
                 ("look", "m1", "SELECT balance FROM account WHERE id = ?", "id"),
                 ("look", "m2", "SELECT balance FROM wallet WHERE id = ?", "id")]
        ends = {"store": "s.setInt(2, id); s.executeUpdate();",
                "look": "ResultSet rows = s.executeQuery(); rows.next();"}
        methods = "".join(method.format(*part, ends[part[0]]) for part in parts)
        self.write("Bank.java", "import java.sql.*;\npublic class Bank {\n"
                   "  private Connection connection;\n"
                   "  public Bank(Connection given) { connection = given; }\n" + methods + "}\n")
        split = ["split", "--services=cut.json", "tables.sql", "Bank.java"]
        done = self.heddle(*split, "--chopped")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("dirty write: store twice", done.stdout)
        self.assertIn("read skew: store and look", done.stdout)
        # Without the option the parts are what the program itself does.
        done = self.heddle(*split)
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.write("Whole.java", (self.folder / "Bank.java").read_text()
                   .replace('"store"', '"a"', 1).replace('"look"', '"b"', 1))
        done = self.heddle("split", "--services=cut.json", "--chopped", "tables.sql",
                           "Whole.java")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_annotations_that_are_at_fault(self):
        self.write("tables.sql", BANK[:BANK.index("CREATE FUNCTION")])
        text = """import java.sql.*;
class Names { static final String STORE = "st" + "ore"; static String other = "store"; }
public class Bank {
  private static final String OWN = Names.STORE;
  private Connection connection;
  @ChoppedTransaction(ARGUMENTS)
  public void one(int id) throws SQLException {
    PreparedStatement s = connection.prepareStatement("UPDATE account SET balance = 1 WHERE id = ?");
    s.setInt(1, id); s.executeUpdate();
  }
  @ChoppedTransaction(microservice = "m2", originalTransaction = "store")
  public void other(int id) throws SQLException {
    PreparedStatement s = connection.prepareStatement("UPDATE wallet SET balance = 1 WHERE id = ?");
    s.setInt(1, id); s.executeUpdate();
  }
}
"""
        split = ["split", "--services=cut.json", "--chopped", "--format=json", "tables.sql",
                 "Bank.java"]

        def write(arguments):
            self.write("Bank.java", text.replace("ARGUMENTS", arguments))

        for constant in '"store"', "OWN", "Names.STORE", '("sto" + "re")':
            write(f"originalTransaction = {constant}")
            with self.subTest(constant):
                self.assertEqual(["store"], [one["name"] for one in json.loads(
                    self.heddle(*split).stdout)["functionalities"]])
        for whole in 'microservice = "originalTransaction"', 'originalTransaction = ""':
            write(whole)
            with self.subTest(whole):
                self.assertEqual(["one", "store"], [one["name"] for one in json.loads(
                    self.heddle(*split).stdout)["functionalities"]])
        for arguments, column, what in [
                ('originalTransacton = "store"', 23, '@ChoppedTransaction has no "original'),
                ('"store"', 23, "@ChoppedTransaction has no"),
                ("originalTransaction = Names.other", 45, "originalTransaction = Names.other is no "
                                                          "constant text"),
                ("originalTransaction = STORE", 45, "is no constant text")]:
            write(arguments)
            with self.subTest(arguments):
                self.assert_trouble(rf"Bank\.java:6:{column}: .*{what}", *split)

    ONE, OTHER = ("UPDATE account SET balance = 1 WHERE id = cid;",
                  "UPDATE wallet SET balance = 1 WHERE id = cid;")

    def calls(self, *files):
        done = self.heddle("split", "--compare", "cut.json", "--format=json", *files)
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        return json.loads(done.stdout)["cuts"][0]["calls"]

    def test_arms_of_a_branch_are_no_calls(self):
        one, other = self.ONE, self.OTHER
        bodies = [
            (f"IF cid > 5 THEN {one} ELSE {other} END IF;", 0),
            (f"IF cid > 5 THEN IF cid > 7 THEN {one} ELSE {other} END IF; ELSE {other} END IF;", 0),
            (f"IF cid > 5 THEN {one} RETURN; END IF; {other}", 0),
            (f"IF cid > 5 THEN {one} END IF; {other}", 1),
            (f"FOR k IN 1..cid LOOP IF k > 5 THEN {one} ELSE {other} END IF; END LOOP;", 1),
            (f"FOR k IN 1..cid LOOP {one} {other} END LOOP;", 3),
            (f"BEGIN IF cid > 5 THEN {one} RAISE EXCEPTION 'no'; END IF; "
             f"EXCEPTION WHEN others THEN {other} END;", 1),
        ]
        for body, calls in bodies:
            self.write("arms.sql", BANK[:BANK.index("CREATE FUNCTION")] +
                       "CREATE PROCEDURE one(cid int) LANGUAGE plpgsql AS $$\nBEGIN\n" + body +
                       "\nEND $$;\n")
            with self.subTest(body):
                self.assertEqual(calls, self.calls("arms.sql"))
                done = self.heddle("split", "--search", "--services=2", "--format=json", "arms.sql")
                found = [cut["calls"] for cut in json.loads(done.stdout)["cuts"]
                         if len(cut["services"]) == 2]
                self.assertEqual([calls], found)

    def test_arms_of_a_branch_are_no_calls_in_java(self):
        one = 'run("UPDATE account SET balance = 1 WHERE id = ?", cid);'
        other = 'run("UPDATE wallet SET balance = 1 WHERE id = ?", cid);'
        self.write("tables.sql", BANK[:BANK.index("CREATE FUNCTION")])
        for body, calls in [
                (f"if (cid > 5) {{ {one} }} else {{ {other} }}", 0),
                (f"if (cid > 5) {{ if (cid > 7) {{ {one} }} else {{ {other} }} }} "
                 f"else {{ {other} }}", 0),
                (f"if (cid > 5) {{ {one} return; }} {other}", 0),
                (f"if (cid > 5) {{ {one} }} {other}", 1),
                (f"for (int k = 1; k <= cid; k++) {{ if (k > 5) {{ {one} }} else {{ {other} }} }}",
                 1),
                (f"for (int k = 1; k <= cid; k++) {{ {one} {other} }}", 3)]:
            self.write("Bank.java", "import java.sql.*;\npublic class Bank {\n"
                       "  private Connection connection;\n"
                       "  private void run(String text, int id) throws SQLException {\n"
                       "    PreparedStatement s = connection.prepareStatement(text);\n"
                       "    s.setInt(1, id);\n    s.executeUpdate();\n  }\n"
                       "  public void one(int cid) throws SQLException {\n    " + body +
                       "\n  }\n}\n")
            with self.subTest(body):
                self.assertEqual(calls, self.calls("tables.sql", "Bank.java"))

    def test_several_cuts_are_not_drawn(self):
        for words in ["--compare", "cut.json"], ["--search"]:
            self.assert_trouble(r"--format=svg draws one cut, write --services=FILE without",
                                "split", *words, "--format=svg", "bank.sql")

    def test_foreign_keys_between_services_are_named(self):
        self.write("keys.sql", BANK.replace("wallet (id int PRIMARY KEY",
                                            "wallet (id int PRIMARY KEY REFERENCES account"))
        done = self.heddle("split", "--services=cut.json", "keys.sql")
        self.assertIn("foreign keys between services, which nobody checks any more:\n"
                      "  wallet (id) of M2 refers to account (id) of M1\n", done.stdout)
        done = self.heddle("split", "--services=cut.json", "--format=json", "keys.sql")
        self.assertEqual([{"table": "wallet", "columns": ["id"], "service": "M2",
                           "referenced_table": "account", "referenced_columns": ["id"],
                           "referenced_service": "M1", "line": 2, "column": 41}],
                         json.loads(done.stdout)["torn_keys"])

    def test_cores_are_executed(self):
        done = self.heddle("split", "--services=cut.json", "--on=postgres", "bank.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"of the cores \d confirmed")
        self.assertIn("what total returns", done.stdout)
        for service in "M1", "M2":
            self.assertIn(f"{service}: BEGIN; SELECT balance", done.stdout)

    def test_services_of_any_name_are_executed(self):
        self.write("odd.json", json.dumps({"M 1.\"'\\}é": ["account"], "w" * 300: ["wallet"]}))
        done = self.heddle("split", "--services=odd.json", "--on=postgres", "bank.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"of the cores \d confirmed")

    def test_bad_cuts(self):
        self.assert_trouble(r"heddle split needs a cut, name its file: --services=cut\.json",
                            "split", "bank.sql")
        self.write("missing.json", '{"M1": ["account"]}')
        self.assert_trouble(r"missing\.json: no service owns \"wallet\", add each", "split",
                            "--services=missing.json", "bank.sql")
        self.write("typo.json", '{"M1": ["acount", "wallet"]}')
        self.assert_trouble(r"typo\.json:1:9: the program has no table \"acount\", did you mean "
                            r"\"account\"\?", "split", "--services=typo.json", "bank.sql")
        self.write("twice.json", '{"M1": ["account", "wallet"], "M2": ["ACCOUNT"]}')
        self.assert_trouble(r"twice\.json:1:38: ", "split", "--services=twice.json", "bank.sql")
        self.write("broken.json", '{"M1": [')
        self.assert_trouble(r"broken\.json:1:\d+: ", "split", "--services=broken.json", "bank.sql")
        self.assert_trouble(r"--on=sqlite: heddle split executes on PostgreSQL, MariaDB and the "
                            r"replicated store only", "split",
                            "--services=cut.json", "--on=sqlite", "bank.sql")


if __name__ == "__main__":
    unittest.main()
