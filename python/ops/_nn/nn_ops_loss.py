# SPDX-License-Identifier: Apache-2.0
"""Softmax along any axis, and cross entropies."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_nn_ops, math_ops
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup


def _axis_or_dim(axis: Any, dim: Any, default: int) -> int:
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    return default if axis is None else axis


def by_name_only(function: Callable[..., ops.Tensor]) -> Callable[..., ops.Tensor]:
    """Makes a loss refuse positional arguments, whose order has changed over time.

    ValueError for those, and if `labels` or `logits` is missing.
    """

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> ops.Tensor:
        if args:
            raise ValueError(
                f"Only call `{function.__name__}` with named arguments (labels=..., "
                "logits=..., ...)"
            )
        if kwargs.get("labels") is None or kwargs.get("logits") is None:
            raise ValueError("Both labels and logits must be provided.")
        return function(**kwargs)

    return checked


def _to_last(x: ops.Tensor, axis: int) -> tuple[ops.Tensor, Any]:
    """`x` with `axis` last, and the permutation back (None where nothing moved)."""
    rank = x.get_shape().ndims
    if axis == -1 or (rank is not None and axis == rank - 1):
        return x, None
    if rank is not None:
        if not -rank <= axis < rank:
            raise ValueError(f"axis {axis} is out of range for a tensor of rank {rank}")
        order = [i for i in range(rank) if i != axis % rank]
        order.append(axis % rank)
        return array_ops.transpose(x, order), [order.index(i) for i in range(rank)]
    dynamic = array_ops.rank(x)
    where = math_ops.floormod(ops.convert_to_tensor(axis), dynamic)
    order = array_ops.concat(
        [
            math_ops.range(where),
            math_ops.range(where + 1, dynamic),
            array_ops.reshape(where, [1]),
        ],
        0,
    )
    return array_ops.transpose(x, order), array_ops.invert_permutation(order)


def _along_axis(
    logits: Any,
    compute: Callable[..., ops.Tensor],
    axis: int,
    name: str | None,
    default_name: str,
) -> ops.Tensor:
    logits = ops.convert_to_tensor(logits, name="logits")
    rank = logits.get_shape().ndims
    if axis == -1 or (rank is not None and axis == rank - 1):
        return compute(logits, name=name)
    with ops.name_scope(name, default_name, [logits]) as scope:
        moved, back = _to_last(logits, axis)
        return array_ops.transpose(compute(moved), back, name=scope)


def softmax(
    logits: TensorLike,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> ops.Tensor:
    """exp(x) / sum(exp(x)) along `axis`, the last by default; same shape and dtype."""
    axis = _axis_or_dim(axis, dim, -1)
    return _along_axis(logits, gen_nn_ops.softmax, axis, name, "Softmax")


def log_softmax(
    logits: TensorLike,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> ops.Tensor:
    """x - log(sum(exp(x))) along `axis`, the last by default; same shape and dtype."""
    axis = _axis_or_dim(axis, dim, -1)
    return _along_axis(logits, gen_nn_ops.log_softmax, axis, name, "LogSoftmax")


def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike,
    logits: TensorLike,
    axis: int | None = None,
    name: str | None = None,
    dim: int | None = None,
) -> ops.Tensor:
    """-sum(labels * log_softmax(logits)) along `axis`; differentiable in both.

    Args:
      labels: probabilities, of the shape and dtype of `logits`.
      logits: [..., classes, ...] half, bfloat16, float or double.
      axis: the classes' axis, the last by default.
      name: the op's name.
      dim: another name of `axis`.

    Returns:
      The shape of `logits` less its class axis, of its dtype.
    """
    axis = _axis_or_dim(axis, dim, -1)
    with ops.name_scope(
        name, "softmax_cross_entropy_with_logits", [logits, labels]
    ) as scope:
        logits = ops.convert_to_tensor(logits, name="logits")
        labels = math_ops.cast(labels, logits.dtype)
        # Half precision is too coarse for the sum.
        small = logits.dtype.base_dtype in (dtypes.float16, dtypes.bfloat16)
        x = math_ops.cast(logits, dtypes.float32) if small else logits
        p = math_ops.cast(labels, dtypes.float32) if small else labels
        x, _ = _to_last(x, axis)
        p, _ = _to_last(p, axis)
        cost = _cross_entropy_of_rows(p, x)
        if small:
            cost = math_ops.cast(cost, logits.dtype.base_dtype)
        return array_ops.identity(cost, name=scope)


def _cross_entropy_of_rows(labels: ops.Tensor, logits: ops.Tensor) -> ops.Tensor:
    """The loss along the last axis, for any rank."""
    static = logits.get_shape()
    flat = gen_nn_ops.softmax_cross_entropy_with_logits(_rows(logits), _rows(labels))[0]
    if static.ndims == 2:
        return flat
    cost = array_ops.reshape(flat, array_ops.shape(logits)[:-1])
    if static.ndims is not None:
        cost.set_shape(static[:-1])
    return cost


def _rows(x: ops.Tensor) -> ops.Tensor:
    """A matrix of the same last dimension."""
    if x.get_shape().ndims == 2:
        return x
    return array_ops.reshape(x, array_ops.stack([-1, array_ops.shape(x)[-1]]))


@by_name_only
def softmax_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> ops.Tensor:
    """softmax_cross_entropy_with_logits_v2 that takes labels as constants."""
    with ops.name_scope(
        name, "softmax_cross_entropy_with_logits_sg", [logits, labels]
    ) as scope:
        given: Any = labels
        labels = array_ops.stop_gradient(given, name="labels_stop_gradient")
        return softmax_cross_entropy_with_logits_v2(
            labels, cast(Any, logits), axis=dim if axis is None else axis, name=scope
        )


@by_name_only
def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """-log_softmax(logits)[label] of each row.

    Args:
      labels: [d0, ..., dr-1] int32 or int64, each in [0, classes).
      logits: [d0, ..., dr-1, classes] half, bfloat16, float or double.
      name: the op's name.

    Returns:
      A tensor of the shape of `labels` and dtype of `logits`.

    Raises:
      ValueError: arguments not given by name, or of ranks that do not fit.
    """
    with ops.name_scope(
        name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]
    ) as scope:
        labels = ops.convert_to_tensor(cast(Any, labels))
        logits = ops.convert_to_tensor(cast(Any, logits))
        small = logits.dtype.base_dtype in (dtypes.float16, dtypes.bfloat16)
        x = math_ops.cast(logits, dtypes.float32) if small else logits
        rank = x.get_shape().ndims
        label_rank = labels.get_shape().ndims
        if rank == 0:
            raise ValueError(
                f"Logits cannot be scalars - received shape {x.get_shape()}."
            )
        if rank is not None and label_rank is not None and label_rank != rank - 1:
            raise ValueError(
                f"Rank mismatch: Rank of labels (received {label_rank}) should equal "
                f"rank of logits minus 1 (received {rank})."
            )
        if rank == 2:
            cost = gen_nn_ops.sparse_softmax_cross_entropy_with_logits(
                x, labels, name=None if small else scope
            )[0]
            return math_ops.cast(cost, logits.dtype.base_dtype) if small else cost
        classes = array_ops.shape(x)[-1]
        flat = gen_nn_ops.sparse_softmax_cross_entropy_with_logits(
            array_ops.reshape(x, array_ops.stack([-1, classes])),
            array_ops.reshape(labels, [-1]),
        )[0]
        cost = array_ops.reshape(flat, array_ops.shape(labels))
        cost.set_shape(labels.get_shape())
        cost = math_ops.cast(cost, logits.dtype.base_dtype) if small else cost
        return array_ops.identity(cost, name=scope)
