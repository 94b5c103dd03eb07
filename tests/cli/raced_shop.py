"""A small system with races, for tests of heddle race --replay and of heddle replay on its findings."""

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap

import given_servers
import program

# Two withdrawals both read the balance before either writes; two people register under one name.
# "mode" says what it does otherwise. pause(NAME) waits where a test has written the number of that
# call to pause-NAME, until that file is gone.
SERVICE = r'''
import collections, http.server, json, os, pathlib, re, subprocess, sys, threading, time

counts, lock, one_at_a_time = collections.Counter(), threading.Lock(), threading.Lock()

def mode(word):
    path = pathlib.Path("mode")
    return path.exists() and word in path.read_text().split()

def pause(name):
    with lock:
        counts[name] += 1
        number = counts[name]
    path = pathlib.Path("pause-" + name)
    if path.exists() and int(path.read_text()) == number:
        pathlib.Path("at-" + name).touch()
        while path.exists():
            time.sleep(0.02)

def ask(sql):
    return subprocess.run(["psql", os.environ["SHOP_DATABASE"], "-qXAtc", sql], check=True,
                          capture_output=True, text=True).stdout.strip()

def withdraw(account, amount):
    if mode("atomic"):
        left = ask(f"UPDATE account SET balance = balance - {amount} WHERE id = {account} "
                   f"AND balance >= {amount} RETURNING balance")
        return (201, {"balance": int(left)}) if left else (409, {"balance": 0})
    balance = int(ask(f"SELECT balance FROM account WHERE id = {account}"))
    if balance < amount:
        return 409, {"balance": balance}
    if mode("entries"):
        ask(f"INSERT INTO entry (account, amount) VALUES ({account}, -{amount})")
        return 201, {"balance": balance - amount}
    ask(f"UPDATE account SET balance = {balance - amount} WHERE id = {account}")
    return 201, {"balance": balance - amount}

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def do_GET(self):
        self.answer(503 if mode("sick") else 200, {})
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if mode("fail"):
            return self.answer(500, {"message": "nothing works"})
        if mode("moved"):
            return self.answer(404, {"message": "there is no such place"})
        if mode("die"):
            os._exit(3)
        account = re.fullmatch(r"/accounts/(\d+)/withdrawals", self.path)
        if account and mode("mutex"):
            with one_at_a_time:
                return self.answer(*withdraw(account[1], int(body["amount"])))
        if account:
            pause("withdrawal")
            return self.answer(*withdraw(account[1], int(body["amount"])))
        if self.path == "/accounts":
            pause("account")
            return self.answer(201, {"id": int(ask(
                f"INSERT INTO account (owner, balance) VALUES ('{body['owner']}', 100) "
                "RETURNING id"))})
        if ask(f"SELECT id FROM users WHERE name = '{body['name']}'"):
            return self.answer(409, {"message": "taken"})
        return self.answer(201, {"id": int(ask(
            f"INSERT INTO users (name) VALUES ('{body['name']}') RETURNING id"))})
    def log_message(self, *_):
        pass

if mode("exit"):
    sys.exit("no database for me")
if mode("deaf"):
    print("no port for me", flush=True)
    time.sleep(600)
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["SHOP_PORT"])), Handler)
server.serve_forever()
'''

CLIENT = r'''
import json, os, urllib.error, urllib.request
def send(path, **body):
    request = urllib.request.Request(os.environ["SHOP"] + path, json.dumps(body).encode(),
                                     method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        return json.load(error)
account = send("/accounts", owner="ann")["id"]
send(f"/accounts/{account}/withdrawals", amount=30)
send(f"/accounts/{account}/withdrawals", amount=40)
send("/users", name="ann-1742")
send("/users", name="ann-1742")
'''

RESET = r'''
import os, pathlib, subprocess, time
path = pathlib.Path("pause-reset")
if path.exists():
    pathlib.Path("at-reset").touch()
    while path.exists():
        time.sleep(0.02)
subprocess.run(["psql", os.environ["SHOP_PSQL"], "-qXc",
                "TRUNCATE account, users RESTART IDENTITY"], check=True)
'''

SCHEMA = """
CREATE TABLE account (id serial PRIMARY KEY, owner text, balance int);
CREATE TABLE users (id serial PRIMARY KEY, name text);
"""

