"""Runs examples/tickets on free ports, for its tests."""

import glob
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "tickets"
SERVICES = ("orders", "payments", "cancellations", "seats", "accounts")
NAMES = SERVICES + ("database",)
SECONDS = 120
PSQL = (max(glob.glob("/usr/lib/postgresql/*/bin/psql"), default="psql"), "--no-psqlrc", "--quiet",
        "--tuples-only", "--no-align")
NO_PACKAGES = "npm ci fails"


def free_ports(count):
    """Ports that nobody listens at; all are bound at once, so that none comes twice."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def wait_until(is_so, what):
    deadline = time.monotonic() + SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not after {SECONDS} seconds")
        time.sleep(0.02)


def parent_of(process):
    """The parent's id, or None where the process has gone or is a zombie."""
    try:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    return None if fields["State"].startswith("Z") else int(fields["PPid"])


def descendants(process):
    parents = {int(path.name): parent_of(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")}
    found = [process]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


class System:
    """A running system with a directory of its own for what it makes."""

    def __init__(self, ports=None, **variables):
        self.ports = ports or dict(zip(NAMES, free_ports(len(NAMES))))
        self.folder = tempfile.TemporaryDirectory()
        # The database server may run as another user.
        os.chmod(self.folder.name, 0o755)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TICKETS_")}
        ports = {f"TICKETS_{name.upper()}_PORT": str(port) for name, port in self.ports.items()}
        self.environment = {**clean, "TMPDIR": self.folder.name, **ports, **variables}
        self.headers = None
        self.said = pathlib.Path(self.folder.name) / "said"
        with self.said.open("w") as log:
            self.process = subprocess.Popen([FOLDER / "start"], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=log, text=True,
                                            env=self.environment)
        self.lines = [self.process.stdout.readline() for _ in NAMES]
        self.family = descendants(self.process.pid)

    def run(self, program, *words, **variables):
        return subprocess.run([FOLDER / program, *words], env={**self.environment, **variables},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=SECONDS, check=False)

    def query(self, database, text):
        """Lines of an answer of psql, as the owner of the server."""
        return subprocess.run([*PSQL, self.address(database), f"--command={text}"], check=True,
                              capture_output=True, text=True).stdout.splitlines()

    def address(self, database):
        return f"postgres://postgres:postgres@127.0.0.1:{self.ports['database']}/{database}"

    def is_gone(self):
        return all(parent_of(process) is None for process in self.family)

    def leftovers(self):
        return sorted(path.name for path in pathlib.Path(self.folder.name).iterdir()
                      if path != self.said)

    def complaints(self):
        return self.said.read_text()

    def stop(self, number=signal.SIGTERM):
        """Ends it, if it has not ended; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(SECONDS)
        self.process.stdout.close()
        return code

    def ask(self, service, method, path, body=None, token=None, key=None, **headers):
        """Status and body of an answer; its headers are kept."""
        data = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.ports[service]}{path}"
        request = urllib.request.Request(url, data, method=method)
        for name, value in (("Content-Type", data and "application/json"), ("Idempotency-Key", key),
                            ("Authorization", token and f"Bearer {token}"), *headers.items()):
            if value:
                request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                status, text, self.headers = response.status, response.read(), response.headers
        except urllib.error.HTTPError as error:
            with error:
                status, text, self.headers = error.code, error.read(), error.headers
        return status, json.loads(text) if text else None

    def log_in(self, user):
        """Registers somebody; the token of a session."""
        secret = {"password": f"secret of {user}"}
        self.ask("accounts", "POST", "/users", {"name": user, **secret})
        return self.ask("accounts", "POST", "/login", {"user": user, **secret})[1]["token"]


class Database:
    """A psql that stays open, as the owner of the server."""

    def __init__(self, system, name):
        self.process = subprocess.Popen([*PSQL, system.address(name)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, text):
        self.process.stdin.write(text + ";\n\\echo done\n")
        self.process.stdin.flush()

    def answer(self):
        """The rows of what was sent, as soon as they are there."""
        return list(iter(lambda: self.process.stdout.readline().rstrip("\n"), "done"))

    def rows(self, text):
        self.send(text)
        return self.answer()

    def number(self, text):
        return int(self.rows(text)[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def start(test, ports=None, **variables):
    """A system that ends with the test, which is skipped where the packages cannot be fetched."""
    system = System(ports, **variables)
    test.addCleanup(system.folder.cleanup)
    test.addCleanup(system.stop)
    if system.lines[-1] == "":
        system.stop()
        if NO_PACKAGES in system.complaints():
            print(f"skipped: {system.complaints().strip()}", file=sys.stderr)
            raise unittest.SkipTest(system.complaints().strip())
        raise AssertionError(f"the system does not start: {system.complaints()}")
    return system
