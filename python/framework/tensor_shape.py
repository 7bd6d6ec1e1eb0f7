# SPDX-License-Identifier: Apache-2.0
"""Static shapes: `TensorShape`, and relations between shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.framework import trace_type
from tensorwright.python.framework.dimension import (  # noqa: F401
    Dimension,
    as_dimension as as_dimension,
)
from tensorwright.python.framework.type_aliases import ShapeLike, SizeLike
from tensorwright.python.util.lazy_protos import tensor_shape_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.framework.tensor_shape_pb2 import TensorShapeProto

# Whether shapes show and give their sizes as ints and None (`enable_v2_tensorshape`) or as Dimensions.
_v2_behavior = False


def enable_v2_tensorshape() -> None:
    """From now on `shape[i]` and iteration give an int or None, not a `Dimension`.

    `repr` and `str` follow.  `shape.dims` are `Dimension`s either way.
    """
    global _v2_behavior
    _v2_behavior = True


def disable_v2_tensorshape() -> None:
    """From now on `shape[i]` and iteration give `Dimension`s, as at first."""
    global _v2_behavior
    _v2_behavior = False


def dimension_value(dimension: SizeLike) -> int | None:
    """The int (or None) in a Dimension; anything else is returned as it is."""
    if isinstance(dimension, Dimension):
        return dimension.value
    return cast("int | None", dimension)


def dimension_at_index(shape: "TensorShape", index: int) -> Dimension:
    dims = shape.dims
    return Dimension(None) if dims is None else dims[index]


def _size(value: Any) -> int | None:
    if value is None or type(value) is int and value >= 0:
        return value
    return Dimension(value)._value


class TensorShape(trace_type.WithoutTensors):
    """A shape of known rank, fully or partly known sizes, or of unknown rank.

    `TensorShape(None)` knows nothing, `TensorShape([2, None])` knows the rank
    and one size.  Sizes are given as ints, None or `Dimension`s.
    """

    __slots__ = ("_dims", "__weakref__")

    _dims: tuple[int | None, ...] | None

    def __init__(self, dims: ShapeLike):
        given: Any = dims
        if dims is None:
            self._dims = None
        elif isinstance(dims, (tuple, list)):
            self._dims = tuple([_size(d) for d in dims])
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif hasattr(dims, "unknown_rank") and hasattr(dims, "dim"):
            self._dims = (
                None
                if given.unknown_rank
                else tuple(d.size if d.size != -1 else None for d in given.dim)
            )
        elif isinstance(dims, (str, bytes)):
            raise TypeError(f"A string has no shape: {dims!r}")
        else:
            try:
                items = iter(given)
            except TypeError:
                self._dims = (_size(dims),)
            else:
                self._dims = tuple([_size(d) for d in items])

    @classmethod
    def _from_tuple(cls, dims: tuple | None) -> "TensorShape":
        """Makes a shape from sizes that are known to be None or ints >= 0."""
        shape = cls.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def dims(self) -> list[Dimension] | None:
        """The `Dimension`s, None where the rank is unknown."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    @property
    def _v2_behavior(self) -> bool:
        return _v2_behavior

    @property
    def ndims(self) -> int | None:
        return None if self._dims is None else len(self._dims)

    @property
    def rank(self) -> int | None:
        return self.ndims

    def __repr__(self) -> str:
        if self._dims is None:
            return "TensorShape(None)"
        if _v2_behavior:
            return f"TensorShape({list(self._dims)})"
        return f"TensorShape([{', '.join(f'Dimension({d})' for d in self._dims)}])"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        unknown = "None" if _v2_behavior else "?"
        sizes = [unknown if d is None else str(d) for d in self._dims]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of a shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        """True where the rank is known (also for a scalar)."""
        return self._dims is not None

    def __iter__(self) -> Iterator[Dimension] | Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        if _v2_behavior:
            return iter(self._dims)
        return iter([Dimension(d) for d in self._dims])

    def __getitem__(self, key: int | slice) -> Any:
        """A `Dimension` for an index, a `TensorShape` for a slice.

        With `enable_v2_tensorshape` an int or None for an index.
        """
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape._from_tuple(self._dims[key])
            return self._dims[key] if _v2_behavior else Dimension(self._dims[key])
        if not isinstance(key, slice):
            return None if _v2_behavior else Dimension(None)
        start = 0 if key.start is None else key.start
        stop = key.stop
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        if stop is None or start < 0 > stop or (start < 0) != (stop < 0):
            return unknown_shape()
        return unknown_shape(ndims=max(stop - start, 0))

    def num_elements(self) -> int | None:
        """The number of elements, None where it is not known."""
        count = 1
        for d in (None,) if self._dims is None else self._dims:
            if d is None:
                return None
            count *= d
        return count

    def merge_with(self, other: ShapeLike) -> "TensorShape":
        """Returns a shape with every size that either shape knows.  ValueError if they cannot be equal."""
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape._from_tuple(
            tuple(b if a is None else a for a, b in zip(self._dims, other._dims))
        )

    def concatenate(self, other: ShapeLike) -> "TensorShape":
        """The sizes of both shapes in a row."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return TensorShape._from_tuple(self._dims + other._dims)

    def __add__(self, other: ShapeLike) -> "TensorShape":
        return self.concatenate(as_shape(other))

    def __radd__(self, other: ShapeLike) -> "TensorShape":
        return as_shape(other).concatenate(self)

    def assert_same_rank(self, other: ShapeLike) -> None:
        other = as_shape(other)
        if None not in (self.ndims, other.ndims) and self.ndims != other.ndims:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_has_rank(self, rank: int) -> None:
        if self.ndims not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank: int) -> "TensorShape":
        """This shape, known to have `rank`.  ValueError if it has another."""
        if self.ndims not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")
        return unknown_shape(ndims=rank) if self._dims is None else self

    def with_rank_at_least(self, rank: int) -> "TensorShape":
        if self.ndims is not None and self.ndims < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> "TensorShape":
        if self.ndims is not None and self.ndims > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """True where both can be the same shape."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims)
        )

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def is_subtype_of(self, other: object) -> bool:
        """True where every shape this one allows is allowed by the TensorShape `other`."""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(b is None or a == b for a, b in zip(self._dims, other._dims))

    def most_specific_compatible_shape(self, other: ShapeLike) -> "TensorShape":
        """Returns the most specific shape that both fit."""
        mine, theirs = self._dims, as_shape(other)._dims
        if mine is None or theirs is None or len(mine) != len(theirs):
            return unknown_shape()
        return TensorShape._from_tuple(
            tuple(a if a == b else None for a, b in zip(mine, theirs))
        )

    def most_specific_common_supertype(self, others: Sequence) -> "TensorShape | None":
        """Returns the most specific shape that all fit; None if one of `others` is no TensorShape."""
        if not all(isinstance(other, TensorShape) for other in others):
            return None
        shape = self
        for other in others:
            shape = shape.most_specific_compatible_shape(other)
        return shape

    def is_fully_defined(self) -> bool:
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def as_list(self) -> list[int | Any]:
        """The sizes, None for those not known.  ValueError where the rank is unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> TensorShapeProto:
        """A `TensorShapeProto`."""
        if self._dims is None:
            return tensor_shape_pb2.TensorShapeProto(unknown_rank=True)
        proto = tensor_shape_pb2.TensorShapeProto()
        for d in self._dims:
            proto.dim.add(size=-1 if d is None else d)
        return proto

    @classmethod
    def experimental_type_proto(cls) -> type:
        """Returns the class of the protos that `experimental_as_proto` returns."""
        return tensor_shape_pb2.TensorShapeProto

    def experimental_as_proto(self) -> TensorShapeProto:
        """A `TensorShapeProto`."""
        return self.as_proto()

    @classmethod
    def experimental_from_proto(cls, proto: Message) -> "TensorShape":
        """The shape in a `TensorShapeProto`."""
        return cls(proto)

    def __eq__(self, other: object) -> bool:
        try:
            other = as_shape(cast(Any, other))
        except (TypeError, ValueError):
            return NotImplemented
        return self._dims == other._dims

    def __ne__(self, other: object) -> bool:
        """ValueError if the rank of one is not known, as in TensorFlow 1.x (not with `enable_v2_tensorshape`)."""
        try:
            other = as_shape(cast(Any, other))
        except (TypeError, ValueError):
            return NotImplemented
        if _v2_behavior:
            return self._dims != other._dims
        if self._dims is None or other._dims is None:
            raise ValueError("The inequality of unknown TensorShapes is undefined.")
        return self._dims != other._dims

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self):
        return TensorShape, (None if self._dims is None else list(self._dims),)


def as_shape(shape: ShapeLike) -> TensorShape:
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(ndims: int | None = None, rank: int | None = None) -> TensorShape:
    """A shape of unknown sizes and, without `ndims`, of unknown rank."""
    ndims = rank if ndims is None else ndims
    return TensorShape._from_tuple(None if ndims is None else (None,) * ndims)


_SCALAR_SHAPE = TensorShape([])


def scalar() -> TensorShape:
    return _SCALAR_SHAPE


def vector(length: SizeLike) -> TensorShape:
    return TensorShape([length])


def matrix(rows: SizeLike, cols: SizeLike) -> TensorShape:
    return TensorShape([rows, cols])
