"""What two callers read in one service, act on in another, and then delete, is taken twice."""

import unittest

import program

TABLES = """CREATE TABLE job (id int PRIMARY KEY, size int NOT NULL);
CREATE TABLE bill (pos serial PRIMARY KEY, job int NOT NULL, size int NOT NULL);
"""
PLPGSQL = """CREATE PROCEDURE work(a int) LANGUAGE plpgsql AS $$
DECLARE s int;
BEGIN
  SELECT size INTO s FROM job WHERE id = a;
  IF NOT found THEN RETURN; END IF;
  {one}
  {two}
END $$;
"""
INSERT = "INSERT INTO bill (job, size) VALUES (a, s);"
DELETE = "DELETE FROM job WHERE id = a;"
SQL = """CREATE PROCEDURE work(a int) LANGUAGE sql AS $$
  INSERT INTO bill (job, size) SELECT id, size FROM job WHERE id = a;
  DELETE FROM job WHERE id = a;
$$;
"""
JDBC = """import java.sql.*;

public class Work {{
    public void work(Connection open, int a) throws SQLException {{
        PreparedStatement read = open.prepareStatement("SELECT size FROM job WHERE id = ?");
        read.setInt(1, a);
        ResultSet rows = read.executeQuery();
        if (!rows.next()) return;
        int size = rows.getInt("size");
        {one}
        {two}
    }}
}}
"""
JAVA_INSERT = """PreparedStatement bill =
            open.prepareStatement("INSERT INTO bill (job, size) VALUES (?, ?)");
        bill.setInt(1, a);
        bill.setInt(2, size);
        bill.executeUpdate();"""
JAVA_DELETE = """PreparedStatement done = open.prepareStatement("DELETE FROM job WHERE id = ?");
        done.setInt(1, a);
        done.executeUpdate();"""


class CutTakenTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.write("cut.json", '{"J": ["job"], "B": ["bill"]}')

    def split(self, *options, **files):
        folder = self.folder / "app"
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        (folder / "tables.sql").write_text(TABLES)
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text)
        return self.heddle("split", "--services=cut.json", "--warnings=none", *options, "app")

    def test_it_is_found_and_executed(self):
        for files in ({"a_sql": PLPGSQL.format(one=INSERT, two=DELETE)}, {"a_sql": SQL},
                      {"Work_java": JDBC.format(one=JAVA_INSERT, two=JAVA_DELETE)}):
            with self.subTest(files=files):
                done = self.split("--on=postgres", **files)
                self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)
                self.assertRegex(done.stdout, "work twice +job +confirmed +internal")
                done = self.split("--isolation=snapshot", **files)
                self.assertIn("work twice", done.stdout)

    def test_who_takes_it_before_anything_else_takes_it_alone(self):
        for files in ({"a_sql": PLPGSQL.format(one=DELETE, two=INSERT)},
                      {"Work_java": JDBC.format(one=JAVA_DELETE, two=JAVA_INSERT)}):
            done = self.split("--on=postgres", **files)
            self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_who_deletes_it_unread_takes_nothing(self):
        drop = "CREATE PROCEDURE drop_it(a int) LANGUAGE sql AS $$ " + DELETE + " $$;\n"
        done = self.split("--only=drop_it", a_sql=drop + PLPGSQL.format(one=INSERT, two=DELETE))
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)


if __name__ == "__main__":
    unittest.main()
