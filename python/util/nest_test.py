# SPDX-License-Identifier: Apache-2.0
"""Tests of nested structures."""

import collections
import unittest

from tensorwright.python.util import nest

_Pair = collections.namedtuple("Pair", ["x", "y"])


class NestTest(unittest.TestCase):
    def test_flatten_and_pack_are_inverse(self):
        for structure in (
            1,
            "text",
            [],
            [1, (2, [3]), _Pair(4, {"b": 6, "a": 5})],
            {"k": [1, 2], "a": ()},
            collections.OrderedDict([("z", 1), ("a", 2)]),
        ):
            flat = nest.flatten(structure)
            self.assertEqual(nest.pack_sequence_as(structure, flat), structure)
        self.assertEqual(nest.flatten({"b": 2, "a": 1}), [1, 2])
        self.assertEqual(nest.flatten([_Pair(1, "ab")]), [1, "ab"])

    def test_leaves_come_with_what_leads_to_them(self):
        structure = {"b": [1, _Pair(2, "c")], "a": 3}
        paths = [("a",), ("b", 0), ("b", 1, "x"), ("b", 1, "y")]
        found = nest.flatten_with_tuple_paths(structure)
        self.assertEqual(found, list(zip(paths, nest.flatten(structure))))
        self.assertEqual(list(nest.yield_flattened_paths(structure)), paths)
        joined = nest.flatten_with_joined_string_paths(structure, "-")
        self.assertEqual([name for name, _ in joined], ["a", "b-0", "b-1-x", "b-1-y"])
        self.assertEqual(nest.flatten_with_tuple_paths(7), [((), 7)])

    def test_map_structure_keeps_types(self):
        got = nest.map_structure(lambda a, b: a + b, [_Pair(1, (2,))], [_Pair(3, (4,))])
        self.assertEqual(got, [_Pair(4, (6,))])
        self.assertIsInstance(got[0], _Pair)
        with self.assertRaises(TypeError):
            nest.map_structure("f", [1])
        with self.assertRaises(ValueError):
            nest.map_structure(max)

    def test_different_structures_are_errors(self):
        with self.assertRaisesRegex(ValueError, "same number of elements"):
            nest.assert_same_structure([1, 2], [1])
        with self.assertRaisesRegex(ValueError, "same nested structure"):
            nest.assert_same_structure([[1, 2], 3], [1, [2, 3]])
        with self.assertRaisesRegex(TypeError, "same sequence type"):
            nest.assert_same_structure([1], (1,))
        nest.assert_same_structure([1], (1,), check_types=False)
        with self.assertRaisesRegex(ValueError, "same set of keys"):
            nest.assert_same_structure({"a": 1}, {"b": 1})
        with self.assertRaises(ValueError):
            nest.pack_sequence_as([1, 2], [1])
        with self.assertRaisesRegex(ValueError, "Structure is a scalar.* has 2"):
            nest.pack_sequence_as("leaf", [1, 2])

    def test_shallow_structures(self):
        deep = [[1, [2]], [3, 4]]
        self.assertEqual(nest.flatten_up_to([0, 0], deep), deep)
        self.assertEqual(nest.flatten_up_to([[0, 0], 0], deep), [1, [2], [3, 4]])
        got = nest.map_structure_up_to([0, 0], lambda x: len(x), deep)
        self.assertEqual(got, [2, 2])
        with self.assertRaises(ValueError):
            nest.flatten_up_to([0], deep)
        with self.assertRaises(TypeError):
            nest.flatten_up_to([[0]], [1])

    def test_nested_keys_of_dicts(self):
        got = nest.flatten_dict_items({(1, 2): ("a", "b"), 3: "c"})
        self.assertEqual(got, {1: "a", 2: "b", 3: "c"})
        with self.assertRaises(ValueError):
            nest.flatten_dict_items({(1, 2): ("a",)})


if __name__ == "__main__":
    unittest.main()
