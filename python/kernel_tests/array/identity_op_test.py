# SPDX-License-Identifier: Apache-2.0
"""Identity and its kin: what goes in comes out."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)

SAME = {
    "identity": tf.identity,
    "stop_gradient": tf.stop_gradient,
    "prevent_gradient": gen_array_ops.prevent_gradient,
    "guarantee_const": tf.guarantee_const,
    "identity_n": lambda x: tf.identity_n([x, x])[1],
    "ensure_shape": lambda x: tf.ensure_shape(x, None),
}


@pytest.mark.parametrize("name", list(SAME))
@pytest.mark.parametrize("dtype", [*DTYPES, np.uint16, object])
@pytest.mark.parametrize("shape", [[], [0], [1], [7], [2, 0, 3], [1001]])
def test_what_goes_in_comes_out(name, dtype, shape):
    x = values(shape, dtype)
    for known in (True, False):
        np.testing.assert_array_equal(fed(SAME[name], x, known=known), x)


def test_identity_of_what_has_parts():
    with tf.Graph().as_default(), tf.Session() as sess:
        sparse = tf.SparseTensor([[0, 1]], [3.0], [2, 2])
        got = tf.identity(sparse)
        assert isinstance(got, tf.SparseTensor)
        assert got.values.op.type == got.indices.op.type == "Identity"
        for part, want in zip(sess.run(got), sess.run(sparse), strict=True):
            np.testing.assert_array_equal(part, want)
        for shape in (None, tf.constant([4])):
            slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([2]), shape)
            got = tf.identity(slices)
            assert (got.dense_shape is None) == (shape is None)
            assert sess.run([got.values, got.indices]) == [[1], [2]]
            if shape is not None:
                assert sess.run(got.dense_shape) == [4]
        (slope,) = tf.gradients(tf.identity(sparse).values, sparse.values)
        assert sess.run(slope) == [1]


def test_identity_n_keeps_dtypes_and_order():
    parts = values([3]), values([2, 2], np.int64), values([1], object)
    got = fed(lambda *p: tf.identity_n(p), *parts)
    for part, want in zip(got, parts, strict=True):
        np.testing.assert_array_equal(part, want)


def test_a_default_is_used_until_another_value_is_fed():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder_with_default(values([3]), [None])
        np.testing.assert_array_equal(session.run(x), values([3]))
        np.testing.assert_array_equal(session.run(x, {x: [5.0]}), [5])


@pytest.mark.parametrize("name", list(SAME))
def test_kernels_that_plans_leave_out_copy_without_the_passes(name):
    options = tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)
    graph_options = tf.GraphOptions(optimizer_options=options)
    config = tf.ConfigProto(graph_options=graph_options)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, [3])
        y = SAME[name](x) + 0
        np.testing.assert_array_equal(session.run(y, {x: values([3])}), values([3]))


def test_gradients_pass_stop_or_are_refused():
    assert gradient_error(tf.identity, [2, 3]) < 1e-9
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        assert tf.gradients(tf.stop_gradient(x), x) == [None]
        y = gen_array_ops.prevent_gradient(x, message="not here")
        with pytest.raises(LookupError, match="not here"):
            tf.gradients(y, x)


@pytest.mark.parametrize("asked", [[2, 4], [3, 3], [6], []])
def test_ensure_shape_refuses_others(asked):
    words = "must be equal.*is not compatible with expected shape"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(lambda x: tf.ensure_shape(x, asked), values([2, 3]))
    with pytest.raises(ValueError, match="must be equal"):
        fed(lambda x: tf.ensure_shape(x, asked), values([2, 3]), known=True)
