# SPDX-License-Identifier: Apache-2.0
"""Regularizers, initializers, encoders, embeddings, summaries and optimize_loss."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.layers.python.layers import embedding_ops, optimizers
from tensorwright.contrib.layers.python.ops import sparse_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

layers = tf.contrib.layers
W = np.array([[1.0, -2.0], [3.0, 0.5]], np.float32)


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run(
            [tf.global_variables_initializer(), tf.local_variables_initializer()]
        )
        return session.run(fetches, feed)


def test_regularizers():
    w = tf.constant(W)
    l1, l2 = np.abs(W).sum(), (W**2).sum() / 2
    both = layers.l1_l2_regularizer(0.1, 0.2)(w)
    total = layers.sum_regularizer([layers.l1_regularizer(0.3), None])(w)
    got = run(
        [layers.l1_regularizer(0.5)(w), layers.l2_regularizer(0.5)(w), both, total]
    )
    np.testing.assert_allclose(got, [l1 / 2, l2 / 2, 0.1 * l1 + 0.2 * l2, 0.3 * l1], rtol=1e-6)  # fmt: skip
    assert layers.l1_regularizer(0.0)(w) is None
    np.testing.assert_allclose(
        run(layers.l1_l2_regularizer(0.0, 1.0)(w)), l2, rtol=1e-6
    )
    assert layers.sum_regularizer([None]) is None
    for make in (layers.l1_regularizer, layers.l2_regularizer):
        for wrong in (-1.0, 1):
            with pytest.raises(ValueError, match="scale"):
                make(wrong)


def test_losses_of_weights_are_added_up():
    w = [tf.constant(W), tf.constant(2 * W)]
    total = layers.apply_regularization(layers.l1_regularizer(1.0), w)
    assert tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES) == [total]
    np.testing.assert_allclose(run(total), 3 * np.abs(W).sum())
    with pytest.raises(ValueError, match="No weights"):
        layers.apply_regularization(layers.l1_regularizer(1.0))
    with pytest.raises(ValueError, match="scalar"):
        layers.apply_regularization(lambda w: w, w)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("mode", ["FAN_IN", "FAN_OUT", "FAN_AVG"])
def test_variances_are_scaled(uniform, mode):
    make = layers.variance_scaling_initializer(3.0, mode, uniform, seed=1)
    values = run(make([3, 3, 20, 60]))
    n = {"FAN_IN": 180, "FAN_OUT": 540, "FAN_AVG": 360}[mode]
    assert abs(values.var() * n / 3 - 1) < 0.05
    with pytest.raises(TypeError, match="mode"):
        layers.variance_scaling_initializer(mode="FAN")
    with pytest.raises(TypeError, match="floating"):
        layers.xavier_initializer(dtype=tf.int32)


def test_encoders():
    ids = np.array([[1, 2, 0], [2, 2, 3]])
    with tf.variable_scope("s"):
        words = layers.embed_sequence(ids, 4, 2, scope="e")
        same = layers.embed_sequence(ids, unique=True, scope="e", reuse=True)
        bag = layers.bow_encoder(ids, 4, 2, scope="e", reuse=True)
        dense = layers.bow_encoder(
            ids, 4, 2, sparse_lookup=False, scope="e", reuse=True
        )
    table = tf.global_variables()[0]
    words, same, bag, dense, table = run([words, same, bag, dense, table])
    np.testing.assert_array_equal(words, table[ids])
    np.testing.assert_array_equal(same, table[ids])
    np.testing.assert_allclose(dense, table[ids].mean(1), rtol=1e-5)
    # 0 is no id of a bag.
    np.testing.assert_allclose(bag[0], table[[1, 2]].mean(0), rtol=1e-5)
    with pytest.raises(ValueError, match="Must specify"):
        layers.embed_sequence(ids)
    sparse = tf.SparseTensor([[0, 0]], [1], [1, 1])
    with pytest.raises(TypeError, match="dense"):
        layers.bow_encoder(sparse, 4, 2, sparse_lookup=False)


def test_scattered_embeddings_are_the_same_for_equal_values():
    table = tf.constant(np.random.RandomState(0).randn(50).astype(np.float32))
    values = tf.constant([["a", "b"], ["a", "c"]])
    found = embedding_ops.scattered_embedding_lookup(table, values, 4)
    other = embedding_ops.scattered_embedding_lookup(table, values, 4, hash_key=7)
    sparse = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["a", "b", "c"], [3, 2])
    mean = embedding_ops.scattered_embedding_lookup_sparse(table, sparse, 4)
    found, other, mean = run([found, other, mean])
    assert found.shape == (2, 2, 4)
    np.testing.assert_array_equal(found[0, 0], found[1, 0])
    assert np.abs(found[0, 0] - found[0, 1]).max() > 0
    assert np.abs(found - other).max() > 0
    np.testing.assert_allclose(mean[0], found[0].mean(0), rtol=1e-5)
    np.testing.assert_allclose(mean[2], found[1, 1], rtol=1e-5)


def test_sums_of_parts_are_those_of_the_whole():
    rng = np.random.RandomState(1)
    whole = rng.randn(6, 3).astype(np.float32)
    parts = [tf.constant(whole[i::2]) for i in range(2)]
    ids = tf.SparseTensor([[0, 0], [0, 2], [1, 0]], tf.constant([3, 4, 1], tf.int64), [2, 3])  # fmt: skip
    weights = tf.SparseTensor(ids.indices, [1.0, 2.0, 0.5], [2, 3])
    for combiner in ("sum", "mean", "sqrtn"):
        got = embedding_ops.embedding_lookup_sparse_with_distributed_aggregation(
            parts, ids, weights, combiner=combiner
        )
        want = tf.nn.embedding_lookup_sparse(parts, ids, weights, combiner=combiner)
        got, want = run([got, want])
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_dense_tensors_become_sparse():
    found = sparse_ops.dense_to_sparse_tensor([["a", ""], ["", "b"]])
    assert run(found).values.tolist() == [b"a", b"b"]
    ids = run(sparse_ops.indicators_to_sparse_ids([[0, 1, 1], [0, 0, 0], [1, 0, 0]]))
    assert ids.indices.tolist() == [[0, 0], [0, 1], [2, 0]]
    assert ids.values.tolist() == [1, 2, 0] and ids.dense_shape.tolist() == [3, 2]


def test_summaries():
    x = tf.constant([0.0, 7.0])
    layers.summarize_activation(tf.nn.relu6(x, name="six"))
    layers.summarize_tensors([tf.constant(1.0, name="one"), x])
    tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, tf.nn.relu(x, name="r"))
    layers.summarize_activations("r$")
    merged = tf.Summary.FromString(run(tf.summary.merge_all()))
    found = {v.tag: v for v in merged.value}
    assert found["six/zeros"].simple_value == found["six/sixes"].simple_value == 0.5
    assert found["one_summary"].simple_value == 1
    assert found["r/activation"].histo.num == 2


OPTIMIZERS = [
    "SGD",
    tf.train.GradientDescentOptimizer,
    tf.train.GradientDescentOptimizer(0.1),
    lambda lr: tf.train.GradientDescentOptimizer(lr),
]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_form_of_optimizer_trains(optimizer):
    v = tf.Variable(10.0)
    step = tf.train.create_global_step()
    train = layers.optimize_loss(v * v / 2, step, 0.1, optimizer)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(v) == pytest.approx(9.0)
        assert session.run(step) == 1


def trained(**options):
    v = tf.Variable(10.0, name="v")
    step = tf.train.create_global_step()
    train = layers.optimize_loss(v * v / 2, step, 0.1, "SGD", **options)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        return session.run([v, step])


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({"clip_gradients": 1.0}, 9.9),
        ({"clip_gradients": lambda g: [(x * 2, v) for x, v in g]}, 8.0),
        ({"clip_gradients": optimizers.adaptive_clipping_fn(static_max_norm=1.0)}, 9.9),
        ({"gradient_multipliers": {"v:0": 3.0}}, 7.0),
        ({"learning_rate_decay_fn": lambda lr, step: lr * 2}, 8.0),
        ({"increment_global_step": False}, 9.0),
        ({"summaries": optimizers.OPTIMIZER_SUMMARIES}, 9.0),
    ],
)
def test_options_of_a_step(options, want):
    value, step = trained(**options)
    assert value == pytest.approx(want)
    assert step == options.get("increment_global_step", True)


def test_noise_is_added():
    assert trained(gradient_noise_scale=1.0)[0] != 9.0


def test_noise_takes_its_seed_from_the_operations_before_it():
    # TensorFlow 2.21's TruncatedNormal gives -0.369121 for the seeds 42 and 28, the count of TensorFlow 1's operations.
    tf.set_random_seed(42)
    x = tf.placeholder(tf.float32, [])
    v = tf.get_variable("test", [], initializer=tf.constant_initializer(10))
    loss = tf.abs(v * x)
    step = tf.train.create_global_step()
    train = layers.optimize_loss(loss, step, 0.1, "SGD", gradient_noise_scale=10.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train, {x: 5.0})
        assert session.run(v) == pytest.approx(9.5 + 0.369121, abs=1e-5)


def test_the_learning_rate_is_summarized():
    trained()
    merged = tf.get_collection(tf.GraphKeys.SUMMARIES)
    assert any("learning_rate" in summary.op.name for summary in merged)


def test_updates_run_before_the_loss():
    v, n = tf.Variable(1.0), tf.Variable(0.0, trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, n.assign_add(1.0))
    train = layers.optimize_loss(v * v, None, 0.1, "Adam")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(n) == 1


@pytest.mark.parametrize(
    ("rate", "optimizer", "options"),
    [
        (-0.1, "SGD", {}),
        (1, "SGD", {}),
        (None, "SGD", {}),
        (0.1, "Nothing", {}),
        (0.1, 3, {}),
        (0.1, lambda lr: lr, {}),
        (0.1, "SGD", {"summaries": ["x"]}),
        (0.1, "SGD", {"clip_gradients": "x"}),
    ],
)
def test_bad_arguments(rate, optimizer, options):
    v = tf.Variable(1.0)
    with pytest.raises(ValueError):
        layers.optimize_loss(v * v, None, rate, optimizer, **options)


def test_the_names_of_optimizers_are_public():
    names = tf.contrib.layers.OPTIMIZER_CLS_NAMES
    assert names["Adam"] is tf.train.AdamOptimizer and "SGD" in names
    assert "gradient_norm" in tf.contrib.layers.OPTIMIZER_SUMMARIES
