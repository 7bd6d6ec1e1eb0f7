# SPDX-License-Identifier: Apache-2.0
"""Arithmetic sugar against NumPy: operators, dtypes, reductions, products."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_A = np.array([[1.5, -2.0], [3.25, 0.5]])
_B = np.array([[2.0, 3.0], [-1.0, 0.25]])


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a / b,
        lambda a, b: a // b,
        lambda a, b: a % b,
        lambda a, b: abs(a) ** b,
        lambda a, b: a @ b,
        lambda a, b: -a,
        lambda a, b: a < b,
        lambda a, b: a <= b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
        lambda a, b: (a > b) & (a > 0),
        lambda a, b: (a > b) | (a > 0),
        lambda a, b: (a > b) ^ (a > 0),
        lambda a, b: ~(a > b),
        lambda a, b: 2 + a,
        lambda a, b: 2 - a,
        lambda a, b: 2 * a,
        lambda a, b: 2 / a,
        lambda a, b: 2 // a,
        lambda a, b: 2 % a,
        lambda a, b: 2**a,
        lambda a, b: a + [1.0, 2.0],
    ],
)
def test_operators_equal_numpys(function):
    a, b = tf.constant(_A), tf.constant(_B)
    np.testing.assert_allclose(evaluate(function(a, b)), function(_A, _B), rtol=1e-12)
    if function(_A, _B).dtype == _A.dtype:
        mixed = evaluate(function(a, _B))
        np.testing.assert_allclose(mixed, function(_A, _B), rtol=1e-12)


def test_division_follows_dtypes():
    seven, two = tf.constant(-7), tf.constant(2)
    assert evaluate([seven / two, seven // two, seven % two]) == [-3.5, -4, 1]
    assert (seven / two).dtype == tf.float64
    assert (tf.constant(7, tf.int16) / tf.constant(2, tf.int16)).dtype == tf.float32
    for wide in (tf.uint32, tf.uint64):
        quotient = tf.cast(7, wide) / tf.cast(2, wide)
        assert quotient.dtype == tf.float64 and evaluate(quotient) == 3.5
    assert evaluate(tf.div(seven, two)) == -4
    assert evaluate(tf.truncatediv(seven, two)) == -3
    assert evaluate(tf.div(7.0, 2.0)) == 3.5


def test_equality_is_identity():
    a, b = tf.constant(1), tf.constant(1)
    assert a == a
    assert a != b
    assert len({a, b}) == 2
    assert evaluate(tf.equal(a, b))


def test_an_operand_of_another_class_may_take_over():
    class Other:
        def __radd__(self, left):
            return "taken"

    assert tf.constant(1) + Other() == "taken"
    with pytest.raises(TypeError):
        tf.constant(1) + object()


@pytest.mark.parametrize(
    "build",
    [
        lambda: tf.constant(1) + tf.constant(1.0),
        lambda: tf.constant(1) + 1.5,
        lambda: tf.matmul(tf.constant([[1.0]]), [[1]] @ np.eye(1)) + tf.constant("x"),
        lambda: tf.truediv(tf.constant(1), tf.constant(1.0)),
        lambda: tf.sqrt(tf.constant(1)),
    ],
)
def test_dtypes_must_agree(build):
    with pytest.raises((TypeError, ValueError)):
        build()


@pytest.mark.parametrize("axis", [None, 0, -1, [0, 2], []])
@pytest.mark.parametrize("keep", [False, True])
def test_reductions_equal_numpys(axis, keep):
    x = np.random.RandomState(0).uniform(-1, 1, [2, 3, 4])
    where = tuple(axis) if isinstance(axis, list) else axis
    for ours, numpys, value in (
        (tf.reduce_sum, np.sum, x),
        (tf.reduce_mean, np.mean, x),
        (tf.reduce_prod, np.prod, x),
        (tf.reduce_max, np.max, x),
        (tf.reduce_min, np.min, x),
        (tf.reduce_all, np.all, x > 0),
        (tf.reduce_any, np.any, x > 0),
    ):
        got = evaluate(ours(value, axis, keep))
        want = numpys(value, axis=where, keepdims=keep)
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_older_names_of_arguments():
    x = tf.constant(_A)
    assert evaluate(tf.reduce_sum(x, reduction_indices=[1], keep_dims=True)).shape == (
        2,
        1,
    )
    assert evaluate(tf.argmax(x, dimension=1)).tolist() == [0, 0]
    with pytest.raises(ValueError, match="both"):
        tf.reduce_sum(x, axis=0, reduction_indices=0)


def test_a_reduction_over_unknown_rank():
    x = tf.placeholder(tf.float32, None)
    assert evaluate(tf.reduce_sum(x), {x: [[1, 2], [3, 4]]}) == 10.0
    # The result's rank is known.
    assert tf.reduce_sum(x).get_shape().as_list() == []
    assert tf.reduce_sum(x, keepdims=True).get_shape().ndims is None


def test_logsumexp_does_not_overflow():
    x = tf.constant([1000.0, 1000.0, -np.inf])
    np.testing.assert_allclose(
        evaluate(tf.reduce_logsumexp(x)), 1000 + np.log(2), rtol=1e-6
    )


def test_other_reductions():
    x = tf.constant([[0.0, 3.0, 0.0], [1.0, 2.0, 3.0]])
    assert evaluate(tf.count_nonzero(x, 1)).tolist() == [1, 3]
    assert evaluate(tf.argmin(x, 0)).tolist() == [0, 1, 0]
    np.testing.assert_allclose(
        evaluate(tf.math.reduce_std(x)), np.std([0, 3, 0, 1, 2, 3]), rtol=1e-6
    )
    assert evaluate(tf.cumsum([1, 2, 3], exclusive=True, reverse=True)).tolist() == [
        5,
        3,
        0,
    ]
    assert evaluate(tf.cumprod([2, 3, 4])).tolist() == [2, 6, 24]


def test_sums_of_lists():
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    assert evaluate(tf.add_n([a, b, a])).tolist() == [5, 8]
    assert evaluate(tf.accumulate_n([a, b])).tolist() == [4, 6]
    assert tf.add_n([a]) is a
    for bad in ([], 3, [None]):
        with pytest.raises(ValueError):
            tf.add_n(bad)


@pytest.mark.parametrize("ta", [False, True])
@pytest.mark.parametrize("tb", [False, True])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_matmul(ta, tb, batch):
    random = np.random.RandomState(0)
    a, b = random.uniform(-1, 1, [*batch, 4, 5]), random.uniform(-1, 1, [*batch, 5, 2])
    left = a.swapaxes(-1, -2) if ta else a
    right = b.swapaxes(-1, -2) if tb else b
    got = tf.matmul(left, right, transpose_a=ta, transpose_b=tb)
    np.testing.assert_allclose(evaluate(got), a @ b, rtol=1e-12)


def test_adjoints_of_complex_matrices():
    a = np.array([[1 + 2j, 3j], [0.5, -1j]])
    got = tf.matmul(a, a, adjoint_a=True)
    np.testing.assert_allclose(evaluate(got), a.conj().T @ a)
    with pytest.raises(ValueError, match="cannot both be True"):
        tf.matmul(a, a, transpose_a=True, adjoint_a=True)


@pytest.mark.parametrize("axes", [0, 1, 2, [[0], [2]], [[1, 0], [2, 1]], [2, 0]])
def test_tensordot_equals_numpys(axes):
    a = np.arange(24.0).reshape(2, 3, 4)
    b = np.arange(36.0).reshape(4, 3, 3) if axes in (1, [2, 0]) else None
    if b is None:
        b = (
            np.arange(24.0).reshape(3, 4, 2)
            if axes == 2
            else np.arange(12.0).reshape(2, 2, 3)
        )
    if axes == [[0], [2]]:
        b = np.arange(12.0).reshape(3, 2, 2)
    np.testing.assert_allclose(
        evaluate(tf.tensordot(a, b, axes)), np.tensordot(a, b, axes)
    )


def test_casts_and_ranges():
    assert evaluate(tf.cast([1.7, -1.7], tf.int32)).tolist() == [1, -1]
    x = tf.constant(1.0)
    assert tf.cast(x, tf.float32) is x
    assert evaluate(tf.saturate_cast([300.0, -5.0], tf.uint8)).tolist() == [255, 0]
    assert evaluate(tf.range(3)).tolist() == [0, 1, 2]
    assert evaluate(tf.range(3, 18, 3)).tolist() == [3, 6, 9, 12, 15]
    assert tf.range(0, 1.0, 0.25).dtype == tf.float32
    assert tf.range(5, dtype=tf.int64).get_shape() == [5]
    np.testing.assert_allclose(evaluate(tf.linspace(0.0, 1.0, 5)), np.linspace(0, 1, 5))
    assert evaluate(tf.round([0.5, 1.5, 2.5])).tolist() == [0, 2, 2]
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert tf.cast(slices, tf.float64).dtype == tf.float64


_FLOATS = ["float16", "bfloat16", "float32", "float64"]
_INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


@pytest.mark.parametrize("source", _FLOATS)
@pytest.mark.parametrize("target", _INTEGERS)
def test_what_is_too_large_for_an_integer_ends_at_its_bounds(source, target):
    source, target = tf.as_dtype(source), tf.as_dtype(target)
    x = np.array([np.inf, -np.inf, 7]).astype(source.as_numpy_dtype)
    y = [int(v) for v in evaluate(tf.saturate_cast(tf.constant(x), target))]
    bounds = [int(target.max), int(target.min)]
    with np.errstate(over="ignore"):
        nearest = np.array([float(b) for b in bounds]).astype(source.as_numpy_dtype)
    # The bound itself, or the float next to it on the inner side.
    for got, bound, near in zip(y, bounds, nearest):
        zero = source.as_numpy_dtype(0)
        if not np.isfinite(near) or abs(int(float(near))) > abs(bound):
            near = np.nextafter(near, zero)
        assert got == int(float(near))
    assert y[2] == 7


def test_saturation_ends_inside_the_range():
    y = evaluate(tf.saturate_cast([3e10, -3e10], tf.int32))
    assert y.tolist() == [2147483520, -2147483648]
    large = tf.constant([-3e38, 3e38], tf.bfloat16)
    assert evaluate(tf.saturate_cast(large, tf.float16)).tolist() == [-65280.0, 65280.0]
    large = tf.constant([-(10**6), 10**6])
    assert evaluate(tf.saturate_cast(large, tf.float16)).tolist() == [-65504.0, 65504.0]


def test_complex_parts():
    z = np.array([1 + 2j, -3j], np.complex64)
    got = evaluate([tf.real(z), tf.imag(z), tf.conj(z), tf.abs(z)])
    for g, want in zip(got, (z.real, z.imag, z.conj(), np.abs(z)), strict=True):
        np.testing.assert_allclose(g, want, rtol=1e-6)
    with pytest.raises(TypeError, match="incorrect types"):
        tf.complex(1.0, tf.constant(1.0, tf.float64))


def test_embedding_lookup_over_parts():
    table = np.arange(14.0).reshape(7, 2)
    ids = np.array([[0, 6], [3, 1]])
    for strategy, parts in (
        ("mod", [table[0::3], table[1::3], table[2::3]]),
        ("div", [table[:3], table[3:5], table[5:]]),
    ):
        parts = [tf.constant(p) for p in parts]
        got = tf.nn.embedding_lookup(parts, ids, partition_strategy=strategy)
        np.testing.assert_array_equal(evaluate(got), table[ids])
    with pytest.raises(ValueError, match="strategy"):
        tf.nn.embedding_lookup(parts, ids, partition_strategy="x")


def test_random_ops_repeat_with_their_seed():
    def draw():
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(5)
            fetches = [
                tf.random_uniform([4], 1.0, 2.0),
                tf.random_uniform([4], 0, 10, tf.int32, seed=3),
                tf.random_normal([4], 1.0, 0.1),
                tf.truncated_normal([4]),
                tf.random_shuffle(tf.range(8)),
                tf.random_crop(tf.range(8), [3]),
                tf.multinomial([[0.0, 5.0, 0.0]], 6),
            ]
            return session.run(fetches)

    first, second = draw(), draw()
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
    assert ((first[0] >= 1) & (first[0] < 2)).all()
    assert ((first[1] >= 0) & (first[1] < 10)).all()
    assert (np.abs(first[3]) <= 2).all()
    assert sorted(first[4]) == list(range(8))
    assert first[6].dtype == np.int64
    with pytest.raises(ValueError, match="maxval"):
        tf.random_uniform([2], dtype=tf.int32)


@pytest.mark.parametrize("ranks", [True, False])
def test_tensordot_of_axes_and_operands_that_only_the_run_knows(ranks):
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(60.0).reshape(4, 3, 5)
    x, y = (tf.placeholder(tf.float64, [None] * 3 if ranks else None) for _ in "ab")
    axes = tf.placeholder(tf.int32)
    feed = {x: a, y: b}
    for value in ([[1, 2], [1, 0]], [[2], [0]], [2, 0], [[-1], [0]]):
        got = evaluate(tf.tensordot(x, y, axes), {**feed, axes: value})
        np.testing.assert_allclose(got, np.tensordot(a, b, value))
    scalar = tf.placeholder(tf.int32, [])
    got = evaluate(tf.tensordot(x, y, scalar), {**feed, scalar: 1})
    np.testing.assert_allclose(got, np.tensordot(a, b, 1))
    np.testing.assert_allclose(
        evaluate(tf.tensordot(x, y, 1), feed), np.tensordot(a, b, 1)
    )


@pytest.mark.parametrize("kinds", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("sparse", [True, False])
def test_products_of_bfloat16_and_float32(kinds, sparse):
    dtypes = [tf.bfloat16, tf.float32]
    a, b = (tf.cast(tf.constant(v, tf.float32), dtypes[k]) for v, k in zip((_A, _B), kinds))  # fmt: skip # noqa: E501
    got = tf.matmul(a, b, a_is_sparse=sparse)
    assert got.dtype == (tf.bfloat16 if kinds == (0, 0) else tf.float32)
    np.testing.assert_allclose(evaluate(tf.cast(got, tf.float32)), _A @ _B, rtol=1e-2)
