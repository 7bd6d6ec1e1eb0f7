# SPDX-License-Identifier: Apache-2.0
"""Dense autoencoders: the encoder alone, the decoder alone, and a sparse one."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import regularizers
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Model

tf.set_random_seed(10)
np.random.seed(10)
rng = np.random.RandomState(10)
x = (rng.randn(400, 3) @ rng.randn(3, 20)).astype("float32")


def build(regularizer=None):
    image = Input(shape=(20,))
    encoded = Dense(3, activity_regularizer=regularizer)(image)
    autoencoder = Model(image, Dense(20)(encoded))
    encoder = Model(image, encoded)
    code = Input(shape=(3,))
    decoder = Model(code, autoencoder.layers[-1](code))
    autoencoder.compile(tf.train.AdamOptimizer(0.02), "mse")
    return autoencoder, encoder, decoder


autoencoder, encoder, decoder = build()
losses = autoencoder.fit(x, x, epochs=60, batch_size=50, verbose=0).history["loss"]
codes = encoder.predict(x)
np.testing.assert_allclose(decoder.predict(codes), autoencoder.predict(x), rtol=1e-4, atol=1e-4)  # fmt: skip # noqa: E501
sparse, sparse_encoder, _ = build(regularizers.l1(0.1))
sparse.fit(x, x, epochs=60, batch_size=50, verbose=0)
smaller = abs(sparse_encoder.predict(x)).mean() < abs(codes).mean()
print("rebuilt:", losses[-1] < 0.01 * losses[0], "sparse codes are smaller:", smaller)
assert losses[-1] < 0.01 * losses[0] and smaller
