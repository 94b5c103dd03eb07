"""What the environment says reaches no throwaway server, and of a given one only who we are."""

import os
import unittest

import given_servers
import made_postgres
import program

made_postgres.use_real()

SCENARIO = """
setup { CREATE TABLE account (id int PRIMARY KEY, balance int);
        INSERT INTO account VALUES (1, 100); }
session alice
step a_read  { SELECT balance, current_setting('work_mem'), timestamptz '2020-01-01 00:00:00+00'
               FROM account }
step a_write { UPDATE account SET balance = 90 }
session bob
step b_read  { SELECT balance FROM account }
step b_write { UPDATE account SET balance = 80 }
"""

MARIADB_SCENARIO = """
setup { CREATE TABLE account (id INT PRIMARY KEY, balance INT); }
setup { INSERT INTO account VALUES (1, 100); }
session alice
step a_read  { SELECT balance FROM account }
step a_write { UPDATE account SET balance = 90 }
session bob
step b_read  { SELECT balance FROM account }
step b_write { UPDATE account SET balance = 80 }
"""

# Each of them changes answers, or sends or keeps connections somewhere else.
HOSTILE = {
    "PGHOSTADDR": "192.0.2.1", "PGHOST": "/nowhere", "PGPORT": "1", "PGDATABASE": "nowhere",
    "PGSERVICE": "nowhere", "PGSERVICEFILE": "/nowhere", "PGSYSCONFDIR": "/nowhere",
    "PGOPTIONS": "-c work_mem=1MB -c default_transaction_isolation=serializable",
    "PGTARGETSESSIONATTRS": "read-only", "PGCONNECT_TIMEOUT": "2", "PGCLIENTENCODING": "LATIN1",
    "PGAPPNAME": "somebody", "PGTZ": "Asia/Tokyo", "PGDATESTYLE": "German, DMY", "PGGEQO": "off",
}
HOSTILE_MARIADB = {
    "MYSQL_UNIX_PORT": "/nowhere", "MYSQL_TCP_PORT": "1", "MARIADB_HOME": "/nowhere",
    "MYSQL_HOME": "/nowhere", "LIBMYSQL_PLUGINS": "nowhere", "MARIADB_PLUGIN_DIR": "/nowhere",
}
# These would do no harm to a given server, which may want them.
CREDENTIALS = {"PGUSER": "nobody", "PGPASSWORD": "wrong", "PGSSLMODE": "verify-full",
               "PGREQUIREPEER": "nobody", "PGREQUIRESSL": "1", "PGPASSFILE": "/nowhere",
               "PGCHANNELBINDING": "require", "PGGSSENCMODE": "require", "MYSQL_PWD": "wrong"}


class EnvironmentTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("account.spec", SCENARIO)
        self.write("mariadb.spec", MARIADB_SCENARIO)

    def explore(self, environment, *words):
        return self.heddle("explore", *words, env={**os.environ, **environment})

    def assert_same(self, expected, done, errors=""):
        self.assertEqual((expected.returncode, expected.stdout, errors),
                         (done.returncode, done.stdout, done.stderr))

    def test_a_throwaway_server_takes_nothing(self):
        for words in (("--on=postgres", "account.spec"), ("--on=mariadb", "mariadb.spec")):
            with self.subTest(words):
                expected = self.explore({}, *words)
                self.assertEqual(program.FOUND, expected.returncode, expected.stderr)
                self.assert_same(expected, self.explore(
                    {**HOSTILE, **HOSTILE_MARIADB, **CREDENTIALS}, *words))

    def test_one_variable_at_a_time(self):
        expected = self.explore({}, "account.spec")
        for name, value in HOSTILE.items():
            with self.subTest(name):
                self.assert_same(expected, self.explore({name: value}, "account.spec"))

    def test_isolationtester_is_alone_too(self):
        words = ("--format=isolationtester", "account.spec")
        expected = self.explore({}, *words)
        self.assertIn("starting permutation", expected.stdout)
        self.assert_same(expected, self.explore({**HOSTILE, **CREDENTIALS}, *words),
                         expected.stderr)

    def test_a_given_server_of_postgres_takes_what_authenticates(self):
        with given_servers.postgres() as server:
            words = (f"--on=postgres://clerk@/?host={server.folder}", "account.spec")
            server.ask("CREATE ROLE clerk SUPERUSER LOGIN PASSWORD 'kept'")
            access = server.folder / "data" / "pg_hba.conf"
            access.write_text("local all clerk scram-sha-256\n" + access.read_text())
            server.ask("SELECT pg_reload_conf()")
            expected = self.explore({"PGPASSWORD": "kept"}, *words)
            self.assertEqual(program.FOUND, expected.returncode, expected.stderr)
            self.assertEqual("", expected.stderr)
            names = ", ".join(sorted(HOSTILE))
            self.assert_same(
                expected, self.explore({**HOSTILE, "PGPASSWORD": "kept"}, *words),
                f"heddle: warning: {names} are ignored: from the environment a given server's "
                "address takes only what authenticates and encrypts\n")
            wrong = self.explore({"PGPASSWORD": "wrong"}, *words)
            self.assertEqual(program.TROUBLE, wrong.returncode)
            self.assertIn("password authentication failed", wrong.stderr)
            self.write("passwords", "*:*:*:clerk:kept\n")
            (self.folder / "passwords").chmod(0o600)
            self.assert_same(expected, self.explore(
                {"PGPASSFILE": str(self.folder / "passwords")}, *words))
            encrypted = self.explore({"PGSSLMODE": "require", "PGPASSWORD": "kept"},
                                     f"--on=host=127.0.0.1 port=1 user=clerk", "account.spec")
            self.assertEqual(program.TROUBLE, encrypted.returncode)
            self.assertEqual({"postgres", "template0", "template1"}, server.databases())

    def test_the_tables_of_a_given_server_are_read_where_the_address_says(self):
        self.write("shop.sql", "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS "
                   "'UPDATE account SET balance = 1';")
        with given_servers.postgres() as server:
            server.fill()
            words = ("find", "shop.sql", "--print-program",
                     f"--schema=postgres://postgres@/shop?host={server.folder}")
            expected = self.heddle(*words)
            done = self.heddle(*words, env={**os.environ, **HOSTILE})
            self.assertEqual((expected.returncode, expected.stdout), (done.returncode, done.stdout))
            ignored = [line for line in done.stderr.splitlines() if "are ignored" in line]
            self.assertEqual(1, len(ignored), done.stderr)

    def test_a_given_server_of_mariadb_takes_the_password(self):
        with given_servers.mariadb() as server:
            server.ask("CREATE USER owner@localhost IDENTIFIED BY 'kept'")
            server.ask("GRANT ALL ON *.* TO owner@localhost")
            words = (f"--on=mysql://owner@/?socket={server.socket}", "mariadb.spec")
            expected = self.explore({"MYSQL_PWD": "kept"}, *words)
            self.assertEqual((program.FOUND, ""), (expected.returncode, expected.stderr))
            names = ", ".join(sorted(HOSTILE_MARIADB))
            self.assert_same(
                expected, self.explore({**HOSTILE_MARIADB, "MYSQL_PWD": "kept"}, *words),
                f"heddle: warning: {names} are ignored: from the environment a given server's "
                "address takes only what authenticates and encrypts\n")
            self.assertEqual(program.TROUBLE, self.explore({}, *words).returncode)


if __name__ == "__main__":
    unittest.main()
