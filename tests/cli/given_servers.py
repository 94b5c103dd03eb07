"""Servers of PostgreSQL and MariaDB that stand for a user's own, and all that is on them as text."""

import contextlib
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

SECONDS_TO_STOP = 60
SECONDS_TO_ANSWER = 60
BINARIES = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]


def account(preferred):
    """The user that a server runs as where we are root, which servers refuse to be."""
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(preferred)
    return pwd.getpwnam("nobody")


def as_user(user, *command):
    if os.geteuid() != 0:
        return list(command)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups",
            *map(str, command)]


def wait_until(is_so, seconds=30):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@contextlib.contextmanager
def private_folder(user):
    """In memory where that is possible: a server that is killed leaves no writes to a disk behind."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else "/tmp"
    with tempfile.TemporaryDirectory(prefix="given-", dir=place) as name:
        if os.geteuid() == 0:
            os.chown(name, user.pw_uid, user.pw_gid)
        yield pathlib.Path(name)


def stop(server, how):
    """In the way that the server takes for an end at once; killed where that takes long."""
    server.send_signal(how)
    try:
        server.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(SECONDS_TO_STOP)


class Postgres:
    """Reached by its Unix socket."""

    def __init__(self, folder):
        self.folder = folder
        self.address = f"host={folder} user=postgres"
        self.url = f"postgres://postgres@/?host={folder}"

    def ask(self, sql, database="postgres"):
        return subprocess.run(["psql", f"{self.address} dbname={database}", "-qXAtc", sql],
                              check=True, capture_output=True, text=True,
                              timeout=SECONDS_TO_ANSWER).stdout

    def fill(self):
        self.ask("CREATE ROLE clerk LOGIN PASSWORD 'kept'")
        for name in ("shop", "heddle_1234_1", "heddle_0123456789abcdef_fedcba987654321"):
            self.ask(f'CREATE DATABASE "{name}"')
            self.ask("CREATE TABLE account (id int PRIMARY KEY, balance int); "
                     "INSERT INTO account SELECT i, i * 7 FROM generate_series(1, 50) i; "
                     "GRANT SELECT ON account TO clerk", name)

    def databases(self):
        return set(self.ask("SELECT datname FROM pg_database").split())

    def connections(self):
        """How many there are besides the one that asks."""
        return int(self.ask("SELECT count(*) FROM pg_stat_activity WHERE backend_type = "
                            "'client backend' AND pid <> pg_backend_pid()"))

    def everything(self):
        dump = subprocess.run([BINARIES / "pg_dumpall", "-d", self.address], check=True,
                              capture_output=True, text=True, timeout=SECONDS_TO_ANSWER).stdout
        # A newer pg_dumpall draws a random word for each dump.
        return re.sub(r"(?m)^\\(un)?restrict .*$", "", dump)


@contextlib.contextmanager
def postgres(settings=""):
    """`settings` are further lines of postgresql.conf."""
    user = account("postgres")
    with private_folder(user) as folder:
        data = folder / "data"
        subprocess.run(as_user(user, BINARIES / "initdb", "-D", data, "-U", "postgres",
                               "--auth=trust", "--no-sync"),
                       check=True, cwd="/tmp", stdout=subprocess.DEVNULL)
        with open(data / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(f"listen_addresses=''\nunix_socket_directories='{folder}'\nfsync=off\n")
            file.write(settings)
        with open(folder / "log", "wb") as log, subprocess.Popen(
                as_user(user, BINARIES / "postgres", "-D", data), cwd="/tmp", stdout=log,
                stderr=log) as server:
            try:
                given = Postgres(folder)
                assert wait_until(lambda: subprocess.run(
                    [BINARIES / "pg_isready", "-qd", given.address], check=False).returncode == 0)
                yield given
            finally:
                stop(server, signal.SIGQUIT)


class MariadbClient:
    """As much of the protocol as it takes: root without a password, texts in and rows out."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS_TO_ANSWER)
        try:
            self.socket.connect(str(path))
        except OSError:
            self.socket.close()
            raise
        self.read_packet()
        capabilities = 0x00000200 | 0x00008000 | 0x00080000  # protocol 4.1, with plugins
        self.write_packet(struct.pack("<IIB23x", capabilities, 1 << 24, 45) + b"root\0\0" +
                          b"mysql_native_password\0", 1)
        self.check(self.read_packet())

    def close(self):
        self.socket.close()

    def read_exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("the server has closed the connection")
            data += part
        return data

    def read_packet(self):
        header = self.read_exactly(4)
        return self.read_exactly(int.from_bytes(header[:3], "little"))

    def write_packet(self, payload, number=0):
        self.socket.sendall(len(payload).to_bytes(3, "little") + bytes([number]) + payload)

    @staticmethod
    def check(packet):
        if packet[:1] == b"\xff":
            raise RuntimeError(packet[9:].decode(errors="replace"))
        return packet

    @staticmethod
    def cells(packet):
        """Texts with their lengths before them."""
        at, found = 0, []
        while at < len(packet):
            size = packet[at]
            at += 1
            if size == 0xFB:
                found.append(None)
                continue
            if size >= 0xFC:
                width = {0xFC: 2, 0xFD: 3, 0xFE: 8}[size]
                size, at = int.from_bytes(packet[at:at + width], "little"), at + width
            found.append(packet[at:at + size].decode(errors="replace"))
            at += size
        return found

    def ask(self, sql):
        self.write_packet(b"\x03" + sql.encode())
        if self.check(self.read_packet())[:1] == b"\x00":
            return []
        while self.read_packet()[:1] != b"\xfe":
            pass
        rows = []
        while True:
            packet = self.check(self.read_packet())
            if packet[:1] == b"\xfe" and len(packet) < 9:
                return rows
            rows.append(self.cells(packet))


