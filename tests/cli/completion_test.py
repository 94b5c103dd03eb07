"""The completion scripts, run by the shells themselves."""

import pathlib
import re
import shutil
import subprocess
import unittest

import program

# Types a line into bash as far as its completion function can tell, and prints what it proposes.
TYPE_INTO_BASH = r"""
source /dev/stdin <<< "$SCRIPT"
COMP_LINE=$LINE
COMP_POINT=${#LINE}
COMP_WORDS=()
pieces=${LINE//=/ = }
pieces=${pieces//:/ : }
read -ra COMP_WORDS <<< "$pieces"
[[ $LINE == *[[:space:]] ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_heddle
printf '%s\n' "${COMPREPLY[@]}"
"""


class BashTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.script = self.heddle("completion", "bash").stdout

    def proposed(self, line):
        done = subprocess.run(["bash", "--norc", "-c", TYPE_INTO_BASH], cwd=self.folder,
                              env={"SCRIPT": self.script, "LINE": line, "PATH": "/usr/bin:/bin"},
                              capture_output=True, text=True, check=True)
        self.assertEqual("", done.stderr)
        return sorted(set(done.stdout.split()))

    def test_syntax(self):
        done = subprocess.run(["bash", "-n"], input=self.script, capture_output=True, text=True,
                              check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_words(self):
        self.assertEqual(["explore"], self.proposed("heddle ex"))
        self.assertIn("replay", self.proposed("heddle "))
        self.assertEqual(["bash", "zsh"], self.proposed("heddle completion "))
        self.assertIn("explore", self.proposed("heddle help "))

    def test_options_and_their_values(self):
        self.assertEqual(["--jobs="], self.proposed("heddle explore --jo"))
        self.assertEqual(["--all"], self.proposed("heddle explore --al"))
        self.assertEqual(["--runs="], self.proposed("heddle replay --ru"))
        self.assertEqual(["text"], self.proposed("heddle explore --format=te"))
        self.assertEqual(["costs", "silhouette"], self.proposed("heddle split --search --by="))
        self.assertEqual(["session"], self.proposed("heddle explore a.spec --unit=s"))
        self.assertIn("serializable", self.proposed("heddle explore --isolation="))
        # After a colon the shell replaces only what follows it.
        self.assertEqual(["serializable"],
                         self.proposed("heddle explore --isolation=postgres:ser"))

    def test_files(self):
        for name in ("bank.spec", "bank.json", "bank.txt"):
            self.write(name, "")
        (self.folder / "banks").mkdir()
        self.assertEqual(["bank.spec", "banks"], self.proposed("heddle explore ban"))
        self.assertEqual(["bank.json", "banks"], self.proposed("heddle replay ban"))
        self.assertEqual(["bank.json", "bank.spec", "bank.txt", "banks"],
                         self.proposed("heddle explore --output=ban"))
        self.assertEqual(["banks"], self.proposed("heddle explore --save=ban"))


class ZshTest(program.ProgramTest):
    def test_names_everything(self):
        script = self.heddle("completion", "zsh").stdout
        self.assertTrue(script.startswith("#compdef heddle\n"))
        overview = self.heddle("help").stdout
        for word in re.findall(r"^  ([a-z]+)  ", overview, re.M):
            self.assertIn(f"    '{word}:", script)
            for option in re.findall(r"^  (--[a-z-]+)", self.heddle("help", word).stdout, re.M):
                self.assertRegex(script, rf"'\*?{option}=?\[")

    def test_quotes_are_balanced(self):
        # The whole script is made of lines, each of which closes the quotes that it opens.
        for line in self.heddle("completion", "zsh").stdout.splitlines():
            self.assertEqual(0, line.replace(r"\'", "").count("'") % 2, line)

    def test_syntax_where_there_is_a_zsh(self):
        script = self.write("_heddle", self.heddle("completion", "zsh").stdout)
        for shell in pathlib.Path("/usr/bin/zsh"), pathlib.Path("/bin/zsh"):
            if shutil.which(str(shell)):
                done = subprocess.run([shell, "-n", script], cwd=self.folder, capture_output=True,
                                      text=True, check=False)
                self.assertEqual((0, ""), (done.returncode, done.stderr))


if __name__ == "__main__":
    unittest.main()
