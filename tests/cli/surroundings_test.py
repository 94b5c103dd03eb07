"""Whatever stands around a check and an INSERT, or a read and an UPDATE: branches and loops that end
transactions, handlers of errors, further statements. What goes wrong is found all the same, and with
a lock in front it does not."""

import json
import random
import unittest

import program

TABLES = """CREATE TABLE stay (id serial PRIMARY KEY, desk int NOT NULL, guest int NOT NULL);
CREATE TABLE other (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
"""
WRONG = {
    "stay": "PERFORM guest FROM stay WHERE desk = d;\n"
            "IF NOT found THEN INSERT INTO stay (desk, guest) VALUES (d, g); END IF;\n",
    "account": "SELECT balance INTO v FROM account WHERE id = d;\n"
               "UPDATE account SET balance = v + g WHERE id = d;\n",
}
STATEMENTS = [
    "UPDATE other SET n = n + 1 WHERE id = g;", "PERFORM 1;", "PERFORM n FROM other WHERE id = g;",
    "INSERT INTO other VALUES (g, 1) ON CONFLICT DO NOTHING;", "DELETE FROM other WHERE id = g;",
    "w := w + 1;"]
CONDITIONS = ["g > 5", "d = 3", "w > 2", "EXISTS (SELECT FROM other WHERE id = g)", "g IS NULL"]
AROUND = [
    "IF {if} THEN {end} {do} RETURN; END IF;", "IF {if} THEN {end} {do} END IF;", "{do} {end}",
    "FOR i IN 1..2 LOOP {do} {end} END LOOP;",
    "BEGIN {do} EXCEPTION WHEN unique_violation THEN {do} END;",
    "WHILE w < 2 LOOP w := w + 1; IF {if} THEN EXIT; END IF; {do} {end} END LOOP;",
    "CASE WHEN {if} THEN {do} {end} {do} ELSE {do} END CASE;",
    "FOR q IN SELECT id FROM other WHERE n < g LOOP {do} IF {if} THEN RETURN; END IF; END LOOP;",
    "IF {if} THEN {do} IF {if} THEN {end} RETURN; END IF; ELSE {do} END IF;"]
WITHIN = [
    "{wrong}", "IF {if} THEN {do} {end} {do} ELSE\n{wrong}END IF;",
    "IF d < 9 THEN\n{wrong}ELSE {do} {end} {do} END IF;",
    "FOR j IN 1..1 LOOP\n{wrong}EXIT WHEN g > 0;\n{do}\nEND LOOP;"]


def filled(draw, template, wrong=""):
    pieces = {"if": CONDITIONS, "do": STATEMENTS, "end": ["COMMIT;", "ROLLBACK;"], "wrong": [wrong]}
    text = ""
    while template:
        before, _, rest = template.partition("{")
        name, _, template = rest.partition("}")
        text += before + (draw.choice(pieces[name]) if name else "")
    return text + "\n"


def made(seed, lock):
    draw = random.Random(seed)
    table = draw.choice(list(WRONG))
    first = f"LOCK TABLE {table};\n" if lock else ""
    parts = [filled(draw, draw.choice(AROUND)) for _ in range(draw.randrange(2))]
    parts.append(filled(draw, draw.choice(WITHIN), first + WRONG[table] + "COMMIT;\n"))
    parts += [filled(draw, draw.choice(AROUND)) for _ in range(draw.randrange(2))]
    return table, (TABLES + "CREATE PROCEDURE f(d int, g int) LANGUAGE plpgsql AS $$\n"
                   "DECLARE v int; w int := 0; q record;\nBEGIN\n" + "".join(parts) + "END $$;\n")


class SurroundingsTest(program.ProgramTest):

    def tables_found(self, text, level):
        self.write("p.sql", text)
        done = self.heddle("find", "--instances=2", "--length=4", "--format=json",
                           f"--isolation={level}", "p.sql")
        self.assertIn(done.returncode, (program.FOUND, program.NOTHING_FOUND), done.stderr)
        # Each cycle lies on one table alone: others go through what stands around it, too.
        found = set()
        for cause in json.loads(done.stdout)["causes"]:
            for cycle in cause["cores"]:
                tables = {one["table"] for one in cycle["dependencies"]}
                found |= tables if len(tables) == 1 else set()
        return found - {"other"}

    def test_what_goes_wrong_is_found(self):
        for seed in range(40):
            table, text = made(seed, False)
            for level in ("postgres:read-committed", "mariadb:repeatable-read"):
                with self.subTest(seed=seed, level=level):
                    self.assertEqual({table}, self.tables_found(text, level), text)

    def test_a_lock_keeps_others_out(self):
        for seed in range(20):
            _, text = made(seed, True)
            with self.subTest(seed=seed):
                self.assertEqual(set(), self.tables_found(text, "postgres:read-committed"), text)


if __name__ == "__main__":
    unittest.main()
