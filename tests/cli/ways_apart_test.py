"""Programs of which one way ends the transaction and does something in the next one, while another
goes on in the first: what goes wrong on the other way is found all the same."""

import unittest

import program

TABLES = """CREATE TABLE stay (id serial PRIMARY KEY, desk int NOT NULL, guest int NOT NULL);
CREATE TABLE refused (desk int PRIMARY KEY, times int NOT NULL);
"""

ROUTINE = """CREATE PROCEDURE book(d int, g int) LANGUAGE plpgsql AS $$
BEGIN
  {lock}
  PERFORM guest FROM stay WHERE desk = d;
  IF found THEN
    {end};
    {other}
    {leave}
  ELSE
    INSERT INTO stay (desk, guest) VALUES (d, g);
  END IF;
  COMMIT;
END $$;
"""

JAVA = """import java.sql.*;
import javax.sql.DataSource;
public class Desks {{
    private final DataSource pool;
    public Desks(DataSource pool) {{
        this.pool = pool;
    }}
    public boolean book(int desk, int guest) throws SQLException {{
        try (Connection open = pool.getConnection()) {{
            open.setAutoCommit(false);
            {lock}
            PreparedStatement look = open.prepareStatement("SELECT 1 FROM stay WHERE desk = ?");
            look.setInt(1, desk);
            if (look.executeQuery().next()) {{
                open.rollback();
                PreparedStatement count = open.prepareStatement(
                    "UPDATE refused SET times = times + 1 WHERE desk = ?");
                count.setInt(1, desk);
                count.executeUpdate();
                open.commit();
                return false;
            }}
            PreparedStatement make =
                open.prepareStatement("INSERT INTO stay (desk, guest) VALUES (?, ?)");
            make.setInt(1, desk);
            make.setInt(2, guest);
            make.executeUpdate();
            open.commit();
            return true;
        }}
    }}
}}
"""
LOCK = """PreparedStatement lock = open.prepareStatement("LOCK TABLE stay");
            lock.execute();"""


class WaysApartTest(program.ProgramTest):

    def found(self, *words):
        done = self.heddle("find", "--isolation=postgres:read-committed", *words)
        self.assertIn(done.returncode, (program.FOUND, program.NOTHING_FOUND), done.stderr)
        return done

    def test_a_routine(self):
        for end in ("ROLLBACK", "COMMIT"):
            for other in ("UPDATE refused SET times = times + 1 WHERE desk = d;",
                          "INSERT INTO refused VALUES (d, 1) ON CONFLICT DO NOTHING;",
                          "UPDATE stay SET guest = guest WHERE id = g;"):
                for leave in ("RETURN;", ""):
                    with self.subTest(end=end, other=other, leave=leave):
                        text = ROUTINE.format(lock="", end=end, other=other, leave=leave)
                        self.write("p.sql", TABLES + text)
                        done = self.found("p.sql")
                        self.assertEqual(program.FOUND, done.returncode, done.stdout)
                        self.assertIn("phantom: book twice", done.stdout)

    def test_a_run_shows_it(self):
        text = ROUTINE.format(lock="", end="ROLLBACK", leave="RETURN;",
                              other="UPDATE refused SET times = times + 1 WHERE desk = d;")
        self.write("p.sql", TABLES + text)
        done = self.found("--on=postgres", "p.sql")
        self.assertIn("1 confirmed (internal)", done.stdout)

    def test_a_lock_keeps_others_out(self):
        text = ROUTINE.format(lock="LOCK TABLE stay;", end="ROLLBACK", leave="RETURN;",
                              other="UPDATE refused SET times = times + 1 WHERE desk = d;")
        self.write("p.sql", TABLES + text)
        done = self.found("p.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_a_program_in_java(self):
        self.write("schema.sql", TABLES)
        self.write("Desks.java", JAVA.format(lock=""))
        done = self.found("--on=postgres", "schema.sql", "Desks.java")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)
        self.assertIn("1 confirmed (internal)", done.stdout)
        self.write("Desks.java", JAVA.format(lock=LOCK))
        done = self.found("schema.sql", "Desks.java")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)


if __name__ == "__main__":
    unittest.main()
