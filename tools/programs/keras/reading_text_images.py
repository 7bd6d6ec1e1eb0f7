# SPDX-License-Identifier: Apache-2.0
"""Connectionist temporal classification: a recurrent network reads a strip of signs without knowing where each is."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K, layers
from tensorflow.keras.models import Model

tf.set_random_seed(32)
np.random.seed(32)
rng = np.random.RandomState(32)
signs, steps, most = 3, 12, 3
shapes = rng.randn(signs, 6) * 2
labels = np.array([[(a := rng.randint(signs)), (a + rng.randint(1, signs)) % signs] for _ in range(300)])  # fmt: skip # noqa: E501
strips = rng.randn(300, steps, 6) * 0.3
for strip, pair in zip(strips, labels):
    places = np.sort(rng.choice(steps, 2, replace=False))
    strip[places] += shapes[pair]

strip = layers.Input((steps, 6), name="strip")
hidden = layers.Bidirectional(layers.GRU(24, return_sequences=True))(strip)
scores = layers.Dense(signs + 1, activation="softmax", name="scores")(hidden)
truth = layers.Input((2,), name="truth")
lengths = [layers.Input((1,), dtype="int64", name=n) for n in ("steps", "letters")]
loss = layers.Lambda(lambda given: K.ctc_batch_cost(*given), output_shape=(1,), name="ctc")([truth, scores, *lengths])  # fmt: skip # noqa: E501
model = Model([strip, truth, *lengths], loss)
model.compile(tf.keras.optimizers.Adam(0.01), {"ctc": lambda _, found: found})
given = [strips, labels, np.full((300, 1), steps), np.full((300, 1), 2)]
losses = model.fit(given, np.zeros(300), batch_size=30, epochs=25, verbose=0).history["loss"]  # fmt: skip # noqa: E501

reader = Model(strip, scores)
decoded = K.ctc_decode(reader.output, K.ones_like(scores[:, 0, 0]) * steps)[0][0]
read = K.function([strip], [decoded])([strips])[0]
right = np.mean([list(r[r >= 0]) == list(t) for r, t in zip(read, labels)])
print("strips read: above 0.9 wholly right:", right > 0.9)
assert losses[-1] < losses[0] / 4 and right > 0.9
