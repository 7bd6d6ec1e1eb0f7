# SPDX-License-Identifier: Apache-2.0
"""Variables behind handles: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.gen_resource_variable_ops import (
    assign_variable_op as assign_variable_op,
    destroy_resource_op as destroy_resource_op,
    read_variable_op as read_variable_op,
    var_handle_op as var_handle_op,
    var_is_initialized_op as var_is_initialized_op,
)
