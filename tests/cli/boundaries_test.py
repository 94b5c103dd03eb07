"""Where transactions of a program in Java begin and end: connections that it opens commit after each
statement until it says otherwise, those that it is given do not."""

import random
import re
import subprocess
import unittest

import program

SCHEMA = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
IMPORTS = "package bank;\n\nimport java.sql.*;\nimport javax.sql.DataSource;\n\n"
LOCK = "SELECT balance FROM account WHERE id = ? FOR UPDATE"

READ = """
            PreparedStatement query = {name}.prepareStatement("{query}");
            query.setInt(1, id);
            ResultSet rows = query.executeQuery();
            int balance = rows.next() ? rows.getInt(1) : 0;"""
WRITE = """
            PreparedStatement change =
                    {name}.prepareStatement("UPDATE account SET balance = ? WHERE id = ?");
            change.setInt(1, balance - amount);
            change.setInt(2, id);
            change.executeUpdate();"""


def body(name, *, before="", between="", after="", query=LOCK):
    read = READ.format(name=name, query=query)
    return f"{before}{read}{between}{WRITE.format(name=name)}{after}"


def with_resources(text):
    return f"""public class Bank {{
    private final DataSource pool;
    public Bank(DataSource pool) {{
        this.pool = pool;
    }}
    public void withdraw(int id, int amount) throws SQLException {{
        try (Connection open = pool.getConnection()) {{{text}
        }}
    }}
}}
"""


def with_finally(text):
    return f"""public class Bank {{
    public void withdraw(int id, int amount) throws SQLException {{
        Connection open = null;
        try {{
            open = DriverManager.getConnection("jdbc:postgresql://somewhere/bank");{text}
        }} catch (SQLException e) {{
            if (open != null && !open.getAutoCommit()) {{
                open.rollback();
            }}
            throw e;
        }} finally {{
            if (open != null) {{
                open.close();
            }}
        }}
    }}
}}
"""


def with_helper(text):
    return f"""public class Bank {{
    private DataSource source;
    interface Work {{
        void run(Connection open) throws SQLException;
    }}
    private void with(Work work) throws SQLException {{
        try (Connection made = source.getConnection()) {{
            work.run(made);
        }}
    }}
    public void withdraw(int id, int amount) throws SQLException {{
        with(open -> {{{text}
        }});
    }}
}}
"""


def with_field(text):
    return f"""public class Bank {{
    private Connection open;
    public Bank(DataSource source) throws SQLException {{
        open = source.getConnection();
    }}
    public void withdraw(int id, int amount) throws SQLException {{{text}
    }}
}}
"""


STYLES = {"resources": with_resources, "finally": with_finally, "helper": with_helper,
          "field": with_field}
OFF = "\n            open.setAutoCommit(false);"
ON = "\n            open.setAutoCommit(true);"
COMMIT = "\n            open.commit();"

BROKEN = {
    "each statement commits": body("open"),
    "switched on in the middle": body("open", before=OFF, between=ON),
    "commits in the middle": body("open", before=OFF, between=COMMIT, after=COMMIT),
}
SAFE = {
    "one transaction": body("open", before=OFF, after=COMMIT),
    "switched on at the end": body("open", before=OFF, after=ON),
}


class JavaTest(program.ProgramTest):

    def find(self, text, *more):
        (self.folder / "app").mkdir(exist_ok=True)
        self.write("app/schema.sql", SCHEMA)
        self.write("app/Bank.java", IMPORTS + text)
        return self.heddle("find", "--isolation=postgres:read-committed", *more, "app")


