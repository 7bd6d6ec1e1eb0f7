# SPDX-License-Identifier: Apache-2.0
"""A convolutional autoencoder takes noise from images."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Conv2D, Input, MaxPooling2D, UpSampling2D
from tensorflow.keras.models import Model

tf.set_random_seed(11)
np.random.seed(11)
rng = np.random.RandomState(11)
clean = np.zeros((300, 12, 12, 1), "float32")
for image in clean:
    top, left = rng.randint(1, 7, size=2)
    image[top : top + 4, left : left + 4] = 1
noisy = np.clip(clean + rng.randn(*clean.shape) * 0.4, 0, 1)

inputs = Input(shape=(12, 12, 1))
x = Conv2D(12, (3, 3), activation="relu", padding="same")(inputs)
x = MaxPooling2D((2, 2), padding="same")(x)
x = Conv2D(12, (3, 3), activation="relu", padding="same")(x)
x = UpSampling2D((2, 2))(x)
outputs = Conv2D(1, (3, 3), activation="sigmoid", padding="same")(x)
model = Model(inputs, outputs)
model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="binary_crossentropy")
model.fit(noisy[:250], clean[:250], epochs=12, batch_size=25, verbose=0, shuffle=True,
          validation_data=(noisy[250:], clean[250:]))  # fmt: skip
before = np.mean((noisy[250:] - clean[250:]) ** 2)
after = np.mean((model.predict(noisy[250:]) - clean[250:]) ** 2)
print("less than a third of the noise is left:", after < before / 3)
assert after < before / 3
