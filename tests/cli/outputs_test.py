"""What explore and replay write for other programs, read by readers that are not heddle's: diagrams,
pages, SARIF, JUnit's XML. And suppression files."""

import json
import re
import unittest
import xml.etree.ElementTree as ElementTree

import program

BANK = """
setup
{
  CREATE TABLE account (id int PRIMARY KEY, balance int);
  INSERT INTO account VALUES (1, 100);
}
teardown { DROP TABLE account; }
session s1
step r1 { SELECT balance FROM account WHERE id = 1; }
step w1 { UPDATE account SET balance = 110 WHERE id = 1; }
session s2
step r2 { SELECT balance FROM account WHERE id = 1; }
step w2 { UPDATE account SET balance = 120 WHERE id = 1; }
"""
ALONE = BANK + "permutation r1 w1 r2 w2\n"
# Everything that has a meaning in some format: in names, in SQL, in rows, in errors.
NASTY = """
setup
{
  CREATE TABLE "a<b>&'c;#%%" (id int PRIMARY KEY, body text);
  INSERT INTO "a<b>&'c;#%%" VALUES (1, E'\\x01\\x1b]]></x>\\n```"&amp;'), (2, U&'\\FFFE');
}
teardown { DROP TABLE "a<b>&'c;#%%"; }
session "</s1>;#""x"
step "r]]>1" { SELECT *, '<script>', ']]>' FROM "a<b>&'c;#%%" ORDER BY id; }
step "w1" { UPDATE "a<b>&'c;#%%" SET body = body || '1' WHERE id = 1; }
session "participant end"
step "wrap" { SELECT body FROM "a<b>&'c;#%%" WHERE id = 1; }
step "w2" { UPDATE "a<b>&'c;#%%" SET body = E'\\x02<' WHERE id = 1; }
step "e2" { SELECT 1/0 AS "<&>"; }
"""
BROKEN = BANK.replace("CREATE TABLE account", "CREATE TABEL account")
SVG = "{http://www.w3.org/2000/svg}"


def find_all(root, name):
    return list(root.iter(name))


class OutputsTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("bank.spec", BANK)
        self.write("alone.spec", ALONE)
        self.write("nasty.spec", NASTY)
        self.write("broken.spec", BROKEN)

    def explore(self, code, *words, **more):
        done = self.heddle("explore", *words, **more)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def document(self, form, *files, code=program.FOUND):
        """What was written to a file, which must be what is printed."""
        printed = self.explore(code, f"--format={form}", *files).stdout
        self.explore(code, f"--format={form}", "--output=out", *files)
        written = (self.folder / "out").read_bytes().decode()  # strictly UTF-8
        self.assertEqual(printed, written)
        for character in set(written):
            allowed = character in "\n\t" or character >= " " and character != "\ufffe"
            self.assertTrue(allowed, ascii(character))
        return written

    # Mermaid

    def check_mermaid(self, text):
        lines = text.splitlines()
        self.assertEqual("sequenceDiagram", lines[0])
        known = set(re.findall(r"^  participant (\w+)", text, re.M))
        statement = re.compile(r"  (title .+|participant \w+( as .+)?|end|rect rgb\(.+\)|"
                               r"Note over (\w+)(,\w+)?: .+|(\w+)(->>|-->>|--x)(\w+): .+)")
        for line in lines[1:]:
            match = statement.fullmatch(line)
            self.assertIsNotNone(match, line)
            for name in (match.group(3), match.group(5), match.group(7)):
                self.assertTrue(name is None or name in known, line)
            # Only <br/> and character codes are left of what means something.
            rest = re.sub(r"<br/>|#\d+;|->>|-->>", "", line)
            self.assertNotRegex(rest, r"[;#<>%\"{}`]")

    def test_mermaid(self):
        self.check_mermaid(self.document("mermaid", "bank.spec"))
        self.check_mermaid(self.document("mermaid", "nasty.spec"))
        quiet = self.document("mermaid", "alone.spec", code=program.NOTHING_FOUND)
        self.check_mermaid(quiet)
        self.assertIn("No anomaly in the only interleaving", quiet)

    def test_several_mermaid_diagrams_are_a_page(self):
        page = self.document("mermaid", "alone.spec", "bank.spec", "nasty.spec")
        diagrams = re.findall(r"^```mermaid\n(.*?)^```$", page, re.M | re.S)
        self.assertGreaterEqual(len(diagrams), 3)
        for diagram in diagrams:
            self.check_mermaid(diagram)

    # SVG, HTML

    def check_inside(self, root):
        """No text begins or ends outside of the picture."""
        left, top, width, height = (float(part) for part in root.get("viewBox").split())
        def visit(element, x, y):
            move = re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
            if move:
                x, y = x + float(move.group(1)), y + float(move.group(2))
            if element.tag == SVG + "text":
                begin = x + float(element.get("x"))
                self.assertGreaterEqual(begin, left)
                self.assertLessEqual(begin + float(element.get("textLength")), left + width,
                                     element.text)
                self.assertLessEqual(y + float(element.get("y")), top + height)
            for child in element:
                visit(child, x, y)
        visit(root, 0, 0)

    def test_svg(self):
        for files in (["bank.spec"], ["nasty.spec"], ["alone.spec", "bank.spec", "nasty.spec"]):
            root = ElementTree.fromstring(self.document("svg", *files).encode())
            self.assertEqual(SVG + "svg", root.tag)
            self.assertNotEqual("", root.find(SVG + "title").text)
            self.assertEqual([], find_all(root, SVG + "script"))
            self.check_inside(root)
        self.assertGreaterEqual(len(find_all(root, SVG + "desc")), 2)

    def test_html(self):
        page = self.document("html", "alone.spec", "bank.spec", "nasty.spec")
        self.assertTrue(page.startswith("<!DOCTYPE html>\n"))
        root = ElementTree.fromstring(page)
        self.assertEqual([], find_all(root, "script") + find_all(root, "link"))
        self.assertNotRegex(page, r"(src|href)=\"(?!#)")
        for svg in find_all(root, SVG + "svg"):
            self.check_inside(svg)
        self.assertGreaterEqual(len(find_all(root, SVG + "svg")), 2)
        specs = ["".join(pre.itertext()) for pre in find_all(root, "pre")]
        self.assertTrue(any("permutation" in spec for spec in specs))
        self.write("copied.spec", specs[0])
        self.explore(program.FOUND, "copied.spec")
        identifiers = [element.get("id") for element in root.iter() if element.get("id")]
        self.assertEqual(len(identifiers), len(set(identifiers)))

    # JUnit

    def check_junit(self, text):
        """The document, with its counts checked."""
        root = ElementTree.fromstring(text.encode())
        self.assertEqual("testsuites", root.tag)
        for suite in [root] + find_all(root, "testsuite"):
            for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"),
                              ("skipped", "skipped")):
                self.assertEqual(int(suite.get(name)), len(find_all(suite, tag)), name)
        for case in find_all(root, "testcase"):
            self.assertTrue(case.get("name") and case.get("classname"))
            self.assertLessEqual(len(case), 1)
        return root

    def test_junit(self):
        root = self.check_junit(self.document("junit", "alone.spec", "bank.spec", "nasty.spec"))
        suites = find_all(root, "testsuite")
        self.assertEqual(3, len(suites))
        self.assertEqual("0", suites[0].get("failures"))
        self.assertEqual("1", suites[1].get("failures"))
        self.assertIn("│ s1", find_all(suites[1], "failure")[0].text)

    def test_junit_of_files_that_cannot_be_explored(self):
        root = self.check_junit(self.document("junit", "broken.spec", "alone.spec",
                                              code=program.TROUBLE))
        self.assertEqual("1", root.get("errors"))
        self.assertIn("TABEL", find_all(root, "error")[0].get("message"))

    def test_junit_of_a_bound(self):
        root = self.check_junit(self.document("junit", "--preemptions=0", "alone.spec", "bank.spec",
                                              code=program.UNKNOWN))
        self.assertEqual(("0", "1"), (root.get("failures"), root.get("errors")))

    def test_junit_of_a_replay(self):
        self.explore(program.FOUND, "--save=findings", "bank.spec")
        name = next((self.folder / "findings").iterdir())
        done = self.heddle("replay", "--runs=2", "--format=junit", str(name))
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertEqual("1", self.check_junit(done.stdout).get("failures"))

    # SARIF

    def check_region(self, location, sources):
        physical = location["physicalLocation"]
        artifact = physical["artifactLocation"]
        self.assertEqual("%SRCROOT%", artifact["uriBaseId"])
        region = physical["region"]
        lines = sources[artifact["uri"]].splitlines()
        if "endLine" not in region:
            return
        found = lines[region["startLine"] - 1:region["endLine"]]
        found[-1] = found[-1][:region["endColumn"] - 1]
        found[0] = found[0][region["startColumn"] - 1:]
        self.assertEqual(region["snippet"]["text"], "\n".join(found))

    def check_sarif(self, text, **sources):
        """The only run, with everything that the standard asks for."""
        log = json.loads(text)
        self.assertEqual("2.1.0", log["version"])
        run, = log["runs"]
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual("heddle", run["tool"]["driver"]["name"])
        for rule in rules:
            for member in ("shortDescription", "fullDescription", "help"):
                self.assertTrue(rule[member]["text"])
        for invocation in run["invocations"]:
            self.assertIsInstance(invocation["executionSuccessful"], bool)
            for notification in invocation["toolExecutionNotifications"]:
                self.assertIn(notification["level"], ("error", "warning"))
                self.assertTrue(notification["message"]["text"])
        sources = {name + ".spec": source for name, source in sources.items()}
        for result in run["results"]:
            self.assertEqual(result["ruleId"], rules[result["ruleIndex"]]["id"])
            self.assertIn(result["level"], ("error", "warning"))
            self.assertTrue(result["message"]["text"])
            self.assertRegex(result["partialFingerprints"]["heddleFinding/v1"], r"^[0-9a-f]{12}$")
            self.assertIn("PostgreSQL", result["properties"]["store"])
            for location in result["locations"] + result["relatedLocations"]:
                self.check_region(location, sources)
            orders = []
            for flow in result["codeFlows"][0]["threadFlows"]:
                steps = [place["executionOrder"] for place in flow["locations"]]
                self.assertEqual(sorted(steps), steps)
                orders += steps
                for place in flow["locations"]:
                    self.check_region(place["location"], sources)
                    self.assertTrue(place["location"]["message"]["text"])
            self.assertEqual(list(range(1, len(orders) + 1)), sorted(orders))
        return run

    def test_sarif(self):
        text = self.document("sarif", "alone.spec", "bank.spec", "nasty.spec")
        run = self.check_sarif(text, alone=ALONE, bank=BANK, nasty=NASTY)
        kinds = [result["ruleId"] for result in run["results"]]
        self.assertIn("lost-update", kinds)
        self.assertTrue(run["invocations"][0]["executionSuccessful"])

    def test_sarif_says_what_could_not_be_explored(self):
        run = self.check_sarif(self.document("sarif", "broken.spec", "alone.spec",
                                             code=program.TROUBLE))
        self.assertFalse(run["invocations"][0]["executionSuccessful"])
        self.assertEqual([], run["results"])

    # Suppression

    def finding_ids(self, *words):
        done = self.heddle("explore", "--format=json", *words)
        levels = [level for line in [done.stdout] for level in json.loads(line)["levels"]]
        return [finding["id"] for level in levels for finding in level["findings"]]

    def test_ids_stay_when_a_file_is_edited(self):
        ids = self.finding_ids("bank.spec")
        self.assertEqual(ids, self.finding_ids("bank.spec"))
        edited = BANK.replace("session s2", "session s0 step x0 { SELECT 7; }\nsession s2").replace(
            "SELECT balance", "SELECT  /* all of it */ balance")
        self.write("renamed.spec", edited)
        self.assertEqual(ids, self.finding_ids("--preemptions=3", "renamed.spec"))
        self.assertNotEqual(ids, self.finding_ids("--isolation=repeatable-read", "bank.spec"))

    def test_suppressed_findings_are_reported_and_do_not_count(self):
        self.explore(program.FOUND, "--write-suppressions=known", "bank.spec")
        known = (self.folder / "known").read_text()
        self.assertIn("not judged yet: Lost update on account(id=1)", known)
        known = known.replace("not judged yet", "judged: <harmless>")
        self.write("known", known)
        done = self.explore(program.NOTHING_FOUND, "--suppress=known", "bank.spec")
        self.assertEqual("", done.stderr)
        self.assertIn("; suppressed: judged: <harmless>", " ".join(done.stdout.split()))
        for form in ("markdown", "mermaid", "svg", "html"):
            text = self.document(form, "--suppress=known", "bank.spec", code=0)
            self.assertIn("suppressed", text)
        run = self.check_sarif(self.document("sarif", "--suppress=known", "bank.spec", code=0),
                               bank=BANK)
        for result in run["results"]:
            self.assertRegex(result["suppressions"][0]["justification"], "^judged: <harmless>")
        junit = self.check_junit(self.document("junit", "--suppress=known", "bank.spec", code=0))
        self.assertEqual("0", junit.get("failures"))
        self.assertNotEqual("0", junit.get("skipped"))
        report = json.loads(self.document("json", "--suppress=known", "bank.spec", code=0))
        level, = report["levels"]
        self.assertEqual("violated", level["verdict"])
        self.assertRegex(level["findings"][0]["suppressed"], "^judged")
        self.explore(program.NOTHING_FOUND, "--suppress=known", "--write-suppressions=again",
                     "bank.spec")
        self.assertEqual(known, (self.folder / "again").read_text())

    def test_a_new_finding_counts_beside_suppressed_ones(self):
        self.explore(program.FOUND, "--write-suppressions=known", "bank.spec")
        self.explore(program.FOUND, "--suppress=known", "bank.spec", "nasty.spec")

    def test_entries_that_are_over_or_unused(self):
        ids = self.finding_ids("bank.spec")
        lines = "".join(f"{name} until=2001-02-03 long ago\n" for name in ids)
        self.write("over", lines + "0123456789ab nothing has this\n")
        done = self.explore(program.FOUND, "--suppress=over", "bank.spec")
        self.assertIn(f"over:1:1: warning: the suppression of {ids[0]} ended with 2001-02-03, ",
                      done.stderr)
        self.assertIn(f"over:{len(ids) + 1}:1: warning: no finding has the id 0123456789ab, ",
                      done.stderr)
        self.write("later", "".join(f"{name} until=2999-12-31 still\n" for name in ids))
        self.explore(program.NOTHING_FOUND, "--suppress=later", "bank.spec")

    def test_a_bound_keeps_the_answer_open(self):
        self.explore(program.FOUND, "--write-suppressions=known", "bank.spec")
        self.explore(program.UNKNOWN, "--suppress=known", "--preemptions=1", "bank.spec")

    def test_broken_suppression_files(self):
        self.write("broken", "# known\nlost update\n")
        self.assert_refused("broken:2:1: this is not the id of a finding, begin the line with an id "
                            "as reports print it, or with # for a comment",
                            "explore", "--suppress=broken", "bank.spec")
        self.assert_trouble("nowhere", "explore", "--suppress=nowhere", "bank.spec")
        self.assert_trouble("cannot write missing/x", "explore",
                            "--write-suppressions=missing/x", "bank.spec")
        self.assert_trouble("means nothing with --format=isolationtester", "explore",
                            "--suppress=broken", "--format=isolationtester", "bank.spec")


if __name__ == "__main__":
    unittest.main()
