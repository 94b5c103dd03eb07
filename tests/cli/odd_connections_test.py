"""Many clients, slow ones, broken ones and servers that die, behind the proxies of heddle record:
each client gets the proper error of its protocol, and the others go on."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import textwrap
import threading
import time
import unittest

import given_servers
import program
from record_test import free_port

IDLE = 1000
PROTOCOL = 196608  # 3.0
HELLO = b"user\0postgres\0database\0postgres\0\0"
SECONDS = 60


class Session:
    """A client of PostgreSQL, as raw as it takes."""

    def __init__(self, port, hello=HELLO, bytewise=False):
        self.bytewise = bytewise
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
        self.send(struct.pack(">II", 8 + len(hello), PROTOCOL) + hello)

    def send(self, data):
        for piece in ([bytes([each]) for each in data] if self.bytewise else [data]):
            self.socket.sendall(piece)

    def read(self):
        """A message: its type and what it says; ("", "") at the end of the stream."""
        head = self.stream.read(5)
        if len(head) < 5:
            return "", b""
        kind, size = struct.unpack(">cI", head)
        return kind.decode(), self.stream.read(size - 4)

    def until_ready(self):
        """All messages up to the next ReadyForQuery, an error that ends the session, or its end."""
        found = []
        while True:
            found.append(self.read())
            kind, text = found[-1]
            if kind in ("Z", "") or (kind == "E" and b"SFATAL" in text):
                return found

    def ask(self, sql):
        text = sql.encode() + b"\0"
        self.send(b"Q" + struct.pack(">I", 4 + len(text)) + text)
        return self.until_ready()

    def close(self):
        self.stream.close()
        self.socket.close()


def values(messages):
    """Of rows with one column."""
    return [text[6:].decode() for kind, text in messages if kind == "D"]


def fields(message):
    """Of an error: those by which it is known."""
    return {each[:1].decode(): each[1:].decode()
            for each in message[1].split(b"\0") if each[:1] in (b"S", b"C", b"M")}


class Service:
    """Answers requests, or dies with one: /whole, /before, /within."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=2 * IDLE)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    @staticmethod
    def answer(connection):
        with connection, connection.makefile("rb") as stream:
            while line := stream.readline():
                path = line.split()[1].decode()
                size = 0
                while (header := stream.readline().strip()) != b"":
                    name, _, value = header.partition(b":")
                    size = int(value) if name.lower() == b"content-length" else size
                body = stream.read(size)
                if path == "/before":
                    return
                length = len(body) + (100 if path == "/within" else 0)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % length + body)
                if path == "/within":
                    return

    def close(self):
        # Whoever waits in accept() would get one more.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class OddConnectionsTest(program.ProgramTest):
    how = ()

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(
            given_servers.postgres(f"max_connections={IDLE + 20}\nshared_buffers=16MB\n"))
        cls.server.ask("CREATE TABLE item (id int PRIMARY KEY); INSERT INTO item VALUES (1)")

    def setUp(self):
        super().setUp()
        self.service = Service()
        self.addCleanup(self.service.close)
        self.web, self.database = free_port(), free_port()
        self.write("heddle.yaml", textwrap.dedent(f"""\
            system:
              services:
                shop: {{address: "127.0.0.1:{self.service.port}"}}
              stores:
                shop-db: {{kind: postgres, address: {self.server.folder}/.s.PGSQL.5432}}
              edges:
                - {{caller: client, callee: shop, outer: true, listen: "127.0.0.1:{self.web}"}}
                - {{caller: shop, callee: shop-db, listen: "127.0.0.1:{self.database}"}}
            """))

    @contextlib.contextmanager
    def recording(self):
        """While heddle records. Then `self.trace` has the lines."""
        process = subprocess.Popen(
            [program.HEDDLE, "record", "--idle=10ms", *self.how, "--", "sh", "-c",
             "echo begun; read line"], cwd=self.folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertEqual("begun\n", process.stdout.readline())
            yield process
            _, said = process.communicate("\n", timeout=SECONDS)
            self.assertEqual(0, process.returncode, said)
        finally:
            process.kill()
            process.communicate()
        self.trace = [json.loads(line)
                      for line in (self.folder / "trace.jsonl").read_text().splitlines()[1:]]

    def session(self, **how):
        session = Session(self.database, **how)
        self.addCleanup(session.close)
        self.assertEqual("Z", session.until_ready()[-1][0])
        return session

    def connect_web(self):
        connection = socket.create_connection(("127.0.0.1", self.web), timeout=SECONDS)
        self.addCleanup(connection.close)
        return connection

    def response(self, data, connection=None):
        """All that comes until the end, or until the body is whole."""
        connection = connection or self.connect_web()
        connection.sendall(data)
        got = b""
        while not got.endswith(b"whole") and (more := connection.recv(65536)):
            got += more
        return got.decode()

    def assert_all_goes_on(self):
        self.assertEqual(["1"], values(self.session().ask("SELECT id FROM item")))
        self.assertIn("200 OK", self.response(REQUEST))

    def test_a_thousand_idle_connections(self):
        with self.recording() as process:
            sessions = [self.session() for _ in range(IDLE)]
            webs = [self.connect_web() for _ in range(IDLE)]
            before = processor_seconds(process.pid)
            self.assert_all_goes_on()
            self.assertLess(processor_seconds(process.pid) - before, 1, "idle ones cost nothing")
            while len(sessions) < IDLE + 30:
                sessions.append(Session(self.database))
                self.addCleanup(sessions[-1].close)
                answered = sessions[-1].until_ready()[-1]
            self.assertEqual(("E", "53300"), (answered[0], fields(answered)["C"]))
            for session in sessions[:IDLE]:
                self.assertEqual(["1"], values(session.ask("SELECT id FROM item")))
            for web in webs:
                self.assertIn("200 OK", self.response(REQUEST, web))
        self.assertEqual(IDLE + 1, sum(line["is"] == "statement" for line in self.trace))
        self.assertEqual(IDLE + 1, sum(line["is"] == "request" for line in self.trace))

    def test_a_byte_at_a_time(self):
        with self.recording():
            session = self.session(bytewise=True)
            self.assertEqual(["1"], values(session.ask("SELECT id FROM item")))
            connection = self.connect_web()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for byte in REQUEST[:-1]:
                connection.sendall(bytes([byte]))
            self.assertIn("200 OK", self.response(REQUEST[-1:], connection))
        self.assertEqual(["SELECT id FROM item"],
                         [line["text"] for line in self.trace if line["is"] == "statement"])
        self.assertEqual([200], [line["status"] for line in self.trace if line["is"] == "request"])

    def test_what_is_no_beginning_of_a_session(self):
        with self.recording():
            for data in (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"\0" * 16, b"\xff" * 16,
                         struct.pack(">II", 1 << 30, PROTOCOL), b"\x16\x03\x01\x02\x00\x01",
                         struct.pack(">II", 9, PROTOCOL) + b"x"):
                with self.subTest(data[:20]):
                    connection = socket.create_connection(("127.0.0.1", self.database),
                                                          timeout=SECONDS)
                    self.addCleanup(connection.close)
                    connection.sendall(data)
                    answer = b"".join(iter(lambda: connection.recv(65536), b""))
                    self.assertEqual(b"E", answer[:1])
                    self.assertIn("FATAL", fields(("E", answer[5:]))["S"])
            self.assert_all_goes_on()

    def test_what_is_no_message_later(self):
        with self.recording():
            for data in (b"Q\xff\xff\xff\xff", b"Q\0\0\0\0", b"!\0\0\0\4", b"Q\x7f\xff\xff\xf0",
                         b"\0\0\0\0\0\0\0\0"):
                with self.subTest(data):
                    directly = self.server_says(data)
                    session = self.session()
                    session.send(data)
                    found = session.until_ready()[-1]
                    # The server says nothing of some of them; what is held, heddle has to read.
                    if found == ("", b"") or fields(found)["M"] == fields(directly).get("M"):
                        self.assertEqual(directly, found)
                    else:
                        self.assertEqual("08P01", fields(found)["C"])
                        self.assertIn("is no message of PostgreSQL's protocol", fields(found)["M"])
            self.assert_all_goes_on()

    def server_says(self, data):
        """Without a proxy."""
        with socket.socket(socket.AF_UNIX) as direct:
            direct.settimeout(SECONDS)
            direct.connect(f"{self.server.folder}/.s.PGSQL.5432")
            session = Session.__new__(Session)
            session.bytewise, session.socket = False, direct
            session.stream = direct.makefile("rb")
            session.send(struct.pack(">II", 8 + len(HELLO), PROTOCOL) + HELLO)
            session.until_ready()
            session.send(data)
            found = session.until_ready()[-1]
            session.close()
        return found

    def test_what_is_no_request(self):
        with self.recording():
            for data in (b"nonsense\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00",
                         b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * (1 << 20),
                         b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
                         b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                         b"no number\r\n"):
                with self.subTest(data[:60]):
                    self.assertRegex(self.response(data), "^HTTP/1.1 400 ")
            self.assert_all_goes_on()

    def test_a_server_that_dies_in_the_middle_of_a_result(self):
        many = "SELECT repeat('x', 1000) FROM generate_series(1, 1000000)"
        for how, code in ((signal.SIGTERM, "57P01"), (signal.SIGKILL, None)):
            with self.subTest(how), self.recording():
                session = self.session()
                backend, = values(session.ask("SELECT pg_backend_pid()"))
                session.send(b"Q" + struct.pack(">I", 5 + len(many)) + many.encode() + b"\0")
                self.assertEqual(["T", "D", "D"], [session.read()[0] for _ in range(3)])
                os.kill(int(backend), how)
                last = [each for each in session.until_ready() if each[0] not in ("D", "N")]
                # A message that was cut off has no other end than that of the connection; a server
                # that cannot write on leaves in that way, too.
                if last[-1][0] == "E":
                    self.assertIn(fields(last[-1])["C"], (code, "08006"))
                self.assertEqual(("", b""), session.read())
                self.assertTrue(given_servers.wait_until(self.is_answered))
                self.assert_all_goes_on()
            cut = [line for line in self.trace if line["is"] == "statement" and line["text"] == many]
            self.assertEqual(1, len(cut))

    def is_answered(self):
        """A server whose backend was killed ends the others and comes back."""
        return subprocess.run(["psql", f"{self.server.address} dbname=postgres", "-qXAtc", "SELECT"],
                              capture_output=True, check=False).returncode == 0

    def test_a_service_that_dies(self):
        with self.recording():
            before = self.response(REQUEST.replace(b"/whole", b"/before"))
            self.assertRegex(before, "^HTTP/1.1 502 ")
            within = self.response(REQUEST.replace(b"/whole", b"/within"))
            self.assertIn("Content-Length: 105", within)
            self.service.close()
            self.assertRegex(self.response(REQUEST), "^HTTP/1.1 502 ")


class HeldTest(OddConnectionsTest):
    """The same where each unit is held."""

    how = ("--schedule=first-come",)


REQUEST = b"POST /whole HTTP/1.1\r\nHost: shop\r\nContent-Length: 5\r\n\r\nwhole"


def processor_seconds(process):
    fields_of_it = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields_of_it[11]) + int(fields_of_it[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    unittest.main()
