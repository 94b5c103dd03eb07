"""Inputs and outputs that are missing, broken or in the way: found before any server is started."""

import os
import unittest

import program

SPEC = "session s1\nstep a { SELECT 1; }\n"


class InputTest(program.ProgramTest):
    def test_missing_file(self):
        self.assert_trouble(r"none\.spec", "explore", "none.spec")
        self.assert_trouble(r"none\.json", "replay", "none.json")

    def test_directory_as_file(self):
        os.mkdir(self.folder / "folder.spec")
        self.assert_trouble(r"folder\.spec.*directory", "explore", "folder.spec")

    def test_unreadable_file(self):
        # A link to itself is unreadable to everyone, root too.
        os.symlink("loop.spec", self.folder / "loop.spec")
        self.assert_trouble(r"loop\.spec", "explore", "loop.spec")

    def test_spec_files_that_are_none(self):
        for name, content in {
            "empty.spec": "",
            "words.spec": "this is no spec file\n",
            "open.spec": "session s1\nstep a { SELECT 1;\n",
            "bytes.spec": bytes(range(256)),
        }.items():
            with self.subTest(name):
                self.write(name, content)
                self.assert_trouble(rf"^{name}:\d+:\d+: .+", "explore", name)

    def test_a_slip_in_the_last_file_is_found_first(self):
        self.write("good.spec", SPEC)
        self.write("bad.spec", "nonsense\n")
        self.assert_trouble(r"^bad\.spec:1:", "explore", "good.spec", "bad.spec")

    def test_standard_input(self):
        self.assert_trouble(r"^<stdin>:\d+:\d+: ", "explore", "-", stdin="nonsense\n")
        self.assert_refused("heddle: standard input (-) is named twice, name it once",
                            "explore", "-", "-")

    def test_findings_that_are_none(self):
        for name, content in {"empty.json": "", "list.json": "[]\n", "other.json": '{"a": 1}\n',
                              "cut.json": '{"heddle": "finding/1",'}.items():
            with self.subTest(name):
                self.write(name, content)
                self.assert_trouble(rf"^{name}:", "replay", name)


class OutputTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("bank.spec", SPEC)

    def test_unwritable_output(self):
        self.assert_refused(
            "heddle: cannot write .: it is a directory, give a file in a directory that you may "
            "write to", "explore", "--output=.", "bank.spec")
        self.assert_trouble("there is no directory .*/nowhere, ",
                            "explore", "--output=nowhere/report.txt", "bank.spec")
        self.assert_trouble("there is no directory",
                            "explore", "--output=bank.spec/report.txt", "bank.spec")

    def test_unusable_directory_for_findings(self):
        self.assert_trouble("cannot make the directory bank.spec/findings",
                            "explore", "--save=bank.spec/findings", "bank.spec")
        self.assert_trouble("cannot make the directory bank.spec: ",
                            "explore", "--save=bank.spec", "bank.spec")

    def test_full_standard_output(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.heddle("--help", stdout=full)
        self.assertEqual(program.TROUBLE, done.returncode)
        self.assertEqual("heddle: cannot write to standard output: No space left on device\n",
                         done.stderr)

    def test_reader_that_went_away(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = self.heddle("--help", stdout=writer)
        os.close(writer)
        self.assertEqual(program.TROUBLE, done.returncode)
        self.assertIn("Broken pipe", done.stderr)


if __name__ == "__main__":
    unittest.main()
