# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks against loops in NumPy: cells, lengths, gradients, what is refused."""

import numpy as np
import pytest

import tensorwright as tf

RNG = np.random.RandomState(3)
BATCH, TIME, SIZE, UNITS = 4, 5, 3, 2
X = RNG.randn(BATCH, TIME, SIZE)
LENGTHS = np.array([5, 2, 0, 3])
cells = tf.nn.rnn_cell


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def affine(parts, v, prefix=""):
    return np.concatenate(parts, 1) @ v[prefix + "kernel"] + v[prefix + "bias"]


def basic_step(v, x, s):
    s = np.tanh(affine([x, s[0]], v))
    return s, [s]


def gru_step(v, x, s):
    r, u = np.split(sigmoid(affine([x, s[0]], v, "gates/")), 2, 1)
    s = u * s[0] + (1 - u) * np.tanh(affine([x, r * s[0]], v, "candidate/"))
    return s, [s]


def lstm_step(v, x, s):
    i, j, f, o = np.split(affine([x, s[1]], v), 4, 1)
    c = sigmoid(f + 1) * s[0] + sigmoid(i) * np.tanh(j)
    h = sigmoid(o) * np.tanh(c)
    return h, [c, h]


def rich_lstm_step(v, x, s):
    """Peepholes, a projection, both clips."""
    i, j, f, o = np.split(affine([x, s[1]], v), 4, 1)
    f, i = f + 0.5 + v["w_f_diag"] * s[0], i + v["w_i_diag"] * s[0]
    c = np.clip(sigmoid(f) * s[0] + sigmoid(i) * np.tanh(j), -0.3, 0.3)
    h = sigmoid(o + v["w_o_diag"] * c) * np.tanh(c)
    h = np.clip(h @ v["projection/kernel"], -0.1, 0.1)
    return h, [c, h]


# Name, cell, its step, sizes of the state.
CELLS = [
    ("basic_rnn_cell", lambda: cells.BasicRNNCell(UNITS), basic_step, [UNITS]),
    ("gru_cell", lambda: cells.GRUCell(UNITS), gru_step, [UNITS]),
    ("basic_lstm_cell", lambda: cells.BasicLSTMCell(UNITS), lstm_step, [UNITS] * 2),
    ("lstm_cell", lambda: cells.LSTMCell(UNITS), lstm_step, [UNITS] * 2),
    (
        "lstm_cell",
        lambda: cells.LSTMCell(
            UNITS, use_peepholes=True, cell_clip=0.3, num_proj=1, proj_clip=0.1,
            forget_bias=0.5,
        ),
        rich_lstm_step,
        [UNITS, 1],
    ),
]  # fmt: skip


def unroll(step, v, x, sizes, lengths=None):
    """(outputs [batch, time, ...], state) of a NumPy step."""
    state = [np.zeros((len(x), n)) for n in sizes]
    outputs = []
    for t in range(x.shape[1]):
        out, new = step(v, x[:, t], state)
        if lengths is not None:
            goes_on = (t < lengths)[:, None]
            out = np.where(goes_on, out, 0)
            new = [np.where(goes_on, n, s) for n, s in zip(new, state)]
        state = new
        outputs.append(out)
    return np.stack(outputs, 1), state


def initialize(session):
    """Random values for all variables, also for biases; name in the cell -> value."""
    session.run(tf.global_variables_initializer())
    values = {}
    for variable in tf.global_variables():
        value = RNG.randn(*variable.shape.as_list())
        variable.load(value, session)
        values[variable.op.name] = value
    return values


def of_cell(values, scope):
    return {k[len(scope) + 1 :]: v for k, v in values.items() if k.startswith(scope)}


def flat(state):
    return list(state) if isinstance(state, tuple) else [state]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["all", "lengths"])
