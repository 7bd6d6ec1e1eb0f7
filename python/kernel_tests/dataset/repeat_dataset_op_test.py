# SPDX-License-Identifier: Apache-2.0
"""A dataset several times over."""

import pytest

from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_so_many_times(count):
    assert elements(Dataset.range(2).repeat(count)) == [0, 1] * count


@pytest.mark.parametrize("count", [None, -1])
def test_for_ever(count):
    assert elements(Dataset.range(2).repeat(count), limit=5) == [0, 1, 0, 1, 0]


def test_nothing_for_ever_is_nothing():
    assert elements(Dataset.range(0).repeat()) == []


def test_the_count_is_a_scalar():
    with pytest.raises(ValueError, match="rank 0"):
        Dataset.range(2).repeat([1, 2])
    assert elements(Dataset.range(2).repeat(scalar(2))) == [0, 1, 0, 1]
