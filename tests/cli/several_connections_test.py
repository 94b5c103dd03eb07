"""Transactions of one call that are open at the same time, on connections of their own: others see
the one without the other."""

import random
import unittest

import program

PRODUCTS = ["postgres:serializable", "mariadb:repeatable-read"]
SCHEMA = "CREATE TABLE cell (id int PRIMARY KEY, n int NOT NULL);\n"

BANK = """import java.sql.*;
import javax.sql.DataSource;

public class Bank {
    private final DataSource pool;
    public Bank(DataSource pool) {
        this.pool = pool;
    }
    private static void add(Connection c, int id, int n) throws SQLException {
        try (PreparedStatement change = c.prepareStatement(
                "UPDATE cell SET n = n + ? WHERE id = ?")) {
            change.setInt(1, n);
            change.setInt(2, id);
            change.executeUpdate();
        }
    }
    public void move(int from, int to, int n) throws SQLException {
        try (Connection a = pool.getConnection(); Connection b = %s) {
            a.setAutoCommit(false);
            b.setAutoCommit(false);
            add(a, from, -n);
            add(b, to, n);
            a.commit();
            b.commit();
        }
    }
    public int total(int x, int y) throws SQLException {
        int sum = 0;
        try (Connection c = pool.getConnection()) {
            c.setAutoCommit(false);
            for (int id : new int[] {x, y}) {
                PreparedStatement query = c.prepareStatement("SELECT n FROM cell WHERE id = ?");
                query.setInt(1, id);
                ResultSet rows = query.executeQuery();
                if (rows.next()) sum += rows.getInt(1);
            }
            c.commit();
        }
        return sum;
    }
}
"""

# What is written down commits by itself, while the caller's transaction goes on.
LOG = """import java.sql.*;
import javax.sql.DataSource;

public class Shop {
    private DataSource pool;
    public void ship(Connection given, int item) throws SQLException {
        PreparedStatement mark = given.prepareStatement("UPDATE cell SET n = 1 WHERE id = ?");
        mark.setInt(1, item);
        mark.executeUpdate();
        note(item);
    }
    private void note(int item) throws SQLException {
        Connection own = pool.getConnection();
        PreparedStatement entry = own.prepareStatement("INSERT INTO entry VALUES (?)");
        entry.setInt(1, item);
        entry.executeUpdate();
        own.close();
    }
    public String look(Connection given, int item) throws SQLException {
        PreparedStatement first = given.prepareStatement("SELECT id FROM entry WHERE id = ?");
        first.setInt(1, item);
        boolean isNoted = first.executeQuery().next();
        PreparedStatement second = given.prepareStatement("SELECT n FROM cell WHERE id = ?");
        second.setInt(1, item);
        ResultSet rows = second.executeQuery();
        return isNoted + (rows.next() ? " " + rows.getInt(1) : "");
    }
}
"""


def written(connections, ends, *, reads_back):
    """A call that writes a cell on each of its connections; they end in the order of `ends`."""
    lines = []
    for cell, number in enumerate(connections, 1):
        lines.append(f"c{number}.createStatement().executeUpdate("
                     f'"UPDATE cell SET n = 7 WHERE id = {cell}");')
    if reads_back:
        lines.append(f"c{connections[0]}.createStatement().executeQuery("
                     '"SELECT n FROM cell WHERE id = 1");')
    for number, how in ends:
        lines.append(f"c{number}.{how}();")
    opened = "\n".join(f"        Connection c{number} = pool.getConnection();\n"
                       f"        c{number}.setAutoCommit(false);"
                       for number in sorted(set(connections)))
    queries = "\n".join(f'        s.executeQuery("SELECT n FROM cell WHERE id = {cell}").next();'
                        for cell in range(len(connections), 0, -1))
    body = "\n".join("        " + line for line in lines)
    return f"""import java.sql.*;
import javax.sql.DataSource;

public class Random {{
    private DataSource pool;
    public void write() throws SQLException {{
{opened}
{body}
    }}
    public void read() throws SQLException {{
        Connection c = pool.getConnection();
        c.setAutoCommit(false);
        Statement s = c.createStatement();
{queries}
        c.commit();
    }}
}}
"""


