# SPDX-License-Identifier: Apache-2.0
"""Residual blocks with batch normalization and weight decay, and the tower of an inception block."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, regularizers
from tensorflow.keras.models import Model

tf.set_random_seed(27)
np.random.seed(27)
rng = np.random.RandomState(27)
x = rng.rand(240, 8, 8, 3).astype("float32")
y = rng.randint(2, size=240)
x[y == 1, 2:5, 2:5] += 0.7


def block(inputs, filters):
    decay = regularizers.l2(1e-4)
    out = layers.Conv2D(filters, 3, padding="same", kernel_regularizer=decay)(inputs)
    out = layers.BatchNormalization()(out)
    out = layers.Activation("relu")(out)
    out = layers.Conv2D(filters, 3, padding="same", kernel_regularizer=decay)(out)
    out = layers.BatchNormalization()(out)
    return layers.Activation("relu")(layers.add([inputs, out]))


def towers(inputs):
    one = layers.Conv2D(4, (1, 1), padding="same", activation="relu")(inputs)
    two = layers.Conv2D(4, (5, 5), padding="same", activation="relu")(one)
    three = layers.MaxPooling2D((3, 3), strides=(1, 1), padding="same")(inputs)
    return layers.concatenate([one, two, three], axis=3)


inputs = layers.Input((8, 8, 3))
hidden = layers.Conv2D(8, 3, padding="same")(inputs)
hidden = towers(block(block(hidden, 8), 8))
assert hidden.shape.as_list() == [None, 8, 8, 16]
outputs = layers.Dense(1, activation="sigmoid")(layers.GlobalAveragePooling2D()(hidden))
model = Model(inputs, outputs)
assert len(model.losses) == 4
model.compile(tf.keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["acc"])
history = model.fit(x[:200], y[:200], epochs=10, batch_size=20, verbose=0).history
moved = [w for w in model.non_trainable_weights if "moving_mean" in w.name]
means = tf.keras.backend.batch_get_value(moved)
assert len(means) == 4 and all(abs(m).max() > 0 for m in means)
print("residual blocks: accuracy above 0.95:", history["acc"][-1] > 0.95)
assert history["acc"][-1] > 0.95
