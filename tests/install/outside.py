"""A project outside of the repository that uses the installed package."""

import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", str(ROOT / "build" / "dev")))


def run(*words, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False, **more)


def build_sources(test_class, **sources):
    """A project of these texts, for all tests of the class: `name` is that of a file, CMakeLists its
    description. Returns its folder, and where its programs are."""
    folder = pathlib.Path(test_class.enterClassContext(tempfile.TemporaryDirectory()))
    for name, text in sources.items():
        (folder / ("CMakeLists.txt" if name == "CMakeLists" else f"{name}.cc")).write_text(text)
    return folder, build_project(folder)


def build_project(folder):
    """Installs what tests need of heddle into folder/prefix, and builds the project in `folder` with
    it. Returns where its programs are."""
    prefix, build = folder / "prefix", folder / "build"
    for step in (["cmake", "--install", BUILD, "--prefix", prefix, "--component", "sched"],
                 ["cmake", "-GNinja", "-S", folder, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"],
                 ["cmake", "--build", build]):
        done = run(*step)
        assert done.returncode == 0, done.stdout + done.stderr
    return build
