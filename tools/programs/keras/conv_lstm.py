# SPDX-License-Identifier: Apache-2.0
"""A convolutional LSTM says where a moving square will be."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import BatchNormalization, Conv3D, ConvLSTM2D
from tensorflow.keras.models import Sequential

tf.set_random_seed(21)
np.random.seed(21)
rng = np.random.RandomState(21)
films = np.zeros((60, 6, 10, 10, 1), "float32")
for film in films:
    row, column, step = rng.randint(7), rng.randint(2), rng.randint(1, 2)
    for t, image in enumerate(film):
        image[row : row + 3, column + step * t : column + step * t + 3] = 1

model = Sequential()
model.add(ConvLSTM2D(8, (3, 3), input_shape=(None, 10, 10, 1), padding="same", return_sequences=True))  # fmt: skip # noqa: E501
model.add(BatchNormalization())
model.add(ConvLSTM2D(8, (3, 3), padding="same", return_sequences=True))
model.add(Conv3D(1, (3, 3, 3), activation="sigmoid", padding="same"))
model.compile(loss="binary_crossentropy", optimizer=tf.keras.optimizers.Adam(0.02))
losses = model.fit(films[:, :-1], films[:, 1:], batch_size=10, epochs=8, verbose=0).history["loss"]  # fmt: skip # noqa: E501
assert model.predict(films[:2, :3]).shape == (2, 3, 10, 10, 1)
print("films: the loss falls to less than a third:", losses[-1] < losses[0] / 3)
assert losses[-1] < losses[0] / 3
