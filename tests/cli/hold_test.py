"""heddle hold: statements of a command's clients meet, or go in a stated order."""

import os
import signal
import subprocess
import sys
import textwrap
import unittest
import urllib.parse

import given_servers
import program

SCRIPT = """
two() {
  psql -qXAt "$DATABASE_URL" <<SQL
BEGIN;
SELECT balance FROM account WHERE id = 1 $1 \\gset
UPDATE account SET balance = :balance - 60 WHERE id = 1 AND :balance >= 60 RETURNING 'paid';
COMMIT;
SQL
}
two "$1" & two "$1" & wait
"""


class HoldTest(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(given_servers.postgres())
        cls.server.ask("CREATE TABLE account (id int PRIMARY KEY, balance int)")

    def setUp(self):
        super().setUp()
        self.server.ask("DELETE FROM account; INSERT INTO account VALUES (1, 100), (2, 0)")

    def hold(self, *words):
        return self.heddle("hold", f"--on={self.server.url}", *words)

    def test_a_race_is_shown_whenever_it_is_tried(self):
        self.write("pay.sh", SCRIPT)
        for _ in range(5):
            self.server.ask("UPDATE account SET balance = 100 WHERE id = 1")
            done = self.hold("--meet=2: SELECT balance FROM account*", "--", "sh", "pay.sh")
            self.assertEqual((0, "paid\npaid\n"), (done.returncode, done.stdout), done.stderr)
            self.assertEqual("2: SELECT balance FROM account*: met 1 time\n", done.stderr)

    def test_what_locks_its_row_keeps_the_other_out_and_passes(self):
        self.write("pay.sh", SCRIPT)
        for _ in range(5):
            self.server.ask("UPDATE account SET balance = 100 WHERE id = 1")
            done = self.hold("--meet=2: select  BALANCE from account*", "--", "sh", "pay.sh",
                             "FOR UPDATE")
            self.assertEqual((0, "paid\n"), (done.returncode, done.stdout), done.stderr)
            self.assertEqual("2: select  BALANCE from account*: met 0 times, 1 time one waited in "
                             "the database for another that was there\n", done.stderr)

    def test_who_comes_alone_is_held_until_the_bound(self):
        done = self.hold("--bound=200ms", "--meet=2: SELECT 1*", "--", "sh", "-c",
                         'psql -qXAt "$DATABASE_URL" -c "SELECT 1" -c "SELECT 2"')
        self.assertEqual((0, "1\n2\n"), (done.returncode, done.stdout), done.stderr)
        self.assertEqual("2: SELECT 1*: met 0 times, 1 time not all came within the bound\n",
                         done.stderr)

    def test_an_order_is_kept(self):
        self.write("order.sh", textwrap.dedent("""\
            a() { psql -qXAt "$DATABASE_URL" -c "SELECT 'a', balance FROM account WHERE id = 2" \\
                       -c "SELECT 'a', balance FROM account WHERE id = 2"; }
            b() { psql -qXAt "$DATABASE_URL" -c "UPDATE account SET balance = 7 WHERE id = 2"; }
            a & b & wait
            """))
        names = ["--name=A1=SELECT 'a'*", "--name=A2=SELECT 'a'*", "--name=B1=UPDATE*"]
        for order, seen in (("A1 B1 A2", "a|0\na|7\n"), ("B1 A1 A2", "a|7\na|7\n"),
                            ("A1 A2 B1", "a|0\na|0\n")):
            self.server.ask("UPDATE account SET balance = 0")
            done = self.hold(*names, f"--order={order}", "--", "sh", "order.sh")
            self.assertEqual((0, seen), (done.returncode, done.stdout), done.stderr)
            self.assertIn("the order was kept\n", done.stderr)

    def test_an_order_that_the_database_does_not_allow_goes_on(self):
        self.write("order.sh", textwrap.dedent("""\
            a() { psql -qXAt "$DATABASE_URL" <<SQL
            BEGIN;
            UPDATE account SET balance = 1 WHERE id = 2;
            SELECT 'a';
            COMMIT;
            SQL
            }
            b() { psql -qXAt "$DATABASE_URL" -c "UPDATE account SET balance = 2 WHERE id = 2"; }
            a & b & wait
            """))
        done = self.hold("--name=A1=UPDATE*= 1*", "--name=B1=UPDATE*= 2*", "--name=A2=SELECT 'a'",
                         "--order=A1 B1 A2", "--", "sh", "order.sh")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("the order was kept\n", done.stderr)
        self.assertEqual("2\n", self.server.ask("SELECT balance FROM account WHERE id = 2"))

    def test_what_does_not_come_is_said(self):
        done = self.hold("--bound=200ms", "--name=A1=DELETE*", "--name=B1=SELECT 3",
                         "--order=A1 B1", "--", "sh", "-c",
                         'psql -qXAt "$DATABASE_URL" -c "SELECT 3"')
        self.assertEqual((0, "3\n"), (done.returncode, done.stdout), done.stderr)
        self.assertEqual("A1 did not come\nB1 was answered\nthe order was not kept\n", done.stderr)

    def test_the_exit_code_is_the_command_s(self):
        done = self.hold("--meet=2: SELECT 1", "--", "sh", "-c", "exit 7")
        self.assertEqual(7, done.returncode)

    def test_the_address_is_in_each_form_that_clients_read(self):
        done = self.hold("--variable=SHOP", "--meet=2: SELECT 1", "--", "sh", "-c",
                         'psql -qXAt -U postgres -c "SELECT 4"; echo "$SHOP"; echo "$JDBC_SHOP"')
        self.assertRegex(done.stdout,
                         r"^4\npostgres://postgres@127\.0\.0\.1:\d+/\?sslmode=disable\n"
                         r"jdbc:postgresql://127\.0\.0\.1:\d+/\?user=postgres&sslmode=disable\n$")

    def test_variables_that_were_set_before_lead_nobody_past_heddle(self):
        past = {"DATABASE_URL": self.server.url, "PGHOST": str(self.server.folder), "PGPORT": "5432"}
        for words in (["psql", "-qXAt", "-U", "postgres"],
                      ["sh", "-c", 'psql -qXAt "$DATABASE_URL" "$@"', "sh"]):
            done = self.heddle("hold", f"--on={self.server.url}", "--name=A1=SELECT 5",
                               "--order=A1", "--", *words, "-c", "SELECT 5", env=os.environ | past)
            self.assertEqual((0, "5\n"), (done.returncode, done.stdout), done.stderr)
            self.assertIn("A1 was answered\n", done.stderr)

    def test_a_password_may_be_made_of_anything(self):
        password = "a/b%2F:@?#[]&=+ \\ü"
        self.server.ask("CREATE ROLE \"o/d d\" LOGIN PASSWORD 'a/b%2F:@?#[]&=+ \\ü'")
        rules = self.server.folder / "data/pg_hba.conf"
        rules.write_text('local all "o/d d" scram-sha-256\n' + rules.read_text("utf-8"), "utf-8")
        self.server.ask("SELECT pg_reload_conf()")
        quoted = urllib.parse.quote(password, safe="")
        on = f"postgres://o%2Fd%20d:{quoted}@/postgres?host={self.server.folder}"
        done = self.heddle("hold", f"--on={on}", "--meet=2: SELECT 1", "--", "sh", "-c",
                           'psql -qXAt "$DATABASE_URL" -c "SELECT current_user"; '
                           'echo "$JDBC_DATABASE_URL"')
        user, jdbc = done.stdout.splitlines()
        self.assertEqual("o/d d", user, done.stderr)
        options = urllib.parse.parse_qs(jdbc.partition("?")[2])
        self.assertEqual(([password], ["o/d d"]), (options["password"], options["user"]))
        wrong = self.heddle("hold", f"--on={on.replace('%252F', '%252G')}", "--meet=2: SELECT 1", "--",
                            "true")
        self.assertEqual(program.TROUBLE, wrong.returncode, wrong.stderr)
        self.assertIn("password authentication failed", wrong.stderr)

    def test_a_held_statement_that_is_cancelled_never_runs(self):
        self.write("cancel.sh", textwrap.dedent("""\
            psql -qXAt "$DATABASE_URL" -c "SELECT 1" \\
              -c "UPDATE account SET balance = 5 WHERE id = 2" >answers &
            client=$!
            until grep -q 1 answers && grep -q poll "/proc/$client/wchan"; do sleep 0.02; done
            while kill -INT $client 2>/dev/null; do sleep 0.1; done
            wait $client
            """))
        done = self.hold("--bound=20s", "--meet=2: SELECT 1", "--", "sh", "cancel.sh")
        self.assertIn("canceling statement due to user request", done.stderr)
        self.assertEqual("0\n", self.server.ask("SELECT balance FROM account WHERE id = 2"))

    def test_an_interrupt_lets_nothing_go(self):
        process = self.hold_an_update()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(program.INTERRUPTED, process.returncode)
        self.assert_never_ran()

    def test_a_kill_lets_nothing_go(self):
        process = self.hold_an_update()
        process.kill()
        process.communicate(timeout=60)
        self.assert_never_ran()

    def assert_never_ran(self):
        self.assertTrue(given_servers.wait_until(lambda: self.server.connections() == 0))
        self.assertEqual("0\n", self.server.ask("SELECT balance FROM account WHERE id = 2"))

    def hold_an_update(self):
        self.write("held.sh", 'echo begun; psql -qXAt "$DATABASE_URL" -c "SELECT 1" '
                              '-c "UPDATE account SET balance = 5 WHERE id = 2"\n')
        process = subprocess.Popen(
            [program.HEDDLE, "hold", f"--on={self.server.url}", "--bound=60s", "--meet=2: SELECT 1",
             "--", "sh", "held.sh"], cwd=self.folder, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.assertEqual("begun\n", process.stdout.readline())
        self.assertEqual("1\n", process.stdout.readline())
        return process

    def test_bad_usage_has_one_clear_message(self):
        on = f"--on={self.server.url}"
        self.assert_refused("heddle: heddle hold needs --on=ADDRESS, name the database, as in "
                            "--on=postgres://user@host:port/shop",
                            "hold", "--meet=2: x", "--", "true")
        self.assert_refused("heddle: --meet=SELECT says not who meets where, write --meet='2: "
                            "SELECT balance FROM account*'",
                            "hold", on, "--meet=SELECT", "--", "true")
        self.assert_refused("heddle: --order names B1, which no --name says, add --name=B1='SELECT "
                            "...'", "hold", on, "--name=A1=x", "--order=A1 B1", "--", "true")
        self.assert_refused("heddle: nothing is to be held, write --meet='2: SELECT ...', or "
                            "--order='A1 B1 ...'", "hold", on, "--", "true")
        self.assert_trouble("there is no program \"no-such-program\"", "hold", on,
                            "--meet=2: x", "--", "no-such-program")
        self.assert_trouble("cannot connect to PostgreSQL", "hold", "--on=postgres://127.0.0.1:1/x",
                            "--meet=2: x", "--", "true")


if __name__ == "__main__":
    sys.exit(unittest.main())
