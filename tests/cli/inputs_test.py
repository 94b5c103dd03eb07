"""Files and folders that hold no program, or are no text: one clear message and the right exit code."""

import ctypes
import os
import subprocess
import unittest

import program

PAY = """CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE pay(acc int, amount int) LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = acc;
  UPDATE account SET balance = b - amount WHERE id = acc;
END $$;
"""
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24


def without_powers_of_root():
    """For root, permissions of files count in the program that follows, too."""
    for power in [CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH]:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, power, 0, 0, 0)


class InputsTest(program.ProgramTest):
    def find(self, *words, **more):
        return self.heddle("find", *words, **more)

    def test_a_folder_without_a_program(self):
        os.makedirs(self.folder / "app/deeper")
        self.assert_refused("app: the folder has no .java and no .sql files, name the folder or the "
                            "files of the program", "find", "app")
        self.write("app/deeper/notes.txt", "nothing\n")
        self.assert_refused("app: the folder has no .java and no .sql files, name the folder or the "
                            "files of the program", "find", "app")

    def test_a_missing_file(self):
        self.assert_refused("gone.sql: cannot open: No such file or directory", "find", "gone.sql")
        self.write("pay.sql", PAY)
        self.assert_refused("gone: cannot open: No such file or directory", "find", "pay.sql", "gone")

    def test_a_folder_without_permission(self):
        os.makedirs(self.folder / "app")
        self.write("app/pay.sql", PAY)
        os.chmod(self.folder / "app", 0)
        self.addCleanup(os.chmod, self.folder / "app", 0o700)
        done = self.find("app", preexec_fn=without_powers_of_root)
        self.assertEqual((program.TROUBLE, ""), (done.returncode, done.stdout))
        self.assertEqual("app: the folder cannot be read: Permission denied, check its name and "
                         "permissions\n", done.stderr)

    def test_links_that_go_round(self):
        os.makedirs(self.folder / "app/inner")
        self.write("app/pay.sql", PAY)
        os.symlink("..", self.folder / "app/inner/up")
        os.symlink("loop.sql", self.folder / "app/loop.sql")
        done = self.find("app")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertEqual("", done.stderr)
        os.symlink("round", self.folder / "round")
        self.assert_refused("round: cannot open: Too many levels of symbolic links", "find", "round")

    def test_line_ends_and_byte_order_marks(self):
        plain = None
        for name, text in {"plain": PAY.encode(), "ends": PAY.replace("\n", "\r\n").encode(),
                           "mark": b"\xef\xbb\xbf" + PAY.encode(),
                           "both": b"\xef\xbb\xbf" + PAY.replace("\n", "\r\n").encode()}.items():
            with self.subTest(name):
                self.write("pay.sql", text)
                done = self.find("pay.sql")
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
                plain = plain or done.stdout
                self.assertEqual(plain, done.stdout)

    def test_bytes_that_are_no_text(self):
        for name, text, message in [
                ("nul.sql", PAY.encode() + b"SELECT 1\0;\n", r"^nul\.sql:8:9: .*NUL"),
                ("Nul.java", b"class Nul {\0}\n", r"^Nul\.java:1:12: .*NUL"),
                ("wide.sql", PAY.encode("utf-16"), r"^wide\.sql:1:4: this is UTF-16, save it as")]:
            with self.subTest(name):
                self.write(name, text)
                self.assert_trouble(message, "find", name)

    def test_bytes_of_another_encoding_are_said(self):
        self.write("latin.sql", PAY.encode() + b"SELECT '\xe9';\n")
        done = self.find("latin.sql")
        self.assertEqual(program.FOUND, done.returncode)
        self.assertRegex(done.stderr, r"^latin\.sql:8:9: warning: the text is not UTF-8")

    def test_one_file_of_a_folder_that_is_no_text(self):
        os.makedirs(self.folder / "app")
        self.write("app/pay.sql", PAY)
        self.write("app/dump.sql", PAY.replace("pay", "hidden").encode() + b"\0\0\n")
        done = self.find("app")
        self.assertEqual(program.FOUND, done.returncode)
        self.assertIn("1 file is left out; not readable: 1 (app/dump.sql)", done.stderr)

    def test_a_device_is_no_program(self):
        done = subprocess.run([program.HEDDLE, "find", "--timeout=10s", "/dev/null"],
                              cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(program.FOUND, done.returncode, done.stdout)


if __name__ == "__main__":
    unittest.main()
