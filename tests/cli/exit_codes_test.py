"""The exit codes of all commands, as docs/help.md has them."""

import json
import re
import signal
import subprocess
import time
import unittest

import program
from program import FOUND, INTERRUPTED, NOTHING_FOUND, TROUBLE, UNKNOWN

ACCOUNT = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
PAGE = "CREATE TABLE page (id int PRIMARY KEY, views int NOT NULL);\n"


def procedure(head, body, variables=""):
    return (f"CREATE PROCEDURE {head} LANGUAGE plpgsql AS $$\n{variables}BEGIN\n{body}\n"
            "END $$;\n")


# Loses an update.
WITHDRAW = ACCOUNT + procedure(
    "withdraw(p int, m int)",
    "SELECT balance INTO b FROM account WHERE id = p;\n"
    "UPDATE account SET balance = b - m WHERE id = p;", "DECLARE b int;\n")
# Reads and does no harm: nothing is found.
LOOK = ACCOUNT + procedure("look(p int)", "PERFORM balance FROM account WHERE id = p;")
# Additions in two transactions: refuted, whatever is run.
TRANSFER = ACCOUNT + procedure(
    "transfer(p int, q int, m int)",
    "UPDATE account SET balance = balance - m WHERE id = p;\nCOMMIT;\n"
    "UPDATE account SET balance = balance + m WHERE id = q;")
# Only what is read is wrong.
TOTAL = ACCOUNT + procedure(
    "move(p int, q int, m int)",
    "UPDATE account SET balance = balance - m WHERE id = p;\n"
    "UPDATE account SET balance = balance + m WHERE id = q;") + (
        "CREATE FUNCTION total(p int, q int) RETURNS int LANGUAGE plpgsql AS $$\n"
        "DECLARE a int; b int;\nBEGIN\nSELECT balance INTO a FROM account WHERE id = p;\n"
        "SELECT balance INTO b FROM account WHERE id = q;\nRETURN a + b;\nEND $$;\n")
# In another store's words: found, and not executable on PostgreSQL.
MYSQL = """
CREATE TABLE `item` (`id` int NOT NULL AUTO_INCREMENT PRIMARY KEY, `n` int NOT NULL) ENGINE=InnoDB;
"""
JAVA = """class Shop {
  void take(java.sql.Connection c, int id) throws Exception {
    var s = c.prepareStatement("SELECT n FROM item WHERE id = ?");
    s.setInt(1, id);
    var r = s.executeQuery();
    r.next();
    int n = r.getInt(1);
    var u = c.prepareStatement("UPDATE item SET n = ? WHERE id = ?");
    u.setInt(1, n - 1);
    u.setInt(2, id);
    u.executeUpdate();
  }
}
"""
LOST_UPDATE = """setup { CREATE TABLE t (id int, n int); INSERT INTO t VALUES (1, 0); }
session a
step a1 { BEGIN; }
step a2 { SELECT n AS v FROM t WHERE id = 1 \\gset }
step a3 { UPDATE t SET n = :v + 1 WHERE id = 1; }
step a4 { COMMIT; }
session b
step b1 { UPDATE t SET n = n + 10 WHERE id = 1; }
"""
HARMLESS = """setup { CREATE TABLE t (id int, n int); INSERT INTO t VALUES (1, 0); }
session a
step a1 { UPDATE t SET n = n + 1 WHERE id = 1; }
session b
step b1 { UPDATE t SET n = n + 10 WHERE id = 1; }
"""
CUT = '{"A": ["account"], "P": ["page"]}'


