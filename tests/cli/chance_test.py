"""Values of chance and the clock in Java: chosen like arguments, within what they may be."""

import random
import re
import unittest

import program

SCHEMA = "CREATE TABLE {seat} (id int PRIMARY KEY, taken int NOT NULL, at timestamp);\n"

JAVA = """import java.sql.*;
import java.util.*;

class Store {{
  {field}

  int number(int least, int most, Random by) {{
    return (int) (by.nextDouble() * (most - least + 1) + least);
  }}

  int read(Connection connection, int id) throws SQLException {{
    try (PreparedStatement query =
        connection.prepareStatement("SELECT taken FROM {seat} WHERE id = ?{lock}")) {{
      query.setInt(1, id);
      try (ResultSet rows = query.executeQuery()) {{
        if (!rows.next()) throw new IllegalStateException("no row " + id);
        return rows.getInt(1);
      }}
    }}
  }}

  void write(Connection connection, int id, int taken) throws SQLException {{
    try (PreparedStatement change =
        connection.prepareStatement("UPDATE {seat} SET taken = ?, at = ? WHERE id = ?")) {{
      change.setInt(1, taken);
      change.setTimestamp(2, new Timestamp(System.currentTimeMillis()));
      change.setInt(3, id);
      change.executeUpdate();
    }}
  }}

  public void take(Connection connection{parameter}) throws SQLException {{
    {body}
  }}
}}
"""
# How the code comes to a row, and by how much it changes it.
BODIES = {
    "one": """int which = number(1, 10, {by});
    int amount = {by}.nextInt(5) + 1;
    write(connection, which, read(connection, which) + amount);""",
    "each round": """for (int i = 0; i < 2; i++) {{
      int which = number(1, 10, {by});
      write(connection, which, read(connection, which) + 1);
    }}""",
    "perhaps": """if ({by}.nextInt(100) < 60) {{
      int which = 3 + {by}.nextInt(2);
      write(connection, which, read(connection, which) + 1);
    }}""",
}
SOURCES = {
    "given": ("", ", Random by", "by"),
    "kept": ("final Random dice = new Random();", "", "dice"),
    "new": ("static int ever = 0;", "", "new java.security.SecureRandom()"),
    "of the thread": ("", "", "java.util.concurrent.ThreadLocalRandom.current()"),
}

RUNS = ("--isolation=postgres:read-committed", "--on=postgres", "--instances=2", "--length=4")


class ChanceTest(program.ProgramTest):
    def find(self, schema, java, *options):
        self.write("schema.sql", schema)
        self.write("Store.java", java)
        return self.heddle("find", *options, "schema.sql", "Store.java")

    def made(self, seed, body, source, lock=""):
        seat = random.Random(seed).choice(["seat", "shelf", "room"])
        field, parameter, by = SOURCES[source]
        java = JAVA.format(field=field, parameter=parameter, seat=seat, lock=lock,
                           body=BODIES[body].format(by=by))
        return SCHEMA.format(seat=seat), java

    def test_parameters_have_the_ranges_of_what_is_drawn(self):
        done = self.find(*self.made(1, "one", "given"), "--print-program")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("which IS NOT NULL AND (which >= 1 AND which < 11)", done.stdout)
        self.assertIn("amount IS NOT NULL AND (amount >= 1 AND amount < 6)", done.stdout)
        self.assertNotIn("heddle_unknown", done.stdout)
        self.assertNotIn("is not known", done.stderr)

    def test_what_is_drawn_decides_the_rows_of_a_run(self):
        seed = 0
        for source in SOURCES:
            for body in BODIES:
                with self.subTest(source=source, body=body):
                    seed += 1
                    done = self.find(*self.made(seed, body, source), *RUNS)
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertRegex(done.stdout, r"lost update: take twice +\w+ +confirmed")
                    for row in re.findall(r"WHERE id = (\d+)", done.stdout):
                        self.assertIn(int(row), range(1, 11))

    def test_nothing_goes_wrong_where_the_row_is_locked_first(self):
        done = self.find(*self.made(7, "one", "kept", " FOR UPDATE"),
                         "--isolation=postgres:read-committed", "--instances=2", "--length=4")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_two_draws_are_two_values(self):
        schema, java = self.made(3, "one", "given")
        java = java.replace("write(connection, which, read",
                            "write(connection, number(1, 10, by), read")
        done = self.find(schema, java, *RUNS)
        self.assertIn("write skew: take twice", done.stdout)
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_a_saved_run_has_what_was_drawn(self):
        done = self.find(*self.made(5, "one", "given"), *RUNS, "--save=saved")
        self.assertEqual(done.returncode, 1, done.stderr)
        for _ in range(2):
            again = self.heddle("replay", "saved")
            self.assertEqual(again.returncode, 1, again.stdout + again.stderr)


if __name__ == "__main__":
    unittest.main()
