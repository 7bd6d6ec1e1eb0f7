# SPDX-License-Identifier: Apache-2.0
"""Inception nets of tf.contrib.slim: sizes, numbers of weights, names as in public checkpoints, a training step."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.slim import nets

pytestmark = pytest.mark.usefixtures("fresh_graph")

slim = tf.contrib.slim
inception = nets.inception
NETS = [
    # Numbers of weights with the moving averages, without the head.
    (1, inception.inception_v1, inception.inception_v1_base, 224, 5607184, [7, 7, 1024]),
    (2, inception.inception_v2, inception.inception_v2_base, 224, 10173112, [7, 7, 1024]),
    (3, inception.inception_v3, inception.inception_v3_base, 299, 21802784, [8, 8, 2048]),
]  # fmt: skip
each_net = pytest.mark.parametrize(
    ("v", "net", "base", "size", "weights", "features"), NETS
)


@each_net
def test_a_net_without_its_head(v, net, base, size, weights, features):
    images = tf.placeholder(tf.float32, [5, size, size, 3])
    with slim.arg_scope(inception.inception_v1_arg_scope()):
        out, end_points = base(images)
    assert out.shape.as_list() == [5, *features]
    total = sum(v.shape.num_elements() for v in slim.get_model_variables())
    assert total == weights
    some = list(end_points)[6]
    with tf.Graph().as_default():
        _, fewer = base(tf.placeholder(tf.float32, [5, size, size, 3]), some)
        assert list(fewer) == list(end_points)[:7]
        with pytest.raises(ValueError, match="Mixed_9x"):
            base(tf.zeros([1, size, size, 3]), "Mixed_9x")


def test_names_are_those_of_public_checkpoints():
    images = tf.placeholder(tf.float32, [1, 299, 299, 3])
    with slim.arg_scope(inception.inception_v3_arg_scope()):
        _, v3 = inception.inception_v3(images, 1001)
        _, v1 = inception.inception_v1(images[:, :224, :224], 1001)
        inception.inception_v2(images[:, :224, :224], 1001)
    found = {v.op.name: v.shape.as_list() for v in tf.global_variables()}
    for name, shape in {
        "InceptionV1/Conv2d_1a_7x7/weights": [7, 7, 3, 64],
        "InceptionV1/Mixed_3b/Branch_2/Conv2d_0b_3x3/weights": [3, 3, 16, 32],
        "InceptionV1/Mixed_5b/Branch_2/Conv2d_0a_3x3/BatchNorm/beta": [128],
        "InceptionV1/Logits/Conv2d_0c_1x1/biases": [1001],
        "InceptionV2/Conv2d_1a_7x7/depthwise_weights": [7, 7, 3, 8],
        "InceptionV2/Mixed_4a/Branch_0/Conv2d_1a_3x3/weights": [3, 3, 128, 160],
        "InceptionV3/Conv2d_1a_3x3/BatchNorm/moving_mean": [32],
        "InceptionV3/Mixed_5c/Branch_1/Conv_1_0c_5x5/weights": [5, 5, 48, 64],
        "InceptionV3/Mixed_6a/Branch_0/Conv2d_1a_1x1/weights": [3, 3, 288, 384],
        "InceptionV3/Mixed_6c/Branch_2/Conv2d_0e_1x7/weights": [1, 7, 160, 192],
        "InceptionV3/Mixed_7b/Branch_1/Conv2d_0b_3x1/weights": [3, 1, 384, 384],
        "InceptionV3/Mixed_7c/Branch_1/Conv2d_0c_3x1/weights": [3, 1, 384, 384],
        "InceptionV3/AuxLogits/Conv2d_2a_5x5/weights": [5, 5, 128, 768],
        "InceptionV3/Logits/Conv2d_1c_1x1/weights": [1, 1, 2048, 1001],
    }.items():
        assert found[name] == shape, name
    assert not any(n.endswith("/gamma") for n in found)
    assert v3["AuxLogits"].shape.as_list() == [1, 1001]
    assert v1["Predictions"].shape.as_list() == [1, 1001]
    assert tf.get_collection("moving_vars")


def test_a_training_step_moves_weights_and_averages():
    rng = np.random.RandomState(0)
    images = tf.constant(rng.rand(4, 80, 80, 3), tf.float32)
    labels = [0, 1, 0, 1]
    tf.set_random_seed(2)
    with slim.arg_scope(inception.inception_v2_arg_scope()):
        logits, ends = inception.inception_v2(images, 2, depth_multiplier=0.25)
    tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train = slim.learning.create_train_op(tf.losses.get_total_loss(), tf.train.GradientDescentOptimizer(0.01))  # fmt: skip
    mean = tf.get_collection("moving_vars")[0]
    weights = tf.trainable_variables()[0]
    assert ends["Mixed_5c"].shape.as_list()[1:3] == [3, 3]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run([mean, weights])
        for _ in range(3):
            assert np.isfinite(sess.run(train))
        for a, b in zip(sess.run([mean, weights]), before, strict=True):
            assert np.abs(a - b).max() > 0
        np.testing.assert_allclose(sess.run(ends["Predictions"]).sum(1), 1, rtol=1e-5)


@pytest.mark.parametrize("multiplier", [0.0, -1.0])
def test_a_multiplier_that_leaves_nothing_is_refused(multiplier):
    for net in (inception.inception_v2, inception.inception_v3):
        with pytest.raises(ValueError, match="greater than zero"):
            net(tf.zeros([1, 299, 299, 3]), 10, depth_multiplier=multiplier)
