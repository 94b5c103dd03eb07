"""Routines that call routines: what is called belongs to who calls it, its COMMITs, too."""

import random
import unittest

import program

TABLES = """CREATE TABLE {account} (id int PRIMARY KEY, {balance} int NOT NULL);
CREATE TABLE audit (id serial PRIMARY KEY, what text NOT NULL);
"""

# Each has a routine `main` with parameters `a` and `amount`, first the broken program, then one
# that is safe.
PROGRAMS = {
    "a commit in a procedure that is called": (
        """CREATE PROCEDURE main(a int, amount int) LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT {balance} INTO b FROM {account} WHERE id = a FOR UPDATE;
  CALL note('before ' || amount);
  UPDATE {account} SET {balance} = b - amount WHERE id = a;
END $$;
CREATE PROCEDURE note(w text) LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO audit (what) VALUES (w);
  {commit}
END $$;
""", {"commit": ("COMMIT;", "")}),
    "a commit two calls deep": (
        """CREATE PROCEDURE deepest(INOUT n int) LANGUAGE plpgsql AS $$ BEGIN
  n := n + 1;
  IF n > 0 THEN {commit} END IF;
END $$;
CREATE PROCEDURE middle(a int, OUT b int) LANGUAGE plpgsql AS $$ DECLARE n int := 0; BEGIN
  SELECT {balance} INTO b FROM {account} WHERE id = a FOR UPDATE;
  CALL deepest(n);
END $$;
CREATE PROCEDURE main(a int, amount int) LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  CALL middle(a, b);
  IF b >= amount THEN
    UPDATE {account} SET {balance} = b - amount WHERE id = a;
  END IF;
END $$;
""", {"commit": ("COMMIT;", "NULL;")}),
    "a read in a function of SQL": (
        """CREATE FUNCTION current(a int) RETURNS int LANGUAGE sql AS $$
  SELECT {balance} FROM {account} WHERE id = a {lock}
$$;
CREATE FUNCTION main(a int, amount int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  b := current(a);
  IF b < amount THEN RETURN false; END IF;
  UPDATE {account} SET {balance} = b - amount WHERE id = a;
  RETURN true;
END $$;
""", {"lock": ("", "FOR UPDATE")}),
    "a read in a condition, a write that is performed": (
        """CREATE FUNCTION enough(a int, amount int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT {balance} INTO b FROM {account} WHERE id = a {lock};
  IF b IS NULL OR b < amount THEN RETURN -1; END IF;
  RETURN b - amount;
END $$;
CREATE FUNCTION store(a int, n int DEFAULT 0) RETURNS void LANGUAGE sql AS $$
  UPDATE {account} SET {balance} = n WHERE id = a
$$;
CREATE FUNCTION main(a int, amount int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF amount > 0 AND enough(a, amount) >= 0 THEN
    PERFORM store(a, enough(a, amount));
  END IF;
END $$;
""", {"lock": ("", "FOR UPDATE")}),
    "an error that is handled": (
        """CREATE FUNCTION take(a int, amount int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT {balance} INTO STRICT b FROM {account} WHERE id = a {lock};
  RETURN b - amount;
END $$;
CREATE FUNCTION main(a int, amount int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  BEGIN
    SELECT take(a, amount) INTO b;
  EXCEPTION WHEN no_data_found THEN
    RETURN 'none';
  END;
  UPDATE {account} SET {balance} = b WHERE id = a;
  RETURN 'done';
END $$;
""", {"lock": ("", "FOR UPDATE")}),
}


def made(text, seed, **more):
    names = random.Random(seed)
    account = names.choice(["account", "wallet", "stock"])
    return (TABLES + text).replace("main(", "withdraw(").format(
        account=account, balance=names.choice(["balance", "amount_left", "units"]), **more)


class RoutinesTest(program.ProgramTest):

    def find(self, text, *more):
        self.write("made.sql", text)
        return self.heddle("find", "--entry=withdraw", *more, "made.sql")

    def test_what_is_called_belongs_to_who_calls_it(self):
        for seed, (name, (text, holes)) in enumerate(PROGRAMS.items()):
            (hole, (broken, safe)), = holes.items()
            with self.subTest(program=name):
                done = self.find(made(text, seed, **{hole: broken}), "--on=postgres")
                self.assertEqual((program.FOUND, ""), (done.returncode, done.stderr), done.stdout)
                self.assertRegex(done.stdout, r"lost update: withdraw twice .*confirmed +internal")
            with self.subTest(safe_program=name):
                done = self.find(made(text, seed + 9, **{hole: safe}))
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr),
                                 done.stdout)

    def test_recursion_that_goes_on_is_taken_for_anything_and_said(self):
        text = made("""CREATE FUNCTION main(a int, amount int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF amount <= 0 THEN RETURN 0; END IF;
  RETURN 1 + main(a, amount - 1);
END $$;
""", 1)
        done = self.find(text, "--isolation=serializable")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertIn("withdraw() calls itself, which is followed 3 times", done.stderr)
        self.assertIn("1 approximately", done.stdout)


if __name__ == "__main__":
    unittest.main()
