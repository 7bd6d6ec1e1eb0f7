# SPDX-License-Identifier: Apache-2.0
"""T3F: the quick start: tensors in the tensor train format."""

import numpy as np
import t3f
import tensorflow as tf

tf.set_random_seed(1)
dense = np.random.RandomState(1).rand(3, 4, 4, 5).astype(np.float32)
a = t3f.to_tt_tensor(dense, max_tt_rank=20)
b = t3f.get_variable("b", initializer=t3f.random_tensor((3, 4, 4, 5), tt_rank=2))
distance = t3f.frobenius_norm_squared(a - b)
train_op = tf.train.AdamOptimizer(0.1).minimize(distance)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    full_a, full_b, norm, inner, added = sess.run(
        [
            t3f.full(a),
            t3f.full(b),
            t3f.frobenius_norm(a),
            t3f.flat_inner(a, b),
            t3f.full(a + b),
        ]
    )
    assert np.allclose(full_a, dense, atol=1e-4)
    assert np.isclose(norm, np.linalg.norm(dense), rtol=1e-4)
    assert np.isclose(np.ravel(inner)[0], (dense * full_b).sum(), rtol=1e-3)
    assert np.allclose(added, full_a + full_b, atol=1e-4)
    first = sess.run(distance)
    for _ in range(100):
        sess.run(train_op)
    assert sess.run(distance) < 0.5 * first
