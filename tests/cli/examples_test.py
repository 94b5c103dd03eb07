"""Examples end as their page says, the same with any number of jobs, and again in replay."""

import json
import re
import unittest

import program

LEVELS = ("read-committed", "repeatable-read", "serializable")
EXAMPLES = program.ROOT / "examples"
CELL = re.compile(r"(?P<anomalous>none|\d+) of (?P<runs>\d+)(?:, ended in (?P<ended>\d+))?$")


def table_rows():
    """File name and, per level, (anomalous, runs, ended), as the page says."""
    for line in (EXAMPLES / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        name = re.match(r"\[(\w+\.spec)\]", cells[0])
        if name is None or not CELL.match(cells[2]):
            continue
        said = [CELL.match(cell) for cell in cells[2:5]]
        yield name.group(1), [(int(cell["anomalous"].replace("none", "0")), int(cell["runs"]),
                               int(cell["ended"] or 0)) for cell in said]


def store_rows():
    """File name, anomalous interleavings, all of them, and the repair, as the page says."""
    for line in (EXAMPLES / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        name = re.match(r"\[(\w+\.spec)\]", cells[0])
        if name is None or CELL.match(cells[2]):
            continue
        anomalous, runs = re.match(r"(\d+|none) of (\d+)$", cells[3]).groups()
        yield name.group(1), int(anomalous.replace("none", "0")), int(runs), cells[4]


class ExamplesTest(program.ProgramTest):
    def explore(self, name, *words):
        levels = [f"--isolation={level}" for level in LEVELS]
        return self.heddle("explore", *levels, *words, str(EXAMPLES / name))

    def test_the_page_lists_every_example(self):
        listed = sorted([row[0] for row in table_rows()] + [row[0] for row in store_rows()])
        self.assertEqual(sorted(path.name for path in EXAMPLES.glob("*.spec")), listed)

    def test_every_example_ends_as_the_page_says(self):
        for name, said in table_rows():
            with self.subTest(name):
                done = self.explore(name, "--format=json")
                levels = json.loads(done.stdout)["levels"]
                seen = [(level["anomalous"], level["interleavings"], level["aborted_runs"])
                        for level in levels]
                self.assertEqual(said, seen)
                anomalous = any(count for count, _, _ in said)
                self.assertEqual(program.FOUND if anomalous else program.NOTHING_FOUND,
                                 done.returncode, done.stderr)

    def test_examples_of_other_stores_end_and_are_repaired_as_the_page_says(self):
        for name, anomalous, runs, repair in store_rows():
            with self.subTest(name):
                done = self.heddle("explore", "--repair", "--format=json", str(EXAMPLES / name))
                level, = json.loads(done.stdout)["levels"]
                self.assertEqual((anomalous, runs), (level["anomalous"], level["interleavings"]))
                found = level["repair"]["repairs"] if level["repair"] else []
                sentences = [change["sentence"] for change in found[0]["changes"]] if found else []
                self.assertEqual(repair, "; ".join(sentences) or "none known")
                if found:
                    self.check_saved_repair(name)

    def check_saved_repair(self, name):
        self.heddle("explore", "--repair", "--save=repaired", str(EXAMPLES / name))
        changed = self.folder / "repaired" / name.replace(".spec", "-repaired.spec")
        done = self.heddle("explore", str(changed))
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout + done.stderr)

    def test_the_number_of_jobs_changes_nothing(self):
        for name, _ in table_rows():
            with self.subTest(name):
                one = self.explore(name, "--jobs=1")
                three = self.explore(name, "--jobs=3")
                self.assertEqual(one.stdout, three.stdout)

    def test_every_finding_is_confirmed_again(self):
        for name, said in table_rows():
            self.heddle("explore", "--save=findings", str(EXAMPLES / name))
        findings = sorted((self.folder / "findings").glob("*.json"))
        self.assertGreaterEqual(len(findings), 6)
        for finding in findings:
            with self.subTest(finding.name):
                done = self.heddle("replay", str(finding))
                self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)
                self.assertIn("confirmed 10/10", done.stdout)


if __name__ == "__main__":
    unittest.main()
