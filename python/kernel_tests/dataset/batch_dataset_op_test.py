# SPDX-License-Identifier: Apache-2.0
"""Several elements as one."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)
from tensorwright.python.ops import gen_dataset_ops
from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph


@pytest.mark.parametrize("size", [1, 3, 7, 10, 20])
@pytest.mark.parametrize("drop", [False, True])
def test_batches(size, drop):
    rows = np.arange(10)
    want = [rows[i : i + size].tolist() for i in range(0, 10, size)]
    if drop:
        want = [b for b in want if len(b) == size]
    dataset = Dataset.range(10).batch(size, drop_remainder=drop)
    assert dataset.output_shapes.as_list() == [size if drop else None]
    assert elements(dataset) == want


def test_batches_of_structures_and_strings():
    dataset = Dataset.from_tensor_slices((np.arange(6).reshape(3, 2), ["a", "b", "c"]))
    assert elements(dataset.batch(2)) == [
        ([[0, 1], [2, 3]], [b"a", b"b"]), ([[4, 5]], [b"c"]),
    ]  # fmt: skip


def test_batches_of_batches():
    got = elements(Dataset.range(8).batch(2).batch(3))
    assert got == [[[0, 1], [2, 3], [4, 5]], [[6, 7]]]


def test_a_batch_larger_than_all_memory_holds_what_there_is():
    assert elements(Dataset.range(5).batch(2**62)) == [[0, 1, 2, 3, 4]]
    got = elements(Dataset.range(10_000).batch(9_000))
    assert [len(b) for b in got] == [9_000, 1_000]
    assert got[0] == list(range(9_000))


def test_elements_of_different_shapes_are_refused():
    ragged = Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
    refuses("different shapes in component 0", lambda: ragged.batch(2))


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_has_elements(size):
    refuses("Batch size must be", lambda: Dataset.range(3).batch(scalar(size)))


def test_the_first_version_of_the_op():
    """What older graphs have: the rest is always an element."""
    numbers = Dataset.range(7)
    variant = gen_dataset_ops.batch_dataset(
        numbers._variant_tensor, 3, output_types=[tf.int64], output_shapes=[[None]]
    )
    dataset = Dataset._from_variant(variant, numbers.batch(3)._spec, [numbers])
    assert elements(dataset) == [[0, 1, 2], [3, 4, 5], [6]]
    zero = gen_dataset_ops.batch_dataset(
        numbers._variant_tensor, 0, output_types=[tf.int64], output_shapes=[[None]]
    )
    refuses(
        "batch_size|Batch size",
        lambda: Dataset._from_variant(zero, numbers.batch(3)._spec, [numbers]),
    )
