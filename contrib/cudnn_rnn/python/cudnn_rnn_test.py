# SPDX-License-Identifier: Apache-2.0
"""Networks with cuDNN's arithmetic against NumPy, against compatible cells through checkpoints, and in training."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.cudnn_rnn.python.ops import cudnn_rnn_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

cudnn = tf.contrib.cudnn_rnn
T, B, D, N = 5, 3, 4, 6
KINDS = ["LSTM", "GRU", "RNNTanh", "RNNRelu"]


def draw(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32) * 0.5


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(kind, x, h, c, w, r, bw, br):
    a = [x @ m.T + b for m, b in zip(w, bw)]
    s = [h @ m.T + b for m, b in zip(r, br)]
    if kind == "LSTM":
        i, f, g, o = (p + q for p, q in zip(a, s))
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    if kind == "GRU":
        reset, update = sigmoid(a[0] + s[0]), sigmoid(a[1] + s[1])
        return update * h + (1 - update) * np.tanh(a[2] + reset * s[2]), c
    total = a[0] + s[0]
    return (np.tanh(total) if kind == "RNNTanh" else np.maximum(total, 0)), c


def reference(kind, x, h, c, weights, biases, layers, dirs):
    gates = {"LSTM": 4, "GRU": 3}.get(kind, 1)
    last_h, last_c, place = [], [], 0
    for _ in range(layers):
        ways = []
        for way in range(dirs):
            first = place * 2 * gates
            w, r = weights[first : first + gates], weights[first + gates : first + 2 * gates]  # fmt: skip
            bw, br = biases[first : first + gates], biases[first + gates : first + 2 * gates]  # fmt: skip
            ht, ct, out = h[place], c[place], []
            for t in reversed(range(T)) if way else range(T):
                ht, ct = step(kind, x[t], ht, ct, w, r, bw, br)
                out.append(ht)
            ways.append(np.stack(out[::-1] if way else out))
            last_h.append(ht)
            last_c.append(ct)
            place += 1
        x = np.concatenate(ways, 2)
    return x, np.stack(last_h), np.stack(last_c)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("layers", "direction"), [(1, "unidirectional"), (2, "bidirectional")])  # fmt: skip
def test_networks_of_a_vector(kind, layers, direction):
    model = getattr(cudnn, f"Cudnn{kind}")(layers, N, D, direction=direction)
    assert type(model) is getattr(cudnn_rnn_ops, f"Cudnn{kind}")
    dirs = 1 if direction == "unidirectional" else 2
    x, h, c = draw(T, B, D), draw(layers * dirs, B, N, seed=1), draw(layers * dirs, B, N, seed=2)  # fmt: skip
    size = tf.contrib.util.constant_value(model.params_size())
    params = draw(size, seed=3)
    weights, biases = model.params_to_canonical(params)
    back = model.canonical_to_params(weights, biases)
    if kind == "LSTM":
        found = model(x, h, c, params, is_training=False)
    else:
        found = model(x, h, params, is_training=False)
    with tf.Session() as session:
        weights, biases, back, found = session.run([weights, biases, back, found])
    np.testing.assert_array_equal(back, params)
    want = reference(kind, x, h, c, weights, biases, layers, dirs)
    for got, value in zip(found, want):
        np.testing.assert_allclose(got, value, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_layers_learn(kind):
    # Some first guesses learn too slowly for 20 steps.
    tf.set_random_seed(1)
    layer = getattr(cudnn, f"Cudnn{kind}")(2, N, direction="bidirectional", dropout=0.1, seed=3)  # fmt: skip
    x = tf.placeholder(tf.float32, [None, None, D])
    outputs, states = layer(x, training=True)
    again, _ = layer(x, training=False)
    assert outputs.get_shape().as_list()[2] == 2 * N and layer.input_size == D
    assert len(states) == len(layer.state_shape(B)) == (2 if kind == "LSTM" else 1)
    (kernel,) = tf.trainable_variables()
    loss = tf.reduce_mean((outputs[-1] - 0.3) ** 2)
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    measured = tf.reduce_mean((again[-1] - 0.3) ** 2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        feed = {x: draw(T, B, D)}
        before = session.run(measured, feed)
        for _ in range(20):
            session.run(train, feed)
        assert session.run(measured, feed) < before / 2
        assert session.run(states[0], feed).shape == (4, B, N)
        # Glorot's bounds and biases of 0 make the first values.
    assert kernel.get_shape().as_list() == [sum(int(np.prod(s)) for s in layer.canonical_weight_shapes + layer.canonical_bias_shapes)]  # fmt: skip


def test_states_given_and_dropout():
    lstm = cudnn.CudnnLSTM(1, N, "linear_input", kernel_initializer=tf.ones_initializer())  # fmt: skip
    h, c = draw(1, B, N), draw(1, B, N, seed=1)
    outputs, (last_h, last_c) = lstm(draw(T, B, D), (h, c), training=False)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        outputs, last_h, last_c = session.run([outputs, last_h, last_c])
    want = reference("LSTM", draw(T, B, D), h, c, [np.ones([N, D])] * 4 + [np.ones([N, N])] * 4, [np.zeros(N)] * 8, 1, 1)  # fmt: skip
    np.testing.assert_allclose(outputs, want[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(last_c, want[2], rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(outputs[-1], last_h[0])
    with pytest.raises(ValueError, match="tuple of 2 tensors"):
        lstm(draw(T, B, D), (h,))
    for options, text in (
        ({"direction": "up"}, "direction"),
        ({"input_mode": "skip_input"}, "input_mode"),
        ({"dropout": 1.0}, "dropout"),
    ):
        with pytest.raises(ValueError, match=text):
            cudnn.CudnnGRU(1, N, **options)
    with pytest.raises(ValueError, match="not been built"):
        _ = cudnn.CudnnGRU(1, N).input_size


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize("both", [False, True])
def test_checkpoints_are_those_of_cells(kind, both, tmp_path):
    """A network is saved, loaded by cells, and loaded again into a network."""
    x = draw(T, B, D)
    with tf.Graph().as_default(), tf.Session() as session:
        layer = getattr(cudnn, f"Cudnn{kind}")(2, N, direction="bidirectional" if both else "unidirectional", bias_initializer=tf.random_uniform_initializer(-1, 1), name="net")  # fmt: skip
        outputs, _ = layer(x, training=False)
        session.run(tf.global_variables_initializer())
        want = session.run(outputs)
        path = tf.train.Saver([layer.saveable]).save(session, str(tmp_path / "m"))
    cell = getattr(cudnn, f"CudnnCompatible{kind}Cell")
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("net"):
            if both:
                outputs, _, _ = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(
                    [cell(N) for _ in range(2)], [cell(N) for _ in range(2)], x.transpose(1, 0, 2), dtype=tf.float32
                )  # fmt: skip
            else:
                stacked = tf.nn.rnn_cell.MultiRNNCell([cell(N) for _ in range(2)])
                outputs, _ = tf.nn.dynamic_rnn(stacked, x.transpose(1, 0, 2), dtype=tf.float32)  # fmt: skip
        tf.train.Saver().restore(session, path)
        got = session.run(outputs).transpose(1, 0, 2)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
        path = tf.train.Saver().save(session, str(tmp_path / "n"))
    with tf.Graph().as_default(), tf.Session() as session:
        layer = getattr(cudnn, f"Cudnn{kind}")(2, N, direction="bidirectional" if both else "unidirectional", name="net")  # fmt: skip
        outputs, _ = layer(x, training=False)
        tf.train.Saver([layer.saveable]).restore(session, path)
        np.testing.assert_allclose(session.run(outputs), want, rtol=1e-4, atol=1e-5)
