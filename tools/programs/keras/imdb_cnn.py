# SPDX-License-Identifier: Apache-2.0
"""A one-dimensional convnet finds a phrase in a text."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import Sequential
from tensorflow.keras.layers import (
    Conv1D,
    Dense,
    Dropout,
    Embedding,
    GlobalMaxPooling1D,
)

tf.set_random_seed(4)
np.random.seed(4)
rng = np.random.RandomState(4)
x = rng.randint(1, 30, size=(600, 20))
y = rng.randint(2, size=600)
for text, there in zip(x, y):
    place = rng.randint(18)
    if there:
        text[place : place + 3] = (7, 8, 9)

model = Sequential(
    [
        Embedding(30, 12, input_length=20),
        Dropout(0.1),
        Conv1D(24, 3, padding="valid", activation="relu", strides=1),
        GlobalMaxPooling1D(),
        Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy", metrics=["acc"])
history = model.fit(x[:500], y[:500], epochs=25, batch_size=32, verbose=0).history
accuracy = model.evaluate(x[500:], y[500:], verbose=0)[1]
print("phrase found: accuracy above 0.9:", accuracy > 0.9)
assert history["acc"][-1] > 0.95 and accuracy > 0.9
