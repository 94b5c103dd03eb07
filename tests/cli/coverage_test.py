"""How much of a program was read is part of every answer of find and split."""

import json
import os
import pathlib
import sys
import unittest

import program

sys.path.insert(0, str(program.ROOT / "bench"))
import java_trees  # noqa: E402

PROGRAMS = program.ROOT / "tests" / "programs"

SCHEMA = """CREATE TABLE account (id integer PRIMARY KEY, owner text NOT NULL, balance integer);
CREATE TABLE entry (id serial PRIMARY KEY, account integer REFERENCES account, amount integer);
"""

# Reads one row twice: nothing can go wrong at serializable, and everything is read.
READER = """package bank;
import java.sql.*;
public class Reader {
  public int balance(Connection c, int id) throws SQLException {
    try (PreparedStatement s = c.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
      s.setInt(1, id);
      try (ResultSet r = s.executeQuery()) { r.next(); return r.getInt(1); }
    }
  }
}
"""

# Each is one application: its files, the technology, and a place that must be named.
APPLICATIONS = {
    "a shop on documents of MyBatis": (
        {"schema.sql": SCHEMA,
         "src/OrderMapper.java": "package shop;\n"
                                 "public interface OrderMapper { void pay(int id); }\n",
         "src/OrderMapper.xml": "<mapper namespace=\"shop.OrderMapper\">\n"
                                "  <update id=\"pay\">UPDATE account SET balance = balance - "
                                "1</update>\n"
                                "</mapper>\n",
         "src/Shop.java": "package shop;\nclass Shop {\n  private OrderMapper orders;\n"
                          "  public void pay(int id) {\n    orders.pay(id);\n  }\n}\n"},
        "MyBatis", "src/OrderMapper.xml:2"),
    "a pet shop on annotations of MyBatis": (
        {"src/Pets.java": "import org.apache.ibatis.annotations.Select;\npublic interface Pets {\n"
                          "  @Select({\"SELECT name\", \"FROM pet\"})\n"
                          "  java.util.List<String> all();\n}\n"},
        "MyBatis", "src/Pets.java:3"),
    "a clinic on Spring Data": (
        {"src/Owners.java": "import org.springframework.data.jpa.repository.JpaRepository;\n"
                            "public interface Owners extends JpaRepository<Owner, Integer> {}\n",
         "src/Clinic.java": "import org.springframework.transaction.annotation.Transactional;\n"
                            "class Clinic {\n  private final Owners owners;\n"
                            "  Clinic(Owners owners) { this.owners = owners; }\n  @Transactional\n"
                            "  public void add(Owner o) {\n    owners.save(o);\n  }\n}\n"},
        "Spring Data", "src/Clinic.java:7"),
    "a bank on JPA": (
        {"src/Bank.java": "import javax.persistence.*;\nclass Bank {\n"
                          "  @PersistenceContext EntityManager em;\n"
                          "  public void pay(int id) {\n"
                          "    Account a = em.find(Account.class, id);\n"
                          "    a.setBalance(a.getBalance() - 1);\n  }\n}\n"},
        "JPA", "src/Bank.java:5"),
    "a bank on SQLAlchemy": (
        {"bank/models.py": "from sqlalchemy import Column, Integer\n"
                           "class Account(Base):\n    id = Column(Integer, primary_key=True)\n",
         "bank/pay.py": "from sqlalchemy.orm import Session\n"
                        "def pay(session: Session, a, n):\n"
                        "    account = session.get(Account, a)\n    account.balance -= n\n"
                        "    session.commit()\n",
         "schema.sql": SCHEMA},
        "SQLAlchemy", "bank/pay.py:3"),
    "tickets that services ask each other for": (
        {"order/src/OrderService.java":
             "import org.springframework.web.client.RestTemplate;\npublic class OrderService {\n"
             "  private RestTemplate rest;\n  public void buy(String id) {\n"
             "    rest.postForObject(\"http://station/\" + id, null, String.class);\n  }\n}\n",
         "station/src/Stations.java":
             "import org.springframework.data.mongodb.repository.MongoRepository;\n"
             "public interface Stations extends MongoRepository<Station, String> {}\n"},
        "HTTP clients", "order/src/OrderService.java:5"),
    "JdbcTemplate in transactions": (
        {"schema.sql": SCHEMA,
         "Teller.java": "import org.springframework.jdbc.core.JdbcTemplate;\n"
                        "import org.springframework.transaction.annotation.Transactional;\n"
                        "public class Teller {\n  private JdbcTemplate jdbc;\n  @Transactional\n"
                        "  public void pay(int id) {\n"
                        "    jdbc.update(\"UPDATE account SET balance = balance - 1 WHERE id = "
                        "?\", id);\n"
                        "  }\n}\n"},
        "JdbcTemplate", "Teller.java:7"),
    "named parameters of a template": (
        {"Teller.java": "import "
                        "org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;\n"
                        "public class Teller {\n  private final NamedParameterJdbcTemplate t;\n"
                        "  public Teller(NamedParameterJdbcTemplate t) { this.t = t; }\n"
                        "  public int owner(Map<String, Object> m) {\n    return this.t\n"
                        "        .queryForObject(\"SELECT id FROM account WHERE owner = :o\", "
                        "m, Integer.class);\n"
                        "  }\n}\n"},
        "JdbcTemplate", "Teller.java:6"),
    "ledgers in Go": (
        {"ledger.go": "package ledger\n\nimport \"database/sql\"\n\nfunc Pay(db *sql.DB) {\n"
                      "\ttx, _ := db.Begin()\n\ttx.Exec(\"UPDATE account SET balance = 0\")\n}\n",
         "schema.sql": SCHEMA},
        "database/sql", "ledger.go:6"),
    "counters in a cache": (
        {"Counter.java": "import io.lettuce.core.api.async.RedisAsyncCommands;\n"
                         "public class Counter {\n"
                         "  public void next(RedisAsyncCommands<String, String> redis) {\n"
                         "    redis.incr(\"n\");\n  }\n}\n"},
        "Redis", "Counter.java:4"),
    "listeners of a queue": (
        {"Listener.java": "import org.springframework.amqp.rabbit.annotation.RabbitListener;\n"
                          "public class Listener {\n  @RabbitListener(queues = \"paid\")\n"
                          "  public void paid(String id) {}\n}\n"},
        "queues", "Listener.java:3"),
    "a library that is given the connection": (
        {"schema.sql": SCHEMA,
         "Payments.java": "import java.sql.Connection;\nimport com.acme.Ledger;\n"
                          "public class Payments {\n  public void pay(Connection c, int id) {\n"
                          "    new Ledger().book(c, id);\n  }\n}\n"},
        "libraries that are given the database", "Payments.java:5"),
    "a library that is given the data source": (
        {"Payments.java": "import javax.sql.DataSource;\nimport com.acme.Runner;\n"
                          "public class Payments {\n  private final Runner runner;\n"
                          "  public Payments(DataSource source) { runner = new Runner(source); }\n"
                          "  public void pay(int id) { runner.go(id); }\n}\n"},
        "libraries that are given the database", "Payments.java:5"),
    "statements in main": (
        {"schema.sql": SCHEMA,
         "Job.java": "import java.sql.*;\npublic class Job {\n"
                     "  public static void main(String[] a) throws Exception {\n"
                     "    Connection c = DriverManager.getConnection(a[0]);\n"
                     "    c.createStatement().executeUpdate(\"UPDATE account SET balance = "
                     "0\");\n  }\n}\n"},
        "JDBC that no functionality runs", "Job.java:5"),
    "triggers": (
        {"schema.sql": SCHEMA + "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$\n"
                                "BEGIN UPDATE account SET balance = 0; RETURN NEW; END $$;\n"
                                "CREATE TRIGGER t AFTER INSERT ON entry FOR EACH ROW EXECUTE "
                                "FUNCTION f();\n"},
        "triggers", "schema.sql:5"),
    "a routine in another language": (
        {"schema.sql": SCHEMA + "CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS $$\n"
                                "return plpy.execute('SELECT 1')\n$$;\n"},
        "routines that are not read", "schema.sql:3"),
    "a script without routines": (
        {"pay.sql": SCHEMA + "BEGIN;\nUPDATE account SET balance = balance - 1 WHERE id = 1;\n"
                             "COMMIT;\n"},
        "SQL outside of routines", "pay.sql:4"),
}


