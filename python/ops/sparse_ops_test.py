# SPDX-License-Identifier: Apache-2.0
"""tf.sparse: from dense tensors, the identity, added dimensions, elements kept, other shapes, segments."""

import math

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_X = np.array([[[0, 1, 0], [2, 0, 3]], [[0, 0, 0], [0, 4, 0]]])


def _dense(value):
    out = np.zeros(value.dense_shape, value.values.dtype)
    out[tuple(value.indices.T)] = value.values
    return out


@pytest.mark.parametrize(
    "dtype", [np.float32, np.int8, np.int64, np.complex64, np.bool_, np.object_]
)
def test_from_dense_keeps_what_is_not_zero(dtype):
    x = _X.astype(dtype)
    if dtype == np.object_:
        x = np.where(_X != 0, _X.astype(str), "").astype(object)
        x = np.vectorize(str.encode, otypes=[object])(x)
    value = evaluate(tf.sparse.from_dense(x))
    np.testing.assert_array_equal(value.indices, np.argwhere(_X != 0))
    np.testing.assert_array_equal(value.values, x[_X != 0])
    np.testing.assert_array_equal(value.dense_shape, _X.shape)


@pytest.mark.parametrize(("rows", "columns"), [(3, None), (2, 4), (4, 2), (0, 3)])
def test_eye(rows, columns):
    value = evaluate(tf.sparse.eye(rows, columns, tf.int32))
    np.testing.assert_array_equal(_dense(value), np.eye(rows, columns, dtype=np.int32))


@pytest.mark.parametrize("axis", [None, 0, 1, 2, 3, -1, -2, -3, -4])
def test_expand_dims_is_numpys(axis):
    expected = np.expand_dims(_X, -1 if axis is None else axis)
    sparse = tf.sparse.from_dense(_X)
    np.testing.assert_array_equal(
        _dense(evaluate(tf.sparse.expand_dims(sparse, axis))), expected
    )
    # Only the run knows this rank.
    fed = tf.sparse.placeholder(tf.int64)
    place = None if axis is None else tf.constant(axis)
    value = evaluate(tf.sparse.expand_dims(fed, place), {fed: evaluate(sparse)})
    np.testing.assert_array_equal(_dense(value), expected)


def test_segments_and_masks_are_of_the_old_names():
    x = np.arange(8.0).reshape(4, 2)
    calls = [[0, 2, 3], [0, 0, 1]]
    total, mean, root = evaluate(
        [
            tf.sparse.segment_sum(x, *calls),
            tf.sparse.segment_mean(x, *calls),
            tf.sparse.segment_sqrt_n(x, *calls),
        ]
    )
    np.testing.assert_allclose(total, [x[0] + x[2], x[3]])
    np.testing.assert_allclose(mean, [(x[0] + x[2]) / 2, x[3]])
    np.testing.assert_allclose(root, [(x[0] + x[2]) / np.sqrt(2), x[3]])
    slices = tf.IndexedSlices(tf.constant(x), tf.constant([0, 5, 7, 9]))
    assert evaluate(tf.sparse.mask(slices, [5, 9])).indices.tolist() == [0, 7]


@pytest.mark.parametrize("axis", [4, -5])
def test_axes_out_of_range_are_refused(axis):
    with pytest.raises(ValueError, match="axis must be in"):
        tf.sparse.expand_dims(tf.sparse.from_dense(_X), axis)
    with pytest.raises(TypeError, match="not a SparseTensor"):
        tf.sparse.expand_dims(tf.constant(_X), 0)


def _forms(sparse):
    """The sparse tensor, and one whose shapes only the run knows."""
    yield sparse
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    yield tf.SparseTensor(*(tf.placeholder_with_default(p, None) for p in parts))


@pytest.mark.parametrize("keep", [[1, 0, 1, 0], [0] * 4, [1] * 4])
def test_retain_keeps_elements(keep):
    kept = np.array(keep, bool)
    for sparse in _forms(tf.sparse.from_dense(_X)):
        for mask in (kept, keep, tf.placeholder_with_default(kept, None)):
            value = evaluate(tf.sparse.retain(sparse, mask))
            np.testing.assert_array_equal(value.indices, np.argwhere(_X)[kept])
            np.testing.assert_array_equal(value.values, _X[_X != 0][kept])
            np.testing.assert_array_equal(value.dense_shape, _X.shape)
    assert tf.sparse_retain is tf.sparse.retain


def test_the_gradient_of_retain_is_zero_for_what_is_left_out():
    x = tf.constant([1.0, 2.0, 3.0])
    sparse = tf.SparseTensor([[0], [1], [4]], x, [5])
    values = tf.sparse.retain(sparse, [True, False, True]).values
    (gradient,) = tf.gradients(values * values, x)
    np.testing.assert_array_equal(evaluate(tf.convert_to_tensor(gradient)), [2, 0, 6])


