# SPDX-License-Identifier: Apache-2.0
"""A generator and a discriminator, each trained while the other holds still."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.models import Model, Sequential
from tensorflow.keras.optimizers import Adam

tf.set_random_seed(29)
np.random.seed(29)
rng = np.random.RandomState(29)
generator = Sequential(
    [layers.Dense(16, activation="relu", input_dim=4), layers.Dense(2)]
)
discriminator = Sequential(
    [layers.Dense(32, input_dim=2), layers.LeakyReLU(0.2), layers.Dense(1, activation="sigmoid")]
)  # fmt: skip
discriminator.compile(
    Adam(0.005, beta_1=0.5), "binary_crossentropy", metrics=["accuracy"]
)
discriminator.trainable = False
noise = layers.Input(shape=(4,))
combined = Model(noise, discriminator(generator(noise)))
combined.compile(Adam(0.005, beta_1=0.5), "binary_crossentropy")
assert len(combined.trainable_weights) == 4


def distance():
    made = generator.predict(rng.randn(500, 4))
    return np.linalg.norm(made.mean(0) - [3.0, -2.0])


before = distance()
for step in range(400):
    real = rng.randn(32, 2) * 0.5 + [3.0, -2.0]
    made = generator.predict(rng.randn(32, 4))
    discriminator.train_on_batch(real, np.ones((32, 1)))
    discriminator.train_on_batch(made, np.zeros((32, 1)))
    still = [w.copy() for w in discriminator.get_weights()] if step == 0 else None
    combined.train_on_batch(rng.randn(32, 4), np.ones((32, 1)))
    if still:
        for a, b in zip(still, discriminator.get_weights()):
            np.testing.assert_array_equal(a, b)
print("what is made comes near to what is real:", distance() < before / 3)
assert distance() < before / 3
