# SPDX-License-Identifier: Apache-2.0
"""Images that are shifted and mirrored while the model trains."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models
from tensorflow.keras.preprocessing.image import ImageDataGenerator

tf.set_random_seed(17)
np.random.seed(17)
rng = np.random.RandomState(17)
x = rng.rand(200, 10, 10, 3).astype("float32") * 0.2
y = rng.randint(2, size=200)
# The only difference is a bright bar that lies or stands.
for image, kind in zip(x, y):
    (image[4:6] if kind else image[:, 4:6])[:] += 0.8

generator = ImageDataGenerator(
    width_shift_range=0.2, height_shift_range=0.2, horizontal_flip=True, vertical_flip=True,
    zoom_range=0.1, featurewise_center=True, fill_mode="nearest",
)  # fmt: skip
generator.fit(x)
first = next(generator.flow(x, y, batch_size=16, shuffle=False))
assert first[0].shape == (16, 10, 10, 3) and (first[1] == y[:16]).all()
assert abs(first[0] - x[:16]).max() > 0.1

model = models.Sequential(
    [
        layers.Conv2D(8, 3, activation="relu", input_shape=(10, 10, 3)),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(tf.keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["acc"])
flow = generator.flow(x, y, batch_size=20)
model.fit_generator(flow, steps_per_epoch=len(flow), epochs=12, verbose=0)
accuracy = model.evaluate_generator(generator.flow(x, y, batch_size=20), steps=10)[1]
print("augmented images: accuracy above 0.9:", accuracy > 0.9)
assert accuracy > 0.9
