"""Findings that another build saved on another machine: each fires ten times out of ten."""

import unittest

import program

REPRODUCERS = sorted((program.ROOT / "tests" / "reproducers").glob("*.json"))


class ReproducersTest(program.ProgramTest):

    def test_there_are_some(self):
        self.assertGreaterEqual(len(REPRODUCERS), 4)

    def test_each_fires_ten_times(self):
        for path in REPRODUCERS:
            with self.subTest(path.name):
                done = self.heddle("replay", "--runs=10", str(path))
                self.assertEqual(program.FOUND, done.returncode, done.stdout + done.stderr)
                self.assertIn("confirmed 10/10", done.stdout)


if __name__ == "__main__":
    unittest.main()
