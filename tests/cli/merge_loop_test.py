"""The loop of PostgreSQL's manual that changes a row or makes it: an attempt whose row somebody else
has made meanwhile has come to nothing, and the next one finds that row."""

import unittest

import program

KEYED = "CREATE TABLE hits (page text PRIMARY KEY, n int NOT NULL);\n"
LOOSE = KEYED.replace("PRIMARY KEY", "NOT NULL")
LOOP = """CREATE FUNCTION hit(p text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  LOOP
    {looks}
    BEGIN
      INSERT INTO hits VALUES (p, 1);
      RETURN;
    EXCEPTION WHEN unique_violation THEN NULL;
    END;
  END LOOP;
END $$;
"""
UPDATE = "UPDATE hits SET n = n + 1 WHERE page = p;\n    IF found THEN RETURN; END IF;"
EXISTS = "IF EXISTS (SELECT 1 FROM hits WHERE page = p) THEN RETURN; END IF;"
READS = """SELECT n INTO v FROM hits WHERE page = p;
    IF found THEN UPDATE hits SET n = v + 1 WHERE page = p; RETURN; END IF;"""
JAVA = """import java.sql.*;
import javax.sql.DataSource;
class Hits {
  private final DataSource source;
  Hits(DataSource source) { this.source = source; }
  public void hit(String page) throws SQLException {
    try (Connection connection = source.getConnection()) {
      while (true) {
        PreparedStatement change =
            connection.prepareStatement("UPDATE hits SET n = n + 1 WHERE page = ?");
        change.setString(1, page);
        if (change.executeUpdate() > 0) return;
        try (PreparedStatement make =
                 connection.prepareStatement("INSERT INTO hits VALUES (?, 1)")) {
          make.setString(1, page);
          make.executeUpdate();
          return;
        } catch (SQLException error) {
          if (!"23505".equals(error.getSQLState())) throw error;
        }
      }
    }
  }
}
"""


class MergeLoopTest(program.ProgramTest):
    def find(self, schema, text, name="made.sql"):
        self.write("schema.sql", schema)
        self.write(name, text)
        done = self.heddle("find", "--on=postgres", "--isolation=postgres:read-committed",
                           "schema.sql", name)
        (self.folder / name).unlink()
        self.assertEqual("", done.stderr)
        return done

    def assert_nothing(self, done):
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def assert_confirmed(self, kind, done):
        self.assertRegex(done.stdout, rf"1 +{kind}: hit twice +hits +confirmed +internal")

    def test_a_row_is_changed_or_made(self):
        self.assert_nothing(self.find(KEYED, LOOP.format(looks=UPDATE)))
        self.assert_nothing(self.find(KEYED, LOOP.format(looks=EXISTS)))
        self.assert_nothing(self.find(KEYED, JAVA, name="Hits.java"))

    def test_without_a_key_there_are_two(self):
        self.assert_confirmed("phantom", self.find(LOOSE, LOOP.format(looks=UPDATE)))
        self.assert_confirmed("phantom", self.find(LOOSE, LOOP.format(looks=EXISTS)))
        self.assert_confirmed("phantom", self.find(LOOSE, JAVA, name="Hits.java"))

    def test_a_value_that_was_read_is_lost(self):
        self.assert_confirmed("lost update", self.find(KEYED, LOOP.format(looks=READS)))


if __name__ == "__main__":
    unittest.main()
