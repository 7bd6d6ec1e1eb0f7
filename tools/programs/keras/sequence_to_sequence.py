# SPDX-License-Identifier: Apache-2.0
"""An encoder's states begin a decoder, which turns words round: trained together, used apart."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import LSTM, Dense, Input
from tensorflow.keras.models import Model

tf.set_random_seed(19)
np.random.seed(19)
rng = np.random.RandomState(19)
letters, length, units = 6, 4, 48
eye = np.eye(letters + 1)
words = rng.randint(letters, size=(1500, length))
turned = words[:, ::-1]
start = np.full((1500, 1), letters)
source, target = eye[words], eye[turned]
fed = eye[np.concatenate([start, turned[:, :-1]], axis=1)]

encoder_inputs = Input(shape=(None, letters + 1))
_, h, c = LSTM(units, return_state=True)(encoder_inputs)
decoder_inputs = Input(shape=(None, letters + 1))
decoder_lstm = LSTM(units, return_sequences=True, return_state=True)
hidden, _, _ = decoder_lstm(decoder_inputs, initial_state=[h, c])
dense = Dense(letters + 1, activation="softmax")
model = Model([encoder_inputs, decoder_inputs], dense(hidden))
model.compile(tf.keras.optimizers.Adam(0.01), "categorical_crossentropy")
history = model.fit([source, fed], target, batch_size=50, epochs=20, verbose=0)

encoder = Model(encoder_inputs, [h, c])
states = [Input(shape=(units,)), Input(shape=(units,))]
hidden, *new_states = decoder_lstm(decoder_inputs, initial_state=states)
decoder = Model([decoder_inputs] + states, [dense(hidden)] + new_states)

now = encoder.predict(source[:100])
letter, said = eye[start[:100]], []
for _ in range(length):
    found, *now = decoder.predict([letter] + now)
    said.append(found[:, 0].argmax(-1))
    letter = eye[said[-1]][:, None]
right = (np.stack(said, 1) == turned[:100]).mean()
print("letters turned round: above 0.9 right:", right > 0.9)
assert right > 0.9
