# SPDX-License-Identifier: Apache-2.0
"""Tests of TensorProtos, arrays and constant values."""

import unittest

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import constant_op, dtypes, ops, tensor_util
from tensorwright.python.framework.op_def_library import apply_op

make, back = tensor_util.make_tensor_proto, tensor_util.MakeNdarray


class TensorProtoTest(unittest.TestCase):
    def test_values_come_back(self):
        for value in (
            1, 1.5, True, [1, 2, 3], [[1.0], [2.0]], [], 2**40, 1 + 2j,
            np.arange(6, dtype=np.int16).reshape(2, 3), np.float16([1.5, -2]),
            np.zeros([0, 3], np.uint8), np.uint64(2**64 - 1),
        ):  # fmt: skip
            with self.subTest(value=value):
                np.testing.assert_array_equal(back(make(value)), np.asarray(value))

    def test_strings_are_bytes_objects(self):
        array = back(make(["a", b"b\0c", "ü"]))
        self.assertEqual(array.tolist(), [b"a", b"b\0c", "ü".encode()])
        self.assertEqual(array.dtype, object)

    def test_bfloat16_and_quantized_values_keep_their_bits(self):
        array = np.array([1.5, -3.0], dtypes.bfloat16.as_numpy_dtype)
        self.assertEqual(back(make(array)).tolist(), [1.5, -3.0])
        array = np.array([(3,), (-4,)], dtypes.qint8.as_numpy_dtype)
        np.testing.assert_array_equal(back(make(array, dtypes.qint8)), array)

    def test_a_short_list_of_values_fills_the_shape(self):
        proto = make(7, shape=[2, 3])
        self.assertEqual(list(proto.int_val), [7])
        np.testing.assert_array_equal(back(proto), np.full([2, 3], 7))
        with self.assertRaisesRegex(ValueError, "Too many elements"):
            make([1, 2, 3], shape=[2])
        with self.assertRaises(TypeError):
            make([1, 2], shape=[1, 2], verify_shape=True)

    def test_values_that_do_not_fit_are_errors(self):
        for value, dtype, error in (
            (None, None, ValueError),
            ([1, None], None, ValueError),
            ([[1], [2, 3]], None, ValueError),
            (1.5, dtypes.int32, TypeError),
            ("a", dtypes.float32, TypeError),
            (1, dtypes.string, TypeError),
            (1, dtypes.bool, TypeError),
            (object(), None, TypeError),
        ):
            with self.subTest(value=value), self.assertRaises(error):
                make(value, dtype)

    def test_resources_and_variants_are_no_values(self):
        for dtype in (dtypes.resource, dtypes.variant):
            for value in (7, "text", [7, 8], np.zeros(3), np.array([None, "x"])):
                with self.assertRaisesRegex(TypeError, "only operations make"):
                    tensor_util.make_tensor_proto(value, dtype)
                with self.assertRaisesRegex(TypeError, "only operations make"):
                    constant_op.constant(value, dtype)

    def test_damaged_protos_are_value_errors(self):
        proto = make([1.0, 2.0])
        proto.tensor_content = b"abc"
        with self.assertRaises(ValueError):
            back(proto)
        proto = make(1.0)
        proto.tensor_shape.dim.add(size=2**40)
        proto.tensor_shape.dim.add(size=2**40)
        with self.assertRaises(ValueError):
            back(proto)

    def test_shape_equals(self):
        self.assertTrue(tensor_util.ShapeEquals(make([[1]]), [1, 1]))
        self.assertFalse(tensor_util.ShapeEquals(make([[1]]), [1]))


class ConstantValueTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()

    def test_constants_have_values_and_placeholders_none(self):
        c = constant_op.constant([1, 2])
        np.testing.assert_array_equal(tensor_util.constant_value(c), [1, 2])
        p = apply_op("Placeholder", None, (), {"dtype": dtypes.int32}).outputs[0]
        self.assertIsNone(tensor_util.constant_value(p))
        # The graph was built on its value: it may not be fed any more.
        self.assertFalse(ops.get_default_graph().is_feedable(c))

    def test_constant_shape_fills(self):
        c = constant_op.constant(-1.0, shape=[2, 3])
        np.testing.assert_array_equal(
            tensor_util.constant_value(c), np.full([2, 3], -1.0)
        )

    def test_shapes_from_tensors(self):
        as_shape = tensor_util.constant_value_as_shape
        c = constant_op.constant([2, -1])
        self.assertEqual(as_shape(c).as_list(), [2, None])
        p = apply_op(
            "Placeholder", None, (), {"dtype": dtypes.int32, "shape": [None]}
        ).outputs[0]
        self.assertIsNone(as_shape(p).ndims)
        p.set_shape([3])
        self.assertEqual(as_shape(p).as_list(), [None, None, None])
        packed = apply_op("Pack", None, ([3, constant_op.constant(4)],), {}).outputs[0]
        self.assertEqual(as_shape(packed).as_list(), [3, 4])


def test_the_static_value_of_what_is_no_tensor_is_itself():
    for value in (-1, [1], None, False, "a", np.array([2])):
        assert tf.get_static_value(value) is value
    with tf.Graph().as_default():
        assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
        assert tf.get_static_value(tf.placeholder(tf.int32)) is None
        assert tf.get_static_value(tf.Variable(1)) is None
        packed = tf.stack([tf.constant(1), tf.placeholder(tf.int32, [])])
        assert tf.get_static_value(packed, partial=True).tolist() == [1, None]


