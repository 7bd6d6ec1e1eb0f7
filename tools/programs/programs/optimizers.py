# SPDX-License-Identifier: Apache-2.0
"""Every optimizer on one valley, with sparse gradients beside dense ones, slots, and gradients changed on the way."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(26)
matrix = rng.normal(size=[8, 4]).astype(np.float32)
target = matrix @ np.array([[1.0], [-2.0], [0.5], [3.0]], np.float32)

optimizers = {
    "descent": lambda: tf.train.GradientDescentOptimizer(0.05),
    "momentum": lambda: tf.train.MomentumOptimizer(0.02, 0.8),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.02, 0.8, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.3, 0.2),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(1.0, 0.9, 1e-3),
    "dual averaging": lambda: tf.train.AdagradDAOptimizer(
        0.3, tf.train.get_or_create_global_step(), l1_regularization_strength=0.01
    ),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.05, 0.8, 0.3, centered=True),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.4, l2_regularization_strength=0.01),
    "proximal": lambda: tf.train.ProximalGradientDescentOptimizer(
        0.05, l1_regularization_strength=0.02
    ),
    "proximal adagrad": lambda: tf.train.ProximalAdagradOptimizer(
        0.3, l1_regularization_strength=0.02
    ),
}
for name, make in optimizers.items():
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [4, 1], initializer=tf.zeros_initializer())
        table = tf.get_variable("table", [8, 1], initializer=tf.zeros_initializer())
        rows = tf.placeholder(tf.int32, [None])
        picked = tf.matmul(tf.gather(matrix, rows), w) + tf.gather(table, rows)
        loss = tf.reduce_mean(tf.square(picked - tf.gather(target, rows)))
        optimizer = make()
        pairs = optimizer.compute_gradients(
            loss,
            gate_gradients=tf.train.Optimizer.GATE_GRAPH,
            colocate_gradients_with_ops=True,
        )
        kinds = [type(g).__name__ for g, _ in pairs]
        pairs = [
            (tf.clip_by_value(g, -5.0, 5.0), v) if isinstance(g, tf.Tensor) else (g, v)
            for g, v in pairs
        ]
        train = optimizer.apply_gradients(pairs, global_step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses = []
            for i in range(12):
                feeds = {rows: [i % 8, (i + 3) % 8, (2 * i) % 8]}
                losses.append(session.run([loss, train], feeds)[0])
            print(name, *losses[::4], "table", *session.run(table)[:3, 0])
            slots = optimizer.get_slot_names()
            values = [session.run(optimizer.get_slot(w, s)).sum() for s in slots]
            print(name, *slots, *values, kinds[1], session.run(step))
            print(name, *[v.op.name for v in optimizer.variables()])
