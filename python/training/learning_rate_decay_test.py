# SPDX-License-Identifier: Apache-2.0
"""The dtypes of learning rates that decay by step; optimizer_test.py tests their values."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_boundaries_of_int32_stand_for_int64():
    step = tf.placeholder(tf.int64, [])
    rate = tf.train.piecewise_constant(step, [2, 4], [1.0, 0.5, 0.25])
    with tf.Session() as session:
        found = [session.run(rate, {step: i}) for i in range(6)]
    np.testing.assert_array_equal(found, [1.0, 1.0, 1.0, 0.5, 0.5, 0.25])


@pytest.mark.parametrize(
    ("x", "boundaries", "values", "words"),
    [
        (0.5, [1, 2], [1.0, 2.0, 3.0], r"Boundaries \(<dtype: 'int32'>\) must have the same dtype as x \(<dtype: 'float32'>\)"),
        (np.int32(1), [1.5], [1.0, 2.0], r"Boundaries \(<dtype: 'float32'>\) must have the same"),
        (1, [1], [1.0, 2], r"same dtype \(<dtype: 'float32'> vs <dtype: 'int32'>\)"),
        (1, [1, 2], [1.0, 2.0], "length of boundaries should be 1 less"),
    ],
)  # fmt: skip # noqa: E501
def test_what_does_not_fit_is_refused(x, boundaries, values, words):
    with pytest.raises(ValueError, match=words):
        tf.train.piecewise_constant(x, boundaries, values)
