"""No message shows a password, and files with rows of a given server are for their user only."""

import os
import stat
import unittest

import given_servers
import program

SCENARIO = """
setup { CREATE TABLE account (id INT PRIMARY KEY, balance INT); }
setup { INSERT INTO account VALUES (1, 100); }
session alice
step a_read  { SELECT balance FROM account }
step a_write { UPDATE account SET balance = 90 }
session bob
step b_read  { SELECT balance FROM account }
step b_write { UPDATE account SET balance = 80 }
"""

# The password is sesame; each is mistyped or leads nowhere.
ADDRESSES = (
    "postgres:/me:sesame@127.0.0.1:1/", "postgres:me:sesame@127.0.0.1/",
    "postgres//me:sesame@127.0.0.1/", "postgres:///me:sesame@127.0.0.1/",
    "postgresql;//me:sesame@127.0.0.1/", "postgers://me:sesame@127.0.0.1/",
    "postgres://me:sesame@127.0.0.1:1/", "postgres://me:sesame@127.0.0.1:port/",
    "postgres://me:x@sesame@127.0.0.1:1/", "postgres://me:sesame/x@127.0.0.1:1/",
    "postgres://me:sesame%zz@127.0.0.1:1/", "postgres://me:sesame%40127.0.0.1:1/",
    "postgres://me:sesame#@127.0.0.1:1/", "postgres://me:sesame?@127.0.0.1:1/",
    "postgres://me@127.0.0.1:1/?password=sesame", "postgres://me@127.0.0.1:1/?pasword=sesame",
    "postgres://me:sesame", "me:sesame@127.0.0.1",
    "host=127.0.0.1 port=1 password=sesame", "host=127.0.0.1 port=1 pasword=sesame",
    "host=127.0.0.1 port=1 sesame", "host=127.0.0.1 port=1 password='sesame",
    "mysql://me:sesame@127.0.0.1:1/", "mysql:/me:sesame@127.0.0.1:1/",
    "mysql://me:sesame@127.0.0.1:x/", "mysql://me:sesame%zz@127.0.0.1:1/",
    "mysql://me:ses/sesame@127.0.0.1:1/", "mariadb:me:sesame@127.0.0.1",
    "mysql://me@127.0.0.1/?password=sesame",
    "redis://:sesame@127.0.0.1:1/", "redis://sesame@127.0.0.1:1/", "redis:/:sesame@127.0.0.1:1/",
    "redis://me:sesame@127.0.0.1:x/", "oracle://me:sesame@127.0.0.1/",
)


class PasswordTest(program.ProgramTest):
    def test_no_message_shows_one(self):
        self.write("account.spec", SCENARIO)
        self.write("shop.sql", "CREATE TABLE t (a int);")
        for address in ADDRESSES:
            for words in (("explore", f"--on={address}", "account.spec"),
                          ("find", f"--schema={address}", "shop.sql"),
                          ("clean", f"--on={address}")):
                with self.subTest(words):
                    done = self.heddle(*words)
                    self.assertNotIn("sesame", done.stdout + done.stderr)
                    self.assertEqual(program.TROUBLE, done.returncode, done.stderr)

    def test_nor_where_the_address_is_in_the_wrong_place(self):
        for address in ADDRESSES[:12]:
            for words in ((address,), ("explore", address), ("explore", "--onn", address),
                          ("explore", f"--onn={address}"), ("explore", f"--format={address}"),
                          ("explore", f"--jobs={address}"), ("help", address),
                          ("clean", address), ("explore", f"--save={address}/x", "nothing.spec"),
                          ("replay", address), ("find", address)):
                with self.subTest(words):
                    done = self.heddle(*words)
                    self.assertNotIn("sesame", done.stdout + done.stderr)
                    self.assertEqual(program.TROUBLE, done.returncode, done.stderr)


class FileModeTest(program.ProgramTest):
    def modes(self):
        files = [path for path in self.folder.rglob("*") if path.is_file() and path.suffix != ".spec"]
        return {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}

    def explore(self, *words):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        done = self.heddle("explore", "--save=findings", "--output=report.txt", *words,
                           "account.spec")
        os.umask(before)
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        return self.modes()

    def test_rows_of_a_given_server_are_for_their_user_only(self):
        self.write("account.spec", SCENARIO)
        with given_servers.postgres() as server:
            self.write("report.txt", "an older report")
            (self.folder / "report.txt").chmod(0o644)
            modes = self.explore(f"--on={server.url}")
        self.assertGreater(len(modes), 1)
        self.assertEqual({0o600}, set(modes.values()), modes)

    def test_those_of_a_throwaway_server_are_as_usual(self):
        self.write("account.spec", SCENARIO)
        modes = self.explore()
        self.assertEqual({0o666}, set(modes.values()), modes)


if __name__ == "__main__":
    unittest.main()
