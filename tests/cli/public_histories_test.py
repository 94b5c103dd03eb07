"""heddle check on histories that others published, with the verdicts that they are known to have.

They lie in shared/data/histories beside the checkout and are no part of it: without them nothing is
tested here, which the run says.
"""

import pathlib
import re
import unittest

import program

PUBLIC = program.ROOT.parent / "shared" / "data" / "histories"

# AWDIT's folders name the strongest of these that holds; each implies those before it.
AWDIT_LEVELS = ("none", "read-committed", "read-atomic", "causal")
AWDIT_NAMES = {"read-committed": "read-committed-biswas-enea", "read-atomic": "read-atomic",
               "causal": "transactional-causal"}
LINEARIZABLE_ETCD = {2, 5, 7, 18, 25, 31, 38}

# file: (levels that hold, levels that do not)
TRANSACTIONS = {
    "elle/paper-example.edn": ((), ("serializable",)),
    "elle/si-without-g-single.edn": (("snapshot",), ("serializable",)),
    "elle-cli/long-fork.edn": ((), ("prefix", "serializable")),
    "elle-cli/rw-register.edn": (("serializable",), ()),
    "elle-cli/rw-register.json": (("serializable",), ()),
    "elle-cli/list-append-gh-30.edn": ((), ("serializable",)),
    "elle-cli/paper-example.edn": ((), ("serializable",)),
    "elle-cli/paper-example.json": ((), ("serializable",)),
    "cobra/chengRW-100": (("serializable",), ()),
    "cobra/chengRW-500": (("serializable",), ()),
    "cobra/cock-blog": ((), ("read-committed",)),
    "plume/pg_ser_bug.txt": (("transactional-causal",), ("serializable",)),
}

# file: whether it is linearizable
CALLS = {
    "elle-cli/bank.edn": True,
    "elle-cli/bank.json": True,
    "elle-cli/bank-neg.edn": True,
    "elle-cli/bank-negative-balances.json": False,
    "elle-cli/counter.edn": True,
    "elle-cli/counter.json": True,
    "elle-cli/set.edn": True,
    "elle-cli/etcd.edn": False,
    "elle-cli/etcd.json": False,
    "kv/c01-ok.txt": True,
    "kv/c01-bad.txt": False,
    "kv/c10-ok.txt": True,
    "kv/c10-bad.txt": False,
}


class PublicHistoriesTest(program.ProgramTest):
    def setUp(self):
        super().setUp()
        if not PUBLIC.is_dir():
            self.skipTest("there are no public histories in shared/data/histories beside the checkout")

    def assert_verdict(self, holds, path, *words):
        self.assertTrue(path.exists(), path)
        done = self.heddle("check", *words, str(path))
        code = program.NOTHING_FOUND if holds else program.FOUND
        self.assertEqual((code, ""), (done.returncode, done.stderr), f"{path} {words}")
        return done.stdout

    def test_transactions(self):
        for name, (held, violated) in TRANSACTIONS.items():
            for level in held + violated:
                with self.subTest(name, level=level):
                    self.assert_verdict(level in held, PUBLIC / name, f"--level={level}")

    def test_calls(self):
        for name, holds in CALLS.items():
            with self.subTest(name):
                self.assert_verdict(holds, PUBLIC / name)

    def test_a_snapshot_that_real_time_forbids(self):
        # Each of its cycles has two rw in a row, which snapshots allow.
        path = PUBLIC / "elle" / "si-without-g-single.edn"
        self.assert_verdict(False, path, "--level=snapshot", "--realtime")

    def test_registers_of_knossos(self):
        for folder, holds in (("good", True), ("bad", False)):
            paths = sorted((PUBLIC / "knossos" / folder).glob("*.edn"))
            self.assertTrue(paths)
            for path in paths:
                with self.subTest(path.name):
                    self.assert_verdict(holds, path, "--initial=0")

    def test_etcd(self):
        paths = sorted((PUBLIC / "etcd").glob("*.log"))
        self.assertTrue(paths)
        for path in paths:
            number = int(re.search(r"\d+", path.stem).group())
            with self.subTest(path.name):
                self.assert_verdict(number in LINEARIZABLE_ETCD, path)

    def test_awdit(self):
        for strongest in AWDIT_LEVELS:
            paths = sorted((PUBLIC / "awdit" / strongest).rglob("*.txt"))
            self.assertTrue(paths)
            for path in paths:
                for level in AWDIT_LEVELS[1:]:
                    holds = AWDIT_LEVELS.index(level) <= AWDIT_LEVELS.index(strongest)
                    with self.subTest(path.name, level=level):
                        self.assert_verdict(holds, path, f"--level={AWDIT_NAMES[level]}")


if __name__ == "__main__":
    unittest.main()