class CoverageTest(program.ProgramTest):

    def write_all(self, files):
        for name, content in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(name, content)

    def test_a_method_that_is_too_long_is_followed_approximately(self):
        java_trees.branches(self.folder, calls="each")
        done = self.heddle("find", "--timeout=6s", ".")
        lines = done.stdout.splitlines()
        self.assertEqual("read: 1 functionality with 400 statements; each statement exactly, "
                         "functionalities 1 approximately", lines[0])
        self.assertEqual(["  Java: 10 methods in 1 file may reach a store, of which all are followed or "
                          "counted here",
                          "  Java: 1 functionality is too long to be followed in its places: "
                          "Steps.java:4"], lines[1:3])

    def test_a_folder_of_another_language_alone(self):
        os.makedirs(self.folder / "app")
        self.write("app/pay.py", "from sqlalchemy import create_engine\n"
                                 "engine = create_engine('postgresql://db')\n"
                                 "def pay():\n    with engine.begin() as c:\n"
                                 "        c.execute('UPDATE account SET balance = 1')\n")
        done = self.heddle("find", "app")
        self.assertEqual((program.UNKNOWN, ""), (done.returncode, done.stderr))
        self.assertIn("SQLAlchemy: ", done.stdout)
        self.assertIn("app/pay.py:", done.stdout)
        os.makedirs(self.folder / "idle")
        self.write("idle/main.go", "package main\nfunc main() {}\n")
        self.assert_refused("idle: the folder has no .java and no .sql files, name the folder or the "
                            "files of the program", "find", "idle")

    def test_what_is_not_read_is_named_and_makes_the_answer_unknown(self):
        for name, (files, technology, place) in APPLICATIONS.items():
            with self.subTest(name):
                self.setUp()
                self.write_all(files)
                done = self.heddle("find", ".")
                self.assertEqual(program.UNKNOWN, done.returncode, done.stdout + done.stderr)
                self.assertIn("not all of it was read", done.stdout.splitlines()[0])
                self.assertIn(f"  {technology}: ", done.stdout)
                self.assertIn(f"{place}  ", done.stdout)
                self.assertIn("nothing found in what was read", done.stdout)
                strict = self.heddle("find", "--strict", ".")
                self.assertEqual(program.TROUBLE, strict.returncode, strict.stdout)

    def test_what_is_read_is_complete(self):
        self.write_all({"schema.sql": SCHEMA, "Reader.java": READER})
        done = self.heddle("find", "--isolation=serializable", "--strict", ".")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout + done.stderr)
        self.assertEqual("read: 1 functionality with 1 statement, exactly",
                         done.stdout.splitlines()[0])

    def test_something_found_in_a_half_read_program_stays_found(self):
        self.write_all({"transfer.sql": (program.ROOT / "examples" / "transfer.sql").read_text(),
                        **APPLICATIONS["a bank on SQLAlchemy"][0]})
        (self.folder / "schema.sql").unlink()
        done = self.heddle("find", ".")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)
        self.assertRegex(done.stdout.splitlines()[0],
                         r"not all of it was read: \d places that use a store were not; read: "
                         r"2 functionalities with 4 statements, exactly")

    def test_the_documents_have_it_too(self):
        self.write_all(APPLICATIONS["a clinic on Spring Data"][0])
        coverage = json.loads(self.heddle("find", "--format=json", ".").stdout)["coverage"]
        self.assertFalse(coverage["complete"])
        use = coverage["unread"][0]
        self.assertEqual("Spring Data", use["technology"])
        self.assertEqual({"file": "src/Clinic.java", "line": 7, "column": 5,
                          "text": "owners.save(o);"}, use["places"][0])
        run = json.loads(self.heddle("find", "--format=sarif", ".").stdout)["runs"][0]
        notes = run["invocations"][0]["toolExecutionNotifications"]
        self.assertIn("not read, Spring Data: owners.save(o);", notes[0]["message"]["text"])
        self.assertEqual(7, notes[0]["locations"][0]["physicalLocation"]["region"]["startLine"])
        listed = json.loads(self.heddle("find", "--list-statements", "--format=json", ".").stdout)
        self.assertFalse(listed["coverage"]["complete"])

    def test_a_cut_of_a_half_read_program(self):
        teller = APPLICATIONS["JdbcTemplate in transactions"][0]["Teller.java"]
        self.write_all({"schema.sql": SCHEMA, "Reader.java": READER,
                        "Teller.java": teller,
                        "cut.json": '{"A": ["account"], "B": ["entry"]}'})
        done = self.heddle("split", "--services=cut.json", "schema.sql", "Reader.java")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertIn("read: 1 functionality", done.stdout.splitlines()[0])
        done = self.heddle("split", "--services=cut.json", ".")
        self.assertEqual(program.UNKNOWN, done.returncode, done.stderr)
        self.assertIn("JdbcTemplate: 1 place", done.stdout)
        self.assertIn("the cut adds nothing to what was read", done.stdout)
        page = self.heddle("split", "--services=cut.json", "--format=html", ".").stdout
        self.assertIn("Teller.java:7", page)
        done = self.heddle("split", "--services=cut.json", "--format=json", ".")
        self.assertFalse(json.loads(done.stdout)["coverage"]["complete"])
        for words in (["--compare", "cut.json"], ["--search"]):
            done = self.heddle("split", *words, ".")
            self.assertEqual(program.UNKNOWN, done.returncode, done.stdout)
            self.assertIn("not all of it was read", done.stdout)

    def test_files_without_a_reader_are_refused_by_name(self):
        for name, content, language in (("Order.xml", "<mapper namespace=\"x\"/>", "XML"),
                                        ("pay.py", "import sqlalchemy\n", "Python"),
                                        ("pay.go", "package pay\n", "Go"),
                                        ("pom.yaml", "a: b\n", "YAML")):
            self.write(name, content)
            self.assert_trouble(rf"{name}: there is no reader for {language}", "find", name)

    def test_a_file_in_which_nothing_is_sql_is_refused(self):
        for content in ("lorem ipsum dolor;\nsit amet;\n", "\x7fELF\x01\x02", "{\"a\": 1}\n"):
            self.write("garbage.sql", content)
            self.assert_trouble(r"garbage\.sql: nothing in it is a statement of SQL", "find",
                                "garbage.sql")
        self.write("empty.sql", "-- nothing yet\n")
        self.assertEqual(program.NOTHING_FOUND, self.heddle("find", "empty.sql").returncode)

    def test_statements_on_tables_that_nobody_knows_are_not_read(self):
        routine = "CREATE PROCEDURE p{0}(x text) LANGUAGE plpgsql AS $$ BEGIN {1} END $$;\n"
        self.write("p.sql", "".join(routine.format(i, "EXECUTE x;\n" * 50) for i in range(5)))
        done = self.heddle("find", "p.sql")
        self.assertEqual(program.UNKNOWN, done.returncode, done.stdout)
        self.assertIn("250 not at all", done.stdout)
        self.assertRegex(done.stdout, r"give the tables: a \.sql file with CREATE TABLE")
        self.write("p.sql", "CREATE TABLE t (a int);\n" + routine.format(1, "EXECUTE x;"))
        done = self.heddle("find", "--isolation=serializable", "p.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertIn("1 statement: 1 approximately", done.stdout)
        self.assertEqual(program.TROUBLE, self.heddle("find", "--strict", "p.sql").returncode)

    def test_tests_are_no_part_of_a_program_unless_they_are_asked_for(self):
        self.write_all({"schema.sql": SCHEMA, "src/Reader.java": READER,
                        "pay/test_pay.py": "import sqlalchemy\nsession.query(X)\n",
                        "tests/pay.py": "import sqlalchemy\nsession.query(X)\n"})
        done = self.heddle("find", "--isolation=serializable", ".")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertIn("1 file in another language is left out, being tests", done.stdout)
        done = self.heddle("find", "--isolation=serializable", "--with-tests", ".")
        self.assertEqual(program.UNKNOWN, done.returncode, done.stdout)
        self.assertIn("SQLAlchemy: 2 places", done.stdout)

    def test_the_programs_that_are_read_have_no_unread_places(self):
        for folder in sorted(path for path in PROGRAMS.iterdir() if (path / "schema.sql").exists()):
            for code in ("class", "benchbase", "services"):
                if not (folder / code).exists():
                    continue
                with self.subTest(f"{folder.name}/{code}"):
                    done = self.heddle("find", "--list-statements", "--format=json",
                                       str(folder / "schema.sql"), str(folder / code))
                    coverage = json.loads(done.stdout)["coverage"]
                    self.assertEqual([], coverage["unread"])

    def test_what_binds_a_folder_to_itself_ends(self):
        self.write_all({"schema.sql": SCHEMA, "src/Reader.java": READER})
        (self.folder / "src" / "again").symlink_to(self.folder)
        done = self.heddle("find", "--isolation=serializable", ".")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)


