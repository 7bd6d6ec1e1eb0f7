# SPDX-License-Identifier: Apache-2.0
"""Tests of the cells over time and frequency, against loops in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

rnn = tf.contrib.rnn
N, B = 3, 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def run(cell, x, state):
    output, new = cell(tf.constant(x), tf.nest.map_structure(tf.constant, state))
    variables = tf.global_variables()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for i, v in enumerate(variables):
            v.load(0.5 * draw(*v.shape.as_list(), seed=50 + i), session)
        values = session.run(variables)
        names = ["/".join(v.op.name.split("/")[1:]) for v in variables]
        return (*session.run([output, new]), dict(zip(names, values)))


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("peepholes,clip", [(False, None), (True, 0.3)])
def test_time_freq(peepholes, clip):
    x, state = draw(B, 4), draw(B, 3 * 2 * N, seed=1)
    cell = rnn.TimeFreqLSTMCell(
        N, peepholes, cell_clip=clip, feature_size=2, frequency_skip=1
    )
    output, new, v = run(cell, x, state)
    before, want, states = np.zeros((B, N)), [], []
    parts = np.split(state, 6, 1)
    for k, (c, h) in enumerate(zip(parts[::2], parts[1::2])):
        joined = np.concatenate([x[:, k : k + 2], h, before], 1)
        i, j, f, o = np.split(joined @ v["W_0"] + v["B"], 4, 1)
        if peepholes:
            i, f = i + v["W_I_diag"] * c, f + v["W_F_diag"] * c
        c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
        if clip:
            c = np.clip(c, -clip, clip)
        if peepholes:
            o = o + v["W_O_diag"] * c
        before = sigmoid(o) * np.tanh(c)
        want.append(before)
        states += [c, before]
    close(output, np.concatenate(want, 1))
    close(new, np.concatenate(states, 1))


def grid(x, states, v, block, coupled, shared, peepholes, clip=None):
    """(outputs, states) of windows of one block, states being pairs (c, h)."""

    def gates(axis, joined):
        axis = "f" if shared else axis
        parts = joined @ v[f"W_{axis}_{block}_0"] + v[f"B_{axis}_{block}"]
        if coupled:
            i, j, o = np.split(parts, 3, 1)
            return i, j, None, o
        return np.split(parts, 4, 1)

    def hole(gate, axis, cf, ct):
        if not peepholes:
            return 0
        axis = "freq" if shared else axis
        return (
            v[f"W_{gate}_diag_{axis}f_{block}"] * cf
            + v[f"W_{gate}_diag_{axis}t_{block}"] * ct
        )

    cf = hf = np.zeros((B, N))
    outputs, new = [], []
    for window, (ct, ht) in zip(x, states):
        joined = np.concatenate([window, ht, hf], 1)
        fresh, open_ = [], []
        for axis, long, mine in (("f", "freq", cf), ("t", "time", ct)):
            i, j, f, o = gates(axis, joined)
            i = sigmoid(i + hole("I", long, cf, ct))
            f = 1 - i if coupled else sigmoid(f + 1 + hole("F", long, cf, ct))
            c = f * mine + i * np.tanh(j)
            fresh.append(np.clip(c, -clip, clip) if clip else c)
            open_.append(o)
        cf, ct = fresh
        hf = sigmoid(open_[0] + hole("O", "freq", cf, ct)) * np.tanh(cf)
        ht = sigmoid(open_[1] + hole("O", "time", cf, ct)) * np.tanh(ct)
        outputs += [ht, hf]
        new += [ct, ht]
    return outputs, new


OPTIONS = list(itertools.product([False, True], repeat=3))


@pytest.mark.parametrize("coupled,shared,peepholes", OPTIONS)
def test_grid(coupled, shared, peepholes):
    x = draw(B, 4)
    cell = rnn.GridLSTMCell(
        N,
        use_peepholes=peepholes,
        share_time_frequency_weights=shared,
        couple_input_forget_gates=coupled,
        cell_clip=0.8,
        feature_size=2,
        frequency_skip=1,
        num_frequency_blocks=[3],
    )
    state = cell.state_tuple_type(*(draw(B, N, seed=i) for i in range(6)))
    assert cell.output_size == 6 * N
    output, new, v = run(cell, x, state)
    windows = [x[:, k : k + 2] for k in range(3)]
    pairs = list(zip(state[::2], state[1::2]))
    outputs, states = grid(windows, pairs, v, 0, coupled, shared, peepholes, 0.8)
    close(output, np.concatenate(outputs, 1))
    close(np.concatenate(new, 1), np.concatenate(states, 1))
    assert new._fields[:2] == ("state_f00_b00_c", "state_f00_b00_m")


@pytest.mark.parametrize("is_tuple", [True, False])
def test_blocks_have_weights_of_their_own(is_tuple):
    x = draw(B, 8)
    cell = rnn.GridLSTMCell(
        N,
        feature_size=2,
        frequency_skip=2,
        num_frequency_blocks=[2, 1],
        start_freqindex_list=[0, 5],
        end_freqindex_list=[4, 8],
        state_is_tuple=is_tuple,
    )
    parts = [draw(B, N, seed=i) for i in range(6)]
    state = cell.state_tuple_type(*parts) if is_tuple else np.concatenate(parts, 1)
    output, new, v = run(cell, x, state)
    pairs = list(zip(parts[::2], parts[1::2]))
    first = grid([x[:, :2], x[:, 2:4]], pairs[:2], v, 0, False, False, False)
    second = grid([x[:, 5:7]], pairs[2:], v, 1, False, False, False)
    close(output, np.concatenate(first[0] + second[0], 1))
    new = np.concatenate(new, 1) if is_tuple else new
    close(new, np.concatenate(first[1] + second[1], 1))


@pytest.mark.parametrize("offset", [0, 1, -1])
def test_both_ways(offset):
    x = draw(B, 4)
    cell = rnn.BidirectionalGridLSTMCell(
        N,
        feature_size=2,
        frequency_skip=1,
        num_frequency_blocks=[3],
        backward_slice_offset=offset,
    )
    state = cell.state_tuple_type(*(draw(B, N, seed=i) for i in range(12)))
    output, new, v = run(cell, x, state)
    pairs = list(zip(state[::2], state[1::2]))
    padded = np.concatenate([np.zeros((B, 1)), x, np.zeros((B, 1))], 1)
    forwards = [x[:, k : k + 2] for k in range(3)]
    begin = {0: 1, 1: 2, -1: 0}[offset]
    backwards = [padded[:, begin + k : begin + k + 2] for k in range(3)][::-1]
    outputs, states = [], []
    for way, windows, own in (
        ("fwd", forwards, pairs[:3]),
        ("bwd", backwards, pairs[3:]),
    ):
        mine = {k[4:]: value for k, value in v.items() if k.startswith(way)}
        o, s = grid(windows, own, mine, 0, False, False, False)
        outputs += o
        states += s
    close(output, np.concatenate(outputs, 1))
    close(np.concatenate(new, 1), np.concatenate(states, 1))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="num_frequency_blocks"):
        rnn.GridLSTMCell(N)
    cell = rnn.GridLSTMCell(
        N, feature_size=2, frequency_skip=1, num_frequency_blocks=[4]
    )
    with pytest.raises(ValueError, match="requires 3 but gets 4"):
        cell(tf.zeros([B, 4]), cell.zero_state(B, tf.float32))
