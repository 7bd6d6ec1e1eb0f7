# SPDX-License-Identifier: Apache-2.0
"""Windows of elements with the same key."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_windows_by_key():
    dataset = Dataset.range(10).group_by_window(
        lambda x: x % 3, lambda key, window: window.batch(4), window_size=2
    )
    assert elements(dataset) == [[0, 3], [1, 4], [2, 5], [6, 9], [7], [8]]


def test_sizes_by_key_and_the_key_is_passed():
    dataset = Dataset.range(6).group_by_window(
        lambda x: x % 2,
        lambda key, window: Dataset.zip((Dataset.from_tensors(key), window.batch(9))),
        window_size_func=lambda key: key + 1,
    )
    assert elements(dataset) == [
        (0, [0]), (0, [2]), (1, [1, 3]), (0, [4]), (1, [5]),
    ]  # fmt: skip


def test_what_is_refused():
    def grouped(**kwargs):
        return Dataset.range(4).group_by_window(
            lambda x: x, lambda key, window: window, **kwargs
        )

    refuses("greater than zero", lambda: grouped(window_size=scalar(0)))
    with pytest.raises(ValueError, match="window_size"):
        grouped()
    with pytest.raises(TypeError, match="must return a `Dataset`"):
        Dataset.range(4).group_by_window(lambda x: x, lambda key, window: key, 2)


def test_buckets_by_length():
    lengths = [1, 5, 2, 9, 3, 6]
    dataset = Dataset.from_tensor_slices(lengths).map(lambda n: tf.ones([n], tf.int32))
    dataset = dataset.bucket_by_sequence_length(
        lambda x: tf.shape(x)[0], [4, 8], [2, 2, 2]
    )
    assert elements(dataset) == [
        [[1, 0], [1, 1]], [[1, 1, 1, 1, 1, 0], [1] * 6], [[1, 1, 1]], [[1] * 9],
    ]  # fmt: skip
    with pytest.raises(ValueError, match="bucket_batch_sizes"):
        dataset.bucket_by_sequence_length(lambda x: 1, [1], [1])
