# SPDX-License-Identifier: Apache-2.0
"""Lucid: the tutorial's render_vis of a layer's channel, of a network that is saved here: nothing is downloaded."""

import numpy as np
import tensorflow as tf
from lucid.modelzoo.vision_base import Model
from lucid.optvis import objectives, param, render

tf.set_random_seed(1)
with tf.Graph().as_default(), tf.Session() as sess:
    images = tf.placeholder(tf.float32, [None, 32, 32, 3], name="input")
    random = np.random.RandomState(1)
    filters = tf.constant(random.randn(5, 5, 3, 8).astype(np.float32) / 8)
    found = tf.nn.relu(tf.nn.conv2d(images, filters, [1, 2, 2, 1], "SAME"))
    tf.identity(found, name="mixed")
    with open("network.pb", "wb") as file:
        file.write(sess.graph.as_graph_def().SerializeToString())


class Network(Model):
    model_path = "network.pb"
    image_shape = [32, 32, 3]
    image_value_range = (-1, 1)
    input_name = "input"


model = Network()
seen = []


def objective():
    return objectives.channel("mixed", 3)


pictures = render.render_vis(
    model,
    objective(),
    param_f=lambda: param.image(32, fft=True, decorrelate=True),
    thresholds=(1, 40),
    transforms=[],
    verbose=False,
)
assert [p.shape for p in pictures] == [(1, 32, 32, 3)] * 2
with tf.Graph().as_default(), tf.Session() as sess:
    image = tf.placeholder(tf.float32, [1, 32, 32, 3])
    layer = model.import_graph(image)("mixed")
    levels = [sess.run(layer, {image: p})[..., 3].mean() for p in pictures]
assert levels[1] > 2 * levels[0], levels
