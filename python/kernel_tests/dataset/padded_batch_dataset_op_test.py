# SPDX-License-Identifier: Apache-2.0
"""Elements of different sizes as one."""

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


def ragged(n):
    return Dataset.range(n).map(lambda x: tf.fill([x], x))


def test_to_the_largest_of_the_batch():
    assert elements(ragged(5).padded_batch(2, [None])) == [
        [[0], [1]], [[2, 2, 0], [3, 3, 3]], [[4, 4, 4, 4]],
    ]  # fmt: skip


def test_to_a_size_with_values():
    got = elements(ragged(3).padded_batch(3, [4], padding_values=np.int64(-1)))
    assert got == [[[-1] * 4, [1, -1, -1, -1], [2, 2, -1, -1]]]


def test_two_dimensions_strings_and_structures_are_padded():
    dataset = Dataset.range(1, 3).map(
        lambda n: {"m": tf.ones([n, 3 - n]), "s": tf.fill([n], "x"), "n": n}
    )
    dataset = dataset.padded_batch(2, {"m": [None, None], "s": [3], "n": []})
    assert dataset.output_shapes["s"].as_list() == [None, 3]
    assert elements(dataset) == [
        {
            "m": [[[1, 1], [0, 0]], [[1, 0], [1, 0]]],
            "s": [[b"x", b"", b""], [b"x", b"x", b""]],
            "n": [1, 2],
        }
    ]


def test_shapes_may_be_left_out():
    dataset = Dataset.range(3).map(lambda x: tf.reshape(tf.fill([x], x), [-1]))
    assert elements(dataset.padded_batch(3, drop_remainder=True)) == [
        [[0, 0], [1, 0], [2, 2]]
    ]
    assert elements(dataset.padded_batch(4, drop_remainder=True)) == []


def test_what_is_refused():
    refuses(
        "pad to a smaller size",
        lambda: ragged(4).padded_batch(4, [2]),
        tf.errors.DataLossError,
    )
    with pytest.raises((TypeError, ValueError)):
        ragged(4).padded_batch(4, [None], padding_values=tf.constant("x"))
    # Python's 0 is an int32, as it is to TensorFlow.
    with pytest.raises(
        TypeError, match=r"0 of type int32 .*tf.constant\(0, tf.int64\)"
    ):
        ragged(4).padded_batch(4, [None], padding_values=0)
    with pytest.raises(ValueError, match="not compatible"):
        Dataset.range(3).padded_batch(2, [None])
    refuses("Batch size must be", lambda: ragged(4).padded_batch(scalar(0), [None]))


def test_the_first_version_of_the_op():
    """Older graphs have this version, for which the rest is always an element."""
    rows = ragged(5)
    variant = gen_dataset_ops.padded_batch_dataset(
        rows._variant_tensor,
        2,
        [tf.constant([-1], tf.int64)],
        [tf.constant(9, tf.int64)],
        output_shapes=[[None, None]],
    )
    spec = rows.padded_batch(2, [None])._spec
    assert elements(Dataset._from_variant(variant, spec, [rows])) == [
        [[9], [1]], [[2, 2, 9], [3, 3, 3]], [[4, 4, 4, 4]],
    ]  # fmt: skip
