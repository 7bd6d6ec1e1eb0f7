# SPDX-License-Identifier: Apache-2.0
"""Datasets as tensors."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import function
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)
from tensorwright.python.ops import gen_dataset_ops, gen_list_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_a_dataset_that_is_not_there():
    nothing = tf.placeholder(tf.variant, [])
    repeated = gen_dataset_ops.repeat_dataset(
        nothing, 1, output_types=[tf.int64], output_shapes=[[]]
    )
    made = Dataset._from_variant(repeated, tf.TensorSpec([], tf.int64))
    iterator = made.make_initializable_iterator()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(iterator.initializer)


def test_what_a_dataset_is_said_to_hold_must_fit():
    wrong = Dataset._from_variant(
        Dataset.range(2)._variant_tensor, tf.TensorSpec([], tf.string)
    )
    refuses("output types", lambda: wrong)
    wrong = Dataset._from_variant(
        Dataset.range(2)._variant_tensor, tf.TensorSpec([3], tf.int64)
    )
    refuses("Incompatible shapes", lambda: wrong)


def test_scalars_that_are_none_are_refused():
    with pytest.raises(ValueError, match="rank 0"):
        Dataset.range([1, 2])
    vector = tf.py_func(lambda: np.zeros(2, np.int64), [], tf.int64)
    refuses("rank 0|scalar", lambda: Dataset.range(vector))
    assert elements(Dataset.range(scalar(2))) == [0, 1]


KIND = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape([])]}


def chain(depth, wrap, first=None):
    """A dataset through `wrap` `depth` times, in a loop that runs in the session."""
    if first is None:
        first = Dataset.range(3)._variant_tensor
    return tf.while_loop(
        lambda i, handle: i < depth,
        lambda i, handle: (i + 1, wrap(handle)),
        [tf.constant(0), first],
        back_prop=False,
    )[1]


def take(handle):
    return gen_dataset_ops.take_dataset(handle, scalar(2), **KIND)


def of_numbers(handle):
    return Dataset._from_variant(handle, tf.TensorSpec([], tf.int64))


def test_datasets_that_are_made_from_each_other():
    assert elements(of_numbers(chain(2000, take))) == [0, 1]


def test_datasets_too_deep_are_refused():
    words = "TakeDataset: its input is made of 2500 datasets"
    refuses(words, lambda: of_numbers(chain(60000, take)))
    # It counts the deepest of several inputs.
    deep = chain(2499, take)
    both = gen_dataset_ops.concatenate_dataset(
        Dataset.range(1)._variant_tensor, deep, **KIND
    )
    refuses("ConcatenateDataset: its input is made of", lambda: of_numbers(both))


def test_datasets_whose_functions_make_datasets_too_deep_are_refused():
    """Each is made of the next one by a function, out of a list, which has no depth."""

    @function.Defun(tf.int64, tf.variant)
    def element(x, boxed):
        return gen_list_ops.tensor_list_get_item(
            boxed, 0, tf.constant([], tf.int32), tf.variant
        )

    element.add_to_graph(tf.get_default_graph())

    def wrap(handle):
        boxed = gen_list_ops.tensor_list_push_back(
            gen_list_ops.empty_tensor_list(tf.constant([], tf.int32), -1, tf.variant),
            handle,
        )
        return gen_dataset_ops.flat_map_dataset(
            Dataset.range(2)._variant_tensor, [boxed], f=element, **KIND
        )

    one = Dataset.range(1)._variant_tensor
    wanted = [0] * 2**5
    assert elements(of_numbers(chain(5, wrap, one))) == wanted
    refuses(
        "datasets whose functions make datasets are .* deep, more than 2500",
        lambda: of_numbers(chain(20000, wrap, one)),
    )
