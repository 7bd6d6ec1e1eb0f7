# SPDX-License-Identifier: Apache-2.0
"""Tests of cells along several dimensions, a step of each against NumPy's."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

grid = tf.contrib.grid_rnn
B, D, N = 3, 2, 4


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def run(cell, x, state):
    output, new = cell(tf.constant(x), tf.nest.map_structure(tf.constant, state))
    variables = tf.global_variables()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run([v for v in variables])
        names = ["/".join(v.op.name.split("/")[1:]) for v in variables]
        return (*session.run([output, new]), dict(zip(names, values)))


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def rnn_step(v, scope, inputs, h):
    joined = np.concatenate([inputs, h], 1)
    return np.tanh(joined @ v[f"{scope}/kernel"] + v[f"{scope}/bias"])


@pytest.mark.parametrize("tied", [True, False])
def test_two_dimensions_of_basic_cells(tied):
    x, state = draw(B, D), (draw(B, N, seed=1), draw(B, N, seed=2))
    output, new, v = run(grid.Grid2BasicRNNCell(N, tied=tied), x, state)
    scopes = [
        "recurrent/basic_rnn_cell" if tied else f"recurrent/cell_{d}/basic_rnn_cell"
        for d in range(2)
    ]
    fed = x @ v["project_m_0"]
    # Dimension 1 comes first; dimension 0 has priority and sees the output of 1.
    second = rnn_step(v, scopes[1], fed, state[1])
    first = rnn_step(v, scopes[0], fed, second)
    close(new, [first, second])
    close(output, [first])


def test_a_dimension_without_recurrence():
    x, state = draw(B, D), (draw(B, N, seed=2),)
    output, new, v = run(
        grid.Grid2BasicRNNCell(N, non_recurrent_fn=tf.nn.relu), x, state
    )
    fed = x @ v["project_m_0"]
    second = rnn_step(v, "recurrent/cell_1/basic_rnn_cell", fed, state[0])
    scope = "non_recurrent/cell_0/fully_connected"
    both = np.concatenate([fed, second], 1)
    close(output[0], np.maximum(both @ v[f"{scope}/weights"] + v[f"{scope}/biases"], 0))
    close(new[0], second)


@pytest.mark.parametrize("as_tuple", [True, False])
def test_two_dimensions_of_lstms(as_tuple):
    x = draw(B, D)
    parts = [draw(B, N, seed=i) for i in range(4)]
    state = tf.nn.rnn_cell.LSTMStateTuple
    given = (
        (state(*parts[:2]), state(*parts[2:])) if as_tuple else np.concatenate(parts, 1)
    )
    cell = grid.Grid2LSTMCell(
        N, forget_bias=0.5, state_is_tuple=as_tuple, output_is_tuple=as_tuple
    )
    output, new, v = run(cell, x, given)

    def lstm(d, inputs, c, h):
        scope = f"recurrent/cell_{d}/lstm_cell"
        joined = np.concatenate([inputs, h], 1)
        gates = joined @ v[f"{scope}/kernel"] + v[f"{scope}/bias"]
        i, j, f, o = np.split(gates, 4, 1)
        c = sigmoid(f + 0.5) * c + sigmoid(i) * np.tanh(j)
        return c, sigmoid(o) * np.tanh(c)

    fed_c, fed_m = x @ v["project_c_0"], x @ v["project_m_0"]
    c1, h1 = lstm(1, fed_m, parts[2], parts[3])
    c0, h0 = lstm(0, fed_m, fed_c, h1)
    want = np.concatenate([c0, h0, c1, h1], 1)
    close(np.concatenate(tf.nest.flatten(new), 1) if as_tuple else new, want)
    close(output[0] if as_tuple else output, h0)


CELLS = {
    "Grid1BasicRNNCell": 1,
    "Grid2BasicRNNCell": 2,
    "Grid1BasicLSTMCell": 1,
    "Grid2BasicLSTMCell": 2,
    "Grid1LSTMCell": 1,
    "Grid2LSTMCell": 2,
    "Grid3LSTMCell": 3,
    "Grid2GRUCell": 2,
}


@pytest.mark.parametrize("as_tuple", [True, False])
@pytest.mark.parametrize("name", CELLS)
def test_cells_learn_over_a_sequence(name, as_tuple):
    cell = getattr(grid, name)(N, state_is_tuple=as_tuple, output_is_tuple=as_tuple)
    if as_tuple:
        assert len(cell.state_size) == CELLS[name]
    steps = [tf.constant(draw(B, D, seed=i)) for i in range(3)]
    outputs, _ = tf.nn.static_rnn(cell, steps, dtype=tf.float32)
    loss = tf.add_n(
        [tf.reduce_mean(tf.square(o - 0.3)) for o in tf.nest.flatten(outputs)]
    )
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(10):
            session.run(train)
        assert session.run(loss) < before


def test_bad_arguments():
    with pytest.raises(TypeError):
        grid.GridRNNCell(N, num_dims=0)
    with pytest.raises(ValueError, match="Invalid dims"):
        grid.GridRNNCell(N, num_dims=2, input_dims=2)
    with pytest.raises(TypeError, match="cell_fn"):
        grid.GridRNNCell(N, cell_fn=lambda n: n)
    with pytest.raises(ValueError, match="tuple of 2"):
        grid.Grid2BasicRNNCell(N)(tf.zeros([B, D]), (tf.zeros([B, N]),))
