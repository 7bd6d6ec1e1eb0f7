# SPDX-License-Identifier: Apache-2.0
"""The part of TensorFlow's backend that Keras calls: settings, session, variables, functions, loops, losses.

Keras 2.3.1 imports `tensorflow.python.keras.backend` and calls these from its own functions of the same names.
"""

# ruff: noqa: F401
from tensorwright.python.keras._base.config import (
    cast_to_floatx,
    epsilon,
    floatx,
    get_uid,
    image_data_format,
    manual_variable_initialization,
    reset_uids,
    set_epsilon,
    set_floatx,
    set_image_data_format,
)
from tensorwright.python.keras._base.function import (
    GraphExecutionFunction,
    function,
)
from tensorwright.python.keras._base.losses import (
    binary_crossentropy,
    categorical_crossentropy,
    hard_sigmoid,
    sparse_categorical_crossentropy,
)
from tensorwright.python.keras._base.rnn import rnn
from tensorwright.python.keras._base.session import (
    batch_get_value,
    batch_set_value,
    clear_session,
    get_graph,
    get_session,
    get_value,
    initialize_variables,
    learning_phase,
    learning_phase_scope,
    set_learning_phase,
    set_session,
    set_value,
)
from tensorwright.python.keras._base.variables import (
    constant,
    not_trainable,
    placeholder,
    random_binomial,
    random_normal,
    random_uniform,
    truncated_normal,
    variable,
)
