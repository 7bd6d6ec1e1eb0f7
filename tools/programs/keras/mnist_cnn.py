# SPDX-License-Identifier: Apache-2.0
"""A small convnet that tells drawn strokes apart, as the guide's does digits."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.set_random_seed(1)
np.random.seed(1)
rng = np.random.RandomState(1)
kinds = rng.randint(3, size=600)
images = rng.rand(600, 14, 14, 1).astype("float32") * 0.3
for image, kind in zip(images, kinds):
    place = rng.randint(2, 12)
    if kind == 0:
        image[place] += 1
    elif kind == 1:
        image[:, place] += 1
    else:
        image[range(14), range(14)] += 1
targets = keras.utils.to_categorical(kinds, 3)

model = keras.Sequential()
model.add(layers.Conv2D(8, (3, 3), activation="relu", input_shape=(14, 14, 1)))
model.add(layers.Conv2D(8, (3, 3), activation="relu"))
model.add(layers.MaxPooling2D(pool_size=(2, 2)))
model.add(layers.Dropout(0.25))
model.add(layers.Flatten())
model.add(layers.Dense(32, activation="relu"))
model.add(layers.Dropout(0.5))
model.add(layers.Dense(3, activation="softmax"))
model.compile(
    loss=keras.losses.categorical_crossentropy,
    optimizer=keras.optimizers.Adam(0.005),
    metrics=["accuracy"],
)
model.fit(
    images[:500],
    targets[:500],
    batch_size=50,
    epochs=8,
    verbose=0,
    validation_data=(images[500:], targets[500:]),
)
loss, accuracy = model.evaluate(images[500:], targets[500:], verbose=0)
print("loss below 0.3:", loss < 0.3, "accuracy above 0.9:", accuracy > 0.9)
assert loss < 0.3 and accuracy > 0.9
