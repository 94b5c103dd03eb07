"""find --repair where a transaction ends too early: what it proposes is made by hand and has nothing
left, and was run before it was proposed."""

import json
import random
import unittest

import program

STOCK = "CREATE TABLE stock (item {integer} PRIMARY KEY, amount {integer} NOT NULL);\n"

ROUTINE = """
CREATE PROCEDURE {name}(which integer, many integer) LANGUAGE plpgsql AS $$
DECLARE have integer;
BEGIN
  SELECT amount INTO have FROM stock WHERE item = which FOR UPDATE;{middle}
  IF have < many THEN
    RETURN;
  END IF;
  UPDATE stock SET amount = have - many WHERE item = which;{end}
END $$;
"""

JAVA = """
import java.sql.*;

public class Shop {{
    private final String url;
    public Shop(String url) {{
        this.url = url;
    }}
    public void buy(int which, int many) throws SQLException {{
        try (Connection open = DriverManager.getConnection(url)) {{{begin}
            PreparedStatement query = open.prepareStatement(
                    "SELECT amount FROM stock WHERE item = ?{lock}");
            query.setInt(1, which);
            ResultSet rows = query.executeQuery();
            if (!rows.next() || rows.getInt(1) < many) {{
                return;
            }}
            int have = rows.getInt(1);
            PreparedStatement change = open.prepareStatement(
                    "UPDATE stock SET amount = ? WHERE item = ?");
            change.setInt(1, have - many);
            change.setInt(2, which);
            change.executeUpdate();{end}
        }}
    }}
}}
"""

# Its lock is of a row that nobody changes.
BOOKING = """
CREATE TABLE flight (id integer PRIMARY KEY, seats integer NOT NULL);
CREATE TABLE booking (id serial PRIMARY KEY, flight_id integer NOT NULL, who integer NOT NULL);
CREATE TABLE visit (who integer PRIMARY KEY, times integer NOT NULL);
CREATE PROCEDURE book(flight integer, who_books integer) LANGUAGE plpgsql AS $$
DECLARE have integer; taken integer;
BEGIN
  SELECT seats INTO have FROM flight WHERE id = flight{lock};{commit}
  SELECT count(*) INTO taken FROM booking WHERE flight_id = flight;
  IF taken < have THEN
    INSERT INTO booking (flight_id, who) VALUES (flight, who_books);
  END IF;
END $$;
"""


