# SPDX-License-Identifier: Apache-2.0
"""The global step: a scalar integer variable that counts training steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, init_ops, state_ops, variable_scope

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import SessionLike
    from tensorwright.python.ops._variables.variables_variable import Variable

# The collection of the tensor that a graph's hooks read the global step by.
GLOBAL_STEP_READ_KEY = "global_step_read_op_cache"


def global_step(sess: SessionLike, global_step_tensor: Variable | ops.Tensor) -> int:
    """The value of the global step in `sess`."""
    return int(sess.run(global_step_tensor))


def get_global_step(graph: ops.Graph | None = None) -> Any:
    """The graph's global step variable, None if it has none.

    Raises TypeError if the GLOBAL_STEP collection holds more than one, or a value that is
    no scalar integer variable.
    """
    graph = graph or ops.get_default_graph()
    found = graph.get_collection(ops.GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        raise TypeError(f"Multiple tensors in global_step collection: {found}")
    if found:
        step = found[0]
    else:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(step)
    return step


def create_global_step(graph: ops.Graph | None = None) -> Variable:
    """Makes the graph's global step.  Raises ValueError if there is one."""
    graph = graph or ops.get_default_graph()
    there = get_global_step(graph)
    if there is not None:
        raise ValueError(f'"global_step" already exists: {there.name}')
    with graph.as_default(), ops.name_scope(""):
        return variable_scope.get_variable(
            ops.GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=init_ops.zeros_initializer(),
            trainable=False,
            collections=[ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: ops.Graph | None = None) -> Any:
    """The graph's global step, made if there is none."""
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor: Variable | ops.Tensor) -> None:
    """Raises TypeError unless the argument is a scalar of an integer dtype."""
    if not ops.is_dense_tensor_like(global_step_tensor):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor!r}'
        )
    dtype = global_step_tensor.dtype.base_dtype
    if not dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {dtype}')
    shape = global_step_tensor.get_shape()
    if shape.ndims not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


def _get_global_step_read(graph: ops.Graph | None = None) -> ops.Tensor | None:
    """The tensor by which the graph's global step is read, None if it was not made.

    Raises RuntimeError if there are several.
    """
    graph = graph or ops.get_default_graph()
    found = graph.get_collection(GLOBAL_STEP_READ_KEY)
    if len(found) > 1:
        raise RuntimeError(
            f"There are multiple items in collection {GLOBAL_STEP_READ_KEY}: {found}"
        )
    return found[0] if found else None


def _get_or_create_global_step_read(
    graph: ops.Graph | None = None,
) -> ops.Tensor | None:
    """The tensor by which the graph's global step is read, made if it is not there; None without a global step."""
    graph = graph or ops.get_default_graph()
    found = _get_global_step_read(graph)
    if found is not None:
        return found
    step = get_global_step(graph)
    if step is None:
        return None
    # Hooks ask for it in any scope, and in none of them it may wait for something.
    with graph.as_default(), ops.name_scope(None):
        with ops.name_scope(f"{step.op.name}/"), ops.control_dependencies(None):
            read = array_ops.identity(step, name="read_value")
    graph.add_to_collection(GLOBAL_STEP_READ_KEY, read)
    return read


def _increment_global_step(
    increment: int, graph: ops.Graph | None = None
) -> ops.Tensor:
    """Adds to the graph's global step; ValueError if it has none."""
    graph = graph or ops.get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError("Global step tensor should be created by get_or_create_global_step before it is incremented.")  # fmt: skip # noqa: E501
    with graph.as_default():
        return state_ops.assign_add(step, increment)
