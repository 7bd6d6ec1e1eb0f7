# SPDX-License-Identifier: Apache-2.0
"""GRUBlockCell against its formula in NumPy, its gradient against differences of that."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_rnn_ops
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(x, h_prev, w_ru, w_c, b_ru, b_c):
    """r, u, c, h."""
    r, u = np.split(sigmoid(np.concatenate([x, h_prev], 1) @ w_ru + b_ru), 2, 1)
    c = np.tanh(np.concatenate([x, h_prev * r], 1) @ w_c + b_c)
    return r, u, c, (1 - u) * c + u * h_prev


def draw(batch, inputs, cell, seed=0):
    rng = np.random.RandomState(seed)
    rows = inputs + cell
    shapes = [
        [batch, inputs], [batch, cell], [rows, 2 * cell], [rows, cell], [2 * cell], [cell],
    ]  # fmt: skip
    return [rng.normal(scale=0.7, size=s).astype(np.float32) for s in shapes]


SIZES = [
    (4, 5, 7),
    (1, 3, 1),
    (3, 0, 16),
    (5, 8, 33),
    (0, 2, 3),
    (2, 40, 20),
    (2, 3, 0),
]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_a_cell_is_its_formula(size, known):
    arrays = draw(*size)
    got = fed(gen_rnn_ops.gru_block_cell, *arrays, known=known)
    want = step(*(a.astype(np.float64) for a in arrays))
    for name, a, b in zip(got._fields, got, want):
        assert a.dtype == np.float32
        np.testing.assert_allclose(a, b, 3e-6, 3e-6, err_msg=name)


@pytest.mark.parametrize("size", SIZES)
def test_gradient(size):
    arrays = draw(*size)
    rng = np.random.RandomState(1)
    upstream = rng.normal(size=[size[0], size[2]]).astype(np.float32)
    inputs = [tf.placeholder(tf.float32) for _ in arrays]
    h = gen_rnn_ops.gru_block_cell(*inputs).h
    with tf.Session() as session:
        found = session.run(
            tf.gradients(h, inputs, tf.constant(upstream)), dict(zip(inputs, arrays))
        )
    for by, grad in enumerate(found):
        assert grad.shape == arrays[by].shape
        direction = rng.normal(size=grad.shape)
        ends = []
        for sign in (1e-6, -1e-6):
            moved = [a.astype(np.float64) for a in arrays]
            moved[by] += sign * direction
            ends.append(np.sum(step(*moved)[3] * upstream))
        want = (ends[0] - ends[1]) / 2e-6
        np.testing.assert_allclose(
            np.sum(grad * direction), want, rtol=2e-4, atol=2e-5, err_msg=str(by)
        )


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("at", range(6))
def test_shapes_that_do_not_fit_are_errors(at, known):
    arrays = draw(2, 3, 4)
    arrays[at] = np.zeros([s + 1 for s in arrays[at].shape], np.float32)
    with pytest.raises(
        (tf.errors.InvalidArgumentError, ValueError), match="imension|divisible"
    ):
        fed(gen_rnn_ops.gru_block_cell, *arrays, known=known)


def test_gradients_of_a_gradient_are_refused():
    arrays = [tf.constant(a) for a in draw(2, 3, 4)]
    (grad,) = tf.gradients(gen_rnn_ops.gru_block_cell(*arrays).h, arrays[0])
    with pytest.raises(LookupError, match="GRUBlockCellGrad"):
        tf.gradients(grad, arrays[0])
