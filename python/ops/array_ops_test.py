# SPDX-License-Identifier: Apache-2.0
"""Array sugar against NumPy: values, static shapes, and what is refused."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_X = np.arange(24).reshape(2, 3, 4)


_CASES = {
    "shape": (tf.shape, [2, 3, 4]),
    "size": (tf.size, 24),
    "rank": (tf.rank, 3),
    "expand_dims": (lambda x: tf.expand_dims(x, -1), _X[..., None]),
    "squeeze": (lambda x: tf.squeeze(tf.expand_dims(x, 1), [1]), _X),
    "transpose": (tf.transpose, _X.T),
    "transpose_perm": (lambda x: tf.transpose(x, [1, 0, 2]), _X.transpose(1, 0, 2)),
    "matrix_transpose": (tf.matrix_transpose, _X.swapaxes(1, 2)),
    "concat": (lambda x: tf.concat([x, x], 1), np.concatenate([_X, _X], 1)),
    "concat_one": (lambda x: tf.concat([x], 1), _X),
    "stack": (lambda x: tf.stack([x, x], -1), np.stack([_X, _X], -1)),
    "unstack": (lambda x: tf.unstack(x, axis=1)[2], _X[:, 2]),
    "split": (lambda x: tf.split(x, 2, 2)[1], _X[..., 2:]),
    "split_sizes": (lambda x: tf.split(x, [1, 3], 2)[1], _X[..., 1:]),
    "pad": (lambda x: tf.pad(x, [[0, 0], [1, 0], [0, 2]]), np.pad(_X, [(0, 0), (1, 0), (0, 2)])),
    "pad_value": (
        lambda x: tf.pad(x, [[0, 0], [1, 0], [0, 0]], constant_values=7),
        np.pad(_X, [(0, 0), (1, 0), (0, 0)], constant_values=7),
    ),
    "tile": (lambda x: tf.tile(x, [1, 2, 1]), np.tile(_X, [1, 2, 1])),
    "reverse": (lambda x: tf.reverse(x, [-1]), _X[..., ::-1]),
    "gather": (lambda x: tf.gather(x, [1, 0, 1]), _X[[1, 0, 1]]),
    "gather_axis": (lambda x: tf.gather(x, [2, 0], axis=1), _X[:, [2, 0]]),
    "gather_nd": (lambda x: tf.gather_nd(x, [[1, 2], [0, 0]]), _X[[1, 0], [2, 0]]),
    "boolean_mask": (
        lambda x: tf.boolean_mask(x, [[True, False, True], [False, True, False]]),
        _X[np.array([[1, 0, 1], [0, 1, 0]], bool)],
    ),
    "where": (lambda x: tf.where(x > 20), np.argwhere(_X > 20)),
    "where_xy": (lambda x: tf.where(x > 20, x, -x), np.where(_X > 20, _X, -_X)),
    "zeros_like": (tf.zeros_like, 0 * _X),
    "ones_like": (lambda x: tf.ones_like(x, tf.float32), np.ones([2, 3, 4])),
    "slice": (lambda x: tf.slice(x, [0, 1, 1], [1, -1, 2]), _X[:1, 1:, 1:3]),
    "[0]": (lambda x: x[0], _X[0]),
    "[:, 1]": (lambda x: x[:, 1], _X[:, 1]),
    "[..., 2]": (lambda x: x[..., 2], _X[..., 2]),
    "[0, ..., 1:3]": (lambda x: x[0, ..., 1:3], _X[0, ..., 1:3]),
    "[:, newaxis, 1]": (lambda x: x[:, tf.newaxis, 1], _X[:, None, 1]),
    "[::-1, 1:]": (lambda x: x[::-1, 1:], _X[::-1, 1:]),
    "[-1, :, -2:]": (lambda x: x[-1, :, -2:], _X[-1, :, -2:]),
    "[tensor]": (lambda x: x[tf.constant(1), tf.constant(1) :], _X[1, 1:]),
}  # fmt: skip


@pytest.mark.parametrize("name", list(_CASES))
@pytest.mark.parametrize("known", [True, False])
def test_values_equal_numpys(name, known):
    function, expected = _CASES[name]
    x = tf.placeholder(tf.int32, _X.shape if known else None)
    if not known and name == "unstack":
        with pytest.raises(ValueError, match="num"):
            function(x)  # The number of parts is unknown.
        return
    y = function(x)
    result = evaluate(y, {x: _X})
    np.testing.assert_array_equal(result, expected)
    assert y.get_shape().is_compatible_with(result.shape)
    if known and name not in ("where", "boolean_mask", "[tensor]"):
        assert y.get_shape() == result.shape


def test_static_shapes_become_constants():
    x = tf.placeholder(tf.float32, [2, 3])
    assert tf.shape(x).op.type == "Const"
    assert tf.size(x).op.type == "Const"
    assert tf.shape(tf.placeholder(tf.float32, [None, 3])).op.type == "Shape"
    assert evaluate(tf.shape(x, out_type=tf.int64)).dtype == np.int64


@pytest.mark.parametrize(
    ("dtype", "zero", "one"),
    [
        (tf.float32, 0, 1),
        (tf.int64, 0, 1),
        (tf.bool, False, True),
        (tf.complex64, 0, 1),
    ],
)
@pytest.mark.parametrize("shape", [[], [0], [2, 3], [40, 50]])
def test_zeros_ones_fill(dtype, zero, one, shape):
    zeros, ones, filled = evaluate(
        [tf.zeros(shape, dtype), tf.ones(shape, dtype), tf.fill(shape, 3)]
    )
    assert (zeros == zero).all()
    assert (ones == one).all()
    assert zeros.shape == ones.shape == filled.shape == tuple(shape)
    assert zeros.dtype == dtype.as_numpy_dtype


def test_zeros_of_a_shape_known_in_the_run_only():
    dims = tf.placeholder(tf.int32, [2])
    assert evaluate(tf.zeros(dims), {dims: [2, 0]}).shape == (2, 0)
    assert evaluate(tf.zeros([2], tf.string)).tolist() == [b"", b""]


def test_one_hot_and_sequence_mask():
    hot = evaluate(tf.one_hot([0, 2, -1], 3, on_value=5, off_value=1))
    np.testing.assert_array_equal(hot, [[5, 1, 1], [1, 1, 5], [1, 1, 1]])
    assert evaluate(tf.one_hot([1], 2, axis=0)).shape == (2, 1)
    mask = evaluate(tf.sequence_mask([1, 3, 0]))
    np.testing.assert_array_equal(mask, [[1, 0, 0], [1, 1, 1], [0, 0, 0]])
    assert tf.sequence_mask([1, 2], 5, tf.float32).get_shape() == [2, 5]
    with pytest.raises(TypeError, match="one_hot"):
        tf.one_hot([1], 2, on_value=1.0, off_value=1)


def test_meshgrid_equals_numpys():
    for indexing in ("xy", "ij"):
        got = evaluate(tf.meshgrid([1, 2, 3], [4, 5], indexing=indexing))
        for g, want in zip(
            got, np.meshgrid([1, 2, 3], [4, 5], indexing=indexing), strict=True
        ):
            np.testing.assert_array_equal(g, want)


def test_lists_with_tensors_are_packed():
    x = tf.placeholder(tf.int64, [])
    packed = tf.convert_to_tensor([[1, x], [x, 4]])
    assert packed.dtype == tf.int64
    np.testing.assert_array_equal(evaluate(packed, {x: 9}), [[1, 9], [9, 4]])
    assert evaluate(tf.reshape(tf.range(6), [tf.constant(2), -1])).shape == (2, 3)


def test_broadcast_shapes():
    static = tf.broadcast_static_shape(
        tf.TensorShape([None, 1, 3]), tf.TensorShape([5, 1])
    )
    assert static.as_list() == [None, 5, 3]
    assert evaluate(tf.broadcast_dynamic_shape([2, 1], [3])).tolist() == [2, 3]
    with pytest.raises(ValueError, match="broadcasting"):
        tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))


@pytest.mark.parametrize(
    "index",
    [
        np.array([0, 1]),
        (0, [1, 2]),
        [[0, 1]],
        [True, False],
        np.float32(1),
        1.5,
        "a",
        slice("a", None),
        slice([0], [1]),
    ],
)
def test_what_is_no_index_is_refused_with_what_to_use(index):
    with pytest.raises(TypeError, match="valid indices.*tf.gather.*tf.boolean_mask"):
        tf.constant(_X)[index]


@pytest.mark.parametrize(
    ("dtype", "index"),
    [
        (tf.int32, [0, 1]),
        (tf.int64, [[0]]),
        (tf.float32, 1.0),
        (tf.uint8, 1),
        (tf.string, "a"),
    ],
)
def test_only_scalar_integer_tensors_are_indices(dtype, index):
    x, i = tf.constant(_X), tf.constant(index, dtype)
    for build in (lambda: x[i], lambda: x[0, i], lambda: x[i:], lambda: x[::i]):
        with pytest.raises(TypeError, match="valid indices.*tf.gather"):
            build()
    one = tf.placeholder(tf.int32)  # Only the run knows its rank.
    np.testing.assert_array_equal(evaluate(x[one], {one: 1}), _X[1])


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_a_mask_alone_picks_as_boolean_mask(rank, known):
    mask = np.random.RandomState(rank).rand(*_X.shape[:rank]) < 0.5
    x = tf.placeholder(tf.float32, _X.shape if known else [None] * _X.ndim)
    m = tf.placeholder(tf.bool, [None] * rank)
    feed = {x: _X, m: mask}
    np.testing.assert_array_equal(evaluate(x[m], feed), _X[mask])
    np.testing.assert_array_equal(evaluate(x[mask], feed), _X[mask])
    (gradient,) = tf.gradients(x[m], x)
    expected = np.zeros_like(_X)
    expected[mask] = 1
    np.testing.assert_array_equal(evaluate(gradient, feed), expected)
    with pytest.raises(ValueError, match="scalar"):
        x[tf.constant(True)]
    with pytest.raises(ValueError, match="must be specified"):
        x[tf.placeholder(tf.bool)]


def test_placeholders_must_be_fed():
    x = tf.placeholder(tf.float32, [2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="feed"):
        evaluate(x)
    d = tf.placeholder_with_default([1.0], [None])
    assert evaluate(d).tolist() == [1.0]
    assert evaluate(d, {d: [2.0, 3.0]}).tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (lambda x: tf.expand_dims(x), ValueError),
        (lambda x: tf.expand_dims(x, 0, dim=0), ValueError),
        (lambda x: tf.concat([x, x], 7), ValueError),
        (lambda x: tf.reshape(x, [5, -1]), ValueError),
        (lambda x: tf.unstack(tf.placeholder(tf.float32, None)), ValueError),
        (lambda x: tf.where(x > 1, x), ValueError),
        (lambda x: tf.boolean_mask(x, True), ValueError),
        (lambda x: tf.pad(x, [[0, 0]] * 3, "MIRROR"), ValueError),
        (lambda x: x[1.5], TypeError),
        (lambda x: x[..., 0, ...], ValueError),
        (lambda x: x[0, 0, 0, 0], ValueError),
        (lambda x: tf.split(x, [1, 1], 2), ValueError),
        (lambda x: tf.stack([x, tf.constant(1.0)]), (TypeError, ValueError)),
        (lambda x: list(x), TypeError),
        (lambda x: bool(x), TypeError),
    ],
)
def test_mistakes_are_found_while_building(build, error):
    with pytest.raises(error):
        build(tf.constant(_X))


def test_an_unknown_dimension_bounds_nothing():
    x = tf.placeholder_with_default([1, 2, 3], [None])
    n = x.shape[0]
    assert [v.tolist() for v in evaluate([x[:n], x[n:]])] == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("sizes", [[-1], (2, -1), np.array([-1]), [3000, -1]])
def test_negative_sizes_are_refused_while_building(sizes):
    for make in (tf.zeros, tf.ones, lambda s: tf.fill(s, 2)):
        with pytest.raises(ValueError, match="sizes must be >= 0, got"):
            make(sizes)
    with pytest.raises(ValueError, match="sizes must be >= 0"):
        tf.zeros([tf.constant(2), -1])
