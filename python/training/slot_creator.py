# SPDX-License-Identifier: Apache-2.0
"""Variables that belong to another variable: an optimizer's accumulators, moving averages."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    resource_variable_ops,
    variable_scope,
    variables,
)

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


def create_slot(
    primary: variables.Variable | ops.Tensor,
    val: TensorLike,
    name: str,
    colocate_with_primary: bool = True,
) -> Variable:
    """A variable with the initial value `val`, named "<scope>/<primary>/<name>", on the device of `primary`.

    The scope is the open variable scope, which also says whether slots are found or made (reuse).
    """
    val = ops.convert_to_tensor(val)
    validate = val.get_shape().is_fully_defined()
    beside = ops.colocate_with(primary) if colocate_with_primary else nullcontext()
    with variable_scope.variable_scope(None, f"{primary.op.name}/{name}"), beside:
        # A part of a variable has whole slots.
        variable_scope.get_variable_scope().set_partitioner(None)
        return variable_scope.get_variable(
            "",
            initializer=val,
            trainable=False,
            validate_shape=validate,
            use_resource=resource_variable_ops.is_resource_variable(primary),
        )


def create_zeros_slot(
    primary: variables.Variable | ops.Tensor,
    name: str,
    dtype: DTypeLike | None = None,
    colocate_with_primary: bool = True,
) -> Variable:
    """A slot of zeros with the shape of `primary`, and its dtype if none is given."""
    dtype = dtype or primary.dtype.base_dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        zeros = array_ops.zeros(shape.as_list(), dtype=dtype)
    else:
        source = primary
        if isinstance(primary, variables.Variable):
            source = primary.initialized_value()
        zeros = array_ops.zeros(array_ops.shape(source), dtype=dtype)
    return create_slot(primary, zeros, name, colocate_with_primary)
