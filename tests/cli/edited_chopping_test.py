"""A chopping that somebody has edited: heddle split --chopped, of PL/pgSQL and of annotated Java."""

import json
import unittest

import program

TABLES = """CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE log (pos serial PRIMARY KEY, id int NOT NULL);
"""
BANK = TABLES + """CREATE PROCEDURE transfer(i int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = i;
  INSERT INTO log (id) VALUES (i);
  UPDATE wallet SET balance = balance + amount WHERE id = i;
END $$;
CREATE FUNCTION total(i int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; w int;
BEGIN
  SELECT balance INTO a FROM account WHERE id = i;
  SELECT balance INTO w FROM wallet WHERE id = i;
  RETURN a + w;
END $$;
"""
LOG = "  INSERT INTO log (id) VALUES (i);\n"

CLASS = """import java.sql.*;
public class Bank {{
  private Connection connection;
  public Bank(Connection given) {{ connection = given; }}
{}
}}
"""
METHOD = """  @ChoppedTransaction(originalTransaction="{0}", microservice="{1}")
  public void {0}_{1}(int id, int value) throws SQLException {{
    {2}
  }}
"""
WRITES = [f"""try (PreparedStatement s = connection.prepareStatement(
        "UPDATE {table} SET balance = ? WHERE id = ?")) {{
      s.setInt(1, value); s.setInt(2, id); s.executeUpdate();
    }}""" for table in ("account", "wallet")]
READS = [f"""try (PreparedStatement s = connection.prepareStatement(
        "SELECT balance FROM {table} WHERE id = ?")) {{
      s.setInt(1, id); ResultSet rows = s.executeQuery(); rows.next();
    }}""" for table in ("account", "wallet")]


def parts(name, *bodies):
    return "".join(METHOD.format(name, f"m{i + 1}", body) for i, body in enumerate(bodies))


class EditedChoppingTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("bank.sql", BANK)
        self.write("cut.json", '{"M1": ["account", "log"], "M2": ["wallet"]}')
        self.chopped = self.heddle("split", "--services=cut.json", "--show-chopping",
                                   "bank.sql").stdout
        self.assertEqual(2, self.chopped.count("  COMMIT;\n"))

    def split(self, *words):
        """How many parts each functionality has, and the kinds of causes, with what is warned of."""
        done = self.heddle("split", "--chopped", "--format=json", *words)
        self.assertIn(done.returncode, (program.NOTHING_FOUND, program.FOUND), done.stderr)
        document = json.loads(done.stdout)
        numbers = {one["name"]: len(one["sub_transactions"])
                   for one in document["functionalities"]}
        return numbers, sorted(cause["kind"] for cause in document["causes"]), done.stderr

    def test_as_it_was_printed_it_adds_what_the_cut_adds(self):
        self.write("chopped.sql", self.chopped)
        both = ({"transfer": 2, "total": 2}, ["dirty-write", "read-skew"], "")
        self.assertEqual(both, self.split("chopped.sql"))
        self.assertEqual(both, self.split("--services=cut.json", "chopped.sql"))

    def test_parts_that_were_joined_are_one(self):
        self.write("edited.sql", self.chopped.replace("  COMMIT;\n", "", 1))
        self.assertEqual(({"transfer": 1, "total": 2}, ["read-skew"], ""),
                         self.split("edited.sql"))
        # Where services are named they share no transaction, which is not done silently.
        numbers, kinds, warned = self.split("--services=cut.json", "edited.sql")
        self.assertEqual(({"transfer": 2, "total": 2}, ["dirty-write", "read-skew"]),
                         (numbers, kinds))
        self.assertRegex(warned, r"^edited\.sql:\d+:3: warning: transfer has no COMMIT here, where "
                                 r"M1 hands over to M2, and two services share no transaction")
        self.assertEqual(1, warned.count("warning"))
        self.write("joined.sql", self.chopped.replace("  COMMIT;\n", ""))
        self.assertEqual(({"transfer": 1, "total": 1}, [], ""), self.split("joined.sql"))

    def test_a_commit_that_was_moved_is_where_it_stands(self):
        moved = self.chopped.replace(LOG + "  COMMIT;\n", "  COMMIT;\n" + LOG)
        self.assertNotEqual(moved, self.chopped)
        self.write("moved.sql", moved)
        self.assertEqual(({"transfer": 2, "total": 2}, ["dirty-write", "read-skew"], ""),
                         self.split("moved.sql"))
        numbers, _, warned = self.split("--services=cut.json", "moved.sql")
        self.assertEqual(3, numbers["transfer"])
        self.assertIn("transfer has no COMMIT here, where M1 hands over to M2", warned)

    def test_it_is_printed_as_it_stands(self):
        for name, text in (("chopped.sql", self.chopped),
                           ("moved.sql", self.chopped.replace(LOG + "  COMMIT;\n", "  COMMIT;\n" + LOG)),
                           ("joined.sql", self.chopped.replace("  COMMIT;\n", "", 1))):
            self.write(name, text)
            done = self.heddle("split", "--chopped", "--show-chopping", name)
            self.assertEqual((program.NOTHING_FOUND, text, ""),
                             (done.returncode, done.stdout, done.stderr))

    def test_what_is_left_is_executed(self):
        self.write("edited.sql", self.chopped.replace("  COMMIT;\n", "", 1))
        done = self.heddle("split", "--chopped", "--on=postgres", "edited.sql")
        self.assertIn("of the cores 1 confirmed", done.stdout)
        done = self.heddle("split", "--chopped", "--on=mariadb", "--isolation=mariadb:serializable",
                           "edited.sql")
        self.assertIn("of the cores 1 confirmed", done.stdout)

    def test_annotations_of_java(self):
        self.write("tables.sql", TABLES)
        words = ("tables.sql", "Bank.java")
        self.write("Bank.java", CLASS.format(parts("store", *WRITES) + parts("look", *READS)))
        self.assertEqual(({"store": 2, "look": 2}, ["dirty-write", "read-skew"]),
                         self.split(*words)[:2])
        # One method in place of two.
        self.write("Bank.java", CLASS.format(parts("store", "\n    ".join(WRITES)) +
                                             parts("look", *READS)))
        self.assertEqual(({"store": 1, "look": 2}, ["read-skew"], ""), self.split(*words))
        numbers, _, warned = self.split("--services=cut.json", *words)
        self.assertEqual({"store": 2, "look": 2}, numbers)
        self.assertRegex(warned, r"Bank\.java:\d+:\d+: warning: store has no COMMIT here")
        self.write("Bank.java", CLASS.format(parts("store", "\n    ".join(WRITES)) +
                                             parts("look", "\n    ".join(READS))))
        self.assertEqual(({"store": 1, "look": 1}, [], ""), self.split(*words))

    def test_a_cut_is_needed_for_anything_else(self):
        self.write("chopped.sql", self.chopped)
        self.assert_trouble(r"heddle split needs a cut, name its file: --services=cut\.json",
                            "split", "chopped.sql")
        self.assert_trouble(r"heddle split needs a cut", "split", "--show-chopping", "chopped.sql")
        self.assert_trouble(r"the chopping has no service \"M1\"", "split", "--chopped",
                            "--isolation=M1=snapshot", "chopped.sql")


if __name__ == "__main__":
    unittest.main()
