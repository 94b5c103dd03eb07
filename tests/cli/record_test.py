"""heddle record: what passes between a service, its database and its clients."""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import unittest
import urllib.parse

import given_servers
import program

# A service that asks its database through psql, and polls it when it is told to.
SERVICE = r'''
import http.server, itertools, json, os, subprocess, sys, threading, time, urllib.request

def ask(sql):
    return subprocess.run(["psql", os.environ["SHOP_DATABASE"], "-qXAtc", sql], check=True,
                          capture_output=True, text=True).stdout.strip()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self, status, body, **headers):
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def do_GET(self):
        if self.path == "/health":
            return self.answer(200 if POLLED.is_set() else 503, {})
        self.answer(200, {"balance": ask("SELECT balance FROM account WHERE id = 1")})
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if self.path == "/login":
            ask(f"INSERT INTO visit (token) VALUES ('{TOKEN}')")
            return self.answer(200, {"token": TOKEN}, Set_Cookie="session=" + COOKIE)
        ask(f"UPDATE account SET balance = balance - {int(body['amount'])} WHERE id = 1")
        self.answer(201, {"trace": self.headers.get("traceparent"),
                          "by": self.headers.get("Authorization")})
    def log_message(self, *_):
        pass

TOKEN, COOKIE = "tok-5ecret/va+lue=1", "c00kie_5ecret_value"

# Ready when it has polled a few times, so that a recording has heard it however slow the machine.
POLLED = threading.Event()

def poll():
    for number in itertools.count():
        ask("SELECT count(*) FROM account WHERE balance < 0")
        if number == 3:
            POLLED.set()
        time.sleep(0.03)

if "--poll" in sys.argv:
    threading.Thread(target=poll, daemon=True).start()
else:
    POLLED.set()
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["SHOP_PORT"])), Handler)
server.serve_forever()
'''

CLIENT = r'''
import json, os, urllib.parse, urllib.request
base = os.environ["SHOP"]
def send(method, path, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(base + path, data, names, method=method)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response), response.headers
found, headers = send("POST", "/login", {"user": "ann", "password": "pass-w0rd!5ecret"})
cookie = headers["Set-Cookie"]
for _ in range(3):
    send("POST", "/pay", {"amount": 1}, Authorization="Bearer " + found["token"], Cookie=cookie)
token = urllib.parse.quote(found["token"], safe="")
print(send("GET", "/balance?access_token=" + token)[0]["balance"])
'''

SECRETS = ("tok-5ecret/va+lue=1", "c00kie_5ecret_value", "pass-w0rd!5ecret")


