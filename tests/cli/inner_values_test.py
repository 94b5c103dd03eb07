"""What a query within a statement gives decides what the statement does: the last of them must not
go, a coupon is used so many times, a number is the highest one and one more."""

import unittest

import program

USERS = """CREATE TABLE users (id int PRIMARY KEY, is_admin boolean NOT NULL, team int NOT NULL);
CREATE TABLE team (id int PRIMARY KEY, least int NOT NULL);
"""
COUPON = """CREATE TABLE coupon (code text PRIMARY KEY, uses int NOT NULL);
CREATE TABLE used (code text NOT NULL, who int NOT NULL, PRIMARY KEY (code, who));
"""
NUMBERS = "CREATE TABLE invoice (number int PRIMARY KEY, amount int NOT NULL);\n"

DEMOTE = """CREATE PROCEDURE demote(a int) LANGUAGE {language} AS $$
{begin}{first}UPDATE users SET is_admin = false
 WHERE id = a AND (SELECT count(*) FROM users WHERE is_admin) > 1;{end}
$$;
"""
LEAST = """CREATE PROCEDURE leave(a int, t int) LANGUAGE plpgsql AS $$
BEGIN
  {first}
  IF (SELECT count(*) FROM users AS u WHERE u.team = t)
     > (SELECT least FROM team WHERE id = t) THEN
    DELETE FROM users WHERE id = a AND team = t;
  END IF;
END $$;
"""
REDEEM = """import java.sql.*;
class Coupons {
  public boolean redeem(Connection connection, String code, int who) throws SQLException {
    PreparedStatement left = connection.prepareStatement(
        "SELECT (SELECT count(*) FROM used WHERE code = ?) "
        + "< (SELECT k.uses FROM coupon k WHERE k.code = ?)");
    left.setString(1, code);
    left.setString(2, code);
    ResultSet rows = left.executeQuery();
    rows.next();
    if (!rows.getBoolean(1)) return false;
    PreparedStatement use = connection.prepareStatement("INSERT INTO used VALUES (?, ?)");
    use.setString(1, code);
    use.setInt(2, who);
    use.executeUpdate();
    return true;
  }
}
"""
FIRST = """    PreparedStatement lock =
        connection.prepareStatement("SELECT uses FROM coupon WHERE code = ? FOR UPDATE");
    lock.setString(1, code);
    lock.executeQuery();
"""
ISSUE = """CREATE PROCEDURE issue(amount int) LANGUAGE plpgsql AS $$
BEGIN
  {first}
  INSERT INTO invoice VALUES ((SELECT coalesce(max(number), 0) + 1 FROM invoice), amount);
END $$;
"""


class InnerValuesTest(program.ProgramTest):
    def find(self, schema, text, name="made.sql", level="postgres:read-committed"):
        self.write("schema.sql", schema)
        self.write(name, text)
        done = self.heddle("find", "--on=postgres", f"--isolation={level}", "schema.sql", name)
        self.assertEqual("", done.stderr)
        (self.folder / name).unlink()
        return done

    def assert_confirmed(self, kind, done):
        self.assertRegex(done.stdout, rf"1 +{kind}.* confirmed +internal")

    def assert_nothing(self, done):
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_an_update_is_guarded_by_a_count(self):
        plpgsql = {"language": "plpgsql", "begin": "BEGIN\n", "end": "\nEND"}
        sql = {"language": "sql", "begin": "", "end": ""}
        for way in (plpgsql, sql):
            for level in ("postgres:read-committed", "postgres:repeatable-read"):
                done = self.find(USERS, DEMOTE.format(first="", **way), level=level)
                self.assert_confirmed("write skew: demote twice +users", done)
        locked = "LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE;\n"
        self.assert_nothing(self.find(USERS, DEMOTE.format(first=locked, **plpgsql)))

    def test_a_condition_compares_two_queries(self):
        done = self.find(USERS, LEAST.format(first=""))
        self.assert_confirmed("(phantom|write skew|serialization cycle): leave twice +users", done)
        lock = "PERFORM 1 FROM team WHERE id = t FOR UPDATE;"
        self.assert_nothing(self.find(USERS, LEAST.format(first=lock)))

    def test_code_in_java_asks_so(self):
        for level in ("postgres:read-committed", "postgres:repeatable-read"):
            done = self.find(COUPON, REDEEM, name="Coupons.java", level=level)
            self.assert_confirmed("phantom: redeem twice +used", done)
        head = "throws SQLException {\n"
        self.assert_nothing(
            self.find(COUPON, REDEEM.replace(head, head + FIRST), name="Coupons.java"))

    def test_a_row_gets_the_highest_number_and_one_more(self):
        done = self.find(NUMBERS, ISSUE.format(first=""))
        self.assertRegex(done.stdout, r"1 +phantom: issue twice +invoice +confirmed")
        lock = "PERFORM pg_advisory_xact_lock(7);"
        self.assert_nothing(self.find(NUMBERS, ISSUE.format(first=lock)))


if __name__ == "__main__":
    unittest.main()
