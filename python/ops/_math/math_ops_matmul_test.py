# SPDX-License-Identifier: Apache-2.0
"""tf.matmul of batches that are not the same, against NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

# The outer dimensions of a [..., 3, 4] and b [..., 4, 5].
_BATCHES = [
    ((2,), ()),
    ((6, 2), ()),
    ((0,), ()),
    ((), (2,)),
    ((), (0,)),
    ((2,), (1,)),
    ((1,), (2,)),
    ((6, 2), (2,)),
    ((6, 1), (1, 2)),
    ((1, 6, 1), (3, 1, 2)),
    ((2,), (2,)),
]
# The forms of an operand: as it is, transposed, adjointed.
_TRANSPOSES = ("", "transpose", "adjoint")


def _operands(batches, dtype, transposes):
    """NumPy's operands, those to give to matmul, and its arguments."""
    random = np.random.RandomState(7)
    plain, given, arguments = [], [], {}
    sizes = ((3, 4), (4, 5))
    for name, batch, size, how in zip("ab", batches, sizes, transposes, strict=True):
        x = random.randint(-5, 6, size=[*batch, *size]).astype(dtype)
        if np.dtype(dtype).kind == "c":
            x = x + 1j * random.randint(-5, 6, size=x.shape).astype(dtype)
        plain.append(x)
        turned = np.swapaxes(x, -1, -2) if how else x
        given.append(np.conj(turned) if how == "adjoint" else turned)
        if how:
            arguments[f"{how}_{name}"] = True
    return plain, given, arguments


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.complex64])
@pytest.mark.parametrize("transposes", list(itertools.product(_TRANSPOSES, repeat=2)))
@pytest.mark.parametrize("batches", _BATCHES)
def test_batches_are_broadcast(batches, transposes, dtype):
    (a, b), given, arguments = _operands(batches, dtype, transposes)
    product = tf.matmul(*given, **arguments)
    expected = np.matmul(a, b)
    assert product.shape.as_list() == list(expected.shape)
    np.testing.assert_array_equal(evaluate(product), expected)


@pytest.mark.parametrize("transposes", list(itertools.product(_TRANSPOSES, repeat=2)))
@pytest.mark.parametrize("batches", [((2,), ()), ((), (2,)), ((6, 1), (2,))])
def test_sizes_that_only_the_run_knows(batches, transposes):
    (a, b), given, arguments = _operands(batches, np.float32, transposes)
    fed = [
        tf.placeholder(tf.float32, [1 if n == 1 else None for n in batch] + [None] * 2)
        for batch in batches
    ]
    product = tf.matmul(*fed, **arguments)
    expected = np.matmul(a, b)
    assert product.shape.ndims == expected.ndim
    got = evaluate(product, dict(zip(fed, given, strict=True)))
    np.testing.assert_array_equal(got, expected)


def test_a_batch_by_a_matrix_is_one_product_of_matrices():
    kinds = tf.matmul(np.ones([7, 3, 4]), np.ones([4, 5])).graph.get_operations()
    assert "MatMul" in [op.type for op in kinds]
    assert "BatchMatMul" not in [op.type for op in kinds]
    x = tf.placeholder(tf.float32, [None, None, 4])
    assert tf.matmul(x, tf.ones([4, 5])).shape.as_list() == [None, None, 5]
    assert tf.matmul(x, tf.ones([5, 4]), transpose_b=True).shape.as_list()[2] == 5


def test_equal_batches_cost_nothing():
    x = tf.placeholder(tf.float32, [None, 3, 4])
    y = tf.placeholder(tf.float32, [None, 4, 5])
    before = len(x.graph.get_operations())
    tf.matmul(x, y)
    assert len(x.graph.get_operations()) == before + 1


@pytest.mark.parametrize("transposes", [("", ""), ("transpose", "adjoint")])
@pytest.mark.parametrize("batches", [((2,), ()), ((), (2,)), ((3, 1), (2,))])
def test_gradients_add_up_over_what_was_broadcast(batches, transposes):
    _, given, arguments = _operands(batches, np.float64, transposes)
    with tf.Session():
        operands = [tf.constant(x) for x in given]
        product = tf.matmul(*operands, **arguments)
        for x, value in zip(operands, given, strict=True):
            error = tf.test.compute_gradient_error(
                x, value.shape, product, product.shape.as_list(), x_init_value=value
            )
            assert error < 1e-6


def test_operators_and_matvec_broadcast_too():
    a, b = np.random.RandomState(0).normal(size=[2, 3, 4]), np.ones([4, 2])
    np.testing.assert_allclose(evaluate(tf.constant(a) @ b), a @ b)
    np.testing.assert_allclose(
        evaluate(b.T @ tf.constant(a.swapaxes(1, 2))), b.T @ a.swapaxes(1, 2)
    )
    x = np.random.RandomState(1).normal(size=[2, 4])
    expected = np.einsum("ij,bj->bi", a[0], x)
    np.testing.assert_allclose(evaluate(tf.linalg.matvec(a[0], x)), expected)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 3, 4), (2, 4, 5)),
        ((2, 3, 4), (0, 4, 5)),
        ((2, 3, 4), (3, 5)),
        ((3, 4), (2, 3, 5)),
        ((2, 3, 4), (4,)),
        ((4,), (4, 5)),
    ],
)
def test_what_does_not_fit_is_refused(a, b):
    with pytest.raises(ValueError):
        tf.matmul(np.ones(a), np.ones(b))


def test_beside_a_matrix_is_a_matrix():
    product = tf.matmul(tf.placeholder(tf.float32), tf.ones([4, 5]))
    assert product.op.type == "MatMul" and product.shape.as_list() == [None, 5]


@pytest.mark.parametrize("ranks", [(None, None), (None, 3), (3, 3)])
@pytest.mark.parametrize(
    "batches", [((1,), (5,)), ((), (2, 3)), ((4, 1), (3,)), ((), ())]
)
def test_ranks_and_batches_that_only_the_run_knows(ranks, batches):
    (a, b), given, _ = _operands(batches, np.float64, ("", ""))
    known = [None if r is None else [None] * r for r in ranks]
    if any(r is not None and r != x.ndim for r, x in zip(ranks, (a, b))):
        return
    fed = [tf.placeholder(tf.float64, shape) for shape in known]
    feed = dict(zip(fed, given, strict=True))
    product = tf.matmul(*fed)
    np.testing.assert_allclose(evaluate(product, feed), np.matmul(a, b))
    grads = evaluate(tf.gradients(tf.reduce_sum(product * product), fed), feed)
    for grad, x in zip(grads, (a, b)):
        assert grad.shape == x.shape
    with tf.Session():
        direction = np.random.RandomState(0).normal(size=a.shape)
        ends = [np.sum(np.matmul(a + h * direction, b) ** 2) for h in (1e-4, -1e-4)]
        want = (ends[0] - ends[1]) / 2e-4
        np.testing.assert_allclose(np.sum(grads[0] * direction), want, rtol=1e-5)
