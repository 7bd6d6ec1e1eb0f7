# SPDX-License-Identifier: Apache-2.0
"""Errors keep the phrases of TensorFlow that programs and tests look for."""

import numpy as np
import pytest
from google.protobuf import text_format

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


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (
            lambda: tf.norm([1.0, 2.0], ord="x"),
            ValueError,
            "'ord' must be a supported vector norm",
        ),
        (
            lambda: tf.norm(np.eye(2), ord=5, axis=[0, 1]),
            ValueError,
            "'ord' must be a supported matrix norm",
        ),
        (
            lambda: tf.matrix_transpose([1.0]),
            ValueError,
            r"should be a \(batch\) matrix",
        ),
        (
            lambda: tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(1)]),
            TypeError,
            "must be half, float, or double",
        ),
        (
            lambda: tf.concat([1, 2], tf.placeholder(tf.int32)),
            ValueError,
            r"Can't concatenate scalars \(use tf.stack instead\)",
        ),
    ],
)
def test_a_wrong_argument_is_told_in_the_known_phrase(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_a_reader_of_a_checkpoint_that_is_not_there(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="Unsuccessful TensorSliceReader"):
        tf.train.NewCheckpointReader(str(tmp_path / "none"))


def imported(text, **arguments):
    return tf.import_graph_def(text_format.Parse(text, tf.GraphDef()), **arguments)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("node { name: 'A' op: 'NoSuchOp' }", "Op type not registered 'NoSuchOp'"),
        (
            "node { name: 'A' op: 'NoOp' input: '^B' }",
            "Node 'A': Unknown input node '.B'",
        ),
        (
            "node { name: 'A' op: 'NoOp' } node { name: 'A' op: 'NoOp' }",
            "Node 'A' is not unique",
        ),
        (
            "node { name: 'A?' op: 'NoOp' }",
            "Node 'A.': Node name contains invalid characters",
        ),
        ("versions { producer: -1 }", "producer version -1 below min producer 0"),
        (
            "versions { min_consumer: 9999 }",
            "min consumer version 9999 above current version",
        ),
    ],
)
def test_a_graph_def_that_is_not_valid(text, words):
    with pytest.raises(ValueError, match=words):
        imported(text)


def test_inputs_that_the_graph_def_lacks_are_named_as_tensors():
    one = tf.constant(1)
    for key in ("B", "B:0"):
        with pytest.raises(ValueError, match=r"not found in graph_def: \[B:0\]"):
            imported("node { name: 'A' op: 'NoOp' }", input_map={key: one})
