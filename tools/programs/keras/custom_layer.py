# SPDX-License-Identifier: Apache-2.0
"""A layer of one's own, with weights, a mask and a config."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Embedding, Layer
from tensorflow.keras.models import Sequential, load_model

tf.set_random_seed(14)
np.random.seed(14)


class Attend(Layer):
    """The mean of the steps, weighed by a learned score; masked steps weigh nothing."""

    def __init__(self, units, **kwargs):
        self.units = units
        super(Attend, self).__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        self.kernel = self.add_weight(
            name="kernel",
            shape=(input_shape[-1], self.units),
            initializer="glorot_uniform",
            trainable=True,
        )
        self.context = self.add_weight(
            name="context", shape=(self.units, 1), initializer="glorot_uniform"
        )
        super(Attend, self).build(input_shape)

    def call(self, inputs, mask=None):
        score = K.dot(K.tanh(K.dot(inputs, self.kernel)), self.context)
        weight = K.exp(score)
        if mask is not None:
            weight *= K.expand_dims(K.cast(mask, K.floatx()))
        weight /= K.sum(weight, axis=1, keepdims=True) + K.epsilon()
        return K.sum(weight * inputs, axis=1)

    def compute_mask(self, inputs, mask=None):
        return None

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[-1])

    def get_config(self):
        return dict(super(Attend, self).get_config(), units=self.units)


rng = np.random.RandomState(14)
x = rng.randint(2, 20, size=(400, 9))
y = rng.randint(2, size=400)
x[y == 1, rng.randint(9, size=(y == 1).sum())] = 1
x[:, -1] = 0

model = Sequential()
model.add(Embedding(20, 8, mask_zero=True, input_length=9))
model.add(Attend(8))
model.add(Dense(1, activation="sigmoid"))
y = (x == 1).any(1).astype(int)
model.compile(tf.keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["acc"])
model.fit(x, y, epochs=15, verbose=0)
accuracy = model.evaluate(x, y, verbose=0)[1]
path = os.path.join(tempfile.mkdtemp(), "model.h5")
model.save(path)
again = load_model(path, custom_objects={"Attend": Attend})
np.testing.assert_array_equal(again.predict(x), model.predict(x))
other = x.copy()
np.testing.assert_array_equal(model.predict(other[:, :9]), again.predict(other))
print("attention: accuracy above 0.95:", accuracy > 0.95)
assert accuracy > 0.95
