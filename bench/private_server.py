"""A private PostgreSQL server for the benchmarks, like heddle's own throwaway servers."""
import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile


def newest_binaries():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"),
                   key=lambda path: int(path.split("/")[4]))
    if not found:
        sys.exit("bench: no PostgreSQL server is installed; run scripts/setup")
    return os.path.dirname(found[-1])


class Server:
    """A private server without durability, as heddle's own throwaway servers are."""

    def __init__(self, binaries, on_disk=False):
        self.binaries = binaries
        memory = "/dev/shm"  # where heddle's throwaway servers live as well
        place = "/var/tmp" if on_disk else memory if os.path.isdir(memory) else None
        self.directory = tempfile.mkdtemp(prefix="bench-server-", dir=place)
        self.as_user = {}
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.directory, user.pw_uid, user.pw_gid)
            self.as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self.data = os.path.join(self.directory, "data")
        self.run("initdb", "-D", self.data, "-N", "-A", "trust", "--no-locale", "-E", "UTF8",
                 "-U", "bench")
        options = (f"-c listen_addresses= -k {self.directory} -c fsync=off -c full_page_writes=off "
                   "-c synchronous_commit=off -c autovacuum=off -c max_prepared_transactions=64")
        self.run("pg_ctl", "-D", self.data, "-o", options, "-l",
                 os.path.join(self.directory, "log"), "-w", "start")

    def run(self, program, *arguments):
        subprocess.run([os.path.join(self.binaries, program), *arguments], check=True,
                       cwd=self.directory,
                       stdout=subprocess.DEVNULL, **self.as_user)

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.directory)
