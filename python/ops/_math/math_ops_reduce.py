# SPDX-License-Identifier: Apache-2.0
"""Reductions over dimensions, arg-max, cumulative sums, segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    gen_array_ops,
    gen_data_flow_ops,
    gen_math_ops,
)
from tensorwright.python.ops._math.math_ops_unary import cast
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor


def _all_axes(x: ops.Tensor, axis: Any) -> Any:
    """`axis`, or every axis of `x` if it is None."""
    if axis is not None:
        return axis
    rank = x.get_shape().ndims
    if rank is not None:
        return constant_op.constant(np.arange(rank), dtype=dtypes.int32)
    return gen_math_ops.range(0, gen_array_ops.rank(x), 1)


def reduction_arguments(
    axis: Any, keepdims: Any, reduction_indices: Any, keep_dims: Any
) -> tuple[Any, bool]:
    """(axis, keepdims) from arguments and their older names."""
    axis = deprecated_argument_lookup(
        "axis", axis, "reduction_indices", reduction_indices
    )
    keepdims = deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    return axis, bool(keepdims)


def _reduce(
    op: Callable[..., ops.Tensor],
    input_tensor: Any,
    arguments: tuple[Any, bool],
    name: str | None,
) -> ops.Tensor:
    axis, keepdims = arguments
    if axis is None:
        input_tensor = ops.convert_to_tensor(input_tensor)
        result = op(
            input_tensor, _all_axes(input_tensor, axis), keep_dims=keepdims, name=name
        )
        if not keepdims:
            # Known of a tensor of unknown rank too.
            result.set_shape([])
        return result
    return op(input_tensor, axis, keep_dims=keepdims, name=name)


def reduce_sum(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """The sum over `axis` (an int, a list, None: everything).

    With `keepdims` the reduced dimensions stay, with size 1.
    """
    args = reduction_arguments(axis, keepdims, reduction_indices, keep_dims)
    return _reduce(gen_math_ops.sum, input_tensor, args, name)


def reduce_mean(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """The mean over `axis`; see `reduce_sum`."""
    args = reduction_arguments(axis, keepdims, reduction_indices, keep_dims)
    return _reduce(gen_math_ops.mean, input_tensor, args, name)


def reduce_prod(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """The product over `axis`; see `reduce_sum`."""
    args = reduction_arguments(axis, keepdims, reduction_indices, keep_dims)
    return _reduce(gen_math_ops.prod, input_tensor, args, name)


def reduce_max(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """The largest element over `axis`; see `reduce_sum`."""
    args = reduction_arguments(axis, keepdims, reduction_indices, keep_dims)
    return _reduce(gen_math_ops.max, input_tensor, args, name)


def reduce_min(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """The smallest element over `axis`; see `reduce_sum`."""
    args = reduction_arguments(axis, keepdims, reduction_indices, keep_dims)
    return _reduce(gen_math_ops.min, input_tensor, args, name)


def reduce_all(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """Whether all bools over `axis` hold; see `reduce_sum`."""
    args = reduction_arguments(axis, keepdims, reduction_indices, keep_dims)
    return _reduce(gen_math_ops.all, input_tensor, args, name)


def reduce_any(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """Whether any bool over `axis` holds; see `reduce_sum`."""
    args = reduction_arguments(axis, keepdims, reduction_indices, keep_dims)
    return _reduce(gen_math_ops.any, input_tensor, args, name)


def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
) -> ops.Tensor:
    """log(sum(exp(x))) over `axis`, shifted by the maximum so that it stays finite."""
    axis, keepdims = reduction_arguments(axis, keepdims, reduction_indices, keep_dims)
    with ops.name_scope(name, "ReduceLogSumExp", [input_tensor]):
        x = ops.convert_to_tensor(input_tensor)
        peak = reduce_max(x, axis, keepdims=True)
        zero = gen_array_ops.zeros_like(peak)
        peak = gen_array_ops.stop_gradient(
            gen_math_ops.select(gen_math_ops.is_finite(peak), peak, zero)
        )
        total = reduce_sum(
            gen_math_ops.exp(gen_math_ops.sub(x, peak)), axis, keepdims=keepdims
        )
        result = gen_math_ops.log(total)
        if not keepdims:
            peak = gen_array_ops.reshape(peak, gen_array_ops.shape(result))
        return gen_math_ops.add(result, peak)


def count_nonzero(
    input_tensor: TensorLike | SparseTensor | None = None,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keep_dims: bool | None = None,
    input: TensorLike | SparseTensor | None = None,
) -> ops.Tensor:
    """Counts the elements over `axis` that are not zero; the result is of type `dtype`."""
    input_tensor = deprecated_argument_lookup(
        "input", input, "input_tensor", input_tensor
    )
    axis, keepdims = reduction_arguments(axis, keepdims, reduction_indices, keep_dims)
    with ops.name_scope(name, "count_nonzero", [input_tensor]):
        given: Any = input_tensor
        x = ops.convert_to_tensor(given, name="input")
        zero = array_ops.zeros([], dtype=x.dtype.base_dtype)
        nonzero = cast(gen_math_ops.not_equal(x, zero), dtypes.int64)
        return cast(reduce_sum(nonzero, axis, keepdims=keepdims), dtype)


def reduced_shape(input_shape: TensorLike, axes: TensorLike) -> ops.Tensor:
    """Returns `input_shape` with 1 in the places of `axes`: the shape of a result with keepdims."""
    input_shape = cast(input_shape, dtypes.int32)
    axes = cast(axes, dtypes.int32)
    rank = array_ops.size(input_shape)
    axes = gen_math_ops.floor_mod(gen_math_ops.add(axes, rank), rank)
    return gen_data_flow_ops.dynamic_stitch(
        [gen_math_ops.range(0, rank, 1), axes],
        [input_shape, array_ops.ones(array_ops.shape(axes), dtypes.int32)],
    )


def reduce_variance(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The mean over `axis` of the squared distance from the mean; floats only."""
    with ops.name_scope(name or "reduce_variance"):
        x = ops.convert_to_tensor(input_tensor)
        mean = reduce_mean(x, axis, keepdims=True)
        if x.dtype.is_integer:
            raise TypeError(f"Input must be float, got {x.dtype.name}")
        return reduce_mean(
            gen_math_ops.squared_difference(x, mean), axis, keepdims=keepdims
        )


