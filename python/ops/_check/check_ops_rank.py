# SPDX-License-Identifier: Apache-2.0
"""Assertions on the ranks of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor


def _rank_check(
    name: str,
    rule: str,
    ranks: list[Any],
    x: Any,
    holds: Callable[[int], Any],
    dynamic: Callable[[Any], Any],
    data: Any,
    summarize: int | None,
    message: str | None,
    op_name: str | None,
) -> ops.Operation:
    with ops.name_scope(op_name, name, [x]):
        x = ops.convert_to_tensor(x, name="x")
        rank = x.get_shape().ndims
        text = f"{message or ''} Tensor {x.name} must have rank {rule}.".strip()
        unknown = [r for r in ranks if isinstance(r, ops.Tensor)]
        if rank is not None and not unknown:
            if holds(rank):
                return control_flow_ops.no_op("static_checks_determined_all_ok")
            raise ValueError(f"{text} Received rank {rank}, shape {x.get_shape()}")
        if data is None:
            data = [text, *unknown, "Received shape: ", array_ops.shape(x)]
        with ops.control_dependencies(list(map(_check_scalar, unknown))):
            holds_now = dynamic(array_ops.rank(x))
        return control_flow_ops.Assert(holds_now, data, summarize=summarize)


def assert_rank(
    x: TensorLike | SparseTensor,
    rank: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """`x` has rank `rank`; ValueError if it is known not to."""
    want = _rank(rank)
    return _rank_check(
        "assert_rank",
        _told(want),
        [want],
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
    want = _rank(rank)
    return _rank_check(
        "assert_rank_at_least",
        f"at least {_told(want)}",
        [want],
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
    want = [_rank(r) for r in ranks]
    if not any(isinstance(r, ops.Tensor) for r in want):
        want.sort()
    return _rank_check(
        "assert_rank_in",
        f"in ({', '.join(map(_told, want))})",
        want,
        x,
        lambda r: r in want,
        lambda r: math_ops.reduce_any(math_ops.equal(r, want)),
        data,
        summarize,
        message,
        name,
    )


def _rank(rank: Any) -> int | ops.Tensor:
    """A rank as a number if it is known, else as an int32 tensor."""
    tensor = ops.convert_to_tensor(rank, name="rank")
    if tensor.dtype.base_dtype != dtypes.int32:
        raise TypeError(f"rank must be of type int32, got {tensor.dtype.name}")
    value = tensor_util.constant_value(tensor)
    if value is None:
        return tensor
    if value.ndim:
        raise ValueError(f"Rank must be a scalar, got {rank}")
    return int(value)


def _told(rank: int | ops.Tensor) -> str:
    return rank.name if isinstance(rank, ops.Tensor) else str(rank)


def _check_scalar(rank: ops.Tensor) -> ops.Operation:
    """Fails the run if a rank that comes with it is no scalar."""
    return control_flow_ops.Assert(
        math_ops.equal(array_ops.rank(rank), 0),
        ["Rank must be a scalar, got ", rank],
    )


def assert_scalar(
    tensor: TensorLike,
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
