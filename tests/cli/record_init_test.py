"""heddle record --init: the heddle.yaml that a team begins with."""

import os
import re
import stat
import unittest

import program

KEYS = ("start stop reset health rest services stores edges address logs kind aliases own caller "
        "callee outer listen database environment redact mask").split()


class RecordInitTest(program.ProgramTest):
    def test_the_file_is_read_up_to_what_the_shop_does_not_have(self):
        done = self.heddle("record", "--init")
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stdout), done.stderr)
        self.assertRegex(done.stderr, r"^heddle.yaml: .*heddle record --check\n$")
        # Its start command is the first thing in it that is not there.
        done = self.heddle("record", "--", "true")
        self.assertEqual(program.TROUBLE, done.returncode)
        self.assertRegex(done.stderr, r'heddle\.yaml:\d+:\d+: .*no program "\./start"')

    def test_every_key_has_a_comment(self):
        text = self.heddle("record", "--init", "--config=-").stdout
        lines = text.splitlines()
        for key in KEYS:
            first = next(i for i, line in enumerate(lines)
                         if re.match(rf"\s*(- |# )?{key}:", line))
            self.assertRegex(lines[first - 1], r"^\s*#", key)
        self.assertIn("${SHOP_PORT:-8080}", text)
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_it_is_printed_or_written_elsewhere(self):
        printed = self.heddle("record", "--init", "--config=-")
        self.assertEqual((program.NOTHING_FOUND, ""), (printed.returncode, printed.stderr))
        self.assertFalse(list(self.folder.iterdir()))
        (self.folder / "conf").mkdir()
        self.heddle("record", "--init", "--config=conf/shop.yaml")
        self.assertEqual(printed.stdout, (self.folder / "conf" / "shop.yaml").read_text())

    def test_what_is_there_stays(self):
        self.heddle("record", "--init", "--config=heddle.yaml")
        before = (self.folder / "heddle.yaml").read_text()
        self.assert_trouble("^heddle.yaml: .*not overwritten.*--config=FILE.*--init --config=-",
                            "record", "--init")
        self.assertEqual(before, (self.folder / "heddle.yaml").read_text())
        self.write("broken.yaml", "system: [")
        self.assert_trouble("not overwritten", "record", "--init", "--config=broken.yaml")
        os.symlink("nowhere", self.folder / "link.yaml")
        self.assert_trouble("not overwritten", "record", "--init", "--config=link.yaml")
        self.assertFalse((self.folder / "nowhere").exists())

    def test_a_file_about_a_program_gets_no_system(self):
        self.write("heddle.yaml", "program:\n  files: [schema.sql]\n")
        self.assert_trouble('without a section "system".*add.*--init --config=-', "record",
                            "--init")

    def test_permissions_are_those_of_any_file(self):
        self.heddle("record", "--init", umask=0o027)
        self.assertEqual(0o640, stat.S_IMODE((self.folder / "heddle.yaml").stat().st_mode))

    def test_a_folder_that_cannot_be_written(self):
        self.assert_trouble("no/heddle.yaml.*cannot write", "record", "--init",
                            "--config=no/heddle.yaml")
        self.write("file", "")
        self.assert_trouble("cannot write", "record", "--init", "--config=file/heddle.yaml")
        # /proc takes no files, whoever asks; other folders do where we are root.
        self.assert_trouble("cannot write", "record", "--init", "--config=/proc/heddle.yaml")
        if os.geteuid() != 0:
            (self.folder / "closed").mkdir(mode=0o555)
            self.assert_trouble("closed/heddle.yaml.*cannot write", "record", "--init",
                                "--config=closed/heddle.yaml")

    def test_nothing_is_recorded(self):
        self.assert_trouble("--init runs no command", "record", "--init", "--", "true")
        self.assert_trouble("--serial means nothing with --init", "record", "--init", "--serial")
        self.assertFalse(list(self.folder.iterdir()))


if __name__ == "__main__":
    unittest.main()
