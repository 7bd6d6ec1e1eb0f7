# SPDX-License-Identifier: Apache-2.0
"""Loops over scalars, which run in registers, give what they give with tensors: a traced run has tensors."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_TRACED = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)


def _run(fetches, feed_dict=None):
    """The results, which have the same bits with and without tensors."""
    with tf.Session() as session:
        plain = session.run(fetches, feed_dict)
        traced = session.run(fetches, feed_dict, options=_TRACED)
    for a, b in zip(
        tf.contrib.framework.nest.flatten(plain),
        tf.contrib.framework.nest.flatten(traced),
        strict=True,
    ):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    return plain


def _count(limit, body, *start):
    """The values after `limit` times `body(*values)`."""
    return tf.while_loop(
        lambda i, *values: i < limit,
        lambda i, *values: (i + 1, *tf.contrib.framework.nest.flatten(body(*values))),
        [tf.constant(0), *start],
    )[1:]


def test_counting():
    n = tf.placeholder(tf.int32, [])
    i = tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])
    for count in (0, 1, 2, 100_000):
        assert _run(i, {n: count}) == count
    assert _run(i, {n: -3}) == 0


def test_variables_may_be_exchanged():
    a, b, c = _count(4, lambda a, b, c: (b, c, a), *map(tf.constant, (1.0, 2.0, 3.0)))
    assert _run([a, b, c]) == [2, 3, 1]
    x, y = _count(10, lambda x, y: (y, x + y), tf.constant(0), tf.constant(1))
    assert _run([x, y]) == [55, 89]


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_floats(dtype):
    x = tf.constant(0.3, dtype)
    (y,) = _count(20, lambda v: tf.tanh(tf.exp(-v) * x + tf.sqrt(tf.abs(v))) - v / 3, x)
    assert np.isfinite(np.float64(_run(y)))


@pytest.mark.parametrize("dtype", [tf.uint8, tf.int8, tf.int16, tf.int32, tf.int64])
def test_integers(dtype):
    x = tf.constant(3, dtype)
    (y,) = _count(9, lambda v: tf.maximum(v * x - tf.constant(1, dtype), x), x)
    value = np.array(3, dtype.as_numpy_dtype)
    with np.errstate(over="ignore"):
        for _ in range(9):
            value = np.maximum(value * value.dtype.type(3) - value.dtype.type(1), 3)
    assert _run(y) == value


def test_comparisons_casts_and_choices():
    def body(v, even):
        v = tf.where(even, v // 2, 3 * v + 1)
        return v, tf.equal(v % 2, 0)

    steps, v, _ = tf.while_loop(
        lambda n, v, even: tf.logical_and(v > 1, n < 1000),
        lambda n, v, even: (n + 1, *body(v, even)),
        [tf.constant(0), tf.constant(27), tf.constant(False)],
    )
    assert _run([steps, v]) == [111, 1]
    (total,) = _count(5, lambda t: tf.cast(tf.cast(t, tf.int64) + 2, tf.float32) / 4, tf.constant(9.0))  # fmt: skip # noqa: E501
    _run(total)


def test_a_clusters_outputs_and_values_from_outside():
    x = tf.placeholder(tf.float32, [])
    a, b = _count(7, lambda a, b: (a * x + b, tf.sin(a * x) * 2.0), x, tf.constant(1.0))
    for value in (0.5, -3.0, np.inf, np.nan):
        _run([a, b], {x: value})


def test_tensors_may_enter_the_same_loop():
    x = tf.placeholder(tf.float32, None)
    y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0), [tf.constant(0), x])[1]  # fmt: skip # noqa: E501
    assert _run(y, {x: 1.5}) == 12
    assert _run(y, {x: [1.0, 2.0]}).tolist() == [8, 16]
    assert _run(y, {x: 0.5}) == 4


def test_a_division_by_zero_names_its_node():
    start = tf.placeholder(tf.int32, [])
    y = tf.while_loop(
        lambda v: v > -5,
        lambda v: tf.floordiv(100, v, name="share") * 0 + v - 1,
        [start],
    )
    with tf.Session() as session:
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match="zero") as caught:
                session.run(y, {start: 3})
            assert caught.value.op.name == "while/share"
        assert session.run(y, {start: -1}) == -5


def test_an_endless_loop_of_scalars_ends_in_time():
    y = tf.while_loop(lambda v: v > -1.0, lambda v: v * 0.5, [tf.constant(1.0)])
    with tf.Session() as session, pytest.raises(tf.errors.DeadlineExceededError):
        session.run(y, options=tf.RunOptions(timeout_in_ms=50))


def test_gradients_and_nested_loops():
    x = tf.constant(0.7)
    (y,) = _count(6, lambda v: tf.sin(v) * x, x)
    (gradient,) = tf.gradients(y, x)
    nested = tf.while_loop(
        lambda i, t: i < 4,
        lambda i, t: (i + 1, t + tf.while_loop(lambda j: j < i, lambda j: j + 2, [0])),
        [tf.constant(0), tf.constant(0)],
    )[1]
    assert _run([gradient, nested])[1] == 0 + 2 + 2 + 4
