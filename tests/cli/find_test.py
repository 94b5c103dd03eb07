"""heddle find: programs as files, listed and printed."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

import program

EXAMPLE = program.ROOT / "examples" / "transfer.sql"


class FindTest(program.ProgramTest):

    def test_lists_the_example(self):
        done = self.heddle("find", "--list-statements", str(EXAMPLE))
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stderr)
        self.assertEqual("", done.stderr)
        self.assertIn("where id = source", done.stdout)
        self.assertIn("if not available < amount (line 13)", done.stdout)
        self.assertIn("4 statements in 2 functionalities, 4 of them read exactly", done.stdout)

    def test_json_is_what_the_page_shows(self):
        self.write("transfer.sql", EXAMPLE.read_text())
        done = self.heddle("find", "--list-statements", "--format=json", "transfer.sql").stdout
        page = (program.ROOT / "docs" / "formats" / "statements.md").read_text()
        shown = re.search(r"```json\n(.*?)```", page, re.S).group(1)
        self.assertEqual(shown, done)
        self.assertEqual("statements/1", json.loads(done)["heddle"])

    def test_what_is_printed_prints_again(self):
        first = self.heddle("find", "--print-program", str(EXAMPLE)).stdout
        self.assertIn("CREATE PROCEDURE transfer", first)
        self.assertEqual(first, self.heddle("find", "--print-program", "-", stdin=first).stdout)

    def test_several_files_are_one_program(self):
        self.write("a.sql", "CREATE PROCEDURE a() LANGUAGE sql AS 'DELETE FROM t';")
        self.write("b.sql", "CREATE PROCEDURE b() LANGUAGE sql AS 'DELETE FROM u';")
        done = self.heddle("find", "--list-statements", "a.sql", "b.sql")
        self.assertIn("2 statements in 2 functionalities", done.stdout)

    def test_what_is_not_followed_is_a_warning_or_refused(self):
        self.write("p.sql", "CREATE PROCEDURE p(x text) LANGUAGE plpgsql AS $$\nBEGIN\n"
                            "  EXECUTE x;\nEND $$;\n")
        done = self.heddle("find", "--list-statements", "p.sql")
        self.assertEqual(program.NOTHING_FOUND, done.returncode)
        self.assertRegex(done.stderr, r"p\.sql:3:11: .*EXECUTE")
        self.assertIn("1 statement in 1 functionality, 0 of them read exactly", done.stdout)
        self.assert_trouble(r"p\.sql:3:11: EXECUTE", "find", "--list-statements", "--strict",
                            "p.sql")

    def test_what_is_printed_does_not_depend_on_the_jobs(self):
        for i in range(9):
            self.write(f"C{i}.java", f"""class C{i} {{
  void run(java.sql.Connection c) throws Exception {{
    c.prepareStatement("DELETE FROM t{i}").executeUpdate();
  }}
}}""")
        alone = self.heddle("find", "--list-statements", "--jobs=1", ".")
        together = self.heddle("find", "--list-statements", "--jobs=8", ".")
        self.assertIn("9 statements in 9 functionalities", alone.stdout)
        self.assertEqual((alone.stdout, alone.stderr), (together.stdout, together.stderr))

    def test_anomalies_are_found_at_the_level_that_is_asked_for(self):
        found = self.heddle("find", str(EXAMPLE))
        self.assertEqual(program.FOUND, found.returncode)
        self.assertIn("at postgres:read-committed, because neither the code nor --isolation",
                      found.stdout)
        self.assertIn("1. lost update: transfer twice, on account", found.stdout)
        self.assertRegex(found.stdout, r"T1 transfer  .*transfer\.sql:9:3: SELECT balance")
        nothing = self.heddle("find", "--isolation=serializable", str(EXAMPLE))
        self.assertEqual(program.NOTHING_FOUND, nothing.returncode)
        self.assertEqual("read: 2 functionalities with 4 statements, exactly\nat serializable\n"
                         "within 6 operations, 3 transactions and 2 rounds of each loop\n"
                         "and, because the program is small, within 6 and 4 through statements "
                         "without a smaller cycle\n\n"
                         "nothing found within 6 operations and 4 transactions\n",
                         nothing.stdout)
        alone = self.heddle("find", "--isolation=eventual", "--jobs=1", str(EXAMPLE))
        together = self.heddle("find", "--isolation=eventual", "--jobs=7", str(EXAMPLE))
        self.assertEqual(alone.stdout, together.stdout)

    def test_a_long_fork_of_a_small_program_is_made_to_happen(self):
        rate = ("CREATE PROCEDURE rate_{0}(v int) LANGUAGE sql AS $$\n"
                "UPDATE review SET stars = v WHERE id = {0};\n$$;\n")
        self.write("fork.sql", "CREATE TABLE review (id int PRIMARY KEY, stars int NOT NULL);\n" +
                   rate.format(1) + rate.format(2) +
                   "CREATE FUNCTION compare() RETURNS int LANGUAGE plpgsql AS $$\n"
                   "DECLARE a int; b int;\nBEGIN\n"
                   "SELECT stars INTO a FROM review WHERE id = 1;\n"
                   "SELECT stars INTO b FROM review WHERE id = 2;\nRETURN 10 * a + b;\nEND $$;\n")
        done = self.heddle("find", "--on=postgres", "fork.sql")
        self.assertEqual(program.FOUND, done.returncode, done.stdout)
        self.assertRegex(done.stdout, r"rate_1 and rate_2 and compare twice +review +confirmed")
        usual = self.heddle("find", "--length=4", "fork.sql")
        self.assertEqual(program.NOTHING_FOUND, usual.returncode, usual.stdout)
        self.assertIn("nothing found within 4 operations and 3 transactions", usual.stdout)

    def test_anomalies_as_json(self):
        done = self.heddle("find", "--format=json", "--isolation=transfer=snapshot",
                           "--length=4", str(EXAMPLE))
        document = json.loads(done.stdout)
        self.assertEqual("anomalies/1", document["heddle"])
        self.assertEqual({"functionality": "transfer", "isolation": "snapshot",
                          "origin": "given"}, document["levels"][0])
        self.assertEqual("fallback", document["levels"][1]["origin"])
        document = json.loads(self.heddle("find", "--format=json", str(EXAMPLE)).stdout)
        cause = document["causes"][0]
        self.assertEqual("lost-update", cause["kind"])
        core = cause["cores"][0]
        self.assertEqual(["rw", "ww"], [edge["kind"] for edge in core["dependencies"]])
        self.assertEqual({"read", "write"}, {each["does"] for each in core["operations"]})

    def test_anomalies_are_made_to_happen(self):
        done = self.heddle("find", "--on=postgres", "--save=found", "--details=all", str(EXAMPLE))
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"confirmed on PostgreSQL .* \(throwaway\), internal")
        self.assertIn("◀ here", done.stdout)
        self.assertRegex(done.stdout, r"not shown \(\d+ runs?\): executed on PostgreSQL")
        self.assertRegex(done.stdout, r"\d+ confirmed \(internal\)")
        saved = sorted(path.name for path in (self.folder / "found").iterdir())
        self.assertIn(".spec", "".join(saved))
        lost = next(name for name in saved if re.match(r"lost-update-\w+\.json", name))
        again = self.heddle("replay", "--runs=3", f"found/{lost}")
        self.assertEqual(program.FOUND, again.returncode, again.stdout)
        again = self.heddle("explore", f"found/{lost.replace('.json', '.spec')}")
        self.assertEqual(program.FOUND, again.returncode, again.stdout)

    def test_what_is_executed_in_a_document(self):
        done = self.heddle("find", "--on=postgres", "--internal", "--format=json", str(EXAMPLE))
        causes = json.loads(done.stdout)["causes"]
        ranks = ["confirmed", "possible", "not-executable", "not-shown", "refuted"]
        statuses = [cause["status"] for cause in causes]
        self.assertEqual(sorted(statuses, key=ranks.index), statuses)
        self.assertEqual("confirmed", statuses[0])
        confirmed = [cause for cause in causes if cause["status"] == "confirmed"]
        self.assertEqual({"internal"}, {cause["effect"] for cause in confirmed})
        self.assertEqual("finding/1", causes[0]["finding"]["heddle"])

    def test_sarif_puts_causes_on_lines(self):
        done = self.heddle("find", "--format=sarif", str(EXAMPLE))
        self.assertEqual(program.FOUND, done.returncode)
        results = json.loads(done.stdout)["runs"][0]["results"]
        place = results[0]["locations"][0]["physicalLocation"]
        self.assertEqual(9, place["region"]["startLine"])
        self.assertTrue(place["artifactLocation"]["uri"].endswith("examples/transfer.sql"))
        self.assertIn("lost update: transfer twice", results[0]["message"]["text"])
        self.assertEqual(len(results), len({json.dumps(result["partialFingerprints"])
                                            for result in results}))

    def test_options_that_need_execution(self):
        self.assert_trouble(r"--save is about what is executed, say where to execute it",
                            "find", "--save=found", str(EXAMPLE))
        self.assert_trouble(r"--on=sqlite: heddle find executes on PostgreSQL, MariaDB and the "
                            r"replicated store only", "find", "--on=sqlite", str(EXAMPLE))
        self.assert_trouble(r"--unit=transaction does not go with --engine=reference", "find",
                            "--unit=transaction", "--engine=reference", str(EXAMPLE))
        self.assert_trouble(r"--format=sarif is for anomalies", "find", "--list-statements",
                            "--format=sarif", str(EXAMPLE))

    def test_invariants_that_executed_causes_break(self):
        self.write("bank.txt", 'invariant "no overdraft" { SELECT balance >= 0 FROM account }\n'
                               'invariant "odd" { SELECT id % 1 = 1 FROM account }\n')
        done = self.heddle("find", "--on=postgres", "--invariants=bank.txt", str(EXAMPLE))
        self.assertIn('breaks the invariant "no overdraft"', done.stdout)
        self.assertRegex(done.stdout, r'the invariant "no overdraft" is broken by 1\b')
        # Serial orders break it, too.
        self.assertNotIn('breaks the invariant "odd"', done.stdout)
        self.write("none.txt", "setup { SELECT 1; }")
        self.assert_trouble(r"none\.txt: this is no file of invariants, write items like",
                            "find", "--on=postgres", "--invariants=none.txt", str(EXAMPLE))

    def test_weak_levels_are_executed_on_the_replicated_store(self):
        done = self.heddle("find", "--on=replicated", "--isolation=eventual", "--save=found",
                           str(EXAMPLE))
        self.assertRegex(done.stdout, r"confirmed on .*embedded\), internal")
        self.assertRegex(done.stdout, r"MOVE\s.*SESSION")
        # The network takes no part in the orders that the run is compared with.
        self.assertRegex(done.stdout, r"\d+ confirmed \(internal\)")
        saved = sorted((self.folder / "found").glob("*.json"))
        self.assertTrue(saved)
        finding = json.loads(saved[0].read_text())
        self.assertTrue(finding["serial"])
        for serial in finding["serial"]:
            self.assertNotIn("network", serial["order"])
        again = self.heddle("replay", str(saved[0]))
        self.assertIn("10/10", again.stdout)

    def test_the_first_example_of_the_readme(self):
        bank = program.ROOT / "examples" / "bank"
        begin = time.monotonic()
        done = self.heddle("find", "--on=postgres", "--repair", str(bank))
        took = time.monotonic() - begin
        self.assertEqual(program.FOUND, done.returncode, done.stderr)
        self.assertIn("2 confirmed (internal)", done.stdout)
        self.assertRegex(done.stdout, r"To remove all of them, 1 change is enough, and nothing "
                                      r"cheaper is:\n  append FOR UPDATE to the SELECT at "
                                      r".*Bank\.java:22")
        self.assertIn("run withdraw at postgres:repeatable-read", done.stdout)
        # A promise to those who try it, on machines that are not busy.
        self.assertLess(took, 30)

    def test_a_repaired_program_has_nothing_left(self):
        source = (program.ROOT / "examples" / "bank" / "Bank.java").read_text()
        read = "FROM account WHERE id = ?"
        repaired = source.replace(read, read + " FOR UPDATE")
        self.assertNotEqual(source, repaired)
        self.write("Bank.java", repaired)
        self.write("schema.sql", (program.ROOT / "examples" / "bank" / "schema.sql").read_text())
        done = self.heddle("find", "--repair", "schema.sql", "Bank.java")
        self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)
        self.assertIn("nothing found", done.stdout)

    def test_repairs_as_json(self):
        bank = program.ROOT / "examples" / "bank"
        done = self.heddle("find", "--repair", "--format=json", str(bank))
        repair = json.loads(done.stdout)["repair"]
        self.assertEqual([["lock-read"], ["raise-isolation"]],
                         [[change["kind"] for change in one["changes"]]
                          for one in repair["repairs"]])
        change = repair["repairs"][0]["changes"][0]
        self.assertEqual((22, "withdraw"), (change["line"], change["functionality"]))
        self.assertTrue(change["text"].endswith("FOR UPDATE"), change["text"])
        self.assertEqual("postgres:repeatable-read",
                         repair["repairs"][1]["changes"][0]["isolation"])
        self.assertEqual([], repair["left"])

    def test_what_repairs_do_not_go_with(self):
        self.assert_trouble(r"--repair is about what happens", "find", "--repair",
                            "--explain=why-not", str(EXAMPLE))
        self.assert_trouble(r"--repair prints text, markdown, json or html, leave sarif out",
                            "find", "--repair", "--format=sarif", str(EXAMPLE))
        self.assert_trouble(r"--repair does not go with --engine=reference", "find", "--repair",
                            "--engine=reference", "--isolation=causal", str(EXAMPLE))

    def test_programs_in_mysqls_sql_are_executed_on_mariadb(self):
        # MySQL compares the names of tables regardless of case where a program does, MariaDB may not.
        self.write("schema.sql", "CREATE TABLE `Account` (id INT AUTO_INCREMENT PRIMARY KEY, "
                                 "balance INT NOT NULL, open TINYINT(1) DEFAULT 1) ENGINE=InnoDB;")
        self.write("Bank.java", """
