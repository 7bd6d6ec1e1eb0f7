# SPDX-License-Identifier: Apache-2.0
"""Errors keep the phrases of TensorFlow that programs and tests look for."""

import numpy as np
import pytest

import tensorwright as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_a_predicate_is_no_python_bool():
    with pytest.raises(TypeError, match="must not be a Python bool"):
        tf.cond(True, lambda: 1, lambda: 2)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ("ab", 'a "proper" iterable'),
        (np.zeros(2), 'a "proper" iterable'),
        (3, "iterable"),
    ],
)
def test_a_proper_iterable_is_asked_for(values, what):
    with pytest.raises(TypeError) as error:
        tf.assert_proper_iterable(values)
    assert f'argument "values" to be {what}.' in str(error.value)
    tf.assert_proper_iterable([values])


def test_a_mask_has_a_known_rank():
    with pytest.raises(ValueError, match="dimensions must be specified"):
        tf.boolean_mask([1, 2], tf.placeholder(tf.bool))


def test_what_is_kept_is_told_by_a_scalar_or_a_vector():
    keep = tf.placeholder(tf.bool, [2, 2])
    with pytest.raises(ValueError, match="must be 0 or 1 dimensions"):
        tf.train.maybe_batch([tf.constant([1, 2])], keep, 2, enqueue_many=True)


@pytest.mark.parametrize("version", [1, 2])
def test_a_checkpoint_that_is_not_there(tmp_path, version):
    path = str(tmp_path / "none")
    if version == 1:
        read = tf.raw_ops.Restore(file_pattern=path, tensor_name="v", dt=tf.float32)
    else:
        read = tf.raw_ops.RestoreV2(
            prefix=path,
            tensor_names=["v"],
            shape_and_slices=[""],
            dtypes=[tf.float32],
        )
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.NotFoundError, match="Unsuccessful TensorSliceReader"),
    ):
        session.run(read)


def test_a_run_that_takes_too_long():
    taken = tf.FIFOQueue(1, tf.int32).dequeue()
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.DeadlineExceededError, match="Timed out waiting"),
    ):
        session.run(taken, options=tf.RunOptions(timeout_in_ms=20))
