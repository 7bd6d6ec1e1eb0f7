# SPDX-License-Identifier: Apache-2.0
"""The cross entropies of softmax against SciPy."""

import numpy as np
import pytest
import scipy.special

from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

TOLERANCE = {"float16": 4e-3, "float32": 2e-6, "float64": 1e-14}


def logits(dtype, shape, seed=0):
    return np.random.RandomState(seed).uniform(-5, 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("batch", "classes"), [(1, 1), (5, 10), (300, 3), (2, 2500), (0, 4)]
)
def test_cross_entropy(dtype, batch, classes):
    x, tol = logits(dtype, [batch, classes]), TOLERANCE[dtype]
    rng = np.random.RandomState(1)
    log = (
        scipy.special.log_softmax(x.astype(np.float64), -1)
        if batch
        else x.astype(np.float64)
    )
    soft = rng.dirichlet(np.ones(classes), batch).astype(dtype) if batch else x
    loss, grad = fed(
        lambda v, t: gen_nn_ops.softmax_cross_entropy_with_logits(v, t), x, soft
    )
    np.testing.assert_allclose(loss, -(log * soft).sum(-1), rtol=4 * tol, atol=4 * tol)
    np.testing.assert_allclose(
        grad, np.exp(log) - soft if batch else x, rtol=tol, atol=4 * tol
    )


def test_cross_entropy_broadcasts():
    x, labels = logits("float32", [4, 3]), np.float32([[0.2, 0.3, 0.5]])
    loss, grad = fed(
        lambda v, t: gen_nn_ops.softmax_cross_entropy_with_logits(v, t), x, labels
    )
    log = scipy.special.log_softmax(x, -1)
    np.testing.assert_allclose(loss, -(log * labels).sum(-1), rtol=1e-5)
    np.testing.assert_allclose(grad, np.exp(log) - labels, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("labels", [[3, 0], [3, 1], [1, 0]])
def test_without_classes_the_loss_is_a_sum_of_nothing(dtype, labels):
    loss, grad = fed(
        lambda v, t: gen_nn_ops.softmax_cross_entropy_with_logits(v, t),
        np.zeros([3, 0], dtype),
        np.ones(labels, dtype),
    )
    assert loss.tolist() == [0, 0, 0] and grad.shape == (3, 0)
