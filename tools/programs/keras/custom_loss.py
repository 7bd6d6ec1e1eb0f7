# SPDX-License-Identifier: Apache-2.0
"""Losses and metrics of one's own: a function, a function that makes one, and a class."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K

tf.set_random_seed(15)
np.random.seed(15)
rng = np.random.RandomState(15)
x = rng.rand(600, 1)
y = 3 * x + rng.exponential(1.0, size=(600, 1))


def quantile(q):
    def loss(truth, found):
        error = truth - found
        return K.mean(K.maximum(q * error, (q - 1) * error), axis=-1)

    return loss


def share_below(truth, found):
    return K.mean(K.cast(truth < found, K.floatx()))


class Bias(keras.metrics.Metric):
    """The mean of the predictions less the true values."""

    def __init__(self, name="bias", **kwargs):
        super().__init__(name=name, **kwargs)
        self.total = self.add_weight(name="total", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="zeros")

    def update_state(self, truth, found, sample_weight=None):
        error = found - tf.cast(truth, found.dtype)
        size = tf.cast(tf.size(error), self.count.dtype)
        return [
            self.total.assign_add(tf.reduce_sum(error)),
            self.count.assign_add(size),
        ]

    def result(self):
        return self.total / self.count


for q in (0.1, 0.5, 0.9):
    model = keras.Sequential([keras.layers.Dense(1, input_dim=1)])
    model.compile(
        keras.optimizers.Adam(0.05), quantile(q), metrics=[share_below, Bias()]
    )
    model.fit(x, y, epochs=60, batch_size=100, verbose=0)
    loss, share, bias = model.evaluate(x, y, batch_size=100, verbose=0)
    found = model.predict(x)
    assert abs(share - q) < 0.06, (q, share)
    np.testing.assert_allclose(bias, np.mean(found - y), rtol=1e-3, atol=1e-4)
    error = y - found
    np.testing.assert_allclose(loss, np.mean(np.maximum(q * error, (q - 1) * error)), rtol=1e-4)  # fmt: skip # noqa: E501
print("quantiles 0.1, 0.5 and 0.9 are found")