class DialectTest(program.ProgramTest):
    """Files of one application for several databases."""

    def write_databases(self, names):
        columns = {"h2": "id INTEGER GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
                   "hsqldb": "id INTEGER IDENTITY PRIMARY KEY",
                   "mysql": "id INT(4) UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY",
                   "postgres": "id SERIAL PRIMARY KEY"}
        for name in names:
            folder = self.folder / "src" / "db" / name
            folder.mkdir(parents=True)
            engine = " ENGINE=InnoDB" if name == "mysql" else ""
            (folder / "schema.sql").write_text(
                f"CREATE TABLE account ({columns[name]}, balance INT){engine};\n")
            (folder / "data.sql").write_text("INSERT INTO account VALUES (1, 1);\n")
            (folder / "more.sql").write_text("CREATE TABLE owner (id INT PRIMARY KEY);\n")
        (self.folder / "src" / "Reader.java").write_text(READER)

    def test_one_is_chosen_and_said(self):
        self.write_databases(["h2", "hsqldb", "mysql", "postgres"])
        done = self.heddle("find", "--print-program", "src")
        self.assertIn("id SERIAL", done.stdout)
        self.assertNotIn("left out", done.stderr)
        done = self.heddle("find", "--isolation=serializable", "src")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout + done.stderr)
        self.assertRegex(" ".join(done.stdout.split()),
                         r"those for PostgreSQL are read, and 9 files for H2, HSQLDB, MySQL left")

    def test_the_dialect_that_is_given_counts(self):
        self.write_databases(["hsqldb", "mysql", "postgres"])
        done = self.heddle("find", "--isolation=serializable", "--dialect=mysql", "src")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout + done.stderr)
        self.assertIn("those for MySQL are read", " ".join(done.stdout.split()))

    def test_without_postgresqls_the_next_one_is_read(self):
        self.write_databases(["hsqldb", "mysql"])
        done = self.heddle("find", "--isolation=serializable", "src")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout + done.stderr)
        self.assertIn("those for MySQL are read", " ".join(done.stdout.split()))

    def test_files_beside_each_other(self):
        columns = "(id int PRIMARY KEY, balance int)"
        self.write("schema.sql", f"CREATE TABLE account {columns};")
        self.write("schema-mysql.sql", f"CREATE TABLE account {columns} ENGINE=InnoDB;")
        self.write("Reader.java", READER)
        done = self.heddle("find", "--isolation=serializable", ".")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout + done.stderr)
        self.assertIn("1 file for MySQL left out", " ".join(done.stdout.split()))

    def test_changes_of_tables_that_nobody_defines_are_warnings(self):
        self.write("schema.sql", SCHEMA + "ALTER TABLE pet ADD COLUMN x int;\nDROP TABLE owner;\n"
                                          "CREATE INDEX i ON visit (x);\n")
        self.write("Reader.java", READER)
        done = self.heddle("find", "--isolation=serializable", "--warnings=all", "schema.sql",
                           "Reader.java")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertIn("no table pet is defined before, so this changes nothing", done.stderr)
        self.assertIn("no table owner is defined before", done.stderr)


if __name__ == "__main__":
    unittest.main()
