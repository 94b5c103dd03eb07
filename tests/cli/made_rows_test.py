"""The rows that a run begins with are those that the store takes: each row once, also where no
primary key names it, and values of its own where the table's default has no room."""

import unittest

import program

# Its rows are met in two ways: by the loop, and by what the loop reads.
KEYLESS = """CREATE TABLE {follower} (
  {who} int NOT NULL, {what} varchar(255) NOT NULL DEFAULT '', stamp varchar(14),
  UNIQUE ({who}, {what}));
CREATE FUNCTION notify(p_what text, p_who int, p_stamp text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE one record; told int := 0;
BEGIN
  FOR one IN SELECT {who} FROM {follower}
      WHERE {what} = p_what AND {who} <> p_who AND stamp IS NULL LOOP
    UPDATE {follower} SET stamp = p_stamp WHERE {what} = p_what AND {who} = one.{who};
    told := told + 1;
  END LOOP;
  RETURN told;
END $$;
"""
NAMES = [("watchlist", "wl_user", "wl_title"), ("fan", "person", "band"), ("sub", "reader", "feed")]

# '\\0' is two characters of PostgreSQL's, so that an INSERT without the column is refused.
CROWDED = """CREATE TABLE page (id int PRIMARY KEY, hits int NOT NULL,
  touched varchar(14) NOT NULL DEFAULT '\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0',
  code char(2) DEFAULT 'abc');
CREATE PROCEDURE hit(p_id int) LANGUAGE plpgsql AS $$
DECLARE found int;
BEGIN
  SELECT hits INTO found FROM page WHERE id = p_id;
  UPDATE page SET hits = found + 1 WHERE id = p_id;
END $$;
"""


class MadeRowsTest(program.ProgramTest):

    def found(self, text):
        self.write("routines.sql", text)
        return self.heddle("find", "--on=postgres", "--isolation=postgres:read-committed",
                           "routines.sql")

    def test_rows_without_a_primary_key_are_made_once(self):
        for follower, who, what in NAMES:
            with self.subTest(follower):
                done = self.found(KEYLESS.format(follower=follower, who=who, what=what))
                self.assertEqual(program.FOUND, done.returncode, done.stderr)
                self.assertRegex(done.stdout, "lost update: notify twice .*confirmed")
                self.assertNotIn("not executable", done.stdout)

    def test_defaults_without_room_are_not_used(self):
        done = self.found(CROWDED)
        self.assertRegex(done.stdout, "lost update: hit twice .*confirmed")
        self.assertNotIn("too long", done.stdout)


if __name__ == "__main__":
    unittest.main()
