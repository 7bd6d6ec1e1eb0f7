# SPDX-License-Identifier: Apache-2.0
"""The TypeSpecs: that of TensorArray, and re-exports of the others."""

from __future__ import annotations

# ruff: noqa: F401
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, tensor_shape, type_spec
from tensorwright.python.framework.composite_specs import (
    IndexedSlicesSpec as IndexedSlicesSpec,
    NoneTensorSpec as NoneTensorSpec,
    SparseTensorSpec as SparseTensorSpec,
)
from tensorwright.python.framework.tensor_spec import TensorSpec as TensorSpec
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike
from tensorwright.python.framework.type_spec import (
    TypeSpec as TypeSpec,
    type_spec_from_value as type_spec_from_value,
)
from tensorwright.python.ops import tensor_array_ops, variables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.python.ops.tensor_array_ops import TensorArray


@type_spec.register("TensorArraySpec")
class TensorArraySpec(type_spec.TypeSpec):
    """Describes a `TensorArray`.  Its tensors are the handle and the flow.

    Args:
        element_shape: the shape of each element.
        dtype: the dtype of the elements.
        dynamic_size: whether writes behind the end make the array longer.
        infer_shape: whether all elements must have one shape.
    """

    __slots__ = ("_element_shape", "_dtype", "_dynamic_size", "_infer_shape")

    def __init__(
        self,
        element_shape: ShapeLike = None,
        dtype: DTypeLike = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ):
        self._element_shape = tensor_shape.as_shape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @classmethod
    def from_value(cls, value: TensorArray) -> "TensorArraySpec":
        """Returns the spec of a TensorArray.  TypeError for any other value."""
        _check(value)
        return cls(
            value.element_shape, value.dtype, value.dynamic_size, value._infer_shape
        )

    @property
    def value_type(self) -> type:
        return tensor_array_ops.TensorArray

    def is_compatible_with(self, other: object) -> bool:
        """True for a TensorArray or spec of this kind whose elements can have this shape."""
        return super().is_compatible_with(other)

    def is_subtype_of(self, other: object) -> bool:
        """True for arrays of the same dtype that both grow, or both do not; shapes are those of the writes."""
        if not isinstance(other, TensorArraySpec):
            return False
        kinds = [(spec._dtype, spec._dynamic_size) for spec in (self, other)]
        return kinds[0] == kinds[1]

    def most_specific_common_supertype(
        self, others: Sequence[type_spec.TypeSpec]
    ) -> "TensorArraySpec | None":
        """Returns this spec if all are subtypes of it, else None."""
        return self if all(self.is_subtype_of(other) for other in others) else None

    def _serialize(self) -> tuple:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    @property
    def _component_specs(self) -> list:
        return [TensorSpec([], dtypes.resource), TensorSpec([], dtypes.float32)]

    def _to_components(self, value: Any) -> list:
        _check(value)
        return [value.handle, value.flow]

    def _from_components(self, components: Any) -> tensor_array_ops.TensorArray:
        handle, flow = components
        array = tensor_array_ops.TensorArray(
            self._dtype, handle=handle, flow=flow, infer_shape=self._infer_shape
        )
        array._known_shape = [self._element_shape]
        array._dynamic_size = self._dynamic_size
        return array


def _check(value: Any) -> None:
    if not isinstance(value, tensor_array_ops.TensorArray):
        raise TypeError(
            f"TensorArraySpec: expected a TensorArray, got {value!r} of type {type(value)}"
        )


type_spec.register_type_spec_from_value_converter(
    tensor_array_ops.TensorArray, TensorArraySpec.from_value
)
type_spec.register_type_spec_from_value_converter(
    variables.Variable, lambda v: TensorSpec(v.shape, v.dtype.base_dtype)
)
