"""Words and options: what is refused, how, and what the help says."""

import re
import unittest

import program

SPEC = "session s1\nstep a { SELECT 1; }\n"


class UsageTest(program.ProgramTest):
    def test_no_command(self):
        self.assert_refused('heddle: no command was given, see "heddle --help"')

    def test_unknown_words_are_corrected(self):
        self.assert_refused('heddle: unknown command "exlpore", did you mean "explore"?', "exlpore")
        self.assert_refused('heddle: unknown command "--hepl", did you mean "--help"?', "--hepl")
        self.assert_refused('heddle: unknown command "zzz", '
                            "use one of: explore, replay, check, find, split, record, race, hold, "
                            "clean, "
                            "help, completion",
                            "zzz")

    def test_a_file_in_the_place_of_a_command(self):
        self.write("bank.spec", SPEC)
        self.assert_refused(
            'heddle: unknown command "bank.spec", name the command first: heddle explore bank.spec',
            "bank.spec")

    def test_unknown_options_are_corrected(self):
        self.assert_refused(
            'heddle: heddle explore has no option "--jbos", did you mean "--jobs"?',
            "explore", "--jbos=2", "bank.spec")
        self.assert_refused(
            'heddle: heddle replay has no option "--all", see "heddle help replay"',
            "replay", "--all", "finding.json")

    def test_wrong_values_name_the_option(self):
        for option, message in {
            "--jobs=0": "--jobs=0 is too small, give at least 1",
            "--jobs=many": "--jobs=many is not a whole number, write it in decimal digits",
            "--preemptions=-1": "--preemptions=-1 is not a whole number, write it in decimal digits",
            "--timeout=5x": "--timeout=5x is not a duration, write it as 30 or 30s, 500ms, 2m, 1h",
            "--timeout=0": "--timeout=0 is no time at all, give more than 0",
            "--format=txt": '--format=txt is not one of the choices, did you mean "text"?',
            "--unit=sesion": '--unit=sesion is not one of the choices, did you mean "session"?',
            "--isolation=serialisable":
                '--isolation=serialisable is not an isolation level, did you mean "serializable"?',
            "--all=yes": "--all takes no value, write just --all",
            "--output=": "--output needs a value, write --output=FILE",
        }.items():
            with self.subTest(option):
                self.assert_refused("heddle: " + message, "explore", option, "bank.spec")

    def test_combinations_that_mean_nothing(self):
        self.write("bank.spec", SPEC)
        self.assert_refused(
            "heddle: --all means nothing with --format=isolationtester, leave one of the two out",
            "explore", "--all", "--format=isolationtester", "bank.spec")

    def test_arguments_are_counted(self):
        self.assert_refused('heddle: heddle explore needs FILE.spec..., see "heddle help explore"',
                            "explore")
        self.assert_refused('heddle: heddle completion does not take "zsh", see "heddle help '
                            'completion"', "completion", "bash", "zsh")
        self.assert_refused('heddle: there is no completion for the shell "fish", '
                            "use one of: bash, zsh", "completion", "fish")


class HelpTest(program.ProgramTest):
    def help_of(self, *words):
        done = self.heddle(*words)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return done.stdout

    def test_all_ways_lead_to_the_help(self):
        self.assertEqual(self.help_of("--help"), self.help_of("help"))
        self.assertEqual(self.help_of("--help"), self.help_of("-h"))
        self.assertEqual(self.help_of("help", "explore"), self.help_of("explore", "--help"))
        self.assertEqual(self.help_of("help", "explore"), self.help_of("explore", "x.spec", "-h"))

    def test_the_help_reads_well(self):
        overview = self.help_of("--help")
        for word in re.findall(r"^  ([a-z]+)  ", overview, re.M):
            with self.subTest(word):
                text = self.help_of("help", word)
                for part in (f"heddle {word} - ", "Usage: ", "Examples:", "Exit codes:"):
                    self.assertIn(part, text)
                self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertIn("explore", overview)

    def test_version(self):
        self.assertRegex(self.help_of("--version"), r"^heddle \d+\.\d+\.\d+\n$")

    def test_manual_page_names_every_option(self):
        manual = self.help_of("help", "--man").replace("\\-", "-")
        self.assertTrue(manual.startswith(".TH HEDDLE 1"))
        for option in re.findall(r"^  (--[a-z-]+)", self.help_of("help", "explore"), re.M):
            self.assertIn(f"\\fB{option}", manual)


if __name__ == "__main__":
    unittest.main()
