# SPDX-License-Identifier: Apache-2.0
"""Dilated windows by moving space into the batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import ops, tensor_util
from tensorwright.python.framework.type_aliases import Ints, ShapeLike, TensorLike
from tensorwright.python.ops import array_ops


def _base_paddings(padding: str, window: Any, rate: np.ndarray) -> np.ndarray:
    """Returns [n, 2]: the rows that windows reach beyond the input."""
    if padding == "VALID":
        return np.zeros([len(rate), 2], np.int32)
    if padding != "SAME":
        raise ValueError(f"Invalid padding method {padding!r}")
    if window is None:
        raise ValueError("filter_shape must be specified for SAME padding")
    sizes = tensor_util.constant_value(ops.convert_to_tensor(window))
    if sizes is None:
        raise ValueError("filter_shape must be constant")
    reach = (np.asarray(sizes)[: len(rate)] - 1) * rate
    return np.stack([reach // 2, reach - reach // 2], 1).astype(np.int32)


def _spread(values: Any, fill: Any, dims: Sequence[int]) -> list:
    """`values` at the positions `dims`, counted from 1; `fill` at those between."""
    spread = [fill] * max(dims)
    for dim, value in zip(dims, values, strict=True):
        spread[dim - 1] = value
    return spread


def _pairs(edges: ops.Tensor) -> Any:
    """The rows of paddings: NumPy's where they are known, from which the shape of the result follows."""
    known = tensor_util.constant_value(edges)
    return array_ops.unstack(edges) if known is None else known


def _stacked(pairs: list) -> Any:
    """Rows, of which all or none are tensors beside those of zeros."""
    if any(isinstance(pair, ops.Tensor) for pair in pairs):
        return array_ops.stack(pairs)
    return np.stack(pairs)


def with_space_to_batch(
    input: TensorLike,
    dilation_rate: Ints,
    padding: str,
    op: Callable[[ops.Tensor, int, str], ops.Tensor],
    filter_shape: ShapeLike | None = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> ops.Tensor:
    """Runs an op of sliding windows so that their elements lie `dilation_rate` apart.

    Every dilation_rate-th row and column becomes an image of its own, on which `op` runs
    undilated; the results are interleaved again.

    Args:
      input: [batch, spatial..., channels], or with channels second.
      dilation_rate: [n] constant ints.
      padding: "SAME" (with zeros) or "VALID".
      op: called as op(input, n, padding).
      filter_shape: the windows' sizes come first; needed for "SAME".
      spatial_dims: the n dimensions of `input` that windows slide along, increasing; the first
        ones by default.
      data_format: the format of `input`; it says where the first spatial dimension is.

    Returns:
      The result of `op`, which has the rank of the undilated op's.
    """
    input = ops.convert_to_tensor(input, name="input")
    rate = tensor_util.constant_value(ops.convert_to_tensor(dilation_rate))
    if rate is None or rate.ndim != 1:
        raise ValueError(
            f"dilation_rate must be a constant vector, got {dilation_rate!r}"
        )
    count = len(rate)
    if (rate < 1).any():
        raise ValueError(f"dilation_rate must be positive, got {dilation_rate!r}")
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    dims = list(spatial_dims) if spatial_dims else list(range(first, first + count))
    if len(dims) != count or dims != sorted(set(dims)) or dims[0] < 1:
        raise ValueError(
            f"spatial_dims must be {count} increasing positive ints, got {spatial_dims!r}"
        )
    if (rate == 1).all():
        return op(input, count, padding)
    base = _base_paddings(padding, filter_shape, rate)
    static = input.get_shape().with_rank_at_least(dims[-1] + 1)
    sizes = [static.as_list()[d] for d in dims] if static.ndims else [None]
    space = array_ops.gather(array_ops.shape(input), dims) if None in sizes else sizes
    paddings, crops = array_ops.required_space_to_batch_paddings(space, rate, base)
    block = _spread(rate, 1, dims)
    zeros = [0, 0]
    if len(block) > count:  # dimensions between take part with blocks of 1
        paddings = _stacked(_spread(_pairs(paddings), zeros, dims))
        crops = _stacked(_spread(_pairs(crops), zeros, dims))
    moved = array_ops.space_to_batch_nd(input, block, paddings)
    result = array_ops.batch_to_space_nd(op(moved, count, "VALID"), block, crops)
    shape = result.get_shape()
    if shape.ndims is not None and static.ndims is not None:
        result.set_shape([static[0], *shape.as_list()[1:]])
    return result
