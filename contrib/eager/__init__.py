# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.eager`: the part of it that programs of graphs use.

Nothing runs eagerly here: `executing_eagerly()` is False, and names that need it are missing.  Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib import _missing
from tensorwright.contrib.eager.python import metrics
from tensorwright.contrib.eager.python.tfe import (
    EagerVariableStore,
    Saver,
    TensorSpec,
    Variable,
    custom_gradient,
    defun,
    executing_eagerly,
    function,
    get_optimizer_variables,
    in_eager_mode,
    list_devices,
    make_template,
    num_gpus,
    py_func,
)

__getattr__ = _missing.names(
    __name__,
    "GradientTape",
    "Iterator",
    "Network",
    "enable_eager_execution",
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "value_and_gradients_function",
)
