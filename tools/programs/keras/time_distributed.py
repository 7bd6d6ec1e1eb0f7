# SPDX-License-Identifier: Apache-2.0
"""A convnet on each image of a film, and an LSTM over its outputs: hierarchical recurrence."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import GRU, Conv2D, Dense, Flatten, Input, TimeDistributed
from tensorflow.keras.models import Model, Sequential

tf.set_random_seed(22)
np.random.seed(22)
rng = np.random.RandomState(22)
films = rng.rand(240, 5, 6, 6, 1).astype("float32") * 0.2
rising = rng.randint(2, size=240)
for film, up in zip(films, rising):
    light = np.arange(5) if up else np.arange(5)[::-1]
    film += light[:, None, None, None] * 0.2

eye = Sequential([Conv2D(4, 3, activation="relu", input_shape=(6, 6, 1)), Flatten(), Dense(6)])  # fmt: skip # noqa: E501
inputs = Input(shape=(5, 6, 6, 1))
hidden = TimeDistributed(eye)(inputs)
assert hidden.shape.as_list() == [None, 5, 6]
model = Model(inputs, Dense(1, activation="sigmoid")(GRU(8)(hidden)))
model.compile(tf.keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["acc"])
model.fit(films[:180], rising[:180], epochs=20, batch_size=30, verbose=0)
accuracy = model.evaluate(films[180:], rising[180:], verbose=0)[1]
one = Model(inputs, hidden).predict(films[:1])
np.testing.assert_allclose(one[0], eye.predict(films[0]), rtol=1e-4, atol=1e-5)
print("films that grow light are told: accuracy above 0.9:", accuracy > 0.9)
assert accuracy > 0.9
