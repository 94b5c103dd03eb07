"""Orphans by statements whose rows and values are not known beforehand: the caller asks about each
row, and what others do meanwhile is found, executed, and breaks what the foreign key promised."""

import unittest

import program

TABLES = """CREATE TABLE person (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE note (id int PRIMARY KEY, person int NOT NULL REFERENCES person (id));
CREATE TABLE draft (id int PRIMARY KEY, person int NOT NULL, owner int NOT NULL);
"""
PLPGSQL = """CREATE PROCEDURE {name} LANGUAGE plpgsql AS $$
BEGIN
  {body}
END $$;
"""
SQL = """CREATE PROCEDURE {name} LANGUAGE sql AS $$
  {body}
$$;
"""
JDBC = """import java.sql.*;

public class Notes {{
    public void forget(Connection open, int p) throws SQLException {{
        PreparedStatement gone = open.prepareStatement("DELETE FROM person WHERE id = ?");
        gone.setInt(1, p);
        gone.executeUpdate();
    }}

    public void publish(Connection open, int d) throws SQLException {{
        PreparedStatement made = open.prepareStatement("{body}");
        made.setInt(1, d);
        made.executeUpdate();
    }}
}}
"""
FORGET = ("forget(p int)", "DELETE FROM person WHERE id = p;")
ONE = "INSERT INTO note (id, person) SELECT id, person FROM draft WHERE id = d;"
EACH = "INSERT INTO note (id, person) SELECT id, person FROM draft WHERE owner = d;"
BROKEN = 'the invariant "note (person) refers to rows of person" is broken by 1'


class CutOrphansTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.write("torn.json", '{"P": ["person"], "N": ["note", "draft"]}')
        self.write("whole.json", '{"W": ["person", "note", "draft"]}')

    def split(self, *routines, style=PLPGSQL, java="", options=(), cut="torn.json"):
        folder = self.folder / "app"
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        (folder / "tables.sql").write_text(TABLES)
        if routines:
            text = "".join(style.format(name=name, body=body) for name, body in routines)
            (folder / "routines.sql").write_text(text)
        if java:
            (folder / "Notes.java").write_text(JDBC.format(body=java))
        return self.heddle("split", f"--services={cut}", *options, "app")

    def assert_broken(self, done):
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertRegex(done.stdout, "confirmed +internal")
        self.assertIn(BROKEN, done.stdout)

    def assert_clean(self, done):
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)

    def test_rows_of_a_query_are_asked_about(self):
        for body in (ONE, EACH):
            for style in (PLPGSQL, SQL):
                with self.subTest(body=body, style=style):
                    routines = (FORGET, ("publish(d int)", body))
                    done = self.split(*routines, style=style, options=["--on=postgres"])
                    self.assert_broken(done)
                    self.assert_clean(self.split(*routines, style=style, cut="whole.json"))
        java = ONE.rstrip(";").replace("= d", "= ?")
        self.assert_broken(self.split(java=java, options=["--on=postgres"]))
        self.assert_clean(self.split(java=java, cut="whole.json"))

    def test_who_keeps_what_is_referred_to_is_safe(self):
        rename = ("rename(p int, n text)", "UPDATE person SET name = n WHERE id = p;")
        for style in (PLPGSQL, SQL):
            self.assert_clean(self.split(rename, ("publish(d int)", ONE), style=style))

    def test_a_row_of_values_of_queries_is_asked_about(self):
        add = "INSERT INTO note (id, person) VALUES (d, (SELECT person FROM draft WHERE id = d));"
        done = self.split(FORGET, ("publish(d int)", add), options=["--show-chopping"])
        self.assertRegex(done.stdout, r"SELECT \(SELECT person FROM draft WHERE id = d\) INTO made")
        done = self.split(FORGET, ("publish(d int)", add))
        self.assertIn("forget and publish", done.stdout)
        two = "INSERT INTO note (id, person) VALUES (d, d), (d + 1, d + 2);"
        self.assert_broken(self.split(FORGET, ("add(d int)", two), options=["--on=postgres"]))

    def test_changes_to_values_of_queries_are_asked_about(self):
        self.write("rows.sql", "INSERT INTO person VALUES (1, 'a'), (2, 'b');\n"
                   "INSERT INTO draft VALUES (5, 2, 0);\nINSERT INTO note VALUES (5, 1);\n")
        inner = "UPDATE note SET person = (SELECT person FROM draft WHERE id = d) WHERE id = d;"
        joined = ("UPDATE note SET person = draft.person FROM draft WHERE draft.id = note.id "
                  "AND note.id = d;")
        for body in (inner, joined):
            with self.subTest(body=body):
                done = self.split(FORGET, ("move(d int)", body),
                                  options=["--on=postgres", "--rows=rows.sql"])
                self.assert_broken(done)
                self.assert_clean(self.split(FORGET, ("move(d int)", body), cut="whole.json"))

    def test_deletions_with_other_tables_are_asked_about(self):
        add = ("add(k int, p int)", "INSERT INTO note VALUES (k, p);")
        for body in ("DELETE FROM person USING draft WHERE draft.person = person.id "
                     "AND draft.id = d;",
                     "DELETE FROM person WHERE id IN (SELECT person FROM draft WHERE id = d);"):
            with self.subTest(body=body):
                done = self.split(("clean(d int)", body), add)
                self.assertEqual(program.FOUND, done.returncode, done.stderr)
                self.assertRegex(done.stdout, "add and clean|clean and add")

    def test_a_new_key_ends_what_others_refer_to(self):
        add = ("add(k int, p int)", "INSERT INTO note VALUES (k, p);")
        renumber = ("renumber(p int, q int)", "UPDATE person SET id = q WHERE id = p;")
        for style in (PLPGSQL, SQL):
            done = self.split(renumber, add, style=style)
            self.assertEqual(program.FOUND, done.returncode, done.stderr)
            self.assert_clean(self.split(renumber, add, style=style, cut="whole.json"))
        done = self.split(renumber, add, options=["--show-chopping"])
        self.assertIn("PERFORM 1 FROM note WHERE person = p LIMIT 1", done.stdout)


if __name__ == "__main__":
    unittest.main()
