"""Clients of PostgreSQL behind the proxies of heddle record, for tests of them."""

import json
import os
import pathlib
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "cli"))

import given_servers
import program

HOW = {"observed": (), "held": ("--schedule=first-come",)}


class RecordedClients(program.ProgramTest):
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
