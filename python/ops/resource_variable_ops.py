# SPDX-License-Identifier: Apache-2.0
"""Variables behind handles: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.gen_resource_variable_ops import (
    assign_variable_op,
    destroy_resource_op,
    read_variable_op,
    var_handle_op,
    var_is_initialized_op,
)
