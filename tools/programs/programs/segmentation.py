# SPDX-License-Identifier: Apache-2.0
"""A picture's every point gets a class: dilated and separable convolutions, upsampling, mean IoU."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(10)
images = rng.normal(0, 0.3, [6, 12, 12, 2]).astype(np.float32)
masks = np.zeros([6, 12, 12], np.int32)
for image, mask in zip(images, masks):
    r, c = rng.randint(0, 7, 2)
    mask[r : r + 5, c : c + 5] = 1
    image[r : r + 5, c : c + 5] += 1.0


def weights(name, shape, seed):
    return tf.get_variable(
        name, shape, initializer=tf.random_normal_initializer(stddev=0.3, seed=seed)
    )


x = tf.placeholder(tf.float32, [None, 12, 12, 2])
y = tf.placeholder(tf.int32, [None, 12, 12])
h = tf.nn.separable_conv2d(
    x,
    weights("depth", [3, 3, 2, 2], 1),
    weights("point", [1, 1, 4, 6], 2),
    [1, 1, 1, 1],
    "SAME",
)
h = tf.nn.relu6(tf.nn.bias_add(h, tf.get_variable("b", initializer=tf.zeros([6]))))
low, where = tf.nn.max_pool_with_argmax(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
h = tf.nn.relu(tf.nn.atrous_conv2d(low, weights("wide", [3, 3, 6, 6], 3), 2, "SAME"))
h = tf.nn.relu(
    tf.nn.depthwise_conv2d(h, weights("each", [3, 3, 6, 1], 4), [1, 1, 1, 1], "SAME")
)
h = tf.image.resize_bilinear(h, [12, 12], align_corners=True)
h = tf.nn.lrn(h, depth_radius=2, bias=1.0, alpha=0.1)
logits = tf.nn.conv2d(h, weights("classes", [1, 1, 6, 2], 5), [1, 1, 1, 1], "SAME")
loss = tf.losses.sparse_softmax_cross_entropy(
    y, logits, weights=1.0 + 2.0 * tf.cast(y, tf.float32)
)
step = tf.train.RMSPropOptimizer(0.01, momentum=0.5).minimize(loss)
prediction = tf.argmax(logits, 3)
iou, update = tf.metrics.mean_iou(y, prediction, 2, name="iou")
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    feeds = {x: images, y: masks}
    for i in range(21):
        value, _ = session.run([loss, step], feeds)
        if i % 5 == 0:
            print("loss", i, value)
    session.run(update, feeds)
    print("iou", session.run(iou) > 0.5)
    print("argmax", *session.run(where, feeds)[0, 2, 2])
    print("pooled", *session.run(low, feeds).shape)
