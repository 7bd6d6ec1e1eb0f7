# SPDX-License-Identifier: Apache-2.0
"""Cells of one op compute the same values as the cells of many ops, with the same variables."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

rnn = tf.contrib.rnn
N, B, D, T = 5, 3, 4, 6


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def reused():
    return tf.variable_scope(tf.get_variable_scope(), reuse=True)


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


PAIRS = {
    "lstm": (
        lambda: rnn.LSTMBlockCell(N, forget_bias=0.5, clip_cell=False),
        lambda: rnn.BasicLSTMCell(N, forget_bias=0.5),
        "lstm_cell",
    ),
    "peephole": (
        lambda: rnn.LSTMBlockCell(N, clip_cell=False, use_peephole=True),
        lambda: rnn.LSTMCell(N, use_peepholes=True),
        "lstm_cell",
    ),
    "gru": (lambda: rnn.GRUBlockCell(N), lambda: rnn.GRUCell(N), "gru_cell"),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_step_and_its_gradient(name):
    block, plain, scope = PAIRS[name]
    block, plain = block(), plain()
    x = tf.constant(draw(B, D))
    state = tf.nest.map_structure(
        lambda n: tf.constant(4 * draw(B, n, seed=n)), plain.state_size
    )
    got = block(x, state)
    with reused():
        want = plain(x, state, scope=scope)
    variables = tf.trainable_variables()
    results = []
    for output, new in (got, want):
        total = sum(tf.reduce_sum(tf.sin(t)) for t in tf.nest.flatten([output, new]))
        gradients = tf.gradients(total, [x, *variables])
        results.append([output, tf.nest.flatten(new), gradients])
    got, want = run(results)
    close(got[0], want[0])
    for mine, theirs in zip(got[1] + got[2], want[1] + want[2]):
        close(mine, theirs)


@pytest.mark.parametrize("lengths", [None, [6, 2, 0]])
@pytest.mark.parametrize("as_list", [True, False])
@pytest.mark.parametrize("clip", [None, 0.4])
def test_sequences(clip, as_list, lengths):
    x = tf.constant(draw(T, B, D))
    fused = rnn.LSTMBlockFusedCell(N, cell_clip=clip, use_peephole=True)
    assert fused.num_units == N
    with tf.variable_scope("s"):
        outputs, last = fused(
            tf.unstack(x) if as_list else x,
            dtype=tf.float32,
            sequence_length=lengths,
            scope="lstm_cell",
        )
    assert isinstance(outputs, list) == as_list
    outputs = tf.stack(outputs) if as_list else outputs
    with reused():
        want, end = tf.nn.dynamic_rnn(
            rnn.LSTMCell(N, use_peepholes=True, cell_clip=clip),
            x,
            sequence_length=lengths,
            dtype=tf.float32,
            time_major=True,
            scope="s",
        )
    gradients = [
        tf.gradients(tf.reduce_sum(tf.sin(y)), tf.trainable_variables())
        for y in (outputs, want)
    ]
    got, want, last, end, gradients = run([outputs, want, last, end, gradients])
    close(got, want)
    close(last, end)
    # Gradients of the op pass through clipped values.
    for mine, theirs in zip(*gradients) if clip is None else ():
        close(mine, theirs)


def test_memories_are_clipped_to_three():
    state = rnn.LSTMStateTuple(tf.fill([B, N], 9.0), tf.zeros([B, N]))
    _, (clipped, _) = rnn.LSTMBlockCell(N, forget_bias=5.0)(tf.zeros([B, D]), state)
    with reused():
        whole = rnn.LSTMBlockCell(N, forget_bias=5.0, clip_cell=False)
        _, (free, _) = whole(tf.zeros([B, D]), state)
    clipped, free = run([clipped, free])
    assert (free > 8).all()
    np.testing.assert_array_equal(clipped, np.full((B, N), 3.0))


def test_a_first_state_is_taken():
    x, c, h = draw(T, B, D), draw(B, N), draw(B, N, seed=1)
    fused = rnn.LSTMBlockFusedCell(N)
    state = tf.constant(c), tf.constant(h)
    whole, end = fused(tf.constant(x), initial_state=state, scope="s")
    with reused():
        first, middle = fused(tf.constant(x[:2]), initial_state=state, scope="s")
        second, last = fused(tf.constant(x[2:]), initial_state=middle, scope="s")
    whole, parts, end, last = run([whole, tf.concat([first, second], 0), end, last])
    close(whole, parts)
    close(end, last)


def test_bad_arguments():
    fused, x = rnn.LSTMBlockFusedCell(N), tf.zeros([T, B, D])
    with pytest.raises(ValueError, match="Either initial_state or dtype"):
        fused(x)
    with pytest.raises(ValueError, match="length 2"):
        fused(x, initial_state=(tf.zeros([B, N]),) * 3)
    with pytest.raises(ValueError, match="inputs_shape"):
        fused(tf.placeholder(tf.float32, [T, B, None]), dtype=tf.float32)
    with pytest.raises(ValueError, match="size"):
        rnn.GRUBlockCell(N)(tf.zeros([B, D]), tf.zeros([B, N + 1]))


def test_arguments_of_later_releases():
    """Names, clipping and reuse are those of the first cell."""
    x, c, h = (tf.constant(np.full([B, n], 3.0, np.float32)) for n in (D, N, N))
    first = rnn.LSTMBlockCell(N, cell_clip=2.0, name="mine")
    second = rnn.LSTMBlockCell(N, cell_clip=None, name="mine", reuse=True)
    (_, clipped), (_, free) = (cell(x, (c * 5.0, h)) for cell in (first, second))
    gru, again = rnn.GRUBlockCell(num_units=N, name="g"), rnn.GRUBlockCellV2(N, reuse=True, name="g")  # fmt: skip
    outputs = gru(x, h)[0], again(x, h)[0]
    fused = rnn.LSTMBlockFusedCell(N, name="f", cell_clip=1.0)
    _, last = fused(tf.stack([x, x]), dtype=tf.float32)
    names = [v.op.name for v in tf.global_variables()]
    assert names == ["mine/kernel", "mine/bias", "g/gates/kernel", "g/gates/bias", "g/candidate/kernel", "g/candidate/bias", "f/kernel", "f/bias"]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        clipped, free, outputs, last = session.run([clipped.c, free.c, outputs, last.c])
    assert abs(clipped).max() <= 2.0 < abs(free).max() and abs(last).max() <= 1.0
    np.testing.assert_array_equal(outputs[0], outputs[1])
    for sizes in ((), (3, 3)):
        with pytest.raises(ValueError, match="exactly one"):
            rnn.GRUBlockCell(*sizes)
