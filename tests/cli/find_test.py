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

    def test_bad_input(self):
        self.assert_trouble(r"--list-statements or --print-program", "find", str(EXAMPLE))
        self.assert_trouble(r"nothing\.sql", "find", "--list-statements", "nothing.sql")
        self.write("p.sql", "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$\nBEGIN\n  x := 1;\n"
                            "END $$;")
        self.assert_trouble(r"p\.sql:3:3: ", "find", "--list-statements", "p.sql")
        self.write("q.sql", b"CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN \xff\xfe; END $$;")
        self.assert_trouble(r"q\.sql:1:", "find", "--list-statements", "q.sql")


if __name__ == "__main__":
    unittest.main()
