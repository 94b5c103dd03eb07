"""heddle record --check: whether all that a system does passes through heddle."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import unittest

import given_servers
import program

# Two services: the front one asks the other one and its database, in the ways that it is told.
SERVICE = r'''
import http.client, http.server, os, subprocess, sys, threading, time, urllib.request

NAME, PORT, WAYS = sys.argv[1], int(sys.argv[2]), sys.argv[3:]

def ask(sql):
    address = os.environ["DIRECT"] if "bypass" in WAYS else os.environ["SHOP_DATABASE"]
    with GATE:
        return subprocess.run(["psql", address, "-qXAtc", sql], check=True, capture_output=True,
                              text=True).stdout.strip()

GATE = threading.Lock() if "one" in WAYS else threading.Semaphore(8)

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body, headers = b"{}", {}
        if self.path.startswith("/orders/"):
            ask("SELECT pg_sleep(0.05)")
            if "calls" in WAYS:
                request = urllib.request.Request(os.environ["STOCK"] + "/items/7")
                if "traced" in WAYS:
                    request.add_header("traceparent", self.headers["traceparent"])
                urllib.request.urlopen(request, timeout=20).read()
        if "absolute" in WAYS and self.path.startswith("/orders/"):
            headers["Location"] = f"http://localhost:{PORT}/orders/8"
            body = b'{"next": "http:\\/\\/127.0.0.1:%d\\/orders\\/9"}' % PORT
        self.send_response(500 if "sick" in WAYS else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

def poll():
    while True:
        ask("SELECT count(*) FROM account")
        time.sleep(0.05)

def call():
    other = http.client.HTTPConnection("127.0.0.1", int(os.environ["STOCK_PORT"]))
    while True:
        try:
            other.request("GET", "/health")
            other.getresponse().read()
        except OSError:
            other.close()
        time.sleep(0.05)

if "direct" in WAYS:
    threading.Thread(target=call, daemon=True).start()
if "dead" in WAYS:
    print("there is no licence")
    sys.exit(3)
if "poll" in WAYS:
    threading.Thread(target=poll, daemon=True).start()
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
'''

CLIENT = r'''
import os, threading, urllib.request
def get(number):
    urllib.request.urlopen(f"{os.environ['SHOP']}/orders/{number}", timeout=30).read()
threads = [threading.Thread(target=get, args=(n,)) for n in range(4)]
for each in threads: each.start()
for each in threads: each.join()
'''


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class RecordCheckTest(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(given_servers.postgres())
        cls.server.ask("CREATE DATABASE shop")
        cls.server.ask("CREATE TABLE account (id int); CREATE ROLE clerk LOGIN", "shop")

    def setUp(self):
        super().setUp()
        self.write("service.py", SERVICE)
        self.write("client.py", CLIENT)
        self.environment = dict(os.environ)
        self.environment["DIRECT"] = self.own = \
            f"postgres://postgres@/shop?host={self.server.folder}"

    def describe(self, *ways, own=True, health="/health", environment=True, stock=True):
        self.shop, self.stock = free_port(), free_port()
        self.environment["STOCK_PORT"] = str(self.stock)
        if own:
            self.environment["SHOP_OWN"] = self.own
        start = "start: [{}, service.py, {}, '{}'{}]".format
        words = "".join(f", {way}" for way in ways)
        self.write("heddle.yaml", textwrap.dedent(f"""\
            system:
              services:
                shop:
                  address: 127.0.0.1:{self.shop}
                  {start(sys.executable, "shop", self.shop, words)}
                  health: {"[]" if health is None else f"http://localhost:{self.shop}{health}"}
                stock:
                  address: 127.0.0.1:{self.stock}
                  {start(sys.executable, "stock", self.stock, "") if stock else "health: ['true']"}
              stores:
                shop-db:
                  kind: postgres
                  address: {self.server.folder}/.s.PGSQL.5432
                  {"own: SHOP_OWN" if own is not None else ""}
              edges:
                - caller: client
                  callee: shop
                  outer: true
                  environment: {{SHOP: "http://{{address}}"}}
                - caller: shop
                  callee: stock
                  environment: {{STOCK: "http://{{address}}"}}
                - caller: shop
                  callee: shop-db
                  {'environment: {SHOP_DATABASE: "postgres://postgres@{address}/shop"}'
                   if environment else ""}
            """))

    def line(self, text, after=""):
        lines = (self.folder / "heddle.yaml").read_text().splitlines()
        begin = next(i for i, line in enumerate(lines) if after in line)
        return next(i for i in range(begin, len(lines)) if text in lines[i]) + 1

    def check(self, code, *words, idle="300ms"):
        done = self.heddle("record", "--check", f"--idle={idle}", *words, env=self.environment)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        self.assert_nothing_is_left()
        return done

    def use(self, code, **more):
        return self.check(code, "--", sys.executable, "client.py", **more).stdout

    def assert_nothing_is_left(self):
        self.assertFalse({name for name in self.server.databases() if name.startswith("heddle")})
        for port in (self.shop, self.stock):
            with self.assertRaises(OSError), socket.create_connection(("127.0.0.1", port), 5):
                pass
        self.assertEqual({"heddle.yaml", "service.py", "client.py"},
                         {path.name for path in self.folder.iterdir()})

    def assert_row(self, text, *cells):
        self.assertRegex(text, "(?m)^" + r"\s+".join(map(re.escape, cells)))

    def test_a_healthy_system_has_no_problem(self):
        self.describe("calls", "traced", "poll")
        text = self.use(program.NOTHING_FOUND, idle="3s")
        self.assert_row(text, "client>shop", "5 requests")
        self.assertRegex(text, r"(?m)^shop>stock +4 requests +\d at most +passed on$")
        self.assert_row(text, "shop-db", "nobody bypasses heddle")
        self.assertRegex(text, r"can be cloned, in [\d.]+ m?s \(\d+ MB\)")
        self.assertRegex(text, r"(?m)^shop>shop-db +\d+ ms +select count \( \* \) from account$")
        self.assertRegex(text, r"shop>shop-db +\d+ statements .*\d+ background")
        self.assertTrue(text.endswith("all of it passes through heddle, as far as was seen\n"))

    def test_the_health_check_is_seen_at_the_outer_edge_and_the_rest_is_missing(self):
        self.describe()
        text = self.check(program.FOUND).stdout
        self.assert_row(text, "client>shop", "1 request ")
        self.assertIn(f"heddle.yaml:{self.line('STOCK')}: nothing came through shop>stock; give "
                      "a command that has it used, heddle record --check -- COMMAND; or look whether "
                      "shop reads STOCK", re.sub(r"\s+", " ", text))

    def test_traces_that_are_not_passed_on(self):
        self.describe("calls")
        text = self.use(program.FOUND)
        self.assertRegex(text, r"(?m)^shop>stock +4 requests +\d at most +none in 4")
        self.assertRegex(text, rf"heddle.yaml:{self.line('caller: shop')}: shop>stock: none of 4 "
                               "requests named the trace")

    def test_a_store_is_used_past_its_edge(self):
        self.describe("bypass", "poll")
        text = self.use(program.FOUND, idle="2s")
        # Each lasts for 50 ms and less, so that not all of them, or none, are seen while they do.
        self.assertRegex(text, r"shop-db +bypassed: \d+ connections? (of user postgres, psql, by a "
                               "socket|that ended before heddle could see whose)")
        flat = re.sub(r"\s+", " ", text)
        self.assertIn(f"heddle.yaml:{self.line('shop-db:')}: shop-db is bypassed: ", flat)
        self.assertIn(f"heddle.yaml:{self.line('SHOP_DATABASE')}: nothing came through shop>shop-db, "
                      "while shop-db has connections past it; look whether shop reads SHOP_DATABASE",
                      flat)

    def bypass(self, times):
        """A command that uses the store past the proxies, each time for a few milliseconds."""
        return ("--", sys.executable, "-c", "import os, subprocess\n"
                f"for _ in range({times}):\n"
                "    subprocess.run(['psql', os.environ['DIRECT'], '-qXAtc', 'SELECT 1'], check=True, "
                "stdout=subprocess.DEVNULL)")

    def test_who_bypasses_a_store_too_shortly_to_be_seen_is_counted(self):
        self.describe("poll")
        told = json.loads(self.check(program.FOUND, "--format=json", *self.bypass(23)).stdout)
        store = told["stores"][0]
        self.assertEqual(23, store["unseen"] + sum(one["connections"] for one in store["bypasses"]))
        # Before the proxies listen, and in another database, it is none of the system's.
        self.server.ask("SELECT 1", "shop")
        self.describe("calls", "traced", "poll")
        told = json.loads(self.check(program.NOTHING_FOUND, "--format=json", "--", "sh", "-c",
                                     f"{sys.executable} client.py && "
                                     "psql ${DIRECT%/shop*}/postgres?${DIRECT#*?} -qXAtc 'SELECT 1'",
                                     idle="3s").stdout)
        self.assertEqual(0, told["stores"][0]["unseen"])

    def test_a_recording_counts_them_too(self):
        self.describe("poll")
        done = self.heddle("record", "--idle=300ms", *self.bypass(5), env=self.environment)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("shop-db is bypassed: not all that happened there", done.stderr)
        self.assertIn("shop-db was bypassed by 5 connections that ended before",
                      (self.folder / "trace.jsonl").read_text())

    def test_a_service_is_called_past_its_edge(self):
        self.describe("direct")
        text = re.sub(r"\s+", " ", self.use(program.FOUND, idle="1s"))
        self.assertIn(f"heddle.yaml:{self.line('STOCK')}: nothing came through shop>stock, while "
                      "stock has connections past it; look whether shop reads STOCK", text)
        self.assertIn(f"heddle.yaml:{self.line('stock:')}: stock is called past heddle by somebody",
                      text)

    @contextlib.contextmanager
    def somebody_else(self):
        with subprocess.Popen(["psql", self.own, "-qXAt", "-c", "SELECT 1", "-c",
                               "SELECT pg_sleep(300)"], stdout=subprocess.PIPE,
                              env={**os.environ, "PGAPPNAME": "nightly"}) as other:
            other.stdout.readline()
            try:
                yield
            finally:
                other.send_signal(signal.SIGKILL)
                other.wait()
                self.server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                "WHERE application_name = 'nightly'")
                self.assertTrue(given_servers.wait_until(lambda: self.server.connections() == 0))

    def test_somebody_else_uses_the_store(self):
        self.describe("calls", "traced")
        with self.somebody_else():
            text = self.use(program.FOUND)
            self.assertIn("bypassed: 1 connection of user postgres, nightly, by a socket", text)
            self.assertIn("time not measured: 1 connection is open", text)
            self.assertIn("1 problem\n", text)
            self.assertEqual(1, text.count("shop-db is bypassed"))
            # A recording says so, too.
            done = self.heddle("record", "--idle=300ms", "--", sys.executable, "client.py",
                               env=self.environment)
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertIn("shop-db is bypassed: not all that happened there", done.stderr)
            trace = (self.folder / "trace.jsonl").read_text()
            self.assertIn("shop-db is bypassed by a connection of user postgres (nightly)", trace)

    def test_addresses_in_answers(self):
        self.describe("calls", "traced", "absolute")
        text = self.use(program.FOUND)
        self.assert_row(text, "GET /orders/*", "client>shop", f"localhost:{self.shop} of shop",
                        "Location")
        self.assert_row(text, "GET /orders/*", "client>shop", f"127.0.0.1:{self.shop} of shop",
                        "its body")
        self.assertIn(f"heddle.yaml:{self.line('shop:')}: GET /orders/* of client>shop answers with "
                      f"localhost:{self.shop}, an address of shop, in Location",
                      re.sub(r"\s+", " ", text))

    def test_one_connection_for_all_requests(self):
        self.describe("calls", "traced", "one")
        text = self.use(program.FOUND)
        self.assert_row(text, "shop>shop-db", "4 statements", "1 at most")
        self.assertIn(f"heddle.yaml:{self.line('callee: shop-db') - 1}: shop>shop-db: one connection, "
                      "while shop had 4 requests open at once", re.sub(r"\s+", " ", text))

    def test_a_service_that_never_becomes_healthy(self):
        self.describe("sick")
        text = self.check(program.FOUND, "--health-timeout=1s").stdout
        self.assertIn(f"heddle.yaml:{self.line('health')}: shop is not healthy after 1 s", text)
        self.assertNotIn("nothing came through", text)

    def test_a_service_that_dies(self):
        self.describe("dead")
        text = self.check(program.FOUND).stdout
        self.assertIn("shop has ended with exit code 3", text)
        self.assertIn("there is no licence", text)
        self.assertIn(f"nobody listens at 127.0.0.1:{self.shop}, the address of shop", text)

    def test_an_address_at_which_nobody_listens(self):
        self.describe(stock=False)
        text = self.check(program.FOUND).stdout
        self.assertIn(f"heddle.yaml:{self.line('address', after='stock:')}: nobody listens at "
                      f"127.0.0.1:{self.stock}, the address of stock; write where stock listens",
                      re.sub(r"\s+", " ", text))

    def test_what_the_file_does_not_say(self):
        self.describe(own=None, health=None, environment=False)
        text = re.sub(r"\s+", " ", self.check(program.FOUND).stdout)
        self.assertIn("shop-db not known who bypasses heddle: write own: VARIABLE", text)
        self.assertIn("heddle.yaml:1: there is no health check", text)
        self.assertIn("write environment: {VARIABLE: \"...{address}...\"} with the variable by which "
                      "shop finds shop-db", text)
        self.describe(own=False)
        self.assertIn("not known who bypasses heddle: set SHOP_OWN\n", self.check(program.FOUND).stdout)

    def test_a_user_who_may_not_clone(self):
        self.own = f"postgres://clerk@/shop?host={self.server.folder}"
        self.describe("calls", "traced")
        text = self.use(program.NOTHING_FOUND)
        self.assertIn("cannot be cloned: clerk may not create databases (ALTER ROLE clerk CREATEDB)",
                      text)

    def test_a_copy_goes_with_heddle(self):
        """Killed while it copies, or before or after that: the guard leaves nothing."""
        self.describe("calls", "traced")
        self.server.ask("CREATE TABLE large AS SELECT i, repeat('x', 500) FROM "
                        "generate_series(1, 100000) i", "shop")
        with subprocess.Popen([program.HEDDLE, "record", "--check", "--idle=100ms"],
                              cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=self.environment) as heddle:
            def copies():
                return any(name.startswith("heddle") for name in self.server.databases()) or \
                    heddle.poll() is not None
            self.assertTrue(given_servers.wait_until(copies))
            heddle.kill()
        self.assertTrue(given_servers.wait_until(lambda: not any(
            name.startswith("heddle") for name in self.server.databases()), 90))
        self.assertTrue(given_servers.wait_until(lambda: self.server.connections() == 0))
        self.server.ask("DROP TABLE large", "shop")

    def test_an_interrupt_ends_it(self):
        self.describe("calls", "traced")
        self.write("wait.py", "import time\nprint('begun', flush=True)\ntime.sleep(300)\n")
        with subprocess.Popen([program.HEDDLE, "record", "--check", "--idle=100ms", "--",
                               sys.executable, "wait.py"], cwd=self.folder, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as heddle:
            self.assertEqual("begun\n", heddle.stdout.readline())
            heddle.send_signal(signal.SIGINT)
            self.assertEqual("", heddle.stdout.read())
            self.assertEqual(program.INTERRUPTED, heddle.wait(60))
        (self.folder / "wait.py").unlink()
        self.assert_nothing_is_left()

    def test_the_command_fails(self):
        self.describe()
        text = self.check(program.FOUND, "--", "false").stdout
        self.assertIn("the command has ended with exit code 1\n", text)

    def test_json_says_the_same(self):
        self.describe("calls", "poll", "absolute")
        told = json.loads(self.check(program.FOUND, "--format=json", "--", sys.executable,
                                     "client.py", idle="3s").stdout)
        self.assertEqual(["client", "shop", "shop"], [edge["caller"] for edge in told["edges"]])
        self.assertEqual((5, 4), (told["edges"][0]["units"], told["edges"][1]["caused"]))
        store = told["stores"][0]
        self.assertEqual(("shop-db", True, []), (store["name"], store["known"], store["bypasses"]))
        self.assertLess(0, store["clone"]["took_ms"])
        self.assertEqual("select count ( * ) from account", told["background"][0]["text"])
        self.assertEqual({"Location", "its body"}, {one["in"] for one in told["addresses"]})
        self.assertEqual([self.line("shop:"), self.line("shop:"), self.line("caller: shop")],
                         [problem["line"] for problem in told["problems"]])
        self.assert_trouble("--format=json means nothing without --check|--format means nothing",
                            "record", "--format=json", "--", "true")

    def test_it_keeps_no_trace_and_what_is_wrong_in_the_file_is_no_problem(self):
        self.describe()
        self.assert_refused("heddle: --output means nothing with --check, leave one of the "
                            "two out", "record", "--check", "--output=x")
        self.write("heddle.yaml", "system: {}\n")
        self.assert_trouble("heddle.yaml:1:", "record", "--check")


if __name__ == "__main__":
    unittest.main()
