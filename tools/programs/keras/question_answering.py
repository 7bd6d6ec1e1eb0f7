# SPDX-License-Identifier: Apache-2.0
"""A story and a question, each read by a network of its own, are merged for the answer."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.models import Model

tf.set_random_seed(23)
np.random.seed(23)
rng = np.random.RandomState(23)
people, places = 3, 4
# A story is a place for each person; the question names one of them.
where = rng.randint(places, size=(900, people))
order = np.stack([rng.permutation(people) for _ in range(900)])
said = np.take_along_axis(where, order, 1) + 1 + people
story = np.stack([order + 1, said], axis=2).reshape(900, 2 * people)
question = rng.randint(people, size=(900, 1)) + 1
answer = np.take_along_axis(where, question - 1, 1)

story_input = layers.Input((2 * people,), dtype="int32")
question_input = layers.Input((1,), dtype="int32")
embed = layers.Embedding(people + places + 1, 16)
asked = layers.Flatten()(embed(question_input))
facts = layers.Concatenate()(
    [embed(story_input), layers.RepeatVector(2 * people)(asked)]
)
facts = layers.Conv1D(32, 2, strides=2, activation="relu")(facts)
read = layers.Add()([layers.Dense(32, activation="relu")(facts)] * 2)
read = layers.GlobalMaxPooling1D()(read)
output = layers.Dense(places, activation="softmax")(layers.Dense(32, activation="relu")(read))  # fmt: skip # noqa: E501
model = Model([story_input, question_input], output)
model.compile(tf.keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy", ["accuracy"])  # fmt: skip # noqa: E501
model.fit([story[:800], question[:800]], answer[:800], epochs=25, batch_size=50, verbose=0)  # fmt: skip # noqa: E501
accuracy = model.evaluate([story[800:], question[800:]], answer[800:], verbose=0)[1]
print("questions answered: accuracy above 0.9:", accuracy > 0.9)
assert accuracy > 0.9
