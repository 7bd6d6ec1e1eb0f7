# SPDX-License-Identifier: Apache-2.0
"""The elements for which a function says yes."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)
from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph


def test_filter():
    assert elements(Dataset.range(9).filter(lambda x: tf.equal(x % 3, 0))) == [0, 3, 6]
    assert elements(Dataset.range(9).filter(lambda x: x > 100)) == []


def test_of_structures():
    dataset = Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))
    assert elements(dataset.filter(lambda n, s: tf.equal(s, "b"))) == [(2, b"b")]


def test_what_is_no_bool_is_refused():
    with pytest.raises(ValueError, match="boolean"):
        Dataset.range(3).filter(lambda x: x)
    with pytest.raises(ValueError, match="boolean"):
        Dataset.range(3).filter(lambda x: [x > 0, x > 1])
