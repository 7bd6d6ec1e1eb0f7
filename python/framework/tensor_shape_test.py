# SPDX-License-Identifier: Apache-2.0
"""Tests of Dimension and TensorShape."""

import copy
import unittest

import numpy as np

from tensorwright.python.framework import tensor_shape
from tensorwright.python.framework.tensor_shape import Dimension, TensorShape


class DimensionTest(unittest.TestCase):
    def test_known_sizes_compute_like_ints(self):
        d = Dimension(12)
        self.assertEqual(d, 12)
        self.assertEqual(int(d), 12)
        self.assertEqual([0] * 13, list(range(0)) + [0] * (d + 1).value)
        self.assertEqual((d + 3).value, 15)
        self.assertEqual((3 + d).value, 15)
        self.assertEqual((d - 2).value, 10)
        self.assertEqual((20 - d).value, 8)
        self.assertEqual((d * 2).value, 24)
        self.assertEqual((d // 5).value, 2)
        self.assertEqual((100 // d).value, 8)
        self.assertEqual((d % 5).value, 2)
        self.assertTrue(d > 11)
        self.assertTrue(d <= Dimension(12))

    def test_an_unknown_size_gives_unknown_results(self):
        d = Dimension(None)
        self.assertIsNone((d + 1).value)
        self.assertIsNone((Dimension(3) * d).value)
        self.assertIsNone(d == 3)
        self.assertIsNone(d != 3)
        self.assertIsNone(d < 3)
        self.assertTrue(d.is_compatible_with(7))
        self.assertEqual(d.merge_with(7).value, 7)

    def test_bad_sizes_are_rejected(self):
        with self.assertRaises(ValueError):
            Dimension(-1)
        for value in (3.5, np.float32(3.5), float("nan"), "a", [1], np.ones(2), 3j):
            with self.subTest(value=value):
                with self.assertRaisesRegex(TypeError, "must be integer or None"):
                    Dimension(value)
                with self.assertRaises(TypeError):
                    TensorShape([value, 2])

    def test_floats_and_texts_of_integers_are_sizes(self):
        for value in (12.0, np.float64(12), "12", np.array(12)):
            self.assertEqual(Dimension(value).value, 12)

    def test_bad_merges_and_divisions_are_rejected(self):
        with self.assertRaises(ValueError):
            Dimension(3).merge_with(4)
        with self.assertRaises(TypeError):
            _ = Dimension(6) / 2


class TensorShapeTest(unittest.TestCase):
    def test_the_rank_may_be_unknown(self):
        s = TensorShape(None)
        self.assertIsNone(s.ndims)
        self.assertIsNone(s.dims)
        self.assertFalse(s)
        self.assertIsNone(s.num_elements())
        self.assertIsNone(s[0].value)
        self.assertEqual(s[1:3].ndims, 2)
        self.assertIsNone(s[1:].ndims)
        for bad in (s.as_list, s.assert_is_fully_defined, lambda: len(s)):
            with self.assertRaises(ValueError):
                bad()

    def test_sizes_may_be_unknown(self):
        s = TensorShape([None, Dimension(3), 4])
        self.assertEqual(s.as_list(), [None, 3, 4])
        self.assertFalse(s.is_fully_defined())
        self.assertEqual(str(s), "(?, 3, 4)")
        self.assertEqual(s[1:].num_elements(), 12)
        self.assertEqual(s[-1].value, 4)
        self.assertEqual([d.value for d in s], [None, 3, 4])

    def test_merge_keeps_what_either_knows(self):
        merged = TensorShape([None, 3]).merge_with([2, None])
        self.assertEqual(merged.as_list(), [2, 3])
        self.assertEqual(TensorShape(None).merge_with([5]).as_list(), [5])
        with self.assertRaisesRegex(ValueError, r"\(2, 3\) and \(2, 4\)"):
            TensorShape([2, 3]).merge_with([2, 4])
        with self.assertRaises(ValueError):
            TensorShape([2]).merge_with([2, 3])

    def test_rank_demands(self):
        s = TensorShape([1, 2])
        self.assertIs(s.with_rank(2), s)
        self.assertEqual(TensorShape(None).with_rank(3).ndims, 3)
        self.assertIs(s.with_rank_at_least(1), s)
        for bad in (
            lambda: s.with_rank(1),
            lambda: s.with_rank_at_least(3),
            lambda: s.with_rank_at_most(1),
            lambda: s.assert_same_rank([1]),
            lambda: s.assert_has_rank(4),
        ):
            with self.assertRaises(ValueError):
                bad()

    def test_equality_is_of_what_is_known(self):
        self.assertEqual(TensorShape([1, None]), TensorShape([1, None]))
        self.assertEqual(TensorShape([1, 2]), [1, 2])
        self.assertEqual(TensorShape(None), TensorShape(None))
        self.assertNotEqual(TensorShape([1, 2]), TensorShape([1, 3]))
        with self.assertRaises(ValueError):
            _ = TensorShape(None) != TensorShape([1])

    def test_concatenation(self):
        self.assertEqual(
            TensorShape([1]).concatenate([2, None]).as_list(), [1, 2, None]
        )
        self.assertEqual((TensorShape([1]) + TensorShape([2])).as_list(), [1, 2])
        self.assertIsNone(TensorShape(None).concatenate([1]).ndims)

    def test_compatibility(self):
        self.assertTrue(TensorShape([None, 2]).is_compatible_with([3, 2]))
        self.assertFalse(TensorShape([None, 2]).is_compatible_with([3, 3]))
        self.assertFalse(TensorShape([2]).is_compatible_with([2, 2]))
        with self.assertRaises(ValueError):
            TensorShape([2]).assert_is_compatible_with([3])

    def test_protos_travel_both_ways(self):
        for dims in (None, [], [None, 3]):
            proto = TensorShape(dims).as_proto()
            self.assertEqual(TensorShape(proto), TensorShape(dims))

    def test_scalar_vector_matrix_and_unknown_shapes(self):
        self.assertEqual(tensor_shape.scalar().as_list(), [])
        self.assertEqual(tensor_shape.vector(3).as_list(), [3])
        self.assertEqual(tensor_shape.matrix(2, None).as_list(), [2, None])
        self.assertEqual(tensor_shape.unknown_shape(2).as_list(), [None, None])
        shape = TensorShape([1, None])
        self.assertEqual(copy.deepcopy(shape), shape)

    def test_sizes_are_ints_where_that_is_asked_for(self):
        shape = TensorShape([2, None])
        tensor_shape.enable_v2_tensorshape()
        try:
            self.assertIs(type(shape[0]), int)
            self.assertIsNone(shape[1])
            self.assertIsNone(TensorShape(None)[0])
            self.assertEqual(list(shape), [2, None])
            self.assertEqual(shape[:1], TensorShape([2]))
            self.assertIsInstance(shape.dims[1], Dimension)
            self.assertEqual(repr(shape), "TensorShape([2, None])")
            self.assertEqual(str(shape), "(2, None)")
            self.assertTrue(TensorShape(None) != TensorShape([1]))
            with self.assertRaises(ValueError):
                list(TensorShape(None))
        finally:
            tensor_shape.disable_v2_tensorshape()
        self.assertIsInstance(shape[0], Dimension)
        self.assertEqual(repr(shape), "TensorShape([Dimension(2), Dimension(None)])")

    def test_a_string_is_no_shape(self):
        with self.assertRaises(TypeError):
            TensorShape("12")


if __name__ == "__main__":
    unittest.main()
