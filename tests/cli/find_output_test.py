"""What heddle find and heddle split print: the table, what is told in full, formats, warnings."""

import json
import re
import unittest
import xml.etree.ElementTree

import program

# Procedures that read, compute and write: each pair of them loses updates.
STOCK = "CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);\n" + "".join(
    f"CREATE PROCEDURE take_{name}(i int) LANGUAGE plpgsql AS $$\nDECLARE m int;\nBEGIN\n"
    "  SELECT n INTO m FROM stock WHERE id = i;\n"
    "  UPDATE stock SET n = m - 1 WHERE id = i;\nEND $$;\n" for name in "abcdef")

# One class, in folders whose names are long and have blanks in them.
FOLDER = "reservation service/src/main/java/com/example/reservations/persistence/rooms"
ROOMS = """package com.example;
import java.sql.*;
public class Rooms {
  private final Connection connection;
  public Rooms(Connection connection) { this.connection = connection; }
  public boolean book(int room, String guest) throws SQLException {
    PreparedStatement look =
        connection.prepareStatement("SELECT 1 FROM booking WHERE room = ?");
    look.setInt(1, room);
    if (look.executeQuery().next()) return false;
    PreparedStatement add =
        connection.prepareStatement("INSERT INTO booking (room, guest) VALUES (?, ?)");
    add.setInt(1, room);
    add.setString(2, guest);
    add.executeUpdate();
    return true;
  }
}
"""

# SQL routines without a variable, two tables, names that would harm a page or a terminal.
ODD = """CREATE TABLE "a|<b>" (k int PRIMARY KEY, v int NOT NULL);
CREATE TABLE log (k int, v int);
CREATE FUNCTION "sum & log"() RETURNS int LANGUAGE sql AS $$
  INSERT INTO log SELECT k, v FROM "a|<b>";
  SELECT count(*)::int FROM log;
$$;
CREATE PROCEDURE "set <i>"(p int, w int) LANGUAGE sql AS $$
  UPDATE "a|<b>" SET v = w WHERE k = p;
  DELETE FROM log WHERE v > w;
$$;
"""


class FindOutputTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.write("stock.sql", STOCK)
        self.write("odd.sql", ODD)
        (self.folder / FOLDER).mkdir(parents=True)
        self.write(f"{FOLDER}/Rooms.java", ROOMS)
        self.write(f"{FOLDER}/schema.sql",
                   "CREATE TABLE booking (room int NOT NULL, guest text);\n")

    def rows(self, printed):
        return re.findall(r"^(\d+) {2,}(\w.*?: .*)$", printed, re.M)

    def test_the_table_comes_first_and_is_cut(self):
        done = self.heddle("find", "stock.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertEqual(20, len(self.rows(done.stdout)))
        self.assertRegex(done.stdout, r"and \d+ more: --details=none lists all")
        self.assertRegex(done.stdout, r"causes with .* within \d+ operations and \d transactions")
        self.assertLess(done.stdout.count("\n"), 110)
        table = done.stdout.index("lost update: ")
        self.assertLess(table, done.stdout.index("in full below: 1-3"))
        # Each of the causes that are told in full names its statements once.
        self.assertEqual(9, done.stdout.count(" take_a  stock.sql:") +
                         done.stdout.count(" take_b  stock.sql:") +
                         done.stdout.count(" take_c  stock.sql:"))

    def test_details_are_those_that_are_asked_for(self):
        everything = self.heddle("find", "--details=all", "stock.sql").stdout
        count = len(self.rows(everything))
        self.assertGreater(count, 20)
        self.assertIn(f"\n{count}. lost update", everything)
        none = self.heddle("find", "--details=none", "stock.sql").stdout
        self.assertEqual(count, len(self.rows(none)))
        self.assertNotRegex(none, r"(?m)^\d+\. ")
        some = self.heddle("find", "--details=2,5-6", "--details=9", "stock.sql").stdout
        self.assertEqual(["2", "5", "6", "9"], re.findall(r"(?m)^(\d+)\. ", some))
        identity = re.search(r"id ([0-9a-f]{12})", some).group(1)
        named = self.heddle("find", f"--details={identity}", "stock.sql").stdout
        self.assertEqual(["2"], re.findall(r"(?m)^(\d+)\. ", named))

    def test_details_that_do_not_exist(self):
        done = self.heddle("find", "--details=2,900", "stock.sql")
        self.assertIn("warning: --details=900: there is no such cause, they have the numbers 1 to",
                      done.stderr)
        for word in "few", "3-", "0", "9-2", ",":
            self.assert_trouble("names no causes, give numbers as the table has them", "find",
                                f"--details={word}", "stock.sql")
        self.assert_trouble("--format=html tells everything in full, leave --details out", "find",
                            "--details=3", "--format=html", "stock.sql")

    def test_paths_are_whole_and_relative(self):
        (self.folder / "stock.sql").unlink()
        (self.folder / "odd.sql").unlink()
        for word in ".", str(self.folder), "./reservation service//src/..":
            done = self.heddle("find", "--isolation=eventual", word)
            self.assertEqual(program.FOUND, done.returncode, done.stderr)
            lines = [line for line in done.stdout.splitlines() if "Rooms.java" in line]
            self.assertGreater(len(lines), 3)
            for line in lines:
                self.assertRegex(line, re.escape(f"{FOLDER}/Rooms.java") + r":\d+:\d+")
                self.assertNotIn(str(self.folder), line)

    def test_what_is_piped_is_plain(self):
        for words in ["stock.sql"], ["--details=all", "odd.sql", "--isolation=eventual"]:
            done = self.heddle("find", *words)
            self.assertNotIn("\x1b", done.stdout + done.stderr)
            self.assertFalse(done.stdout.startswith("\n"))
            for line in done.stdout.splitlines():
                self.assertEqual(line.rstrip(), line)

    def test_one_operation_has_its_singular(self):
        self.write("empty.sql", "CREATE TABLE t (id int PRIMARY KEY);\n")
        done = self.heddle("find", "--length=1", "--instances=1", "empty.sql")
        self.assertEqual("read: no functionality\n\n"
                         "nothing found within 1 operation and 1 transaction\n", done.stdout)
        done = self.heddle("find", "--explain=why-not", "--length=1", "--instances=1", "empty.sql")
        self.assertEqual("read: no functionality\nof 0 causes at eventual 0 are removed, within "
                         "1 operation and 1 transaction\n", done.stdout)
        done = self.heddle("find", "--engine=reference", "--isolation=eventual", "--length=2",
                           "--instances=2", "odd.sql")
        self.assertIn("within 2 operations and 2 transactions", done.stdout)

    def test_a_page_has_everything(self):
        for name in "stock.sql", "odd.sql", f"{FOLDER}/":
            count = len(self.rows(self.heddle("find", "--isolation=eventual", "--details=none",
                                              name).stdout))
            self.assertGreater(count, 0)
            done = self.heddle("find", "--isolation=eventual", "--format=html", name)
            self.assertEqual(program.FOUND, done.returncode, done.stderr)
            self.assertNotIn("<script", done.stdout)
            page = xml.etree.ElementTree.fromstring(done.stdout)
            self.assertEqual(count, len(page.findall(".//article")))
            links = {link.get("href") for link in page.findall(".//td/a")}
            targets = {"#" + one.get("id") for one in page.findall(".//article//*[@id]")}
            self.assertEqual(links, targets)

    def test_markdown_has_no_markup_of_the_programs(self):
        done = self.heddle("find", "--isolation=eventual", "--format=markdown", "odd.sql")
        self.assertIn("set \\<i\\>", done.stdout)
        self.assertIn("a\\|\\<b\\>", done.stdout)
        header = next(line for line in done.stdout.splitlines() if line.startswith("| # |"))
        self.assertEqual("| # | cause | tables | places | status | effect |", header)

    def test_junit_has_a_case_for_each_cause(self):
        done = self.heddle("find", "--format=junit", "stock.sql")
        root = xml.etree.ElementTree.fromstring(done.stdout)
        cases = root.findall(".//testcase")
        self.assertEqual("the search", cases[0].get("name"))
        self.assertEqual(len(cases) - 1, int(root.get("failures")))
        self.assertRegex(cases[1].get("name"), r"^lost update: .* \[[0-9a-f]{12}\]$")

    def test_causes_are_suppressed_by_their_ids(self):
        done = self.heddle("find", "--write-suppressions=known", "stock.sql")
        self.assertEqual(program.FOUND, done.returncode)
        known = (self.folder / "known").read_text()
        self.assertIn("not judged yet: lost update: take_a twice, on stock", known)
        # They last when lines move and another functionality comes first.
        self.write("moved.sql", STOCK.replace(
            ";\n", ";\n\n-- a comment\nCREATE PROCEDURE aaa() LANGUAGE sql AS 'SELECT 1';\n", 1))
        done = self.heddle("find", "--suppress=known", "--details=all", "moved.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertEqual("", done.stderr)
        self.assertIn("possible, suppressed", done.stdout)
        some = known.splitlines()[:-1]
        self.write("some", "\n".join(some) + "\n0123456789ab  of another program\n")
        done = self.heddle("find", "--suppress=some", "stock.sql")
        self.assertEqual(program.FOUND, done.returncode)
        self.assertIn("no finding has the id 0123456789ab", done.stderr)
        junit = self.heddle("find", "--suppress=known", "--format=junit", "stock.sql").stdout
        self.assertEqual("0", xml.etree.ElementTree.fromstring(junit).get("failures"))
        sarif = json.loads(self.heddle("find", "--suppress=known", "--format=sarif",
                                       "stock.sql").stdout)
        for result in sarif["runs"][0]["results"]:
            self.assertEqual("external", result["suppressions"][0]["kind"])

    def test_warnings_of_one_kind_are_one_line(self):
        self.write("opaque.sql", "CREATE TABLE t (id int PRIMARY KEY);\n" + "".join(
            f"CREATE PROCEDURE p{i}(x text) LANGUAGE plpgsql AS $$\nBEGIN\n  EXECUTE x;\nEND $$;\n"
            for i in range(7)))
        brief = self.heddle("find", "--list-statements", "opaque.sql").stderr
        self.assertEqual(1, brief.count("\n"), brief)
        self.assertRegex(brief, r"^opaque\.sql:4:11: warning: .* \(6 more like this at "
                                r"opaque\.sql:8:11, opaque\.sql:12:11, opaque\.sql:16:11, \.\.\.\)")
        everything = self.heddle("find", "--warnings=all", "--list-statements", "opaque.sql").stderr
        self.assertEqual(7, everything.count("\n"), everything)
        none = self.heddle("find", "--warnings=none", "--list-statements", "opaque.sql")
        self.assertEqual("", none.stderr)
        self.assert_trouble(r"opaque\.sql:4:11: EXECUTE", "find", "--warnings=none", "--strict",
                            "opaque.sql")

    def test_calls_have_their_arguments_in_the_diagram(self):
        done = self.heddle("find", "--on=postgres", "--details=1", f"{FOLDER}/")
        self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"│ call +│ book\(\d+, '[^']*'\) +│ book\(\d+, '[^']*'\)")


class SplitOutputTest(program.ProgramTest):

    def test_the_cores_come_as_a_table(self):
        self.write("bank.sql", """CREATE TABLE account (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE wallet (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE move(i int, a int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET n = n - a WHERE id = i;
  UPDATE wallet SET n = n + a WHERE id = i;
END $$;
CREATE PROCEDURE clear(i int) LANGUAGE sql AS $$
  DELETE FROM account WHERE id = i;
  DELETE FROM wallet WHERE id = i;
$$;
""")
        self.write("cut.json", '{"M1": ["account"], "M2": ["wallet"]}')
        done = self.heddle("split", "--services=cut.json", "bank.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"#  cause +tables +status\n1  dirty write: ")
        self.assertIn("\n     bank.sql:5:3  bank.sql:6:3", done.stdout)
        self.assertRegex(done.stdout, r"the cut adds .* within 4 operations and 3 transactions")
        self.assertLess(done.stdout.index("│ kind"), done.stdout.index("\n1. dirty write"))
        for line in done.stdout.splitlines():
            self.assertEqual(line.rstrip(), line)
        none = self.heddle("split", "--services=cut.json", "--details=none", "bank.sql").stdout
        self.assertNotRegex(none, r"(?m)^\d+\. ")
        some = self.heddle("split", "--services=cut.json", "--details=2", "bank.sql").stdout
        self.assertEqual(["2"], re.findall(r"(?m)^(\d+)\. ", some))


if __name__ == "__main__":
    unittest.main()
