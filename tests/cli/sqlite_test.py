"""SQLite from outside: the files that heddle makes, and what its two kinds of journal allow."""

import json
import unittest

import hermitage_test
import program

STORES = ("sqlite", "sqlite:wal")

SETUP = """
setup {
  CREATE TABLE account (id INTEGER PRIMARY KEY, balance INT);
  INSERT INTO account VALUES (1, 100);
}
teardown { DROP TABLE account; }
"""


def lost_update(begin):
    text = SETUP
    for session, more in (("s1", 10), ("s2", 20)):
        text += f"session {session}\n"
        text += f"step b{session} {{ {begin} }}\n" if begin else ""
        text += f"step r{session} {{ SELECT balance FROM account WHERE id = 1 \\gset }}\n"
        text += f"step w{session} {{ UPDATE account SET balance = :balance + {more} WHERE id = 1 }}\n"
        text += f"step c{session} {{ COMMIT }}\n" if begin else ""
    return text


WAIT = SETUP + """
session r
step begin { BEGIN }
step see { SELECT balance FROM account }
step end { COMMIT }
session w
step write { UPDATE account SET balance = 7 }
permutation begin see write end
"""

GENERATED = """
setup {
  CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, who TEXT);
  CREATE TABLE line (placed INT REFERENCES orders, made TEXT DEFAULT (datetime('now')));
}
session a
step a1 { INSERT INTO orders (who) VALUES ('a') RETURNING id \\gset }
step a2 { INSERT INTO line (placed) VALUES (:id) }
session b
step b1 { INSERT INTO orders (who) VALUES ('b') RETURNING id \\gset }
step b2 { INSERT INTO line (placed) VALUES (:id) }
"""


class SqliteTest(program.ProgramTest):
    def explore(self, store, text, expected, *options):
        done = self.heddle("explore", f"--on={store}", "--format=json", *options, "-", stdin=text)
        self.assertEqual(expected, done.returncode, done.stderr + done.stdout)
        return json.loads(done.stdout)["levels"][0]

    def test_transactions_allow_none_of_the_textbook_anomalies(self):
        for store in STORES:
            for name, first, second, _ in hermitage_test.ANOMALIES:
                with self.subTest(store=store, anomaly=name):
                    text = hermitage_test.scenario(first, second)
                    level = self.explore(store, text, program.NOTHING_FOUND)
                    self.assertGreater(level["interleavings"], 1)

    def test_an_update_is_lost_between_transactions(self):
        for store in STORES:
            level = self.explore(store, lost_update(""), program.FOUND)
            self.assertEqual(["lost-update"], [one["kind"] for one in level["findings"]])

    def test_an_update_is_refused_rather_than_lost(self):
        for store in STORES:
            level = self.explore(store, lost_update("BEGIN"), program.NOTHING_FOUND)
            self.assertEqual((50, 40), (level["interleavings"], level["aborted_runs"]))

    def test_who_says_at_once_that_he_will_write_waits(self):
        for store in STORES:
            level = self.explore(store, lost_update("BEGIN IMMEDIATE"), program.NOTHING_FOUND)
            self.assertEqual(0, level["aborted_runs"])

    def test_only_without_a_wal_a_writer_waits_for_a_reader(self):
        for store, waits in zip(STORES, (True, False)):
            done = self.heddle("explore", f"--on={store}", "--format=isolationtester", "-", stdin=WAIT)
            self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
            self.assertEqual(waits, "<waiting ...>" in done.stdout, done.stdout)

    def test_numbers_that_sqlite_gives_are_compared_up_to_renaming(self):
        for store in STORES:
            self.explore(store, GENERATED, program.NOTHING_FOUND)

    def test_the_report_does_not_depend_on_the_jobs(self):
        for store in STORES:
            self.assertEqual(*(self.explore(store, lost_update(""), program.FOUND, f"--jobs={jobs}")
                               for jobs in (1, 3)))

    def test_no_two_steps_are_apart_for_one_lock_is_for_all(self):
        done = self.heddle("explore", "--on=sqlite", "--reduce=conflicts", "-", stdin=lost_update(""))
        self.assertIn("all interleavings are run: SQLite locks the whole database", done.stdout)

    def test_there_is_one_level(self):
        done = self.heddle("explore", "--on=sqlite", "--isolation=read-committed", "-",
                           stdin=lost_update("BEGIN"))
        self.assertEqual(program.TROUBLE, done.returncode)
        self.assertIn("all of its transactions are serializable", done.stderr)

    def test_statements_that_do_not_end_are_given_up(self):
        text = SETUP + """
session s
step s1 { WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c }
"""
        done = self.heddle("explore", "--on=sqlite", "--step-timeout=200ms", "-", stdin=text)
        self.assertEqual(program.UNKNOWN, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"step s1 did not return within\s200\sms")


if __name__ == "__main__":
    unittest.main()
