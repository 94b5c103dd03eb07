"""A Spring Boot service with JPA and HikariCP, as it is, through proxies that observe and that hold.

Skipped where Maven does not reach what the service is built of."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "cli"))

import given_servers
import program
from record_test import free_port

PROJECT = ROOT / "tests" / "systems" / "spring"
SECONDS_TO_BUILD = 400
# What Maven says where it gets no answer, or a no.
UNREACHED = ("Non-resolvable parent POM", "Could not transfer", "Could not resolve",
             "could not be resolved", "Could not find artifact", "Unknown host")

CLIENT = r'''
import concurrent.futures, json, os, urllib.error, urllib.request
def send(method, path, **body):
    request = urllib.request.Request(os.environ["BANK"] + path, json.dumps(body).encode() or None,
                                     {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as refused:
        return refused.code, None
def withdraw(amount):
    return send("POST", f"/accounts/{account}/withdrawals", amount=amount)[0]
account = send("POST", "/accounts", owner="ann", balance=100)[1]["id"]
print(withdraw(30), withdraw(60), withdraw(20))
shown = send("GET", f"/accounts/{account}")[1]
print(shown["balance"], shown["withdrawals"])
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    at_once = pool.map(lambda _: send("GET", f"/accounts/{account}")[1]["balance"], range(40))
print(set(at_once))
'''

# Starts the service by itself, and withdraws 60 of 100 twice at once.
RACE = CLIENT.partition("account = ")[0] + r'''
import subprocess, time
os.environ["SPRING_DATASOURCE_URL"] = os.environ["JDBC_DATABASE_URL"]
with subprocess.Popen(["java", "-jar", "bank.jar"], stdout=subprocess.DEVNULL) as service:
    def is_up():
        try:
            return send("GET", "/accounts")[0] == 200
        except urllib.error.URLError:
            return False
    while not is_up() and service.poll() is None:
        time.sleep(0.1)
    account = send("POST", "/accounts", owner="bob", balance=100)[1]["id"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        print(*pool.map(withdraw, (60, 60)))
    print(send("GET", f"/accounts/{account}")[1]["balance"])
    service.terminate()
'''


def why_not_built(folder):
    """Builds the service there. What keeps Maven from its packages; empty: nothing."""
    shutil.copytree(PROJECT, folder, dirs_exist_ok=True)
    try:
        built = subprocess.run(["mvn", "-B", "-q", "package"], cwd=folder, capture_output=True,
                               text=True, timeout=SECONDS_TO_BUILD, check=False)
    except FileNotFoundError:
        return "there is no mvn"
    except subprocess.TimeoutExpired:
        return f"Maven has not fetched its packages after {SECONDS_TO_BUILD} s"
    said = built.stdout + built.stderr
    if built.returncode == 0:
        return ""
    if any(each in said for each in UNREACHED):
        return "Maven does not reach its packages: " + said.strip().splitlines()[0]
    raise AssertionError(said)


class SpringTest(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        built = cls.enterClassContext(tempfile.TemporaryDirectory())
        if why := why_not_built(built):
            print(f"skipped: {why}", file=sys.stderr)
            raise unittest.SkipTest(why)
        cls.program = pathlib.Path(built) / "target" / "bank.jar"
        cls.server = cls.enterClassContext(given_servers.postgres())

    def setUp(self):
        super().setUp()
        (self.folder / "bank.jar").symlink_to(self.program)
        port = free_port()
        os.environ.update({
            "BANK_PORT": str(port), "SERVER_PORT": str(port), "BANK": f"http://127.0.0.1:{port}",
            "SPRING_DATASOURCE_USERNAME": "postgres",
            "BANK_OWN": f"postgres://postgres@/postgres?host={self.server.folder}"})
        self.write("client.py", CLIENT)
        self.write("race.py", RACE)
        self.write("heddle.yaml", textwrap.dedent(f"""\
            system:
              services:
                bank:
                  address: 127.0.0.1:${{BANK_PORT}}
                  start: [java, -jar, bank.jar]
                  health: http://127.0.0.1:${{BANK_PORT}}/accounts
              stores:
                bank-db:
                  kind: postgres
                  address: {self.server.folder}/.s.PGSQL.5432
                  own: BANK_OWN
              edges:
                - {{caller: client, callee: bank, outer: true,
                   environment: {{BANK: "http://{{address}}"}}}}
                - {{caller: bank, callee: bank-db,
                   environment: {{SPRING_DATASOURCE_URL: "jdbc:postgresql://{{address}}/postgres"}}}}
            """))

    def assert_recorded(self, *words):
        done = self.heddle("record", "--idle=300ms", *words, "--", sys.executable, "client.py")
        self.assertEqual((0, "201 201 409\n10 2\n{10}\n"), (done.returncode, done.stdout),
                         done.stderr)
        lines = [json.loads(line) for line in (self.folder / "trace.jsonl").read_text().splitlines()]
        statements = {}
        for line in lines:
            if line.get("is") == "statement" and line["text"]:
                statements.setdefault(line.get("flow"), []).append(line["text"].split()[0].lower())
        requests = [(line["flow"], line["status"]) for line in lines if line.get("is") == "request"]
        self.assertEqual([201, 201, 201, 409, 200], [status for _, status in requests[:5]])
        made, refused = (statements[flow] for flow, _ in (requests[2], requests[3]))
        for word in ("begin", "select", "insert", "update", "commit"):
            self.assertIn(word, made)
        self.assertEqual(["begin", "select", "rollback"], [each for each in refused if each != "set"])
        self.assertEqual(40, sum(status == 200 for _, status in requests[5:]))

    def test_it_is_observed(self):
        self.assert_recorded()

    def test_each_unit_is_held_and_let_go(self):
        self.assert_recorded("--schedule=first-come")

    def test_what_steps_on_each_other_is_confirmed(self):
        done = self.heddle("record", "--idle=300ms", "--", sys.executable, "client.py")
        self.assertEqual(0, done.returncode, done.stderr)
        done = self.heddle("race", "--replay", "--idle=300ms", "trace.jsonl")
        self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)
        self.assertIn("3 of 3 candidates confirmed", done.stdout)
        flat = re.sub(r"[\s│]+", " ", done.stdout)
        self.assertIn("Two POST bank/accounts/*/withdrawals step on each other: lost update, confirmed",
                      flat)

    def test_two_requests_meet_between_reading_and_writing(self):
        done = self.heddle("hold", f"--on={self.server.url}", "--bound=20s",
                           "--meet=2: select*balance*from account * where *", "--", sys.executable,
                           "race.py")
        self.assertEqual((0, "201 201\n40\n"), (done.returncode, done.stdout), done.stderr)
        self.assertRegex(done.stderr, "met 1 time\\b")


if __name__ == "__main__":
    unittest.main()
