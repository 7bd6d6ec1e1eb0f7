# SPDX-License-Identifier: Apache-2.0
"""Variables behind handles: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._resource_variable.resource_variable_ops_handle import (
    variable_shape as variable_shape,
)
from tensorwright.python.ops._resource_variable.resource_variable_ops_variable import (
    ResourceVariable as ResourceVariable,
    _UnreadVariable as _UnreadVariable,
    handle_or_reference as handle_or_reference,
    is_resource_variable as is_resource_variable,
    shape_safe_assign_variable_handle as shape_safe_assign_variable_handle,
)
from tensorwright.python.ops.gen_resource_variable_ops import (
    assign_add_variable_op as assign_add_variable_op,
    assign_sub_variable_op as assign_sub_variable_op,
    assign_variable_op as assign_variable_op,
    destroy_resource_op as destroy_resource_op,
    read_variable_op as read_variable_op,
    resource_gather as resource_gather,
    resource_gather_nd as resource_gather_nd,
    resource_scatter_add as resource_scatter_add,
    resource_scatter_div as resource_scatter_div,
    resource_scatter_max as resource_scatter_max,
    resource_scatter_min as resource_scatter_min,
    resource_scatter_mul as resource_scatter_mul,
    resource_scatter_sub as resource_scatter_sub,
    resource_scatter_update as resource_scatter_update,
    var_handle_op as var_handle_op,
    var_is_initialized_op as var_is_initialized_op,
)
