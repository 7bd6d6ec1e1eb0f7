# SPDX-License-Identifier: Apache-2.0
"""A compiled model becomes an Estimator, with its hooks, checkpoints and exports."""

import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.logging.set_verbosity(tf.logging.ERROR)
tf.set_random_seed(18)
np.random.seed(18)
rng = np.random.RandomState(18)
x = rng.randn(300, 5).astype("float32")
y = (x.sum(1, keepdims=True) > 0).astype("float32")

model = tf.keras.Sequential(
    [layers.Dense(16, activation="relu", input_shape=(5,)), layers.Dense(1, activation="sigmoid")]
)  # fmt: skip
model.compile(tf.train.AdamOptimizer(0.02), "binary_crossentropy", metrics=["accuracy"])
estimator = tf.keras.estimator.model_to_estimator(
    keras_model=model, model_dir=tempfile.mkdtemp()
)


def input_fn():
    data = tf.data.Dataset.from_tensor_slices(({model.input_names[0]: x}, y))
    return data.shuffle(300, seed=1).repeat().batch(30)


before = estimator.evaluate(input_fn, steps=10)
estimator.train(input_fn, steps=100)
after = estimator.evaluate(input_fn, steps=10)
assert after["global_step"] == 100 and after["loss"] < before["loss"] / 2
assert after["acc"] > 0.9
print("an estimator trains the model: accuracy above 0.9")