class RepairBoundariesTest(program.ProgramTest):

    def repairs(self, *words):
        done = self.heddle("find", "--repair", "--format=json", *words)
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        return json.loads(done.stdout)["repair"]

    def sentences(self, repair):
        return [change["sentence"] for change in repair["changes"]]

    def assert_nothing_left(self, *words):
        done = self.heddle("find", *words)
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_a_commit_that_gives_the_lock_up_is_taken_out(self):
        routine = STOCK.format(integer="integer") + ROUTINE
        self.write("shop.sql", routine.format(name="buy", middle="\n  COMMIT;", end=""))
        for level in ("read-committed", "repeatable-read", "serializable"):
            with self.subTest(level=level):
                words = [f"--isolation=postgres:{level}", "shop.sql"]
                repair = self.repairs("--on=postgres", *words)
                best = repair["repairs"][0]
                self.assertEqual(["take out the COMMIT at shop.sql:7 (buy)"],
                                 self.sentences(best))
                self.assertEqual("one-transaction", best["changes"][0]["kind"])
                self.assertEqual(7, best["changes"][0]["line"])
                self.assertEqual(1, best["executed"]["causes"])
                self.assertGreater(best["executed"]["orders"], 2)
        self.write("shop.sql", routine.format(name="buy", middle="", end=""))
        self.assert_nothing_left("--isolation=postgres:read-committed", "shop.sql")

    def test_statements_that_commit_by_themselves_are_put_into_one_transaction(self):
        for store, integer in (("postgres", "integer"), ("mariadb", "int")):
            with self.subTest(store=store):
                self.write("schema.sql", STOCK.format(integer=integer))
                self.write("Shop.java", JAVA.format(begin="", lock="", end=""))
                words = [f"--isolation={store}:read-committed", "schema.sql", "Shop.java"]
                repair = self.repairs(f"--on={store}", *words)
                best = repair["repairs"][0]
                self.assertEqual(
                    ["append FOR UPDATE to the SELECT at Shop.java:14 (buy)",
                     "run the SELECT at Shop.java:14 (buy) in one transaction with what follows it"],
                    self.sentences(best))
                self.assertEqual(1, best["executed"]["causes"])
                self.write("Shop.java", JAVA.format(
                    begin="\n            open.setAutoCommit(false);", lock=" FOR UPDATE",
                    end="\n            open.commit();"))
                self.assert_nothing_left(*words)

    # The database refuses the second transaction of a call whose first one stays.
    def test_a_level_that_ends_the_second_half_of_a_call_is_refused(self):
        commit = "\n  INSERT INTO visit VALUES (who_books, 1);\n  COMMIT;"
        self.write("book.sql", BOOKING.format(lock=" FOR UPDATE", commit=commit))
        done = self.heddle("find", "--on=postgres", "--repair",
                           "--isolation=postgres:read-committed", "book.sql")
        text = " ".join(done.stdout.split())
        self.assertIn("take out the COMMIT at book.sql:10 (book) executed: ", text)
        self.assertRegex(text, r"Not enough, though no cycle is left in the search: running it still "
                               r"shows \w+: unserializable outcome \(the database ends a transaction "
                               r"of book_\w, and what book_\w has committed before stays\) run book "
                               r"at postgres:serializable")
        # Where nothing is run, nobody knows.
        repair = self.repairs("--isolation=postgres:read-committed", "book.sql")
        self.assertEqual([], repair["refused"])
        self.assertIn(["run book at postgres:serializable"],
                      [self.sentences(one) for one in repair["repairs"]])

    # Names, places and further statements do not matter.
    def test_random_programs(self):
        draw = random.Random(20261128)
        for _ in range(6):
            name = draw.choice(["take", "sell", "reserve"])
            before = draw.choice(["", "\n  DELETE FROM stock WHERE item = -which;"])
            after = draw.choice(["", "\n  COMMIT;"])
            text = STOCK.format(integer="integer") + ROUTINE
            self.write("p.sql", text.format(name=name, middle=before + "\n  COMMIT;", end=after))
            words = ["--isolation=postgres:read-committed", "p.sql"]
            best = self.repairs("--on=postgres", *words)["repairs"][0]
            with self.subTest(name=name, before=before, after=after):
                line = 8 if before else 7
                self.assertIn(f"take out the COMMIT at p.sql:{line} ({name})",
                              self.sentences(best))
                self.assertGreater(best["executed"]["orders"], 2)

    # What only reads otherwise is left, and a run that shows it refuses nothing.
    def test_internal_repairs_are_of_rows_alone(self):
        self.write("p.sql", STOCK.format(integer="integer")
                   + ROUTINE.format(name="buy", middle="\n  COMMIT;", end="") + """
CREATE FUNCTION sum_of(first integer, second integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE x integer; y integer;
BEGIN
  SELECT amount INTO x FROM stock WHERE item = first;
  SELECT amount INTO y FROM stock WHERE item = second;
  RETURN x + y;
END $$;
""")
        words = ["--on=postgres", "--isolation=postgres:read-committed", "p.sql"]
        best = self.repairs("--internal", *words)["repairs"][0]
        self.assertEqual(["take out the COMMIT at p.sql:7 (buy)"], self.sentences(best))
        self.assertGreater(best["executed"]["orders"], 2)
        of_all = self.repairs(*words)["repairs"][0]
        self.assertIn("take out the COMMIT at p.sql:7 (buy)", self.sentences(of_all))
        self.assertGreater(len(of_all["changes"]), 1)

    def test_levels_that_end_transactions_say_so(self):
        self.write("schema.sql", STOCK.format(integer="integer"))
        self.write("Shop.java", JAVA.format(begin="", lock="", end=""))
        done = self.heddle("find", "--repair", "--isolation=postgres:repeatable-read", "schema.sql",
                           "Shop.java")
        text = " ".join(done.stdout.split())
        self.assertIn("1 change is enough, and nothing cheaper is: run the SELECT at Shop.java:14 "
                      "(buy) in one transaction with what follows it", text)
        self.assertIn("the application has to run these again, from their beginning", text)


if __name__ == "__main__":
    unittest.main()
