# SPDX-License-Identifier: Apache-2.0
"""Two inputs through one network: pairs of one kind end up close to each other."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Dropout, Input, Lambda
from tensorflow.keras.models import Model

tf.set_random_seed(8)
np.random.seed(8)
rng = np.random.RandomState(8)
centers = rng.randn(5, 12) * 1.5
kinds = rng.randint(5, size=(800, 2))
a, b = (centers[kinds[:, i]] + rng.randn(800, 12) * 0.5 for i in (0, 1))
same = (kinds[:, 0] == kinds[:, 1]).astype("float32")


def distance(pair):
    first, second = pair
    squares = K.sum(K.square(first - second), axis=1, keepdims=True)
    return K.sqrt(K.maximum(squares, K.epsilon()))


def distance_shape(shapes):
    return (shapes[0][0], 1)


def contrastive(truth, found):
    """Close pairs that should be, and others at least 1 apart, cost nothing."""
    return K.mean(truth * K.square(found) + (1 - truth) * K.square(K.maximum(1 - found, 0)))  # fmt: skip # noqa: E501


def right(truth, found):
    return K.mean(K.equal(truth, K.cast(found < 0.5, truth.dtype)))


piece = Input(shape=(12,))
hidden = Dropout(0.1)(Dense(32, activation="relu")(piece))
base = Model(piece, Dense(8)(hidden))
inputs = [Input(shape=(12,)), Input(shape=(12,))]
apart = Lambda(distance, output_shape=distance_shape)([base(x) for x in inputs])
model = Model(inputs, apart)
model.compile(loss=contrastive, optimizer="rmsprop", metrics=[right])
model.fit([a[:600], b[:600]], same[:600], batch_size=64, epochs=20, verbose=0)
accuracy = model.evaluate([a[600:], b[600:]], same[600:], verbose=0)[1]
assert len(model.trainable_weights) == 4
print("siamese: pairs told apart above 0.9:", accuracy > 0.9)
assert accuracy > 0.9