@pytest.mark.parametrize("form", ["dynamic", "time_major", "unknown", "static"])
@pytest.mark.parametrize("name,make,step,sizes", CELLS)
def test_networks_compute_what_the_cell_says(name, make, step, sizes, form, lengths):
    feed = {}
    if form == "static":
        outputs, state = tf.nn.static_rnn(
            make(), tf.unstack(X, axis=1), dtype=tf.float64, sequence_length=lengths
        )
        outputs = tf.stack(outputs, 1)
    elif form == "unknown":
        x = tf.placeholder(tf.float64, [None, None, SIZE])
        n = None if lengths is None else tf.placeholder(tf.int64, [None])
        outputs, state = tf.nn.dynamic_rnn(make(), x, n, dtype=tf.float64)
        feed = {x: X} if n is None else {x: X, n: lengths}
    else:
        major = form == "time_major"
        outputs, state = tf.nn.dynamic_rnn(
            make(),
            X.transpose(1, 0, 2) if major else X,
            lengths,
            dtype=tf.float64,
            time_major=major,
            swap_memory=True,
        )
        assert outputs.shape.as_list()[2] == sizes[-1]
        outputs = tf.transpose(outputs, [1, 0, 2]) if major else outputs
    with tf.Session() as session:
        values = of_cell(initialize(session), f"rnn/{name}")
        assert "kernel" in values or "gates/kernel" in values
        want, want_state = unroll(step, values, X, sizes, lengths)
        got, got_state = session.run([outputs, state], feed)
    np.testing.assert_allclose(got, want, atol=1e-12)
    assert len(flat(got_state)) == len(want_state)
    for g, w in zip(flat(got_state), want_state, strict=True):
        np.testing.assert_allclose(g, w, atol=1e-12)


@pytest.mark.parametrize("network", ["dynamic", "static"])
@pytest.mark.parametrize("name,make,step,sizes", CELLS[:4])
def test_gradients_reach_variables_inputs_and_state(name, make, step, sizes, network):
    """Derivatives of a sum over random weights, with lengths, by central differences of the NumPy loop."""
    weights = RNG.randn(BATCH, TIME, UNITS)
    x = tf.placeholder(tf.float64, X.shape)
    if network == "dynamic":
        outputs, state = tf.nn.dynamic_rnn(make(), x, LENGTHS, dtype=tf.float64)
    else:
        outputs, state = tf.nn.static_rnn(
            make(), tf.unstack(x, axis=1), dtype=tf.float64, sequence_length=LENGTHS
        )
        outputs = tf.stack(outputs, 1)
    loss = tf.reduce_sum(outputs * weights) + tf.reduce_sum(flat(state)[0] ** 2)
    variables = tf.trainable_variables()
    gradients = tf.gradients(loss, [x, *variables])
    with tf.Session() as session:
        values = initialize(session)
        got = session.run(gradients, {x: X})

    def loss_of(x_value, values):
        out, state = unroll(
            step, of_cell(values, f"rnn/{name}"), x_value, sizes, LENGTHS
        )
        return (out * weights).sum() + (state[0] ** 2).sum()

    def difference(f, at):
        result, h = np.zeros_like(at), 1e-6
        for i in np.ndindex(at.shape):
            step = np.zeros_like(at)
            step[i] = h
            result[i] = (f(at + step) - f(at - step)) / (2 * h)
        return result

    want_x = difference(lambda v: loss_of(v, values), X)
    assert not want_x[2].any(), "a sequence of no steps has no influence"
    np.testing.assert_allclose(got[0], want_x, atol=1e-7)
    for variable, g in zip(variables, got[1:], strict=True):
        key = variable.op.name
        want = difference(
            lambda v, key=key: loss_of(X, {**values, key: v}), values[key]
        )
        np.testing.assert_allclose(g, want, atol=1e-7)