class Mariadb:
    """Reached by its Unix socket."""

    def __init__(self, folder):
        self.socket = folder / "socket"
        self.url = f"mysql://root@/?socket={self.socket}"

    def ask(self, sql):
        with contextlib.closing(MariadbClient(self.socket)) as client:
            return client.ask(sql)

    def fill(self):
        self.ask("CREATE USER clerk@localhost IDENTIFIED BY 'kept'")
        self.ask("CREATE ROLE reader")
        for name in ("shop", "heddle_1234_1", "heddle_1234_1_snapshot"):
            self.ask(f"CREATE DATABASE {name}")
            self.ask(f"CREATE TABLE {name}.account (id INT PRIMARY KEY, balance INT)")
            self.ask(f"INSERT INTO {name}.account VALUES (1, 7), (2, 14), (3, NULL)")
            self.ask(f"GRANT SELECT ON {name}.account TO clerk@localhost")

    def databases(self):
        return {row[0] for row in self.ask("SHOW DATABASES")}

    def connections(self):
        """How many there are besides the one that asks."""
        return int(self.ask("SELECT COUNT(*) FROM information_schema.processlist "
                            "WHERE id <> CONNECTION_ID() AND user = 'root'")[0][0])

    def dump(self):
        """Without what the server counts by itself."""
        counted = [f"--ignore-table=mysql.{name}" for name in
                   ("innodb_index_stats", "innodb_table_stats", "table_stats", "column_stats",
                    "index_stats", "transaction_registry")]
        return subprocess.run(
            ["mariadb-dump", "--no-defaults", "--all-databases", "--skip-dump-date", "--routines",
             "--events", "--system=users", *counted, f"--socket={self.socket}", "--user=root"],
            check=True, capture_output=True, text=True, timeout=SECONDS_TO_ANSWER).stdout

    def everything(self):
        """Each table, its rows, and who may what; and what mariadb-dump says, where it is installed."""
        text = [self.dump() if shutil.which("mariadb-dump") else ""]
        tables = self.ask(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema "
            "NOT IN ('information_schema', 'performance_schema', 'sys', 'mysql') "
            "AND table_type = 'BASE TABLE' ORDER BY 1, 2")
        text.append(repr(sorted(self.databases())))
        for schema, table in tables:
            text.append(repr(self.ask(f"SHOW CREATE TABLE `{schema}`.`{table}`")))
            text.append(repr(sorted(map(repr, self.ask(f"SELECT * FROM `{schema}`.`{table}`")))))
        for table in ("global_priv", "db", "tables_priv", "roles_mapping", "proc", "event"):
            text.append(repr(sorted(map(repr, self.ask(f"SELECT * FROM mysql.{table}")))))
        return "\n".join(text)


def system_tables():
    share = next(path for path in map(pathlib.Path, ("/usr/share/mysql", "/usr/share/mariadb"))
                 if path.is_dir())
    text = b"CREATE DATABASE mysql;\nUSE mysql;\n"
    for part in ("system_tables", "performance_tables", "system_tables_data"):
        text += next(iter(share.glob(f"m*_{part}.sql"))).read_bytes() + b"\n"
    return text + b"DELETE FROM global_priv WHERE Host <> 'localhost';\n"


@contextlib.contextmanager
def mariadb():
    user = account("mysql")
    with private_folder(user) as folder:
        data = folder / "data"
        as_whom = [f"--user={user.pw_name}"] if os.geteuid() == 0 else []
        data.mkdir()
        if os.geteuid() == 0:
            os.chown(data, user.pw_uid, user.pw_gid)
        # mariadb-install-db takes programs that Debian has in the package of the client.
        subprocess.run(["mariadbd", "--no-defaults", "--bootstrap", f"--datadir={data}", *as_whom],
                       check=True, cwd="/tmp", input=system_tables(), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        with open(folder / "log", "wb") as log, subprocess.Popen(
                ["mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={folder}/socket",
                 "--skip-networking", "--innodb-flush-log-at-trx-commit=0",
                 "--innodb-use-native-aio=0", *as_whom],
                cwd="/tmp", stdout=log, stderr=log) as server:
            try:
                given = Mariadb(folder)

                def answers():
                    with contextlib.suppress(OSError, RuntimeError):
                        return bool(given.ask("SELECT 1"))
                    return False

                assert wait_until(answers, 60), (folder / "log").read_text()
                yield given
            finally:
                stop(server, signal.SIGTERM)
