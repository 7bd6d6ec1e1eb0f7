# SPDX-License-Identifier: Apache-2.0
"""Tests of models over lists of steps, against loops in NumPy."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

legacy = tf.contrib.legacy_seq2seq
B, D, N, V, W = 3, 4, 5, 6, 7


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def ids(steps, most, seed=0):
    return list(np.random.RandomState(seed).randint(0, most, [steps, B]))


def run(fetches, **feeds):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run([fetches, {v.op.name: v for v in tf.global_variables()}])


def one(v, part):
    """The variable whose name ends so."""
    (found,) = [x for n, x in v.items() if n.endswith(part)]
    return found


def affine(v, scope, *inputs):
    return np.concatenate(inputs, 1) @ one(v, f"{scope}/kernel") + one(
        v, f"{scope}/bias"
    )


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("tied", [True, False])
def test_encoder_and_decoder(tied):
    given, wanted = [draw(B, D, seed=i) for i in range(3)], [draw(B, D, seed=9)] * 2
    model = legacy.tied_rnn_seq2seq if tied else legacy.basic_rnn_seq2seq
    outputs, state = model(
        [tf.constant(x) for x in given],
        [tf.constant(x) for x in wanted],
        tf.nn.rnn_cell.BasicRNNCell(N),
    )
    assert len(tf.trainable_variables()) == (2 if tied else 4)
    (got, last), v = run([outputs, state])
    h = np.zeros((B, N))
    cell = "tied_rnn_seq2seq/basic_rnn_cell"
    for x in given:
        h = np.tanh(affine(v, cell if tied else "/rnn/basic_rnn_cell", x, h))
    for x, mine in zip(wanted, got):
        h = np.tanh(affine(v, cell if tied else "rnn_decoder/basic_rnn_cell", x, h))
        close(mine, h)
    close(last, h)


@pytest.mark.parametrize("feed", [False, True, "run"])
def test_embedded_ids(feed):
    given, wanted = ids(3, V), ids(4, W, seed=1)
    flag = tf.constant(True) if feed == "run" else feed
    outputs, state = legacy.embedding_rnn_seq2seq(
        [tf.constant(x) for x in given],
        [tf.constant(x) for x in wanted],
        tf.nn.rnn_cell.BasicRNNCell(N),
        V,
        W,
        D,
        feed_previous=flag,
    )
    (got, last), v = run([outputs, state])
    h = np.zeros((B, N))
    scope = "rnn/embedding_wrapper"
    for x in given:
        vectors = one(v, f"{scope}/embedding")[x]
        h = np.tanh(affine(v, f"{scope}/basic_rnn_cell", vectors, h))
    table = one(v, "embedding_rnn_decoder/embedding")
    scope = "rnn_decoder/output_projection_wrapper"
    for i, (x, mine) in enumerate(zip(wanted, got)):
        if feed and i:
            x = logits.argmax(1)  # noqa: F821
        h = np.tanh(affine(v, f"{scope}/basic_rnn_cell", table[x], h))
        logits = affine(v, scope, h)
        close(mine, logits)
    close(last, h)


def test_tied_ids_with_a_projection():
    projection = draw(N, V), draw(V, seed=1)
    outputs, _ = legacy.embedding_tied_rnn_seq2seq(
        [tf.constant(x) for x in ids(2, V)],
        [tf.constant(x) for x in ids(3, V)],
        tf.nn.rnn_cell.GRUCell(N),
        V,
        D,
        output_projection=tuple(map(tf.constant, projection)),
        feed_previous=True,
    )
    got, v = run(outputs)
    assert [x.shape for x in got] == [(B, N)] * 3
    assert sum(n.endswith("embedding") for n in v) == 1
    with pytest.raises(ValueError):
        legacy.embedding_tied_rnn_seq2seq(
            [tf.zeros([B], tf.int32)],
            [tf.zeros([B], tf.int32)],
            tf.nn.rnn_cell.GRUCell(N),
            V + 1,
            D,
            output_projection=tuple(map(tf.constant, projection)),
            scope="other",
        )


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("heads", [1, 2])
def test_attention(heads, first):
    memory, inputs = draw(B, 3, 2), [draw(B, D, seed=i) for i in range(3)]
    start = draw(B, N, seed=7)
    outputs, state = legacy.attention_decoder(
        [tf.constant(x) for x in inputs],
        tf.constant(start),
        tf.constant(memory),
        tf.nn.rnn_cell.BasicRNNCell(N),
        output_size=W,
        num_heads=heads,
        initial_state_attention=first,
    )
    (got, last), v = run([outputs, state])

    def attend(h):
        means = []
        for i in range(heads):
            hidden = memory @ one(v, f"AttnW_{i}")[0, 0]
            hidden = np.tanh(hidden + affine(v, f"Attention_{i}", h)[:, None])
            scores = np.exp((hidden * one(v, f"AttnV_{i}")).sum(2))
            weights = scores / scores.sum(1, keepdims=True)
            means.append((weights[:, :, None] * memory).sum(1))
        return means

    h = start
    means = attend(h) if first else [np.zeros((B, 2))] * heads
    for x, mine in zip(inputs, got):
        w, b = v["attention_decoder/kernel"], v["attention_decoder/bias"]
        fed = np.concatenate([x, *means], 1) @ w + b
        h = np.tanh(affine(v, "basic_rnn_cell", fed, h))
        means = attend(h)
        close(mine, affine(v, "AttnOutputProjection", h, *means))
    close(last, h)


@pytest.mark.parametrize("feed", [True, "run"])
def test_attention_over_ids_learns(feed):
    outputs, state = legacy.embedding_attention_seq2seq(
        [tf.constant(x) for x in ids(3, V)],
        [tf.constant(x) for x in ids(3, W)],
        tf.nn.rnn_cell.BasicLSTMCell(N),
        V,
        W,
        D,
        feed_previous=tf.constant(False) if feed == "run" else feed,
    )
    assert isinstance(state, tf.nn.rnn_cell.LSTMStateTuple)
    targets = [tf.constant(x) for x in ids(3, W, seed=3)]
    loss = legacy.sequence_loss(outputs, targets, [tf.ones([B])] * 3)
    train = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(15):
            session.run(train)
        assert session.run(loss) < 0.8 * before


def test_one_encoder_and_many_decoders():
    symbols = {"a": 4, "b": 5}
    outputs, states = legacy.one2many_rnn_seq2seq(
        [tf.constant(x) for x in ids(2, V)],
        {k: [tf.constant(x) for x in ids(3, n)] for k, n in symbols.items()},
        tf.nn.rnn_cell.GRUCell(N),
        {k: tf.nn.rnn_cell.GRUCell(N) for k in symbols},
        V,
        symbols,
        D,
    )
    got, _ = run([outputs, states])
    for name, size in symbols.items():
        assert [x.shape for x in got[0][name]] == [(B, size)] * 3
        assert got[1][name].shape == (B, N)


def log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def test_sequence_losses_average_over_steps_and_batch():
    logits = [draw(B, V, seed=i) for i in range(3)]
    targets = ids(3, V)
    weights = [np.abs(draw(B, seed=i)) for i in range(3)]
    losses = [
        -log_softmax(x)[np.arange(B), t] * w
        for x, t, w in zip(logits, targets, weights)
    ]
    by_time = sum(losses) / sum(weights)
    got, _ = run(
        [
            legacy.sequence_loss_by_example(logits, targets, weights),
            legacy.sequence_loss_by_example(logits, targets, weights, False),
            legacy.sequence_loss(logits, targets, weights),
            legacy.sequence_loss(logits, targets, weights, True, False),
            legacy.sequence_loss(
                logits,
                targets,
                weights,
                False,
                False,
                softmax_loss_function=lambda labels, logits: tf.ones([B]),
            ),
        ]
    )
    want = [by_time, sum(losses), by_time.mean(), by_time.sum(), np.sum(weights)]
    for mine, theirs in zip(got, want):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)


@pytest.mark.parametrize("per_example", [True, False])
def test_buckets_share_their_variables(per_example):
    cell = tf.nn.rnn_cell.GRUCell(N)

    def model(given, wanted):
        return legacy.embedding_rnn_seq2seq(given, wanted, cell, V, V, D)

    given, wanted = ([tf.constant(x) for x in ids(4, V, seed=s)] for s in (0, 1))
    outputs, losses = legacy.model_with_buckets(
        given,
        wanted,
        wanted,
        [tf.ones([B])] * 4,
        [(2, 2), (4, 4)],
        model,
        per_example_loss=per_example,
    )
    assert [len(o) for o in outputs] == [2, 4]
    # Encoder and decoder: a table each, four of a cell each; the projection's two.
    assert len(tf.trainable_variables()) == 12
    got, _ = run(losses)
    assert got[0].shape == ((B,) if per_example else ())
    with pytest.raises(ValueError, match="at least that of last bucket"):
        legacy.model_with_buckets(given, wanted, wanted, [], [(5, 4)], model)


def test_bad_arguments():
    cell, memory = tf.nn.rnn_cell.GRUCell(N), tf.zeros([B, 3, 2])
    with pytest.raises(ValueError, match="at least 1 input"):
        legacy.attention_decoder([], tf.zeros([B, N]), memory, cell)
    with pytest.raises(ValueError, match="less than 1 heads"):
        legacy.attention_decoder(
            [tf.zeros([B, D])], tf.zeros([B, N]), memory, cell, num_heads=0
        )
    with pytest.raises(ValueError, match="Lengths"):
        legacy.sequence_loss_by_example([tf.zeros([B, V])], [], [])
