# SPDX-License-Identifier: Apache-2.0
"""tf.config.optimizer: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.framework.config import (
    get_optimizer_experimental_options as get_experimental_options,
    get_optimizer_jit as get_jit,
    set_optimizer_experimental_options as set_experimental_options,
    set_optimizer_jit as set_jit,
)
