# SPDX-License-Identifier: Apache-2.0
"""A character LSTM learns a short text by heart and writes it again."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.set_random_seed(9)
np.random.seed(9)
text = "the quick brown fox jumps over the lazy dog and runs away. " * 6
characters = sorted(set(text))
index = {c: i for i, c in enumerate(characters)}
length = 8
pieces = [text[i : i + length] for i in range(len(text) - length)]
x = np.zeros((len(pieces), length, len(characters)), dtype=bool)
y = np.zeros((len(pieces), len(characters)), dtype=bool)
for i, piece in enumerate(pieces):
    x[i, range(length), [index[c] for c in piece]] = True
    y[i, index[text[i + length]]] = True

model = keras.models.Sequential()
model.add(layers.LSTM(48, input_shape=(length, len(characters))))
model.add(layers.Dense(len(characters), activation="softmax"))
model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.RMSprop(0.01))

written = []


def write(epoch, logs):
    """Goes on from the beginning, the likeliest character each time."""
    if epoch % 10 != 9:
        return
    said = text[:length]
    for _ in range(40):
        window = np.zeros((1, length, len(characters)))
        window[0, range(length), [index[c] for c in said[-length:]]] = 1
        said += characters[np.argmax(model.predict(window, verbose=0)[0])]
    written.append(said)


model.fit(
    x, y, batch_size=64, epochs=40, verbose=0,
    callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=write)],
)  # fmt: skip
assert len(written) == 4 and text.startswith(written[-1]), written[-1]
print("written:", written[-1])
