# SPDX-License-Identifier: Apache-2.0
"""A step of convolutional cells and of cells with few weights, against NumPy and SciPy; then a sequence."""

import numpy as np
import pytest
from scipy import signal

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

rnn = tf.contrib.rnn
N, B, D = 6, 3, 4


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def step(cell, inputs, state):
    """(output, state, {short name: value}) of a step in which no variable is zero."""
    output, new_state = cell(
        tf.constant(inputs), tf.nest.map_structure(tf.constant, state)
    )
    variables = tf.global_variables()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i, v in enumerate(variables):
            start = session.run(v)
            v.load(start + 0.3 * draw(*start.shape, seed=50 + i), session)
        values = {"/".join(v.op.name.split("/")[1:]): session.run(v) for v in variables}
        return (*session.run([output, new_state]), values)


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5)


def lstm(gates, c):
    i, j, f, o = np.split(gates, 4, -1)
    c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
    return c, np.tanh(c) * sigmoid(o)


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        (rnn.Conv1DLSTMCell, [7]),
        (rnn.Conv2DLSTMCell, [5, 6]),
        (rnn.Conv3DLSTMCell, [3, 4, 5]),
    ],
)
def test_convolutional_gates(kind, sizes, skip):
    window = [3] * len(sizes)
    cell = kind(input_shape=[*sizes, 2], output_channels=3, kernel_shape=window, skip_connection=skip)  # fmt: skip
    x, c, h = draw(B, *sizes, 2), draw(B, *sizes, 3, seed=1), draw(B, *sizes, 3, seed=2)
    output, state, v = step(cell, x, rnn.LSTMStateTuple(c, h))
    both = np.concatenate([x, h], -1)
    gates = np.zeros([B, *sizes, 12])
    for b in range(B):
        for o in range(12):
            gates[b, ..., o] = v["biases"][o] + sum(
                signal.correlate(both[b, ..., k], v["kernel"][..., k, o], "same")
                for k in range(5)
            )
    c, h = lstm(gates, c)
    close(state.c, c)
    close(state.h, h)
    close(output, np.concatenate([h, x], -1) if skip else h)
    assert list(output.shape[1:]) == cell.output_size.as_list()


def test_a_convolutional_cell_learns_over_a_sequence():
    cell = rnn.ConvLSTMCell(2, [4, 4, 1], 2, [3, 3], use_bias=False)
    outputs, state = tf.nn.dynamic_rnn(cell, draw(B, 5, 4, 4, 1), dtype=tf.float32)
    assert outputs.get_shape().as_list() == [B, 5, 4, 4, 2]
    loss = tf.reduce_mean((outputs[:, -1] - 0.5) ** 2) + tf.reduce_mean(state.c**2)
    train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(5):
            session.run(train)
        assert session.run(loss) < before
    assert [v.op.name for v in tf.trainable_variables()] == ["rnn/conv_lstm_cell/kernel"]  # fmt: skip


def test_shapes_of_convolutional_cells_must_fit():
    with pytest.raises(ValueError, match="Invalid input_shape"):
        rnn.Conv2DLSTMCell(input_shape=[4, 1], output_channels=2, kernel_shape=[3])


def test_simple_recurrent_unit():
    x, c = draw(B, D), draw(B, N, seed=1)
    output, state, v = step(rnn.SRUCell(N), x, c)
    new, f, r, passed = np.split(x @ v["kernel"], 4, 1)
    f, r = np.split(sigmoid(np.concatenate([f, r], 1) + v["bias"]), 2, 1)
    c = f * c + (1 - f) * new
    close(state, c)
    close(output, r * np.tanh(c) + (1 - r) * passed)


def test_independent_units():
    x, h = draw(B, D), draw(B, N, seed=1)
    output, state, v = step(rnn.IndRNNCell(N, tf.nn.relu), x, h)
    close(state, np.maximum(x @ v["kernel_w"] + h * v["kernel_u"] + v["bias"], 0))
    close(output, state)


def test_independent_gru():
    x, h = draw(B, D), draw(B, N, seed=1)
    output, state, v = step(rnn.IndyGRUCell(N), x, h)
    gates = x @ v["gates/kernel_w"] + np.tile(h, 2) * v["gates/kernel_u"] + v["gates/bias"]  # fmt: skip
    r, u = np.split(sigmoid(gates), 2, 1)
    new = np.tanh(x @ v["candidate/kernel_w"] + r * h * v["candidate/kernel_u"] + v["candidate/bias"])  # fmt: skip
    close(state, u * h + (1 - u) * new)
    close(output, state)


def test_independent_lstm():
    x, c, h = draw(B, D), draw(B, N, seed=1), draw(B, N, seed=2)
    output, state, v = step(rnn.IndyLSTMCell(N), x, rnn.LSTMStateTuple(c, h))
    c, h = lstm(x @ v["kernel_w"] + np.tile(h, 4) * v["kernel_u"] + v["bias"], c)
    close(state.c, c)
    close(state.h, h)
    close(output, h)


def test_the_minimal_rnn_cell_is_its_formula():
    x, h = draw(B, D), draw(B, N, seed=1)
    output, state, v = step(rnn.MinimalRNNCell(N), x, h)
    z = np.tanh(x @ v["kernel"])
    u = sigmoid(np.concatenate([z, h], 1) @ v["recurrent_kernel"] + v["bias"])
    close(state, u * h + (1 - u) * z)
    close(output, state)


@pytest.mark.parametrize("name", ["SRUCell", "IndRNNCell", "IndyGRUCell", "IndyLSTMCell", "MinimalRNNCell"])  # fmt: skip
def test_cells_learn_over_a_sequence(name):
    cell = getattr(rnn, name)(N)
    outputs, _ = tf.nn.dynamic_rnn(cell, draw(B, 5, D), dtype=tf.float32)
    loss = tf.reduce_mean((outputs[:, -1] - 0.5) ** 2)
    train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(5):
            session.run(train)
        assert session.run(loss) < before
