# SPDX-License-Identifier: Apache-2.0
"""Functions that several runs of a session, each in its thread, compute together."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import function, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorTree
from tensorwright.python.ops._functional import bodies
from tensorwright.python.util import nest

__all__ = ["batch_function"]


def batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
    enable_large_batch_splitting: bool = True,
) -> Callable[[Callable[..., object]], Callable[..., TensorTree]]:
    """A decorator of functions of tensors [n, ...] that runs of a session in several threads call as one.

    A run waits for others until there are `max_batch_size` rows or the time is up; then one call computes all rows, and
    each run gets its own.  Calls have no gradient.  The function uses tensors and variables from around it freely; if
    such a tensor differs between the runs of a batch, the values of one run count for all.

    Args:
        num_batch_threads: how many batches are computed at the same time at most; 0: as many as there are cores.
        max_batch_size: how many rows a run may have, and a batch, unless `allowed_batch_sizes` end below it.
        batch_timeout_micros: how long the first run of a batch waits for others.
        allowed_batch_sizes: growing sizes; a batch is filled up with copies of its first row to the next of them.  The
            last is `max_batch_size`, or may be less if large batches are split.
        max_enqueued_batches: how many batches may wait; a run that would need one more fails with UnavailableError.
        autograph: kept for TensorFlow's signature: the function is called as it is.
        enable_large_batch_splitting: whether rows of one run may be computed in several batches.

    Returns:
        A decorator.  The decorated function takes Tensors alone, of rank 1 at least and of equally many rows, and
        returns what the function returns: a tensor, or a structure of tensors, each with as many rows.

    Raises:
        ValueError: when the function is called, an argument that is no Tensor, or no result.
        tf.errors.InvalidArgumentError: in a run, sizes that make no sense, or arguments with other numbers of rows.
        tf.errors.FailedPreconditionError: in a run, a result with another number of rows.

    Example:
        @tf.nondifferentiable_batch_function(1, 10, 5000)
        def layer(x):
            return tf.matmul(x, w)
    """
    del autograph

    def decorator(fn: Callable[..., object]) -> Callable[..., TensorTree]:
        @functools.wraps(fn)
        def batched(*args: ops.Tensor) -> TensorTree:
            for arg in args:
                if not isinstance(arg, ops.Tensor):
                    raise ValueError(
                        "All arguments to functions decorated with `batch_function` are "
                        f"supposed to be Tensors; found {arg!r}."
                    )
            with ops.name_scope("batch") as scope:
                return _call(
                    fn,
                    args,
                    shared_name=scope,
                    num_batch_threads=num_batch_threads,
                    max_batch_size=max_batch_size,
                    batch_timeout_micros=batch_timeout_micros,
                    allowed_batch_sizes=list(allowed_batch_sizes or ()),
                    max_enqueued_batches=max_enqueued_batches,
                    enable_large_batch_splitting=enable_large_batch_splitting,
                )

        return batched

    return decorator


def _call(fn: Callable[..., object], args: Sequence[ops.Tensor], **attrs: Any) -> Any:
    types = [a.dtype.base_dtype for a in args]
    structure: list[Any] = []

    def flat(*tensors: ops.Tensor) -> list[Any]:
        structure[:] = [fn(*tensors)]
        return nest.flatten(structure[0])

    name = getattr(fn, "__name__", "") or "function"
    shapes = [_any_rows(a.shape) for a in args]
    defined = function.Defun(*types, input_shapes=shapes, base_name=name)(flat)
    defined.add_to_graph(ops.get_default_graph())
    results = defined.graph.outputs
    if not results:
        raise ValueError(f"batch_function: {name} must return tensors, got none")
    captured = defined.captured_inputs
    op = bodies.node(
        "BatchFunction",
        [*args, *captured],
        "BatchFunction",
        f=bodies.func(defined.name),
        Tin=types,
        Tcaptured=[t.dtype.base_dtype for t in captured],
        Tout=[t.dtype.base_dtype for t in results],
        **attrs,
    )
    for output, result in zip(op.outputs, results, strict=True):
        output.set_shape(_any_rows(result.shape))
    return nest.pack_sequence_as(structure[0], list(op.outputs))


def _any_rows(shape: tensor_shape.TensorShape) -> tensor_shape.TensorShape:
    """The shape of a tensor with another number of rows; unknown for one that has none."""
    if not shape.ndims:
        return tensor_shape.TensorShape(None)
    return tensor_shape.TensorShape([None]).concatenate(shape[1:])
