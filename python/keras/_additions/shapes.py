# SPDX-License-Identifier: Apache-2.0
"""Keras's shapes, tuples of sizes, with the methods of a TensorShape that programs call.

Layers written for TensorFlow say `input_shape[-1].value` and `input_shape.as_list()`, others `input_shape[-1] * 2`.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import tensor_shape
from tensorwright.python.framework.type_aliases import ShapeLike


class Size(int):
    """A size that has a `value`, as a Dimension has."""

    @property
    def value(self) -> int:
        return int(self)


class Shape(tuple):
    """A tuple of sizes with methods of a TensorShape."""

    def __new__(cls, sizes: Any) -> Shape:
        known = (None if s is None else Size(s) for s in sizes)
        return super().__new__(cls, known)

    @property
    def ndims(self) -> int:
        return len(self)

    @property
    def rank(self) -> int:
        return len(self)

    def as_list(self) -> list[int | None]:
        """The sizes as plain numbers."""
        return [None if s is None else int(s) for s in self]

    def is_fully_defined(self) -> bool:
        """Is every size known?"""
        return None not in self

    def num_elements(self) -> int | None:
        """The product of the sizes, None if one is not known."""
        product = 1
        for size in self:
            if size is None:
                return None
            product *= int(size)
        return product


def with_methods(shape: ShapeLike) -> Any:
    """A shape, or a list of shapes, as Shape."""
    if isinstance(shape, list) and all(isinstance(s, (tuple, list)) for s in shape):
        return [with_methods(s) for s in shape]
    if isinstance(shape, (tuple, list)):
        return Shape(shape)
    return shape


def without_methods(shape: ShapeLike) -> Any:
    """A shape, or a list of shapes, as Keras takes it: a tuple of numbers; anything else stays."""
    if isinstance(shape, list) and all(
        isinstance(s, (tuple, list, tensor_shape.TensorShape)) for s in shape
    ):
        return [without_methods(s) for s in shape]
    if isinstance(shape, tensor_shape.TensorShape):
        return tuple(shape.as_list())
    if isinstance(shape, (tuple, list)):
        sizes = (getattr(s, "value", s) for s in shape)
        return tuple(int(s) if isinstance(s, int) else s for s in sizes)
    return shape
