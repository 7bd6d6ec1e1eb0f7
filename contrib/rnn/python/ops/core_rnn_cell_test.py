# SPDX-License-Identifier: Apache-2.0
"""Tests of wrappers that embed and project, of stacks of layers, and of cells of whole sequences."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.rnn.python.ops import core_rnn_cell

pytestmark = pytest.mark.usefixtures("fresh_graph")

rnn = tf.contrib.rnn
N, B, D, T = 4, 3, 5, 6


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def variables():
    return {v.op.name: v for v in tf.global_variables()}


def test_embedding():
    cell = rnn.EmbeddingWrapper(rnn.BasicRNNCell(N), 7, D)
    output, state = cell(tf.constant([[1], [6], [1]]), tf.constant(draw(B, N)))
    got, new, table = run([output, state, variables()["embedding_wrapper/embedding"]])
    assert table.shape == (7, D)
    assert np.abs(table).max() <= 3**0.5
    np.testing.assert_allclose(got, new)


def test_embedding_feeds_the_rows_of_the_ids():
    class Echo(rnn.RNNCell):
        state_size = output_size = D

        def call(self, inputs, state):
            return inputs, state

    cell = rnn.EmbeddingWrapper(
        Echo(), 7, D, initializer=tf.constant_initializer(draw(7, D))
    )
    output, _ = cell(tf.constant([1, 6, 1]), tf.zeros([B, D]))
    np.testing.assert_allclose(run(output), draw(7, D)[[1, 6, 1]])


@pytest.mark.parametrize("activation", [None, tf.nn.relu])
def test_projections(activation):
    act = (lambda x: np.maximum(x, 0)) if activation else (lambda x: x)
    x, h = draw(B, D), draw(B, N, seed=1)
    inner = rnn.BasicRNNCell(N)
    cell = rnn.InputProjectionWrapper(
        rnn.OutputProjectionWrapper(inner, 2, activation), 3, activation
    )
    assert (cell.output_size, cell.state_size) == (2, N)
    output, state = cell(tf.constant(x), tf.constant(h))
    names = list(variables())
    got, new, values = run([output, state, list(variables().values())])
    v = dict(zip(names, values))
    outer = "input_projection_wrapper"
    middle = f"{outer}/output_projection_wrapper"
    fed = act(x @ v[f"{outer}/kernel"] + v[f"{outer}/bias"])
    cell_scope = f"{middle}/basic_rnn_cell"
    want_state = np.tanh(
        np.concatenate([fed, h], 1) @ v[f"{cell_scope}/kernel"]
        + v[f"{cell_scope}/bias"]
    )
    np.testing.assert_allclose(new, want_state, rtol=1e-4, atol=1e-5)
    want = act(want_state @ v[f"{middle}/kernel"] + v[f"{middle}/bias"])
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_bad_arguments():
    cell = rnn.GRUCell(N)
    with pytest.raises(ValueError, match="must be > 0"):
        rnn.EmbeddingWrapper(cell, 0, 3)
    with pytest.raises(ValueError, match="output_size"):
        rnn.OutputProjectionWrapper(cell, 0)
    for wrapper in (rnn.InputProjectionWrapper, rnn.OutputProjectionWrapper):
        with pytest.raises(TypeError):
            wrapper("cell", 3)
    with pytest.raises(ValueError, match="2D"):
        core_rnn_cell._linear([tf.zeros([2, 3, 4])], 2, True)
    with pytest.raises(ValueError, match="specified"):
        core_rnn_cell._linear([], 2, True)


def stacked(x, lengths, values, layers=2):
    """outputs [T, B, 2 N] and last states of layers of BasicRNNCells both ways."""

    def one(x, w, b):
        h, outputs = np.zeros((B, N)), []
        for t in range(T):
            fresh = np.tanh(np.concatenate([x[t], h], 1) @ w + b)
            live = (t < lengths)[:, None]
            h = np.where(live, fresh, h)
            outputs.append(np.where(live, fresh, 0))
        return np.stack(outputs), h

    def turn(x):
        y = x.copy()
        for b, n in enumerate(lengths):
            y[:n, b] = x[:n, b][::-1]
        return y

    ends = []
    for i in range(layers):
        w = {k: v for k, v in values.items() if f"cell_{i}/" in k}
        fw, bw = (
            [next(v for k, v in w.items() if f"/{way}/" in k and part in k)
             for part in ("kernel", "bias")]
            for way in ("fw", "bw")
        )  # fmt: skip
        forwards, end_fw = one(x, *fw)
        backwards, end_bw = one(turn(x), *bw)
        x = np.concatenate([forwards, turn(backwards)], 2)
        ends.append((end_fw, end_bw))
    return x, ends


@pytest.mark.parametrize("dynamic", [True, False])
def test_stacks_of_both_ways(dynamic):
    x, lengths = draw(T, B, D), np.array([6, 2, 4])
    cells = [[rnn.BasicRNNCell(N) for _ in range(2)] for _ in range(2)]
    if dynamic:
        batch_first = tf.constant(x.transpose(1, 0, 2))
        outputs, fw, bw = rnn.stack_bidirectional_dynamic_rnn(
            *cells, batch_first, dtype=tf.float32, sequence_length=lengths
        )
        outputs = tf.transpose(outputs, [1, 0, 2])
    else:
        outputs, fw, bw = rnn.stack_bidirectional_rnn(
            *cells,
            tf.unstack(tf.constant(x)),
            dtype=tf.float32,
            sequence_length=lengths,
        )
        outputs = tf.stack(outputs)
    names = list(variables())
    got, states_fw, states_bw, values = run(
        [outputs, fw, bw, list(variables().values())]
    )
    assert all(n.startswith("stack_bidirectional_rnn/cell_") for n in names)
    want, ends = stacked(x, lengths, dict(zip(names, values)))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    for mine, theirs in zip(zip(states_fw, states_bw), ends):
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)


def test_stacks_need_as_many_cells_both_ways():
    cell, x = rnn.GRUCell(N), [tf.zeros([B, D])]
    for fw, bw in (([cell], []), ([cell, cell], [cell]), (cell, [cell])):
        with pytest.raises(ValueError):
            rnn.stack_bidirectional_rnn(fw, bw, x, dtype=tf.float32)
    with pytest.raises(ValueError, match="initial_states_fw"):
        rnn.stack_bidirectional_rnn(
            [cell], [rnn.GRUCell(N)], x, initial_states_fw=[], dtype=tf.float32
        )


@pytest.mark.parametrize("dynamic", [True, False])
@pytest.mark.parametrize("as_list", [True, False])
def test_adapted_cells(dynamic, as_list):
    x = tf.constant(draw(T, B, D))
    lengths = tf.constant([6, 2, 4])
    cell = rnn.BasicLSTMCell(N)
    want = tf.nn.dynamic_rnn(
        cell, x, sequence_length=lengths, dtype=tf.float32, time_major=True, scope="s"
    )
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        outputs, state = rnn.FusedRNNCellAdaptor(cell, dynamic)(
            tf.unstack(x) if as_list else x,
            dtype=tf.float32,
            sequence_length=lengths,
            scope="s",
        )
    assert isinstance(outputs, list) == as_list
    got = run([want, (tf.stack(outputs) if as_list else outputs, state)])
    for a, b in zip(tf.nest.flatten(got[0]), tf.nest.flatten(got[1])):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("lengths", [None, np.array([6, 2, 4])])
@pytest.mark.parametrize("as_list", [True, False])
def test_reversed_cells(lengths, as_list):
    x = draw(T, B, D)
    inner = rnn.FusedRNNCellAdaptor(rnn.GRUCell(N), True)
    given = tf.unstack(tf.constant(x)) if as_list else tf.constant(x)
    outputs, state = rnn.TimeReversedFusedRNN(inner)(
        given, dtype=tf.float32, sequence_length=lengths, scope="s"
    )
    assert isinstance(outputs, list) == as_list

    def turn(x):
        y = x.copy()
        for b, n in enumerate([T] * B if lengths is None else lengths):
            y[:n, b] = x[:n, b][::-1]
        return y

    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        want, end = inner(
            tf.constant(turn(x)), dtype=tf.float32, sequence_length=lengths, scope="s"
        )
    got, want, ends = run([tf.stack(outputs), want, (state, end)])
    np.testing.assert_allclose(got, turn(want), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(*ends, rtol=1e-5, atol=1e-6)