@pytest.mark.parametrize("shape", [None, (2, 2, 3), (4, 2, 9)])
def test_reset_shape_keeps_the_elements(shape):
    expected = tuple(np.argwhere(_X).max(0) + 1) if shape is None else shape
    for sparse in _forms(tf.sparse.from_dense(_X)):
        fed = None if shape is None else tf.placeholder_with_default(shape, None)
        for new_shape in (shape, fed):
            value = evaluate(tf.sparse.reset_shape(sparse, new_shape))
            np.testing.assert_array_equal(value.indices, np.argwhere(_X))
            np.testing.assert_array_equal(value.values, _X[_X != 0])
            np.testing.assert_array_equal(value.dense_shape, expected)
    empty = tf.sparse.from_dense(np.zeros([3, 4]))
    assert evaluate(tf.sparse_reset_shape(empty)).dense_shape.tolist() == [0, 0]
    known = tf.SparseTensor([[0, 1]], [1.0], [3, 4])
    assert tf.sparse.reset_shape(known, [5, 4]).shape.as_list() == [5, 4]


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda s: tf.sparse.retain(s, [True]), ValueError, "incompatible"),
        (lambda s: tf.sparse.retain(s, [[True]]), ValueError, "rank 1"),
        (lambda s: tf.sparse.retain([1.0], [True]), TypeError, "not a SparseTensor"),
        (lambda s: tf.sparse.reset_shape([1.0]), TypeError, "not a SparseTensor"),
        (
            lambda s: tf.sparse.reset_shape(s, [9, 1]),
            ValueError,
            "must be >= the shape",
        ),
        (lambda s: tf.sparse.reset_shape(s, [9, 9, 9]), ValueError, "not compatible"),
    ],
)
def test_mistakes_are_named(build, error, words):
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])
    with pytest.raises(error, match=words):
        build(sparse)


def test_mistakes_that_only_the_run_knows():
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])
    fed = tf.placeholder(tf.int64)
    for build, value, words in (
        (tf.sparse.retain, [1], "as long as there are elements"),
        (tf.sparse.retain, [[1, 1]], "."),
        (tf.sparse.reset_shape, [3, 3], "must be >= the shape"),
        (tf.sparse.reset_shape, [3, 4, 5], "must have the rank"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            evaluate(build(sparse, fed), {fed: value})


def test_shape_size_and_rank_are_those_of_the_whole_tensor():
    sparse = tf.sparse_placeholder(tf.float32)
    value = tf.SparseTensorValue([[0, 1, 0]], [1.0], [2, 3, 4])
    fetches = [
        tf.shape(sparse),
        tf.shape(sparse, out_type=tf.int64),
        tf.size(sparse),
        tf.rank(sparse),
        tf.shape(value),
    ]
    with tf.Session() as session:
        shape, wide, size, rank, known = session.run(fetches, {sparse: value})
    assert shape.tolist() == wide.tolist() == known.tolist() == [2, 3, 4]
    assert (shape.dtype, wide.dtype) == ("int32", "int64")
    assert (size, rank) == (24, 3)


@pytest.mark.parametrize(
    "name,expected",
    [
        ("abs", np.abs),
        ("negative", np.negative),
        ("sign", np.sign),
        ("square", np.square),
        ("sqrt", np.sqrt),
        ("tanh", np.tanh),
        ("erf", lambda x: np.vectorize(math.erf)(x)),
    ],
)
def test_unary_math_of_a_sparse_tensor_is_that_of_its_values(name, expected):
    values = np.array([0.25, 4.0])
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.SparseTensor([[0, 1], [2, 0]], values, [3, 2])
        found = session.run(getattr(tf, name)(sparse))
    np.testing.assert_allclose(found.values, expected(values))
    assert found.indices.tolist() == [[0, 1], [2, 0]]
    assert found.dense_shape.tolist() == [3, 2]


@pytest.mark.parametrize(
    ("operator", "dtype", "want"),
    [
        (lambda s: s * [[5, 6], [7, 8], [9, 10]], np.int32, [12, 36]),
        (lambda s: s * [10, 20], np.float32, [40, 40]),
        (lambda s: tf.constant(3.0) * s, np.float32, [6, 12]),
        (lambda s: s / 4, np.int32, [0.5, 1]),
        (lambda s: s / [[2], [1], [8]], np.float64, [1, 0.5]),
        (lambda s: s.__div__(3), np.int32, [0, 1]),
    ],
)
def test_a_sparse_tensor_times_and_by_a_dense_one_is_sparse(operator, dtype, want):
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.SparseTensor([[0, 1], [2, 0]], np.array([2, 4], dtype), [3, 2])
        found = session.run(operator(sparse))
    np.testing.assert_array_equal(found.values, want)
    assert found.indices.tolist() == [[0, 1], [2, 0]]
    assert found.dense_shape.tolist() == [3, 2]


def test_operators_that_sparse_tensors_lack_are_type_errors():
    sparse = tf.SparseTensor([[0, 1]], [2.0], [3, 2])
    for wrong in (
        lambda: sparse + 1.0,
        lambda: 2.0 * sparse,
        lambda: sparse * sparse,
        lambda: tf.constant(1.0) - sparse,
    ):
        with pytest.raises(TypeError):
            wrong()
