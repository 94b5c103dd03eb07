"""Two services of Flask with SQLAlchemy, as they are, through proxies that observe and that hold: a
poller over the pool that requests use, JSON Web Tokens, and no trace header between the services."""

import json
import os
import pathlib
import re
import sys
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "cli"))

import given_servers
import program
from record_test import free_port, ways_to_write

SERVICES = ROOT / "tests" / "systems" / "flask"
DEBIAN_PYTHON = "/usr/bin/python3"  # has Flask and SQLAlchemy, which another Python may be without

CLIENT = r'''
import concurrent.futures, json, os, sys, urllib.error, urllib.request
def send(method, path, body=None, token=""):
    request = urllib.request.Request(
        os.environ["SHOP"] + path, None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer " + token}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as refused:
        return refused.code, {}
tokens = [send("POST", "/login", {"name": name})[1]["token"] for name in ("ann", "bob", "cem")]
open("tokens", "w").write("\n".join(tokens))
def order(number):
    return send("POST", "/orders", {"article": "lamp"}, tokens[number % 3])[0]
with concurrent.futures.ThreadPoolExecutor(int(sys.argv[1])) as pool:
    print(sorted(pool.map(order, range(int(sys.argv[2])))))
for token in tokens:
    print(send("GET", "/orders", token=token)[1]["orders"])
'''

ONE_BY_ONE = ("[201, 201, 201, 201, 201, 409]\n['lamp reserved', 'lamp reserved']\n"
              "['lamp reserved', 'lamp reserved']\n['lamp reserved']\n")


