# SPDX-License-Identifier: Apache-2.0
"""TensorSpec: the shape, dtype and name of a tensor that does not exist yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import (
    conversion,
    dtypes,
    ops,
    tensor_shape,
    tensor_util,
    trace_type,
    type_spec,
)
from tensorwright.python.framework.op_def_library import apply_op
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.util.lazy_protos import struct_pb2

if TYPE_CHECKING:
    import numpy.typing as npt

    from tensorwright.core.protobuf.struct_pb2 import TensorSpecProto


class TensorSpec(type_spec.TypeSpec):
    """Describes a tensor before it exists.

    Args:
        shape: anything `TensorShape` takes.
        dtype: the dtype of the elements.
        name: the tensor's name, or None.
    """

    __slots__ = ("_shape", "_dtype", "_name")

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ):
        self._shape = tensor_shape.TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> "TensorSpec":
        """A TensorSpec with the shape and dtype of `spec`, and its name unless one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: TensorLike, name: str | None = None) -> "TensorSpec":
        """Returns the spec of a Tensor; its name is that of the tensor's operation unless `name` is given."""
        if not isinstance(tensor, ops.Tensor):
            raise ValueError(f"`tensor` must be a Tensor, got {type(tensor)}")
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @property
    def shape(self) -> tensor_shape.TensorShape:
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def name(self) -> str | None:
        return self._name

    @property
    def value_type(self) -> type:
        return ops.Tensor

    def is_compatible_with(self, spec_or_tensor: object) -> bool:
        """True for a Tensor or TensorSpec of this dtype whose shape can be this one; names do not count."""
        other: Any = spec_or_tensor
        if not isinstance(other, TensorSpec) and not ops.is_dense_tensor_like(other):
            return False
        return self._dtype.is_compatible_with(
            other.dtype
        ) and self._shape.is_compatible_with(other.shape)

    def is_subtype_of(self, other: object) -> bool:
        """True for the same dtype and a shape that `other` allows; a name must be the other's."""
        return (
            isinstance(other, TensorSpec)
            and (not self._name or self._name == other._name)
            and self._dtype == other._dtype
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_common_supertype(self, others: Sequence) -> "TensorSpec | None":
        """Returns the most specific spec that all are subtypes of; None if dtypes or names differ."""
        if any(
            not isinstance(other, TensorSpec)
            or (self._dtype, self._name) != (other._dtype, other._name)
            for other in others
        ):
            return None
        shape = self._shape.most_specific_common_supertype([o.shape for o in others])
        return TensorSpec(shape, self._dtype, self._name)

    def placeholder_value(self, placeholder_context: object) -> ops.Tensor:
        """A placeholder of this shape, dtype and name."""
        graph = getattr(placeholder_context, "context_graph", None)
        with (graph or ops.get_default_graph()).as_default():
            return apply_op(
                "Placeholder",
                self._name,
                (),
                {"dtype": self._dtype, "shape": self._shape},
            ).outputs[0]

    def flatten(self) -> list:
        return [self]

    def to_tensors(self, value: TensorLike) -> list:
        """`value` as a tensor of this spec."""
        return [self.cast(value, trace_type.CastContext())]

    def from_tensors(self, tensors: Iterator[ops.Tensor]) -> ops.Tensor:
        """The next tensor."""
        return next(tensors)

    def cast(
        self, value: TensorLike, casting_context: object
    ) -> ops.Tensor | TensorSpec:
        """Returns `value` as a tensor of this spec, and with its shape.  TypeError if that is impossible."""
        if trace_type.allows_specs(casting_context) and isinstance(value, TensorSpec):
            if not value.is_subtype_of(self):
                raise TypeError(f"Can not cast {value} to {self}")
            return self
        if not isinstance(value, ops.Tensor):
            value = conversion.convert_to_tensor(value, self._dtype)
        spec = TensorSpec(value.shape, value.dtype, self._name)
        if not spec.is_subtype_of(self):
            if not self.is_compatible_with(spec):
                raise TypeError(f"Can not cast {spec} to {self}")
            value.set_shape(self._shape)
        return value

    @classmethod
    def experimental_type_proto(cls) -> type:
        return struct_pb2.TensorSpecProto

    def experimental_as_proto(self) -> TensorSpecProto:
        """A `TensorSpecProto`."""
        return self.experimental_type_proto()(
            shape=self._shape.as_proto(),
            dtype=self._dtype.as_datatype_enum,
            name=self._name,
        )

    @classmethod
    def experimental_from_proto(cls, proto: TensorSpecProto) -> "TensorSpec":
        """The spec in a `TensorSpecProto`."""
        return cls(tensor_shape.TensorShape(proto.shape), proto.dtype, proto.name or None)  # fmt: skip

    def _serialize(self) -> tuple:
        return self._shape, self._dtype, self._name

    @property
    def _component_specs(self) -> "TensorSpec":
        return self

    def _to_components(self, value: Any) -> Any:
        return self.cast(value, trace_type.CastContext())

    def _from_components(self, components: Any) -> Any:
        return components

    def __repr__(self) -> str:
        return (
            f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, "
            f"name={self._name!r})"
        )


def _bound(name: str, value: Any, spec: TensorSpec) -> np.ndarray:
    if value is None:
        raise ValueError(f"BoundedTensorSpec: `{name}` can not be None.")
    bound = np.array(value, dtype=spec.dtype.as_numpy_dtype)
    try:
        shape = tensor_shape.TensorShape(bound.shape)
        if spec.shape.ndims is not None and shape.ndims:
            known = [size or 1 for size in spec.shape.as_list()]
            np.broadcast_to(bound, np.broadcast_shapes(bound.shape, known))
            if len(shape) > spec.shape.ndims:
                raise ValueError(f"it has {shape.ndims} dimensions")
    except ValueError as error:
        raise ValueError(
            f"BoundedTensorSpec: `{name}` of shape {bound.shape} does not fit "
            f"{spec.shape}: {error}"
        ) from None
    bound.setflags(write=False)
    return bound


class BoundedTensorSpec(TensorSpec):
    """A TensorSpec with the least and the largest value that elements may have, both included.

    Args:
        shape: anything `TensorShape` takes.
        dtype: the dtype of the elements.
        minimum: a number or an array that can be broadcast to the shape.
        maximum: the same.
        name: the tensor's name, or None.

    Raises:
        ValueError: for a bound that is None or does not fit the shape.
    """

    __slots__ = ("_minimum", "_maximum")

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike,
        minimum: npt.ArrayLike,
        maximum: npt.ArrayLike,
        name: str | None = None,
    ):
        super().__init__(shape, dtype, name)
        self._minimum = _bound("minimum", minimum, self)
        self._maximum = _bound("maximum", maximum, self)

    @classmethod
    def from_spec(
        cls, spec: TensorSpec, name: str | None = None
    ) -> "BoundedTensorSpec":
        """A spec like `spec`, whose bounds are those of its dtype if it has none."""
        dtype = spec.dtype
        least, most = getattr(spec, "minimum", dtype.min), getattr(spec, "maximum", dtype.max)  # fmt: skip # noqa: E501
        return cls(spec.shape, dtype, least, most, name or spec.name)

    @property
    def minimum(self) -> np.ndarray:
        """The least value of each element; read only."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray:
        """The largest value of each element; read only."""
        return self._maximum

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, BoundedTensorSpec)
            and (self._shape, self._dtype) == (other._shape, other._dtype)
            and np.allclose(self.minimum, other.minimum)
            and np.allclose(self.maximum, other.maximum)
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype, self._minimum.tobytes(), self._maximum.tobytes()))  # fmt: skip # noqa: E501

    def __reduce__(self) -> tuple:
        return BoundedTensorSpec, self._serialize()

    def _serialize(self) -> tuple:
        return self._shape, self._dtype, self._minimum, self._maximum, self._name

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, "
            f"name={self._name!r}, minimum={self._minimum!r}, maximum={self._maximum!r})"
        )


def _constant_spec(value: Any) -> TensorSpec | None:
    """Returns the spec of the tensor that `tf.constant(value)` would make; None if it would make none."""
    if isinstance(value, (dict, type_spec.TypeSpec, dtypes.DType)):
        return None
    try:
        array, dtype, _ = tensor_util.to_array(value)
    except (TypeError, ValueError):
        return None
    if dtype == dtypes.string and not all(
        isinstance(item, (str, bytes)) for item in array.flat
    ):
        return None
    return TensorSpec(array.shape, dtype)


type_spec.register_constant_spec(_constant_spec)
type_spec.register_type_spec_from_value_converter(
    ops.Tensor, lambda tensor: TensorSpec(tensor.shape, tensor.dtype)
)
