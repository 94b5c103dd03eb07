"""heddle replay with several findings: one line each, one server, the gravest exit code."""

import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import program
import trouble_test


class ReplayTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("bank.spec", trouble_test.BANK)
        done = self.heddle("explore", "--isolation=read-committed", "--save=found", "bank.spec")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.first = sorted(os.listdir(self.folder / "found"))[0]
        document = json.loads((self.folder / "found" / self.first).read_text())
        shutil.copy(self.folder / "found" / self.first, self.folder / "again.json")
        self.document = document

    def write_harmless(self, name):
        """A finding that no run shows: its schedule is a serial order."""
        schedule = sorted(self.document["schedule"], key=lambda step: step[-1])
        document = {**self.document, "schedule": schedule}
        self.write(name, json.dumps(document))

    def test_a_folder_has_a_line_for_each_and_one_for_all(self):
        shutil.copy(self.folder / "again.json", self.folder / "found" / "again.json")
        (self.folder / "found" / "notes.txt").write_text("no finding\n")
        files = sorted(name for name in os.listdir(self.folder / "found") if name.endswith("json"))
        done = self.heddle("replay", "--runs=2", "found")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        lines = done.stdout.splitlines()
        self.assertEqual([f"found/{name}" for name in files],
                         [line.partition(":")[0] for line in lines[:-1]])
        self.assertRegex(lines[0], r": confirmed 2/2 on PostgreSQL .*: ")
        self.assertEqual(f"{len(files)} findings: {len(files)} confirmed by every run", lines[-1])

    def test_the_gravest_counts(self):
        self.write_harmless("harmless.json")
        self.write("broken.json", "{}\n")
        harmless = self.heddle("replay", "--runs=1", "harmless.json", "harmless.json")
        self.assertEqual(program.NOTHING_FOUND, harmless.returncode, harmless.stdout)
        self.assertIn("2 findings: 2 shown by no run\n", harmless.stdout)
        mixed = self.heddle("replay", "--runs=1", "harmless.json", "again.json")
        self.assertEqual(program.FOUND, mixed.returncode, mixed.stdout)
        trouble = self.heddle("replay", "--runs=1", "again.json", "broken.json", "harmless.json")
        self.assertEqual(program.TROUBLE, trouble.returncode, trouble.stdout)
        self.assertRegex(trouble.stderr, r"^broken\.json:")
        self.assertIn("3 findings: 1 confirmed by every run, 1 shown by no run, 1 could not be run",
                      trouble.stdout)

    def test_documents_for_several(self):
        done = self.heddle("replay", "--runs=1", "--format=json", "again.json", "again.json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([self.document["id"]] * 2, [line["finding"] for line in lines])
        self.write("broken.json", "{}\n")
        done = self.heddle("replay", "--runs=1", "--format=junit", "again.json", "broken.json")
        suites = xml.etree.ElementTree.fromstring(done.stdout)
        self.assertEqual(("2", "1", "1"),
                         tuple(suites.get(key) for key in ["tests", "failures", "errors"]))

    def test_they_share_one_server(self):
        process = subprocess.Popen([program.HEDDLE, "replay", "--runs=2", *["again.json"] * 6],
                                   cwd=self.folder, stdout=subprocess.PIPE, text=True)
        servers = set()
        while process.poll() is None:
            server = trouble_test.server_of(process)
            if server:
                servers.add(server)
        output, _ = process.communicate()
        self.assertEqual(1, len(servers), output)
        self.assertEqual(7, len(output.splitlines()))

    def test_folders_that_hold_none(self):
        os.mkdir(self.folder / "empty")
        self.assert_refused("empty: there are no findings in this folder: nothing ends in .json, "
                            "name a folder that heddle explore --save, heddle find --save or "
                            "heddle race --save wrote",
                            "replay", "empty")

    def test_one_file_says_more(self):
        self.write_harmless("harmless.json")
        done = self.heddle("replay", "--runs=1", "harmless.json")
        self.assertTrue(re.search("What differed", done.stdout), done.stdout)


if __name__ == "__main__":
    unittest.main()