def test_steps_behind_the_longest_sequence_are_not_run():
    calls = []

    class Counting(cells.BasicRNNCell):
        def call(self, inputs, state):
            out, state = super().call(inputs, state)
            return tf.py_func(lambda v: calls.append(1) or v, [out], tf.float64), state

    outputs, _ = tf.nn.dynamic_rnn(Counting(UNITS), X, [2, 1, 0, 2], dtype=tf.float64)
    with tf.Session() as session:
        initialize(session)
        got = session.run(outputs)
    assert len(calls) == 2
    assert got.shape == (BATCH, TIME, UNITS) and not got[:, 2:].any()


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["all", "lengths"])
@pytest.mark.parametrize("network", ["dynamic", "static"])
def test_bidirectional_networks_read_backwards_from_each_end(network, lengths):
    forwards, backwards = cells.GRUCell(UNITS), cells.GRUCell(UNITS)
    if network == "dynamic":
        both, (state_fw, state_bw) = tf.nn.bidirectional_dynamic_rnn(
            forwards, backwards, X, lengths, dtype=tf.float64
        )
        outputs = tf.concat(both, 2)
    else:
        outputs, state_fw, state_bw = tf.nn.static_bidirectional_rnn(
            forwards, backwards, tf.unstack(X, axis=1), dtype=tf.float64,
            sequence_length=lengths,
        )  # fmt: skip
        outputs = tf.stack(outputs, 1)

    def turned(x):
        ends = [TIME] * BATCH if lengths is None else lengths
        return np.stack(
            [np.concatenate([row[:n][::-1], row[n:]]) for row, n in zip(x, ends)]
        )

    with tf.Session() as session:
        values = initialize(session)
        got, fw, bw = session.run([outputs, state_fw, state_bw])
    scope = "bidirectional_rnn/{}/gru_cell"
    out_fw, want_fw = unroll(
        gru_step, of_cell(values, scope.format("fw")), X, [UNITS], lengths
    )
    out_bw, want_bw = unroll(
        gru_step, of_cell(values, scope.format("bw")), turned(X), [UNITS], lengths
    )
    np.testing.assert_allclose(got, np.concatenate([out_fw, turned(out_bw)], 2))
    np.testing.assert_allclose(fw, want_fw[0])
    np.testing.assert_allclose(bw, want_bw[0])


def test_raw_rnn_feeds_back_what_it_emits():
    cell = cells.BasicRNNCell(SIZE)

    def loop(time, output, state, sums):
        finished = time >= tf.constant(LENGTHS, tf.int32)
        if output is None:
            shown = (tf.zeros([SIZE], tf.float64), tf.zeros([], tf.int32))
            start = cell.zero_state(BATCH, tf.float64)
            return finished, tf.constant(X[:, 0]), start, shown, tf.constant(0)
        emitted = (2 * output, tf.fill([BATCH], time))
        return finished, output, state, emitted, sums + time

    (doubles, times), state, sums = tf.nn.raw_rnn(cell, loop)
    with tf.Session() as session:
        values = of_cell(initialize(session), "rnn/basic_rnn_cell")
        got = session.run([doubles.stack(), times.stack(), state, sums])
    x, s = X[:, 0], [np.zeros((BATCH, SIZE))]
    for t in range(5):
        goes_on = (t < LENGTHS)[:, None]
        x, new = basic_step(values, x, s)
        s = [np.where(goes_on, new[0], s[0])]
        np.testing.assert_allclose(got[0][t], np.where(goes_on, 2 * x, 0))
        np.testing.assert_array_equal(got[1][t], np.where(t < LENGTHS, t + 1, 0))
    np.testing.assert_allclose(got[2], s[0])
    assert got[3] == 1 + 2 + 3 + 4 + 5


