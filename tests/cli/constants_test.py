"""Conditions on constants of all types, as a guard in front of an update that loses another one:
whatever the store may find true, the search has to. Each is found, and shown on the store."""

import unittest

import program

TABLE = """CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL, i int NOT NULL, m numeric(12,2) NOT NULL,
  s text NOT NULL, b boolean NOT NULL, d date NOT NULL, t timestamp NOT NULL, tm time NOT NULL,
  u uuid NOT NULL, j jsonb NOT NULL, ni int, ns text, e mood NOT NULL);
"""
QUERY = """CREATE PROCEDURE bump(a int) LANGUAGE plpgsql AS $f$
DECLARE x int;
BEGIN
  SELECT n INTO x FROM item WHERE id = a AND ({condition}){lock};
  IF x IS NULL THEN RETURN; END IF;
  UPDATE item SET n = x + 1 WHERE id = a;
END $f$;
"""
UPDATE = """CREATE PROCEDURE bump(a int) LANGUAGE plpgsql AS $f$
DECLARE x int;
BEGIN
  SELECT n INTO x FROM item WHERE id = a{lock};
  UPDATE item SET n = x + 1 WHERE id = a AND ({condition});
END $f$;
"""
JAVA = """import java.sql.*;
class Items {{
  public void bump(Connection connection, int a) throws SQLException {{
    PreparedStatement ask = connection.prepareStatement(
        "SELECT n FROM item WHERE id = ? AND ({condition}){lock}");
    ask.setInt(1, a);
    ResultSet rows = ask.executeQuery();
    if (!rows.next()) return;
    int n = rows.getInt("n");
    PreparedStatement set = connection.prepareStatement("UPDATE item SET n = ? WHERE id = ?");
    set.setInt(1, n + 1);
    set.setInt(2, a);
    set.executeUpdate();
  }}
}}
"""
ROW = """CREATE PROCEDURE bump(a item.id%TYPE) LANGUAGE plpgsql AS $f$
DECLARE x {row};
BEGIN
  SELECT * INTO x FROM item WHERE id = a{lock};
  IF {condition} THEN UPDATE item SET n = x.n + 1 WHERE id = a; END IF;
END $f$;
"""

SHOWN = (
    "i = '7'", "i > '3' AND i < '12'", "m = '10.5'", "b = 't'", "b = 'yes'", "i = 1e1",
    "m > 9.99 AND m < 10.01", "i / 2 = 3", "i % 3 = 1", "mod(i, 4) = 3", "abs(i) = 4",
    "nullif(i, 0) IS NULL", "nullif(i, 3) = 4", "least(i, ni) = 2", "ni IS NULL OR ni = 3",
    "s > 'b' AND s < 'c'", "s >= 'alpha' AND s < 'beta' AND s <> 'alpha'", "s = concat('a', 'b')",
    "d = '2024-02-29'", "d > '2023-12-31' AND d < '2024-01-02'", "d + 1 = '2024-03-01'",
    "d - '2024-01-01' > 5", "d BETWEEN DATE '2024-01-01' AND DATE '2024-12-31'",
    "d >= current_date", "d < now()", "t > '2024-01-01 10:00:00'", "t::date = '2024-01-01'",
    "t >= '2024-01-01' AND t < '2024-01-02'", "t < now() - interval '1 day'",
    "t + interval '1 day' > now()", "tm >= '10:00' AND tm < '11:30'",
    "u = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "(i, s) = (3, 'a')",
    "(i, s) IN ((3, 'a'), (4, 'b'))", "i = ANY(ARRAY[3, 4])", "e IN ('ok', 'happy')",
    "CASE WHEN i > 3 THEN s ELSE 'no' END = 'yes'")
# Made rows do not make these true, and they are causes all the same.
FOUND = ("j ->> 'gone' IS NULL", "round(m, 1) > 10.2 AND round(m, 1) < 10.4", "s LIKE 'ab%'",
         "lower(s) = 'abc'", "length(s) > 3", "extract(year from d) = 2024")


class ConstantsTest(program.ProgramTest):
    def find(self, text, name="made.sql"):
        self.write("schema.sql", TABLE)
        self.write(name, text)
        done = self.heddle("find", "--on=postgres", "--isolation=postgres:read-committed",
                           "schema.sql", name)
        self.assertEqual("", done.stderr)
        (self.folder / name).unlink()
        return done

    def assert_shown(self, text, name="made.sql"):
        done = self.find(text, name)
        self.assertRegex(done.stdout, r"1 +lost update: bump twice +item +confirmed +internal",
                         text)

    def test_a_query_asks(self):
        for condition in SHOWN:
            self.assert_shown(QUERY.format(condition=condition, lock=""))

    def test_an_update_asks(self):
        for condition in SHOWN:
            self.assert_shown(UPDATE.format(condition=condition, lock=""))

    def test_a_query_of_java_asks(self):
        for condition in SHOWN:
            self.assert_shown(JAVA.format(condition=condition, lock=""), "Items.java")

    def test_what_made_rows_do_not_have_is_found(self):
        for condition in FOUND:
            for style in (QUERY, UPDATE):
                done = self.find(style.format(condition=condition, lock=""))
                self.assertRegex(done.stdout, "1 +lost update: bump twice +item", condition)

    def test_rows_are_declared_by_their_table(self):
        for row in ("item%ROWTYPE", "public.item%rowtype", "item", "record"):
            for condition in ("x.i > 3", "x.i = '7'", "x.d > '2024-01-01' AND x.b = 't'"):
                self.assert_shown(ROW.format(row=row, condition=condition, lock=""))

    def test_locks_keep_them_safe(self):
        lock = " FOR UPDATE"
        for text, name in ((QUERY.format(condition="d > '2024-01-01'", lock=lock), "made.sql"),
                           (UPDATE.format(condition="i = '7'", lock=lock), "made.sql"),
                           (JAVA.format(condition="s < 'b'", lock=lock), "Items.java"),
                           (ROW.format(row="item%ROWTYPE", condition="x.i > 3", lock=lock), "made.sql")):
            done = self.find(text, name)
            self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)


if __name__ == "__main__":
    unittest.main()
