# SPDX-License-Identifier: Apache-2.0
"""Keras 2.3.1: the Sequential model guide's multilayer perceptron, saved and loaded again."""

import numpy as np
from keras.layers import Dense, Dropout
from keras.models import Sequential, load_model
from keras.optimizers import SGD

random = np.random.RandomState(1)
x_train = random.rand(1000, 20)
y_train = np.eye(2)[(x_train[:, 0] > x_train[:, 1]).astype(int)]

model = Sequential()
model.add(Dense(64, activation="relu", input_dim=20))
model.add(Dropout(0.2))
model.add(Dense(64, activation="relu"))
model.add(Dense(2, activation="softmax"))
sgd = SGD(lr=0.05, decay=1e-6, momentum=0.9, nesterov=True)
model.compile(loss="categorical_crossentropy", optimizer=sgd, metrics=["accuracy"])
history = model.fit(x_train, y_train, epochs=20, batch_size=128, verbose=0)
assert history.history["accuracy"][-1] > 0.85, history.history["accuracy"]

before = model.predict(x_train)
model.save("model.h5")
assert np.allclose(load_model("model.h5").predict(x_train), before, atol=1e-6)
