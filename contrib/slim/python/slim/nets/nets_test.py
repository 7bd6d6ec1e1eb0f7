# SPDX-License-Identifier: Apache-2.0
"""Nets of tf.contrib.slim: numbers of weights as published, names as in public checkpoints, strides, a training step."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.slim import nets

pytestmark = pytest.mark.usefixtures("fresh_graph")

slim = tf.contrib.slim
CASES = {
    "vgg_a": (nets.vgg.vgg_a, nets.vgg.vgg_arg_scope, 132863336),
    "vgg_16": (nets.vgg.vgg_16, nets.vgg.vgg_arg_scope, 138357544),
    "vgg_19": (nets.vgg.vgg_19, nets.vgg.vgg_arg_scope, 143667240),
    "alexnet_v2": (nets.alexnet.alexnet_v2, nets.alexnet.alexnet_v2_arg_scope, 50303912),
    "overfeat": (nets.overfeat.overfeat, nets.overfeat.overfeat_arg_scope, 145704424),
    "resnet_v1_50": (nets.resnet_v1.resnet_v1_50, nets.resnet_utils.resnet_arg_scope, 25557032),
    "resnet_v1_101": (nets.resnet_v1.resnet_v1_101, nets.resnet_utils.resnet_arg_scope, 44549160),
    "resnet_v1_152": (nets.resnet_v1.resnet_v1_152, nets.resnet_utils.resnet_arg_scope, 60192808),
    "resnet_v2_50": (nets.resnet_v2.resnet_v2_50, nets.resnet_v2.resnet_arg_scope, 25568360),
}  # fmt: skip


def variables():
    return {v.op.name: v.shape.as_list() for v in tf.global_variables()}


@pytest.mark.parametrize("name", CASES)
def test_numbers_of_weights_are_those_published(name):
    net, scope, weights = CASES[name]
    images = tf.placeholder(tf.float32, [2, net.default_image_size, net.default_image_size, 3])  # fmt: skip
    with slim.arg_scope(scope()):
        logits, end_points = net(images, 1000)
    shape = [2, 1, 1, 1000] if name.startswith("resnet") else [2, 1000]
    assert logits.shape.as_list() == shape
    assert sum(v.shape.num_elements() for v in tf.trainable_variables()) == weights
    assert all(n.startswith(name + "/") for n in variables())
    assert any(n.startswith(name + "/conv1") for n in end_points)
    decayed = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert len(decayed) == sum(n.endswith("/weights") for n in variables())


def test_names_are_those_of_public_checkpoints():
    images = tf.placeholder(tf.float32, [1, 224, 224, 3])
    nets.vgg.vgg_16(images)
    with slim.arg_scope(nets.resnet_v1.resnet_arg_scope()):
        nets.resnet_v1.resnet_v1_50(images, 1000)
        nets.resnet_v2.resnet_v2_50(images, 1001)
    found = variables()
    v1, v2 = "resnet_v1_50/block1/unit_1/bottleneck_v1/", "resnet_v2_50/block4/unit_3/bottleneck_v2/"  # fmt: skip
    for name, shape in {
        "vgg_16/conv3/conv3_3/weights": [3, 3, 256, 256],
        "vgg_16/conv5/conv5_1/biases": [512],
        "vgg_16/fc6/weights": [7, 7, 512, 4096],
        "vgg_16/fc8/biases": [1000],
        "resnet_v1_50/conv1/weights": [7, 7, 3, 64],
        "resnet_v1_50/conv1/BatchNorm/moving_variance": [64],
        v1 + "conv1/weights": [1, 1, 64, 64],
        v1 + "conv3/BatchNorm/gamma": [256],
        v1 + "shortcut/weights": [1, 1, 64, 256],
        "resnet_v1_50/logits/weights": [1, 1, 2048, 1000],
        "resnet_v2_50/conv1/biases": [64],
        v2 + "preact/moving_mean": [2048],
        v2 + "conv2/BatchNorm/beta": [512],
        v2 + "conv3/biases": [2048],
        "resnet_v2_50/postnorm/gamma": [2048],
        "resnet_v2_50/logits/biases": [1001],
    }.items():
        assert found[name] == shape, name
    assert not any(n.startswith("resnet_v1_50/conv1/biases") for n in found)


def small(module, version, images, **arguments):
    block = getattr(module, f"resnet_{version}_block")
    blocks = [block("block1", 1, 2, 2), block("block2", 2, 2, 2), block("block3", 4, 2, 1)]  # fmt: skip
    net = getattr(module, f"resnet_{version}")
    with slim.arg_scope(module.resnet_arg_scope()):
        return net(images, blocks, **arguments)


RESNETS = [(nets.resnet_v1, "v1"), (nets.resnet_v2, "v2")]


@pytest.mark.parametrize(("module", "version"), RESNETS)
@pytest.mark.parametrize("stride", [4, 8])
def test_rates_in_the_place_of_strides_keep_the_features(module, version, stride):
    images = tf.constant(np.random.RandomState(0).rand(2, 65, 65, 3), tf.float32)
    options = {"is_training": False, "global_pool": False, "scope": "net"}
    nominal, _ = small(module, version, images, **options)
    dense, _ = small(module, version, images, output_stride=stride, reuse=True, **options)  # fmt: skip
    step = 16 // stride
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        want, got = sess.run([nominal, dense[:, ::step, ::step]])
    assert dense.shape.as_list()[1] == 64 // stride + 1
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("module", "version"), RESNETS)
def test_strides_that_cannot_be_made_are_refused(module, version):
    images = tf.zeros([1, 33, 33, 3])
    with pytest.raises(ValueError, match="multiple of 4"):
        small(module, version, images, output_stride=6)
    with pytest.raises(ValueError, match="cannot be reached"):
        small(module, version, images, output_stride=32)


@pytest.mark.parametrize(("module", "version"), RESNETS)
def test_a_training_step_lowers_the_loss(module, version):
    rng = np.random.RandomState(1)
    labels = rng.randint(0, 2, 16)
    images = tf.constant(rng.rand(16, 33, 33, 3) * 0.2 + labels[:, None, None, None], tf.float32)  # fmt: skip
    tf.set_random_seed(1)
    logits, end_points = small(module, version, images, num_classes=2)
    assert end_points["predictions"].shape.as_list() == [16, 1, 1, 2]
    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.squeeze(logits, [1, 2]))
    train = slim.learning.create_train_op(tf.losses.get_total_loss(), tf.train.GradientDescentOptimizer(0.05))  # fmt: skip
    mean = next(v for v in tf.global_variables() if v.op.name.endswith("moving_mean"))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(loss)
        for _ in range(20):
            sess.run(train)
        assert sess.run(loss) < 0.7 * first
        assert np.abs(sess.run(mean)).max() > 0


def test_larger_images_give_maps_of_logits():
    images = tf.placeholder(tf.float32, [1, 300, 400, 3])
    with slim.arg_scope(nets.alexnet.alexnet_v2_arg_scope()):
        logits, _ = nets.alexnet.alexnet_v2(images, 10, spatial_squeeze=False)
    assert logits.shape.as_list() == [1, 4, 7, 10]
