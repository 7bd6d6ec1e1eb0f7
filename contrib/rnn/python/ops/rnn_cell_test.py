# SPDX-License-Identifier: Apache-2.0
"""Tests of contrib's cells: a step of each against NumPy's, and a step of training."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

rnn = tf.contrib.rnn
N, B, D = 6, 3, 4


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def step(cell, inputs, state):
    """(output, state, {short name: value} of the variables) of a step from numbers, in which no variable is zero."""
    output, new_state = cell(
        tf.nest.map_structure(tf.constant, inputs),
        tf.nest.map_structure(tf.constant, state),
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


def test_ugrnn():
    x, h = draw(B, D), draw(B, N, seed=1)
    output, state, v = step(rnn.UGRNNCell(N), x, h)
    g, c = np.split(np.concatenate([x, h], 1) @ v["kernel"] + v["bias"], 2, 1)
    g = sigmoid(g + 1)
    close(output, g * h + (1 - g) * np.tanh(c))
    close(state, output)


@pytest.mark.parametrize("size", [N, D])
def test_intersection(size):
    x, h = draw(B, size), draw(B, N, seed=1)
    cell = rnn.IntersectionRNNCell(N, num_in_proj=N if size != N else None)
    output, state, v = step(cell, x, h)
    if size != N:
        x = x @ v["in_projection/kernel"] + v["in_projection/bias"]
    parts = np.concatenate([x, h], 1) @ v["kernel"] + v["bias"]
    gh, c, gy, y = np.split(parts, 4, 1)
    gh, gy = sigmoid(gh + 1), sigmoid(gy + 1)
    close(state, gh * h + (1 - gh) * np.tanh(c))
    close(output, gy * x + (1 - gy) * relu(y))


def test_intersection_says_that_it_needs_a_projection():
    with pytest.raises(ValueError, match="num_in_proj"):
        rnn.IntersectionRNNCell(N)(tf.zeros([B, D]), tf.zeros([B, N]))


@pytest.mark.parametrize("is_tuple", [True, False])
def test_coupled_gates(is_tuple):
    x, c, h = draw(B, D), draw(B, N, seed=1), draw(B, 2, seed=2)
    cell = rnn.CoupledInputForgetGateLSTMCell(
        N,
        use_peepholes=True,
        num_proj=2,
        proj_clip=0.2,
        num_unit_shards=2,
        state_is_tuple=is_tuple,
    )
    state = rnn.LSTMStateTuple(c, h) if is_tuple else np.concatenate([c, h], 1)
    output, new, v = step(cell, x, state)
    kernel = np.concatenate([v["W_0"], v["W_1"]], 0)
    j, f, o = np.split(np.concatenate([x, h], 1) @ kernel + v["B"], 3, 1)
    f = sigmoid(f + 1 + v["W_F_diag"] * c)
    new_c = f * c + (1 - f) * np.tanh(j)
    m = sigmoid(o + v["W_O_diag"] * new_c) * np.tanh(new_c)
    m = np.clip(m @ v["W_P_0"], -0.2, 0.2)
    close(output, m)
    close(np.concatenate(new, 1) if is_tuple else new, np.concatenate([new_c, m], 1))


def normalised(x, v, scope):
    mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
    x = (x - mean) / np.sqrt(variance + 1e-12)
    return x * v[f"{scope}/gamma"] + v[f"{scope}/beta"]


@pytest.mark.parametrize("norm", [True, False])
def test_layer_norm_lstm(norm):
    x, c, h = draw(B, D), draw(B, N, seed=1), draw(B, N, seed=2)
    cell = rnn.LayerNormBasicLSTMCell(N, layer_norm=norm, norm_gain=0.9, norm_shift=0.1)
    output, (new_c, _), v = step(cell, x, rnn.LSTMStateTuple(c, h))
    gates = np.concatenate([x, h], 1) @ v["kernel"]
    if norm:
        assert "bias" not in v
        i, j, f, o = (
            normalised(gate, v, scope)
            for gate, scope in zip(
                np.split(gates, 4, 1), ["input", "transform", "forget", "output"]
            )
        )
    else:
        i, j, f, o = np.split(gates + v["bias"], 4, 1)
    want = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
    if norm:
        want = normalised(want, v, "state")
    close(new_c, want)
    close(output, np.tanh(want) * sigmoid(o))


def test_layer_norm_lstm_drops_of_what_is_new():
    cell = rnn.LayerNormBasicLSTMCell(
        200, layer_norm=False, dropout_keep_prob=0.5, dropout_prob_seed=1
    )
    _, (c, _), _ = step(
        cell, draw(1, D), rnn.LSTMStateTuple(draw(1, 200) * 0, draw(1, 200))
    )
    assert 60 < np.sum(c == 0) < 140


@pytest.mark.parametrize("proj", [None, 4])
def test_nas(proj):
    m = proj or N
    x, c, h = draw(B, D), draw(B, N, seed=1), draw(B, m, seed=2)
    cell = rnn.NASCell(N, num_proj=proj, use_biases=True)
    output, (new_c, _), v = step(cell, x, rnn.LSTMStateTuple(c, h))
    a = np.split(x @ v["kernel"], 8, 1)
    b = np.split(h @ v["recurrent_kernel"] + v["bias"], 8, 1)
    first = [
        sigmoid(a[0] + b[0]),
        relu(a[1] + b[1]),
        sigmoid(a[2] + b[2]),
        relu(a[3] * b[3]),
        np.tanh(a[4] + b[4]),
        sigmoid(a[5] + b[5]),
        np.tanh(a[6] + b[6]),
        sigmoid(a[7] + b[7]),
    ]
    second = [
        np.tanh(np.tanh(first[0] * first[1]) + c),
        np.tanh(first[2] + first[3]),
        np.tanh(first[4] * first[5]),
        sigmoid(first[6] + first[7]),
    ]
    want_c = second[0] * second[1]
    want = np.tanh(want_c * np.tanh(second[2] + second[3]))
    if proj:
        want = want @ v["projection_weights"]
    close(new_c, want_c)
    close(output, want)


@pytest.mark.parametrize("peepholes", [True, False])
def test_phased_lstm(peepholes):
    x, c, h = draw(B, D), draw(B, N, seed=1), draw(B, N, seed=2)
    time = np.array([[0.5], [3.0], [700.25]], np.float64)
    cell = rnn.PhasedLSTMCell(N, peepholes, leak=0.01, ratio_on=0.4)
    output, (new_c, _), v = step(cell, (time, x), rnn.LSTMStateTuple(c, h))

    def map_(scope, parts):
        w, b = v[f"{scope}/kernel"], v[f"{scope}/bias"]
        return np.concatenate(parts, 1) @ w + b

    i, f = np.split(sigmoid(map_("mask_gates", [x, h] + [c] * peepholes)), 2, 1)
    want_c = c * f + i * np.tanh(map_("new_input", [x, h]))
    o = sigmoid(map_("output_gate", [x, h] + [want_c] * peepholes))
    want = np.tanh(want_c) * o
    period, phase, on = (
        v[k].astype(np.float64) for k in ("period", "phase", "ratio_on")
    )
    cycle = np.mod(time - phase, period) / period
    k = np.where(cycle < on, 2 - 2 * cycle / on, 0.01 * cycle)
    k = np.where(cycle < on / 2, 2 * cycle / on, k)
    close(new_c, k * want_c + (1 - k) * c)
    close(output, k * want + (1 - k) * h)


def test_phased_lstm_draws_phases_below_periods():
    tf.set_random_seed(7)
    cell = rnn.PhasedLSTMCell(500, period_init_min=2.0, period_init_max=50.0)
    cell((tf.zeros([1, 1]), tf.zeros([1, 2])), cell.zero_state(1, tf.float32))
    by_name = {v.op.name.rpartition("/")[2]: v for v in tf.global_variables()}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        period, phase = session.run([by_name["period"], by_name["phase"]])
    assert period.min() >= 2 and period.max() <= 50
    assert (phase < period).all() and (phase >= 0).all()
    # Uniform in the logarithm: the median is near the geometric mean of the ends, within four deviations of 500 draws.
    deviation = np.log(25) / (2 * np.sqrt(500))
    assert abs(np.log(np.median(period) / 10)) < 4 * deviation


@pytest.mark.parametrize("groups,proj", [(1, None), (2, None), (2, 4)])
def test_groups(groups, proj):
    m = proj or N
    x, c, h = draw(B, D), draw(B, N, seed=1), draw(B, m, seed=2)
    cell = rnn.GLSTMCell(N, num_proj=proj, number_of_groups=groups)
    output, (new_c, _), v = step(cell, x, rnn.LSTMStateTuple(c, h))
    of_groups = []
    for g, (a, b) in enumerate(zip(np.split(x, groups, 1), np.split(h, groups, 1))):
        gates = np.concatenate([a, b], 1) @ v[f"group{g}/kernel"]
        of_groups.append(np.split(gates, 4, 1))
    i, j, f, o = (
        np.concatenate([parts[k] for parts in of_groups], 1) + v[f"bias_{gate}"]
        for k, gate in enumerate("ijfo")
    )
    want_c = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
    want = sigmoid(o) * np.tanh(want_c)
    close(new_c, want_c)
    close(output, want @ v["projection/kernel"] if proj else want)


def test_groups_must_divide_the_units():
    with pytest.raises(ValueError, match="number_of_groups"):
        rnn.GLSTMCell(5, number_of_groups=2)


@pytest.mark.parametrize("coupled", [True, False])
def test_highway(coupled):
    x, h = draw(B, N), draw(B, N, seed=1)
    cell = rnn.HighwayWrapper(
        rnn.BasicRNNCell(N), couple_carry_transform_gates=coupled, carry_bias_init=0.5
    )
    output, new = cell(tf.constant(x), tf.constant(h))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got, inner, *values = session.run([output, new, *tf.global_variables()])
    v = dict(zip([v.op.name for v in tf.global_variables()], values))
    carry = sigmoid(x @ v["carry_w"] + v["carry_b"])
    np.testing.assert_allclose(v["carry_b"], 0.5)
    transform = 1 - carry
    if not coupled:
        np.testing.assert_allclose(v["transform_b"], -0.5)
        transform = sigmoid(x @ v["transform_w"] + v["transform_b"])
    close(got, x * carry + inner * transform)


def test_attention_cell():
    length, size, vec = 3, 5, 2
    cell = rnn.AttentionCellWrapper(
        rnn.BasicLSTMCell(N), length, attn_size=size, attn_vec_size=vec
    )
    x, c, h = draw(B, D), draw(B, N, seed=1), draw(B, N, seed=2)
    mean, kept = draw(B, size, seed=3), draw(B, length * size, seed=4)
    output, (own, new_mean, new_kept), v = step(
        cell, x, (rnn.LSTMStateTuple(c, h), mean, kept)
    )
    fed = np.concatenate([x, mean], 1) @ v["kernel"] + v["bias"]
    w = {k.rpartition("/")[2]: value for k, value in v.items() if "lstm" in k}
    i, j, f, o = np.split(np.concatenate([fed, h], 1) @ w["kernel"] + w["bias"], 4, 1)
    c = c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j)
    h = np.tanh(c) * sigmoid(o)
    close(np.concatenate(own, 1), np.concatenate([c, h], 1))
    rows = kept.reshape(B, length, size)
    asked = np.concatenate([c, h], 1) @ v["attention/kernel"] + v["attention/bias"]
    hidden = rows @ v["attention/attn_w"][0, 0] + asked[:, None]
    scores = (np.tanh(hidden) * v["attention/attn_v"]).sum(2)
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    want_mean = (weights[:, :, None] * rows).sum(1)
    close(new_mean, want_mean)
    scope = "attn_output_projection"
    want = np.concatenate([h, want_mean], 1) @ v[f"{scope}/kernel"] + v[f"{scope}/bias"]
    close(output, want)
    rows = np.concatenate([rows[:, 1:], want[:, None]], 1)
    close(new_kept, rows.reshape(B, -1))


def test_attention_states_side_by_side():
    cell = rnn.AttentionCellWrapper(rnn.GRUCell(N), 2, state_is_tuple=False)
    assert cell.state_size == N + N + 2 * N
    output, state, _ = step(cell, draw(B, D), draw(B, 4 * N, seed=1))
    close(state[:, 3 * N :], output)
    with pytest.raises(ValueError, match="state_is_tuple"):
        rnn.AttentionCellWrapper(rnn.BasicLSTMCell(N), 2, state_is_tuple=False)
    with pytest.raises(ValueError, match="greater than zero"):
        rnn.AttentionCellWrapper(rnn.GRUCell(N), 0)
    with pytest.raises(TypeError):
        rnn.AttentionCellWrapper(None, 2)


def test_compiled_cells_are_marked():
    x, h = tf.constant(draw(B, D)), tf.constant(draw(B, N))
    before = len(tf.get_default_graph().get_operations())
    inner = rnn.GRUCell(N)
    got, _ = rnn.CompiledWrapper(inner)(x, h)
    ops = tf.get_default_graph().get_operations()[before:]
    marked = [op for op in ops if "_XlaCompile" in op.node_def.attr]
    assert {op.type for op in marked} >= {"MatMul", "Sigmoid"}
    assert not any("Variable" in op.type for op in marked)
    want, _ = inner(x, h)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        close(*session.run([got, want]))


CELLS = {
    "ugrnn": lambda: rnn.UGRNNCell(N),
    "intersection": lambda: rnn.IntersectionRNNCell(N, num_in_proj=N),
    "coupled": lambda: rnn.CoupledInputForgetGateLSTMCell(N, use_peepholes=True),
    "layer_norm": lambda: rnn.LayerNormBasicLSTMCell(N),
    "nas": lambda: rnn.NASCell(N),
    "groups": lambda: rnn.GLSTMCell(N, number_of_groups=2),
    "attention": lambda: rnn.AttentionCellWrapper(rnn.GRUCell(N), 3),
    "highway": lambda: rnn.HighwayWrapper(rnn.GRUCell(D)),
    "grid": lambda: rnn.GridLSTMCell(
        N, feature_size=2, frequency_skip=1, num_frequency_blocks=[3]
    ),
}


@pytest.mark.parametrize("name", CELLS)
def test_cells_learn_over_a_sequence(name):
    cell = CELLS[name]()
    inputs = tf.constant(draw(B, 5, D))
    outputs, _ = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
    loss = tf.reduce_mean(tf.square(outputs - 0.2))
    gradients = tf.gradients(loss, tf.trainable_variables())
    assert all(g is not None for g in gradients)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(10):
            session.run(train)
        assert session.run(loss) < before
    assert {v.name for v in cell.trainable_variables} <= {
        v.name for v in tf.trainable_variables()
    }
