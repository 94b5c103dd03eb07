"""Rows whose keys are in a list of the caller's."""

import unittest

import program

TABLE = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"


def routine(body):
    return (TABLE + "CREATE PROCEDURE bump(ids int[], k int) LANGUAGE plpgsql AS $$\n"
            f"DECLARE v int; one int;\nBEGIN\n  one := ids[1];\n{body}END $$;\n")


ADDS = routine("  UPDATE account SET balance = balance + k WHERE id = ANY (ids);\n")
LOCKS = routine("  PERFORM 1 FROM account WHERE id = ANY (ids) ORDER BY id FOR UPDATE;\n"
                "  SELECT sum(balance) INTO v FROM account WHERE id = ANY (ids);\n"
                "  IF v < k THEN RETURN; END IF;\n"
                "  UPDATE account SET balance = balance - k WHERE id = one AND id = ANY (ids);\n")
# The place is in the statement.
LOOKS = routine("  SELECT sum(balance) INTO v FROM account WHERE id = ANY (ids);\n"
                "  IF v < k THEN RETURN; END IF;\n"
                "  UPDATE account SET balance = balance - k WHERE id = ids[1];\n")
OTHERS = routine("  SELECT sum(balance) INTO v FROM account WHERE id <> ALL (ids);\n"
                 "  IF v < k THEN RETURN; END IF;\n"
                 "  UPDATE account SET balance = balance - k WHERE id = one;\n")


class ListsTest(program.ProgramTest):

    def find(self, text, level, *more):
        self.write("lists.sql", text)
        return self.heddle("find", f"--isolation=postgres:{level}", "--no-progress", "lists.sql",
                           *more)

    def test_a_change_of_all_of_them_is_one(self):
        for level in ("read-committed", "repeatable-read"):
            with self.subTest(level=level):
                done = self.find(ADDS, level)
                self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_what_is_looked_at_and_locked_stays(self):
        for level in ("read-committed", "repeatable-read"):
            with self.subTest(level=level):
                done = self.find(LOCKS, level)
                self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_what_is_looked_at_alone_does_not(self):
        for text in (LOOKS, OTHERS):
            for level in ("read-committed", "repeatable-read"):
                with self.subTest(text=text, level=level):
                    done = self.find(text, level, "--on=postgres", "--internal")
                    self.assertEqual(program.FOUND, done.returncode, done.stdout)
                    self.assertIn("confirmed", done.stdout)


if __name__ == "__main__":
    unittest.main()
