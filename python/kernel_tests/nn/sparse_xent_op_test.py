# SPDX-License-Identifier: Apache-2.0
"""Cross entropy of class numbers against SciPy."""

import numpy as np
import pytest
import scipy.special

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

TOLERANCE = {"float16": 4e-3, "float32": 4e-6, "float64": 1e-14}


def logits(dtype, shape, seed=0):
    return np.random.RandomState(seed).uniform(-5, 5, shape).astype(dtype)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("batch", "classes"), [(1, 1), (5, 10), (300, 3), (2, 2500), (0, 4)]
)
def test_loss_and_its_slope(dtype, batch, classes, index):
    x, tol = logits(dtype, [batch, classes]), TOLERANCE[dtype]
    labels = np.random.RandomState(1).randint(0, classes, [batch]).astype(index)
    wide = x.astype(np.float64)
    log = scipy.special.log_softmax(wide, -1) if batch else wide
    one_hot = np.eye(classes)[labels]
    loss, grad = fed(gen_nn_ops.sparse_softmax_cross_entropy_with_logits, x, labels)
    np.testing.assert_allclose(loss, -(log * one_hot).sum(-1), rtol=tol, atol=4 * tol)
    want = np.exp(log) - one_hot
    np.testing.assert_allclose(grad, want, rtol=tol, atol=4 * tol)


@pytest.mark.parametrize("shape", [[1, 2], [3, 5]])
def test_gradient_agrees_with_finite_differences(shape):
    labels = np.arange(shape[0]) % shape[1]

    def build(x):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)

    check_gradient(build, [logits("float64", shape)], [0])


@pytest.mark.parametrize("label", [-1, 3])
def test_labels_out_of_range_are_refused(label):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"label value of {label}"):
        fed(
            lambda v, t: gen_nn_ops.sparse_softmax_cross_entropy_with_logits(v, t),
            logits("float32", [2, 3]),
            np.int32([0, label]),
        )


@pytest.mark.parametrize(("x", "labels"), [([2, 3], [3]), ([2, 3], [2, 1]), ([2], [2])])
def test_sparse_cross_entropy_refuses_other_shapes(x, labels):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            lambda v, t: gen_nn_ops.sparse_softmax_cross_entropy_with_logits(v, t),
            np.zeros(x, np.float32),
            np.zeros(labels, np.int32),
        )


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_what_is_no_number_spoils_its_row_alone(dtype):
    x, labels = logits(dtype, [4, 5]), np.int32([0, 1, 2, 3])
    op = gen_nn_ops.sparse_softmax_cross_entropy_with_logits
    want_loss, want_grad = fed(op, x, labels)
    x[1, 3] = want_loss[1] = want_grad[1] = np.nan
    x[2, 2] = want_loss[2] = want_grad[2] = np.nan
    loss, grad = fed(op, x, labels)
    np.testing.assert_array_equal(loss, want_loss)
    np.testing.assert_array_equal(grad, want_grad)
