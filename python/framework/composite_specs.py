# SPDX-License-Identifier: Apache-2.0
"""The specs of values that consist of several tensors (IndexedSlices, SparseTensors), and of None."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from tensorwright.python.framework import (
    dtypes,
    indexed_slices,
    sparse_tensor,
    tensor_shape,
    tensor_util,
    type_spec,
)
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike


def _expect(spec: str, wanted: str, value: Any) -> TypeError:
    return TypeError(f"{spec}: expected {wanted}, got {value!r} of type {type(value)}")


@type_spec.register("IndexedSlicesSpec")
class IndexedSlicesSpec(type_spec.TypeSpec):
    """Describes an `IndexedSlices` before it exists.

    Args:
        shape: the shape of the tensor that the rows belong to.
        dtype: the dtype of the values.
        indices_dtype: int32 or int64.
        dense_shape_dtype: the dtype of `dense_shape`; None if the value has none.
        indices_shape: [rows], or None.
    """

    __slots__ = ("_shape", "_dtype", "_indices_dtype", "_dense_dtype", "_indices_shape")

    def __init__(
        self,
        shape: ShapeLike = None,
        dtype: DTypeLike = dtypes.float32,
        indices_dtype: DTypeLike = dtypes.int64,
        dense_shape_dtype: DTypeLike | None = None,
        indices_shape: ShapeLike = None,
    ):
        as_dtype, as_shape = dtypes.as_dtype, tensor_shape.as_shape
        dense = dense_shape_dtype
        self._shape, self._dtype = as_shape(shape), as_dtype(dtype)
        self._indices_shape = as_shape(indices_shape).with_rank(1)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_dtype = None if dense is None else as_dtype(dense)

    @classmethod
    def from_value(cls, value: indexed_slices.IndexedSlices) -> "IndexedSlicesSpec":
        """Returns the spec of an existing IndexedSlices."""
        rows = tensor_shape.unknown_shape(ndims=1)
        dense = value.dense_shape
        return cls(
            value.shape.merge_with(rows.concatenate(value.values.shape[1:])),
            value.values.dtype,
            value.indices.dtype,
            None if dense is None else dense.dtype,
            value.indices.shape,
        )

    @property
    def value_type(self) -> type:
        return indexed_slices.IndexedSlices

    def _serialize(self) -> tuple:
        return (
            self._shape,
            self._dtype,
            self._indices_dtype,
            self._dense_dtype,
            self._indices_shape,
        )

    @property
    def _component_specs(self) -> tuple:
        rows = self._indices_shape
        values = TensorSpec(rows.concatenate(self._shape[1:]), self._dtype)
        indices = TensorSpec(rows, self._indices_dtype)
        if self._dense_dtype is None:
            return values, indices
        return values, indices, TensorSpec([self._shape.ndims], self._dense_dtype)

    def _to_components(self, value: Any) -> tuple:
        kinds = (indexed_slices.IndexedSlices, indexed_slices.IndexedSlicesValue)
        if not isinstance(value, kinds):
            raise _expect("IndexedSlicesSpec", "an IndexedSlices", value)
        parts = (value.values, value.indices)
        return parts if self._dense_dtype is None else (*parts, value.dense_shape)

    def _from_components(self, components: Any) -> indexed_slices.IndexedSlices:
        return indexed_slices.IndexedSlices(*components)


@type_spec.register("SparseTensorSpec")
class SparseTensorSpec(type_spec.TypeSpec):
    """Describes a `SparseTensor` before it exists.

    Args:
        shape: the dense shape.
        dtype: the dtype of the values.
    """

    __slots__ = ("_shape", "_dtype")

    def __init__(self, shape: ShapeLike = None, dtype: DTypeLike = dtypes.float32):
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @classmethod
    def from_value(cls, value: TensorLike) -> "SparseTensorSpec":
        """Returns the spec of a SparseTensor or SparseTensorValue; TypeError for any other value."""
        if isinstance(value, sparse_tensor.SparseTensor):
            return cls(value.shape, value.dtype)
        if isinstance(value, sparse_tensor.SparseTensorValue):
            _, dtype, _ = tensor_util.to_array(value.values)
            return cls([int(size) for size in value.dense_shape], dtype)
        raise _expect("SparseTensorSpec", "a SparseTensor or SparseTensorValue", value)

    @property
    def shape(self) -> tensor_shape.TensorShape:
        """The dense shape."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def value_type(self) -> type:
        return sparse_tensor.SparseTensor

    def _serialize(self) -> tuple:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> list:
        rank = self._shape.ndims
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value: Any) -> list:
        if not sparse_tensor.is_sparse(value):
            raise _expect("SparseTensorSpec", "a SparseTensor", value)
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> Any:
        if all(isinstance(part, np.ndarray) for part in components):
            return sparse_tensor.SparseTensorValue(*components)
        return sparse_tensor.SparseTensor(*components)


@type_spec.register("tf.NoneTensorSpec")
class NoneTensorSpec(type_spec.TypeSpec):
    """The spec of None, where a structure of values has a place that is empty."""

    __slots__ = ()

    @classmethod
    def from_value(cls, value: TensorLike) -> "NoneTensorSpec":
        del value
        return cls()

    @property
    def value_type(self) -> type:
        return type(None)

    def most_specific_compatible_shape(self, other: object) -> "NoneTensorSpec":
        """This spec; ValueError where `other` is of another kind."""
        spec = cast(type_spec.TypeSpec, other)
        return cast(NoneTensorSpec, self.most_specific_compatible_type(spec))

    def _serialize(self) -> tuple:
        return ()

    @property
    def _component_specs(self) -> list:
        return []

    def _to_components(self, value: Any) -> list:
        del value
        return []

    def _from_components(self, components: Any) -> None:
        del components


for _type, _from_value in (
    (indexed_slices.IndexedSlices, IndexedSlicesSpec.from_value),
    (sparse_tensor.SparseTensor, SparseTensorSpec.from_value),
    (sparse_tensor.SparseTensorValue, SparseTensorSpec.from_value),
    (type(None), NoneTensorSpec.from_value),
):
    type_spec.register_type_spec_from_value_converter(_type, _from_value)
