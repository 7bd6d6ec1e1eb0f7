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

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize("size", [1, 3, 7, 10, 20])
@pytest.mark.parametrize("drop", [False, True])
def test_a_batch_has_so_many_elements(size, drop):
    rows = np.arange(10)
    want = [rows[i : i + size].tolist() for i in range(0, 10, size)]
    if drop:
        want = [b for b in want if len(b) == size]
    dataset = Dataset.range(10).batch(size, drop_remainder=drop)
    assert dataset.output_shapes.as_list() == [size if drop else None]
    assert elements(dataset) == want


@pytest.mark.parametrize("calls", [1, 3, tf.data.AUTOTUNE])
@pytest.mark.parametrize("deterministic", [None, True, False])
def test_batches_that_may_be_made_at_a_time(calls, deterministic):
    for size, drop in ((3, False), (4, True), (20, False)):
        dataset = Dataset.range(10).batch(size, drop, calls, deterministic)
        assert dataset._variant_tensor.op.type == "ParallelBatchDataset"
        assert elements(dataset) == elements(Dataset.range(10).batch(size, drop))


def test_bad_parallel_batches():
    numbers = Dataset.range(7)

    def batches(size=2, calls=1, word="default"):
        variant = gen_dataset_ops.parallel_batch_dataset(
            numbers._variant_tensor, scalar(size), scalar(calls), False,
            output_types=[tf.int64], output_shapes=[[None]], deterministic=word,
        )  # fmt: skip
        return Dataset._from_variant(variant, numbers.batch(3)._spec, [numbers])

    assert elements(batches()) == [[0, 1], [2, 3], [4, 5], [6]]
    refuses("Batch size must be", lambda: batches(size=0))
    refuses("num_parallel_calls must be", lambda: batches(calls=0))
    refuses("deterministic must be", lambda: batches(word="perhaps"))


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
    """Older graphs have this version, for which the rest is always an element."""
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


def _sparse_rows():
    rows = tf.SparseTensor([[0, 1], [2, 0], [2, 2]], [1.5, 2.5, 3.5], [4, 3])
    return Dataset.from_tensor_slices({"sparse": rows, "number": np.arange(4)})


def test_batches_of_sparse_tensors():
    dataset = _sparse_rows()
    assert dataset.element_spec["sparse"] == tf.SparseTensorSpec([3], tf.float32)
    batches = dataset.batch(3)
    assert batches.output_shapes["sparse"].as_list() == [None, 3]
    assert elements(batches) == [
        {"number": [0, 1, 2], "sparse": ([[0, 1], [2, 0], [2, 2]], [1.5, 2.5, 3.5], [3, 3])},
        {"number": [3], "sparse": ([], [], [1, 3])},
    ]  # fmt: skip
    twice = elements(dataset.batch(2, drop_remainder=True).batch(2))
    assert twice[0]["sparse"] == (
        [[0, 0, 1], [1, 0, 0], [1, 0, 2]], [1.5, 2.5, 3.5], [2, 2, 3],
    )  # fmt: skip


def test_sparse_batches_have_the_largest_sizes():
    def row(n):
        return tf.SparseTensor([[0]], n[tf.newaxis], n[tf.newaxis] + 1)

    dataset = Dataset.range(3).map(row).batch(3)
    assert dataset.output_shapes.as_list() == [None, None]
    assert elements(dataset) == [([[0, 0], [1, 0], [2, 0]], [0, 1, 2], [3, 3])]


def test_sparse_elements_go_through_functions():
    def scaled(element):
        sparse = element["sparse"]
        assert sparse.get_shape().as_list() == [None, 3]
        double = tf.SparseTensor(
            sparse.indices, sparse.values * 2.0, sparse.dense_shape
        )
        return double, tf.sparse_tensor_to_dense(sparse, -1.0)

    dataset = _sparse_rows().batch(2).map(scaled, num_parallel_calls=2)
    dataset = dataset.cache().shuffle(1).prefetch(1)
    (first, dense), (second, _) = elements(dataset)
    assert first == ([[0, 1]], [3.0], [2, 3])
    assert second == ([[0, 0], [0, 2]], [5.0, 7.0], [2, 3])
    assert dense == [[-1.0, 1.5, -1.0], [-1.0] * 3]


def test_unbatch_gives_sparse_rows_back():
    assert elements(_sparse_rows().batch(3).unbatch()) == elements(_sparse_rows())
    alone = _sparse_rows().map(lambda e: e["sparse"])
    assert elements(alone.batch(2).unbatch()) == elements(alone)


def test_sparse_elements_are_not_padded():
    with pytest.raises(TypeError, match="SparseTensorSpec"):
        _sparse_rows().padded_batch(2)


def test_generators_of_sparse_tensors(tmp_path):
    def rows():
        for n in range(3):
            yield n, tf.SparseTensorValue([[n]], [b"word"], [4])

    spec = (tf.TensorSpec([], tf.int32), tf.SparseTensorSpec([4], tf.string))
    dataset = Dataset.from_generator(rows, output_signature=spec).batch(3)
    dataset = dataset.cache(str(tmp_path / "kept"))
    want = [([0, 1, 2], ([[0, 0], [1, 1], [2, 2]], [b"word"] * 3, [3, 4]))]
    assert elements(dataset) == want
    assert elements(dataset) == want
    wrong = Dataset.from_generator(lambda: iter([(1, 2)]), output_signature=spec)
    refuses("SparseTensorValue", lambda: wrong, tf.errors.InvalidArgumentError)


def test_ragged_batches_of_known_shapes():
    assert elements(Dataset.range(3).ragged_batch(2)) == [[0, 1], [2]]
    rows = Dataset.range(3).map(lambda n: tf.fill([n], n))
    with pytest.raises(TypeError, match="ragged"):
        rows.ragged_batch(2)
