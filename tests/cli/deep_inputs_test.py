"""Inputs nested as deep, and as long, as nobody writes them: heddle ends, soon, with an answer.

Each reader is given the same few shapes. What an input this deep or long means is not asked, only that
the exit code is one of those in docs/help.md, that a refusal is one line that says where, and that
reading takes seconds.
"""

import json
import subprocess
import time
import unittest

import program

DEEP = 100_000
SIZES = (1_000, DEEP)
# Far more than it takes on a machine that has something else to do; quadratic reading takes minutes.
SECONDS = 60

PAIR = """CREATE TABLE t (id int PRIMARY KEY, a int, b int);
CREATE FUNCTION f(x int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE y int; BEGIN %s END $$;
"""


def nested(opening, inner, closing, n):
    return opening * n + inner + closing * n


class DeepInputsTest(program.ProgramTest):
    def run_within(self, *words, seconds=SECONDS, stdin="", codes=(0, 1, 2, 3)):
        began = time.monotonic()
        done = subprocess.run([program.HEDDLE, *words], cwd=self.folder, input=stdin, text=True,
                              errors="replace", capture_output=True, timeout=2 * seconds,
                              check=False)
        took = time.monotonic() - began
        self.assertIn(done.returncode, codes, f"{words}: {done.stderr[:300]}")
        self.assertLess(took, seconds, words)
        self.assertLess(len(done.stderr), 5_000, words)
        if done.returncode in (2, 3) and done.stderr:
            self.assertNotIn("internal error", done.stderr)
        return done

    def assert_reads(self, command, cases, ending):
        for name, text in cases.items():
            with self.subTest(name):
                path = self.write(f"input.{ending}", text)
                done = self.run_within(*command, path)
                if done.returncode == 2:
                    self.assertRegex(done.stderr, r"input\.[a-z]+(:\d+:\d+)?: ")

    def test_constraints(self):
        self.write("p.sql", PAIR % "SELECT a INTO y FROM t WHERE id = x;")
        for n in SIZES:
            cases = {
                "conjuncts": "axiom x { " + " and ".join(["vis(a,b)"] * n) + " implies ar(a,b) }",
                "disjuncts": "axiom x { " + " or ".join(["vis(a,b)", "so(a,b)"] * n) + " }",
                "parentheses": "axiom x { " + nested("(", "vis(a,b)", ")", n) + " }",
                "negations": "axiom x { " + "not " * n + "vis(a,b) }",
                "groups": "axiom x { " + " and ".join(["(vis(a,b) or not ar(a,b))"] * n) + " }",
                "fact and": "initially x { SELECT " + " AND ".join(["a >= 0"] * n) + " FROM t }",
                "fact sum": "initially x { SELECT " + "+".join(["a"] * n) + " >= 0 FROM t }",
                "fact not": "initially x { SELECT " + "NOT " * n + "a > 0 FROM t }",
                "tables": "store s { " + ",".join(["t"] * n) + " }",
                "braces": "axiom x " + "{" * n,
            }
            for name, text in cases.items():
                with self.subTest(name, n=n):
                    path = self.write("known.txt", text)
                    self.run_within("find", f"--constraints={path}", "--timeout=20s", "p.sql")

    def test_an_axiom_of_many_conjuncts_means_what_it_says(self):
        self.write("p.sql", PAIR % "SELECT a INTO y FROM t WHERE id = x;")
        self.write("known.txt", "axiom x { " + " and ".join(["not vis(a,b)"] * DEEP) + " }")
        done = self.run_within("find", "--constraints=known.txt", "p.sql", codes=(0, 1))
        self.assertEqual("", done.stderr)

    def test_programs(self):
        n_cases = {
            "if": lambda n: nested("IF x > 0 THEN ", "UPDATE t SET a = 1;", " END IF;", n),
            "begin": lambda n: nested("BEGIN ", "UPDATE t SET a = 1;", " END;", n),
            "loop": lambda n: nested("LOOP ", "EXIT;", " END LOOP;", n),
            "sum": lambda n: "y := " + "+".join(["x"] * n) + ";",
            "minus": lambda n: "y := " + "- " * n + "x;",
            "parentheses": lambda n: "y := " + nested("(", "x", ")", n) + ";",
            "calls": lambda n: "y := " + nested("abs(", "x", ")", n) + ";",
            "case": lambda n: "y := " + nested("CASE WHEN x > 0 THEN 1 ELSE ", "0", " END", n) + ";",
            "casts": lambda n: "y := x" + "::int" * n + ";",
            "elsif": lambda n: "IF x = 0 THEN y := 0;" + " ELSIF x = 1 THEN y := 1;" * n + " END IF;",
            "subqueries": lambda n: "SELECT a INTO y FROM t WHERE id = "
                                    + nested("(SELECT a FROM t WHERE id = ", "1", ")", n) + ";",
            "unions": lambda n: "SELECT a INTO y FROM t " + "UNION SELECT a FROM t " * n + ";",
            "joins": lambda n: "SELECT 1 INTO y FROM t " + "NATURAL JOIN t " * n + ";",
            "where": lambda n: "UPDATE t SET a = 1 WHERE " + " AND ".join(["id = x"] * n) + ";",
            "list": lambda n: "UPDATE t SET a = 1 WHERE id IN (" + ",".join(["1"] * n) + ");",
            "quotes": lambda n: "y := " + "'" * n + ";",
            "comments": lambda n: nested("/*", "", "*/", n) + " y := 1;",
        }
        for n in SIZES:
            self.assert_reads(["find", "--list-statements"],
                              {f"{name} {n}": PAIR % body(n) for name, body in n_cases.items()},
                              "sql")

    def test_many_statements(self):
        n = 5_000
        cases = {
            "statements": PAIR % ("UPDATE t SET a = 1 WHERE id = x;\n" * n),
            "assignments": PAIR % ("y := x;\n" * n),
            "variables": PAIR % "y := 1;" + "CREATE FUNCTION g() RETURNS void LANGUAGE plpgsql AS $$ "
                         "DECLARE " + "".join(f"v{i} int;" for i in range(n)) + " BEGIN v1 := 1; "
                         "END $$;",
            "functions": PAIR % "y := 1;" + "".join(
                f"CREATE FUNCTION g{i}() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; END $$;\n"
                for i in range(n)),
            "tables": "".join(f"CREATE TABLE t{i} (id int PRIMARY KEY);\n" for i in range(n)),
        }
        self.assert_reads(["find", "--list-statements"], cases, "sql")

    def test_a_wide_table(self):
        columns = "".join(f", c{i} int" for i in range(DEEP))
        for dialect in ("postgres", "mysql", "sqlite"):
            with self.subTest(dialect):
                self.write("wide.sql", f"CREATE TABLE t (id int PRIMARY KEY{columns});\n")
                self.run_within("find", "--list-statements", f"--dialect={dialect}", "wide.sql",
                                codes=(0,))
        key = ", ".join(f"c{i}" for i in range(DEEP))
        self.write("wide.sql", f"CREATE TABLE t (id int{columns}, PRIMARY KEY ({key}));\n")
        self.run_within("find", "--list-statements", "wide.sql", codes=(0,))

    def test_java(self):
        n_cases = {
            "classes": lambda n: "".join(f"class A{i} {{ int a{i}; void m{i}() {{ }}\n"
                                         for i in range(n)) + "}" * n,
            "bodies": lambda n: "class A { Object f = " + nested(
                "new Object() { Object f = ", "null", "; }", n) + "; }",
            "local": lambda n: nested("class A { void f() { ", "", " } }", n),
            "blocks": lambda n: "class A { void f() { " + nested("{", "", "}", n) + " } }",
            "ifs": lambda n: "class A { void f(int x) { " + "if (x > 0) " * n + "return; } }",
            "parentheses": lambda n: "class A { int f(int x) { return "
                                     + nested("(", "x", ")", n) + "; } }",
            "sum": lambda n: "class A { int f(int x) { return " + "+".join(["x"] * n) + "; } }",
            "calls": lambda n: "class A { int f(int x) { return " + nested("f(", "x", ")", n) + "; } }",
            "chain": lambda n: "class A { A f() { return f()" + ".f()" * n + "; } }",
            "types": lambda n: "class A { " + nested("java.util.List<", "String", ">", n) + " f; }",
            "arrays": lambda n: "class A { int" + "[]" * n + " f; }",
            "lambdas": lambda n: "class A { Object f = " + "x -> " * n + "1; }",
            "annotations": lambda n: nested("@A(", "1", ")", n) + " class A { }",
            "open": lambda n: "class A { void f() { " + "(" * n,
            "flat": lambda n: "".join(f"class A{i} {{ void m() {{ }} }}\n" for i in range(n // 5)),
        }
        self.write("t.sql", "CREATE TABLE t (id int PRIMARY KEY, a int);\n")
        for n in (1_000, 20_000):
            self.assert_reads(["find", "--list-statements", "t.sql"],
                              {f"{name} {n}": text(n) for name, text in n_cases.items()}, "java")

    def test_nested_classes_are_refused_where_they_are(self):
        self.write("t.sql", "CREATE TABLE t (id int PRIMARY KEY, a int);\n")
        self.write("A.java", "".join(f"class A{i} {{\n" for i in range(20_000)) + "}" * 20_000)
        done = self.run_within("find", "t.sql", "A.java", codes=(3,))
        self.assertEqual("A.java:102:1: classes are nested too deeply here to be read, let some of "
                         "them stand beside each other\n", done.stderr)

    def test_scenarios(self):
        for n in SIZES:
            cases = {
                "braces": "setup " + nested("{", "", "}", n),
                "ifs": "session s\nstep a { " + nested("\\if 1\n", "SELECT 1;\n", "\\endif\n", n) + " }",
                "names": "session " + "s" * n + "\nstep a { SELECT 1; }",
                "markers": "session s\nstep a { SELECT 1; }\npermutation " + "a(" * n,
                "permutation": "session s\nstep a { SELECT 1; }\npermutation " + "a " * n,
                "sql": "session s\nstep a { SELECT " + nested("(", "1", ")", n) + "; }",
                "calls": "program { " + PAIR % "y := 1;" + " }\nsession s\ncall f("
                         + nested("(", "1", ")", n) + ")",
            }
            self.assert_reads(["explore", "--on=sqlite", "--timeout=5s"], cases, "spec")

    def test_documents(self):
        self.write("p.sql", PAIR % "y := 1;")
        for n in SIZES:
            shapes = {"lists": nested("[", "", "]", n), "open": "[" * n, "objects": '{"a":' * n,
                      "keys": "{" + ",".join(f'"k{i}": 1' for i in range(n)) + "}",
                      "text": json.dumps("\\" * n), "flow": "a: " + "{b: " * n,
                      "indents": "".join(" " * i + "a:\n" for i in range(min(n, 2_000))),
                      "aliases": "a: &a [1]\nb: [" + ",".join(["*a"] * n) + "]\n"}
            for command in (["replay"], ["split", "p.sql", "--services={}"],
                            ["explore", "--on=sqlite", "s.spec", "--suppress={}"]):
                self.write("s.spec", "session s\nstep a { SELECT 1; }")
                for name, text in shapes.items():
                    with self.subTest(name, command=command[0], n=n):
                        self.write("input.json", text)
                        words = [word.format("input.json") for word in command]
                        self.run_within(*words, *([] if "{}" in "".join(command) else ["input.json"]))

    def test_histories(self):
        for n in SIZES:
            for name, text in {
                "vectors": nested("[", "", "]", n), "maps": "{:a " * n, "tags": "#_" * n,
                "sets": "#{" * n, "json": '[{"a":' * n, "dbcop": "[" * n,
                "value": "{:process 0, :type :ok, :f :read, :value " + nested("[", "1", "]", n) + "}",
                "lines": '{"heddle":"history/1","shape":"transactions","x":' + nested("[", "", "]", n),
                "textbook": "r1[x]" * n, "list": "r1[x=" + nested("[", "", "]", n),
                "digits": "r 1 " + "9" * n, "plume": "r(" + "9" * n,
            }.items():
                with self.subTest(name, n=n):
                    self.write("input.txt", text)
                    self.run_within("check", "--timeout=20s", "input.txt")

    def test_redis(self):
        for n in SIZES:
            self.assert_reads(["explore", "--on=redis", "--timeout=5s"], {
                "words": "session s\nstep a { SET " + "x " * n + "}",
                "quotes": "session s\nstep a { SET " + '"' * n + " }",
                "keys": "session s\nstep a { MGET " + " ".join(f"k{i}" for i in range(n)) + " }",
            }, "spec")

    def test_endless_inputs(self):
        self.write("p.sql", PAIR % "y := 1;")
        self.write("s.spec", "session s\nstep a { SELECT 1; }")
        for device in ("/dev/zero", "/dev/urandom"):
            for words in (["check", device], ["check", "--timeout=3s", device], ["find", device],
                          ["check", "--memory=500M", device], ["explore", device],
                          ["replay", device], ["split", f"--services={device}", "p.sql"],
                          ["find", f"--constraints={device}", "p.sql"],
                          ["explore", f"--suppress={device}", "s.spec"]):
                with self.subTest(words):
                    done = self.run_within(*words, codes=(2, 3))
                    self.assertEqual(1, done.stderr.count("\n"), done.stderr)
        for words in (["check", "-"], ["find", "-"], ["explore", "-"], ["replay", "-"]):
            with self.subTest(words):
                yes = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
                self.addCleanup(yes.wait)
                self.addCleanup(yes.kill)
                done = subprocess.run([program.HEDDLE, *words], cwd=self.folder, stdin=yes.stdout,
                                      capture_output=True, text=True, timeout=SECONDS, check=False)
                yes.stdout.close()
                self.assertIn(done.returncode, (2, 3))
                self.assertRegex(done.stderr, "larger than 64 MB")

    def test_every_format_of_histories_ends_in_time(self):
        shapes = {"plume": "r(1,2,0,{0})\n", "awdit": "r 1 2\n", "textbook": "r{0}[x=1] ",
                  "jepsen.edn": "{{:process 0, :type :invoke, :f :read, :value nil}}\n",
                  "lines.json": '{{"session":"s","operations":[["r","k",0]]}}\n',
                  "dbcop.json": '[[{{"events":[{{"variable":1,"value":1,"write":true}}]}}]],'}
        begins = {"lines.json": '{"heddle":"history/1","shape":"transactions"}\n', "dbcop.json": "["}
        for name, line in shapes.items():
            with self.subTest(name):
                text = begins.get(name, "") + "".join(line.format(i) for i in range(1_000)) * 600
                self.write(name, text)
                done = self.run_within("check", "--timeout=1s", name, seconds=20)
                if "not read to its end" in done.stderr:
                    self.assertEqual(3, done.returncode)
                    self.assertIn("--timeout=1s is over", done.stderr)


if __name__ == "__main__":
    unittest.main()
