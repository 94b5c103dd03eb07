"""initdb's work done once, for tests that start hundreds of servers and are not about initdb.

Nine tenths of a server's start are initdb, which makes the same files each time. HEDDLE_POSTGRES_BIN
names a folder below the build folder: its initdb runs the real one where it is asked in words that are
new, keeps a copy of the files, and copies these from then on. The server is the real one. Tests of the
start itself use the real initdb: throwaway_test.cc, environment_test.py and others that call use_real.
"""

import contextlib
import os
import pathlib
import shlex
import shutil
import subprocess

import given_servers

VARIABLE = "HEDDLE_POSTGRES_BIN"

# The words are: --pgdata FOLDER, and how. Copies are private to the server's account as initdb's are.
INITDB = r"""#!/bin/sh
PATH=/usr/bin:/bin
umask 077
if [ "$1" != --pgdata ]; then exec {real}/initdb "$@"; fi
folder=$2
shift 2
kept={kept}/$(printf '%s\n' "$@" | cksum | tr ' ' -)
if [ -d "$kept" ]; then exec cp -R "$kept/." "$folder"; fi
{real}/initdb --pgdata "$folder" "$@" || exit
new=$(mktemp -d {kept}/new-XXXXXX) && cp -R "$folder/." "$new" && mv -T "$new" "$kept" 2>/dev/null
[ ! -d "$new" ] || rm -rf "$new"
"""


def write_program(path, text):
    """In one step, because tests run beside each other."""
    new = path.with_name(f"{path.name}-{os.getpid()}")
    new.write_text(text)
    new.chmod(0o755)
    new.replace(path)


def make_programs(folder):
    """Those of heddle's own choice; another version has files of its own."""
    found = shutil.which("initdb")
    real = pathlib.Path(found).resolve().parent if found else given_servers.BINARIES
    user = given_servers.account("postgres")
    version = subprocess.run([real / "initdb", "--version"], capture_output=True, text=True,
                             check=True).stdout.split(" ", 2)[2]
    programs = folder / "".join(c if c.isalnum() else "-" for c in version.strip())
    kept = programs / "kept"
    kept.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        os.chown(kept, user.pw_uid, user.pw_gid)
    kept.chmod(0o700)
    with contextlib.suppress(FileExistsError):
        (programs / "postgres").symlink_to(real / "postgres")
    write_program(programs / "initdb", INITDB.format(
        real=shlex.quote(str(real)), kept=shlex.quote(str(kept))))
    return programs


def is_reached(programs):
    """Whether the account that servers run as may come so far."""
    command = given_servers.as_user(given_servers.account("postgres"), "test", "-w",
                                    programs / "kept")
    return subprocess.run(command, check=False).returncode == 0


def use_made(build):
    """From now on, for this process and those that it starts."""
    if VARIABLE in os.environ or not os.access(build, os.W_OK):
        return
    folder = pathlib.Path(build, "made_postgres")
    folder.mkdir(exist_ok=True)
    programs = make_programs(folder)
    if is_reached(programs):
        os.environ[VARIABLE] = str(programs)


def use_real():
    os.environ.pop(VARIABLE, None)
