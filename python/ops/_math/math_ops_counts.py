# SPDX-License-Identifier: Apache-2.0
"""Positions of extrema, running sums, sums of many tensors."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import (
    gen_array_ops,
    gen_math_ops,
)
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup


def argmax(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    dimension: TensorLike | None = None,
    output_type: DTypeLike = dtypes.int64,
) -> ops.Tensor:
    """The index of the largest element along `axis` (0), the first of several."""
    axis = deprecated_argument_lookup("axis", axis, "dimension", dimension)
    return gen_math_ops.arg_max(
        input, 0 if axis is None else axis, output_type=output_type, name=name
    )


def argmin(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    dimension: TensorLike | None = None,
    output_type: DTypeLike = dtypes.int64,
) -> ops.Tensor:
    """The index of the smallest element along `axis` (0), the first of several."""
    axis = deprecated_argument_lookup("axis", axis, "dimension", dimension)
    return gen_math_ops.arg_min(
        input, 0 if axis is None else axis, output_type=output_type, name=name
    )


def arg_max(
    input: TensorLike,
    dimension: TensorLike,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> ops.Tensor:
    """`argmax` under its older name."""
    return gen_math_ops.arg_max(input, dimension, output_type=output_type, name=name)


def arg_min(
    input: TensorLike,
    dimension: TensorLike,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> ops.Tensor:
    """`argmin` under its older name."""
    return gen_math_ops.arg_min(input, dimension, output_type=output_type, name=name)


def cumsum(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Running sums along `axis`.

    `exclusive` leaves the element itself out; `reverse` runs from the end.
    """
    return gen_math_ops.cumsum(x, axis, exclusive=exclusive, reverse=reverse, name=name)


def cumprod(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Running products along `axis`; see `cumsum`."""
    return gen_math_ops.cumprod(
        x, axis, exclusive=exclusive, reverse=reverse, name=name
    )


def add_n(inputs: Sequence[TensorLike], name: str | None = None) -> ops.Tensor:
    """The sum of tensors of one shape and dtype (IndexedSlices are made dense).

    Raises ValueError for an empty list or anything but a list.
    """
    message = (
        "add_n: inputs must be one or more Tensors or IndexedSlices, all of one shape "
        f"and dtype, got {inputs!r}"
    )
    try:
        inputs = list(inputs)
        if not inputs or isinstance(inputs, str):
            raise ValueError(message)
        inputs = ops.convert_n_to_tensor_or_indexed_slices(inputs)
    except (TypeError, RuntimeError) as error:
        raise ValueError(message) from error
    if builtins.any(not isinstance(x, (ops.Tensor, ops.IndexedSlices)) for x in inputs):
        raise ValueError(message)
    if len(inputs) == 1:
        values = ops.convert_to_tensor(inputs[0])
        return gen_array_ops.identity(values, name=name) if name else values
    return gen_math_ops.add_n(inputs, name=name)


def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: ShapeLike = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Returns the sum of tensors of one shape and dtype; `shape` adds to the static shape.

    Raises TypeError if `tensor_dtype` is not theirs, ValueError as `add_n`.
    """
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else []
    if not inputs:
        raise ValueError(
            "accumulate_n: inputs must be a list of one or more Tensors of one shape and "
            "dtype"
        )
    tensors = ops.convert_n_to_tensor_or_indexed_slices(inputs)
    if not builtins.all(isinstance(x, ops.Tensor) for x in tensors):
        raise ValueError("inputs must be a list of tensors")
    dtype = tensors[0].dtype.base_dtype
    if builtins.any(x.dtype.base_dtype != dtype for x in tensors):
        raise ValueError(f"inputs must all have dtype {dtype.name}")
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) != dtype:
        raise TypeError(
            f"tensor_dtype is {tensor_dtype}, but input is of type {dtype.name}"
        )
    result = add_n(tensors, name=name or "AccumulateN")
    if shape is not None:
        result.set_shape(shape)
    return result
