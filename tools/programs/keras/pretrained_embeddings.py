# SPDX-License-Identifier: Apache-2.0
"""Texts become word numbers, and an embedding that is given and frozen their meaning."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Conv1D, Dense, Embedding, GlobalMaxPooling1D, Input
from tensorflow.keras.models import Model
from tensorflow.keras.preprocessing.sequence import pad_sequences
from tensorflow.keras.preprocessing.text import Tokenizer
from tensorflow.keras.utils import to_categorical

tf.set_random_seed(28)
np.random.seed(28)
rng = np.random.RandomState(28)
animals, tools = "cat dog cow hen fox".split(), "saw axe bit jig rasp".split()
fill = "the a of and in".split()
texts, kinds = [], []
for _ in range(300):
    kind = rng.randint(2)
    said = [*rng.choice(fill, 5), *rng.choice((animals, tools)[kind], 1)]
    rng.shuffle(said)
    texts.append(" ".join(said))
    kinds.append(kind)

tokenizer = Tokenizer(num_words=50)
tokenizer.fit_on_texts(texts)
x = pad_sequences(tokenizer.texts_to_sequences(texts), maxlen=8)
y = to_categorical(np.asarray(kinds))
assert len(tokenizer.word_index) == 15
matrix = np.zeros((16, 4))
for word, i in tokenizer.word_index.items():
    matrix[i] = rng.randn(4) * 0.1 + 2.0 * (word in animals) - 2.0 * (word in tools)

words = Input(shape=(8,), dtype="int32")
embedded = Embedding(16, 4, weights=[matrix], input_length=8, trainable=False)(words)
hidden = GlobalMaxPooling1D()(Conv1D(8, 2, activation="relu")(embedded))
model = Model(words, Dense(2, activation="softmax")(hidden))
model.compile(loss="categorical_crossentropy", optimizer="rmsprop", metrics=["acc"])
model.fit(x, y, batch_size=30, epochs=15, verbose=0)
np.testing.assert_allclose(model.layers[1].get_weights()[0], matrix, rtol=1e-6)
accuracy = model.evaluate(x, y, verbose=0)[1]
matrices = tokenizer.texts_to_matrix(texts, mode="tfidf")
assert matrices.shape == (300, 50)
print("given embeddings: accuracy above 0.95:", accuracy > 0.95)
assert accuracy > 0.95
