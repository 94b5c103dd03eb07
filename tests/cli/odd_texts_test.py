"""Names, SQL and values that would take over a terminal, a page or a document: nothing arrives raw."""

import json
import re
import unittest
import xml.dom.minidom

import program

# What clears a screen, goes back in the line, rings, begins a C1 command, and turns the text around.
ODD = "\x1b[2J\r\a\x9b2J\u202e"
# What means something to Markdown, HTML, XML and Mermaid.
MARKS = "*x* # <b>&amp;|`;"
NAME = "o" + ODD + MARKS
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

SPEC = f"""
setup {{ CREATE TABLE "t{NAME}" (id int PRIMARY KEY, "c{NAME}" text);
  INSERT INTO "t{NAME}" VALUES (1, '{ODD}{MARKS}'); }}
teardown {{ DROP TABLE "t{NAME}"; }}
session "s1{NAME}"
step "r1{NAME}" {{ SELECT "c{NAME}" AS "v" FROM "t{NAME}" WHERE id = 1 \\gset }}
step "w1{NAME}" {{ UPDATE "t{NAME}" SET "c{NAME}" = :'v' || 'a{ODD}' WHERE id = 1 }}
session "s2{NAME}"
step "r2{NAME}" {{ SELECT "c{NAME}" AS "v" FROM "t{NAME}" WHERE id = 1 \\gset }}
step "w2{NAME}" {{ UPDATE "t{NAME}" SET "c{NAME}" = :'v' || 'b{ODD}' WHERE id = 1 }}
"""

PROGRAM = f"""
CREATE TABLE "t{NAME}" (id int PRIMARY KEY, "c{NAME}" int);
CREATE TABLE "u{NAME}" (id int PRIMARY KEY, n int);
CREATE FUNCTION "f{NAME}"("x{NAME}" int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE y int;
BEGIN
  SELECT "c{NAME}" INTO y FROM "t{NAME}" WHERE id = "x{NAME}";
  UPDATE "t{NAME}" SET "c{NAME}" = y + 1 WHERE id = "x{NAME}";
  UPDATE "u{NAME}" SET n = n + 1 WHERE id = "x{NAME}" AND '{ODD}{MARKS}' <> 'a';
END $$;
"""

JAVA = """
import java.sql.*;
class A {
  void f(Connection c, int x) throws SQLException {
    PreparedStatement s = c.prepareStatement("UPDATE t SET a = a + 1 WHERE b = 'ODD' AND id = ?");
    s.setInt(1, x);
    s.executeUpdate();
    unknown("ODD");
    Statement q = c.createStatement();
    q.executeUpdate("UPDAT ODD");
  }
}
"""


