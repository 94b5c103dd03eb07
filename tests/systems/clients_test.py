"""Clients of PostgreSQL as they are, through proxies that observe and through proxies that hold."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "cli"))

import given_servers
import java_program
import program

CLIENTS = ROOT / "tests" / "systems" / "clients"
TICKETS = ROOT / "examples" / "tickets"
ARCHIVES = (("/usr/share/java/postgresql.jar", "libpostgresql-jdbc-java"),
            ("/usr/share/java/HikariCP.jar", "libhikaricp-java"),
            ("/usr/share/java/slf4j-api.jar", "libslf4j-java"))
# Has psycopg2, which another Python may be without.
DEBIAN_PYTHON = "/usr/bin/python3"
HOW = {"observed": (), "held": ("--schedule=first-come",)}

HIKARI_SAYS = """\
batch: 100
by sevens: 100, 10 of them null
refused: 23505
rolled back: item 1
prepared: 2:0.5 4:1.0 6:1.5 8:2.0 10:2.5 12:3.0 14:3.5 16:4.0 18:4.5 20:5.0 22:5.5 24:6.0
copied: 2, 100 101 102
cancelled: 57014
at once: 200, 200
"""

# Without a pause between the messages of one transaction.
PIPELINE = """\
\\set id random(1, 10)
\\startpipeline
BEGIN;
UPDATE total SET amount = amount + 1;
SELECT amount FROM total WHERE amount > :id;
COMMIT;
\\endpipeline
"""


def install_pg():
    """The package pg of examples/tickets; skipped where it cannot be fetched."""
    loader = importlib.machinery.SourceFileLoader("tickets_start", str(TICKETS / "start"))
    start = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(start)
    try:
        start.install_packages()
    except start.Trouble as trouble:
        print(f"skipped: {trouble}", file=sys.stderr)
        raise unittest.SkipTest(str(trouble)) from None


class ClientsTest(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(given_servers.postgres())

    def setUp(self):
        super().setUp()
        os.environ["SHOP_OWN"] = f"postgres://postgres@/postgres?host={self.server.folder}"
        self.write("heddle.yaml", textwrap.dedent(f"""\
            system:
              services: {{client: {{}}}}
              stores:
                shop-db:
                  kind: postgres
                  address: {self.server.folder}/.s.PGSQL.5432
                  own: SHOP_OWN
              edges:
                - caller: client
                  callee: shop-db
                  environment:
                    PGHOST: "{{host}}"
                    PGPORT: "{{port}}"
                    PGUSER: postgres
                    DATABASE_URL: "postgres://postgres@{{address}}/postgres"
                    JDBC_URL: "jdbc:postgresql://{{address}}/postgres"
            """))

    def make_tables(self):
        self.server.ask("DROP TABLE IF EXISTS item, total; "
                        "CREATE TABLE item (id int PRIMARY KEY, name text); "
                        "CREATE TABLE total (amount int); INSERT INTO total VALUES (0)")

    def ask_directly(self, *command):
        self.make_tables()
        address = {"PGHOST": str(self.server.folder), "PGPORT": "5432", "PGUSER": "postgres",
                   "DATABASE_URL": f"postgres://postgres@/postgres?host={self.server.folder}"}
        return subprocess.run(command, cwd=self.folder, env=os.environ | address, timeout=60,
                              capture_output=True, text=True, check=True)

    def record(self, how, *command):
        """What it says, and the statements of the trace."""
        self.make_tables()
        done = self.heddle("record", "--idle=10ms", *HOW[how], "--", *command)
        self.assertEqual(0, done.returncode, done.stderr)
        lines = [json.loads(line)
                 for line in (self.folder / "trace.jsonl").read_text().splitlines()[1:]]
        self.assertEqual("the command has ended", lines[-1]["reason"])
        return done, [line for line in lines if line["is"] == "statement"]

    def assert_notices_no_proxy(self, *command, counts):
        """Says the same as without, and the traces are alike, with so many statements of each kind."""
        directly = self.ask_directly(*command)
        for how in HOW:
            with self.subTest(how):
                done, statements = self.record(how, *command)
                self.assertEqual(without_names(directly.stdout), without_names(done.stdout))
                said = directly.stderr.splitlines()
                self.assertEqual(said, done.stderr.splitlines()[:len(said)])
                for text, count in counts.items():
                    found = [each for each in statements if re.search(text, each["text"])]
                    self.assertEqual(count, len(found), text)

    def test_psql(self):
        self.assert_notices_no_proxy(
            "psql", "-XqAt", "-f", CLIENTS / "script.sql", "postgres",
            counts={r"^SELECT 1 AS one; SELECT 2": 1, r"^INSERT INTO item": 3, r"^COPY": 3,
                    r"^FETCH FORWARD 2": 3, r"^SELECT no_such_column": 1, r"^EXECUTE two": 1})

    def test_pgbench(self):
        self.ask_directly("pgbench", "-i", "-q", "postgres")
        self.write("pipeline.sql", PIPELINE)
        for how in HOW:
            for protocol in ("simple", "extended", "prepared"):
                with self.subTest(f"{how}, {protocol}"):
                    self.server.ask("TRUNCATE pgbench_history")
                    done, statements = self.record(how, "pgbench", "-n", "-c8", "-j2", "-t25",
                                                   f"--protocol={protocol}", "postgres")
                    self.assertIn("actually processed: 200/200", done.stdout)
                    self.assertEqual("200\n", self.server.ask("SELECT count(*) FROM pgbench_history"))
                    self.assertEqual(200, sum("UPDATE pgbench_tellers" in each["text"]
                                              and "results" in each for each in statements))
            for protocol in ("extended", "prepared"):
                with self.subTest(f"{how}, {protocol}, pipelines"):
                    done, statements = self.record(how, "pgbench", "-n", "-c4", "-t25",
                                                   "-f", "pipeline.sql",
                                                   f"--protocol={protocol}", "postgres")
                    self.assertIn("actually processed: 100/100", done.stdout)
                    self.assertEqual("100\n", self.server.ask("SELECT amount FROM total"))
                    self.assertEqual(100, sum("UPDATE total" in each["text"]
                                              for each in statements))

    def test_psycopg2(self):
        self.assert_notices_no_proxy(
            DEBIAN_PYTHON, CLIENTS / "driver.py",
            counts={r"^INSERT INTO item": 3, r"^FETCH FORWARD 2": 4, r"^COPY": 2,
                    r"^SELECT pg_notify": 1, r"^BEGIN ISOLATION LEVEL SERIALIZABLE": 3})

    def test_pg(self):
        install_pg()
        os.environ["NODE_PATH"] = str(TICKETS / "node_modules")
        self.assert_notices_no_proxy(
            "node", CLIENTS / "pool.js",
            counts={r"^INSERT INTO item": 6, r"^SELECT name": 8, r"^SELECT 1 AS a; SELECT 2": 1,
                    r"^LISTEN news": 1})

    def test_jdbc_with_hikaricp(self):
        for archive in ARCHIVES:
            java_program.demand_java(archive)
        paths = ":".join(path for path, _ in ARCHIVES)
        shutil.copy(CLIENTS / "HikariClient.java", self.folder)
        subprocess.run(["javac", "-J-XX:+UseSerialGC", "-cp", paths, "HikariClient.java"],
                       cwd=self.folder, check=True, timeout=120)
        for how in HOW:
            with self.subTest(how):
                done, statements = self.record(how, "java", "-cp", f"{paths}:.", "HikariClient")
                self.assertEqual(HIKARI_SAYS, done.stdout, done.stderr)
                kinds = [each["kind"] for each in statements if "FROM item" == each["text"][-9:]]
                self.assertEqual(["execution"] + ["more_rows"] * 14, kinds)
                self.assertEqual(200, sum("UPDATE total" in each["text"] for each in statements))


def without_names(text):
    return re.sub(r"process with PID \d+|[0-9a-f]{8}-[0-9a-f-]{27}", "_", text)


if __name__ == "__main__":
    unittest.main()