class ExitCodesTest(program.ProgramTest):

    def expect(self, code, *words):
        done = self.heddle(*words)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def test_find(self):
        for name, text in {"look": LOOK, "withdraw": WITHDRAW, "transfer": TRANSFER,
                           "total": TOTAL}.items():
            self.write(f"{name}.sql", text)
        self.expect(NOTHING_FOUND, "find", "look.sql")
        self.expect(FOUND, "find", "withdraw.sql")
        self.expect(FOUND, "find", "--on=postgres", "withdraw.sql")
        self.expect(FOUND, "find", "--on=postgres", "--fail-on=confirmed", "withdraw.sql")
        self.expect(FOUND, "find", "transfer.sql")
        text = self.expect(NOTHING_FOUND, "find", "--on=postgres", "transfer.sql")
        self.assertRegex(text, r"\d+ refuted")
        self.expect(NOTHING_FOUND, "find", "--list-statements", "withdraw.sql")
        self.expect(NOTHING_FOUND, "find", "--print-program", "withdraw.sql")
        self.expect(TROUBLE, "find", "missing.sql")
        self.expect(TROUBLE, "find", "--fail-on=confirmed", "withdraw.sql")
        self.expect(TROUBLE, "find", "--fail-on=often", "--on=postgres", "withdraw.sql")

    # What cannot be shown is found all the same, and does not count as confirmed.
    def test_find_what_is_not_executable(self):
        self.write("tables.sql", MYSQL)
        self.write("Shop.java", JAVA)
        self.expect(FOUND, "find", "--on=postgres", "tables.sql", "Shop.java")
        text = self.expect(NOTHING_FOUND, "find", "--on=postgres", "--fail-on=confirmed",
                           "tables.sql", "Shop.java")
        self.assertIn("not executable: its SQL is MySQL's", text)

    def test_find_what_a_limit_leaves(self):
        self.write("withdraw.sql", WITHDRAW)
        text = self.expect(UNKNOWN, "find", "--on=postgres", "--timeout=1ms", "withdraw.sql")
        self.assertIn("not complete", text)
        self.expect(UNKNOWN, "find", "--on=postgres", "--timeout=1ms", "--fail-on=confirmed",
                    "withdraw.sql")

    def test_internal_says_what_it_leaves_out(self):
        self.write("total.sql", TOTAL)
        text = self.expect(FOUND, "find", "--on=postgres", "--internal", "total.sql")
        self.assertRegex(text, r"\d+ causes? that concerns? reads alone (is|are) left out")
        self.assertNotIn("nothing found", text)
        document = json.loads(self.expect(FOUND, "find", "--on=postgres", "--internal",
                                          "--format=json", "total.sql"))
        self.assertGreater(document["external_left_out"], 0)
        self.expect(FOUND, "find", "--on=postgres", "--internal", "--fail-on=confirmed",
                    "total.sql")

    def test_split(self):
        self.write("cut.json", CUT)
        self.write("one.json", '{"A": ["account", "page"]}')
        tables = ACCOUNT + PAGE
        self.write("adds.sql", tables + procedure(
            "act(p int, m int)", "UPDATE account SET balance = balance + m WHERE id = p;\n"
                                 "UPDATE page SET views = views + 1 WHERE id = p;"))
        self.write("sets.sql", tables + procedure(
            "act(p int, m int)", "UPDATE account SET balance = m WHERE id = p;\n"
                                 "UPDATE page SET views = m WHERE id = p;"))
        self.expect(NOTHING_FOUND, "split", "--services=one.json", "sets.sql")
        self.expect(FOUND, "split", "--services=cut.json", "sets.sql")
        self.expect(FOUND, "split", "--services=cut.json", "--on=postgres",
                    "--fail-on=confirmed", "sets.sql")
        self.expect(FOUND, "split", "--services=cut.json", "adds.sql")
        self.expect(NOTHING_FOUND, "split", "--services=cut.json", "--on=postgres", "adds.sql")
        # What has a cause of fewer functionalities in it is refuted, too, where these are.
        self.write("more.sql", tables + procedure(
            "act(p int, m int)", "UPDATE account SET balance = balance + m WHERE id = p;\n"
                                 "UPDATE page SET views = views + 1 WHERE id = p;\n"
                                 "UPDATE account SET balance = balance - m WHERE id = p;"))
        text = self.expect(NOTHING_FOUND, "split", "--services=cut.json", "--on=postgres",
                           "more.sql")
        self.assertRegex(text, r"[1-9]\d* cores and [1-9]\d* extensions")
        self.assertRegex(text, r"of the cores \d+ refuted")
        self.expect(NOTHING_FOUND, "split", "--services=cut.json", "--show-chopping", "sets.sql")
        self.expect(TROUBLE, "split", "--services=missing.json", "sets.sql")
        self.expect(TROUBLE, "split", "--services=cut.json", "--fail-on=confirmed", "sets.sql")
        self.expect(UNKNOWN, "split", "--services=cut.json", "--on=postgres", "--timeout=1ms",
                    "--fail-on=confirmed", "sets.sql")

    def test_explore(self):
        self.write("lost.spec", LOST_UPDATE)
        self.write("harmless.spec", HARMLESS)
        self.expect(FOUND, "explore", "lost.spec")
        self.expect(NOTHING_FOUND, "explore", "harmless.spec")
        self.expect(FOUND, "explore", "harmless.spec", "lost.spec")
        self.expect(TROUBLE, "explore", "missing.spec")
        self.expect(UNKNOWN, "explore", "--timeout=1ms", "harmless.spec")
        # Why an order does no harm.
        self.expect(NOTHING_FOUND, "explore", "--explain=why-not", "--schedule=a1 b1",
                    "harmless.spec")
        self.expect(FOUND, "explore", "--explain=why-not", "--schedule=a1 a2 b1 a3 a4",
                    "lost.spec")
        self.expect(FOUND, "explore", "--write-suppressions=known.txt", "lost.spec")
        self.expect(NOTHING_FOUND, "explore", "--suppress=known.txt", "lost.spec")

    def test_replay(self):
        self.write("lost.spec", LOST_UPDATE)
        self.expect(FOUND, "explore", "--save=found", "lost.spec")
        saved = next((self.folder / "found").iterdir())
        self.expect(FOUND, "replay", "--runs=2", str(saved))
        document = json.loads(saved.read_text())
        document["scenario"]["spec"] = document["scenario"]["spec"].replace(":v + 1", "n + 1")
        self.write("mended.json", json.dumps(document))
        self.expect(NOTHING_FOUND, "replay", "--runs=2", "mended.json")
        self.expect(TROUBLE, "replay", "missing.json")
        # What earlier versions called refuted is read.
        document["status"] = "refuted"
        self.write("old.json", json.dumps(document))
        self.expect(NOTHING_FOUND, "replay", "--runs=1", "old.json")

    # Whether the run goes wrong hangs on chance.
    def test_replay_that_shows_it_now_and_then(self):
        self.write("lost.spec", LOST_UPDATE)
        self.expect(FOUND, "explore", "--save=found", "lost.spec")
        document = json.loads(next((self.folder / "found").iterdir()).read_text())
        document["scenario"]["spec"] = document["scenario"]["spec"].replace(
            ":v + 1", "CASE WHEN random() < 0.5 THEN :v + 1 ELSE n + 1 END")
        self.write("chance.json", json.dumps(document))
        self.expect(UNKNOWN, "replay", "--runs=40", "chance.json")

    def test_check(self):
        self.write("good.txt", "r1[x=0] w1[x=1] c1 r2[x=1] w2[x=2] c2\n")
        self.write("bad.txt", "r1[x=0] r2[x=0] w1[x=1] c1 w2[x=2] c2\n")
        self.expect(NOTHING_FOUND, "check", "good.txt")
        self.expect(FOUND, "check", "bad.txt")
        self.expect(FOUND, "check", "good.txt", "bad.txt")
        self.expect(TROUBLE, "check", "missing.edn")
        self.expect(TROUBLE, "check", "bad.txt", "missing.edn")

    def test_help_and_usage(self):
        self.expect(NOTHING_FOUND, "help")
        self.expect(NOTHING_FOUND, "help", "find")
        self.expect(NOTHING_FOUND, "--version")
        self.expect(NOTHING_FOUND, "completion", "bash")
        self.expect(TROUBLE, "help", "nonsense")
        self.expect(TROUBLE)
        self.expect(TROUBLE, "nonsense")
        self.expect(TROUBLE, "find", "--nonsense", "x.sql")

    def test_signals(self):
        self.write("long.spec", "\n".join(
            ["setup { CREATE TABLE t (id int); }"] +
            [f"session s{i}\n" + "\n".join(f"step s{i}{j} {{ SELECT pg_sleep(0.05); }}"
                                          for j in range(5)) for i in range(4)]))
        for sent, code in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, 143),
                           (signal.SIGHUP, 129)):
            with subprocess.Popen([program.HEDDLE, "explore", "long.spec"], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  start_new_session=True) as running:
                # Beside four of the server itself, sessions have processes when they are at work.
                while list(program.children(running.pid).values()).count("postgres") < 6:
                    self.assertIsNone(running.poll())
                    time.sleep(0.02)
                running.send_signal(sent)
                running.communicate(timeout=60)
                self.assertEqual(code, running.returncode)

    def test_the_page_has_every_code(self):
        page = (program.ROOT / "docs" / "help.md").read_text()
        codes = re.findall(r"^\| ([0-9, ]+) \|", page, re.M)
        self.assertEqual(["0", "1", "2", "3", "129, 130, 143"], codes)


if __name__ == "__main__":
    unittest.main()
