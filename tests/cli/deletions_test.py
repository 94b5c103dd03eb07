"""What is read and then deleted by two at once is taken twice."""

import unittest

import program

COUPON = """CREATE TABLE coupon (id int PRIMARY KEY, worth int NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
"""
TAKE = """CREATE FUNCTION take(a int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE m int;
BEGIN
  {take}
  RETURN m;
END $$;
"""
READ = "SELECT worth INTO m FROM coupon WHERE id = a{lock};"
DELETE = "DELETE FROM coupon WHERE id = a{more};"
TWICE = READ.format(lock="") + " " + DELETE.format(more="")
JDBC = """import java.sql.*;
class Coupons {
  public int take(Connection connection, int id) throws SQLException {
    int worth = 0;
    try (PreparedStatement s =
        connection.prepareStatement("SELECT worth FROM coupon WHERE id = ?LOCK")) {
      s.setInt(1, id);
      try (ResultSet rows = s.executeQuery()) {
        if (!rows.next()) return 0;
        worth = rows.getInt(1);
      }
    }
    try (PreparedStatement s = connection.prepareStatement("DELETE FROM coupon WHERE id = ?")) {
      s.setInt(1, id);
      s.executeUpdate();
    }
    return worth;
  }
}
"""
EACH = """CREATE PROCEDURE take(a int) LANGUAGE plpgsql AS $$
DECLARE r record; sum int := 0;
BEGIN
  FOR r IN SELECT id, worth FROM coupon WHERE worth > a LOOP
    sum := sum + r.worth;
    DELETE FROM coupon WHERE id = r.id;
  END LOOP;
  RAISE NOTICE 'took %', sum;
END $$;
"""
FACTS = 'initially "they are worth something" { SELECT worth > 0 FROM coupon }\n'


class DeletionsTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("schema.sql", COUPON)
        self.write("facts.txt", FACTS)

    def find(self, text, *words, name="made.sql", level="postgres:read-committed"):
        self.write(name, text)
        return self.heddle("find", f"--isolation={level}", *words, "schema.sql", name)

    def assert_nothing(self, done):
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)

    def test_it_is_confirmed_and_no_update_is_lost(self):
        for name, text in (("made.sql", TAKE.format(take=TWICE)),
                           ("Coupons.java", JDBC.replace("LOCK", ""))):
            with self.subTest(name=name):
                done = self.find(text, "--on=postgres", name=name)
                self.assertRegex(done.stdout, r"1 +serialization cycle: take twice +coupon +"
                                              r"confirmed +external")
                self.assertNotIn("lost update", done.stdout)
                (self.folder / name).unlink()

    def test_it_is_found_where_it_is_known_what_rows_there_are_at_first(self):
        for level in ("postgres:read-committed", "mariadb:repeatable-read", "eventual"):
            for name, text in (("made.sql", TAKE.format(take=TWICE)),
                               ("Coupons.java", JDBC.replace("LOCK", "")),
                               ("made.sql", EACH)):
                with self.subTest(level=level, name=name):
                    done = self.find(text, "--constraints=facts.txt", name=name, level=level)
                    self.assertEqual(program.FOUND, done.returncode, done.stdout)
                    self.assertRegex(done.stdout, r"serialization cycle: take twice")
                    (self.folder / name).unlink()

    def test_who_takes_it_into_an_account_leaves_wrong_rows(self):
        done = self.find(f"""CREATE PROCEDURE redeem(a int, b int) LANGUAGE plpgsql AS $$
DECLARE m int;
BEGIN
  {TWICE}
  UPDATE account SET balance = balance + m WHERE id = b;
END $$;
""", "--on=postgres")
        self.assertRegex(done.stdout, r"serialization cycle: redeem twice +coupon +confirmed "
                                      r"+internal")

    def test_who_locks_or_reads_what_he_deletes_takes_it_alone(self):
        locked = READ.format(lock=" FOR UPDATE") + DELETE.format(more="")
        returned = DELETE.format(more=" RETURNING worth INTO m")
        for take in (locked, returned):
            with self.subTest(take=take):
                self.assert_nothing(self.find(TAKE.format(take=take)))
        self.assert_nothing(self.find(JDBC.replace("LOCK", " FOR UPDATE"), name="Coupons.java"))

    def test_what_is_deleted_by_two_is_gone_in_either_order(self):
        self.assert_nothing(self.find("""CREATE PROCEDURE up() LANGUAGE plpgsql AS $$
BEGIN DELETE FROM coupon WHERE id = 1; DELETE FROM coupon WHERE id = 2; END $$;
CREATE PROCEDURE down() LANGUAGE plpgsql AS $$
BEGIN DELETE FROM coupon WHERE id = 2; DELETE FROM coupon WHERE id = 1; END $$;
"""))
        # Who does not read it does not mind who reads it.
        self.assert_nothing(self.find(TAKE.format(take=TWICE) + """
CREATE PROCEDURE drop(a int) LANGUAGE plpgsql AS $$
BEGIN DELETE FROM coupon WHERE id = a; END $$;
""", "--only=drop"))


if __name__ == "__main__":
    unittest.main()
