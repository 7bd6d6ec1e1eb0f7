# SPDX-License-Identifier: Apache-2.0
"""Tests of DType and its conversions."""

import copy
import pickle
import unittest

import numpy as np

from tensorwright.python.framework import dtypes


class DTypeTest(unittest.TestCase):
    def test_numpy_types_come_back_as_the_same_dtype(self):
        for dtype in (
            dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int8, dtypes.int16,
            dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32,
            dtypes.uint64, dtypes.bool, dtypes.complex64, dtypes.complex128,
            dtypes.string, dtypes.qint8, dtypes.quint8, dtypes.qint16, dtypes.quint16,
            dtypes.qint32, dtypes.bfloat16,
        ):  # fmt: skip
            with self.subTest(dtype=dtype):
                self.assertIs(dtypes.as_dtype(dtype.as_numpy_dtype), dtype)
                self.assertIs(dtypes.as_dtype(np.dtype(dtype.as_numpy_dtype)), dtype)

    def test_enums_names_and_python_types_are_accepted(self):
        self.assertIs(dtypes.as_dtype(1), dtypes.float32)
        self.assertIs(dtypes.as_dtype("float"), dtypes.float32)
        self.assertIs(dtypes.as_dtype("int32_ref"), dtypes.int32_ref)
        self.assertIs(dtypes.as_dtype(float), dtypes.float32)
        self.assertIs(dtypes.as_dtype(bool), dtypes.bool)
        self.assertIs(dtypes.as_dtype(object), dtypes.string)
        self.assertIs(dtypes.as_dtype(np.dtype("S10")), dtypes.string)
        self.assertIs(dtypes.as_dtype(np.str_), dtypes.string)
        self.assertIs(dtypes.as_dtype(np.dtype(">i4")), dtypes.int32)

    def test_what_is_no_type_is_a_type_error(self):
        for value in (
            0,
            99,
            1000,
            "int33",
            "i4",
            None,
            [1],
            int,
            str,
            bytes,
            complex,
            list,
            np.datetime64,
            np.integer,
            type(self),
        ):
            with self.subTest(value=value), self.assertRaises(TypeError):
                dtypes.as_dtype(value)
        with self.assertRaises(TypeError):
            dtypes.DType(0)

    def test_ref_types_know_their_base(self):
        self.assertTrue(dtypes.float32_ref._is_ref_dtype)
        self.assertIs(dtypes.float32_ref.base_dtype, dtypes.float32)
        self.assertIs(dtypes.float32._as_ref, dtypes.float32_ref)
        self.assertTrue(dtypes.float32.is_compatible_with(dtypes.float32_ref))
        self.assertFalse(dtypes.float32_ref.is_compatible_with(dtypes.float32))
        self.assertNotEqual(dtypes.float32, dtypes.float32_ref)

    def test_limits_are_those_of_the_type(self):
        self.assertEqual(dtypes.uint8.max, 255)
        self.assertEqual(dtypes.int64.min, -(2**63))
        self.assertEqual(dtypes.float32.max, np.finfo(np.float32).max)
        self.assertAlmostEqual(float(dtypes.bfloat16.max) / 3.3895e38, 1, places=3)
        for dtype in (dtypes.string, dtypes.bool, dtypes.complex64, dtypes.qint8):
            with self.assertRaises(TypeError):
                _ = dtype.min

    def test_every_dtype_is_one_kind(self):
        self.assertTrue(dtypes.bfloat16.is_floating)
        self.assertTrue(dtypes.uint16.is_integer and dtypes.uint16.is_unsigned)
        self.assertFalse(dtypes.qint8.is_integer)
        self.assertTrue(dtypes.qint8.is_quantized)
        self.assertTrue(dtypes.complex64.is_complex)
        self.assertIs(dtypes.complex128.real_dtype, dtypes.float64)
        self.assertFalse(dtypes.string.is_numeric)

    def test_equality_accepts_whatever_names_a_type(self):
        self.assertEqual(dtypes.float32, np.float32)
        self.assertEqual(dtypes.float32, 1)
        self.assertNotEqual(dtypes.float32, "no such type")
        self.assertNotEqual(dtypes.float32, None)

    def test_what_names_no_type_equals_none(self):
        kinds = [dtypes._INTERN[e] for e in dtypes._NAMES]
        for value in (
            int,
            str,
            bytes,
            complex,
            list,
            dict,
            "str",
            "S",
            3.5,
            [1],
            (),
            np.generic,
        ):
            with self.subTest(value=value):
                self.assertFalse([d for d in kinds if d == value])
                self.assertEqual([d for d in kinds if d != value], kinds)

    def test_equal_types_hash_alike(self):
        self.assertEqual(len({dtypes.int32, dtypes.as_dtype("int32")}), 1)

    def test_copies_are_the_constant_itself(self):
        self.assertIs(copy.deepcopy(dtypes.int32), dtypes.int32)
        self.assertIs(pickle.loads(pickle.dumps(dtypes.int32_ref)), dtypes.int32_ref)

    def test_text_forms(self):
        self.assertEqual(repr(dtypes.float32), "tf.float32")
        self.assertEqual(str(dtypes.float32_ref), "<dtype: 'float32_ref'>")


if __name__ == "__main__":
    unittest.main()
