"""heddle check: verdicts, exit codes, formats, bounds, what is refused."""

import json
import re
import unittest

import program

LOST_UPDATE = "r1[x=0] r2[x=0] w1[x=1] c1 w2[x=2] c2\n"
SERIAL = "r1[x=0] w1[x=1] c1 r2[x=1] w2[x=2] c2\n"
STALE_READ = """\
{:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :ok, :f :write, :value 1}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 1, :type :ok, :f :read, :value nil}
"""


class CheckTest(program.ProgramTest):
    def check(self, code, *words, **more):
        done = self.heddle("check", *words, **more)
        self.assertEqual((code, ""), (done.returncode, done.stderr), done.stdout)
        return done.stdout

    def test_all_levels_at_once(self):
        self.write("bank.txt", LOST_UPDATE)
        text = self.check(program.FOUND, "bank.txt")
        self.assertTrue(text.startswith("bank.txt: holds up to "), text)
        for part in ("Let T1 = r1[x=0] w1[x=1] c1", "Then T", "However, T"):
            self.assertIn(part, text)
        self.assertRegex(text, r"snapshot +│ violated")
        self.assertRegex(text, r"read-atomic +│ satisfied")

    def test_the_default_question_decides_the_exit_code(self):
        self.write("good.txt", SERIAL)
        self.check(program.NOTHING_FOUND, "good.txt")
        self.write("bad.txt", LOST_UPDATE)
        self.check(program.NOTHING_FOUND, "--level=read-atomic", "bad.txt")
        self.check(program.FOUND, "--level=read-atomic", "--level=snapshot", "bad.txt")
        self.check(program.FOUND, "good.txt", "bad.txt")

    def test_standard_input_and_output_files(self):
        text = self.check(program.NOTHING_FOUND, "--level=serializable", "-", stdin=SERIAL)
        self.assertTrue(text.startswith("<stdin>: serializable is satisfied\n"), text)
        self.write("h.txt", SERIAL)
        self.assertEqual("", self.check(program.NOTHING_FOUND, "--output=report.txt", "h.txt"))
        self.assertIn("satisfied", (self.folder / "report.txt").read_text())

    def test_witness(self):
        self.write("h.txt", SERIAL)
        text = self.check(program.NOTHING_FOUND, "--level=serializable", "--witness", "h.txt")
        self.assertIn("An order for serializable\n", text)

    def test_documents(self):
        self.write("h.txt", LOST_UPDATE)
        document = json.loads(self.check(program.FOUND, "--format=json", "h.txt"))
        self.assertEqual("check/1", document["heddle"])
        held = [level["level"] for level in document["levels"] if level["verdict"] == "satisfied"]
        self.assertIn("read-atomic", document["strongest_held"] + held)
        lines = self.check(program.FOUND, "--format=json", "h.txt", "h.txt").splitlines()
        self.assertEqual(["h.txt", "h.txt"], [json.loads(line)["file"] for line in lines])

    def test_calls(self):
        self.write("calls.edn", STALE_READ)
        text = self.check(program.FOUND, "calls.edn")
        verdict = "calls.edn: linearizable is violated: p1 read: nil fits into no order\n"
        self.assertTrue(text.startswith(verdict), text)
        self.check(program.NOTHING_FOUND, "--level=sequential", "calls.edn")
        self.assert_trouble("serializable is a level of transactions",
                            "check", "--level=serializable", "calls.edn")

    def test_initial_values(self):
        self.write("h.txt", "r1[x=7] c1\n")
        self.check(program.NOTHING_FOUND, "--level=serializable", "--initial=7", "h.txt")
        self.check(program.FOUND, "--level=serializable", "--initial=8", "h.txt")

    def test_a_file_that_cannot_be_read_does_not_stop_the_others(self):
        self.write("good.txt", SERIAL)
        self.write("odd.txt", "r1[x=0\n")
        done = self.heddle("check", "odd.txt", "good.txt", "missing.txt")
        self.assertEqual(program.TROUBLE, done.returncode)
        self.assertIn("good.txt: satisfied", done.stdout)
        self.assertEqual(2, done.stderr.count("\n"), done.stderr)
        self.assertTrue(done.stderr.startswith("odd.txt:1:"), done.stderr)

    def test_the_number_of_jobs_changes_nothing(self):
        names = [self.write(f"{i}.txt", LOST_UPDATE if i % 3 else SERIAL) for i in range(9)]
        one = self.check(program.FOUND, "--jobs=1", *names)
        self.assertEqual(one, self.check(program.FOUND, "--jobs=4", *names))

    def test_an_empty_history_within_no_memory(self):
        self.write("empty.txt", "initial: 0\n")
        self.check(program.UNKNOWN, "--memory=1M", "empty.txt")
        self.check(program.NOTHING_FOUND, "empty.txt")

    def test_refused_words(self):
        self.assert_refused('heddle: heddle check needs HISTORY..., see "heddle help check"', "check")
        self.assert_refused("heddle: --memory=much is not a size, write it as 500M, 2G or in bytes",
                            "check", "--memory=much", "h.txt")
        self.assert_refused("heddle: --generate makes a history up, and files were given as well, "
                            "leave one of the two out", "check", "--generate=small", "h.txt")
        self.assert_trouble('there is no shape "smal" to generate, did you mean "small"', "check",
                            "--generate=smal")

    def test_real_time_needs_times(self):
        self.write("h.txt", "w 1 1\n")
        self.assert_trouble("has no times", "check", "--from=awdit", "--realtime", "h.txt")


