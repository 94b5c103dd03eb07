"""Clients of PostgreSQL as they are, through proxies that observe and through proxies that hold."""

import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest

import recorded_clients
from recorded_clients import ROOT

import java_program

CLIENTS = ROOT / "tests" / "systems" / "clients"
TICKETS = ROOT / "examples" / "tickets"
ARCHIVES = (("/usr/share/java/postgresql.jar", "libpostgresql-jdbc-java"),
            ("/usr/share/java/HikariCP.jar", "libhikaricp-java"),
            ("/usr/share/java/slf4j-api.jar", "libslf4j-java"))
# Has psycopg2, which another Python may be without.
DEBIAN_PYTHON = "/usr/bin/python3"

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


class ClientsTest(recorded_clients.RecordedClients):
    def assert_notices_no_proxy(self, *command, counts):
        """Says the same as without, and the traces are alike, with so many statements of each kind."""
        directly = self.ask_directly(*command)
        for how in recorded_clients.HOW:
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
        for how in recorded_clients.HOW:
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
        for how in recorded_clients.HOW:
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
