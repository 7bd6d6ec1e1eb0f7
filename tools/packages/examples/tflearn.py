# SPDX-License-Identifier: Apache-2.0
"""TFLearn: the quick start's network, on generated passengers."""

import numpy as np
import tensorflow as tf
import tflearn

np.random.seed(1)
tf.set_random_seed(1)
data = np.random.rand(600, 6).astype(np.float32)
labels = np.eye(2)[(data[:, 0] + data[:, 1] > 1).astype(int)]

net = tflearn.input_data(shape=[None, 6])
net = tflearn.fully_connected(net, 32)
net = tflearn.fully_connected(net, 32)
net = tflearn.fully_connected(net, 2, activation="softmax")
net = tflearn.regression(net)
model = tflearn.DNN(net, tensorboard_verbose=0)
model.fit(data, labels, n_epoch=30, batch_size=16, show_metric=True)

accuracy = model.evaluate(data, labels)[0]
assert accuracy > 0.9, accuracy
assert np.shape(model.predict(data[:5])) == (5, 2)
model.save("passengers.tfl")
before = model.predict(data[:5])
model.load("./passengers.tfl")
assert np.allclose(model.predict(data[:5]), before)
