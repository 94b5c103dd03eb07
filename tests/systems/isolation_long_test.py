"""PostgreSQL's own isolation tests through proxies that observe and that hold, and without any.

The specs and the program that runs them are those of Debian's source package, which is fetched and
built in a folder that goes away; skipped where it cannot be fetched."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "cli"))

import given_servers
import program

PACKAGE = f"postgresql-{given_servers.BINARIES.parent.name}"
SECONDS = 840
SLOWER_AT_MOST = 1.5


class NotFetched(Exception):
    """Why the source package is not there."""


def run(*words, folder=None):
    return subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=SECONDS, check=False)


def fetch(folder):
    """The archive of the source of the server that is installed, in the folder."""
    for needed in ("apt-get", "make"):
        if shutil.which(needed) is None:
            raise NotFetched(f"there is no {needed}")
    # The places of the packages are those of their sources; apt's own lists stay as they are.
    known = run("apt-get", "indextargets", "--format", "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)",
                "Created-By: Packages").stdout
    (folder / "sources.list").write_text("\n".join(sorted(set(known.splitlines()))) + "\n")
    (folder / "lists" / "partial").mkdir(parents=True)
    own = ("-qq", "-o", f"Dir::Etc::SourceList={folder}/sources.list",
           "-o", "Dir::Etc::SourceParts=/dev/null", "-o", f"Dir::State::Lists={folder}/lists")
    version = run("dpkg-query", "--show", "--showformat", "${source:Version}", PACKAGE).stdout
    for words in (("update",), ("source", "--download-only", f"{PACKAGE}={version}")):
        said = run("apt-get", *own, *words, folder=folder)
        if said.returncode != 0:
            raise NotFetched(f"apt-get {' '.join(words)} fails: {said.stderr.strip()}")
    return next(folder.glob("*.orig.tar.*"))


def build(folder):
    """Its folder of isolation tests, with pg_isolation_regress in it."""
    with tarfile.open(fetch(folder)) as archive:
        archive.extractall(folder)
    source, = (each for each in folder.glob("postgresql-*") if each.is_dir())
    for words in (("./configure", "--without-readline", "--without-zlib"),
                  ("make", "-s", f"-j{os.cpu_count()}", "-C", "src/test/isolation", "all")):
        said = run(*words, folder=source)
        if said.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {said.stdout}{said.stderr}")
    return source / "src" / "test" / "isolation"


class IsolationTest(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        try:
            cls.tests = build(folder)
        except NotFetched as why:
            print(f"skipped: {why}", file=sys.stderr)
            raise unittest.SkipTest(str(why)) from None
        cls.server = cls.enterClassContext(given_servers.postgres(
            "max_prepared_transactions=10\nlc_messages=C\n"))

    def command(self):
        """One test after the other, against the server that PGHOST and PGPORT name."""
        run("dropdb", "--if-exists", "isolation_regression", "-h", self.server.folder, "-U", "postgres")
        run("createdb", "isolation_regression", "-h", self.server.folder, "-U", "postgres")
        regress = (f"{self.tests}/pg_isolation_regress --use-existing --user=postgres "
                   f"--inputdir={self.tests} --outputdir={self.folder} "
                   f"--schedule={self.tests}/isolation_schedule "
                   f"--bindir={given_servers.BINARIES} --dbname=isolation_regression "
                   '--host="$PGHOST" --port="$PGPORT"')
        return "sh", "-c", regress

    def seconds_of(self, words, environment=None):
        begin = time.monotonic()
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=SECONDS, check=False)
        seconds = time.monotonic() - begin
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        passed, = re.search(r"All (\d+) tests passed", done.stdout).groups()
        schedule = (self.tests / "isolation_schedule").read_text()
        self.assertEqual(len(re.findall(r"(?m)^test:", schedule)), int(passed))
        return seconds

    def test_all_pass_and_hardly_slower(self):
        self.write("heddle.yaml", textwrap.dedent(f"""\
            system:
              services: {{tests: {{}}}}
              stores:
                tests-db: {{kind: postgres, address: {self.server.folder}/.s.PGSQL.5432}}
              edges:
                - caller: tests
                  callee: tests-db
                  environment: {{PGHOST: "{{host}}", PGPORT: "{{port}}"}}
            """))
        directly = self.seconds_of(self.command(), os.environ | {
            "PGHOST": str(self.server.folder), "PGPORT": "5432"})
        print(f"without proxies {directly:.1f} s", file=sys.stderr)
        for schedule in ("", "--schedule=first-come"):
            with self.subTest(schedule):
                seconds = self.seconds_of([program.HEDDLE, "record", "--idle=10ms",
                                           *schedule.split(), "--", *self.command()])
                print(f"{schedule or 'observed'} {seconds:.1f} s, {seconds / directly:.2f} times",
                      file=sys.stderr)
                self.assertLess(seconds / directly, SLOWER_AT_MOST)


if __name__ == "__main__":
    unittest.main()
