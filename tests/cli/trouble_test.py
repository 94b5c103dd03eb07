"""Trouble on the way: servers that die, full disks, signals. What heddle says; that nothing stays."""

import contextlib
import ctypes
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

import made_postgres
import program

made_postgres.use_real()

BANK = """\
setup { CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 100); }
session s1
step r1 { SELECT balance FROM account WHERE id = 1; }
step w1 { UPDATE account SET balance = 110 WHERE id = 1; }
session s2
step r2 { SELECT balance FROM account WHERE id = 1; }
step w2 { UPDATE account SET balance = 120 WHERE id = 1; }
"""
# 40 MB.
HEAP = """\
setup { CREATE TABLE heap (line text); }
session s1
step fill { INSERT INTO heap SELECT repeat('x', 1900) FROM generate_series(1, 20000); }
session s2
step look { SELECT count(*) FROM heap; }
"""
# heddle itself never says DO, so that the title of the server's process tells that this step runs.
NAP = "session s3\nstep nap { DO $$ BEGIN PERFORM pg_sleep(600); END $$; }\n"
# Nobody drops the role, which all databases of a server share.
ROLE = """\
setup { CREATE ROLE ada; CREATE TABLE t (i int); }
session s1
step a { SELECT count(*) FROM pg_roles WHERE rolname = 'ada'; }
permutation a
"""
SPECS = {
    "bank.spec": BANK,
    "stuck.spec": BANK + NAP + "permutation r1 nap w1 r2 w2\n",
    "late.spec": BANK + NAP + "permutation r1 r2 w2 w1\npermutation nap\n",
    "broken.spec": BANK.replace("CREATE TABLE", "CREATE TABEL"),
    "session.spec": BANK.replace("session s2\n", "session s2\n  setup { SELECT nothing; }\n"),
    "heap.spec": HEAP,
    "role.spec": ROLE,
}

# Servers are made in memory where there is one, as heddle itself prefers it.
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else "/tmp"

# Not in Python's own library: of <linux/prctl.h> and <linux/capability.h>.
PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER = 24, 36
CAP_DAC_OVERRIDE = 1
LIBC = ctypes.CDLL(None)

# A small disk at $TMPDIR for the program and whatever it starts, and a look at what it leaves there.
ON_A_SMALL_DISK = """
mount -t tmpfs -o size=8m none "$TMPDIR" && echo mounted || exit
"$@"
code=$?
ls -A "$TMPDIR"
exit $code
"""


def processes():
    """Number -> (parent, name) of all that run; who is dead and waits for the burial does not."""
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            line = pathlib.Path("/proc", number, "stat").read_text(errors="replace")
            name, _, rest = line.partition(" (")[2].rpartition(") ")
            state, parent = rest.split()[:2]
            if state not in "ZX":
                found[int(number)] = (int(parent), name)
    return found


def descendants(ancestor):
    """Number -> name of the children, their children, and so on."""
    known = processes()
    family = {ancestor}
    grown = True
    while grown:
        more = {number for number, (parent, _) in known.items() if parent in family} - family
        family |= more
        grown = bool(more)
    return {number: known[number][1] for number in family - {ancestor}}


