# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors as strings and variants, and back."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

_KINDS = [tf.string, tf.variant]


def _same(got, parts):
    for own, want in zip(got, parts, strict=True):
        np.testing.assert_array_equal(own, want)


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.complex64, object])
def test_one_comes_back(dtype, kind):
    parts = drawn.draw((3, 4), dtype)
    kept = tf.string if dtype is object else tf.as_dtype(dtype)

    def build(sp):
        text = tf.serialize_sparse(sp, out_type=kind)
        assert text.shape.as_list() == [3]
        return sparse_ops.deserialize_sparse(text, kept, rank=2)

    _same(drawn.run(build, parts), parts)


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("shape", [(4, 3), (3, 2, 4)])
def test_rows_come_back(shape, kind):
    parts = drawn.draw(shape)

    def build(sp):
        text = tf.serialize_many_sparse(sp, out_type=kind)
        return text, sparse_ops.deserialize_sparse(text, tf.float32)

    _same(drawn.run(lambda sp: build(sp)[1], parts), parts)
    if kind == tf.string:
        rows = drawn.run(lambda sp: build(sp)[0], parts)
        assert rows.shape == (shape[0], 3)
        again = drawn.run(
            lambda t: tf.deserialize_many_sparse(t, tf.float32, len(shape) - 1), rows
        )
        _same(again, parts)


def test_strings_are_protos():
    rows, values, sizes = parts = drawn.draw((3, 4))
    text = drawn.run(tf.serialize_sparse, parts)
    for own, want in zip(text, parts, strict=True):
        proto = tf.make_tensor_proto(0)
        proto.ParseFromString(own)
        np.testing.assert_array_equal(tf.make_ndarray(proto), want)


def test_shapes_of_rows_may_differ():
    text = []
    for shape in ((2, 3), (4, 1)):
        text.append(drawn.run(tf.serialize_sparse, drawn.draw(shape, part=1.0)))
    got = drawn.run(lambda t: tf.deserialize_many_sparse(t, tf.float32), np.array(text))
    np.testing.assert_array_equal(got.dense_shape, [2, 4, 3])
    assert len(got.values) == 10
    nested = np.array(text).reshape(1, 2, 3)
    got = drawn.run(lambda t: sparse_ops.deserialize_sparse(t, tf.float32), nested)
    np.testing.assert_array_equal(got.dense_shape, [1, 2, 4, 3])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ([[b"a", b"b", b"c"]], "parse"),
        (np.zeros([0, 3], object), "at least 1"),
        ([[b"a", b"b"]], "3|equal"),
    ],
)
def test_garbage_is_refused(text, words):
    text = np.array(text, object)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(lambda t: tf.deserialize_many_sparse(t, tf.float32), text)


def test_other_dtypes_and_ranks_are_refused():
    one = drawn.run(tf.serialize_sparse, drawn.draw((3,)))
    two = drawn.run(tf.serialize_sparse, drawn.draw((3, 4)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="int32"):
        drawn.run(lambda t: tf.deserialize_many_sparse(t, tf.int32), one[None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="[Rr]ank"):
        drawn.run(
            lambda t: tf.deserialize_many_sparse(t, tf.float32), np.array([one, two])
        )


@pytest.mark.parametrize(
    ("rows", "shape", "words"),
    [
        ([[0], [1]], [3], "> 1"),
        ([[1, 0], [0, 0]], [2, 2], "out of order"),
        ([[0, 0], [2, 0]], [2, 2], "out of bounds"),
        ([[0, 0], [1, 0]], [2, -2], "non-negative"),
    ],
)
def test_rows_must_be_in_order(rows, shape, words):
    parts = np.array(rows), np.float32([1, 2]), np.array(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        drawn.run(tf.serialize_many_sparse, parts)