import java.sql.*;
public class Bank {
  private Connection connection;
  public void deposit(int id, int amount) throws SQLException {
    PreparedStatement read =
        connection.prepareStatement("SELECT `balance` FROM Account WHERE id = ? LIMIT 0, 1");
    read.setInt(1, id);
    ResultSet rows = read.executeQuery();
    if (!rows.next()) return;
    int balance = rows.getInt(1);
    PreparedStatement write =
        connection.prepareStatement("UPDATE `Account` SET balance = ? WHERE id = ?");
    write.setInt(1, balance + amount);
    write.setInt(2, id);
    write.executeUpdate();
  }
}
""")
        words = ("find", "--dialect=mysql", "schema.sql", "Bank.java")
        done = self.heddle(*words, "--on=mariadb")
        self.assertRegex(done.stdout, r"confirmed on MariaDB .*internal")
        done = self.heddle(*words, "--on=postgres", "--isolation=eventual")
        self.assertIn("not executable: its SQL is MySQL's", done.stdout)

    def test_rows_that_the_user_gives(self):
        self.write("rows.sql", "INSERT INTO account VALUES (7, 'ann', 40), (8, 'bob', 60);\n")
        done = self.heddle("find", "--on=replicated", "--isolation=eventual", "--rows=rows.sql",
                           "--format=json", str(EXAMPLE))
        confirmed = [cause for cause in json.loads(done.stdout)["causes"]
                     if cause["status"] == "confirmed"]
        self.assertTrue(confirmed)
        for cause in confirmed:
            self.assertIn("('7', 'ann', '40", cause["finding"]["scenario"]["spec"])
            self.assertIn("('8', 'bob', '60", cause["finding"]["scenario"]["spec"])
        self.write("bad.sql", "INSERT INTO acount VALUES (1);\n")
        for store in ("replicated", "postgres"):
            self.assert_trouble(r"bad\.sql: the store refuses the rows: .*acount.*, write statements",
                                "find", f"--on={store}", "--rows=bad.sql", str(EXAMPLE))
        self.assert_trouble(r"--rows is about what is executed", "find", "--rows=rows.sql",
                            str(EXAMPLE))
        self.assert_trouble(r"none\.sql", "find", "--on=replicated", "--rows=none.sql",
                            str(EXAMPLE))

    def test_constraints_leave_out_what_breaks_them(self):
        self.write("known.txt", 'axiom "not mixed" { so(a,b) and not ST(a,c) and write(c) and ar(a,c)\n'
                                '  implies ar(b,c) }\n'
                                'initially "no debt" { SELECT balance >= 0 FROM account }\n')
        without = self.heddle("find", "--isolation=eventual", str(EXAMPLE))
        found = self.heddle("find", "--isolation=eventual", "--constraints=known.txt", str(EXAMPLE))
        self.assertTrue(found.stdout.startswith(
            "read: 2 functionalities with 4 statements, exactly\nat eventual\n"
            "within 4 operations, 3 transactions and 2 rounds of each loop, after at most 2 calls\n"),
            found.stdout)
        self.assertIn("\nwith the constraints of known.txt\n\n", found.stdout)
        self.assertIn("dirty write: transfer twice", without.stdout)
        self.assertNotIn("dirty write: transfer twice", found.stdout)
        document = json.loads(self.heddle("find", "--format=json", "--constraints=known.txt",
                                          str(EXAMPLE)).stdout)
        self.assertEqual("known.txt", document["constraints"])
        self.write("known.txt", 'axiom x { same_raw(a,b) imply vis(a,b) }')
        self.assert_trouble(r'known\.txt:1:11: "same_raw" stands where a predicate is expected, '
                            r'did you mean "same_row"', "find", "--constraints=known.txt",
                            str(EXAMPLE))
        self.write("known.txt", 'axiom x { of(a, transfr) imply vis(a,b) }')
        self.assert_trouble(r'known\.txt:1:17: there is no functionality "transfr", did you mean '
                            r'"transfer"', "find", "--constraints=known.txt", str(EXAMPLE))
        self.assert_trouble(r"missing\.txt: ", "find", "--constraints=missing.txt", str(EXAMPLE))

    def test_why_what_is_removed_does_not_happen(self):
        done = self.heddle("find", "--explain=why-not", "--isolation=snapshot", "--length=4",
                           str(EXAMPLE))
        self.assertIn("lost update: transfer twice, on account", done.stdout)
        self.assertIn("removed by first-committer-wins: write(a,x) and write(b,x) imply",
                      done.stdout)
        self.assertRegex(done.stdout, r"of \d+ causes at eventual \d+ are removed")
        done = self.heddle("find", "--explain=why-not", "--isolation=snapshot", "--length=4",
                           "--format=json", str(EXAMPLE))
        document = json.loads(done.stdout)
        self.assertEqual("removed-anomalies/1", document["heddle"])
        lost = next(cause for cause in document["causes"] if cause["kind"] == "lost-update")
        self.assertEqual(["first-committer-wins"], lost["axioms"])
        self.assert_trouble(r"--explain is about what does not happen", "find", "--on=postgres",
                            "--explain=why-not", str(EXAMPLE))

    def test_time_that_runs_out(self):
        done = self.heddle("find", "--timeout=1ms", "--isolation=snapshot", "--instances=3",
                           str(EXAMPLE))
        self.assertEqual(program.UNKNOWN, done.returncode, done.stdout)
        self.assertIn("not complete: --timeout: ", done.stdout)

    def test_an_interrupt_ends_the_search_with_what_was_found(self):
        bank = program.ROOT / "tests" / "programs" / "smallbank"
        with subprocess.Popen([program.HEDDLE, "find", "--jobs=2", "--isolation=eventual",
                               str(bank / "schema.sql"), str(bank / "class")],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as found:
            process = pathlib.Path("/proc") / str(found.pid)

            def is_searching():
                caught = re.search(r"SigCgt:\s*(\w+)", (process / "status").read_text())
                handles = int(caught.group(1), 16) >> (signal.SIGINT - 1) & 1
                # By then solvers are at work on both threads.
                ticks = int((process / "stat").read_text().rsplit(")", 1)[1].split()[11])
                return handles and ticks > 1.5 * os.sysconf("SC_CLK_TCK")

            while found.poll() is None and not is_searching():
                time.sleep(0.01)
            found.send_signal(signal.SIGINT)
            printed, _ = found.communicate()
        self.assertEqual(program.INTERRUPTED, found.returncode)
        self.assertIn("not complete: interrupted: ", printed)

    def test_bad_input(self):
        self.assert_trouble(r"--isolation=snapshto is not an isolation level, did you mean",
                            "find", "--isolation=snapshto", str(EXAMPLE))
        self.assert_trouble(r"=transfre=serializable: there is no functionality of that name, did",
                            "find", "--isolation=transfre=serializable", str(EXAMPLE))
        self.assert_trouble(r"--instances=0 is too small", "find", "--instances=0", str(EXAMPLE))
        self.assert_trouble(r"nothing\.sql", "find", "--list-statements", "nothing.sql")
        self.write("p.sql", "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$\nBEGIN\n  x := 1;\n"
                            "END $$;")
        self.assert_trouble(r"p\.sql:3:3: ", "find", "--list-statements", "p.sql")
        self.write("q.sql", b"CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN \xff\xfe; END $$;")
        self.assert_trouble(r"q\.sql:1:", "find", "--list-statements", "q.sql")


if __name__ == "__main__":
    unittest.main()
