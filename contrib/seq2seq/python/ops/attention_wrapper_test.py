# SPDX-License-Identifier: Apache-2.0
"""Tests of attention: scores and alignments against NumPy's, monotonic attention against its definition."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

s2s = tf.contrib.seq2seq
B, T, D, N = 3, 5, 4, 6
LENGTHS = np.array([5, 2, 3])


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run([fetches, {v.op.name: v for v in tf.global_variables()}])


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def scores(kind, v, keys, query, extra):
    scope = f"{kind}_attention/"
    if kind == "luong":
        score = (query[:, None] * keys).sum(2)
        return score * v[scope + "attention_g"] if extra else score
    both = keys + (query @ v[scope + "query_layer/kernel"])[:, None]
    weights = v[scope + "attention_v"]
    if extra:
        both = both + v[scope + "attention_b"]
        weights = v[scope + "attention_g"] * weights / np.sqrt((weights**2).sum())
    return (weights * np.tanh(both)).sum(2)


@pytest.mark.parametrize("extra", [True, False])
@pytest.mark.parametrize("kind", ["luong", "bahdanau"])
def test_alignments(kind, extra):
    memory, query = draw(B, T, D), draw(B, N, seed=1)
    if kind == "luong":
        mechanism = s2s.LuongAttention(N, memory, LENGTHS, scale=extra)
    else:
        mechanism = s2s.BahdanauAttention(N, memory, LENGTHS, normalize=extra)
    first = mechanism.initial_alignments(B, tf.float32)
    got, v = run([mechanism(tf.constant(query), first), mechanism.values, first])
    inside = np.arange(T) < LENGTHS[:, None]
    np.testing.assert_allclose(got[1], memory * inside[:, :, None])
    np.testing.assert_array_equal(got[2], np.zeros((B, T)))
    keys = got[1] @ v["memory_layer/kernel"]
    want = scores(kind, v, keys, query, extra)
    want = softmax(np.where(inside, want, -np.inf))
    np.testing.assert_allclose(got[0], want, rtol=1e-4, atol=1e-5)


def test_lengths_must_be_positive():
    mechanism = s2s.LuongAttention(N, draw(B, T, D), [1, 0, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="greater than zero"):
        run(mechanism(tf.constant(draw(B, N)), None))


@pytest.mark.parametrize("outputs_attention", [True, False])
def test_a_step_of_the_wrapper(outputs_attention):
    memory, x = draw(B, T, D), draw(B, 2, seed=1)
    cell = s2s.AttentionWrapper(
        tf.nn.rnn_cell.BasicRNNCell(N),
        s2s.LuongAttention(N, memory),
        attention_layer_size=3,
        alignment_history=True,
        output_attention=outputs_attention,
    )
    state = cell.zero_state(B, tf.float32)
    output, state = cell(tf.constant(x), state)
    output2, state2 = cell(tf.constant(x), state)
    fetched = state2.clone(alignment_history=state2.alignment_history.stack())
    (got, first, second), v = run([output2, state.alignments, fetched])
    assert cell.output_size == (3 if outputs_attention else N)

    def step(attention, h):
        scope = "attention_wrapper/"
        fed = np.concatenate([x, attention, h], 1)
        w = v[scope + "basic_rnn_cell/kernel"], v[scope + "basic_rnn_cell/bias"]
        h = np.tanh(fed @ w[0] + w[1])
        keys = memory @ v["memory_layer/kernel"]
        alignments = softmax((h[:, None] * keys).sum(2))
        context = (alignments[:, :, None] * memory).sum(1)
        kernel = v[scope + "attention_layer/kernel"]
        return np.concatenate([h, context], 1) @ kernel, h, alignments

    attention, h, before = step(np.zeros((B, 3)), np.zeros((B, N)))
    attention, h, after = step(attention, h)
    close = dict(rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(got, attention if outputs_attention else h, **close)
    np.testing.assert_allclose(second.attention, attention, **close)
    np.testing.assert_allclose(first, before, **close)
    np.testing.assert_allclose(second.alignment_history, [before, after], **close)
    assert second.time == 2


def test_two_mechanisms_lie_side_by_side():
    cell = s2s.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(N),
        [
            s2s.BahdanauAttention(2, draw(B, T, D)),
            s2s.LuongAttention(N, draw(B, 2, 3, seed=3)),
        ],
    )
    assert cell.output_size == D + 3
    output, state = tf.nn.dynamic_rnn(
        cell, tf.constant(draw(B, 4, 2)), dtype=tf.float32
    )
    assert len(state.alignments) == 2
    gradients = tf.gradients(output, tf.trainable_variables())
    assert all(g is not None for g in gradients)
    (value, alignments), _ = run([output, state.alignments])
    assert value.shape == (B, 4, D + 3)
    for rows in alignments:
        np.testing.assert_allclose(rows.sum(1), 1, rtol=1e-5)


def test_bad_arguments():
    cell, memory = tf.nn.rnn_cell.GRUCell(N), draw(B, T, D)
    with pytest.raises(TypeError, match="AttentionMechanism"):
        s2s.AttentionWrapper(cell, "attention")
    with pytest.raises(ValueError, match="exactly one integer"):
        s2s.AttentionWrapper(cell, s2s.LuongAttention(N, memory), [1, 2])
    with pytest.raises(ValueError, match="Incompatible or unknown inner dim"):
        s2s.LuongAttention(N + 1, memory)(tf.constant(draw(B, N)), None)
    with pytest.raises(ValueError, match="fully defined inner dims"):
        s2s.LuongAttention(N, tf.placeholder(tf.float32, [B, T, None]))
    wrapper = s2s.AttentionWrapper(cell, s2s.LuongAttention(N, memory))
    with pytest.raises(TypeError, match="AttentionWrapperState"):
        wrapper(tf.zeros([B, 2]), tf.zeros([B, N]))
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        run(wrapper.zero_state(B + 1, tf.float32).cell_state)


def stops(p, previous):
    """Computes the places where the search stops by definition, place by place."""
    result = np.zeros_like(p)
    for b in range(len(p)):
        for start in range(p.shape[1]):
            left = previous[b, start]
            for j in range(start, p.shape[1]):
                result[b, j] += left * p[b, j]
                left *= 1 - p[b, j]
    return result


@pytest.mark.parametrize("mode", ["recursive", "parallel", "hard"])
def test_monotonic_attention(mode):
    rng = np.random.RandomState(0)
    p, previous = rng.uniform(0.05, 0.95, [B, T]), np.eye(T)[[0, 2, 3]]
    if mode == "hard":
        p = np.round(p)
    else:
        previous = rng.dirichlet(np.ones(T), B)
    got, _ = run(s2s.monotonic_attention(p, previous, mode))
    np.testing.assert_allclose(got, stops(p, previous), rtol=1e-6)


def test_monotonic_attention_knows_three_modes():
    with pytest.raises(ValueError, match="'recursive', 'parallel', or 'hard'"):
        s2s.monotonic_attention(draw(1, 2), draw(1, 2), "soft")


@pytest.mark.parametrize("mode", ["recursive", "parallel", "hard"])
@pytest.mark.parametrize(
    "kind", [s2s.BahdanauMonotonicAttention, s2s.LuongMonotonicAttention]
)
def test_monotonic_mechanisms(kind, mode):
    mechanism = kind(N, draw(B, T, D), LENGTHS, score_bias_init=0.5, mode=mode)
    first = mechanism.initial_alignments(B, tf.float32)
    second = mechanism(tf.constant(draw(B, N)), first)
    (first, second), v = run([first, second])
    np.testing.assert_array_equal(first, np.eye(T)[[0] * B])
    assert [x for n, x in v.items() if "attention_score_bias" in n] == [0.5]
    assert (second >= 0).all() and (second.sum(1) <= 1 + 1e-5).all()
    # Positions behind the lengths have no weight.
    assert second[1, 2:].max() == 0


def test_safe_cumprod_has_a_gradient_at_zero():
    x = tf.constant([0.5, 0.0, 0.25])
    product = s2s.safe_cumprod(x, exclusive=True)
    (value, gradient), _ = run([product, tf.gradients(product, x)[0]])
    np.testing.assert_allclose(value, [1, 0.5, 0], atol=1e-30)
    assert np.isfinite(gradient).all()


def test_hardmax():
    got, _ = run(s2s.hardmax(tf.constant([[1.0, 3, 2], [4, 0, 4]])))
    np.testing.assert_array_equal(got, [[0, 1, 0], [1, 0, 0]])
