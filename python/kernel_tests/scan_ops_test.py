# SPDX-License-Identifier: Apache-2.0
"""Cumsum and Cumprod against NumPy."""

import itertools

import numpy as np

import tensorwright as tf
from tensorwright.python.kernel_tests import op_table

SHAPES = ([5], [3, 4], [3, 4, 2], [0, 3], [2, 1])


def _scan(name, axis, exclusive, reverse):
    """The scan by NumPy: shifted by one where it is exclusive, flipped where reversed."""
    first = float(name == "cumprod")

    def reference(x):
        out = np.flip(x, axis) if reverse else x
        out = getattr(np, name)(out, axis, dtype=x.dtype)
        if exclusive and out.size:
            start = np.full_like(np.take(out, [0], axis), first)
            rest = np.take(out, range(out.shape[axis] - 1), axis)
            out = np.concatenate([start, rest], axis)
        return np.flip(out, axis) if reverse else out

    return reference


def _entries():
    for name, axis, exclusive, reverse in itertools.product(
        ("cumsum", "cumprod"), (0, -1), (False, True), (False, True)
    ):
        yield op_table.Entry(
            f"{name}-{axis}{'-exclusive' * exclusive}{'-reverse' * reverse}",
            lambda x, n=name, a=axis, e=exclusive, r=reverse: getattr(tf, n)(
                x, a, exclusive=e, reverse=r
            ),
            _scan(name, axis, exclusive, reverse),
            op_table.NUMBERS,
            span=(0.5, 2),
            shapes=SHAPES,
            bad=[([np.float32(1)], "rank|axis")],
        )


TABLE = list(_entries())
test_values = op_table.values_test(TABLE)
test_gradients = op_table.gradients_test(TABLE)
test_bad_input = op_table.bad_input_test(TABLE)


def test_more_columns_than_a_strip():
    x = np.random.RandomState(0).uniform(0.5, 1.5, [2, 5, 2500]).astype(np.float32)
    for options in itertools.product((False, True), repeat=2):
        with tf.Graph().as_default(), tf.Session() as sess:
            got = sess.run(tf.cumsum(tf.constant(x), 1, *options))
        want = _scan("cumsum", 1, *options)(x)
        np.testing.assert_allclose(got, want, rtol=1e-6)
