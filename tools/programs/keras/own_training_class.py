# SPDX-License-Identifier: Apache-2.0
"""A model as a class: layers in its constructor, the computation in `call`."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

tf.set_random_seed(25)
np.random.seed(25)
rng = np.random.RandomState(25)
centers = rng.randn(3, 8) * 2
kinds = rng.randint(3, size=300)
x = (centers[kinds] + rng.randn(300, 8)).astype("float32")
y = keras.utils.to_categorical(kinds, 3)


class SimpleMLP(keras.Model):
    def __init__(self, use_bn=False, use_dp=False, classes=3):
        super(SimpleMLP, self).__init__(name="mlp")
        self.use_bn, self.use_dp = use_bn, use_dp
        self.dense1 = keras.layers.Dense(32, activation="relu")
        self.dense2 = keras.layers.Dense(classes, activation="softmax")
        if use_dp:
            self.dropout = keras.layers.Dropout(0.5)
        if use_bn:
            self.normal = keras.layers.BatchNormalization(axis=-1)

    def call(self, inputs):
        x = self.dense1(inputs)
        if self.use_dp:
            x = self.dropout(x)
        if self.use_bn:
            x = self.normal(x)
        return self.dense2(x)


for options in ({}, {"use_dp": True}, {"use_bn": True, "use_dp": True}):
    model = SimpleMLP(**options)
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    losses = model.fit(x, y, epochs=20, verbose=0).history["loss"]
    accuracy = model.evaluate(x, y, verbose=0)[1]
    assert losses[-1] < losses[0] / 2 and accuracy > 0.9, options
    np.testing.assert_allclose(model.predict(x).sum(1), 1, rtol=1e-5)
print("a model as a class: accuracy above 0.9 with and without its options")
