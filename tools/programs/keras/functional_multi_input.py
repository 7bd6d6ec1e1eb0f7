# SPDX-License-Identifier: Apache-2.0
"""Headlines and numbers together, with a second output half way: the guide to the functional API."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras.layers import LSTM, Dense, Embedding, Input, concatenate

tf.set_random_seed(6)
np.random.seed(6)
rng = np.random.RandomState(6)
headlines = rng.randint(1, 50, size=(300, 10))
numbers = rng.randn(300, 5).astype("float32")
wanted = ((headlines[:, 0] > 25) & (numbers[:, 0] > 0)).astype("float32")[:, None]

main_input = Input(shape=(10,), dtype="int32", name="main_input")
text = LSTM(16)(Embedding(output_dim=16, input_dim=50, input_length=10)(main_input))
half_way = Dense(1, activation="sigmoid", name="aux_output")(text)
number_input = Input(shape=(5,), name="aux_input")
x = concatenate([text, number_input])
x = Dense(32, activation="relu")(x)
main_output = Dense(1, activation="sigmoid", name="main_output")(x)
model = keras.Model(inputs=[main_input, number_input], outputs=[main_output, half_way])
model.compile(
    optimizer="rmsprop",
    loss={"main_output": "binary_crossentropy", "aux_output": "binary_crossentropy"},
    loss_weights={"main_output": 1.0, "aux_output": 0.2},
)
history = model.fit(
    {"main_input": headlines, "aux_input": numbers},
    {"main_output": wanted, "aux_output": wanted},
    epochs=12,
    batch_size=30,
    verbose=0,
).history
assert set(history) == {"loss", "main_output_loss", "aux_output_loss"}
assert history["loss"][-1] < history["loss"][0] * 0.8
total = history["main_output_loss"][-1] + 0.2 * history["aux_output_loss"][-1]
assert abs(total - history["loss"][-1]) < 1e-2 * total
first, second = model.predict([headlines, numbers])
assert first.shape == second.shape == (300, 1)
print("two inputs, two outputs: losses fall and add up")