def reduce_std(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The square root of `reduce_variance`."""
    with ops.name_scope(name or "reduce_std"):
        return gen_math_ops.sqrt(reduce_variance(input_tensor, axis, keepdims))


def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The square root of the sum over `axis` of squared absolute values."""
    args = axis, bool(keepdims)
    return _reduce(gen_math_ops.euclidean_norm, input_tensor, args, name)


def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
) -> ops.Tensor:
    """Counts how often 0, 1, ... occur in the int32 tensor `arr`, or sums their `weights`.

    The result is as long as the largest number needs, but at least `minlength` and at most
    `maxlength`; larger numbers are not counted.  It has the type `dtype`, or that of `weights`.
    """
    with ops.name_scope(None, "bincount"):
        arr = cast(ops.convert_to_tensor(arr, name="arr"), dtypes.int32)
        zero, one = (constant_op.constant(i, dtype=dtypes.int32) for i in (0, 1))
        nonempty = cast(gen_math_ops.greater(array_ops.size(arr), zero), dtypes.int32)
        size = nonempty * (reduce_max(arr) + one)
        for limit, bound in (
            (minlength, gen_math_ops.maximum),
            (maxlength, gen_math_ops.minimum),
        ):
            if limit is not None:
                limit = cast(ops.convert_to_tensor(limit), dtypes.int32)
                size = bound(size, gen_math_ops.maximum(limit, zero))
        if weights is None:
            weights = constant_op.constant([], dtype=dtype)
        return gen_math_ops.bincount(arr, size, ops.convert_to_tensor(weights))


def trace(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """The sum of the main diagonal of each matrix: [..., m, n] -> [...]."""
    with ops.name_scope(name, "Trace", [x]) as scope:
        diagonals = array_ops.matrix_diag_part(ops.convert_to_tensor(x, name="x"))
        return reduce_sum(diagonals, axis=[-1], name=scope)
