"""Foreign keys that a cut tears: who deletes what others refer to, found, executed, and what that
breaks; and what goes with it: invariants, rows, constraints, findings and files for build servers."""

import json
import unittest
import xml.etree.ElementTree

import program

TABLES = """CREATE TABLE team (id int PRIMARY KEY, size int NOT NULL);
CREATE TABLE player (id int PRIMARY KEY, team int NOT NULL REFERENCES team (id){action});
"""
ROUTINES = """CREATE PROCEDURE leave(which int) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM team WHERE id = which;
END $$;
CREATE PROCEDURE come(number int, which int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO player (id, team) VALUES (number, which);
END $$;
"""
JAVA = """import java.sql.*;

public class Teams {
    public void leave(Connection open, int which) throws SQLException {
        PreparedStatement gone = open.prepareStatement("DELETE FROM team WHERE id = ?");
        gone.setInt(1, which);
        gone.executeUpdate();
    }

    public void come(Connection open, int number, int which) throws SQLException {
        PreparedStatement move = open.prepareStatement("UPDATE player SET team = ? WHERE id = ?");
        move.setInt(1, which);
        move.setInt(2, number);
        move.executeUpdate();
    }
}
"""
SQL = """CREATE PROCEDURE leave(which int) LANGUAGE sql AS $$
  DELETE FROM team WHERE id = which;
$$;
CREATE PROCEDURE come(number int, which int) LANGUAGE sql AS $$
  INSERT INTO player VALUES (number, which);
$$;
"""
BROKEN = 'the invariant "player (team) refers to rows of team" is broken by 1'


class CutKeysTest(program.ProgramTest):

    def setUp(self):
        super().setUp()
        self.write("torn.json", '{"P": ["player"], "T": ["team"]}')
        self.write("whole.json", '{"W": ["player", "team"]}')

    def split(self, *more):
        return self.heddle("split", *more)

    def written(self, body, action=""):
        name = "Teams.java" if "class Teams" in body else "routines.sql"
        folder = self.folder / "app"
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        (folder / "tables.sql").write_text(TABLES.format(action=action))
        (folder / name).write_text(body)
        return "app"

    def test_the_orphan_is_found_and_executed(self):
        # A player who comes to another team is in one before.
        self.write("rows.sql", "INSERT INTO team VALUES (1, 1), (2, 1);\n"
                   "INSERT INTO player VALUES (7, 1);\n")
        for body, rows in ((ROUTINES, []), (JAVA, ["--rows=rows.sql"]), (SQL, [])):
            with self.subTest(body=body):
                app = self.written(body)
                done = self.split("--services=torn.json", "--on=postgres", *rows, app)
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
                self.assertRegex(done.stdout, r"(leave and come|come and leave) .*confirmed +intern")
                self.assertIn(BROKEN, done.stdout)
                # Where one service has both tables its database checks.
                done = self.split("--services=whole.json", app)
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr))

    def test_who_goes_with_it_may_be_missed(self):
        app = self.written(ROUTINES, " ON DELETE CASCADE")
        done = self.split("--services=torn.json", "--show-chopping", app)
        self.assertIn("DELETE FROM player WHERE team = which", done.stdout)
        done = self.split("--services=torn.json", "--on=postgres", app)
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        self.assertIn(BROKEN, done.stdout)

    def test_other_stores_execute_it(self):
        app = self.written(ROUTINES)
        for store in ("mariadb", "replicated"):
            with self.subTest(store=store):
                done = self.split("--services=torn.json", f"--on={store}", app)
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
                self.assertRegex(done.stdout, r"leave and come .*confirmed +internal")
                self.assertIn(BROKEN, done.stdout)

    def test_rows_that_stay_are_not_asked_for(self):
        text = ROUTINES.replace("DELETE FROM team WHERE", "UPDATE team SET size = 1 WHERE")
        done = self.split("--services=torn.json", self.written(text))
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)

    def test_files_that_go_with_it(self):
        app = self.written(ROUTINES)
        self.write("rows.sql", "INSERT INTO team VALUES (3, 1);\n")
        self.write("keep", 'invariant "none alone" { SELECT count(*) < 1 FROM player }\n')
        done = self.split("--services=torn.json", "--on=postgres", "--rows=rows.sql",
                          "--invariants=keep", "--save=kept", app)
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        self.assertIn("come(", done.stdout)
        saved = sorted((self.folder / "kept").glob("*.json"))
        self.assertEqual(1, len(saved))
        again = self.heddle("replay", str(saved[0]))
        self.assertEqual((program.FOUND, ""), (again.returncode, again.stderr), again.stdout)
        self.write("known", 'initially "none is there" { SELECT 1 = 0 FROM team }\n')
        done = self.split("--services=torn.json", "--constraints=known", app)
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)

    def test_files_for_build_servers(self):
        app = self.written(ROUTINES)
        done = self.split("--services=torn.json", "--format=sarif", app)
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        result = json.loads(done.stdout)["runs"][0]["results"][0]
        self.assertEqual("phantom", result["ruleId"])
        done = self.split("--services=torn.json", "--on=postgres", "--format=junit", app)
        suite = xml.etree.ElementTree.fromstring(done.stdout)
        self.assertEqual(("heddle split", "1"), (suite.get("name"), suite.get("failures")))

    def test_what_is_not_executed_has_no_rows(self):
        app = self.written(ROUTINES)
        for option in ("--rows=rows.sql", "--invariants=keep", "--save=kept"):
            self.write(option.split("=")[1], "")
            done = self.split("--services=torn.json", option, app)
            self.assertEqual((program.TROUBLE, ""), (done.returncode, done.stdout))
            self.assertIn("--on=postgres", done.stderr)


if __name__ == "__main__":
    unittest.main()
