# SPDX-License-Identifier: Apache-2.0
"""Keras 2.2.4: "Getting started: 30 seconds to Keras", on points that two classes share."""

import numpy as np
from keras.layers import Dense
from keras.models import Sequential

random = np.random.RandomState(1)
x_train = random.rand(1000, 100)
y_train = np.eye(10)[x_train[:, :10].argmax(1)]

model = Sequential()
model.add(Dense(units=64, activation="relu", input_dim=100))
model.add(Dense(units=10, activation="softmax"))
model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
history = model.fit(x_train, y_train, epochs=30, batch_size=32, verbose=0)
losses = history.history["loss"]
assert losses[-1] < 0.8 * losses[0], losses

loss, accuracy = model.evaluate(x_train, y_train, batch_size=128, verbose=0)
assert accuracy > 0.5, accuracy
classes = model.predict(x_train, batch_size=128)
assert classes.shape == (1000, 10)
assert np.allclose(classes.sum(1), 1, atol=1e-5)
