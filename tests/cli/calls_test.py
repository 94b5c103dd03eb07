"""Sessions that call functionalities of a program, from outside."""

import json
import re
import unittest

import program

EXAMPLE = program.ROOT / "examples" / "calls.spec"
PROGRAM = """program {
CREATE PROCEDURE pay(id integer) LANGUAGE plpgsql AS $$ BEGIN DELETE FROM account; END $$;
}
"""


# Two updates that leave no trace where the rows are gone.
TABLES = """CREATE TABLE draft (id int PRIMARY KEY, state int NOT NULL);
CREATE TABLE copy (id int PRIMARY KEY, state int NOT NULL);
"""
ROUTINES = """CREATE PROCEDURE mark() LANGUAGE plpgsql AS $$
BEGIN
  UPDATE draft SET state = 2 WHERE id = 1;
{look}  COMMIT;
  UPDATE copy SET state = 2 WHERE id = 1;
{look}END $$;
CREATE PROCEDURE clear() LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM draft WHERE id = 1;
  DELETE FROM copy WHERE id = 1;
END $$;
"""
ROWS = "INSERT INTO draft VALUES (1, 1); INSERT INTO copy VALUES (1, 1);\n"
CALLS = "session one call { mark() }\nsession other call { clear() }\n"


class CallsTest(program.ProgramTest):
    def test_counts_that_nobody_looks_at_are_no_outcome(self):
        for look, code in [("", program.NOTHING_FOUND),
                           ("  IF NOT found THEN COMMIT; END IF;\n", program.FOUND)]:
            with self.subTest(look):
                routines = ROUTINES.format(look=look)
                name = self.write("counts.spec", f"setup {{ {TABLES}{ROWS} }}\n"
                                                 f"program {{\n{routines}}}\n{CALLS}")
                done = self.heddle("explore", name)
                self.assertEqual((code, ""), (done.returncode, done.stderr), done.stdout)
                found = self.heddle("find", self.write("counts.sql", TABLES + routines))
                is_cause = "mark and clear" in found.stdout
                self.assertEqual(code == program.FOUND, is_cause, found.stdout)

    def test_the_lost_update_is_found_and_drawn_with_its_values(self):
        done = self.heddle("explore", str(EXAMPLE))
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        text = " ".join(done.stdout.split())
        self.assertIn("Lost update on account(id=1)", text)
        self.assertIn("→ returns 90.00", text)
        self.assertIn("what alice returns", text)

    def test_a_level_above_prevents_it(self):
        done = self.heddle("explore", "--isolation=repeatable-read", str(EXAMPLE))
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)

    def test_a_saved_finding_is_confirmed(self):
        saved = self.heddle("explore", "--save=findings", str(EXAMPLE))
        self.assertEqual(program.FOUND, saved.returncode, saved.stderr)
        path, = (self.folder / "findings").glob("*.json")
        record = json.loads(path.read_text())["run"]["records"][-1]
        self.assertIn("call_end", record)
        done = self.heddle("replay", "--runs=2", str(path))
        self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)

    def test_every_format_can_be_written(self):
        for form in ("json", "sarif", "junit", "html", "svg", "mermaid", "markdown", "spec"):
            with self.subTest(form):
                done = self.heddle("explore", f"--format={form}", str(EXAMPLE))
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))

    def test_reduction_and_repairs_go_with_calls(self):
        whole = " ".join(self.heddle("explore", str(EXAMPLE)).stdout.split())
        done = self.heddle("explore", "--reduce=conflicts", "--repair", str(EXAMPLE))
        self.assertEqual(program.FOUND, done.returncode)
        text = " ".join(done.stdout.split())
        runs = [int(re.search(r"(\d+) interleavings", one)[1]) for one in (text, whole)]
        self.assertLess(runs[0], runs[1])
        self.assertIn("(reduced)", text)
        self.assertIn('1 append FOR UPDATE to "SELECT balance FROM account WHERE id = source" '
                      "in transfer", text)

    def test_other_stores_are_refused(self):
        name = self.write("calls.spec", EXAMPLE.read_text())
        self.assert_refused("calls.spec:25:22: sessions that call a functionality run on "
                            "PostgreSQL, MariaDB and the replicated store only, choose one of "
                            "them with --on",
                            "explore", "--on=sqlite", name)

    def test_what_cannot_be_called_is_refused_at_its_place(self):
        cases = {
            "session s call { pya(1) }":
                '4:18: the program has no functionality "pya", did you mean "pay"?',
            "session s call { pay(1, 2) }":
                "4:18: pay takes 1 arguments, not 2, give one for each parameter",
            "session s call { pay(one) }":
                "4:22: one is no literal, write a number, a text in single quotes, true, false or "
                "NULL; an array is a text: '{1,2}'",
        }
        for session, message in cases.items():
            with self.subTest(session):
                name = self.write("bad.spec", PROGRAM + session)
                self.assert_refused(f"bad.spec:{message}", "explore", name)

    def test_a_program_that_does_not_parse_is_refused_at_its_place(self):
        name = self.write("bad.spec", PROGRAM.replace("DELETE FROM", "DELETE FORM") +
                          "session s call { pay(1) }")
        self.assert_trouble(r"^bad\.spec:2:\d+: ", "explore", name)


if __name__ == "__main__":
    unittest.main()
