# SPDX-License-Identifier: Apache-2.0
"""Tests of decoders, helpers, beam search and the loss, against loops in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

s2s = tf.contrib.seq2seq
B, T, D, N, V = 3, 5, 4, 6, 5


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run([fetches, {v.op.name: v for v in tf.global_variables()}])


@pytest.mark.parametrize("time_major", [True, False])
@pytest.mark.parametrize("impute", [True, False])
def test_training_helper_is_dynamic_rnn(impute, time_major):
    x, lengths = draw(B, T, D), [5, 2, 3]
    cell = tf.nn.rnn_cell.LSTMCell(N)
    given = tf.constant(x.transpose(1, 0, 2) if time_major else x)
    helper = s2s.TrainingHelper(given, lengths, time_major)
    first = cell.zero_state(B, tf.float32)
    decoder = s2s.BasicDecoder(cell, helper, first)
    outputs, state, ends = s2s.dynamic_decode(
        decoder, output_time_major=time_major, impute_finished=impute, scope="s"
    )
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        want = tf.nn.dynamic_rnn(
            cell,
            tf.constant(x),
            sequence_length=lengths,
            initial_state=first,
            scope="s",
        )
    (got, state, ends, want), _ = run([outputs, state, ends, want])
    rnn_output, ids = got
    if time_major:
        rnn_output, ids = rnn_output.transpose(1, 0, 2), ids.T
    np.testing.assert_array_equal(ends, lengths)
    inside = np.arange(T) < np.array(lengths)[:, None]
    np.testing.assert_allclose(rnn_output[inside], want[0][inside], rtol=1e-5)
    np.testing.assert_array_equal(ids[inside], want[0].argmax(2)[inside])
    if impute:
        np.testing.assert_array_equal(rnn_output[~inside], 0)
        np.testing.assert_allclose(state, want[1], rtol=1e-5, atol=1e-6)


def test_at_most_so_many_steps():
    cell = tf.nn.rnn_cell.GRUCell(N)
    helper = s2s.TrainingHelper(tf.constant(draw(B, T, D)), [5, 2, 3])
    decoder = s2s.BasicDecoder(cell, helper, cell.zero_state(B, tf.float32))
    outputs, _, ends = s2s.dynamic_decode(decoder, maximum_iterations=3)
    (outputs, ends), _ = run([outputs, ends])
    assert outputs.rnn_output.shape == (B, 3, N)
    np.testing.assert_array_equal(ends, [3, 2, 3])


def rnn_step(v, scope, x, h):
    return np.tanh(
        np.concatenate([x, h], 1) @ v[f"{scope}/kernel"] + v[f"{scope}/bias"]
    )


def test_greedy_decoding():
    table = draw(V, D)
    cell = tf.nn.rnn_cell.BasicRNNCell(N)
    helper = s2s.GreedyEmbeddingHelper(tf.constant(table), [1, 2, 3], 0)
    layer = tf.layers.Dense(V, name="logits")
    decoder = s2s.BasicDecoder(cell, helper, tf.constant(draw(B, N, seed=2)), layer)
    outputs, _, ends = s2s.dynamic_decode(decoder, maximum_iterations=6)
    assert outputs.rnn_output.shape.as_list()[2] == V
    (got, ends), v = run([outputs, ends])
    ids, h, done = np.array([1, 2, 3]), draw(B, N, seed=2), np.zeros(B, bool)
    want_ends = np.zeros(B)
    for t in range(got.sample_id.shape[1]):
        h = rnn_step(v, "decoder/basic_rnn_cell", table[ids], h)
        logits = h @ v["decoder/logits/kernel"] + v["decoder/logits/bias"]
        ids = logits.argmax(1)
        want_ends[~done] = t + 1
        done |= ids == 0
        np.testing.assert_allclose(got.rnn_output[:, t], logits, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(got.sample_id[:, t], ids)
    np.testing.assert_array_equal(ends, want_ends)


def test_sampled_ids_follow_the_logits():
    logits = tf.constant(np.log([[0.2, 0.8]] * 2000), tf.float32)
    helper = s2s.SampleEmbeddingHelper(tf.eye(2), [0] * 2000, 1, seed=1)
    ids = helper.sample(time=tf.constant(0), outputs=logits, state=())
    finished, _, _ = helper.next_inputs(0, logits, (), ids)
    (ids, finished), _ = run([ids, finished])
    assert 0.75 < ids.mean() < 0.85
    np.testing.assert_array_equal(finished, ids == 1)


def test_scheduled_embedding():
    x = draw(200, 2, D)
    helper = s2s.ScheduledEmbeddingTrainingHelper(
        tf.constant(x), [2] * 200, tf.constant(draw(V, D, seed=1)), 0.5, seed=1
    )
    ids = helper.sample(tf.constant(0), tf.zeros([200, V]), ())
    finished, following, _ = helper.next_inputs(tf.constant(0), None, (), ids)
    (ids, finished, following), _ = run([ids, finished, following])
    assert 60 < (ids == -1).sum() < 140 and not finished.any()
    want = np.where((ids == -1)[:, None], x[:, 1], draw(V, D, seed=1)[ids])
    np.testing.assert_allclose(following, want)


@pytest.mark.parametrize("layer", [None, 2.0])
def test_scheduled_outputs(layer):
    x, more, out = draw(200, 2, D), draw(200, 2, 3, seed=1), draw(200, D, seed=2)
    helper = s2s.ScheduledOutputTrainingHelper(
        tf.constant(x),
        [2] * 200,
        0.5,
        seed=1,
        next_input_layer=layer and (lambda y: y * layer),
        auxiliary_inputs=tf.constant(more),
    )
    ids = helper.sample(tf.constant(0), tf.constant(out), ())
    _, following, _ = helper.next_inputs(tf.constant(0), tf.constant(out), (), ids)
    (ids, following), _ = run([ids, following])
    assert 60 < ids.sum() < 140
    want = np.where(ids[:, None], out * (layer or 1), x[:, 1])
    np.testing.assert_allclose(following, np.concatenate([want, more[:, 1]], 1))
    cell = tf.nn.rnn_cell.GRUCell(D)
    decoder = s2s.BasicDecoder(cell, helper, cell.zero_state(200, tf.float32))
    outputs, _, _ = s2s.dynamic_decode(decoder)
    assert run(outputs)[0].sample_id.dtype == bool


def test_custom_helper_and_a_step_of_training():
    cell = tf.nn.rnn_cell.GRUCell(N)
    helper = s2s.CustomHelper(
        lambda: (tf.zeros([B], tf.bool), tf.zeros([B, D])),
        lambda time, outputs, state: tf.fill([B], time),
        lambda time, outputs, state, sample_ids: (
            tf.fill([B], time >= 2),
            outputs[:, :D],
            state,
        ),
    )
    decoder = s2s.BasicDecoder(cell, helper, tf.constant(draw(B, N)))
    outputs, _, _ = s2s.dynamic_decode(decoder)
    loss = tf.reduce_sum(tf.square(outputs.rnn_output))
    gradients = tf.gradients(loss, tf.trainable_variables())
    (ids, values), _ = run([outputs.sample_id, gradients])
    np.testing.assert_array_equal(ids, [[0, 1, 2]] * B)
    assert all(np.abs(g).max() > 0 for g in values)


class Table(tf.nn.rnn_cell.RNNCell):
    """A language model: logits of the next id by the last two, the state being the one before."""

    def __init__(self, logits):
        super().__init__()
        self._logits = logits

    state_size = 1
    output_size = V

    def call(self, inputs, state):
        ids = tf.cast(inputs[:, 0], tf.int32)
        before = tf.cast(state[:, 0], tf.int32)
        return tf.gather_nd(self._logits, tf.stack([before, ids], 1)), inputs


def log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def best(logits, start, steps, weight):
    """[(score, ids)] of all sequences that end with 0 or have `steps` ids, best first."""
    found = {}
    for ids in itertools.product(range(V), repeat=steps):
        if 0 in ids:
            ids = ids[: ids.index(0) + 1]
        before, now, total = 0, start, 0.0
        for k in ids:
            total += log_softmax(logits[before, now])[k]
            before, now = now, k
        length = len([k for k in ids if k])
        found[ids] = total / ((5 + length) / 6) ** weight
    return sorted(((s, ids) for ids, s in found.items()), reverse=True)


@pytest.mark.parametrize("weight", [0.0, 0.7])
def test_a_wide_beam_finds_the_best_sequences(weight):
    steps, width = 3, 60
    logits = 1.5 * draw(V, V, V)
    table = tf.constant(np.arange(V, dtype=np.float32)[:, None])
    decoder = s2s.BeamSearchDecoder(
        Table(tf.constant(logits)),
        table,
        [1, 3],
        0,
        tf.zeros([2 * width, 1]),
        width,
        length_penalty_weight=weight,
    )
    outputs, state, _ = s2s.dynamic_decode(decoder, maximum_iterations=steps)
    (got, state), _ = run([outputs, state])
    assert got.predicted_ids.shape == (2, steps, width)
    for row, start in enumerate([1, 3]):
        want = best(logits, start, steps, weight)[:8]
        for k, (score, ids) in enumerate(want):
            mine = [i for i in got.predicted_ids[row, :, k] if i != -1]
            assert tuple(mine) == ids
            scores = got.beam_search_decoder_output.scores
            np.testing.assert_allclose(scores[row, -1, k], score, rtol=1e-4)
            assert state.lengths[row, k] == len([i for i in ids if i])


def test_beams_of_a_cell_with_attention():
    width, memory = 2, draw(B, T, D)
    cell = s2s.AttentionWrapper(
        tf.nn.rnn_cell.LSTMCell(N),
        s2s.BahdanauAttention(N, s2s.tile_batch(tf.constant(memory), width)),
        attention_layer_size=N,
    )
    decoder = s2s.BeamSearchDecoder(
        cell,
        tf.constant(draw(V, D)),
        tf.fill([B], 1),
        0,
        cell.zero_state(B * width, tf.float32),
        width,
        output_layer=tf.layers.Dense(V),
    )
    outputs, _, _ = s2s.dynamic_decode(decoder, maximum_iterations=4)
    ids = run(outputs.predicted_ids)[0]
    assert ids.shape[0] == B and ids.shape[2] == width
    # The two beams of a sequence differ.
    assert all((row[:, 0] != row[:, 1]).any() for row in ids)


def test_tile_batch():
    x = draw(2, 3)
    got, _ = run(s2s.tile_batch((tf.constant(x), tf.constant([1, 2])), 2))
    np.testing.assert_array_equal(got[0], np.repeat(x, 2, 0))
    np.testing.assert_array_equal(got[1], [1, 1, 2, 2])
    with pytest.raises(ValueError, match="rank"):
        s2s.tile_batch(tf.placeholder(tf.float32), 2)


def test_bad_arguments():
    cell = tf.nn.rnn_cell.GRUCell(N)
    zero = cell.zero_state(B, tf.float32)
    with pytest.raises(TypeError, match="Decoder"):
        s2s.dynamic_decode(cell)
    with pytest.raises(TypeError, match="Helper"):
        s2s.BasicDecoder(cell, "helper", zero)
    with pytest.raises(ValueError, match="vector"):
        s2s.TrainingHelper(tf.zeros([B, T, D]), 3)
    with pytest.raises(ValueError, match="vector"):
        s2s.GreedyEmbeddingHelper(tf.eye(2), 0, 1)
    with pytest.raises(ValueError, match="scalar"):
        s2s.GreedyEmbeddingHelper(tf.eye(2), [0], [1])
    with pytest.raises(ValueError, match="tile_batch"):
        s2s.BeamSearchDecoder(cell, tf.eye(2), [0] * B, 1, zero, 2)


@pytest.mark.parametrize("over_time", [True, False])
@pytest.mark.parametrize("over_batch", [True, False])
def test_sequence_loss(over_time, over_batch):
    logits = draw(B, T, V)
    targets = np.random.RandomState(1).randint(0, V, [B, T])
    weights = np.random.RandomState(2).uniform(0, 1, [B, T]).astype(np.float32)
    got, _ = run(s2s.sequence_loss(logits, targets, weights, over_time, over_batch))
    losses = -np.take_along_axis(log_softmax(logits), targets[:, :, None], 2)[..., 0]
    losses = losses * weights
    axes = tuple(a for a, on in ((0, over_batch), (1, over_time)) if on)
    if axes:
        losses = losses.sum(axes) / weights.sum(axes)
    np.testing.assert_allclose(got, losses, rtol=1e-4)


def test_sequence_loss_checks_ranks():
    with pytest.raises(ValueError, match="Logits must be a 3-D"):
        s2s.sequence_loss(tf.zeros([2, 3]), tf.zeros([2], tf.int32), tf.zeros([2]))
