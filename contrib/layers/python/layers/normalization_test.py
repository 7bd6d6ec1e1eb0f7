# SPDX-License-Identifier: Apache-2.0
"""batch_norm and layer_norm: values in training and use, updates, weights, refusals."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

layers = tf.contrib.layers
RNG = np.random.RandomState(4)
X = (RNG.randn(6, 4, 5, 3) * 2 + 1).astype(np.float32)
CASES = [
    {},
    {"updates_collections": None},
    {"updates_collections": "mine"},
    {"zero_debias_moving_mean": True},
    {"fused": True},
    {"fused": True, "updates_collections": None},
]


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


# The fused op has no kernel for NCHW on CPUs.
ORDERS = [(c, "NHWC") for c in CASES] + [
    (c, "NCHW") for c in CASES if not c.get("fused")
]


@pytest.mark.parametrize(("options", "order"), ORDERS)
def test_a_batch_is_normalised_by_itself(options, order):
    x = X if order == "NHWC" else X.transpose(0, 3, 1, 2)
    y = layers.batch_norm(x, epsilon=1e-3, scale=True, data_format=order, **options)
    got = run(y)
    if order == "NCHW":
        got = got.transpose(0, 2, 3, 1)
    mean, variance = X.mean((0, 1, 2)), X.var((0, 1, 2))
    np.testing.assert_allclose(got, (X - mean) / np.sqrt(variance + 1e-3), atol=2e-4)


@pytest.mark.parametrize("options", CASES)
def test_averages_move_and_are_used(options):
    training = tf.placeholder(tf.bool, [])
    y = layers.batch_norm(X, decay=0.9, is_training=training, **options)
    collection = options.get("updates_collections", tf.GraphKeys.UPDATE_OPS)
    updates = tf.get_collection(collection) if collection else []
    mean, variance = X.mean((0, 1, 2)), X.var((0, 1, 2))
    if options.get("fused"):
        n = X[..., 0].size
        variance = variance * n / (n - 1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(y, {training: False})
        np.testing.assert_allclose(before, X / np.sqrt(1.001), rtol=1e-4)
        session.run([y, updates], {training: False})
        session.run([y, updates], {training: True})
        after, averages = session.run(
            [y, tf.global_variables("BatchNorm/moving")], {training: False}
        )
    moved = mean if options.get("zero_debias_moving_mean") else 0.1 * mean
    np.testing.assert_allclose(averages[0], moved, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(averages[1], 0.9 + 0.1 * variance, rtol=1e-3)
    want = (X - averages[0]) / np.sqrt(averages[1] + 1e-3)
    np.testing.assert_allclose(after, want, atol=1e-3)


def test_examples_count_by_their_weights():
    weights = np.array([1, 0, 2, 0, 0, 1], np.float32)
    y = layers.batch_norm(X, batch_weights=weights)
    got = run(y)
    w = weights[:, None, None, None] / (weights.sum() * 20)
    mean = (X * w).sum((0, 1, 2))
    variance = ((X - mean) ** 2 * w).sum((0, 1, 2))
    np.testing.assert_allclose(got, (X - mean) / np.sqrt(variance + 1e-3), atol=1e-3)


def test_variables_are_where_they_belong():
    layers.batch_norm(
        X, scale=True, scope="bn", variables_collections=["bn_vars"],
        param_initializers={"beta": tf.constant_initializer(2.0)},
        param_regularizers={"gamma": layers.l2_regularizer(0.1)},
    )  # fmt: skip
    names = {v.op.name for v in tf.get_collection("bn_vars")}
    assert names == {f"bn/{n}" for n in ("beta", "gamma", "moving_mean", "moving_variance")}  # fmt: skip
    assert {v.op.name for v in tf.trainable_variables()} == {"bn/beta", "bn/gamma"}
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2
    assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 1
    assert run(tf.trainable_variables("bn/beta")[0]).tolist() == [2, 2, 2]


def test_rows_are_fused_too():
    y = layers.batch_norm(X.reshape(-1, 3), fused=True)
    rows = X.reshape(-1, 3)
    want = (rows - rows.mean(0)) / np.sqrt(rows.var(0) + 1e-3)
    np.testing.assert_allclose(run(y), want, atol=1e-3)


@pytest.mark.parametrize(
    "options",
    [
        {"data_format": "CHWN"},
        {"fused": True, "batch_weights": [1.0] * 6},
        {"fused": True, "renorm": True},
        {"renorm": True, "updates_collections": None},
    ],
)
def test_what_does_not_go_together_is_refused(options):
    with pytest.raises(ValueError):
        layers.batch_norm(X, **options)


def test_unknown_ranks_are_refused():
    x = tf.placeholder(tf.float32)
    for layer in (layers.batch_norm, layers.layer_norm):
        with pytest.raises(ValueError, match="undefined rank"):
            layer(x)


def test_each_example_is_normalised_by_itself():
    y = layers.layer_norm(X, begin_norm_axis=1, begin_params_axis=-1)
    assert {v.op.name: v.shape.as_list() for v in tf.global_variables()} == {
        "LayerNorm/beta": [3],
        "LayerNorm/gamma": [3],
    }
    mean = X.mean((1, 2, 3), keepdims=True)
    variance = X.var((1, 2, 3), keepdims=True)
    np.testing.assert_allclose(run(y), (X - mean) / np.sqrt(variance), atol=1e-3)
    with pytest.raises(ValueError, match="must be <"):
        layers.layer_norm(X, begin_norm_axis=4)


def test_what_is_normalised_is_adjusted():
    y = layers.batch_norm(X, center=False, adjustment=lambda shape: (2.0, tf.fill(shape[:1], 1.0)[:, None, None, None]))  # fmt: skip
    mean, variance = X.mean((0, 1, 2)), X.var((0, 1, 2))
    want = 2 * (X - mean) / np.sqrt(variance + 1e-3) + 1
    np.testing.assert_allclose(run(y), want, rtol=1e-3, atol=1e-4)
    for options in ({"fused": True}, {"updates_collections": None}):
        with pytest.raises(ValueError, match="not supported"):
            layers.batch_norm(X, adjustment=max, **options)
