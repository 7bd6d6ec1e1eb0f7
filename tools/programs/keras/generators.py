# SPDX-License-Identifier: Apache-2.0
"""Data that comes in batches: a Python generator, a Sequence, and evaluation by them."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models
from tensorflow.keras.utils import Sequence

tf.set_random_seed(16)
np.random.seed(16)
truth = np.array([[2.0], [-1.0], [0.5]])


def batches(seed):
    rng = np.random.RandomState(seed)
    while True:
        x = rng.randn(20, 3)
        yield x, x @ truth


class Batches(Sequence):
    def __init__(self):
        self.x = np.random.RandomState(0).randn(100, 3)
        self.ends = 0

    def __len__(self):
        return 5

    def __getitem__(self, index):
        x = self.x[20 * index : 20 * (index + 1)]
        return x, x @ truth

    def on_epoch_end(self):
        self.ends += 1


def build():
    model = models.Sequential([layers.Dense(1, input_dim=3)])
    model.compile(tf.keras.optimizers.SGD(0.05), "mse")
    return model


model = build()
losses = model.fit_generator(
    batches(1), steps_per_epoch=10, epochs=4, verbose=0,
    validation_data=batches(2), validation_steps=3,
).history  # fmt: skip
assert losses["val_loss"][-1] < losses["val_loss"][0] / 4

model, data = build(), Batches()
losses = model.fit_generator(data, epochs=8, verbose=0, workers=2).history["loss"]
assert losses[-1] < losses[0] / 4 and data.ends == 8
whole = model.evaluate(data.x, data.x @ truth, verbose=0)
np.testing.assert_allclose(model.evaluate_generator(data), whole, rtol=1e-4)
np.testing.assert_allclose(
    model.predict_generator(data), model.predict(data.x), rtol=1e-5, atol=1e-6
)
losses = model.fit(data, epochs=2, verbose=0).history["loss"]
assert len(losses) == 2
print("generators and sequences train and measure")
