# SPDX-License-Identifier: Apache-2.0
"""The slices of each element."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_unbatch():
    assert elements(Dataset.range(7).batch(3).unbatch()) == list(range(7))
    both = Dataset.from_tensors((np.arange(4).reshape(2, 2), ["a", "b"])).unbatch()
    assert both.output_shapes[0].as_list() == [2]
    assert elements(both) == [([0, 1], b"a"), ([2, 3], b"b")]


def test_what_is_refused():
    with pytest.raises(ValueError, match="scalar"):
        Dataset.range(3).unbatch()
    uneven = Dataset.from_tensors((np.zeros(2), np.zeros(3)))
    refuses("same batch size", lambda: uneven.unbatch())
    unknown = Dataset.range(2).map(lambda x: tf.py_func(lambda v: v, [x], tf.int64))
    refuses("non-zero rank", lambda: unknown.unbatch())
