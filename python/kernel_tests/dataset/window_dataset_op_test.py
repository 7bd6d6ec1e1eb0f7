# SPDX-License-Identifier: Apache-2.0
"""Several elements at a time, as datasets."""

import pytest

from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def windows(n, size, shift, stride, drop):
    found = []
    for begin in range(0, n, shift):
        part = [i for i in range(begin, begin + size * stride, stride) if i < n]
        if part and not (drop and len(part) < size):
            found.append(part)
    return found


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("shift", [1, 2, 7])
@pytest.mark.parametrize("stride", [1, 3])
@pytest.mark.parametrize("drop", [False, True])
def test_windows(size, shift, stride, drop):
    dataset = Dataset.range(11).window(size, shift, stride, drop)
    flat = dataset.flat_map(lambda w: w.batch(size))
    assert elements(flat) == windows(11, size, shift, stride, drop)


def test_each_component_has_its_own():
    pairs = Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"])).window(2)
    flat = pairs.flat_map(lambda n, s: Dataset.zip((n.batch(2), s.batch(2))))
    assert elements(flat) == [([1, 2], [b"a", b"b"]), ([3], [b"c"])]


def test_sizes_are_positive():
    for bad in ((0, 1, 1), (1, 0, 1), (1, 1, 0)):
        refuses(
            "greater than",
            lambda bad=bad: (
                Dataset.range(3).window(*(scalar(b) for b in bad)).flat_map(lambda w: w)
            ),
        )
