# SPDX-License-Identifier: Apache-2.0
"""tf.gather_nd of batches, against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import array_ops
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_PARAMS = np.random.RandomState(0).normal(size=[2, 3, 4, 5])


def _indices(batch_dims, middle, depth, dtype=np.int32):
    sizes = _PARAMS.shape[batch_dims : batch_dims + depth]
    shape = [*_PARAMS.shape[:batch_dims], *middle]
    random = np.random.RandomState(1)
    columns = [random.randint(0, n, size=shape) for n in sizes]
    empty = np.zeros([*shape, 0], int)
    return (np.stack(columns, -1) if columns else empty).astype(dtype)


def _each(params, indices, batch_dims):
    """gather_nd of each element of the batch."""
    if batch_dims == 0 and indices.shape[-1] == 0:
        return np.broadcast_to(params, indices.shape[:-1] + params.shape)
    if batch_dims == 0:
        return params[tuple(np.moveaxis(indices, -1, 0))]
    pairs = zip(params, indices, strict=True)
    return np.stack([_each(p, i, batch_dims - 1) for p, i in pairs])


_CASES = [
    (0, (3,), 2),
    (1, (), 1),
    (1, (), 3),
    (1, (2, 2), 2),
    (2, (), 1),
    (2, (4,), 2),
    (2, (0,), 1),
    (3, (), 1),
    (3, (2,), 1),
    (1, (2,), 0),
]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(("batch_dims", "middle", "depth"), _CASES)
def test_batches_are_gathered_from_each_on_its_own(batch_dims, middle, depth, dtype):
    indices = _indices(batch_dims, middle, depth, dtype)
    expected = _each(_PARAMS, indices, batch_dims)
    known = tf.gather_nd(_PARAMS, indices, batch_dims=batch_dims)
    assert known.shape.as_list() == list(expected.shape)
    np.testing.assert_array_equal(evaluate(known), expected)
    for shapes in (([None] * 4, [None] * indices.ndim), (None, None)):
        x = tf.placeholder(tf.float64, shapes[0])
        i = tf.placeholder(dtype, shapes[1])
        result = tf.gather_nd(x, i, batch_dims=tf.constant(batch_dims))
        got = evaluate(result, {x: _PARAMS, i: indices})
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(("batch_dims", "middle", "depth"), _CASES)
def test_gradients(batch_dims, middle, depth):
    indices = _indices(batch_dims, middle, depth)
    if indices.size == 0 and depth:
        return
    with tf.Session():
        x = tf.constant(_PARAMS)
        y = tf.gather_nd(x, indices, batch_dims=batch_dims)
        error = tf.test.compute_gradient_error(
            x, x.shape.as_list(), y, y.shape.as_list()
        )
    assert error < 1e-8


@pytest.mark.parametrize(
    ("batch_dims", "shape", "words"),
    [
        (-1, [2, 1], "must be >= 0, got -1"),
        (2, [2, 1], "less than the rank of indices 2, got 2"),
        (1, [3, 1], "incompatible"),
        (2, [3, 2, 1], "incompatible"),
        (5, [2, 3, 4, 5, 1, 1], "rank"),
    ],
)
def test_batches_that_do_not_fit_are_refused(batch_dims, shape, words):
    with pytest.raises(ValueError, match=words):
        tf.gather_nd(_PARAMS, np.zeros(shape, np.int32), batch_dims=batch_dims)


@pytest.mark.parametrize("shape", [[3, 1], [1, 1], [3, 2, 1]])
def test_batches_that_only_the_run_knows_not_to_fit(shape):
    i = tf.placeholder(tf.int32)
    result = tf.gather_nd(_PARAMS, i, batch_dims=len(shape) - 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch dimensions"):
        evaluate(result, {i: np.zeros(shape)})
    with pytest.raises(ValueError, match="batch_dims"):
        tf.gather_nd(_PARAMS, i, batch_dims=tf.placeholder(tf.int32, []))


def test_indices_out_of_range_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index into"):
        evaluate(tf.gather_nd(_PARAMS, [[3], [0]], batch_dims=1))


def test_a_mask_may_come_with_its_axis():
    x = np.arange(6).reshape(2, 3)
    mask = np.array([True, False, True])
    with tf.Session() as session:
        got = session.run(array_ops.boolean_mask_v2(x, mask, 1))
    np.testing.assert_array_equal(got, x[:, mask])