# Ways not to come up, and what is said of them.
DOWN = {
    "exit": "shop has ended with exit code 1 before the system was healthy\nno database for me\n",
    "deaf": "shop is not healthy after 1 s\nno port for me\n",
    "sick": "shop is not healthy after 1 s",
}

QUICK = ("--idle=200ms", "--rest-timeout=5s")


def free_port():
    """A port that nobody uses just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RacedShopTest(program.ProgramTest):
    """Each test has the shop, its trace and its saved findings in a fresh folder."""

    EMPTIED = "account, users"

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(given_servers.postgres())
        cls.server.ask(SCHEMA)
        cls.kept = None

    def setUp(self):
        super().setUp()
        self.server.ask(f"TRUNCATE {self.EMPTIED} RESTART IDENTITY")
        for name, text in (("service.py", SERVICE), ("client.py", CLIENT),
                           ("reset.py", RESET.replace("account, users", self.EMPTIED))):
            self.write(name, text)
        (self.folder / "tmp").mkdir()
        self.environment = {
            **os.environ, "TMPDIR": str(self.folder / "tmp"), "SHOP_PORT": str(free_port()),
            "SHOP_OWN": f"postgres://postgres@/postgres?host={self.server.folder}",
            "SHOP_PSQL": f"{self.server.address} dbname=postgres"}
        self.describe()

    def describe(self, store="shop-db", extra=""):
        self.write("heddle.yaml", textwrap.dedent(f"""\
            system:
              reset: [{sys.executable}, reset.py]
              services:
                shop:
                  address: 127.0.0.1:${{SHOP_PORT}}
                  start: [{sys.executable}, service.py]
                  health: http://127.0.0.1:${{SHOP_PORT}}/health
              stores:
                {store}:
                  kind: postgres
                  address: {self.server.folder}/.s.PGSQL.5432
                  own: SHOP_OWN
              edges:
                - {{caller: client, callee: shop, outer: true,
                   environment: {{SHOP: "http://{{address}}"}}}}
                - {{caller: shop, callee: {store},
                   environment: {{SHOP_DATABASE: "postgres://postgres@{{address}}/postgres"}}}}
            """) + extra)

    def heddle(self, *words, **more):
        return super().heddle(*words, env=self.environment, **more)

    def record(self):
        done = self.heddle("record", "--idle=200ms", "--", sys.executable, "client.py")
        self.assertEqual(0, done.returncode, done.stderr)

    def save(self):
        """Records, makes the races happen, and saves them in "races"; once for all tests."""
        races = self.folder / "races"
        if self.kept is None:
            self.record()
            done = self.heddle("race", "--replay", *QUICK, "--save=races", "trace.jsonl")
            self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
            type(self).kept = {path.name: path.read_text() for path in races.iterdir()}
        races.mkdir(exist_ok=True)
        for name, text in self.kept.items():
            (races / name).write_text(text)
        (self.folder / "trace.jsonl").unlink(missing_ok=True)

    def finding(self, endpoint):
        """The name of the saved finding of two such requests."""
        for path in sorted((self.folder / "races").glob("*.json")):
            if json.loads(path.read_text())["first_endpoint"] == endpoint:
                return str(path.relative_to(self.folder))
        raise AssertionError(f"no finding of {endpoint}")

    def withdrawals(self):
        return self.finding("POST shop/accounts/*/withdrawals")

    def replay(self, *words):
        return self.heddle("replay", *QUICK, *words)

    def running(self):
        """Processes that were started for the test, heddle's own and those of the system."""
        mark, found = f"TMPDIR={self.folder / 'tmp'}".encode(), []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as variables:
                    if mark in variables.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                pass
        return found

    def assert_nothing_is_left(self):
        self.assertTrue(given_servers.wait_until(lambda: not self.running()), self.running())
        self.assertTrue(given_servers.wait_until(lambda: self.server.connections() == 0))
        self.assertTrue(given_servers.wait_until(lambda: not os.listdir(self.folder / "tmp")),
                        os.listdir(self.folder / "tmp"))

    def begin(self, *words):
        """A heddle that runs on."""
        process = subprocess.Popen([program.HEDDLE, *words], cwd=self.folder, text=True,
                                   env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def end(self, process, number):
        """Sends the signal; the exit code, and what it said."""
        process.send_signal(number)
        if number == signal.SIGKILL:
            process.wait(60)
            return process.returncode, "", ""
        said = process.communicate(timeout=60)
        return process.returncode, *said
