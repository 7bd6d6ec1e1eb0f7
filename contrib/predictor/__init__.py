# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.predictor`: models as functions from arrays to arrays.

    predict = tf.contrib.predictor.from_saved_model("/tmp/exported/1511")
    predict({"x": [[1.0, 2.0]]})["y"]

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.predictor.predictor import Predictor
from tensorwright.contrib.predictor.predictor_factories import (
    from_contrib_estimator,
    from_estimator,
    from_saved_model,
)
