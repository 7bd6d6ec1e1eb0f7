# SPDX-License-Identifier: Apache-2.0
"""tf.estimator.inputs: re-exports, no code."""

from tensorwright.python.estimator.inputs.numpy_io import (
    numpy_input_fn as numpy_input_fn,
)
from tensorwright.python.estimator.inputs.pandas_io import (
    pandas_input_fn as pandas_input_fn,
)
