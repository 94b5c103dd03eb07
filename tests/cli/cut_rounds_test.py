"""Callers that go through the rows of one service and ask another about each: each row comes once,
so that what goes wrong is between the services and not between two rounds."""

import unittest

import program

MAIL = """CREATE TABLE users (id int PRIMARY KEY, active boolean NOT NULL);
CREATE TABLE mail (id serial PRIMARY KEY, uid int NOT NULL);
"""
LEAVE = """CREATE PROCEDURE leave(u int) LANGUAGE {language} AS $${begin}
  UPDATE users SET active = false WHERE id = u;{delete}
{end}$$;
"""
DELETE = "\n  DELETE FROM mail WHERE uid = u;"
DIGEST = """CREATE PROCEDURE digest() LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT id FROM users WHERE active LOOP
    INSERT INTO mail (uid) VALUES (r.id);
  END LOOP;
END $$;
"""
SQL = """CREATE PROCEDURE digest() LANGUAGE sql AS $$
  INSERT INTO mail (uid) SELECT id FROM users WHERE active;
$$;
"""
JDBC = """import java.sql.*;

public class Digest {
    public void digest(Connection open) throws SQLException {
        ResultSet rows = open.createStatement().executeQuery("SELECT id FROM users WHERE active");
        while (rows.next()) {
            PreparedStatement mail = open.prepareStatement("INSERT INTO mail (uid) VALUES (?)");
            mail.setInt(1, rows.getInt("id"));
            mail.executeUpdate();
        }
    }
}
"""
BANK = """CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE transfer(i int, n int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - n WHERE id = i;
  UPDATE wallet SET balance = balance + n WHERE id = i;
END $$;
"""
ALL = "SELECT {what} FROM account JOIN wallet ON wallet.id = account.id"
SUM = ALL.format(what="sum(account.balance + wallet.balance)")
BOTH = ALL.format(what="account.balance + wallet.balance") + " WHERE account.id = i"
TOTAL = """CREATE FUNCTION total({parameters}) RETURNS {type} LANGUAGE sql AS $$
  {query};
$$;
"""


class CutRoundsTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.write("mail.json", '{"U": ["users"], "M": ["mail"]}')
        self.write("bank.json", '{"A": ["account"], "W": ["wallet"]}')

    def split(self, cut, *options, **files):
        folder = self.folder / "app"
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text)
        return self.heddle("split", f"--services={cut}.json", "--warnings=none", *options, "app")

    def leave(self, delete=DELETE, language="plpgsql"):
        is_sql = language == "sql"
        return LEAVE.format(language=language, begin="" if is_sql else "\nBEGIN", delete=delete,
                            end="" if is_sql else "END ")

    def test_mail_of_who_has_left_is_sent(self):
        styles = ({"a_sql": MAIL + DIGEST + self.leave()},
                  {"a_sql": MAIL + SQL + self.leave(language="sql")},
                  {"a_sql": MAIL + self.leave(), "Digest_java": JDBC})
        for files in styles:
            with self.subTest(files=files):
                done = self.split("mail", "--on=postgres", **files)
                self.assertEqual(program.FOUND, done.returncode, done.stderr)
                self.assertRegex(done.stdout,
                                 r"(digest and leave|leave and digest) .*confirmed +internal")

    def test_who_leaves_one_table_alone_is_safe(self):
        for files in ({"a_sql": MAIL + DIGEST + self.leave("")},
                      {"a_sql": MAIL + SQL + self.leave("", "sql")},
                      {"a_sql": MAIL + self.leave(""), "Digest_java": JDBC}):
            done = self.split("mail", **files)
            self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_the_sum_of_all_is_read_between_two_halves(self):
        total = TOTAL.format(parameters="", type="bigint", query=SUM)
        done = self.split("bank", "--on=postgres", a_sql=BANK + total)
        self.assertRegex(done.stdout, r"read skew: .* confirmed +external")
        self.assertNotIn("non-repeatable", done.stdout)

    def test_rows_that_come_twice_are_read_twice(self):
        total = ("CREATE FUNCTION total(i int) RETURNS int LANGUAGE plpgsql AS $$\n"
                 "DECLARE r record; s int := 0; b int;\nBEGIN\n"
                 "  FOR r IN SELECT id, generate_series(1, 2) FROM account WHERE id = i LOOP\n"
                 "    SELECT balance INTO b FROM wallet WHERE id = r.id;\n    s := s + b;\n"
                 "  END LOOP;\n  RETURN s;\nEND $$;\n")
        done = self.split("bank", a_sql=BANK + total)
        self.assertIn("non-repeatable read", done.stdout)

    def test_a_value_of_two_services_is_returned(self):
        total = TOTAL.format(parameters="i int", type="int", query=BOTH)
        done = self.split("bank", "--on=postgres", a_sql=BANK + total)
        self.assertRegex(done.stdout, r"read skew: .* confirmed +external")
        self.assertNotIn("without RETURN", done.stdout)


if __name__ == "__main__":
    unittest.main()