class BoundariesTest(JavaTest):

    def test_locks_protect_within_a_transaction_only(self):
        for style, make in STYLES.items():
            for name, text in BROKEN.items():
                with self.subTest(style=style, program=name):
                    done = self.find(make(text), "--on=postgres")
                    self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
                    self.assertRegex(done.stdout, r"lost update: withdraw twice +account +confirmed")
            for name, text in SAFE.items():
                with self.subTest(style=style, program=name):
                    done = self.find(make(text))
                    self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                     done.stdout)

    def test_two_connections_are_two_transactions(self):
        text = f"""public class Bank {{
    private DataSource pool;
    private int balance(int id) throws SQLException {{
        try (Connection first = pool.getConnection()) {{
            first.setAutoCommit(false);{READ.format(name="first", query=LOCK)}
            first.commit();
            return balance;
        }}
    }}
    public void withdraw(int id, int amount) throws SQLException {{
        int balance = balance(id);
        try (Connection second = pool.getConnection()) {{
            second.setAutoCommit(false);{WRITE.format(name="second")}
            second.commit();
        }}
    }}
}}
"""
        done = self.find(text, "--on=postgres")
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        self.assertRegex(done.stdout, r"lost update: withdraw twice +account +confirmed")

    def test_a_connection_that_is_given_is_assumed_to_be_in_a_transaction(self):
        text = f"""public class Bank {{
    public void withdraw(Connection open, int id, int amount) throws SQLException {{{body("open")}
    }}
}}
"""
        assumed = ("  assumed: the connection that 1 functionality is given is in one transaction, "
                   "which the caller ends; --autocommit=on or off says otherwise")
        done = self.find(text)
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertIn(" ".join(assumed.split()), " ".join(done.stdout.split()))
        for when, code in (("on", program.FOUND), ("off", program.NOTHING_FOUND)):
            done = self.find(text, "--autocommit=" + when)
            self.assertEqual((code, ""), (done.returncode, done.stderr), done.stdout)
            self.assertNotIn("assumed", done.stdout)

    def test_off_is_for_connections_that_the_code_opens_too(self):
        done = self.find(with_resources(body("open", after=COMMIT)), "--autocommit=off")
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)

    def test_a_commit_that_drivers_refuse_is_told(self):
        done = self.find(with_resources(body("open", after=COMMIT)))
        self.assertEqual(program.FOUND, done.returncode, done.stdout)
        self.assertIn("COMMIT of a connection that commits after each statement does nothing",
                      done.stderr)

    def test_annotated_methods_are_one_transaction(self):
        text = with_resources(body("open")).replace("public void", "@Transactional public void")
        done = self.find(text)
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)

    def test_the_program_itself_has_the_same_boundaries(self):
        for style in ("resources", "finally", "field"):
            with self.subTest(style=style):
                text = STYLES[style](BROKEN["switched on in the middle"])
                (self.folder / "other").mkdir(exist_ok=True)
                self.write("other/Bank.java", IMPORTS + text)
                subprocess.run(["javac", "-J-XX:+UseSerialGC", "-g", "-d", "classes",
                                "other/Bank.java"], cwd=self.folder, check=True, timeout=120)
                done = self.find(text, "--on=postgres", "--classes=classes")
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
                self.assertIn("of the 1 confirmed, 1 by the program itself",
                              " ".join(done.stdout.split()))


class Made:
    """A program at random, and the transactions that JDBC says it has."""

    STATEMENTS = {
        "query": ("SELECT balance FROM account WHERE id = ?", "executeQuery"),
        "lock": ("SELECT balance FROM account WHERE id = ? FOR UPDATE", "executeQuery"),
        "change": ("UPDATE account SET balance = balance + 1 WHERE id = ?", "executeUpdate"),
        "remove": ("DELETE FROM account WHERE id = ?", "executeUpdate"),
    }

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name = self.random.choice(["c", "conn", "session", "db"])
        self.text = ""
        self.transactions = [[]]
        self.each = True
        self.count = 0
        for _ in range(self.random.randint(3, 9)):
            self.step()
        if not self.each:
            self.commit("commit")
        self.style = self.random.choice(list(STYLES))

    def commit(self, how):
        self.text += f"\n            {self.name}.{how}();"
        self.end()

    def end(self):
        if self.transactions[-1]:
            self.transactions.append([])

    def step(self):
        what = self.random.choice(["statement"] * 4 + ["switch", "end"])
        if what == "statement":
            kind = self.random.choice(list(self.STATEMENTS))
            sql, execute = self.STATEMENTS[kind]
            self.count += 1
            one = f"s{self.count}"
            self.text += f"""
            PreparedStatement {one} = {self.name}.prepareStatement("{sql}");
            {one}.setInt(1, {self.random.choice(['id', 'amount', '7'])});
            {one}.{execute}();"""
            self.transactions[-1].append(kind)
            if self.each:
                self.end()
        elif what == "switch":
            on = self.random.random() < 0.5
            self.text += f"\n            {self.name}.setAutoCommit({'true' if on else 'false'});"
            if on and not self.each:
                self.end()
            self.each = on
        elif not self.each:
            self.commit(self.random.choice(["commit", "rollback"]))

    def java(self):
        text = self.text.replace(self.name + ".", "open.")
        return re.sub(r"\bopen\b", self.name, STYLES[self.style](text))

    def expected(self):
        return [one for one in self.transactions if one]


def printed_transactions(text):
    """Those of the procedure that --print-program shows, without what a `catch` does."""
    transactions = [[]]
    lines = text.split("$$")[1].split("\n")
    for line in lines:
        line = line.strip()
        if line.startswith("EXCEPTION"):
            break
        kind = {"PERFORM": "lock" if "FOR UPDATE" in line else "query", "UPDATE": "change",
                "DELETE": "remove"}.get(line.split(" ")[0])
        if kind:
            transactions[-1].append(kind)
        elif line in ("COMMIT;", "ROLLBACK;"):
            transactions.append([])
    return [one for one in transactions if one]


class MadeBoundariesTest(JavaTest):

    def read(self, made, *more):
        done = self.find(made.java(), "--print-program", *more)
        self.assertEqual((0, ""), (done.returncode, done.stderr), made.java())
        return printed_transactions(done.stdout)

    def test_programs_made_up_have_the_transactions_that_jdbc_says(self):
        told_apart = 0
        for seed in range(40):
            made = Made(seed)
            with self.subTest(seed=seed):
                self.assertEqual(made.expected(), self.read(made), made.java())
                # What is read otherwise is told apart from it.
                told_apart += made.expected() != self.read(made, "--autocommit=off")
        self.assertGreater(told_apart, 10)


if __name__ == "__main__":
    unittest.main()