def title_of(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode().rstrip("\0 ")
    return ""


def child_of(heddle, name):
    """The child of this name, or None."""
    known = processes().items()
    return next((child for child, row in known if row == (heddle.pid, name)), None)


def server_of(heddle):
    """The postmaster of a throwaway server."""
    return child_of(heddle, "postgres")


def nap_of(heddle):
    """The server's process, throwaway or given, in which the step `nap` of this heddle runs."""
    given = r"heddle_[0-9a-f]{16}_[0-9a-f]{16}"
    databases = rf"(heddle_{heddle.pid}_\d+|{given}|isolation_regression)"
    title = re.compile(rf"postgres: \S+ {databases} \[local\] DO")
    return next((each for each in descendants(os.getpid()) if title.fullmatch(title_of(each))), None)


def without_powers_of_root():
    """For root, permissions of files count in the program that follows, too."""
    LIBC.prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


def limit_files(size):
    """Writing beyond is refused, as on a full disk. A server's log has files of 16 MB."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class TroubleTest(program.ProgramTest):
    """Each test has a TMPDIR of its own, short because the server's socket is below it. Processes that
    lose their parent become children of the test, so that none gets out of sight."""

    @classmethod
    def setUpClass(cls):
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def setUp(self):
        super().setUp()
        temporary = tempfile.TemporaryDirectory(prefix="ht-", dir=MEMORY)
        self.addCleanup(temporary.cleanup)
        self.addCleanup(self.end_all)
        self.temporary = pathlib.Path(temporary.name)
        self.temporary.chmod(0o755)  # heddle of root runs the server as another user
        self.environment = {**os.environ, "TMPDIR": temporary.name}
        self.seen = set()
        for name, content in SPECS.items():
            self.write(name, content)

    def end_all(self):
        """After a test that failed halfway: guards are given the time to tidy up."""
        deadline = time.monotonic() + 10
        while left := descendants(os.getpid()):
            for process in left if time.monotonic() > deadline else ():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.01)

    def heddle(self, *words, **more):
        return super().heddle(*words, env=self.environment, **more)

    def start(self, *words):
        running = subprocess.Popen([program.HEDDLE, "explore", "--jobs=1", *words], cwd=self.folder,
                                   env=self.environment, text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        self.addCleanup(running.stdout.close)
        self.addCleanup(running.stderr.close)
        return running

    def eventually(self, condition):
        """Asks until the answer is true, for a minute: far longer than anything here takes."""
        deadline = time.monotonic() + 60
        while not (answer := condition()):
            self.assertLess(time.monotonic(), deadline, "this has not come about")
            time.sleep(0.01)
        return answer

    def process(self, find, running):
        """What `find` finds as soon as there is one; heddle must not end before."""
        found = self.eventually(lambda: find(running) or running.poll() is not None)
        if running.returncode is not None:
            self.fail(f"ended too early: {running.returncode}\n{''.join(running.communicate())}")
        self.seen.update(descendants(os.getpid()))
        return found

    def start_napping(self, *words):
        """heddle while the step that does not return runs."""
        running = self.start(*words)
        self.process(nap_of, running)
        return running

    def initdb_of(self, heddle):
        """initdb in the middle of its work, when it is about to run a server of its own."""
        begun = any(self.temporary.glob("heddle-*/data/pg_hba.conf"))
        return child_of(heddle, "initdb") if begun else None

    def finish(self, running, code):
        """Standard output and standard error."""
        said = running.communicate(timeout=60)
        self.assertEqual(code, running.returncode, "".join(said))
        return said

    def assert_one_line(self, pattern, said):
        """Nothing on standard output, and on standard error one line, which gives a reason."""
        self.assertEqual("", said[0])
        self.assertRegex(said[1], r"\A(heddle|\w+\.spec): .*[^\s:]\n\Z")
        self.assertRegex(said[1], pattern)

    def what_is_left(self):
        """Processes, segments of shared memory that one of them has made, and files."""
        lines = pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
        segments = [line for line in lines if int(line.split()[4]) in self.seen]
        return list(descendants(os.getpid()).values()) + segments + os.listdir(self.temporary)

    def assert_nothing_left(self):
        self.assertEqual([], self.what_is_left())

    def assert_works(self):
        """The next run is as any other."""
        done = self.heddle("explore", "--jobs=1", "bank.spec")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        self.assertIn("Lost update", done.stdout)
        self.assert_nothing_left()


class ServerTest(TroubleTest):
    def test_a_server_that_dies(self):
        running = self.start_napping("stuck.spec")
        os.kill(server_of(running), signal.SIGKILL)
        self.assert_one_line("(?i)connection|server", self.finish(running, program.TROUBLE))
        self.assert_nothing_left()

    def test_a_server_that_crashes_and_comes_back(self):
        # As when the kernel is out of memory: the server ends all sessions and starts again.
        running = self.start_napping("stuck.spec")
        os.kill(nap_of(running), signal.SIGKILL)
        self.assert_one_line("(?i)connection|server", self.finish(running, program.TROUBLE))
        self.assert_nothing_left()

    def test_files_of_the_server_that_cannot_be_made(self):
        running = self.start("bank.spec")
        os.kill(self.process(self.initdb_of, running), signal.SIGKILL)
        said = self.finish(running, program.TROUBLE)
        self.assert_one_line("cannot start a temporary PostgreSQL server: initdb was ended by signal 9",
                             said)
        self.assertNotIn("raise the machine's limits", said[1])
        self.assert_nothing_left()

    def test_a_step_that_never_returns(self):
        done = self.heddle("explore", "--jobs=1", "--step-timeout=300ms", "stuck.spec")
        self.assertEqual((program.UNKNOWN, ""), (done.returncode, done.stderr))
        self.assertIn("step nap did not return within 300 ms", " ".join(done.stdout.split()))
        self.assert_nothing_left()

    def test_an_error_in_the_setup(self):
        self.assert_trouble(r'\Abroken\.spec:1:\d+: setup failed: ERROR: .* "TABEL"',
                            "explore", "broken.spec")
        self.assert_nothing_left()

    def test_files_share_a_server(self):
        running = self.start("bank.spec", "stuck.spec")
        first = self.process(server_of, running)
        self.process(nap_of, running)
        self.assertEqual(first, server_of(running))
        os.kill(first, signal.SIGKILL)
        said = self.finish(running, program.TROUBLE)
        self.assertIn("Lost update", said[0])
        self.assertEqual("stuck.spec: lost the connection to the server while step nap ran\n", said[1])
        self.assert_nothing_left()

    def test_files_that_would_meet_on_a_server(self):
        done = self.heddle("explore", "role.spec", "bank.spec", "role.spec", "role.spec")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        self.assertEqual(3, done.stdout.count("No anomaly"))
        self.assert_nothing_left()

    def test_the_next_file_has_another_server_when_one_has_died(self):
        running = self.start("stuck.spec", "bank.spec")
        os.kill(server_of(running) if self.process(nap_of, running) else 0, signal.SIGKILL)
        said = self.finish(running, program.TROUBLE)
        self.assertIn("Lost update", said[0])
        self.assertEqual("stuck.spec: lost the connection to the server while step nap ran\n", said[1])
        self.assert_nothing_left()

    def test_two_at_once(self):
        both = [self.start("bank.spec")]
        self.process(server_of, both[0])
        both[0].send_signal(signal.SIGSTOP)  # until the other's server is there as well
        both.append(self.start("bank.spec"))
        self.process(server_of, both[1])
        both[0].send_signal(signal.SIGCONT)
        first, second = [self.finish(running, program.FOUND) for running in both]
        self.assertEqual(first, second)
        self.assertIn("Lost update", first[0])
        self.assert_nothing_left()


class GivenServerTest(TroubleTest):
    """The throwaway server of another heddle, whose step never returns, stands for a given one."""

    def setUp(self):
        super().setUp()
        self.host = self.start_napping("--step-timeout=10m", "stuck.spec")
        [directory] = self.temporary.iterdir()
        socket = urllib.parse.quote(str(directory / "socket"), safe="")
        self.address = f"--on=postgres://postgres@{socket}/postgres"
        self.data = directory / "data"

    def databases(self):
        return sorted(os.listdir(self.data / "base"))

    def assert_host_ends(self):
        self.host.send_signal(signal.SIGTERM)
        self.finish(self.host, 128 + signal.SIGTERM)
        self.assert_nothing_left()

    def test_a_server_that_goes_away(self):
        running = self.start_napping(self.address, "stuck.spec")
        os.kill(server_of(self.host), signal.SIGKILL)
        self.assert_one_line("(?i)connection|server", self.finish(running, program.TROUBLE))
        self.finish(self.host, program.TROUBLE)
        self.assert_nothing_left()

    def test_databases_go(self):
        before = self.databases()
        both = [self.start(self.address, "bank.spec"), self.start(self.address, "bank.spec")]
        first, second = [self.finish(running, program.FOUND) for running in both]
        self.assertEqual(first, second)
        self.assertEqual(before, self.databases())

        self.assert_trouble(r'\Asession\.spec:6:\d+: setup of session s2 failed: ERROR: .* "nothing"',
                            "explore", self.address, "session.spec")
        self.assertEqual(before, self.databases())

        running = self.start_napping(self.address, "stuck.spec")
        self.assertNotEqual(before, self.databases())
        running.kill()
        self.eventually(lambda: self.databases() == before)
        self.assert_host_ends()


class DiskTest(TroubleTest):
    def test_a_full_disk(self):
        mount = ["unshare", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh"]
        if os.geteuid() != 0:
            mount[1:1] = ["--user", "--map-root-user"]
            # The server refuses to run as root.
            mount += ["unshare", "--user", f"--map-user={os.getuid()}", f"--map-group={os.getgid()}"]
        done = subprocess.run([*mount, program.HEDDLE, "explore", "bank.spec"], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True, timeout=60,
                              check=False)
        if "mounted" not in done.stdout:
            print("trouble_test: here nothing may be mounted, so there was no full disk; the tests of "
                  f"the limit on files stand for it: {done.stderr.strip()}", file=sys.stderr)
            return
        self.assertEqual((program.TROUBLE, "mounted\n"), (done.returncode, done.stdout), done.stderr)
        self.assert_one_line("No space left on device, .*TMPDIR", ("", done.stderr))
        self.assert_nothing_left()

    def test_no_room_for_a_server(self):
        self.assert_trouble(r"\Aheddle: cannot start .*File too large, .*ulimit -f",
                            "explore", "bank.spec", preexec_fn=limit_files(1_000_000))
        self.assert_nothing_left()

    def test_no_room_for_what_a_step_writes(self):
        # An error of the machine is not an answer to the scenario.
        self.assert_trouble("could not extend file", "explore", "heap.spec",
                            preexec_fn=limit_files(20_000_000))
        self.assert_nothing_left()


class SignalTest(TroubleTest):
    def test_killed_while_a_step_runs(self):
        running = self.start_napping("stuck.spec")
        running.kill()
        self.eventually(lambda: self.what_is_left() == [])

    def test_killed_while_the_server_is_made(self):
        running = self.start("stuck.spec")
        self.process(self.initdb_of, running)
        running.kill()
        self.eventually(lambda: self.what_is_left() == [])

    def test_killed_together_with_the_guard(self):
        running = self.start_napping("stuck.spec")
        os.kill(child_of(running, "throwaway-guard"), signal.SIGKILL)
        running.kill()
        running.wait()
        self.assertIn("postgres", self.what_is_left())
        self.assert_works()

    def interrupt(self, number, *words):
        """Standard output; as a terminal does, to all in the foreground."""
        running = self.start_napping(*words)
        os.killpg(running.pid, number)
        said = self.finish(running, 128 + number)
        self.assertEqual("", said[1])
        self.assert_nothing_left()
        return said[0]

    def test_interrupted_while_a_step_runs(self):
        # The permutation before that step was run, and loses an update.
        said = " ".join(self.interrupt(signal.SIGINT, "late.spec").split())
        self.assertIn(": interrupted.", said)
        self.assertNotRegex(said, "No anomaly in (the only|any of the [1-9])")

    def test_interrupted_where_nothing_is_judged(self):
        said = self.interrupt(signal.SIGINT, "--format=isolationtester", "stuck.spec")
        self.assertIn("starting permutation: r1 nap w1 r2 w2", said)

    def test_interrupted_before_all_levels(self):
        said = self.interrupt(signal.SIGINT, "--isolation=read-committed",
                              "--isolation=serializable", "late.spec")
        self.assertIn("Lost update", said)
        self.assertIn(": interrupted.", " ".join(said.split()))

    def test_terminated_while_a_step_runs(self):
        said = self.interrupt(signal.SIGTERM, "--output=report.txt", "bank.spec", "stuck.spec")
        self.assertEqual("", said)
        said = (self.folder / "report.txt").read_text()
        self.assertIn("Lost update", said)
        self.assertIn(": interrupted.", " ".join(said.split()))
        self.assertEqual(["report.txt"], sorted(set(os.listdir(self.folder)) - set(SPECS)))

    def test_interrupted_while_the_server_is_made(self):
        running = self.start("stuck.spec")
        self.process(self.initdb_of, running)
        os.killpg(running.pid, signal.SIGINT)
        self.assertEqual("", self.finish(running, program.INTERRUPTED)[1])
        self.assert_nothing_left()


class OutputTest(TroubleTest):
    """Found before any server is started: there is none to start."""

    def setUp(self):
        super().setUp()
        self.environment["HEDDLE_POSTGRES_BIN"] = str(self.folder / "nowhere")
        (self.folder / "closed").mkdir(mode=0o555)
        self.before = set(self.folder.rglob("*"))

    def assert_refused(self, message, *words, **more):
        super().assert_refused(message, "explore", *words, "bank.spec",
                               preexec_fn=without_powers_of_root, **more)
        self.assertEqual(self.before, set(self.folder.rglob("*")))
        self.assert_nothing_left()

    def test_a_server_would_be_missed(self):
        self.assert_trouble(r"\Aheddle: \$HEDDLE_POSTGRES_BIN is .*/nowhere", "explore", "bank.spec")

    def test_a_folder_that_may_not_be_written_to(self):
        advice = "give a file in a directory that you may write to"
        self.assert_refused(f"heddle: cannot write closed/report.txt: Permission denied, {advice}",
                            "--output=closed/report.txt")

    def test_a_folder_that_is_not_there(self):
        missing = self.folder / "missing"
        advice = "give a file in a directory that you may write to"
        self.assert_refused(
            f"heddle: cannot write missing/report.txt: there is no directory {missing}, {advice}",
            "--output=missing/report.txt")

    def test_folders_for_findings(self):
        advice = "give --save a directory that you may write to"
        for folder in ("closed/findings", "closed"):
            with self.subTest(folder):
                done = self.heddle("explore", f"--save={folder}", "bank.spec",
                                   preexec_fn=without_powers_of_root)
                self.assertEqual((program.TROUBLE, ""), (done.returncode, done.stdout), done.stderr)
                self.assertRegex(done.stderr, rf"\Aheddle: .* {folder}: Permission denied, {advice}\n\Z")


if __name__ == "__main__":
    unittest.main()
