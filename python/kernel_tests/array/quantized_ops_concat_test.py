# SPDX-License-Identifier: Apache-2.0
"""QuantizedConcat and QuantizedReshape."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework.quantized_testing import (
    INTEGERS,
    RANGES,
    codes,
    integers,
    limits,
    min_first_codes,
    min_first_reals,
)
from tensorwright.python.ops import array_ops
from tensorwright.python.testing.op_testing import fed

F32 = np.float32


def joined_range(ranges, name):
    low = min(F32(0), *(F32(r[0]) for r in ranges))
    high = max(F32(r[1]) for r in ranges)
    if name == "qint32":
        high = max(abs(low), abs(high))
        low = -high
    return low, high


def run(values, ranges, axis, name, known=False):
    n = len(values)

    def build(*a):
        return tf.quantized_concat(axis, a[:n], a[n : 2 * n], a[2 * n :])

    ends = [F32(r[i]) for i in (0, 1) for r in ranges]
    return fed(build, *(codes(v, name) for v in values), *ends, known=known)


def random_codes(shape, name, seed):
    first, last = limits(name)
    rng = np.random.RandomState(seed)
    return rng.randint(first, last + 1, shape, np.int64).astype(INTEGERS[name])


@pytest.mark.parametrize("name", ["quint8", "qint32"])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    ("shapes", "axis"),
    [
        ([[3], [1]], 0),
        ([[2, 3], [2, 1], [2, 0]], 1),
        ([[2, 3, 4], [2, 70, 4]], -2),
        ([[0, 3], [2, 3]], 0),
    ],
)
def test_codes_get_one_range(name, known, shapes, axis):
    n = len(shapes)
    for ranges in itertools.islice(itertools.product(RANGES, repeat=n), 0, None, 5):
        values = [random_codes(s, name, i) for i, s in enumerate(shapes)]
        got, low, high = run(values, ranges, axis, name, known)
        new = joined_range(ranges, name)
        assert (low, high) == new
        want = []
        for v, r in zip(values, ranges, strict=True):
            if (F32(r[0]), F32(r[1])) != new:
                v = min_first_codes(min_first_reals(v, *r, name), *new, name)
            want.append(v)
        np.testing.assert_array_equal(integers(got), np.concatenate(want, axis))


@pytest.mark.parametrize(
    ("shapes", "axis", "words"),
    [
        ([[2], [2]], 1, "concat_dim must be in"),
        ([[], []], 0, "scalars"),
        ([[2, 3], [2]], 0, "rank|agree"),
        ([[2, 3], [3, 2]], 0, "agree"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(shapes, axis, words):
    values = [np.zeros(s, np.uint8) for s in shapes]
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(values, [(0, 1)] * 2, axis, "quint8")
    with pytest.raises(tf.errors.InvalidArgumentError, match="input_mins"):
        run([np.zeros([2], np.uint8)] * 2, [([0, 1], 1)] * 2, 0, "quint8")


@pytest.mark.parametrize("name", ["quint8", "qint8", "qint32"])
@pytest.mark.parametrize("known", [False, True])
def test_another_shape_keeps_the_range(name, known):
    c = random_codes([2, 6], name, 0)
    for shape in ([12], [3, -1], [4, 3, 1]):
        got, low, high = fed(
            lambda c, a, b, s=shape: array_ops.quantized_reshape(c, s, a, b),
            codes(c, name),
            F32(-2),
            F32(3),
            known=known,
        )
        np.testing.assert_array_equal(integers(got), c.reshape(shape))
        assert (low, high) == (-2, 3)


def test_bad_reshapes_are_refused():
    c = codes(np.zeros([2, 3], np.uint8), "quint8")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot reshape"):
        fed(lambda c, s: array_ops.quantized_reshape(c, s, 0.0, 1.0)[0], c, [5])
    with pytest.raises(tf.errors.InvalidArgumentError, match="input_min"):
        fed(
            lambda c, a: array_ops.quantized_reshape(c, [6], a, 1.0)[0],
            c,
            np.zeros([2], F32),
        )
    with tf.Graph().as_default(), pytest.raises(ValueError, match="rank 0"):
        array_ops.quantized_reshape(tf.placeholder(tf.quint8), [6], [0.0], 1.0)
