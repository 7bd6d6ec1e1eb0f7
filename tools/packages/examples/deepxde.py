# SPDX-License-Identifier: Apache-2.0
"""DeepXDE 0.8: the first example, Poisson's equation in one dimension with Dirichlet boundaries."""

import deepxde as dde
import numpy as np
import tensorflow as tf

np.random.seed(1)
tf.set_random_seed(1)


def pde(x, y):
    dy_x = tf.gradients(y, x)[0]
    dy_xx = tf.gradients(dy_x, x)[0]
    return -dy_xx - np.pi**2 * tf.sin(np.pi * x)


def boundary(x, on_boundary):
    return on_boundary


def func(x):
    return np.sin(np.pi * x)


geom = dde.geometry.Interval(-1, 1)
bc = dde.DirichletBC(geom, func, boundary)
data = dde.data.PDE(geom, pde, bc, 16, 2, solution=func, num_test=100)
net = dde.maps.FNN([1] + [50] * 3 + [1], "tanh", "Glorot uniform")
model = dde.Model(data, net)
model.compile("adam", lr=0.001, metrics=["l2 relative error"])
losshistory, train_state = model.train(epochs=2000)
assert train_state.best_metrics[0] < 0.05, train_state.best_metrics

x = geom.uniform_points(50, True)
y = model.predict(x, operator=pde)
assert np.abs(y).max() < 1.5, np.abs(y).max()
assert np.abs(model.predict(x) - func(x)).max() < 0.1
