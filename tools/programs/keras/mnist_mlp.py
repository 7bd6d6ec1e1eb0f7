# SPDX-License-Identifier: Apache-2.0
"""A dense network with dropout, in the words of Keras itself."""

import keras
import numpy as np
import tensorflow as tf
from keras.layers import Dense, Dropout
from keras.models import Sequential
from keras.optimizers import RMSprop

tf.set_random_seed(2)
np.random.seed(2)
rng = np.random.RandomState(2)
centers = rng.randn(4, 20) * 2
classes = rng.randint(4, size=400)
x = centers[classes] + rng.randn(400, 20)
y = keras.utils.to_categorical(classes, 4)

model = Sequential()
model.add(Dense(32, activation="relu", input_shape=(20,)))
model.add(Dropout(0.2))
model.add(Dense(32, activation="relu"))
model.add(Dropout(0.2))
model.add(Dense(4, activation="softmax"))
model.compile(
    loss="categorical_crossentropy", optimizer=RMSprop(), metrics=["accuracy"]
)
history = model.fit(
    x[:300], y[:300], batch_size=32, epochs=10, verbose=0, validation_split=0.2
).history
score = model.evaluate(x[300:], y[300:], verbose=0)
assert set(history) == {"loss", "accuracy", "val_loss", "val_accuracy"}
assert history["loss"][-1] < history["loss"][0] / 4 and score[1] > 0.95
assert model.predict_classes(x[300:]).shape == (100,)
print("dense network: test accuracy above 0.95")
