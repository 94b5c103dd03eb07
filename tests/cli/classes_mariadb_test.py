"""heddle find --classes and heddle replay --classes on MariaDB: the compiled program itself runs."""

import pathlib
import shutil
import subprocess
import unittest

import program

DRIVER = pathlib.Path("/usr/share/java/mariadb-java-client.jar")

SCHEMA = """CREATE TABLE `account` (
  `id` int NOT NULL AUTO_INCREMENT,
  `balance` int NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;
"""

BANK = """package bank;

import java.sql.*;

public class Bank {
    public static int withdraw(Connection connection, int id, int amount) throws SQLException {
        PreparedStatement select = connection.prepareStatement(
                "SELECT `balance` FROM `account` WHERE `id` = ? LIMIT 1");
        select.setInt(1, id);
        ResultSet rows = select.executeQuery();
        if (!rows.next() || rows.getInt(1) < amount) {
            return -1;
        }
        int left = rows.getInt(1) - amount;
        PreparedStatement update =
                connection.prepareStatement("UPDATE `account` SET `balance` = ? WHERE `id` = ?");
        update.setInt(1, left);
        update.setInt(2, id);
        update.executeUpdate();
        return left;
    }
}
"""

# The same for either dialect.
PLAIN_SCHEMA = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
PLAIN_BANK = BANK.replace("`", "").replace(" LIMIT 1", "")


class ClassesOnMariadbTest(program.ProgramTest):

    def compile(self, text=BANK):
        (self.folder / "other").mkdir(exist_ok=True)
        self.write("other/Bank.java", text)
        subprocess.run(["javac", "-J-XX:+UseSerialGC", "-g", "-d", "classes", "other/Bank.java"],
                       cwd=self.folder, check=True, timeout=120)

    def find(self, *more, bank=BANK, schema=SCHEMA, on="mariadb"):
        (self.folder / "app").mkdir(exist_ok=True)
        self.write("app/schema.sql", schema)
        self.write("app/Bank.java", bank)
        return self.heddle("find", "--isolation=mariadb:repeatable-read", f"--on={on}",
                           "--classes=classes", *more, "app")

    def check_confirmed(self, done):
        self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr))
        text = " ".join(done.stdout.split())
        self.assertRegex(text, r"confirmed on MariaDB [^:]* by the program itself, internal: ")
        self.assertIn("of the 1 confirmed, 1 by the program itself", text)

    def test_the_program_itself_loses_an_update(self):
        self.compile()
        self.check_confirmed(self.find("--save=found"))
        finding, = (self.folder / "found").glob("*.json")
        again = self.heddle("replay", "--classes=classes", str(finding))
        self.assertEqual(program.FOUND, again.returncode, again.stdout + again.stderr)
        self.assertRegex(again.stdout, r"^confirmed 10/10 on MariaDB .* by the program itself: ")

    def test_so_does_one_without_a_dialect(self):
        self.compile(PLAIN_BANK)
        self.check_confirmed(self.find(bank=PLAIN_BANK, schema=PLAIN_SCHEMA))

    def test_a_program_that_locks_is_safe(self):
        locking = BANK.replace("LIMIT 1", "LIMIT 1 FOR UPDATE")
        self.compile(locking)
        done = self.find(bank=locking)
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertNotIn("confirmed", done.stdout)
        # What is saved of the program without locks is not what the one with locks does.
        self.compile()
        self.find("--save=found")
        finding, = (self.folder / "found").glob("*.json")
        self.compile(locking)
        again = self.heddle("replay", "--classes=classes", "--runs=1", str(finding))
        self.assertEqual(program.UNKNOWN, again.returncode, again.stdout + again.stderr)
        self.assertIn("the program executes SELECT `balance` FROM `account` WHERE `id` = 1 LIMIT "
                      "1 FOR UPDATE at Bank.java:10 where ", " ".join(again.stdout.split()))

    def test_a_program_that_locks_loses_an_update_on_a_ring(self):
        locking = BANK.replace("LIMIT 1", "FOR UPDATE")
        self.compile(locking)
        done = self.find("--isolation=eventual-consistency", "--save=found", bank=locking,
                         on="mariadb:ring")
        self.check_confirmed(done)
        finding, = (self.folder / "found").glob("*.json")
        self.assertIn("MOVE SESSION", finding.read_text())
        again = self.heddle("replay", "--classes=classes", "--runs=3", str(finding))
        self.assertEqual(program.FOUND, again.returncode, again.stdout + again.stderr)
        self.assertRegex(" ".join(again.stdout.split()),
                         r"^confirmed 3/3 on MariaDB .* by the program itself: ")

    def test_a_program_that_is_not_what_was_read_is_told(self):
        self.compile(BANK.replace("`balance` = ?", "`balance` = 0 + ?"))
        done = self.find()
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        text = " ".join(done.stdout.split())
        self.assertIn("of the 1 confirmed, 0 by the program itself", text)
        self.assertRegex(text, r"not by the program itself: .*the program executes UPDATE "
                               r"`account` SET `balance` = 0 \+ \d+ WHERE `id` = \d+ at "
                               r"Bank\.java:19 where UPDATE account SET balance = \S+ WHERE id = "
                               r"\d+ was expected")


if __name__ == "__main__":
    if shutil.which("javac") is None:
        raise SystemExit("javac is missing: run scripts/setup")
    if not DRIVER.exists():
        raise SystemExit("libmariadb-java is missing: run scripts/setup")
    unittest.main()
