"""Lists that loops make, and single places of them."""

import unittest

import program

MEMBERS = """CREATE TABLE member (id int PRIMARY KEY, club int NOT NULL, name text NOT NULL,
  paid int NOT NULL{unique});
"""
# The one in the middle of those with a club pays.
MIDDLE = """CREATE PROCEDURE pay(in_club int, amount int) LANGUAGE plpgsql AS $$
DECLARE r record; ids int[] := '{{}}'; sums int[] := '{{}}'; at int;
  who int; sum int;
BEGIN
  FOR r IN SELECT id, paid FROM member WHERE club = in_club ORDER BY {order} LOOP
    ids := array_append(ids, r.id);
    sums := array_append(sums, r.paid);
  END LOOP;
  IF cardinality(ids) = 0 THEN RETURN; END IF;
  at := cardinality(ids) / 2 + 1;
  who := ids[at];
  sum := sums[at] + amount;
  UPDATE member SET paid = sum WHERE id = who;
END $$;
"""
OTHER = """CREATE PROCEDURE change(what int, value text) LANGUAGE plpgsql AS $$
BEGIN {other} END $$;
"""
# Members of one kind look twice at what those of the other kind change.
SIDE_BY_SIDE = """CREATE TABLE fan (id int PRIMARY KEY, club int NOT NULL, kind int NOT NULL,
  n int NOT NULL);
CREATE TABLE seat (fan int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE visit(in_club int) LANGUAGE plpgsql AS $$
DECLARE r record; ids int[] := '{{}}'; kinds int[] := '{{}}'; at int; who int; what int;
  one int; two int;
BEGIN
  FOR r IN SELECT id, kind FROM fan WHERE club = in_club LOOP
    ids := array_append(ids, r.id);
    {within}
  END LOOP;
  {behind}
  at := cardinality(ids) / 2 + 1;
  who := ids[at];
  what := kinds[{place}];
  IF what = 1 THEN
    SELECT n INTO one FROM seat WHERE fan = who;
    SELECT n INTO two FROM seat WHERE fan = who;
    IF one <> two THEN RAISE EXCEPTION 'moved'; END IF;
  ELSIF what = 2 THEN
    UPDATE seat SET n = n + 1 WHERE fan = who;
  END IF;
END $$;
"""
ORDERS = """CREATE TABLE hall (id int PRIMARY KEY, next int NOT NULL);
CREATE TABLE booking (hall int, id int, PRIMARY KEY (hall, id));
CREATE TABLE line (hall int, id int, n int, PRIMARY KEY (hall, id, n),
  FOREIGN KEY (hall, id) REFERENCES booking (hall, id));
"""
BATCH = """import java.sql.*;
class Bookings {
  public void book(Connection connection, int hall, int lines) throws SQLException {
    int id;
    try (PreparedStatement s =
        connection.prepareStatement("SELECT next FROM hall WHERE id = ? FOR UPDATE")) {
      s.setInt(1, hall);
      try (ResultSet rows = s.executeQuery()) {
        if (!rows.next()) throw new IllegalStateException("no such hall");
        id = rows.getInt(1);
      }
    }
    try (PreparedStatement s =
        connection.prepareStatement("UPDATE hall SET next = next + 1 WHERE id = ?")) {
      s.setInt(1, hall);
      s.executeUpdate();
    }
    try (PreparedStatement s =
        connection.prepareStatement("INSERT INTO booking (hall, id) VALUES (?, ?)")) {
      s.setInt(1, hall);
      s.setInt(2, id);
      s.executeUpdate();
    }
    try (PreparedStatement s =
        connection.prepareStatement("INSERT INTO line (hall, id, n) VALUES (?, ?, ?)")) {
      for (int n = 1; n <= lines; n++) {
        s.setInt(1, hall);
        s.setInt(2, id);
        s.setInt(3, n);
        s.addBatch();
      }
      s.executeBatch();
    }
  }
}
"""


