"""cmake --install gives a heddle that works, with its manual page and completion scripts."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", str(ROOT / "build" / "dev")))


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False, **more)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = pathlib.Path(folder.name)
        done = run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        assert done.returncode == 0, done.stdout + done.stderr

    def test_the_program_is_in_the_path(self):
        path = f"{self.prefix / 'bin'}:/usr/bin:/bin"
        done = run("bash", "-c", "heddle --version", env={"PATH": path})
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"^heddle \d+\.\d+\.\d+\n$")

    def test_what_is_installed_is_what_the_program_prints(self):
        for place, words in {
            "share/man/man1/heddle.1": ("help", "--man"),
            "share/bash-completion/completions/heddle": ("completion", "bash"),
            "share/zsh/site-functions/_heddle": ("completion", "zsh"),
        }.items():
            with self.subTest(place):
                printed = run(self.prefix / "bin" / "heddle", *words)
                self.assertEqual(0, printed.returncode, printed.stderr)
                self.assertEqual(printed.stdout, (self.prefix / place).read_text())

    def test_bash_reads_its_script(self):
        done = run("bash", "-n", self.prefix / "share/bash-completion/completions/heddle")
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_the_manual_page_has_no_roff_mistake(self):
        page = self.prefix / "share/man/man1/heddle.1"
        requests = {line.split()[0] for line in page.read_text().splitlines()
                    if line.startswith((".", "'"))}
        self.assertEqual({".TH", ".SH", ".SS", ".PP", ".TP", ".br"}, requests)
        if shutil.which("groff"):
            done = run("groff", "-man", "-ww", "-Tascii", "-P-cbou", page)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertIn("EXIT STATUS", done.stdout)


if __name__ == "__main__":
    unittest.main()
