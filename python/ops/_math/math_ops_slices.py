# SPDX-License-Identifier: Apache-2.0
"""Tensors as IndexedSlices of all their rows."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import gen_array_ops, gen_math_ops
from tensorwright.python.ops._array import array_ops_shape


def as_indexed_slices(
    x: ops.Tensor | ops.IndexedSlices, optimize: bool = True
) -> ops.IndexedSlices:
    """IndexedSlices of all rows of a Tensor; IndexedSlices themselves.

    Args:
        x: a tensor of rank 1 or more, of any dtype.
        optimize: whether a shape that is fully known becomes a constant.

    Raises:
        TypeError: `x` is neither.
    """
    if isinstance(x, ops.IndexedSlices):
        return x
    if not isinstance(x, ops.Tensor):
        raise TypeError(f"x must be a Tensor or IndexedSlices, got {x!r}")
    shape = array_ops_shape.shape_internal(x, optimize=optimize)
    ones = gen_array_ops.ones_like(ops.convert_to_tensor([0]))
    rows = gen_array_ops.strided_slice(
        shape, [0], [1], ones, shrink_axis_mask=1, name="strided_slice"
    )
    return ops.IndexedSlices(x, gen_math_ops.range(0, rows, 1), shape)


def as_indexed_slices_list(
    inputs: Sequence[ops.Tensor | ops.IndexedSlices], optimize: bool = True
) -> list[ops.IndexedSlices]:
    """`as_indexed_slices` of each of a list, with indices of one dtype: int64 where some are int64.

    Raises:
        TypeError: `inputs` is no list or tuple, or has an element of another class.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list or tuple, got {inputs!r}")
    slices = [as_indexed_slices(x, optimize) for x in inputs]
    indices = alike([s.indices for s in slices])
    return [
        s if i is s.indices else ops.IndexedSlices(s.values, i, s.dense_shape)
        for s, i in zip(slices, indices, strict=True)
    ]


def alike(integers: list) -> list:
    """int32 and int64 tensors in one dtype, int64 if they differ."""
    if len({i.dtype for i in integers}) <= 1:
        return integers
    return [
        i if i.dtype == dtypes.int64 else gen_math_ops.cast(i, dtypes.int64)
        for i in integers
    ]
