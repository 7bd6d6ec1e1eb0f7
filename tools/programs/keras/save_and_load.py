# SPDX-License-Identifier: Apache-2.0
"""Models in files, configs in JSON and YAML, weights by name: the questions most often asked."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.set_random_seed(24)
np.random.seed(24)
folder = tempfile.mkdtemp()
x = np.random.RandomState(24).randn(50, 4)
y = x.sum(1)


def build(last):
    return keras.Sequential(
        [layers.Dense(5, activation="tanh", name="first", input_shape=(4,)), layers.Dense(last, name=f"last_{last}")]
    )  # fmt: skip


model = build(1)
model.compile(keras.optimizers.Adam(0.01), "mse")
model.fit(x, y, epochs=3, verbose=0)
wanted = model.predict(x)
model.save(os.path.join(folder, "model.h5"))
again = keras.models.load_model(os.path.join(folder, "model.h5"))
np.testing.assert_array_equal(again.predict(x), wanted)
found = [m.fit(x, y, epochs=2, verbose=0, shuffle=False).history["loss"] for m in (model, again)]  # fmt: skip # noqa: E501
np.testing.assert_allclose(*found, rtol=1e-5)

for text, read in (
    (model.to_json(), keras.models.model_from_json),
    (model.to_yaml(), keras.models.model_from_yaml),
):
    copy = read(text)
    copy.set_weights(model.get_weights())
    np.testing.assert_array_equal(copy.predict(x), model.predict(x))

model.save_weights(os.path.join(folder, "weights.h5"))
other = build(3)
other.load_weights(os.path.join(folder, "weights.h5"), by_name=True)
np.testing.assert_array_equal(other.layers[0].get_weights()[0], model.layers[0].get_weights()[0])  # fmt: skip # noqa: E501

model.save_weights(os.path.join(folder, "in_checkpoint"))
copy = build(1)
copy.load_weights(tf.train.latest_checkpoint(folder))
np.testing.assert_array_equal(copy.predict(x), model.predict(x))

hidden = keras.Model(inputs=model.input, outputs=model.get_layer("first").output)
w, b = model.get_layer("first").get_weights()
np.testing.assert_allclose(hidden.predict(x), np.tanh(x @ w + b), rtol=1e-4, atol=1e-5)
lines = []
model.summary(print_fn=lines.append)
assert any("first (Dense)" in line for line in lines)
print("what was saved is what is loaded")
