# SPDX-License-Identifier: Apache-2.0
"""InputSpec: describes the inputs that a layer accepts."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike


class InputSpec:
    """Rank, dtype and sizes of an input, as far as a layer cares.

    Args:
        dtype: the dtype of the elements.
        shape: the whole shape, None for sizes that do not matter.
        ndim, max_ndim, min_ndim: the rank, or its bounds.
        axes: axis -> its size.
    """

    def __init__(
        self,
        dtype: DTypeLike | None = None,
        shape: ShapeLike = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
    ):
        self.dtype = dtype
        self.shape = shape
        given: Any = shape
        self.ndim = len(given) if shape is not None else ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = axes or {}

    def __repr__(self) -> str:
        fields = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        told = (f"{f}={getattr(self, f)}" for f in fields if getattr(self, f))
        return f"InputSpec({', '.join(told)})"

    def check(self, value: TensorLike, who: str) -> None:
        """Raises ValueError, with a message that begins with `who`, if `value` does not fit.

        Properties that are not known statically are not checked.
        """
        value = ops.convert_to_tensor(value)
        shape = value.get_shape()
        told = f"{who} is incompatible with the layer: expected"
        if self.dtype is not None:
            wanted = dtypes.as_dtype(self.dtype)
            if value.dtype.base_dtype != wanted.base_dtype:
                raise ValueError(
                    f"{told} dtype={wanted.name}, found dtype={value.dtype.name}"
                )
        bounded = (self.ndim, self.max_ndim, self.min_ndim) != (None, None, None)
        if shape.ndims is None:
            if bounded:
                raise ValueError(f"{told} a known rank, but its rank is undefined")
            return
        found = f"found ndim={shape.ndims}. Full shape received: {shape}"
        if self.ndim is not None and shape.ndims != self.ndim:
            raise ValueError(f"{told} ndim={self.ndim}, {found}")
        if self.max_ndim is not None and shape.ndims > self.max_ndim:
            raise ValueError(f"{told} max_ndim={self.max_ndim}, {found}")
        if self.min_ndim is not None and shape.ndims < self.min_ndim:
            raise ValueError(f"{told} min_ndim={self.min_ndim}, {found}")
        sizes = shape.as_list()
        for axis, size in self.axes.items():
            if size is not None and sizes[axis] not in (size, None):
                raise ValueError(
                    f"{told} axis {axis} of the shape to have size {size}, found "
                    f"shape {shape}"
                )
        wanted: Any = self.shape or []
        for wanted_size, size in zip(wanted, sizes, strict=False):
            if wanted_size is not None and size is not None and wanted_size != size:
                raise ValueError(f"{told} shape={self.shape}, found shape={shape}")
