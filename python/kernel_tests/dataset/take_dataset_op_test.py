# SPDX-License-Identifier: Apache-2.0
"""The first elements."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("count", [0, 1, 4, 5, 9, -1])
def test_take(count):
    want = list(range(5)) if count < 0 else list(range(5))[:count]
    assert elements(Dataset.range(5).take(count)) == want


def test_what_comes_behind_is_not_asked_for():
    asked = []
    dataset = Dataset.range(9).map(
        lambda x: tf.py_func(lambda v: asked.append(int(v)) or v, [x], tf.int64)
    )
    assert elements(dataset.take(2)) == [0, 1]
    assert asked == [0, 1]
