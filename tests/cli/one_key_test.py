"""Who makes a row where there is none of its name, by a unique key that is not the primary one."""

import unittest

import program

TAGS = """CREATE TABLE tag (id serial PRIMARY KEY, name text NOT NULL UNIQUE, uses int NOT NULL);
CREATE TABLE post_tag (post int, tag int NOT NULL REFERENCES tag, PRIMARY KEY (post, tag));
"""
UPSERTS = {
    "nothing": "INSERT INTO tag (name, uses) VALUES (n, 1) ON CONFLICT (name) DO NOTHING;",
    "any key": "INSERT INTO tag (name, uses) VALUES (n, 1) ON CONFLICT DO NOTHING;",
    "update": "INSERT INTO tag (name, uses) VALUES (n, 1)"
              " ON CONFLICT (name) DO UPDATE SET uses = tag.uses + 1;",
    "caught": "BEGIN INSERT INTO tag (name, uses) VALUES (n, 1);"
              " EXCEPTION WHEN unique_violation THEN NULL; END;",
}
ROUTINE = """CREATE PROCEDURE add(p int, n text) LANGUAGE plpgsql AS $$
DECLARE t int;
BEGIN
  {body}
END $$;
"""
SELECT = "SELECT id INTO t FROM tag WHERE name = n;\n"
USE = "INSERT INTO post_tag VALUES (p, t) ON CONFLICT DO NOTHING;\n"
JDBC = """import java.sql.*;
class Tags {
  public int add(Connection connection, String name) throws SQLException {
    PreparedStatement make = connection.prepareStatement(
        "INSERT INTO tag (name, uses) VALUES (?, 0) ON CONFLICT (name) DO NOTHING");
    make.setString(1, name);
    make.executeUpdate();
    PreparedStatement read = connection.prepareStatement("SELECT id FROM tag WHERE name = ?");
    read.setString(1, name);
    ResultSet rows = read.executeQuery();
    rows.next();
    return rows.getInt(1);
  }
}
"""
LOOKS = """import java.sql.*;
class Tags {
  public void add(Connection connection, String name) throws SQLException {
    PreparedStatement read = connection.prepareStatement("SELECT id FROM tag WHERE name = ?");
    read.setString(1, name);
    ResultSet rows = read.executeQuery();
    if (rows.next()) return;
    PreparedStatement make =
        connection.prepareStatement("INSERT INTO tag (name, uses) VALUES (?, 0)");
    make.setString(1, name);
    make.executeUpdate();
  }
}
"""


class OneKeyTest(program.ProgramTest):
    def find(self, text, *words, schema=TAGS, name="made.sql", level="postgres:read-committed"):
        self.write("schema.sql", schema)
        self.write(name, text)
        done = self.heddle("find", f"--isolation={level}", *words, "schema.sql", name)
        (self.folder / name).unlink()
        self.assertEqual("", done.stderr)
        return done

    def assert_nothing(self, done):
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_a_row_is_made_once(self):
        for name, upsert in UPSERTS.items():
            for level in ("postgres:read-committed", "postgres:repeatable-read",
                          "postgres:serializable"):
                with self.subTest(upsert=name, level=level):
                    self.assert_nothing(self.find(ROUTINE.format(body=upsert), level=level))

    def test_and_is_there_for_what_comes_behind(self):
        for name in ("nothing", "any key"):
            with self.subTest(upsert=name):
                body = UPSERTS[name] + "\n" + SELECT + USE
                self.assert_nothing(self.find(ROUTINE.format(body=body)))
        self.assert_nothing(self.find(JDBC, name="Tags.java"))

    def test_without_a_key_there_are_two(self):
        schema = TAGS.replace(" UNIQUE", "")
        done = self.find(LOOKS, "--on=postgres", schema=schema, name="Tags.java")
        self.assertRegex(done.stdout, r"1 +phantom: add twice +tag +confirmed +internal")
        body = "IF NOT EXISTS (SELECT 1 FROM tag WHERE name = n) THEN" \
               " INSERT INTO tag (name, uses) VALUES (n, 1); END IF;"
        done = self.find(ROUTINE.format(body=body), "--on=postgres", schema=schema)
        self.assertRegex(done.stdout, r"1 +phantom: add twice +tag +confirmed +internal")

    def test_with_a_key_who_looks_first_ends_in_an_error(self):
        done = self.find(LOOKS, "--on=postgres", name="Tags.java")
        self.assertRegex(done.stdout, r"1 +phantom: add twice +tag +confirmed +error only")

    def test_who_takes_a_name_away_lets_it_be_made_again(self):
        done = self.find(ROUTINE.format(body=UPSERTS["nothing"] + "\n" + SELECT + USE) +
                         "CREATE PROCEDURE drop(n text) LANGUAGE plpgsql AS $$\n"
                         "BEGIN DELETE FROM tag WHERE name = n; END $$;\n")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)


if __name__ == "__main__":
    unittest.main()