def test_values_of_casts_comparisons_and_parts_are_known():
    with tf.Graph().as_default():
        known = tensor_util.constant_value
        numbers = tf.constant([1.5, -2.5])
        assert known(tf.cast(numbers, tf.int32)).tolist() == [1, -2]
        assert known(tf.equal(tf.constant([1, 2]), [1, 3])).tolist() == [True, False]
        assert known(tf.not_equal(tf.constant(1), 1)) == False  # noqa: E712
        assert known(tf.split(tf.constant([1, 2, 3, 4]), 2)[1]).tolist() == [3, 4]
        unknown = tf.placeholder(tf.float32, [2])
        assert known(tf.cast(unknown, tf.int32)) is None
        assert known(tf.equal(unknown, numbers)) is None


def test_a_filled_tensor_is_known():
    with tf.Graph().as_default():
        found = tensor_util.constant_value(tf.fill([2, 2], 7.5))
        assert found.dtype == np.float32 and found.tolist() == [[7.5, 7.5]] * 2
        assert tensor_util.constant_value(tf.fill(tf.placeholder(tf.int32), 1)) is None
        size = tf.placeholder(tf.int32, [1])
        assert tensor_util.constant_value(tf.fill(size, 1)) is None


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint16", "quint16", "qint32"])
def test_quantized_numbers_of_lists_are_tuples(name):
    dtype = tf.as_dtype(name)
    proto = tf.make_tensor_proto([(21,), (22,), (23,)], dtype)
    plain = np.dtype(dtype.as_numpy_dtype)[0]
    assert proto.tensor_content == np.array([21, 22, 23], plain).tobytes()
    assert tensor_util.MakeNdarray(proto).tolist() == [(21,), (22,), (23,)]
    with pytest.raises(TypeError, match=name):
        tf.make_tensor_proto([21, 22], dtype)


@pytest.mark.parametrize(
    ("values", "dtype", "field", "written"),
    [
        ([True, False], tf.bool, "bool_val", [True, False]),
        ([1, 2], tf.uint16, "int_val", [1, 2]),
        ([1 + 2j, 3], tf.complex64, "scomplex_val", [1, 2, 3, 0]),
        ([1 + 2j, 3], tf.complex128, "dcomplex_val", [1, 2, 3, 0]),
    ],
)
def test_some_types_are_written_as_values(values, dtype, field, written):
    proto = tf.make_tensor_proto(values, dtype)
    assert list(getattr(proto, field)) == written and not proto.tensor_content
    assert tensor_util.MakeNdarray(proto).tolist() == values


def test_a_cast_of_a_shape_is_as_known_as_the_shape():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        found = tensor_util.constant_value_as_shape(tf.cast(tf.shape(x), tf.int64))
        assert found.as_list() == [None, 3]


class FoldedTest(unittest.TestCase):
    """Values beyond small integers are found, and so are values that are known in part."""

    def setUp(self):
        scope = ops.Graph().as_default()
        scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)

    def test_known_values(self):
        for tensor, value in (
            (tf.range(1.0, 2.0, 0.25), [1.0, 1.25, 1.5, 1.75]),
            (tf.concat([[[1]], [[2]]], 1), [[1, 2]]),
            (tf.concat([[1.5], [2.5]], 0), [1.5, 2.5]),
            (tf.stack([tf.constant("a"), tf.constant("b")]), [b"a", b"b"]),
            (tf.stack([[1.5], [2.5]], axis=1), [[1.5, 2.5]]),
        ):
            found = tensor_util.constant_value(tensor)
            np.testing.assert_array_equal(found, value)
            self.assertEqual(found.shape, tensor.shape)

    def test_a_part_is_known(self):
        x = tf.placeholder(tf.int32, [])
        packed = tf.stack([x, tf.constant(3)])
        self.assertIsNone(tensor_util.constant_value(packed))
        found = tensor_util.constant_value(packed, partial=True)
        self.assertEqual([None if v is None else int(v) for v in found], [None, 3])
        alone = tf.stack([x, x])
        self.assertIsNone(tensor_util.constant_value(alone, partial=True))

    def test_parts_of_shapes(self):
        shape = tf.shape(tf.placeholder(tf.float32, [None, 3, 4]))
        of = tensor_util.constant_value_as_shape
        for part, known in (
            (shape[1:], [3, 4]),
            (shape[:-1], [None, 3]),
            (shape[::2], [None, 4]),
            (shape[::-1], [4, 3, None]),
            (shape[-2:], [3, 4]),
            (tf.concat([shape[:1], [7]], 0), [None, 7]),
        ):
            self.assertEqual(of(part).as_list(), known)
        with self.assertRaisesRegex(ValueError, "Received a scalar value '5' as shape"):
            of(tf.constant(5))


if __name__ == "__main__":
    unittest.main()


def test_a_variable_has_no_value_outside_a_run():
    with tf.Graph().as_default():
        for shared in (False, True):
            v = tf.get_variable(f"v{shared}", [], use_resource=shared)
            assert tensor_util.constant_value(v) is None