class SeveralConnections(program.ProgramTest):

    def find(self, java, *options, schema=SCHEMA):
        self.write("schema.sql", schema)
        self.write("Program.java", java)
        return self.heddle("find", *options, "schema.sql", "Program.java")

    def test_two_connections_are_two_transactions(self):
        for level in ["serializable", *PRODUCTS, "postgres:read-committed"]:
            ran = self.find(BANK % "pool.getConnection()", f"--isolation={level}")
            self.assertEqual(ran.returncode, 1, level + ran.stdout)
            self.assertIn("read skew: move and total", ran.stdout, level)
            self.assertNotIn("warning", ran.stderr)

    def test_one_connection_is_one_transaction(self):
        ran = self.find(BANK % "a", "--isolation=serializable")
        self.assertEqual(ran.returncode, 0, ran.stdout)

    # Nobody overtakes who has locked the row of the first account until the second one is written.
    def test_locks_are_held_until_their_connection_commits(self):
        ran = self.find(BANK % "pool.getConnection()", "--isolation=postgres:read-committed")
        self.assertNotIn("move twice", ran.stdout)
        ran = self.find(BANK % "pool.getConnection()", "--isolation=read-committed")
        self.assertIn("dirty write: move twice", ran.stdout)

    def test_what_commits_by_itself_is_seen_while_the_caller_goes_on(self):
        schema = SCHEMA + "CREATE TABLE entry (id int PRIMARY KEY);\n"
        ran = self.find(LOG, "--isolation=serializable", schema=schema)
        self.assertEqual(ran.returncode, 1, ran.stdout)
        self.assertIn("ship and look", ran.stdout)
        same = (LOG.replace("own = pool.getConnection()", "own = given")
                .replace("note(item);", "note(given, item);")
                .replace("note(int item)", "note(Connection given, int item)"))
        ran = self.find(same, "--isolation=serializable", schema=schema)
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def test_is_executed(self):
        for store in "postgres", "mariadb":
            ran = self.find(BANK % "pool.getConnection()", f"--isolation={store}:read-committed",
                            f"--on={store}")
            self.assertEqual(ran.returncode, 1, ran.stdout)
            self.assertRegex(ran.stdout, "read skew: move and total +cell +confirmed +external")
            self.assertIn("connection 2: COMMIT", ran.stdout)

    def test_who_knows_one_connection_says_so(self):
        several = "move has transactions open on several"
        ran = self.find(BANK % "pool.getConnection()", "--engine=reference")
        self.assertEqual((2, ""), (ran.returncode, ran.stdout))
        self.assertIn(several, ran.stderr)
        self.write("cut.json", '{"one": ["cell"]}')
        ran = self.heddle("split", "--services=cut.json", "schema.sql", "Program.java")
        self.assertIn("warning: " + several, ran.stderr)

    # A reader that looks at all cells in another order sees some and not the others just where two
    # transactions are committed that have written some.
    def test_random_connections(self):
        for seed in range(24):
            draw = random.Random(seed)
            connections = [draw.randint(1, 3) for _ in range(draw.randint(2, 3))]
            numbers = sorted(set(connections))
            draw.shuffle(numbers)
            ends = [(number, draw.choice(["commit", "commit", "rollback"])) for number in numbers]
            is_torn = sum(how == "commit" for _, how in ends) > 1
            java = written(connections, ends, reads_back=draw.random() < 0.5)
            level = draw.choice(["serializable", "snapshot", *PRODUCTS])
            ran = self.find(java, f"--isolation={level}")
            with self.subTest(seed=seed, level=level, connections=connections, ends=ends):
                self.assertEqual(ran.returncode, 1 if is_torn else 0, java + ran.stdout)


if __name__ == "__main__":
    unittest.main()
