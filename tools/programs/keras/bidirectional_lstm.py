# SPDX-License-Identifier: Apache-2.0
"""Tags each step of a sequence by the steps before and after it."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

tf.set_random_seed(5)
np.random.seed(5)
rng = np.random.RandomState(5)
x = rng.randint(2, size=(400, 8))
padded = np.pad(x, ((0, 0), (1, 1)))
# A step is tagged if its neighbours differ.
y = (padded[:, :-2] != padded[:, 2:]).astype("float32")[..., None]

inputs = layers.Input((8,), dtype="int32")
hidden = layers.Embedding(2, 4)(inputs)
hidden = layers.Bidirectional(layers.LSTM(12, return_sequences=True), merge_mode="concat")(hidden)  # fmt: skip # noqa: E501
hidden = layers.TimeDistributed(layers.Dense(12, activation="relu"))(hidden)
outputs = layers.TimeDistributed(layers.Dense(1, activation="sigmoid"))(hidden)
model = models.Model(inputs, outputs)
model.compile(tf.keras.optimizers.Adam(0.02), "binary_crossentropy", ["accuracy"])
model.fit(x[:300], y[:300], epochs=25, batch_size=50, verbose=0)
accuracy = model.evaluate(x[300:], y[300:], verbose=0)[1]
print("tags: accuracy above 0.95:", accuracy > 0.95)
assert hidden.shape.as_list() == [None, 8, 12] and accuracy > 0.95
