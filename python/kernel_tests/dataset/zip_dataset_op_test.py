# SPDX-License-Identifier: Apache-2.0
"""Datasets beside each other."""

import pytest

from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_the_shortest_ends_it():
    zipped = Dataset.zip((Dataset.range(3), Dataset.range(5, 9)))
    assert elements(zipped) == [(0, 5), (1, 6), (2, 7)]


def test_structures_stay():
    a = Dataset.from_tensor_slices({"x": [1, 2]})
    zipped = Dataset.zip({"a": a, "b": (Dataset.range(2), Dataset.range(2))})
    assert elements(zipped) == [
        {"a": {"x": 1}, "b": (0, 0)}, {"a": {"x": 2}, "b": (1, 1)},
    ]  # fmt: skip


def test_enumerate():
    dataset = Dataset.from_tensor_slices(["a", "b"]).enumerate(3)
    assert elements(dataset) == [(3, b"a"), (4, b"b")]


def test_a_list_is_refused():
    with pytest.raises(TypeError, match="tuple"):
        Dataset.zip([Dataset.range(2), Dataset.range(2)])
