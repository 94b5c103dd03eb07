"""What of a folder is read as the program, and what is left out of it."""

import unittest

import program

SCHEMA = "CREATE TABLE account (id int PRIMARY KEY, balance int);\n"
CLASS = """
%s
public class %s {
  public void %s(java.sql.Connection connection, int id) throws Exception {
    java.sql.PreparedStatement statement =
        connection.prepareStatement("UPDATE account SET balance = 0 WHERE id = ?");
    statement.setInt(1, id);
    statement.executeUpdate();
  }
}
"""


class SourceTreeTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.place("app/src/main/resources/schema.sql", SCHEMA)
        self.place("app/src/main/java/Bank.java", CLASS % ("", "Bank", "pay"))

    def place(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        self.write(path, text)

    def functionalities(self, *words):
        done = self.heddle("find", "--list-statements", *words)
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        return done.stdout, done.stderr

    def test_tests_are_counted_and_left_out(self):
        self.place("app/src/test/java/BankCheck.java", CLASS % ("", "BankCheck", "check"))
        self.place("app/samples/Mini.java", CLASS % ("", "Mini", "play"))
        listed, said = self.functionalities("app")
        self.assertIn("pay", listed)
        self.assertNotIn("check", listed)
        self.assertEqual("heddle: 2 files are left out; tests: 1 (app/src/test/java/BankCheck.java), "
                         "samples: 1 (app/samples/Mini.java); name a file or folder to read it, "
                         "or add --with-tests\n", said)

    def test_there_is_a_way_back(self):
        self.place("app/src/test/java/BankCheck.java", CLASS % ("", "BankCheck", "check"))
        listed, said = self.functionalities("--with-tests", "app")
        self.assertIn("check", listed)
        self.assertEqual("", said)
        for named in ["app/src/test", "app/src/test/java/BankCheck.java"]:
            listed, said = self.functionalities("app", named)
            self.assertIn("check", listed)
            self.assertEqual("", said)

    def test_generated_methods_are_followed_but_are_no_functionalities(self):
        self.place("app/src/main/java/Gen.java", CLASS % ("@Generated(\"tool\")", "Gen", "touch"))
        listed, said = self.functionalities("app")
        self.assertNotIn("touch", listed)
        self.assertEqual("", said)
        self.place("app/src/main/java/Desk.java", """
            public class Desk {
              public void serve(java.sql.Connection connection) throws Exception {
                new Gen().touch(connection, 7);
              }
            }""")
        listed, _ = self.functionalities("app")
        self.assertRegex(listed, r"(?s)serve.*where id = 7")

    def test_a_folder_of_tests_alone_is_named_in_the_message(self):
        self.place("other/tests/Check.java", CLASS % ("", "Check", "check"))
        self.assert_refused("other: nothing in the folder is read: 1 file is left out; tests: 1 "
                            "(other/tests/Check.java), name a file or folder to read it, or add "
                            "--with-tests", "find", "other")


if __name__ == "__main__":
    unittest.main()
