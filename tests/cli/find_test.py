"""heddle find: programs as files, listed and printed."""

import json
import re
import unittest

import program

EXAMPLE = program.ROOT / "examples" / "transfer.sql"


class FindTest(program.ProgramTest):

    def test_lists_the_example(self):
        done = self.heddle("find", "--list-statements", str(EXAMPLE))
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertEqual("", done.stderr)
        self.assertIn("where id = source", done.stdout)
        self.assertIn("if not available < amount (line 13)", done.stdout)
        self.assertIn("4 statements in 2 functionalities, 4 of them read exactly", done.stdout)

    def test_json_is_what_the_page_shows(self):
        self.write("transfer.sql", EXAMPLE.read_text())
        done = self.heddle("find", "--list-statements", "--format=json", "transfer.sql").stdout
        page = (program.ROOT / "docs" / "formats" / "statements.md").read_text()
        shown = re.search(r"```json\n(.*?)```", page, re.S).group(1)
        self.assertEqual(shown, done)
        self.assertEqual("statements/1", json.loads(done)["heddle"])

    def test_what_is_printed_prints_again(self):
        first = self.heddle("find", "--print-program", str(EXAMPLE)).stdout
        self.assertIn("CREATE PROCEDURE transfer", first)
        self.assertEqual(first, self.heddle("find", "--print-program", "-", stdin=first).stdout)

    def test_several_files_are_one_program(self):
        self.write("a.sql", "CREATE PROCEDURE a() LANGUAGE sql AS 'DELETE FROM t';")
        self.write("b.sql", "CREATE PROCEDURE b() LANGUAGE sql AS 'DELETE FROM u';")
        done = self.heddle("find", "--list-statements", "a.sql", "b.sql")
        self.assertIn("2 statements in 2 functionalities", done.stdout)

    def test_what_is_not_followed_is_a_warning_or_refused(self):
        self.write("p.sql", "CREATE PROCEDURE p(x text) LANGUAGE plpgsql AS $$\nBEGIN\n"
                            "  EXECUTE x;\nEND $$;\n")
        done = self.heddle("find", "--list-statements", "p.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode)
        self.assertRegex(done.stderr, r"p\.sql:3:11: .*EXECUTE")
        self.assertIn("1 statement in 1 functionality, 0 of them read exactly", done.stdout)
        self.assert_trouble(r"p\.sql:3:11: EXECUTE", "find", "--list-statements", "--strict",
                            "p.sql")

    def test_what_is_printed_does_not_depend_on_the_jobs(self):
        for i in range(9):
            self.write(f"C{i}.java", f"""class C{i} {{
  void run(java.sql.Connection c) throws Exception {{
    c.prepareStatement("DELETE FROM t{i}").executeUpdate();
  }}
}}""")
        alone = self.heddle("find", "--list-statements", "--jobs=1", ".")
        together = self.heddle("find", "--list-statements", "--jobs=8", ".")
        self.assertIn("9 statements in 9 functionalities", alone.stdout)
        self.assertEqual((alone.stdout, alone.stderr), (together.stdout, together.stderr))

    def test_anomalies_are_found_at_the_level_that_is_asked_for(self):
        found = self.heddle("find", str(EXAMPLE))
        self.assertEqual(program.FOUND, found.returncode)
        self.assertIn("at postgres:read-committed, because neither the code nor --isolation",
                      found.stdout)
        self.assertIn("1. lost update: transfer twice, on account", found.stdout)
        self.assertRegex(found.stdout, r"T1 transfer  .*transfer\.sql:9: SELECT balance")
        self.assertIn("transfer twice: ", found.stdout)
        nothing = self.heddle("find", "--isolation=serializable", str(EXAMPLE))
        self.assertEqual(program.NOTHING_FOUND, nothing.returncode)
        self.assertEqual("at serializable\n\nnothing found in cycles of up to 6 operations\n",
                         nothing.stdout)
        alone = self.heddle("find", "--isolation=eventual", "--jobs=1", str(EXAMPLE))
        together = self.heddle("find", "--isolation=eventual", "--jobs=7", str(EXAMPLE))
        self.assertEqual(alone.stdout, together.stdout)

    def test_anomalies_as_json(self):
        done = self.heddle("find", "--format=json", "--isolation=transfer=snapshot",
                           "--length=4", str(EXAMPLE))
        document = json.loads(done.stdout)
        self.assertEqual("anomalies/1", document["heddle"])
        self.assertEqual({"functionality": "transfer", "isolation": "snapshot",
                          "origin": "given"}, document["levels"][0])
        self.assertEqual("fallback", document["levels"][1]["origin"])
        document = json.loads(self.heddle("find", "--format=json", str(EXAMPLE)).stdout)
        cause = document["causes"][0]
        self.assertEqual("lost-update", cause["kind"])
        core = cause["cores"][0]
        self.assertEqual(["rw", "ww"], [edge["kind"] for edge in core["dependencies"]])
        self.assertEqual({"read", "write"}, {each["does"] for each in core["operations"]})

    def test_time_that_runs_out(self):
        done = self.heddle("find", "--timeout=1ms", "--isolation=snapshot", "--instances=3",
                           str(EXAMPLE))
        self.assertEqual(program.UNKNOWN, done.returncode, done.stdout)
        self.assertIn("not complete: --timeout: ", done.stdout)

    def test_bad_input(self):
        self.assert_trouble(r"--isolation=snapshto is not an isolation level, did you mean",
                            "find", "--isolation=snapshto", str(EXAMPLE))
        self.assert_trouble(r"there is no functionality \"transfre\"",
                            "find", "--isolation=transfre=serializable", str(EXAMPLE))
        self.assert_trouble(r"--instances=0 is too small", "find", "--instances=0", str(EXAMPLE))
        self.assert_trouble(r"nothing\.sql", "find", "--list-statements", "nothing.sql")
        self.write("p.sql", "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$\nBEGIN\n  x := 1;\n"
                            "END $$;")
        self.assert_trouble(r"p\.sql:3:3: ", "find", "--list-statements", "p.sql")
        self.write("q.sql", b"CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN \xff\xfe; END $$;")
        self.assert_trouble(r"q\.sql:1:", "find", "--list-statements", "q.sql")


if __name__ == "__main__":
    unittest.main()
