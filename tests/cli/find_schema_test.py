"""heddle find on the tables of a database that exists, and on SQL of other dialects."""

import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.parse

import program

# The throwaway server of another heddle, whose step never returns, stands for a given one.
SHOP = """\
setup {
  CREATE TABLE customer (
    id int PRIMARY KEY, Name varchar(20) NOT NULL, balance int CHECK (balance >= 0)
  );
  CREATE TABLE purchase (customer int REFERENCES customer (id), item int NOT NULL);
}
session s1
step nap { SELECT %s(600); }
permutation nap
"""
JAVA = """\
import java.sql.*;
public class Shop {
  private Connection connection;
  public void rename(int id, String name) throws SQLException {
    PreparedStatement update = connection.prepareStatement(
        "UPDATE Customer SET NAME = ?, balance = balance - 1 WHERE Id = ? %s");
    update.setString(1, name);
    update.setInt(2, id);
    update.executeUpdate();
  }
}
"""
MYSQL_TABLES = """\
CREATE TABLE Customer (
  Id int NOT NULL,
  Name varchar(20),
  balance int unsigned NOT NULL,
  PRIMARY KEY (Id)
) ENGINE=InnoDB;
"""
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else "/tmp"


class FindSchemaTest(program.ProgramTest):

    def serve(self, store, sleep):
        """A heddle whose server holds the shop, the shop's database and the server's socket."""
        temporary = tempfile.TemporaryDirectory(prefix="hs-", dir=MEMORY)
        self.addCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name)
        folder.chmod(0o755)  # heddle of root runs the server as another user
        self.write("shop.spec", SHOP % sleep)
        host = subprocess.Popen(
            [program.HEDDLE, "explore", f"--on={store}", "--step-timeout=10m", "shop.spec"],
            cwd=self.folder, env={**os.environ, "TMPDIR": temporary.name}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(self.end, host)
        socket = self.eventually(host, lambda: next(folder.glob("heddle-*/socket"), None))
        safe = "/" if store == "mariadb" else ""
        return host, f"heddle_{host.pid}_1", urllib.parse.quote(str(socket), safe=safe)

    def end(self, host):
        with contextlib.suppress(ProcessLookupError):
            host.send_signal(signal.SIGTERM)
        host.communicate(timeout=60)

    def eventually(self, host, condition):
        """Asks until the answer is true, for a minute: far longer than anything here takes."""
        deadline = time.monotonic() + 60
        while not (answer := condition()):
            self.assertIsNone(host.poll(), "the server's heddle has ended")
            self.assertLess(time.monotonic(), deadline, "this has not come about")
            time.sleep(0.01)
        return answer

    def tables_of(self, host, address):
        """What heddle prints of the database as soon as its tables are there."""
        def ask():
            done = self.heddle("find", "--print-program", "--strict", f"--schema={address}")
            return done.stdout if "purchase" in done.stdout else None
        return self.eventually(host, ask)

    def test_tables_of_postgres(self):
        host, database, socket = self.serve("postgres", "pg_sleep")
        address = f"postgres://postgres@{socket}/{database}"
        printed = self.tables_of(host, address)
        self.assertIn("CONSTRAINT customer_balance_check CHECK (balance >= 0)", printed)
        self.assertIn("FOREIGN KEY (customer) REFERENCES customer (id)", printed)
        self.write("Shop.java", JAVA % "")
        # What files define is passed over.
        self.write("old.sql", "CREATE TABLE customer (id int); CREATE TABLE customer (id int);")
        done = self.heddle("find", "--list-statements", f"--schema={address}", "Shop.java",
                           "old.sql")
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr))
        self.assertIn("writes customer (balance, name)", done.stdout)
        self.write("Wrong.java", JAVA.replace("Shop", "Wrong") % "AND nmae = ''")
        done = self.heddle("find", "--list-statements", f"--schema={address}", "Wrong.java")
        self.assertIn('unknown column "nmae" of customer (did you mean "name"?)', done.stderr)
        self.assert_trouble(r"does not exist", "find", "--print-program",
                            f"--schema=postgres://postgres@{socket}/nothing")
        self.assert_trouble(r"has no tables", "find", "--print-program",
                            f"--schema=postgres://postgres@{socket}/postgres")
        self.assert_trouble(r"--dialect=mysql is not .*--dialect=postgres", "find",
                            "--print-program", "--dialect=mysql", f"--schema={address}")

    def test_tables_of_mariadb(self):
        host, database, socket = self.serve("mariadb", "SLEEP")
        address = f"mariadb://root@/{database}?socket={socket}/mariadb"
        printed = self.tables_of(host, address)
        self.assertIn("CHECK (balance >= 0)", printed)
        self.write("Shop.java", JAVA % "AND Name <> \\\"x\\\"")
        done = self.heddle("find", "--list-statements", f"--schema={address}", "Shop.java")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertNotIn("unknown", done.stderr)
        self.assertIn("writes customer (balance, name)", done.stdout)
        self.assert_trouble(r"Unknown database 'nothing'", "find", "--print-program",
                            f"--schema=mysql://root@/nothing?socket={socket}/mariadb")

    def test_addresses_that_cannot_be_used(self):
        for address, said in {
                "postgres://me:secret@127.0.0.1:1/shop": r"me:\*\*\*@127.*cannot connect.*refused",
                "mysql://me:secret@127.0.0.1:1/shop": r"me:\*\*\*@127.*cannot connect",
                "host=127.0.0.1 port=1 dbname=shop password=secret": r"password=\*\*\*: cannot",
                "postgres://me:secret@127.0.0.1:port/shop": r"me:\*\*\*@127.*port",
                "postgres://me:sec%zzret@127.0.0.1/shop": r"cannot read the address",
                "mysql://me:secret@127.0.0.1:port/shop": r"cannot read the address.*port is no",
                "postgres://me:secret@127.0.0.1/": r"names no database, write postgres://",
                "postgres": r"names no database",
                "redis://:secret@127.0.0.1/": r"PostgreSQL, MariaDB and MySQL only",
                "pigeon://me:secret@post/": r"knows no such store",
                "nothing.sql": r"nothing\.sql",
        }.items():
            with self.subTest(address):
                environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
                self.assert_trouble(said, "find", "--print-program", f"--schema={address}",
                                    env=environment)
                done = self.heddle("find", "--print-program", f"--schema={address}",
                                   env=environment)
                self.assertNotRegex(done.stderr, "sec(ret|%zz)")

    def test_tables_of_a_file(self):
        self.write("tables.sql", "CREATE TABLE customer (id int, name text, balance int);")
        self.write("Shop.java", JAVA % "")
        expected = self.heddle("find", "--list-statements", "tables.sql", "Shop.java")
        self.assertIn("writes customer (balance, name)", expected.stdout)
        done = self.heddle("find", "--list-statements", "--schema=tables.sql", "Shop.java")
        self.assertEqual((expected.stdout, expected.stderr), (done.stdout, done.stderr))

    def test_files_of_mysql_are_recognised(self):
        self.write("tables.sql", MYSQL_TABLES)
        self.write("Shop.java", JAVA % "AND Name <> \\\"x\\\"")
        done = self.heddle("find", "--list-statements", "tables.sql", "Shop.java")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertNotIn("unknown", done.stderr)
        self.assertIn("writes customer (balance, name)", done.stdout)
        printed = self.heddle("find", "--print-program", "tables.sql").stdout
        self.assertIn("CREATE TABLE customer", printed)
        self.assert_trouble(r"tables\.sql:\d+:\d+: .*--dialect", "find", "--print-program",
                            "--dialect=postgres", "tables.sql")

    def test_a_dialect_can_be_given(self):
        # Nothing in these texts tells.
        self.write("tables.sql", "CREATE TABLE Customer (Id int, Name varchar(9), Balance int);")
        self.write("Shop.java", JAVA % "AND Name <> \\\"x\\\"")
        done = self.heddle("find", "--list-statements", "tables.sql", "Shop.java")
        self.assertIn('unknown column "x" of customer', done.stderr)
        for dialect in "mysql", "mariadb":
            done = self.heddle("find", "--list-statements", f"--dialect={dialect}", "tables.sql",
                               "Shop.java")
            self.assertEqual("", done.stderr)
            self.assertIn("writes customer (balance, name)", done.stdout)
        # Without any tables, too.
        done = self.heddle("find", "--list-statements", "--dialect=mysql", "Shop.java")
        self.assertIn("writes customer (balance, name)", done.stdout)
        self.assert_trouble(r"--dialect=oracle .* use one of: postgres, mysql, mariadb, sqlite",
                            "find", "--list-statements", "--dialect=oracle", "Shop.java")

    def test_routines_of_mysql_are_not_read(self):
        self.write("tables.sql", MYSQL_TABLES + "DELIMITER //\nCREATE PROCEDURE p()\nBEGIN\n"
                   "  UPDATE Customer SET balance = 0;\nEND//\nDELIMITER ;\n")
        self.assert_trouble(r"tables\.sql:8:1: routines are read in PL/pgSQL", "find",
                            "--print-program", "--strict", "tables.sql")

    def test_something_has_to_be_given(self):
        self.assert_trouble(r"needs FILE\.\.\., .*--schema", "find", "--print-program")


if __name__ == "__main__":
    unittest.main()
