# SPDX-License-Identifier: Apache-2.0
"""A dataset without the elements that fail."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_failures_are_left_out():
    dataset = Dataset.range(5).map(
        lambda x: tf.check_numerics(1.0 / tf.cast(x % 2, tf.float32), "bad")
    )
    assert elements(dataset.ignore_errors()) == [1, 1]
    assert elements(dataset.apply(tf.data.experimental.ignore_errors())) == [1, 1]