class OddTextsTest(program.ProgramTest):
    def run_odd(self, *words, codes=(0, 1, 2, 3), **more):
        """What it printed; nothing of that is raw."""
        done = self.heddle(*words, **more)
        self.assertIn(done.returncode, codes, done.stderr)
        for text in (done.stdout, done.stderr):
            found = RAW.search(text)
            self.assertIsNone(found, f"{words}: {text[max(0, found.start() - 100):][:200]!r}"
                              if found else "")
        return done

    def odd_file(self, ending, text):
        return self.write("o" + ODD + "*x* <b>" + ending, text)

    def assert_formed(self, form, text):
        if form in ("svg", "html", "junit"):
            xml.dom.minidom.parseString(text)
        if form in ("json", "sarif"):
            for line in text.splitlines() if text.startswith('{"') else [text]:
                json.loads(line)
        if form == "markdown":
            for line in text.splitlines():
                heading = re.match(r"#+ (.*)", line)
                if heading:
                    self.assertIsNone(re.search(r"(?<!\\)[*<`|]", heading[1]), line)

    def test_explore(self):
        name = self.odd_file(".spec", SPEC)
        for form in ("text", "markdown", "json", "html", "mermaid", "svg", "sarif", "junit",
                     "isolationtester"):
            with self.subTest(form):
                done = self.run_odd("explore", "--on=sqlite", f"--format={form}", "--color=never",
                                    name, codes=(0, 1))
                self.assertRegex(done.stdout, r"(?i)x1b|u001b")
                self.assert_formed(form, done.stdout)

    def test_replay(self):
        name = self.odd_file(".spec", SPEC)
        self.run_odd("explore", "--on=sqlite", "--save=found", name, codes=(1,))
        finding = next((self.folder / "found").glob("*.json"))
        for form in ("text", "json", "junit"):
            with self.subTest(form):
                done = self.run_odd("replay", f"--format={form}", "--color=never",
                                    str(finding.relative_to(self.folder)), codes=(1,))
                self.assert_formed(form, done.stdout)

    def test_find(self):
        name = self.odd_file(".sql", PROGRAM)
        for words in (("text",), ("json",), ("sarif",), ("text", "--list-statements"),
                      ("json", "--list-statements"), ("text", "--print-program"),
                      ("text", "--repair"), ("text", "--isolation=read-committed")):
            with self.subTest(words):
                done = self.run_odd("find", f"--format={words[0]}", *words[1:], "--color=never",
                                    name, codes=(0, 1, 3))
                self.assert_formed(words[0], done.stdout)

    def test_java(self):
        self.write("t.sql", "CREATE TABLE t (id int PRIMARY KEY, a int, b text);")
        name = self.odd_file("A.java", JAVA.replace("ODD", ODD + "*x*"))
        for words in (("text",), ("json",), ("sarif",), ("text", "--list-statements")):
            with self.subTest(words):
                done = self.run_odd("find", f"--format={words[0]}", *words[1:], "--color=never",
                                    "t.sql", name)
                self.assert_formed(words[0], done.stdout)

    def test_split(self):
        name = self.odd_file(".sql", PROGRAM)
        cut = self.odd_file(".json", json.dumps({"a" + NAME: ["t" + NAME],
                                                 "b" + NAME: ["u" + NAME]}))
        for form in ("text", "json", "svg", "html"):
            with self.subTest(form):
                done = self.run_odd("split", f"--services={cut}", f"--format={form}",
                                    "--color=never", name, codes=(0, 1, 3))
                self.assert_formed(form, done.stdout)

    def test_check(self):
        lines = [{"heddle": "history/1", "shape": "transactions", "sessions": ["a" + NAME, "b"],
                  "initial": 0}]
        for session in ("a" + NAME, "b"):
            lines.append({"session": session, "operations": [
                ["r", "k" + NAME, 0], ["w", "k" + NAME, "v" + NAME + session]]})
        texts = {"edn": "{:process 0 :type :invoke :f :read :value \"" + NAME + "\"}\n",
                 "textbook": "r1[" + NAME + "]", "plume": f"r(1,{ODD}", "awdit": f"w {ODD}",
                 "heddle": "\n".join(map(json.dumps, lines)), "json": '[{"a":"' + ODD}
        for kind, text in texts.items():
            name = self.odd_file("." + kind, text)
            for form in ("text", "json"):
                with self.subTest(kind=kind, form=form):
                    self.run_odd("check", f"--format={form}", "--color=never", name)

    def test_messages_about_odd_things(self):
        odd_spec = self.odd_file(".spec", "session s" + ODD + "\nstep a { SELECT 1 }")
        odd_sql = self.odd_file(".sql", f"CREATE TABLE t (a{ODD} int); \"{ODD}\"")
        odd_text = self.odd_file(".txt", f"axiom x {{ viz{ODD}(a,b) }}")
        odd_store = self.odd_file("2.txt", f"store \"{ODD}\" {{ \"t{ODD}\" }}")
        odd_json = self.odd_file(".json", '{"' + ODD + '": 1}')
        self.write("p.sql", PROGRAM)
        for words in (("explore", odd_spec), ("find", odd_sql), ("find", ODD + ".sql"),
                      ("find", f"--constraints={odd_text}", "p.sql"),
                      ("find", f"--constraints={odd_store}", "p.sql"),
                      ("find", f"--isolation={ODD}", "p.sql"), ("find", f"--{ODD}", "p.sql"),
                      ("find", f"--on={ODD}", "p.sql"), ("find", f"--schema={ODD}://{ODD}", "p.sql"),
                      ("split", f"--services={odd_json}", "p.sql"), ("replay", odd_json),
                      ("explore", f"--suppress={odd_json}", odd_spec),
                      ("find", "p.sql", f"--output=/no{ODD}/x"), (ODD,), ("help", ODD),
                      ("check", odd_json), ("check", f"--generate={ODD}"),
                      ("check", f"--memory={ODD}", odd_json)):
            with self.subTest(words):
                self.run_odd(*words, codes=(2,))

    def test_a_message_is_short_whatever_is_wrong(self):
        word = "x" * 5_000_000
        cases = {
            "a.spec": f"setup {{ }}\n{word}",
            "b.spec": f"session s\nstep a {{ SELECT 1 }}\npermutation {word}",
            "a.sql": f"CREATE TABLE t (id int); SELEC {word}",
            "b.sql": f"CREATE TABLE t (id int); SELECT '{word}",
            "c.sql": 'CREATE TABLE t (id int); CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql '
                     f"AS $$ BEGIN {word} END $$;",
            "a.json": '{"' + word + '": 1}',
            "a.edn": "{:process 0, :type :" + word,
            "b.json": "[" + word,
            "A.java": "class A { void f() { " + word + " } }",
            "a.txt": f"axiom x {{ {word}(a,b) }}",
        }
        self.write("p.sql", "CREATE TABLE t (id int);")
        commands = {"spec": ["explore", "--on=sqlite"], "sql": ["find"], "java": ["find", "p.sql"],
                    "json": ["check"], "edn": ["check"], "txt": ["find", "p.sql", "--constraints=a.txt"]}
        for name, text in cases.items():
            with self.subTest(name):
                self.write(name, text)
                words = commands[name.rpartition(".")[2]]
                done = self.heddle(*words, *([] if name.endswith("txt") else [name]))
                self.assertLess(len(done.stderr), 3000, done.stderr[:500])
                self.assertLess(len(done.stdout), 10_000, done.stdout[:500])
        for words in (["split", "--services=a.json", "p.sql"], ["replay", "a.json"]):
            with self.subTest(words):
                done = self.heddle(*words)
                self.assertEqual(program.TROUBLE, done.returncode)
                self.assertLess(len(done.stderr), 3000, done.stderr[:500])


if __name__ == "__main__":
    unittest.main()
