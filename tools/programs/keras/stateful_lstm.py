# SPDX-License-Identifier: Apache-2.0
"""A stateful LSTM adds up numbers over batches: earlier batches count until it is reset."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

tf.set_random_seed(20)
np.random.seed(20)
rng = np.random.RandomState(20)
x = rng.uniform(-0.5, 0.5, size=(4, 240, 1))
y = np.stack([x[:, max(0, t - 5) : t + 1].mean(1) for t in range(240)], 1)

model = models.Sequential()
model.add(layers.LSTM(16, batch_input_shape=(4, 12, 1), return_sequences=True, stateful=True))  # fmt: skip # noqa: E501
model.add(layers.LSTM(16, return_sequences=True, stateful=True))
model.add(layers.Dense(1))
model.compile(tf.keras.optimizers.Adam(0.01), "mse")
losses = []
for _ in range(12):
    steps = [slice(t, t + 12) for t in range(0, 240, 12)]
    losses.append(np.mean([model.train_on_batch(x[:, s], y[:, s]) for s in steps]))
    model.reset_states()
first = model.predict(x[:, :12], batch_size=4)
second = model.predict(x[:, :12], batch_size=4)
model.reset_states()
again = model.predict(x[:, :12], batch_size=4)
np.testing.assert_allclose(first, again, rtol=1e-5, atol=1e-6)
assert abs(first - second).max() > 1e-4
print("states last between batches; the loss falls:", losses[-1] < losses[0] / 2)
assert losses[-1] < losses[0] / 2
