# SPDX-License-Identifier: Apache-2.0
"""A variational autoencoder whose loss is added to the model."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K, layers, losses
from tensorflow.keras.models import Model

tf.set_random_seed(7)
np.random.seed(7)
rng = np.random.RandomState(7)
angle = rng.rand(500, 1) * 2 * np.pi
steps = np.arange(16) / 16 * 2 * np.pi
x = ((np.sin(angle + steps) + 1) / 2).astype("float32")


def draw(parts):
    """A point near the mean, by the trick that lets gradients pass."""
    mean, log_var = parts
    noise = K.random_normal(shape=K.shape(mean))
    return mean + K.exp(0.5 * log_var) * noise


inputs = layers.Input(shape=(16,), name="encoder_input")
hidden = layers.Dense(32, activation="relu")(inputs)
mean = layers.Dense(2, name="mean")(hidden)
log_var = layers.Dense(2, name="log_var")(hidden)
point = layers.Lambda(draw, output_shape=(2,), name="point")([mean, log_var])
encoder = Model(inputs, [mean, log_var, point], name="encoder")

latent = layers.Input(shape=(2,))
hidden = layers.Dense(32, activation="relu")(latent)
decoder = Model(latent, layers.Dense(16, activation="sigmoid")(hidden), name="decoder")

outputs = decoder(encoder(inputs)[2])
vae = Model(inputs, outputs, name="vae")
rebuilt = losses.binary_crossentropy(inputs, outputs) * 16
divergence = -0.5 * K.sum(1 + log_var - K.square(mean) - K.exp(log_var), axis=-1)
vae.add_loss(K.mean(rebuilt + divergence))
vae.compile(optimizer=tf.keras.optimizers.Adam(0.005))
history = vae.fit(x, epochs=30, batch_size=50, verbose=0).history["loss"]
means, log_vars, points = encoder.predict(x)
error = np.mean((decoder.predict(means) - x) ** 2)
print("vae: the loss falls, waves are rebuilt:", error < np.var(x) / 2)
assert history[-1] < history[0] - 1 and error < np.var(x) / 2
assert means.shape == log_vars.shape == points.shape == (500, 2)