class RecordTest(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(given_servers.postgres())
        cls.server.ask("CREATE TABLE account (id int PRIMARY KEY, balance int); "
                       "CREATE TABLE visit (id serial PRIMARY KEY, token text)")

    def setUp(self):
        super().setUp()
        self.server.ask("TRUNCATE account, visit; INSERT INTO account VALUES (1, 100)")
        self.write("service.py", SERVICE)
        self.write("client.py", CLIENT)
        self.describe()

    def describe(self, poll=False, health="/health", extra=""):
        port = free_port()
        os.environ["SHOP_PORT"] = str(port)
        os.environ["SHOP_OWN"] = f"postgres://postgres@/postgres?host={self.server.folder}"
        self.write("heddle.yaml", textwrap.dedent(f"""\
            system:
              services:
                shop:
                  address: 127.0.0.1:${{SHOP_PORT}}
                  start: [{sys.executable}, service.py{", --poll" if poll else ""}]
                  health: http://127.0.0.1:${{SHOP_PORT}}{health}
              stores:
                shop-db:
                  kind: postgres
                  address: {self.server.folder}/.s.PGSQL.5432
                  own: SHOP_OWN
              edges:
                - {{caller: client, callee: shop, outer: true,
                   environment: {{SHOP: "http://{{address}}"}}}}
                - {{caller: shop, callee: shop-db,
                   environment: {{SHOP_DATABASE: "postgres://postgres@{{address}}/postgres"}}}}
            """) + extra)

    def record(self, *words):
        return self.heddle("record", "--idle=300ms", *words)

    def trace(self, name="trace.jsonl"):
        path = self.folder / name
        if name.endswith(".zst"):
            text = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout
        else:
            text = path.read_bytes()
        return [json.loads(line) for line in text.splitlines()]

    def assert_nothing_runs(self):
        def runs():
            services = subprocess.run(["pgrep", "-f", "service.py"], capture_output=True, text=True,
                                      check=False).stdout.split()
            return [pid for pid in services
                    if os.path.realpath(f"/proc/{pid}/cwd") == str(self.folder)]
        self.assertTrue(given_servers.wait_until(lambda: not runs()))
        self.assertTrue(given_servers.wait_until(lambda: self.server.connections() == 0))

    def test_variables_that_were_set_before_lead_nobody_past_the_proxies(self):
        past = {"SHOP": f"http://127.0.0.1:{os.environ['SHOP_PORT']}",
                "SHOP_DATABASE": f"postgres://postgres@/postgres?host={self.server.folder}"}
        done = self.heddle("record", "--idle=300ms", "--", sys.executable, "client.py",
                           env=os.environ | past)
        self.assertEqual((0, "97\n"), (done.returncode, done.stdout), done.stderr)
        self.assertIn("5 requests in 5 flows, 5 statements; 0 in the background", done.stderr)

    def test_each_statement_is_in_the_flow_of_its_request(self):
        done = self.record("--", sys.executable, "client.py")
        self.assertEqual((0, "97\n"), (done.returncode, done.stdout), done.stderr)
        self.assertEqual("trace.jsonl: 5 requests in 5 flows, 5 statements; 0 in the background, 0 "
                         "unsure\n", done.stderr)
        lines = self.trace()
        requests = {line["flow"]: line for line in lines if line.get("is") == "request"}
        self.assertEqual(["/login", "/pay", "/pay", "/pay"],
                         [requests[flow]["target"] for flow in (1, 2, 3, 4)])
        for request in requests.values():
            self.assertIn(request["status"], (200, 201))
            self.assertLess(request["arrived"], request["answered"])
        statements = [line for line in lines if line.get("is") == "statement"]
        self.assertEqual([(1, "INSERT"), (2, "UPDATE"), (3, "UPDATE"), (4, "UPDATE"),
                          (5, "SELECT")],
                         [(line["flow"], line["text"].split()[0]) for line in statements])
        self.assertEqual(["97"], statements[-1]["results"][0]["rows"][0])
        catalogue = next(line for line in lines if line.get("is") == "catalogue")
        tables = {table["table"]: table for table in catalogue["tables"]}
        column = statements[-1]["results"][0]["columns"][0]
        self.assertEqual(("public.account", "balance"),
                         (tables[column["table"]]["name"],
                          dict(tables[column["table"]]["columns"])[column["column"]]))
        self.assertEqual([["id"]], tables[column["table"]]["keys"])
        end = lines[-1]
        self.assertEqual(("end", 0, 0), (end["is"], end["exit_code"], end["unsure"]))
        self.assert_nothing_runs()

    def test_no_secret_is_written_and_equal_ones_stay_equal(self):
        done = self.record("--output=trace.jsonl", "--", sys.executable, "client.py")
        self.assertEqual(0, done.returncode, done.stderr)
        text = (self.folder / "trace.jsonl").read_text()
        for secret in SECRETS:
            for shown in ways_to_write(secret):
                self.assertNotIn(shown, text)
        lines = self.trace()
        login = next(line for line in lines if line.get("target") == "/login")
        token = json.loads(login["response_body"]["text"])["token"]
        self.assertRegex(token, "^<secret:[0-9a-f]{16}>$")
        pay = next(line for line in lines if line.get("target") == "/pay")
        self.assertIn(["Authorization", "Bearer " + token], pay["headers"])
        self.assertIn(token, next(line for line in lines if line.get("is") == "statement")["text"])
        self.assertIn(token, next(line["target"] for line in lines
                                  if "/balance" in line.get("target", "")))

    def test_what_a_service_repeats_is_background(self):
        self.describe(poll=True)
        done = self.record("--", sys.executable, "client.py")
        self.assertEqual(0, done.returncode, done.stderr)
        lines = self.trace()
        background = [line for line in lines if line.get("is") == "background"]
        self.assertEqual(["select count ( * ) from account where balance < ?"],
                         [line["text"] for line in background])
        for line in lines:
            if line.get("is") == "statement":
                self.assertEqual("balance < 0" in line["text"], line["by"] == "background", line)
        self.assertEqual(0, lines[-1]["unsure"])

    def test_serial_requests_wait_for_the_system_s_rest(self):
        self.describe(poll=True)
        done = self.record("--serial", "--", sys.executable, "client.py")
        self.assertEqual((0, "97\n"), (done.returncode, done.stdout), done.stderr)
        lines = self.trace()
        requests = sorted((line for line in lines if line.get("is") == "request"),
                          key=lambda line: line["unit"])
        polls = [line for line in lines if line.get("by") == "background"]
        for first, second in zip(requests, requests[1:]):
            between = [poll for poll in polls if first["answered"] < poll["arrived"]
                       and poll["answered"] < second["permitted"]]
            self.assertGreaterEqual(len(between), 2)

    def test_two_recordings_of_the_same_are_equal_but_for_times_and_names(self):
        def normalised(name):
            flows = []
            for line in self.trace(name)[1:]:
                for key in ("arrived", "permitted", "answered", "opened", "backend", "trace"):
                    line.pop(key, None)
                flows.append(re.sub(r"<secret:\w+>|127\.0\.0\.1:\d+|"
                                    r"\b00-[0-9a-f]{32}-[0-9a-f]{16}-01|"
                                    r"\w\w\w, \d\d \w\w\w \d{4} [\d:]{8} GMT", "_",
                                    json.dumps(line)))
            return flows
        for name in ("one.jsonl", "two.jsonl.zst"):
            self.server.ask("TRUNCATE visit RESTART IDENTITY; UPDATE account SET balance = 100")
            done = self.record(f"--output={name}", "--", sys.executable, "client.py")
            self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(normalised("one.jsonl"), normalised("two.jsonl.zst"))

    def test_a_request_that_waits_for_news_is_exempt(self):
        self.describe(extra="record: {exempt: [GET /balance]}\n")
        done = self.record("--", sys.executable, "client.py")
        self.assertEqual(0, done.returncode, done.stderr)
        asked = next(line for line in self.trace() if "SELECT balance" in line.get("text", ""))
        self.assertEqual("unsure", asked["by"])

    def test_holding_each_unit_changes_nothing(self):
        done = self.record("--schedule=first-come", "--", sys.executable, "client.py")
        self.assertEqual((0, "97\n"), (done.returncode, done.stdout), done.stderr)
        self.assertIn(" 5 statements; 0 in the background, 0 unsure", done.stderr)

    def test_the_exit_code_is_the_command_s(self):
        self.assertEqual(9, self.record("--", "sh", "-c", "exit 9").returncode)
        self.assertEqual(9, self.trace()[-1]["exit_code"])

    def test_an_interrupt_ends_everything_and_the_trace_reads(self):
        process = self.start("sh", "-c", "python3 client.py; echo recorded; sleep 100")
        self.assertEqual("97\n", process.stdout.readline())
        self.assertEqual("recorded\n", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(program.INTERRUPTED, process.returncode)
        self.assertEqual("interrupted", self.trace()[-1]["reason"])
        self.assert_nothing_runs()

    def start(self, *command):
        return subprocess.Popen([program.HEDDLE, "record", "--idle=300ms", "--", *command],
                                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def test_what_is_left_by_a_kill_is_removed(self):
        process = self.start("sh", "-c", "python3 client.py; echo recorded; exec sleep 5")
        self.assertEqual("97\n", process.stdout.readline())
        self.assertEqual("recorded\n", process.stdout.readline())
        # Lines are written within a second.
        self.assertTrue(given_servers.wait_until(
            lambda: (self.folder / "trace.jsonl").read_bytes().count(b'"request"') == 5))
        process.kill()
        process.communicate(timeout=60)
        self.assert_nothing_runs()
        whole = (self.folder / "trace.jsonl").read_bytes().rpartition(b"\n")[0]
        self.assertGreaterEqual(len([json.loads(line) for line in whole.splitlines()]), 11)

    def test_a_service_that_does_not_come_up_is_named_with_what_it_said(self):
        self.describe(health="/nothing-there")
        self.write("service.py",
                   "import sys, time\nprint('no port for me', flush=True)\ntime.sleep(60)\n")
        done = self.record("--health-timeout=1s", "--", "true")
        self.assertEqual((program.TROUBLE, ""), (done.returncode, done.stdout))
        self.assertIn("shop is not healthy after 1 s\nno port for me", done.stderr)
        self.write("service.py", "import sys\nsys.exit('no database for me')\n")
        done = self.record("--", "true")
        self.assertEqual(program.TROUBLE, done.returncode)
        self.assertIn("shop has ended with exit code 1 before the system was healthy\n"
                      "no database for me", done.stderr)
        self.assert_nothing_runs()

    def test_a_database_that_is_not_there_is_an_error_of_its_protocol(self):
        text = (self.folder / "heddle.yaml").read_text()
        port = free_port()
        self.write("heddle.yaml", text.replace(".s.PGSQL.5432", ".s.PGSQL.1").replace(
            "callee: shop-db,", f"callee: shop-db, listen: 127.0.0.1:{port},"))
        done = self.record("--", "psql", "-X", f"postgres://postgres@127.0.0.1:{port}/postgres",
                           "-c", "SELECT 1")
        self.assertEqual(2, done.returncode)
        self.assertRegex(done.stderr, r"FATAL:  heddle: cannot connect: No such file or directory "
                                      r"\(\S+/\.s\.PGSQL\.1\)")

    def test_bad_input_has_one_clear_message(self):
        self.assert_refused("nowhere.yaml: cannot open: No such file or directory, name the file "
                            "that describes the system with --config=FILE",
                            "record", "--config=nowhere.yaml", "--", "true")
        self.write("empty.yaml", "program: {files: [x.sql]}\n")
        self.assert_refused("empty.yaml:1:1: there is no section \"system\", describe services, "
                            "stores and edges in one",
                            "record", "--config=empty.yaml", "--", "true")
        self.write("typo.yaml", "system:\n  services: {shop: {adress: 127.0.0.1:1}}\n")
        self.assert_refused("typo.yaml:2:21: there is no key of a service \"adress\", did you "
                            "mean \"address\"?", "record", "--config=typo.yaml", "--", "true")
        self.assert_trouble("there is no program \"no-such-program\"", "record", "--idle=10ms",
                            "--", "no-such-program")
        self.assert_nothing_runs()


def free_port():
    """A port that nobody uses just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ways_to_write(secret):
    yield secret
    yield urllib.parse.quote(secret, safe="")
    yield urllib.parse.quote(secret, safe="").lower()
    yield json.dumps(secret)[1:-1]
    for before in range(3):
        encoded = base64.b64encode(b"x" * before + secret.encode()).decode()
        yield encoded[(before * 8 + 5) // 6:(before + len(secret)) * 8 // 6]


if __name__ == "__main__":
    sys.exit(unittest.main())
