"""A folder of src/ has at most 40 files besides its tests: what grows beyond gets rooms."""

import collections
import unittest

import house

MOST = 40
TESTS = ("_test.cc", "_testing.h", "_fuzz.cc")


def check(root):
    count = collections.Counter(
        house.relative(path.parent, root)
        for path in house.files(root, house.CXX, "src")
        if not path.name.endswith(TESTS))
    return [f"{folder}: has {number} files, move some to a room of their own"
            for folder, number in sorted(count.items()) if number > MOST]


class RoomsTest(house.HouseTest):
    def test_repository(self):
        self.assert_clean(check(house.ROOT))

    def test_catches_a_crowd_but_not_its_tests(self):
        tree = {f"src/base/file_{i}.cc": "" for i in range(MOST)}
        tests = {f"src/base/file_{i}_test.cc": "" for i in range(MOST)}
        self.assert_clean(self.violations_in(check, tree | tests))
        found = self.violations_in(check, tree | {"src/base/one_more.h": ""})
        self.assertEqual(["src/base: has 41 files, move some to a room of their own"], found)


if __name__ == "__main__":
    unittest.main()
