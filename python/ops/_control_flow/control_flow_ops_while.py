# SPDX-License-Identifier: Apache-2.0
"""while_loop: a subgraph that runs until its condition fails.

A loop variable goes Enter -> Merge -> Switch; the Switch's true side is the body's
argument, the body's result goes NextIteration -> Merge, and the Switch's false side
leaves through an Exit.  All other values that the body uses come in through an Enter
that is constant for all iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import ShapeTree, TensorLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    control_flow_v2_toggles as toggles,
    math_ops,
)
from tensorwright.python.ops._control_flow import (
    control_flow_ops_functional as functional,
    control_flow_ops_while_sparse as sparse,
)
from tensorwright.python.ops._control_flow.control_flow_ops_while_context import (
    WhileContext,
    _tensors,
    add_back_edge as add_back_edge,
)
from tensorwright.python.util import nest


def while_loop(
    cond: Callable[..., object],
    body: Callable[..., object],
    loop_vars: TensorTree,
    shape_invariants: ShapeTree | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: TensorLike | None = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeats `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` holds.

    Args:
        cond: gives a bool scalar.
        body: gives the next values, in the structure of `loop_vars`.
        loop_vars: a list, tuple or nested structure of tensors.
        shape_invariants: shapes that hold in all iterations, where those of
            `loop_vars` do not; same structure.
        parallel_iterations: how many iterations may be under way at a time.
        back_prop: whether gradients can go through it.
        swap_memory: accepted; what gradients need stays in host memory anyway.
        maximum_iterations: an int scalar that also ends it.
        return_same_structure: a single variable comes back in its list, too.

    Raises:
        TypeError: if `cond` or `body` is not callable, or a dtype changes.
        ValueError: if `loop_vars` is empty, or a shape changes.

    Example:
        i, total = tf.while_loop(
            lambda i, total: i < 10, lambda i, total: (i + 1, total + i), (0, 0)
        )
    """
    with ops.name_scope(name, "while", _tensors(loop_vars)):
        given: Any = loop_vars
        if not given:
            raise ValueError("No loop variables provided")
        if not callable(cond):
            raise TypeError("cond must be callable.")
        if not callable(body):
            raise TypeError("body must be callable.")
        if parallel_iterations < 1:
            raise TypeError("parallel_iterations must be a positive integer.")
        if toggles.control_flow_v2_enabled():
            result: Any = functional.while_loop(
                cond, body, given, shape_invariants, parallel_iterations,
                maximum_iterations,
            )  # fmt: skip
            alone = len(result) == 1 and not return_same_structure
            return result[0] if alone else result
        if sparse.has_sparse(loop_vars):
            return sparse.loop_of_parts(
                while_loop, cond, body, given, shape_invariants, return_same_structure,
                parallel_iterations=parallel_iterations, back_prop=back_prop,
                swap_memory=swap_memory, maximum_iterations=maximum_iterations,
            )  # fmt: skip
        if maximum_iterations is not None:
            return _bounded_loop(
                cond, body, loop_vars, shape_invariants, parallel_iterations,
                back_prop, swap_memory, maximum_iterations, return_same_structure,
            )  # fmt: skip
        if shape_invariants is not None:
            nest.assert_same_structure(loop_vars, shape_invariants)
        context = WhileContext(
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
        )
        if context.outer_context is None:  # Else the context around it keeps it.
            ops.add_to_collection(ops.GraphKeys.WHILE_CONTEXT, context)
        return context.BuildLoop(
            cond, body, loop_vars, shape_invariants, return_same_structure
        )


def _bounded_loop(
    cond: Any, body: Any, loop_vars: Any, invariants: Any, parallel: int,
    back_prop: bool, swap: bool, limit: Any, same_structure: bool,
) -> Any:  # fmt: skip
    """A loop with one more variable, which counts its iterations."""
    limit = ops.convert_to_tensor(limit, name="maximum_iterations")
    if limit.get_shape().ndims not in (0, None):
        raise ValueError(
            f"maximum_iterations must be a scalar, saw shape: {limit.get_shape()}"
        )
    counter = array_ops.zeros([], dtype=limit.dtype.base_dtype)
    variables = list(loop_vars)

    def counted_cond(i: Any, values: Any) -> Any:
        return math_ops.logical_and(i < limit, cond(*values))

    def counted_body(i: Any, values: Any) -> Any:
        result = body(*values)
        result = list(result) if nest.is_sequence(result) else [result]
        return i + 1, result

    shapes = None
    if invariants is not None:
        shapes = (tensor_shape.TensorShape([]), list(invariants))
    _, result = while_loop(
        counted_cond,
        counted_body,
        (counter, variables),
        shape_invariants=shapes,
        parallel_iterations=parallel,
        back_prop=back_prop,
        swap_memory=swap,
    )
    if len(nest.flatten(result)) == 1 and not same_structure:
        return result[0]
    return type(loop_vars)(result) if isinstance(loop_vars, tuple) else result
