# SPDX-License-Identifier: Apache-2.0
"""One dataset, then another."""

import numpy as np
import pytest

from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_one_then_the_other():
    assert elements(Dataset.range(2).concatenate(Dataset.range(5, 7))) == [0, 1, 5, 6]
    assert elements(Dataset.range(0).concatenate(Dataset.range(2))) == [0, 1]


def test_shapes_are_what_both_have():
    a = Dataset.from_tensors(np.zeros((2, 3)))
    b = Dataset.from_tensors(np.ones((2, 4)))
    both = a.concatenate(b)
    assert both.output_shapes.as_list() == [2, None]
    assert [np.shape(e) for e in elements(both)] == [(2, 3), (2, 4)]


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="different types"):
        Dataset.range(2).concatenate(Dataset.from_tensors(1.0))
    with pytest.raises(ValueError, match="structure"):
        Dataset.range(2).concatenate(Dataset.from_tensors((1, 2)))
