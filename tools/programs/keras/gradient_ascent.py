# SPDX-License-Identifier: Apache-2.0
"""The input that excites a filter most, found by K.gradients and K.function."""

import keras
import numpy as np
import tensorflow as tf
from keras import backend as K, layers

tf.set_random_seed(30)
np.random.seed(30)
model = keras.models.Sequential()
model.add(layers.Conv2D(3, 3, activation="relu", input_shape=(9, 9, 1), name="conv"))
model.add(layers.Dropout(0.5))
layer = dict((x.name, x) for x in model.layers)["conv"]
loss = K.mean(layer.output[:, :, :, 1])
grads = K.gradients(loss, model.input)[0]
grads /= K.sqrt(K.mean(K.square(grads))) + 1e-5
iterate = K.function([model.input, K.learning_phase()], [loss, grads])

image = np.random.RandomState(30).rand(1, 9, 9, 1) * 0.1
found = []
for _ in range(30):
    value, slope = iterate([image, 0])
    found.append(value)
    image += slope
w, b = layer.get_weights()
patch = image[0, 3:6, 3:6, 0]
assert found[-1] > found[0] * 5
np.testing.assert_allclose(
    iterate([image, 0])[0], K.get_session().run(loss, {model.input: image}), rtol=1e-6
)
# The patch in the middle suits the filter.
assert np.sum(patch * w[:, :, 0, 1]) + b[1] > 0
print("gradient ascent: the filter answers five times as strongly")
