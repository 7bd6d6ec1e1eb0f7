# SPDX-License-Identifier: Apache-2.0
"""Variables of models, found by names and scopes: re-exports, and the functions that make them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.framework.python.ops import arg_scope as _arg_scope
from tensorwright.contrib.framework.python.ops.variables_assign import (
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
)
from tensorwright.contrib.framework.python.ops.variables_find import (
    filter_variables,
    get_local_variables,
    get_model_variables,
    get_trainable_variables,
    get_unique_variable,
    get_variable_full_name,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
)
from tensorwright.python.framework import device as tf_device, dtypes, ops
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    InitializerLike,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    state_ops,
    variable_scope,
    variables,
)
from tensorwright.python.training import training_util

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = [
    "VariableDeviceChooser",
    "add_model_variable",
    "assert_global_step",
    "assert_or_get_global_step",
    "assign_from_checkpoint",
    "assign_from_checkpoint_fn",
    "assign_from_values",
    "assign_from_values_fn",
    "create_global_step",
    "filter_variables",
    "get_global_step",
    "get_local_variables",
    "get_model_variables",
    "get_or_create_global_step",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variable_full_name",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "local_variable",
    "model_variable",
    "variable",
    "zero_initializer",
]

# --- The global step ------------------------------------------------------------------

assert_global_step = training_util.assert_global_step
create_global_step = training_util.create_global_step
get_global_step = training_util.get_global_step
get_or_create_global_step = training_util.get_or_create_global_step


def assert_or_get_global_step(
    graph: ops.Graph | None = None, global_step_tensor: Variable | Tensor | None = None
) -> Any:
    """`global_step_tensor`, checked to be an integer scalar; None: the graph's global step."""
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


# --- Making variables -----------------------------------------------------------------


def local_variable(
    initial_value: TensorLike | Callable,
    validate_shape: bool = True,
    name: str | None = None,
) -> Variable:
    """A variable in LOCAL_VARIABLES: neither saved nor trained."""
    return variables.Variable(
        initial_value,
        trainable=False,
        collections=[ops.GraphKeys.LOCAL_VARIABLES],
        validate_shape=validate_shape,
        name=name,
    )


def global_variable(
    initial_value: TensorLike | Callable,
    validate_shape: bool = True,
    name: str | None = None,
) -> Variable:
    """A variable in GLOBAL_VARIABLES that is not trained."""
    return variables.Variable(
        initial_value,
        trainable=False,
        collections=[ops.GraphKeys.GLOBAL_VARIABLES],
        validate_shape=validate_shape,
        name=name,
    )


@_arg_scope.add_arg_scope
def variable(
    name: str,
    shape: ShapeLike = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Callable | None = None,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    caching_device: DeviceLike = None,
    device: DeviceLike = None,
    partitioner: Callable | None = None,
    custom_getter: Callable | None = None,
    use_resource: bool | None = None,
) -> Any:
    """`tf.get_variable` under `arg_scope`.

    Args:
        name: within the variable scope.
        shape, dtype, initializer, regularizer, trainable, caching_device, partitioner, use_resource: as for
            `tf.get_variable`.
        collections: None: GLOBAL_VARIABLES.
        device: the device of the variable.
        custom_getter: called in the place of `tf.get_variable`, with its arguments and `reuse`.
    """
    if collections is None:
        collections = [ops.GraphKeys.GLOBAL_VARIABLES]
    getter: Callable = variable_scope.get_variable
    if custom_getter is not None:
        getter = functools.partial(
            custom_getter, reuse=variable_scope.get_variable_scope().reuse
        )
    with ops.device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=list(dict.fromkeys(collections)),
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
        )


@_arg_scope.add_arg_scope
def model_variable(
    name: str,
    shape: ShapeLike = None,
    dtype: DTypeLike = dtypes.float32,
    initializer: InitializerLike | None = None,
    regularizer: Callable | None = None,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    caching_device: DeviceLike = None,
    device: DeviceLike = None,
    partitioner: Callable | None = None,
    custom_getter: Callable | None = None,
    use_resource: bool | None = None,
) -> Any:
    """A `variable` that is in GLOBAL_VARIABLES and MODEL_VARIABLES, besides `collections`."""
    model = [ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.MODEL_VARIABLES]
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[*(collections or []), *model],
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
    )


def add_model_variable(var: Variable) -> None:
    """Adds a variable to MODEL_VARIABLES, once."""
    known = ops.get_collection(ops.GraphKeys.MODEL_VARIABLES)
    if not any(v is var for v in known):
        ops.add_to_collection(ops.GraphKeys.MODEL_VARIABLES, var)


def zero_initializer(
    ref: Variable, use_locking: bool = True, name: str = "zero_initializer"
) -> ops.Tensor:
    """Fills a variable, which has no value yet, with zeros without a constant of its size in the graph.

    Returns its new value.  A run fails with InvalidArgumentError where the variable has a value.
    """
    shape = ref.get_shape()
    if not shape.is_fully_defined():
        raise ValueError(f"zero_initializer: ref must have a known shape, got {shape}")
    with ops.name_scope(name) as scope:
        fresh = math_ops.logical_not(state_ops.is_variable_initialized(ref))
        check = control_flow_ops.Assert(fresh, ["input is already initialized"])
        with ops.control_dependencies([check]):
            zeros = array_ops.zeros(shape.as_list(), ref.dtype.base_dtype)
        return state_ops.assign(ref, zeros, use_locking=use_locking, name=scope)


class VariableDeviceChooser:
    """A device function: variables go to the tasks of a job, one after the other.

    Use it as `arg_scope([variable], device=VariableDeviceChooser(num_tasks=3))`.

    Args:
        num_tasks: how many tasks there are; 0: no job.
        job_name: that of the tasks.
        device_type: "CPU" or "GPU".
        device_index: the index of the device within its task.
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int = 0,
    ):
        self._job_name = job_name
        self._device_type = device_type
        self._device_index = device_index
        self._num_tasks = num_tasks
        self._next_task_id = 0

    def __call__(self, op: ops.Operation) -> str:
        """The next device."""
        del op
        job, task = None, None
        if self._num_tasks > 0:
            job, task = self._job_name, self._next_task_id
            self._next_task_id = (task + 1) % self._num_tasks
        return tf_device.DeviceSpec(
            job=job,
            task=task,
            device_type=self._device_type,
            device_index=self._device_index,
        ).to_string()