class GenerateTest(program.ProgramTest):
    def generate(self, shape, *words):
        return self.heddle("check", f"--generate={shape}", *words)

    def test_a_generated_history_is_legal_at_its_level(self):
        for level in ("read-committed-biswas-enea", "read-atomic", "transactional-causal", "prefix",
                      "parallel-snapshot", "strong-session-snapshot", "strong-session-serializable"):
            for kind in ("unique-register", "list"):
                with self.subTest(level=level, kind=kind):
                    done = self.generate(f"small,level={level},kind={kind}", f"--level={level}")
                    self.assertEqual(program.NOTHING_FOUND, done.returncode, done.stdout)

    def test_planted_anomalies_are_found_and_named(self):
        for kind in ("aborted-read", "intermediate-read", "unwritten-read", "future-read",
                     "internal-inconsistency", "fractured-read", "long-fork", "write-skew",
                     "causality-violation"):
            with self.subTest(kind):
                done = self.generate(f"small,plant={kind}", "--session")
                self.assertEqual(program.FOUND, done.returncode)
                self.assertIn(kind.replace("-", " "), re.sub(r"\s+", " ", done.stdout).lower())

    def test_seeds(self):
        first = self.generate("small", "--seed=1", "--convert=textbook").stdout
        self.assertEqual(first, self.generate("small", "--seed=1", "--convert=textbook").stdout)
        self.assertNotEqual(first, self.generate("small", "--seed=2", "--convert=textbook").stdout)

    def test_conversion_keeps_the_answer(self):
        for form in ("textbook", "heddle", "jepsen-edn", "plume"):
            with self.subTest(form):
                done = self.generate("small,plant=write-skew,initial=0", f"--convert={form}",
                                     "--output=h")
                self.assertEqual((program.NOTHING_FOUND, ""), (done.returncode, done.stderr))
                text = self.heddle("check", "--level=snapshot", "--level=serializable", "h").stdout
                self.assertIn("holds up to snapshot; fails at serializable (write skew",
                              re.sub(r"\s+", " ", text))

    def test_calls(self):
        for shape in ("register", "cas-register", "key-value", "queue", "stack", "priority-queue",
                      "set"):
            with self.subTest(shape):
                self.assertEqual(program.NOTHING_FOUND,
                                 self.generate(f"{shape},calls=200").returncode)
                self.assertEqual(program.FOUND,
                                 self.generate(f"{shape},calls=200,violation=yes").returncode)

    def test_memory_is_a_bound(self):
        shape = "awdit,transactions=20000"
        self.assertEqual(program.NOTHING_FOUND,
                         self.generate(shape, "--convert=plume", "--output=h.txt").returncode)
        words = ("check", "--level=read-atomic", "--level=transactional-causal", "h.txt")
        codes = []
        for memory in ("20M", "25M", "60M", "200M", "2G"):
            done = self.heddle(*words, f"--memory={memory}")
            self.assertIn(done.returncode, (program.NOTHING_FOUND, program.UNKNOWN), done.stderr)
            is_bound = done.returncode == program.UNKNOWN
            self.assertEqual(is_bound, "the memory limit of" in re.sub(r"\s+", " ", done.stdout))
            codes.append(done.returncode)
        self.assertEqual((program.UNKNOWN, program.NOTHING_FOUND), (codes[0], codes[-1]))
        self.assertEqual(sorted(codes, reverse=True), codes)

    def test_steps_are_a_bound(self):
        done = self.generate("cas-register,calls=400,processes=30", "--steps=1")
        self.assertEqual(program.UNKNOWN, done.returncode, done.stdout)
        self.assertIn("steps", done.stdout)


if __name__ == "__main__":
    unittest.main()
