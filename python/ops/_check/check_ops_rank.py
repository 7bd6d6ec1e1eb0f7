# SPDX-License-Identifier: Apache-2.0
"""Assertions on the ranks of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor


def _rank_check(
    name: str,
    rule: str,
    x: Any,
    holds: Callable[[int], bool],
    dynamic: Callable[[Any], Any],
    data: Any,
    summarize: int | None,
    message: str | None,
    op_name: str | None,
) -> ops.Operation:
    with ops.name_scope(op_name, name, [x]):
        x = ops.convert_to_tensor(x, name="x")
        rank = x.get_shape().ndims
        text = f"{message or ''} {x.name}: Tensor must have rank {rule}.".strip()
        if rank is not None:
            if holds(rank):
                return control_flow_ops.no_op("static_checks_determined_all_ok")
            raise ValueError(f"{text} Received rank {rank}, shape {x.get_shape()}")
        if data is None:
            data = [text, "Received shape: ", array_ops.shape(x)]
        return control_flow_ops.Assert(
            dynamic(array_ops.rank(x)), data, summarize=summarize
        )


def assert_rank(
    x: TensorLike | SparseTensor,
    rank: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """`x` has rank `rank`; ValueError if it is known not to."""
    want = _static_rank(rank)
    return _rank_check(
        "assert_rank",
        str(want),
        x,
        lambda r: r == want,
        lambda r: math_ops.equal(r, want),
        data,
        summarize,
        message,
        name,
    )


def assert_rank_at_least(
    x: TensorLike | SparseTensor,
    rank: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """`x` has rank `rank` or more; ValueError if it is known not to."""
    want = _static_rank(rank)
    return _rank_check(
        "assert_rank_at_least",
        f">= {want}",
        x,
        lambda r: r >= want,
        lambda r: math_ops.greater_equal(r, want),
        data,
        summarize,
        message,
        name,
    )


def assert_rank_in(
    x: TensorLike | SparseTensor,
    ranks: Iterable[TensorLike],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """`x` has one of `ranks`; ValueError if it is known not to."""
    want = sorted(_static_rank(r) for r in ranks)
    return _rank_check(
        "assert_rank_in",
        f"in {want}",
        x,
        lambda r: r in want,
        lambda r: math_ops.reduce_any(math_ops.equal(r, want)),
        data,
        summarize,
        message,
        name,
    )


def _static_rank(rank: Any) -> int:
    value = tensor_util.constant_value(ops.convert_to_tensor(rank, name="rank"))
    if value is None or value.ndim or not np.issubdtype(value.dtype, np.integer):
        raise ValueError(f"rank must be a known integer scalar, got {rank}")
    return int(value)


def assert_scalar(
    tensor: TensorLike | SparseTensor,
    name: str | None = None,
    message: str | None = None,
) -> ops.Tensor:
    """`tensor`, whose static rank must be 0; ValueError if not."""
    with ops.name_scope(name, "assert_scalar", [tensor]) as scope:
        tensor = ops.convert_to_tensor(tensor, name=scope)
        shape = tensor.get_shape()
        if shape.ndims != 0:
            raise ValueError(
                f"{message or ''} Expected scalar shape, saw: {shape}".strip()
            )
        return tensor