class ListsTest(program.ProgramTest):
    def find(self, level, *files):
        return self.heddle("find", f"--isolation={level}", "--instances=2", "--length=4", *files)

    def of_members(self, order, unique="", other=""):
        text = MEMBERS.format(unique=unique) + MIDDLE.format(order=order)
        if other:
            text += OTHER.format(other=other)
        self.write("made.sql", text)
        return self.find("postgres:repeatable-read", "made.sql")

    def test_two_find_the_same_row_at_a_place_of_a_list_that_has_one_order(self):
        for order, unique in (("id", ""), ("name", ", UNIQUE (club, name)")):
            with self.subTest(order=order):
                done = self.of_members(order, unique)
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                 done.stdout)

    def test_they_need_not_where_two_rows_are_ordered_alike_or_something_changes(self):
        for order, unique, other in (
                ("name", "", ""),
                ("name", ", UNIQUE (name)", "UPDATE member SET name = value WHERE id = what;"),
                ("id", "", "UPDATE member SET club = club + 1 WHERE id = what;"),
                ("id", "", "DELETE FROM member WHERE id = what;"),
                ("id", "", "INSERT INTO member VALUES (what, 1, value, 0);"),
                ("paid", ", UNIQUE (paid)", ""),
                ("id DESC NULLS LAST, random()", "", "UPDATE member SET club = what;")):
            with self.subTest(order=order, other=other):
                done = self.of_members(order, unique, other)
                self.assertEqual(program.FOUND, done.returncode, done.stdout)
                self.assertRegex(done.stdout, r": pay (twice|and)")

    def side_by_side(self, within="kinds := array_append(kinds, r.kind);", behind="", place="at",
                     other=""):
        text = SIDE_BY_SIDE.format(within=within, behind=behind, place=place)
        self.write("made.sql", text + (OTHER.format(other=other) if other else ""))
        return self.find("postgres:read-committed", "--rounds=1", "--instances=3", "--length=5",
                         "made.sql")

    def test_lists_of_one_loop_have_one_row_at_a_place(self):
        for place in ("at", "1 + cardinality(kinds) / 2"):
            with self.subTest(place=place):
                done = self.side_by_side(place=place)
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                 done.stdout)

    def test_they_have_others_at_other_places_and_in_other_loops(self):
        again = ("FOR r IN SELECT id, kind FROM fan WHERE club = in_club ORDER BY n LOOP "
                 "kinds := array_append(kinds, r.kind); END LOOP;")
        for change in ({"place": "at + 1"}, {"within": "", "behind": again},
                       {"other": "UPDATE fan SET kind = 3 - kind WHERE id = what;"}):
            with self.subTest(change=change):
                done = self.side_by_side(**change)
                self.assertEqual(program.FOUND, done.returncode, done.stdout)
                self.assertRegex(done.stdout, r": visit (twice|and)")

    def test_what_an_inner_query_cuts_is_no_same_row(self):
        self.write("made.sql", MEMBERS.format(unique="") + MIDDLE.format(order="id").replace(
            "FROM member WHERE club = in_club",
            "FROM (SELECT id, paid FROM member WHERE club = in_club ORDER BY paid LIMIT 3) AS few"))
        done = self.find("postgres:repeatable-read", "made.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)

    def test_what_is_updated_by_a_list_is_shown(self):
        self.write("made.sql", MEMBERS.format(unique="") + MIDDLE.format(order="name"))
        done = self.find("postgres:read-committed", "--on=postgres", "made.sql")
        self.assertRegex(done.stdout, r"pay twice +member +confirmed +internal")

    def test_a_batch_writes_what_was_added_to_it(self):
        self.write("schema.sql", ORDERS)
        self.write("Bookings.java", BATCH)
        self.write("facts.txt", 'initially "the next one is new" {\n  SELECT booking.id < next '
                                "FROM booking JOIN hall ON booking.hall = hall.id\n}\n")
        done = self.find("postgres:repeatable-read", "--constraints=facts.txt", "schema.sql",
                         "Bookings.java")
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)

    def test_rounds_that_are_not_looked_at_may_change_elements_and_fields(self):
        for kept, change, value in (("seen int[] := '{0}'", "seen[1] := i", "seen[1]"),
                                    ("seen record", "seen.n := i", "seen.n")):
            with self.subTest(kept=kept):
                first = "SELECT 0 AS n INTO seen;" if "record" in kept else ""
                self.write("made.sql", f"""CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE run(what int) LANGUAGE plpgsql AS $$
DECLARE {kept}; m int;
BEGIN
  {first}
  FOR i IN 1 .. 9 LOOP {change}; END LOOP;
  IF {value} = 9 THEN
    SELECT n INTO m FROM t WHERE id = what;
    UPDATE t SET n = m + 1 WHERE id = what;
  END IF;
END $$;
""")
                done = self.find("read-committed", "made.sql")
                self.assertEqual(program.FOUND, done.returncode, done.stdout)


if __name__ == "__main__":
    unittest.main()