class FlaskTest(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(given_servers.postgres())
        cls.server.ask("CREATE DATABASE shop")
        cls.server.ask("CREATE DATABASE stock")
        cls.server.ask("CREATE TABLE customer (id serial PRIMARY KEY, name text NOT NULL); "
                       "CREATE TABLE purchase (id serial PRIMARY KEY, customer_id int NOT NULL "
                       "REFERENCES customer, article text NOT NULL, state text NOT NULL)", "shop")
        cls.server.ask('CREATE TABLE article (name text PRIMARY KEY, "left" int NOT NULL)', "stock")

    def setUp(self):
        super().setUp()
        self.refill(5)
        self.write("client.py", CLIENT)
        for name in ("shop", "stock"):
            os.environ[f"{name.upper()}_PORT"] = str(free_port())
            os.environ[f"{name.upper()}_OWN"] = f"postgres://postgres@/{name}?host={self.server.folder}"
        service = textwrap.dedent("""\
            {0}:
              address: 127.0.0.1:${{{1}_PORT}}
              start: [{2}, {3}/{0}.py]
              health: http://127.0.0.1:${{{1}_PORT}}/health
            """)
        store = textwrap.dedent("""\
            {0}-db:
              kind: postgres
              address: {2}/.s.PGSQL.5432
              own: {1}_OWN
            """)
        names = (("shop", "SHOP"), ("stock", "STOCK"))
        self.write("heddle.yaml", "system:\n  services:\n" + "".join(
            textwrap.indent(service.format(*each, DEBIAN_PYTHON, SERVICES), "    ") for each in names)
            + "  stores:\n" + "".join(
                textwrap.indent(store.format(*each, self.server.folder), "    ") for each in names)
            + textwrap.indent(textwrap.dedent("""\
            edges:
              - {caller: client, callee: shop, outer: true, environment: {SHOP: "http://{address}"}}
              - {caller: shop, callee: stock, environment: {STOCK: "http://{address}"}}
              - caller: shop
                callee: shop-db
                environment: {SHOP_DATABASE: "postgresql://postgres@{address}/shop"}
              - caller: stock
                callee: stock-db
                environment: {STOCK_DATABASE: "postgresql://postgres@{address}/stock"}
            """), "  "))

    def refill(self, left):
        self.server.ask("TRUNCATE customer, purchase RESTART IDENTITY", "shop")
        self.server.ask(f"TRUNCATE article; INSERT INTO article VALUES ('lamp', {left})", "stock")

    def record(self, clients, orders, *words):
        done = self.heddle("record", "--idle=400ms", *words, "--", sys.executable, "client.py",
                           str(clients), str(orders))
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        text = (self.folder / "trace.jsonl").read_text()
        return done, [json.loads(line) for line in text.splitlines()[1:]]

    def test_one_request_after_the_other(self):
        for words in ((), ("--schedule=first-come",), ("--serial",)):
            with self.subTest(words):
                self.refill(5)
                done, lines = self.record(1, 6, *words)
                self.assertEqual(ONE_BY_ONE, done.stdout)
                # Flask goes on with a connection to its pool when the client has its answer.
                by = {line["by"] for line in lines if line["is"] == "statement"
                      if "flow" not in line}
                self.assertLessEqual(by, {"background", "setup", "unsure"})
                if words == ("--serial",):
                    self.assertNotIn("unsure", by)
                self.assert_orders_are_flows(lines)

    def assert_orders_are_flows(self, lines):
        """An order, what the stock is asked for, and the statements of both are of one flow."""
        def of(flow, pattern):
            return [line for line in lines if line.get("flow") == flow
                    and re.search(pattern, line.get("text", line.get("target", "")))]
        outer = [line for line in lines if line["is"] == "request" and line["edge"] == 0]
        orders = [line for line in outer if line["target"] == "/orders" and line["method"] == "POST"]
        self.assertEqual(6, len({line["flow"] for line in orders}))
        for line in orders:
            reserved, = of(line["flow"], "^/articles/lamp/reservations$")
            self.assertEqual(line["status"], reserved["status"])
            self.assertEqual(1, len(of(line["flow"], "^INSERT INTO purchase")))
            self.assertEqual(1 if line["status"] == 201 else 0, len(of(line["flow"], "UPDATE purchase")))
            self.assertEqual(1, len(of(line["flow"], "^SELECT article")))
            self.assertEqual(1 if line["status"] == 201 else 0, len(of(line["flow"], "UPDATE article")))

    def test_requests_at_once(self):
        for words in ((), ("--schedule=first-come",)):
            with self.subTest(words):
                self.refill(100)
                done, lines = self.record(6, 30, *words)
                self.assertIn(str([201] * 30), done.stdout)
                unsure = sum(line.get("by") == "unsure" for line in lines)
                self.assertEqual(unsure, lines[-1].get("unsure", 0))
                self.assertGreater(unsure, 0)
                self.assertRegex(done.stderr, rf"in the background, {unsure} unsure")
                for line in lines:
                    if line.get("by") == "unsure":
                        self.assertNotIn("flow", line)
                polls = [line for line in lines if "state = 'due'" in line.get("text", "")]
                self.assertTrue(polls)
                self.assertEqual({"background"}, {line["by"] for line in polls})

    def test_no_token_is_written(self):
        _, lines = self.record(2, 6)
        text = (self.folder / "trace.jsonl").read_text()
        tokens = (self.folder / "tokens").read_text().split("\n")
        for token in tokens:
            for way in ways_to_write(token):
                self.assertNotIn(way, text)
        given = [re.search(r"<secret:\w+>", line["response_body"]["text"])[0] for line in lines
                 if line.get("target") == "/login"]
        used = {dict(line["headers"])["Authorization"] for line in lines
                if line.get("target") == "/orders"}
        self.assertEqual({f"Bearer {each}" for each in given}, used)

    def test_the_last_lamps_are_sold_twice(self):
        """The stock reads how many there are and writes one less, without a lock."""
        for words in ((), ("--serial",)):
            with self.subTest(words):
                self.refill(100)
                self.record(1, 4, *words)
                self.refill(100)
                done = self.heddle("race", "--replay", "--idle=400ms", "trace.jsonl")
                self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)
                flat = re.sub(r"[\s│]+", " ", done.stdout)
                self.assertIn("1 of 1 candidate confirmed", flat)
                self.assertIn("rows of stock-db: article (name=lamp, left=99) (name=lamp, left=98)",
                              flat)

    def test_the_check_says_what_is_not_passed_on(self):
        done = self.heddle("record", "--check", "--idle=1s", "--", sys.executable, "client.py", "2",
                           "6")
        self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)
        flat = re.sub(r"\s+", " ", done.stdout)
        self.assertRegex(flat, r"shop>stock 6 requests \d at most none in 6")
        self.assertIn("shop-db nobody bypasses heddle", flat)
        self.assertIn("stock-db nobody bypasses heddle", flat)
        self.assertRegex(flat, r"shop>shop-db \d+ ms select purchase")
        self.assertIn("shop>stock: none of 6 requests named the trace that shop was asked with", flat)


if __name__ == "__main__":
    unittest.main()
