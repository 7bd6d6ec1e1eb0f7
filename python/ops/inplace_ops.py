# SPDX-License-Identifier: Apache-2.0
"""Rows of a tensor written over: for loops that fill a large tensor bit by bit.

A tensor that nothing else reads is written over where it lies; any other is copied first, so that no reader of `x` sees
a change.
"""

from __future__ import annotations

from collections.abc import Callable

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_array_ops, math_ops


def _with_rows(
    op: Callable[..., ops.Tensor], x: TensorLike, i: TensorLike | None, v: TensorLike
) -> ops.Tensor:
    """`op` on rows, for one row `i` too, or for all of `x` where `i` is None."""
    x = ops.convert_to_tensor(x)
    v = ops.convert_to_tensor(v, x.dtype)
    if i is None:
        flat = op(array_ops.reshape(x, [1, -1]), [0], array_ops.reshape(v, [1, -1]))
        result = array_ops.reshape(flat, array_ops.shape(x))
        result.set_shape(x.get_shape())
        return result
    i = math_ops.cast(i, dtypes.int32)
    if i.get_shape().ndims == 0:
        return op(x, array_ops.reshape(i, [1]), array_ops.expand_dims(v, 0))
    return op(x, i, v)


def alias_inplace_update(
    x: TensorLike, i: TensorLike | None, v: TensorLike
) -> ops.Tensor:
    """`x` [rows, ...] with rows `i` replaced by `v`, in the memory of `x` where nothing else reads it.

    Args:
        i: int32 [n], with `v` [n, ...]; or a scalar, with `v` one row; or None, with `v` in the shape of `x`.
        v: of the dtype of `x`.

    Raises:
        ValueError: where shapes that are known do not fit; in the run that is InvalidArgumentError.
    """
    return _with_rows(gen_array_ops.inplace_update, x, i, v)


def alias_inplace_add(x: TensorLike, i: TensorLike | None, v: TensorLike) -> ops.Tensor:
    """As `alias_inplace_update`, with `v` added to the rows."""
    return _with_rows(gen_array_ops.inplace_add, x, i, v)


def alias_inplace_sub(x: TensorLike, i: TensorLike | None, v: TensorLike) -> ops.Tensor:
    """As `alias_inplace_update`, with `v` subtracted from the rows."""
    return _with_rows(gen_array_ops.inplace_sub, x, i, v)


def inplace_update(x: TensorLike, i: TensorLike | None, v: TensorLike) -> ops.Tensor:
    """As `alias_inplace_update`, of a copy of `x`."""
    return alias_inplace_update(gen_array_ops.deep_copy(x), i, v)


def inplace_add(x: TensorLike, i: TensorLike | None, v: TensorLike) -> ops.Tensor:
    """As `alias_inplace_add`, of a copy of `x`."""
    return alias_inplace_add(gen_array_ops.deep_copy(x), i, v)


def inplace_sub(x: TensorLike, i: TensorLike | None, v: TensorLike) -> ops.Tensor:
    """As `alias_inplace_sub`, of a copy of `x`."""
    return alias_inplace_sub(gen_array_ops.deep_copy(x), i, v)


empty = gen_array_ops.empty


def empty_like(x: TensorLike, init: bool | None = None) -> ops.Tensor:
    """A tensor of the shape and dtype of `x`; its elements count only with `init`: they are zeros then."""
    x = ops.convert_to_tensor(x)
    dtype: DTypeLike = x.dtype.base_dtype
    return gen_array_ops.empty(array_ops.shape(x), dtype, init=bool(init))
