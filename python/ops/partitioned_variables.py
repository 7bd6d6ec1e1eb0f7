# SPDX-License-Identifier: Apache-2.0
"""Partitioners: functions (shape, dtype) -> number of parts of each dimension."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, tensor_shape
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    InitializerLike,
    ReuseLike,
    ShapeLike,
)
from tensorwright.python.ops import variable_scope

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


def _element_size(dtype: Any, bytes_per_string: int) -> int:
    dtype = dtypes.as_dtype(dtype)
    return bytes_per_string if dtype == dtypes.string else dtype.size


def _sizes(shape: Any) -> list[int]:
    shape = tensor_shape.as_shape(shape)
    if not shape.is_fully_defined():
        raise ValueError(f"shape must be fully defined, got {shape}")
    return shape.as_list()


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """Cuts `axis` into at most `num_shards` parts."""

    def partitioner(shape: Any, **unused: Any) -> list[int]:
        sizes = _sizes(shape)
        parts = [1] * len(sizes)
        parts[axis] = min(num_shards, sizes[axis])
        return parts

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Callable[..., list[int]]:
    """Cuts `axis` so that no part has more than `max_shard_bytes`."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "max_shard_bytes and bytes_per_string_element must be positive"
        )
    if max_shards is not None and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape)
        parts = [1] * len(sizes)
        if axis >= len(sizes):
            raise ValueError(f"Cannot partition axis {axis} of shape {shape}")
        size = _element_size(dtype, bytes_per_string_element)
        slice_bytes = math.prod(sizes) // sizes[axis] * size
        rows = max(1, max_shard_bytes // slice_bytes)
        count = math.ceil(sizes[axis] / rows)
        if max_shards is not None:
            count = min(max_shards, count)
        parts[axis] = count
        return parts

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Callable[..., list[int]]:
    """Cuts `axis` into up to `max_partitions` parts of at least `min_slice_size`."""

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape)
        parts = [1] * len(sizes)
        if axis >= len(sizes):
            raise ValueError(f"Cannot partition axis {axis} of shape {shape}")
        total = math.prod(sizes) * _element_size(dtype, bytes_per_string_element)
        count = min(sizes[axis], max_partitions, max(1, total // min_slice_size))
        parts[axis] = max(1, count)
        return parts

    return partitioner


def create_partitioned_variables(
    shape: ShapeLike,
    slicing: Sequence[int],
    initializer: InitializerLike,
    dtype: DTypeLike = dtypes.float32,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    name: str | None = None,
    reuse: ReuseLike = None,
) -> list[Variable]:
    """The parts of a variable cut into `slicing[i]` parts along dimension i.

    Raises ValueError if more than one dimension is cut, or lengths do not fit.
    """
    sizes = _sizes(shape)
    if len(slicing) != len(sizes):
        raise ValueError(f"slicing {slicing} does not fit shape {shape}")
    if any(n < 1 or n > s for n, s in zip(slicing, sizes, strict=True)):
        raise ValueError(f"slicing {slicing} does not fit shape {shape}")
    if sum(n > 1 for n in slicing) > 1:
        raise ValueError(f"slicing {slicing} cuts more than one dimension")

    def partitioner(**unused: Any) -> list[int]:
        return list(slicing)

    with variable_scope.variable_scope(name, "PartitionedVariable", reuse=reuse):
        whole = variable_scope._get_partitioned_variable(
            name="part",
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=trainable,
            partitioner=partitioner,
            collections=collections,
        )
        return list(whole)
