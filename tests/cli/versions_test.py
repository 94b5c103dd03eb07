"""Columns that grow with each change tell whether somebody has changed a row meanwhile."""

import unittest

import program

DOC = "CREATE TABLE doc (id int PRIMARY KEY, body text NOT NULL, version int NOT NULL);\n"
EDIT = """CREATE PROCEDURE edit(i int, b text) LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT version INTO v FROM doc WHERE id = i;
  UPDATE doc SET body = b, version = {next} WHERE id = i{check};
  IF NOT FOUND THEN RAISE EXCEPTION 'changed meanwhile' USING ERRCODE = '40001'; END IF;
END $$;
"""
CHECK = " AND version = v"
STAMP = """import java.sql.*;
class Store {
  public void put(Connection connection, int id, String body) throws SQLException {
    long stamp;
    try (PreparedStatement read =
        connection.prepareStatement("SELECT version FROM doc WHERE id = ?")) {
      read.setInt(1, id);
      ResultSet rows = read.executeQuery();
      if (!rows.next()) return;
      stamp = rows.getLong("version");
    }
    try (PreparedStatement write = connection.prepareStatement(
        "UPDATE doc SET body = ?, version = ? WHERE id = ? AND version = ?")) {
      write.setString(1, body);
      write.setLong(2, NEXT);
      write.setInt(3, id);
      write.setLong(4, stamp);
      if (write.executeUpdate() == 0) throw new SQLException("stale", "40001");
    }
  }
}
"""
RETRY = """import java.sql.*;
import javax.sql.DataSource;
class Counter {
  private DataSource source;
  public int next(int id) throws SQLException {
    for (int tries = 0; tries < 4; tries++) {
      try (Connection connection = source.getConnection()) {
        connection.setAutoCommit(false);
        int version;
        try (PreparedStatement read =
            connection.prepareStatement("SELECT version FROM doc WHERE id = ?")) {
          read.setInt(1, id);
          ResultSet rows = read.executeQuery();
          rows.next();
          version = rows.getInt(1);
        }
        try (PreparedStatement write = connection.prepareStatement(
            "UPDATE doc SET version = version + 1 WHERE id = ? AND version = ?")) {
          write.setInt(1, id);
          write.setInt(2, version);
          if (write.executeUpdate() == 1) {
            connection.commit();
            return version + 1;
          }
        }
        connection.rollback();
      }
    }
    throw new SQLException("too many", "40001");
  }
}
"""
LEVELS = ("postgres:read-committed", "postgres:repeatable-read", "mariadb:repeatable-read",
          "mariadb:read-committed")


class VersionsTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("schema.sql", DOC)

    def find(self, text, *words, name="made.sql", level="postgres:read-committed"):
        self.write(name, text)
        done = self.heddle("find", f"--isolation={level}", *words, "schema.sql", name)
        (self.folder / name).unlink()
        self.assertEqual("", done.stderr)
        return done

    def assert_nothing(self, done):
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_who_checks_the_version_loses_no_update(self):
        for level in LEVELS:
            for following in ("version + 1", "v + 1", "2 + version"):
                with self.subTest(level=level, following=following):
                    self.assert_nothing(
                        self.find(EDIT.format(next=following, check=CHECK), level=level))

    def test_so_does_code_in_java(self):
        for text, name in ((STAMP.replace("NEXT", "stamp + 1"), "Store.java"),
                           (RETRY, "Counter.java")):
            for level in LEVELS:
                with self.subTest(name=name, level=level):
                    self.assert_nothing(self.find(text, name=name, level=level))

    def test_without_the_check_it_is_lost(self):
        done = self.find(EDIT.format(next="v + 1", check=""), "--on=postgres")
        self.assertRegex(done.stdout, r"1 +lost update: edit twice +doc +confirmed +internal")
        text = STAMP.replace("NEXT", "stamp + 1").replace(" AND version = ?", "").replace(
            "      write.setLong(4, stamp);\n", "")
        done = self.find(text, "--on=postgres", name="Store.java")
        self.assertRegex(done.stdout, r"1 +lost update: put twice +doc +confirmed +internal")

    def test_a_version_that_somebody_leaves_or_sets_back_tells_nothing(self):
        others = {
            "sets": "UPDATE doc SET body = b, version = 1 WHERE id = i;",
            "counts down": "UPDATE doc SET body = b, version = version - 1 WHERE id = i;",
            "makes again": "DELETE FROM doc WHERE id = i; INSERT INTO doc VALUES (i, b, 1);",
        }
        for name, change in others.items():
            with self.subTest(name=name):
                done = self.find(EDIT.format(next="v + 1", check=CHECK) +
                                 "CREATE PROCEDURE other(i int, b text) LANGUAGE plpgsql AS $$\n"
                                 f"BEGIN {change} END $$;\n")
                self.assertEqual(program.FOUND, done.returncode, done.stdout)
        # A row that is gone for good is no other version.
        self.assert_nothing(self.find(EDIT.format(next="v + 1", check=CHECK) +
                                      "CREATE PROCEDURE drop(i int) LANGUAGE plpgsql AS $$\n"
                                      "BEGIN DELETE FROM doc WHERE id = i; END $$;\n",
                                      "--only=edit"))

    def test_who_changes_it_without_a_new_version_is_overwritten(self):
        text = EDIT.replace("v int;", "v int; old text;").replace(
            "SELECT version INTO v", "SELECT version, body INTO v, old").replace(
            "body = b", "body = old || b")
        done = self.find(text.format(next="v + 1", check=CHECK) +
                         "CREATE PROCEDURE note(i int, b text) LANGUAGE plpgsql AS $$\n"
                         "BEGIN UPDATE doc SET body = body || b WHERE id = i; END $$;\n",
                         "--on=postgres")
        self.assertRegex(done.stdout, r"1 +lost update: edit and note +doc +confirmed +internal")

    def test_who_has_changed_it_himself_sees_more_than_his_snapshot(self):
        self.write("facts.txt", 'initially "it begins" { SELECT version = 0 FROM doc }\n')
        done = self.find("""CREATE FUNCTION next(i int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE before int; now int;
BEGIN
  SELECT version INTO before FROM doc WHERE id = i;
  UPDATE doc SET version = version + 1 WHERE id = i;
  SELECT version INTO now FROM doc WHERE id = i;
  RETURN now - before;
END $$;
""", "--constraints=facts.txt", level="mariadb:repeatable-read")
        self.assertRegex(done.stdout, r"1 +lost update: next twice +doc +possible")

    def test_where_writes_do_not_see_each_other_it_is_lost_all_the_same(self):
        done = self.find(EDIT.format(next="version + 1", check=CHECK), level="eventual")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)


if __name__ == "__main__":
    unittest.main()
