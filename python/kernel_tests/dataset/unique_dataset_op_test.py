# SPDX-License-Identifier: Apache-2.0
"""Every element once."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("dtype", [np.int32, np.int64, object])
def test_unique(dtype):
    numbers = [3, 1, 3, 3, 2, 1, -1]
    if dtype is object:
        texts = [b"x" * n if n >= 0 else b"" for n in numbers]
        assert elements(Dataset.from_tensor_slices(texts).unique()) == [
            b"xxx", b"x", b"xx", b"",
        ]  # fmt: skip
    else:
        dataset = Dataset.from_tensor_slices(np.asarray(numbers, dtype)).unique()
        assert elements(dataset) == [3, 1, 2, -1]


def test_texts_that_begin_alike_are_told_apart():
    texts = ["", "a", "a\0", "ab", "a", "a\0"]
    assert elements(Dataset.from_tensor_slices(texts).unique()) == [
        b"", b"a", b"a\0", b"ab",
    ]  # fmt: skip


def test_rows_are_equal_as_wholes():
    rows = np.int32([[1, 2], [2, 1], [1, 2]])
    assert elements(Dataset.from_tensor_slices(rows).unique()) == [[1, 2], [2, 1]]
    # Lists of texts are equal as wholes, too: the borders between the texts count.
    texts = [["a", "bc"], ["ab", "c"], ["a", "bc"]]
    assert len(elements(Dataset.from_tensor_slices(texts).unique())) == 2


def test_another_shape_is_another_element():
    dataset = Dataset.range(4).map(
        lambda x: tf.reshape(
            tf.zeros([2, 2], tf.int32), tf.cond(x < 2, lambda: [4, 1], lambda: [1, 4])
        )
    )
    assert [np.shape(x) for x in elements(dataset.unique())] == [(4, 1), (1, 4)]


def test_every_pass_begins_anew():
    dataset = Dataset.from_tensor_slices([1, 1, 2]).unique().repeat(2)
    assert elements(dataset) == [1, 2, 1, 2]
    dataset = Dataset.from_tensor_slices([1, 1, 2]).repeat(2)
    assert elements(dataset.apply(tf.data.experimental.unique())) == [1, 2]


def test_other_types_are_refused():
    for dataset in (
        Dataset.from_tensor_slices([1.0]),
        Dataset.from_tensor_slices(([1], [2])),
    ):
        with pytest.raises(TypeError, match="unique"):
            dataset.unique()
