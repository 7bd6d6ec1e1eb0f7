# SPDX-License-Identifier: Apache-2.0
"""`tf.data` feeds training, validation, evaluation and prediction."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.set_random_seed(26)
np.random.seed(26)
rng = np.random.RandomState(26)
x = rng.randn(200, 8).astype("float32")
y = (x @ rng.randn(8, 3)).argmax(1)

model = tf.keras.Sequential()
model.add(layers.Dense(32, activation="relu"))
model.add(layers.Dense(3, activation="softmax"))
model.compile(
    optimizer=tf.train.AdamOptimizer(0.02),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(200, seed=2).batch(20).repeat()  # fmt: skip # noqa: E501
validation = tf.data.Dataset.from_tensor_slices((x[:50], y[:50])).batch(25)
history = model.fit(
    dataset, epochs=15, steps_per_epoch=10, validation_data=validation, verbose=0
).history
assert history["loss"][-1] < history["loss"][0] / 2
assert set(history) == {"loss", "acc", "val_loss", "val_acc"}
whole = tf.data.Dataset.from_tensor_slices((x, y)).batch(30)
np.testing.assert_allclose(
    model.evaluate(whole, verbose=0), model.evaluate(x, y, verbose=0), rtol=1e-4
)
assert model.predict(whole).shape == (200, 3)
assert model.predict(dataset, steps=3).shape == (60, 3)
print("datasets: accuracy above 0.9:", history["acc"][-1] > 0.9)
assert history["acc"][-1] > 0.9
