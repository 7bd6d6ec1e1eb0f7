# SPDX-License-Identifier: Apache-2.0
"""An LSTM over words decides whether a review is kind: whether good words outnumber bad ones."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import LSTM, Dense, Embedding
from tensorflow.keras.models import Sequential
from tensorflow.keras.preprocessing import sequence

tf.set_random_seed(3)
np.random.seed(3)
rng = np.random.RandomState(3)
words, longest = 40, 12
reviews = [rng.randint(1, words, size=rng.randint(4, 20)) for _ in range(600)]
x = sequence.pad_sequences(reviews, maxlen=longest)
good = (x > 0) & (x < 20)
y = (good.sum(1) > (x >= 20).sum(1)).astype("float32")

model = Sequential()
model.add(Embedding(words, 16, mask_zero=True))
model.add(LSTM(16, dropout=0.1, recurrent_dropout=0.1))
model.add(Dense(1, activation="sigmoid"))
model.compile(loss="binary_crossentropy", optimizer=tf.train.AdamOptimizer(0.01), metrics=["accuracy"])  # fmt: skip # noqa: E501
model.fit(x[:500], y[:500], batch_size=50, epochs=15, verbose=0)
loss, accuracy = model.evaluate(x[500:], y[500:], verbose=0)
print("reviews: accuracy above 0.85:", accuracy > 0.85)
assert accuracy > 0.85
