# SPDX-License-Identifier: Apache-2.0
"""A network trained on one task is frozen, gets a new head, and is then trained further with small steps."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K, layers

tf.set_random_seed(12)
np.random.seed(12)
rng = np.random.RandomState(12)
x = rng.randn(500, 10).astype("float32")
hidden = np.tanh(x @ rng.randn(10, 4))
first_task, second_task = hidden @ rng.randn(4, 3), hidden @ rng.randn(4, 1)

base = keras.Sequential(
    [layers.Dense(24, activation="tanh", input_shape=(10,)), layers.Dense(16, activation="tanh")],
    name="base",
)  # fmt: skip
teacher = keras.Sequential([base, layers.Dense(3)])
teacher.compile("adam", "mse")
teacher.fit(x, first_task, epochs=30, verbose=0)

for layer in base.layers:
    layer.trainable = False
student = keras.Sequential([base, layers.Dense(1)])
student.compile(keras.optimizers.Adam(0.01), "mse")
frozen = [w.copy() for w in base.get_weights()]
head_only = student.fit(x, second_task, epochs=20, verbose=0).history["loss"][-1]
assert len(student.trainable_weights) == 2
for before, after in zip(frozen, base.get_weights()):
    np.testing.assert_array_equal(before, after)

base.layers[-1].trainable = True
student.compile(optimizer=keras.optimizers.SGD(lr=0.01, momentum=0.9), loss="mse")
assert len(student.trainable_weights) == 4
tuned = student.fit(x, second_task, epochs=20, verbose=0).history["loss"][-1]
assert abs(base.get_weights()[2] - frozen[2]).max() > 0
np.testing.assert_array_equal(base.get_weights()[0], frozen[0])
print("fine tuning lowers the loss:", tuned < head_only)
assert tuned < head_only
K.clear_session()
