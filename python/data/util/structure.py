# SPDX-License-Identifier: Apache-2.0
"""What the elements of a dataset are: a structure (see `nest`) of specs.

A leaf is a `TensorSpec`, one tensor; a `SparseTensorSpec`, whose three tensors travel
beside each other; or a `DatasetSpec`, a dataset in a variant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.data.util import nest
from tensorwright.python.framework import dtypes, ops, sparse_tensor, tensor_shape
from tensorwright.python.framework.composite_specs import SparseTensorSpec
from tensorwright.python.framework.tensor_spec import TensorSpec


class DatasetSpec:
    """The type of a dataset that is itself (part of) an element."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()):
        self._element_spec = element_spec
        self._dataset_shape = tensor_shape.as_shape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """Of the dataset's elements."""
        return self._element_spec

    @property
    def shape(self) -> tensor_shape.TensorShape:
        return self._dataset_shape

    @property
    def dtype(self) -> dtypes.DType:
        return dtypes.variant

    @property
    def value_type(self) -> type:
        """The class of values: `Dataset`."""
        return _dataset_class()

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        return cls(value.element_spec)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        other = spec_or_value
        if not isinstance(other, DatasetSpec):
            other = type_spec_from_value(other)
        return isinstance(other, DatasetSpec) and are_compatible(
            self._element_spec, other.element_spec
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


_dataset: list[type] = []


def set_dataset_class(dataset: type) -> None:
    """`Dataset`, made known by the module that defines it, which imports this one."""
    _dataset[:] = [dataset]


def _dataset_class() -> Any:
    return _dataset[0]


def type_spec_from_value(element: Any) -> Any:
    """The spec of a structure of tensors; leaves that are none are converted first."""

    def of(value: Any) -> Any:
        if isinstance(
            value, (sparse_tensor.SparseTensor, sparse_tensor.SparseTensorValue)
        ):
            value = sparse_tensor.SparseTensor.from_value(value)
            return SparseTensorSpec(value.get_shape(), value.dtype)
        if isinstance(value, _dataset_class()):
            return DatasetSpec.from_value(value)
        tensor = ops.convert_to_tensor(value)
        return TensorSpec(tensor.shape, tensor.dtype.base_dtype)

    return nest.map_structure(of, element)


def normalize_element(element: Any) -> Any:
    """A structure whose leaves are Tensors, SparseTensors and datasets."""

    def convert(value: Any) -> Any:
        if isinstance(
            value, (sparse_tensor.SparseTensor, sparse_tensor.SparseTensorValue)
        ):
            return sparse_tensor.SparseTensor.from_value(value)
        if isinstance(value, _dataset_class()):
            return value
        return ops.convert_to_tensor(value)

    return nest.pack_sequence_as(element, [convert(v) for v in nest.flatten(element)])


# --- The tensors of an element ---------------------------------------------------------


def _parts(spec: Any) -> list[tuple[dtypes.DType, tensor_shape.TensorShape]]:
    """(dtype, shape) of each tensor of a leaf."""
    if isinstance(spec, SparseTensorSpec):
        rank = spec.shape.ndims
        return [
            (dtypes.int64, tensor_shape.TensorShape([None, rank])),
            (spec.dtype, tensor_shape.TensorShape([None])),
            (dtypes.int64, tensor_shape.TensorShape([rank])),
        ]
    return [(spec.dtype, tensor_shape.as_shape(spec.shape))]


def get_flat_tensor_types(spec: Any) -> list[dtypes.DType]:
    """Of every tensor of an element."""
    return [d for leaf in nest.flatten(spec) for d, _ in _parts(leaf)]


def get_flat_tensor_shapes(spec: Any) -> list[tensor_shape.TensorShape]:
    """Of every tensor of an element."""
    return [s for leaf in nest.flatten(spec) for _, s in _parts(leaf)]


def to_tensor_list(spec: Any, element: Any) -> list[ops.Tensor]:
    """The tensors of an element that is normalized."""
    nest.assert_same_structure(spec, element, check_types=False)
    tensors: list[ops.Tensor] = []
    for leaf, value in zip(nest.flatten(spec), nest.flatten(element), strict=True):
        if isinstance(leaf, SparseTensorSpec):
            tensors += [value.indices, value.values, value.dense_shape]
        elif isinstance(leaf, DatasetSpec):
            tensors.append(value._variant_tensor)
        else:
            tensors.append(ops.convert_to_tensor(value, leaf.dtype))
    return tensors


def from_tensor_list(spec: Any, tensors: Sequence[ops.Tensor]) -> Any:
    """The element that the tensors are."""
    rest = list(tensors)
    leaves = []
    for leaf in nest.flatten(spec):
        own = [rest.pop(0) for _ in _parts(leaf)]
        for tensor, (_, shape) in zip(own, _parts(leaf), strict=True):
            tensor.set_shape(shape)
        if isinstance(leaf, SparseTensorSpec):
            leaves.append(sparse_tensor.SparseTensor(*own))
        elif isinstance(leaf, DatasetSpec):
            leaves.append(_dataset_class()._from_variant(own[0], leaf.element_spec))
        else:
            leaves.append(own[0])
    return nest.pack_sequence_as(spec, leaves)


# --- As types, shapes and classes ------------------------------------------------------


def legacy_types(spec: Any) -> Any:
    return nest.map_structure(lambda s: s.dtype, spec)


def legacy_shapes(spec: Any) -> Any:
    return nest.map_structure(lambda s: s.shape, spec)


def legacy_classes(spec: Any) -> Any:
    def of(leaf: Any) -> type:
        if isinstance(leaf, SparseTensorSpec):
            return sparse_tensor.SparseTensor
        return leaf.value_type if isinstance(leaf, DatasetSpec) else ops.Tensor

    return nest.map_structure(of, spec)


def from_legacy(types: Any, shapes: Any = None, classes: Any = None) -> Any:
    """The spec of these types, of any shapes and of Tensors where nothing else is said."""
    types = nest.map_structure(dtypes.as_dtype, types)
    count = len(nest.flatten(types))
    if shapes is None:
        flat_shapes = [tensor_shape.TensorShape(None)] * count
    else:
        flat_shapes = [
            tensor_shape.as_shape(s) for s in nest.flatten_up_to(types, shapes)
        ]
    flat_classes = (
        [ops.Tensor] * count if classes is None else nest.flatten_up_to(types, classes)
    )
    leaves = []
    for dtype, shape, cls in zip(
        nest.flatten(types), flat_shapes, flat_classes, strict=True
    ):
        sparse = isinstance(cls, type) and issubclass(cls, sparse_tensor.SparseTensor)
        leaves.append(
            SparseTensorSpec(shape, dtype) if sparse else TensorSpec(shape, dtype)
        )
    return nest.pack_sequence_as(types, leaves)


def are_compatible(a: Any, b: Any) -> bool:
    """The same structure, dtypes, and shapes that may be equal."""
    try:
        nest.assert_same_structure(a, b, check_types=False)
    except (TypeError, ValueError):
        return False
    for x, y in zip(nest.flatten(a), nest.flatten(b), strict=True):
        if type(x) is not type(y) or x.dtype != y.dtype:
            return False
        if not tensor_shape.as_shape(x.shape).is_compatible_with(y.shape):
            return False
    return True


def map_shapes(spec: Any, function: Any) -> Any:
    """Each leaf with the shape that `function` makes of its own."""

    def of(leaf: Any) -> Any:
        if isinstance(leaf, DatasetSpec):
            return DatasetSpec(leaf.element_spec, function(leaf.shape))
        return type(leaf)(function(tensor_shape.as_shape(leaf.shape)), leaf.dtype)

    return nest.map_structure(of, spec)
