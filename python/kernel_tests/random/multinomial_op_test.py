# SPDX-License-Identifier: Apache-2.0
"""Multinomial: classes drawn by their probabilities."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import (
    fed,
    values,
)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("out", [tf.int32, tf.int64])
@pytest.mark.parametrize(
    ("batch", "classes", "samples"), [(0, 3, 2), (1, 1, 1), (3, 7, 0), (5, 33, 17)]
)
def test_shape_type_and_range(dtype, out, batch, classes, samples):
    logits = values([batch, classes], dtype) % dtype(3)
    got = fed(lambda x: tf.multinomial(x, samples, output_dtype=out), logits)
    assert got.shape == (batch, samples)
    assert got.dtype == out.as_numpy_dtype
    assert ((got >= 0) & (got < classes)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_classes_come_as_often_as_they_should(dtype):
    p = np.array([[0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.5, 0]])
    with np.errstate(divide="ignore"):
        logits = np.log(p).astype(dtype) + dtype(3)
    n = 20_000
    got = fed(lambda x: tf.multinomial(x, n, seed=1), logits)
    for row, want in zip(got, p, strict=True):
        share = np.bincount(row, minlength=4) / n
        # Five standard deviations.
        assert (np.abs(share - want) <= 5 * np.sqrt(want * (1 - want) / n)).all()


def test_a_seed_decides_what_is_drawn():
    def drawn(seed):
        return fed(
            lambda x: tf.multinomial(x, 100, seed=seed), values([1, 9]) * 0
        ).tolist()

    assert drawn(5) == drawn(5)
    assert drawn(5) != drawn(6)


@pytest.mark.parametrize(
    ("shape", "samples", "words"),
    [
        ([3], 1, "matrix|rank"),
        ([2, 3], [1], "scalar|rank"),
        ([2, 3], -1, "num_samples|nonnegative|>= 0|non-negative"),
        ([2, 0], 1, "num_classes should be positive"),
    ],
)
def test_refuses_bad_arguments(shape, samples, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(tf.multinomial, values(shape), np.array(samples, np.int32))
