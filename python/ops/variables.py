# SPDX-License-Identifier: Apache-2.0
"""Variable, the collections of variables, and their initializers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_math_ops,
    state_ops,
)
from tensorwright.python.ops._resource_variable import (
    resource_variable_ops_variable,  # noqa: F401  What variables behind handles are.
)
from tensorwright.python.ops._variables.variables_partitioned import PartitionedVariable
from tensorwright.python.ops._variables.variables_variable import (
    Variable,
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
)

VariableV1 = Variable
RefVariable = Variable


def global_variables(scope: str | None = None) -> list[Variable]:
    """The variables that sessions share, those under `scope` if it is given."""
    return ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Variable]:
    """`global_variables` under its older name."""
    return global_variables()


def _all_saveable_objects(scope: str | None = None) -> list[Any]:
    """Returns the default of a saver: global variables, and other objects with a state."""
    return global_variables(scope) + ops.get_collection(
        ops.GraphKeys.SAVEABLE_OBJECTS, scope
    )


def local_variables(scope: str | None = None) -> list[Variable]:
    """The variables in LOCAL_VARIABLES."""
    return ops.get_collection(ops.GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Variable]:
    """The variables in MODEL_VARIABLES."""
    return ops.get_collection(ops.GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The variables that optimizers train by default."""
    return ops.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Variable]:
    """The variables whose moving averages are kept."""
    return ops.get_collection(ops.GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(
    var_list: Iterable[Variable | PartitionedVariable], name: str = "init"
) -> ops.Operation:
    """An operation that initializes the listed variables, all at once."""
    initializers = [cast(Any, v).initializer for v in var_list or ()]
    return control_flow_ops.group(*initializers, name=name)


def initialize_variables(
    var_list: Iterable[Variable | PartitionedVariable], name: str = "init"
) -> ops.Operation:
    """`variables_initializer` under its older name."""
    return variables_initializer(var_list, name=name)


def global_variables_initializer() -> ops.Operation:
    """An operation that initializes all global variables."""
    return variables_initializer(global_variables())


def initialize_all_variables() -> ops.Operation:
    """`global_variables_initializer` under its older name."""
    return global_variables_initializer()


def local_variables_initializer() -> ops.Operation:
    """An operation that initializes all local variables."""
    return variables_initializer(local_variables())


def initialize_local_variables() -> ops.Operation:
    """`local_variables_initializer` under its older name."""
    return local_variables_initializer()


def is_variable_initialized(variable: Variable) -> ops.Tensor:
    """Whether a variable has a value, a bool scalar."""
    return state_ops.is_variable_initialized(variable)


def _all_or(var_list: Any) -> list[Variable]:
    if var_list is not None:
        return list(var_list)
    found = global_variables() + local_variables()
    if found:
        return found
    candidates = ops.get_default_graph().get_operations()
    references: list[Any] = [
        op.outputs[0]
        for op in candidates
        if op.type in ("Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp")
    ]
    return references


def assert_variables_initialized(
    var_list: Iterable[Variable | PartitionedVariable] | None = None,
) -> ops.Tensor | None:
    """A tensor whose run fails with FailedPreconditionError if one has no value."""
    var_list = _all_or(var_list)
    if not var_list:
        return None
    ranks = []
    for variable in var_list:
        ref = variable.op.outputs[0]
        with ops.colocate_with(ref.op):
            value = variable if ref.dtype == dtypes.resource else ref
            ranks.append(array_ops.rank_internal(value, optimize=False))
    return ranks[0] if len(ranks) == 1 else array_ops.stack(ranks)


def report_uninitialized_variables(
    var_list: Iterable[Variable | PartitionedVariable] | None = None,
    name: str = "report_uninitialized_variables",
) -> ops.Tensor:
    """The names of the variables that have no value, a string vector."""
    var_list = _all_or(var_list)
    with ops.name_scope(name):
        if not var_list:
            return array_ops.constant([], dtype=dtypes.string)
        refs = [v.op.outputs[0] for v in var_list]
        missing = gen_math_ops.logical_not(
            array_ops.stack([state_ops.is_variable_initialized(r) for r in refs])
        )
        names = array_ops.constant([r.op.name for r in refs])
        return array_ops.boolean_mask(names, missing)


__all__ = [
    "PartitionedVariable",
    "RefVariable",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "VariableV1",
    "all_variables",
    "assert_variables_initialized",
    "dtypes",
    "global_variables",
    "global_variables_initializer",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_variables",
    "is_variable_initialized",
    "local_variables",
    "local_variables_initializer",
    "model_variables",
    "moving_average_variables",
    "report_uninitialized_variables",
    "trainable_variables",
    "variables_initializer",
]
