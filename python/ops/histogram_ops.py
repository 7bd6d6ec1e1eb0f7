# SPDX-License-Identifier: Apache-2.0
"""Counting values in bins of equal width, and integers."""

from __future__ import annotations

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, gen_math_ops, math_ops

# The dtypes that HistogramFixedWidth has kernels for.
_COUNTED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> ops.Tensor:
    """Returns the number of the bin of each value, in the shape of `values`.

    `nbins` bins of equal width share `value_range`, [low, high]; values outside count to the
    first or the last.  The run fails unless nbins > 0 and low < high.
    """
    with ops.name_scope(
        name, "histogram_fixed_width_bins", [values, value_range, nbins]
    ) as scope:
        values = ops.convert_to_tensor(values, name="values")
        dtype = values.dtype.base_dtype
        value_range = ops.convert_to_tensor(
            value_range, dtype=dtype, name="value_range"
        )
        nbins = ops.convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
        low, high = array_ops.unstack(value_range, num=2)
        checks = [
            control_flow_ops.Assert(
                nbins > 0, ["histogram: nbins must be > 0, got ", nbins]
            ),
            control_flow_ops.Assert(
                low < high,
                ["histogram: value_range must be [low, high], got ", value_range],
            ),
        ]
        with ops.control_dependencies(checks):
            share = math_ops.truediv(values - low, high - low)
        bins = math_ops.cast(nbins, share.dtype)
        at = math_ops.floor(share * bins)
        # The clipping is in floats: a value far outside would not fit into an integer.
        one = constant_op.constant(1, dtype=share.dtype)
        at = gen_math_ops.minimum(gen_math_ops.maximum(at, one - one), bins - one)
        return gen_math_ops.cast(at, DstT=dtypes.int32, name=scope)


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> ops.Tensor:
    """Counts the values in each bin: [nbins] of `dtype`; see the function above."""
    with ops.name_scope(
        name, "histogram_fixed_width", [values, value_range, nbins]
    ) as scope:
        values = ops.convert_to_tensor(values, name="values")
        if values.dtype.base_dtype not in _COUNTED:
            values = math_ops.cast(values, dtypes.float32)
        value_range = math_ops.cast(value_range, values.dtype.base_dtype)
        counts = gen_math_ops.histogram_fixed_width(values, value_range, nbins)
        return math_ops.cast(counts, dtype, name=scope)
