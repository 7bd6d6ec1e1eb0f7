# SPDX-License-Identifier: Apache-2.0
"""LSTMBlockCell and BlockLSTM against their formulas in NumPy, their gradients against differences of these."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_rnn_ops
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

# Places of i, ci, f, o.
ORDER = (0, 1, 2, 3)
ORDER_V2 = (0, 2, 1, 3)
OUTPUTS = ("i", "cs", "f", "o", "ci", "co", "h")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def steps(x, cs, h, w, wci, wcf, wco, b, bias=1.0, clip=0.0, peep=False, order=ORDER):
    """The outputs of all steps of x [time, batch, inputs], each [time, batch, cell], in double precision."""
    kept = []
    for row in np.asarray(x, np.float64):
        gates = np.concatenate([row, h], 1) @ w + b
        i, ci, f, o = (np.split(gates, 4, 1)[place] for place in order)
        i = sigmoid(i + peep * wci * cs)
        f = sigmoid(f + bias + peep * wcf * cs)
        ci = np.tanh(ci)
        cs = ci * i + cs * f
        if clip > 0:
            cs = np.clip(cs, -clip, clip)
        o = sigmoid(o + peep * wco * cs)
        co = np.tanh(cs)
        h = co * o
        kept.append([i, cs, f, o, ci, co, h])
    return [np.stack(column) for column in zip(*kept)]


def draw(time, batch, inputs, cell, dtype=np.float32, seed=0, scale=0.5):
    """x, cs_prev, h_prev, w, wci, wcf, wco, b."""
    rng = np.random.RandomState(seed)
    shapes = [
        [time, batch, inputs], [batch, cell], [batch, cell], [inputs + cell, 4 * cell],
        [cell], [cell], [cell], [4 * cell],
    ]  # fmt: skip
    return [rng.normal(scale=scale, size=s).astype(dtype) for s in shapes]


def wide(arrays):
    return [a.astype(np.float64) for a in arrays]


# A vector of every processor, less one, and odd sizes; one unit; no inputs.
SIZES = [(3, 4, 5, 7), (2, 1, 3, 1), (4, 3, 0, 16), (2, 5, 8, 33), (1, 2, 3, 20)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("peep", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_cell_is_its_formula(size, peep, dtype):
    x, *rest = draw(*size, dtype)
    got = fed(
        lambda *a: gen_rnn_ops.lstm_block_cell(
            *a, forget_bias=0.7, cell_clip=0.4, use_peephole=peep
        ),
        x[0], *rest,
    )  # fmt: skip
    want = steps(x[:1].astype(np.float64), *wide(rest), 0.7, 0.4, peep)
    assert got._fields == OUTPUTS
    for name, a, b in zip(OUTPUTS, got, want):
        assert a.dtype == dtype
        tolerance = 2e-6 if dtype == np.float32 else 2e-3
        np.testing.assert_allclose(a, b[0], tolerance, tolerance, err_msg=name)
    assert size[3] < 7 or abs(got.cs).max() == dtype(0.4)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("peep", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("version", [1, 2])
def test_a_sequence_is_its_steps(size, peep, dtype, version):
    arrays = draw(*size, dtype)
    for length in {size[0], size[0] - 1, 0}:
        if version == 1:
            got = fed(
                lambda *a: gen_rnn_ops.block_lstm(
                    *a, forget_bias=-0.3, cell_clip=0.5, use_peephole=peep
                ),
                np.int64(length), *arrays,
            )  # fmt: skip
            want = steps(*wide(arrays), -0.3, 0.5, peep)
        else:
            got = fed(
                lambda *a: gen_rnn_ops.block_lstmv2(*a, use_peephole=peep),
                np.int64(length), *arrays,
            )  # fmt: skip
            want = steps(*wide(arrays), 0, 0, peep, ORDER_V2)
        for name, a, b in zip(OUTPUTS, got, want):
            assert a.dtype == dtype
            b[length:] = 0
            tolerance = 5e-6 if dtype == np.float32 else 5e-3
            np.testing.assert_allclose(a, b, tolerance, tolerance, err_msg=name)


def numeric(value, arrays, directions, by):
    """The derivative of value(arrays) along a direction of one of them."""
    ends = []
    for sign in (1e-6, -1e-6):
        moved = list(arrays)
        moved[by] = moved[by] + sign * directions[by]
        ends.append(value(moved))
    return (ends[0] - ends[1]) / 2e-6


def check_gradients(build, value, arrays, upstream, exempt=()):
    """Compares gradients of sum(cs * upstream[0]) + sum(h * upstream[1]) with those of `value` in double precision."""
    rng = np.random.RandomState(5)
    directions = [rng.normal(size=a.shape) for a in arrays]
    with tf.Session() as session:
        tensors = [tf.placeholder(tf.as_dtype(a.dtype)) for a in arrays]
        out = build(*tensors)
        grads = tf.gradients(
            [out.cs, out.h], tensors, [tf.constant(u) for u in upstream]
        )
        found = session.run(grads, dict(zip(tensors, arrays)))
    for by, (grad, direction) in enumerate(zip(found, directions)):
        assert grad.dtype == arrays[by].dtype and grad.shape == arrays[by].shape
        want = 0.0 if by in exempt else numeric(value, wide(arrays), directions, by)
        np.testing.assert_allclose(
            np.sum(grad * direction), want, rtol=2e-4, atol=2e-5, err_msg=str(by)
        )


@pytest.mark.parametrize("peep", [False, True])
@pytest.mark.parametrize("size", [(1, 3, 4, 5), (1, 2, 3, 18), (1, 2, 0, 3)])
def test_gradient_of_a_cell(peep, size):
    x, *rest = draw(*size)
    rng = np.random.RandomState(1)
    upstream = [rng.normal(size=[size[1], size[3]]).astype(np.float32) for _ in "ch"]

    def value(arrays):
        out = steps(arrays[0][None], *arrays[1:], 0.5, 0, peep)
        return np.sum(out[1] * upstream[0]) + np.sum(out[6] * upstream[1])

    check_gradients(
        lambda *a: gen_rnn_ops.lstm_block_cell(
            *a, forget_bias=0.5, cell_clip=0, use_peephole=peep
        ),
        value,
        [x[0], *rest],
        upstream,
        exempt=() if peep else (4, 5, 6),
    )


@pytest.mark.parametrize("peep", [False, True])
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "size", [(4, 3, 4, 5), (3, 2, 3, 18), (1, 2, 2, 3), (2, 2, 0, 3)]
)
def test_gradient_of_a_sequence(peep, version, size):
    arrays = draw(*size)
    time, batch, _, cell = size
    rng = np.random.RandomState(1)
    upstream = [rng.normal(size=[time, batch, cell]).astype(np.float32) for _ in "ch"]
    length = max(1, time - 1)

    def value(arrays):
        bias, order = (0.5, ORDER) if version == 1 else (0, ORDER_V2)
        out = steps(arrays[0][:length], *arrays[1:], bias, 0, peep, order)
        return sum(np.sum(out[k] * u[:length]) for k, u in zip((1, 6), upstream))

    def build(*a):
        if version == 2:
            return gen_rnn_ops.block_lstmv2(length, *a, use_peephole=peep)
        return gen_rnn_ops.block_lstm(
            length, *a, forget_bias=0.5, cell_clip=0, use_peephole=peep
        )

    check_gradients(build, value, arrays, upstream, () if peep else (4, 5, 6))


def test_the_gradient_of_h_alone():
    arrays = draw(3, 2, 3, 4)

    def value(arrays):
        return np.sum(steps(*arrays, 1, 0)[6])

    with tf.Session() as session:
        x = tf.constant(arrays[0])
        out = gen_rnn_ops.block_lstm(3, x, *arrays[1:], cell_clip=0)
        grad = session.run(tf.gradients(out.h, x)[0])
    direction = np.random.RandomState(2).normal(size=grad.shape)
    want = numeric(value, wide(arrays), [direction], 0)
    np.testing.assert_allclose(np.sum(grad * direction), want, rtol=1e-4)


@pytest.mark.parametrize("op", ["cell", "sequence"])
def test_half_gradients_are_those_of_floats(op):
    arrays = draw(3, 2, 5, 6, np.float16)
    if op == "cell":
        arrays[0] = arrays[0][0]

    def grads(dtype):
        with tf.Graph().as_default(), tf.Session() as session:
            inputs = [tf.constant(a.astype(dtype)) for a in arrays]
            if op == "cell":
                out = gen_rnn_ops.lstm_block_cell(*inputs, use_peephole=True)
            else:
                out = gen_rnn_ops.block_lstm(3, *inputs, use_peephole=True)
            return session.run(tf.gradients([out.h, out.cs], inputs))

    for half, single in zip(grads(np.float16), grads(np.float32)):
        assert half.dtype == np.float16
        np.testing.assert_allclose(half, single, rtol=2e-2, atol=1e-2)


def test_clipping_keeps_a_nan():
    arrays = draw(1, 2, 3, 5)
    arrays[1][1, 2] = np.nan
    got = fed(
        lambda *a: gen_rnn_ops.lstm_block_cell(*a, cell_clip=0.1),
        arrays[0][0],
        *arrays[1:],
    )
    assert np.isnan(got.cs[1, 2]) and np.isnan(got.cs).sum() == 1


BAD = {
    0: (np.zeros([2, 3, 5], np.float32), "imension"),
    1: (np.zeros([3, 4], np.float32), "imension"),
    2: (np.zeros([2, 5], np.float32), "imension"),
    3: (np.zeros([6, 16], np.float32), "imension"),
    4: (np.zeros([1, 4], np.float32), "rank 1"),
    6: (np.zeros([5], np.float32), "imension"),
    7: (np.zeros([15], np.float32), "imension|divisible"),
}


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("at", sorted(BAD))
def test_shapes_that_do_not_fit_are_errors(at, known):
    arrays = draw(2, 2, 3, 4)
    arrays[at], words = BAD[at]
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(
            lambda *a: gen_rnn_ops.block_lstm(*a, use_peephole=True),
            np.int64(2), *arrays,
            known=known,
        )  # fmt: skip


@pytest.mark.parametrize("length", [-1, 3])
def test_the_length_must_be_that_of_x_at_most(length):
    arrays = draw(2, 2, 3, 4)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"seq_len_max must be in \[0, 2\]"
    ):
        fed(gen_rnn_ops.block_lstm, np.int64(length), *arrays)


def test_gradients_of_a_gradient_are_refused():
    arrays = [tf.constant(a) for a in draw(2, 2, 3, 4)]
    out = gen_rnn_ops.block_lstm(2, *arrays)
    (grad,) = tf.gradients(out.h, arrays[0])
    with pytest.raises(LookupError, match="BlockLSTMGrad"):
        tf.gradients(grad, arrays[0])
