"""heddle.yaml: where it is looked for, what it stands for, what is refused, and what comes before it."""

import os
import unittest

import program

SCHEMA = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
ROUTINE = """CREATE PROCEDURE %s(acc int, amount int) LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = acc;
  UPDATE account SET balance = b - amount WHERE id = acc;
END $$;
"""


class Places(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.place("schema.sql", SCHEMA)
        self.place("app/pay.sql", ROUTINE % "pay")
        self.place("app/refund.sql", ROUTINE % "refund")

    def place(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        self.write(path, text)

    def find(self, *words, code=program.FOUND, folder=None):
        done = self.heddle("find", *words) if folder is None else self.heddle_in(folder, *words)
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        return done

    def heddle_in(self, folder, *words):
        whole = self.folder
        self.folder = whole / folder
        try:
            return self.heddle("find", *words)
        finally:
            self.folder = whole


class SettingsTest(Places):
    def test_a_file_in_the_current_folder_names_the_program(self):
        self.write("heddle.yaml", "program:\n  files: [schema.sql, app]\n"
                                  "  levels: {all: snapshot, pay: read-committed}\n")
        done = self.find()
        self.assertEqual("with files, levels of heddle.yaml", done.stdout.splitlines()[0])
        self.assertIn("at read-committed: pay", done.stdout)
        self.assertIn("at snapshot: refund", done.stdout)
        self.find(code=program.NOTHING_FOUND, *["--print-program", "--no-progress"])

    def test_documents_of_programs_stay_what_they_are(self):
        self.write("heddle.yaml", "program: {files: [schema.sql, app]}\n")
        for words in [["--format=json"], ["--print-program"], ["--format=sarif"]]:
            with self.subTest(words):
                with_file = self.heddle("find", *words)
                without = self.heddle("find", "--no-config", "schema.sql", "app", *words)
                self.assertEqual(without.stdout, with_file.stdout)
                self.assertIn("heddle: with files of heddle.yaml\n", with_file.stderr)

    def test_the_command_line_comes_first(self):
        self.write("heddle.yaml", "program:\n  files: [nothing-of-the-kind.sql]\n"
                                  "  levels: {all: snapshot, pay: serializable}\n"
                                  "  dialect: postgres\n")
        done = self.find("--isolation=read-committed", "schema.sql", "app")
        self.assertEqual("with dialect of heddle.yaml", done.stdout.splitlines()[0])
        self.assertIn("at read-committed\n", done.stdout)
        done = self.find("--isolation=pay=read-committed", "schema.sql", "app")
        self.assertIn("at read-committed: pay", done.stdout)
        self.assertIn("at snapshot: refund", done.stdout)
        done = self.find("--no-config", "schema.sql", "app")
        self.assertNotIn("heddle.yaml", done.stdout + done.stderr)

    def test_it_is_looked_for_beside_the_program_first(self):
        self.write("heddle.yaml", "program: {levels: snapshot}\n")
        self.place("app/heddle.yaml", "program: {levels: read-committed}\n")
        done = self.find("schema.sql", "app", code=program.TROUBLE)
        self.assertEqual("heddle: both app/heddle.yaml and heddle.yaml could be meant, choose with "
                         "--config=FILE, or write --no-config\n", done.stderr)
        done = self.find("--config=app/heddle.yaml", "schema.sql", "app")
        self.assertIn("at read-committed\n", done.stdout)
        os.remove(self.folder / "heddle.yaml")
        done = self.find("schema.sql", "app")
        self.assertEqual("with levels of app/heddle.yaml", done.stdout.splitlines()[0])

    def test_above_only_within_the_repository(self):
        self.place("deep/er/x", "")
        self.write("heddle.yaml", "program: {files: [schema.sql, app], levels: read-committed}\n")
        done = self.find(folder="deep/er", code=program.TROUBLE)
        self.assertIn("needs FILE", done.stderr)
        os.mkdir(self.folder / ".git")
        done = self.find(folder="deep/er", code=program.FOUND)
        self.assertEqual("with files, levels of ../../heddle.yaml", done.stdout.splitlines()[0])
        os.mkdir(self.folder / "deep/.git")
        self.find(folder="deep/er", code=program.TROUBLE)

    def test_what_is_wrong_has_its_place(self):
        for text, message in {
            "program:\n  dialetc: mysql\n":
                'heddle.yaml:2:3: there is no key of "program" "dialetc", did you mean "dialect"?',
            "program:\n  dialect: mysl\n":
                'heddle.yaml:2:12: dialect=mysl is not one of the choices, did you mean "mysql"?',
            "program:\n  levels: {pay: snapshto}\n":
                "heddle.yaml:2:17: levels=snapshto is not an isolation level, did you mean "
                '"snapshot"?',
            "program:\n  files: [schema.sql, gone.sql]\n":
                "heddle.yaml:2:23: there is no file or folder gone.sql, names are seen from the "
                "folder of this file",
            "program:\n  schema: gone.sql\n":
                "heddle.yaml:2:11: there is no file gone.sql, name a file, or a database as for "
                "--schema",
            "program:\n\tdialect: mysql\n":
                "heddle.yaml:2:1: a tab is no indentation in YAML, indent with spaces",
            "program: {exclude: [/]}\n":
                'heddle.yaml:1:21: exclude: "/" is everything there is, name a file or a folder',
        }.items():
            with self.subTest(text):
                self.write("heddle.yaml", text)
                words = [] if "files" in text else ["schema.sql", "app"]
                self.assert_refused(message, "find", *words)
        self.write("heddle.yaml", "program: {levels: {nobody: snapshot}}\n")
        self.assert_refused("heddle.yaml:1:28: there is no functionality \"nobody\", "
                            "use one of: pay, refund", "find", "schema.sql", "app")

    def test_a_file_that_is_not_there(self):
        self.assert_trouble(r"^none\.yaml: cannot open", "find", "--config=none.yaml", "schema.sql")
        self.assert_trouble("--config does not go with --no-config",
                            "find", "--config=x", "--no-config", "a.sql")

    def test_sections_of_others_are_left_alone(self):
        self.write("heddle.yaml", "services: {a: [b]}\nstores:\n  main: postgres\n")
        done = self.find("schema.sql", "app")
        self.assertNotIn("heddle.yaml", done.stdout + done.stderr)

    def test_other_commands_do_not_mind(self):
        self.write("heddle.yaml", "program: {files: [schema.sql], dialect: mysql}\n")
        self.write("one.hist", "r1[x=0] w1[x=1] c1\n")
        self.write("empty.spec", "")
        self.assert_trouble(r"^empty\.spec:1:1: ", "explore", "empty.spec")
        self.assert_trouble(r"^gone\.json: ", "replay", "gone.json")
        self.assertNotIn("heddle.yaml", self.heddle("check", "one.hist").stderr)

    def test_split_reads_it_too(self):
        self.write("cut.json", '{"M": ["account"]}')
        self.write("heddle.yaml", "program:\n  files: [schema.sql, app]\n"
                                  "  levels: {all: read-committed, pay: serializable}\n")
        done = self.heddle("split", "--services=cut.json")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertEqual("with files, levels of heddle.yaml", done.stdout.splitlines()[0])


class ChosenTest(Places):
    """What is left out of the program, or of the answer."""

    def test_entries_are_the_program(self):
        done = self.find("--entry=pay", "schema.sql", "app")
        self.assertEqual("1 of 2 functionalities are entries, the others are left out by name",
                         done.stdout.splitlines()[0])
        self.assertNotIn("refund", done.stdout)
        self.write("heddle.yaml", "program: {entries: [\"re*\"]}\n")
        done = self.find("schema.sql", "app")
        self.assertNotIn("pay", done.stdout)
        self.write("heddle.yaml", "program: {entries: [refun]}\n")
        self.assert_refused('heddle.yaml:1:21: there is no functionality "refun", did you mean '
                            '"refund"?', "find", "schema.sql", "app")

    def test_only_keeps_partners(self):
        everything = self.find("schema.sql", "app").stdout
        self.assertIn("lost update: refund twice", everything)
        done = self.find("--only=PAY", "schema.sql", "app")
        self.assertIn("pay and refund", done.stdout)
        self.assertNotIn("refund twice", done.stdout)
        self.assert_refused('heddle: --only=pai: there is no functionality of that name, did you '
                            'mean "pay"?', "find", "--only=pai", "schema.sql", "app")

    def test_only_in_a_cut(self):
        self.write("two.sql", "CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);\n"
                   + SCHEMA + "".join(f"""CREATE PROCEDURE {name}(who int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance * 2 WHERE id = who;
  UPDATE wallet SET balance = balance + 1 WHERE id = who;
  UPDATE account SET balance = balance + 3 WHERE id = who;
END $$;
""" for name in ["one", "other"]))
        self.write("cut.json", '{"A": ["account"], "W": ["wallet"]}')
        everything = self.heddle("split", "--services=cut.json", "two.sql").stdout
        self.assertIn("other twice", everything)
        some = self.heddle("split", "--services=cut.json", "--only=one", "two.sql").stdout
        self.assertIn("one twice", some)
        self.assertIn("one and other", some)
        self.assertNotIn("other twice", some)

    def test_exclusions_are_counted(self):
        for pattern in ["refund.sql", "app/refund.sql", "./app/ref*", "**/re?und.sql", "*nd.sql"]:
            with self.subTest(pattern):
                done = self.find(f"--exclude={pattern}", "schema.sql", "app")
                self.assertNotIn("refund", done.stdout)
                self.assertIn("1 file is left out; excluded: 1 (app/refund.sql)", done.stderr)
        done = self.find("--exclude=app/refund.sql", "schema.sql", "app/pay.sql", "app/refund.sql")
        self.assertNotIn("refund", done.stdout)
        self.write("heddle.yaml", "program: {exclude: [refund.sql]}\n")
        done = self.find("schema.sql", "app")
        self.assertIn("with exclude of heddle.yaml", done.stdout)
        self.assertNotIn("refund and", done.stdout)

    def test_exclusions_of_a_file_are_seen_from_its_folder(self):
        self.place("app/old/refund.sql", ROUTINE % "old_refund")
        self.place("app/heddle.yaml", "program: {exclude: [old/refund.sql]}\n")
        done = self.find("schema.sql", "app")
        self.assertNotIn("old_refund", done.stdout)
        self.assertIn("refund twice", done.stdout)

    def test_what_leaves_out_nothing_is_said(self):
        done = self.find("--exclude=old/code", "schema.sql", "app")
        self.assertIn("warning: --exclude=old/code leaves out nothing that another one does not, "
                      "write --exclude='**/old/code' where it lies deeper\n", done.stderr)
        self.assert_trouble("nothing is read: 3 files are left out", "find", "--exclude=*.sql",
                            "schema.sql", "app/pay.sql", "app/refund.sql")


if __name__ == "__main__":
    unittest.main()
