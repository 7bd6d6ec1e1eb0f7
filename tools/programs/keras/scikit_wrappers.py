# SPDX-License-Identifier: Apache-2.0
"""A model as a classifier and a regressor with `fit`, `predict` and `score`."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential
from tensorflow.keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor

tf.set_random_seed(31)
np.random.seed(31)
rng = np.random.RandomState(31)
x = rng.randn(300, 4)
kinds = (x[:, 0] > 0).astype(int) + (x[:, 1] > 0)
line = x @ [1.0, -2.0, 0.5, 3.0]


def classifier(hidden=8):
    model = Sequential([Dense(hidden, activation="relu", input_dim=4), Dense(3, activation="softmax")])  # fmt: skip # noqa: E501
    model.compile(tf.keras.optimizers.Adam(0.02), "categorical_crossentropy", metrics=["accuracy"])  # fmt: skip # noqa: E501
    return model


def regressor():
    model = Sequential([Dense(1, input_dim=4)])
    model.compile(tf.keras.optimizers.SGD(0.05), "mse")
    return model


made = KerasClassifier(build_fn=classifier, hidden=16, epochs=20, verbose=0)
assert made.get_params()["hidden"] == 16
made.fit(x, kinds)
assert made.predict_proba(x).shape == (300, 3)
assert set(made.predict(x)) <= {0, 1, 2}
assert made.score(x, kinds) > 0.9
fitted = KerasRegressor(regressor, epochs=10, verbose=0)
fitted.fit(x, line)
np.testing.assert_allclose(fitted.predict(x), line, rtol=0.05, atol=0.1)
print("classifier and regressor: good scores")
