"""heddle find --classes and heddle replay --classes on MariaDB: the compiled program itself runs."""

import re
import unittest

import java_program
import program

DRIVER = ("/usr/share/java/mariadb-java-client.jar", "libmariadb-java")

SCHEMA = """CREATE TABLE `account` (
  `id` int NOT NULL AUTO_INCREMENT,
  `balance` int NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;
"""

BANK = re.sub(r"(balance|account|id)(?= FROM| WHERE| SET| = \?)", r"`\1`",
              java_program.BANK).replace('= ?");\n        select', '= ? LIMIT 1");\n        select')


class ClassesOnMariadbTest(java_program.JavaProgramTest):

    bank, schema = BANK, SCHEMA

    def find(self, *more, bank=BANK, schema=SCHEMA, on="mariadb"):
        self.write_app(bank, schema)
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
        finding = self.find_finding()
        again = self.heddle("replay", "--classes=classes", str(finding))
        self.assertEqual(program.FOUND, again.returncode, again.stdout + again.stderr)
        self.assertRegex(again.stdout, r"^confirmed 10/10 on MariaDB .* by the program itself: ")

    def test_so_does_one_without_a_dialect(self):
        self.compile(java_program.BANK)
        self.check_confirmed(self.find(bank=java_program.BANK, schema=java_program.SCHEMA))

    def test_a_program_that_locks_is_safe(self):
        locking = BANK.replace("LIMIT 1", "LIMIT 1 FOR UPDATE")
        self.compile(locking)
        done = self.find(bank=locking)
        self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr), done.stdout)
        self.assertNotIn("confirmed", done.stdout)
        # What is saved of the program without locks is not what the one with locks does.
        self.compile()
        self.find("--save=found")
        finding = self.find_finding()
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
        finding = self.find_finding()
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
    java_program.demand_java(DRIVER)
    unittest.main()
