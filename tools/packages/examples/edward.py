# SPDX-License-Identifier: Apache-2.0
"""Edward: "Getting started", a Bayesian neural network of a cosine, by variational inference."""

import edward as ed
import numpy as np
import tensorflow as tf
from edward.models import Normal

ed.set_seed(42)
np.random.seed(42)
x_train = np.linspace(-3, 3, num=50)
y_train = np.cos(x_train) + np.random.normal(0, 0.1, size=50)
x_train = x_train.astype(np.float32).reshape((50, 1))
y_train = y_train.astype(np.float32).reshape((50, 1))

W_0 = Normal(loc=tf.zeros([1, 2]), scale=tf.ones([1, 2]))
W_1 = Normal(loc=tf.zeros([2, 1]), scale=tf.ones([2, 1]))
b_0 = Normal(loc=tf.zeros(2), scale=tf.ones(2))
b_1 = Normal(loc=tf.zeros(1), scale=tf.ones(1))
y = Normal(loc=tf.matmul(tf.tanh(tf.matmul(x_train, W_0) + b_0), W_1) + b_1, scale=0.1)


def approximation(name, shape):
    loc = tf.get_variable(f"{name}/loc", shape)
    scale = tf.nn.softplus(tf.get_variable(f"{name}/scale", shape))
    return Normal(loc=loc, scale=scale)


posterior = {
    W_0: approximation("qW_0", [1, 2]),
    b_0: approximation("qb_0", [2]),
    W_1: approximation("qW_1", [2, 1]),
    b_1: approximation("qb_1", [1]),
}
inference = ed.KLqp(posterior, data={y: y_train})
inference.initialize(n_iter=500, n_samples=5)
sess = ed.get_session()
tf.global_variables_initializer().run()
losses = [inference.update()["loss"] for _ in range(inference.n_iter)]
assert np.mean(losses[-20:]) < 0.5 * np.mean(losses[:20]), (losses[0], losses[-1])

y_post = ed.copy(y, posterior)
error = ed.evaluate("mean_squared_error", data={y_post: y_train})
assert error < 0.5, error
