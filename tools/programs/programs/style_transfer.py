# SPDX-License-Identifier: Apache-2.0
"""A picture is trained itself: content and Gram matrices of fixed features, total variation, gradients scaled."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(12)
content = rng.uniform(size=[1, 10, 10, 3]).astype(np.float32)
style = (rng.uniform(size=[1, 10, 10, 3]) > 0.5).astype(np.float32)
kernels = [
    rng.normal(0, 0.3, shape).astype(np.float32)
    for shape in ([3, 3, 3, 8], [3, 3, 8, 8])
]


def features(x):
    found = []
    for kernel in kernels:
        x = tf.nn.elu(tf.nn.conv2d(x, tf.constant(kernel), [1, 1, 1, 1], "SAME"))
        found.append(x)
        x = tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    return found


def gram(x):
    shape = tf.shape(x)
    flat = tf.reshape(x, [-1, shape[3]])
    return tf.matmul(flat, flat, transpose_a=True) / tf.cast(tf.size(x), tf.float32)


image = tf.get_variable("image", initializer=tf.constant(content))
now, there, painted = features(image), features(content), features(style)
content_loss = tf.losses.mean_squared_error(there[1], now[1])
style_loss = tf.add_n(
    [
        tf.reduce_sum(tf.squared_difference(gram(a), gram(b)))
        for a, b in zip(now, painted)
    ]
)
smooth = tf.reduce_sum(tf.image.total_variation(image))
loss = content_loss + 10.0 * style_loss + 1e-3 * smooth
optimizer = tf.train.AdamOptimizer(0.03)
[(gradient, _)] = optimizer.compute_gradients(loss, [image])
gradient = gradient / (tf.reduce_mean(tf.abs(gradient)) + 1e-8)
step = optimizer.apply_gradients([(gradient, image)])
with tf.control_dependencies([step]):
    clipped = tf.assign(image, tf.clip_by_value(image, 0.0, 1.0))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(15):
        values = session.run([content_loss, style_loss, smooth])
        session.run(clipped)
        if i % 4 == 0:
            print("losses", i, *values)
    found = session.run(image)
    print("range", found.min() >= 0, found.max() <= 1, found.mean())