def test_state_saving_network_goes_on_where_it_was():
    class Saver:
        def __init__(self):
            zeros = tf.zeros([BATCH, UNITS], tf.float64)
            self.kept = tf.Variable(zeros, trainable=False)

        def state(self, name):
            assert name == "h"
            return self.kept.value() + 0

        def save_state(self, name, value):
            return tf.assign(self.kept, value)

    outputs, _ = tf.nn.static_state_saving_rnn(
        cells.BasicRNNCell(UNITS), tf.unstack(X, axis=1), Saver(), "h"
    )
    with tf.Session() as session:
        values = of_cell(initialize(session), "rnn/basic_rnn_cell")
        session.run(tf.variables_initializer([tf.global_variables()[0]]))
        twice = [session.run(outputs[-1]) for _ in range(2)]
    want, _ = unroll(basic_step, values, np.concatenate([X, X], 1), [UNITS])
    np.testing.assert_allclose(twice[0], want[:, TIME - 1])
    np.testing.assert_allclose(twice[1], want[:, -1])


def test_structures_of_inputs_and_states():
    class Pair(cells.RNNCell):
        state_size = {"sum": SIZE, "count": tf.TensorShape([1])}
        output_size = (SIZE, 1)

        def call(self, inputs, state):
            total = state["sum"] + inputs[0] * inputs[1]
            count = state["count"] + 1
            return (total, count), {"sum": total, "count": count}

    outputs, state = tf.nn.dynamic_rnn(Pair(), (X, 2 * X), LENGTHS, dtype=tf.float64)
    with tf.Session() as session:
        (sums, counts), last = session.run([outputs, state])
    goes_on = (np.arange(TIME) < LENGTHS[:, None])[..., None]
    want = np.where(goes_on, np.cumsum(2 * X * X, 1), 0)
    np.testing.assert_allclose(sums, want)
    np.testing.assert_array_equal(last["count"][:, 0], LENGTHS)
    np.testing.assert_array_equal(counts.max(1)[:, 0], LENGTHS)


rnn, static = tf.nn.dynamic_rnn, tf.nn.static_rnn
REFUSED = [
    (lambda: rnn(None, X, dtype=tf.float64), TypeError, "is not an RNNCell"),
    (lambda: rnn(cells.GRUCell(3), X), ValueError, "must give a dtype"),
    (lambda: rnn(cells.GRUCell(3), X[0], dtype=tf.float64), ValueError, "rank"),
    (
        lambda: rnn(cells.GRUCell(3), X, [[1, 2, 3, 4]], dtype=tf.float64),
        ValueError,
        "vector of batch_size lengths",
    ),
    (
        lambda: rnn(cells.GRUCell(3), X, [1, 2], dtype=tf.float64),
        ValueError,
        "batch of 4, got 2",
    ),
    (
        lambda: rnn(
            cells.GRUCell(3), tf.placeholder("double", [2, 3, None]), dtype=tf.float64
        ),
        ValueError,
        "Input size",
    ),
    (
        lambda: static(cells.GRUCell(3), tf.constant(X), dtype=tf.float64),
        TypeError,
        "must be a sequence",
    ),
    (
        lambda: static(cells.GRUCell(3), [], dtype=tf.float64),
        ValueError,
        "must not be empty",
    ),
    (lambda: tf.nn.raw_rnn(cells.GRUCell(3), 3), TypeError, "callable"),
    (
        lambda: [rnn(cells.GRUCell(2), X, dtype=tf.float64) for _ in range(2)],
        ValueError,
        "already exists",
    ),
    (
        lambda: rnn(cells.GRUCell(2), X, initial_state=tf.zeros([4, 3], tf.float64)),
        ValueError,
        "imension|shape",
    ),
]


@pytest.mark.parametrize("build,error,words", REFUSED)
def test_what_does_not_fit_is_refused(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_another_number_of_lengths_than_sequences_fails_in_the_run():
    x = tf.placeholder(tf.float64, [None, None, SIZE])
    n = tf.placeholder(tf.int32, [None])
    outputs, _ = tf.nn.dynamic_rnn(cells.GRUCell(2), x, n, dtype=tf.float64)
    with tf.Session() as session:
        initialize(session)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape"):
            session.run(outputs, {x: X, n: [1, 2]})
