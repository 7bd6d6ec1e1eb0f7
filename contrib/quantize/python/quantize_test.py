# SPDX-License-Identifier: Apache-2.0
"""Weights and activations are rounded to 8 bits, ranges are kept in training and used afterwards."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

quantize = tf.contrib.quantize
RNG = np.random.RandomState(0)
X = RNG.randn(16, 6).astype(np.float32)


def rounded(x, low, high, bits=8, narrow=False):
    """x as fake quantization makes it: `low` moves so that 0 is a step."""
    least, most = int(narrow), 2**bits - 1
    scale = (high - low) / (most - least)
    zero = np.clip(np.round(least - low / scale), least, most)
    return (np.clip(np.round(x / scale + zero), least, most) - zero) * scale


def weights_of(w, bits=8):
    return rounded(w, min(w.min(), 0), max(w.max(), 0), bits, True)


def network(x):
    hidden = tf.layers.dense(x, 8, tf.nn.relu, name="hidden")
    return hidden, tf.layers.dense(hidden, 2, name="last")


def test_values_are_rounded(tmp_path):
    x = tf.placeholder(tf.float32, [None, 6])
    hidden, y = network(x)
    quantize.create_training_graph()
    names = {v.op.name for v in tf.global_variables()} - {v.op.name for v in tf.trainable_variables()}  # fmt: skip
    assert names == {f"{layer}/{part}_quant/{end}" for layer in ("hidden", "last") for part in ("weights", "act") for end in ("min", "max")}  # fmt: skip
    after = tf.identity(y)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        w, b, v, c = session.run(tf.trainable_variables())
        got = session.run([hidden, after], {x: X})
        kept = session.run({v.op.name: v for v in tf.global_variables()})
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
    h = np.maximum(X @ weights_of(w) + b, 0)
    np.testing.assert_allclose(got[0], h, rtol=1e-4, atol=1e-5)
    # Averages begin at -6 and 6.
    high = 0.999 * 6 + 0.001 * h.max()
    np.testing.assert_allclose(kept["hidden/act_quant/max"], high, rtol=1e-5)
    np.testing.assert_allclose(kept["hidden/act_quant/min"], -5.994, rtol=1e-5)
    np.testing.assert_allclose(kept["hidden/weights_quant/min"], w.min(), rtol=1e-6)
    logits = rounded(h, -5.994, high) @ weights_of(v) + c
    np.testing.assert_allclose(got[1], logits, atol=0.06)
    assert abs(got[1] - (np.maximum(X @ w + b, 0) @ v + c)).max() > 1e-4
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 6])
        hidden, y = network(x)
        after = tf.identity(y)
        quantize.create_eval_graph()
        tf.train.Saver().restore(session, path)
        used = session.run(after, {x: X * 100})
        again = session.run({v.op.name: v for v in tf.global_variables()})
    for name, value in kept.items():
        np.testing.assert_array_equal(again[name], value)
    # Values beyond the range are cut.
    assert used.max() <= kept["last/act_quant/max"] + 1e-5


def test_a_quantized_network_learns():
    x = tf.constant(X)
    _, y = network(x)
    want = X[:, :2] - X[:, 2:4]
    loss = tf.reduce_mean((y - want) ** 2)
    quantize.create_training_graph(quant_delay=10)
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.02).minimize(loss, step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(200):
            session.run(train)
        assert session.run(loss) < before / 5


def test_a_delay_leaves_first_steps_exact():
    hidden, y = network(tf.constant(X))
    exact = tf.identity(y)
    quantize.create_training_graph(quant_delay=2)
    step = tf.train.get_global_step()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        w, b, v, c = session.run(tf.trainable_variables())
        plain = np.maximum(X @ w + b, 0) @ v + c
        np.testing.assert_allclose(session.run(exact), plain, rtol=1e-4, atol=1e-5)
        step.load(2, session)
        assert abs(session.run(exact) - plain).max() > 1e-4


def test_convolutions_and_bits():
    image = RNG.randn(2, 5, 5, 3).astype(np.float32)
    y = tf.layers.separable_conv2d(image, 4, 3, activation=tf.nn.relu6, use_bias=False, name="s")  # fmt: skip
    z = tf.contrib.layers.conv2d(y, 2, 1, normalizer_fn=tf.contrib.layers.batch_norm, scope="c")  # fmt: skip
    quantize.experimental_create_training_graph(weight_bits=4, scope="s")
    quants = [op for op in tf.get_default_graph().get_operations() if op.type == "FakeQuantWithMinMaxVars"]  # fmt: skip
    assert sorted(op.get_attr("num_bits") for op in quants) == [4, 4, 8]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for op in quants:
            value = session.run(op.outputs[0])
            if op.get_attr("num_bits") == 4:
                assert len(np.unique(value)) <= 15
        assert np.isfinite(session.run(z)).all()
    with pytest.raises(ValueError, match="already"):
        quantize.create_eval_graph()


def test_a_graph_without_layers():
    tf.constant(1.0)
    with pytest.raises(ValueError, match="no convolution"):
        quantize.create_training_graph()
