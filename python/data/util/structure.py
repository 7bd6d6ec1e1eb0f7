# SPDX-License-Identifier: Apache-2.0
"""The structure of a dataset's elements: a nest (see `nest`) of specs.

A leaf is a `TensorSpec`, one tensor; a `SparseTensorSpec`, whose indices, values and shape
travel as variants, [3] or, of a batch, [..., 3]; or a `DatasetSpec`, a dataset in a variant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.data.util import nest
from tensorwright.python.framework import (
    dtypes,
    ops,
    sparse_tensor,
    tensor_shape,
    type_spec,
)
from tensorwright.python.framework.composite_specs import SparseTensorSpec
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.framework.type_aliases import SpecTree
from tensorwright.python.ops import array_ops
from tensorwright.python.ops._sparse import sparse_ops_serialize


@type_spec.register("DatasetSpec")
class DatasetSpec(type_spec.TypeSpec):
    """The type of a dataset that is itself (part of) an element.

    Args:
        element_spec: the spec of the dataset's elements, a structure of specs.
        dataset_shape: the shape of the variant that holds it; [] for one dataset.
    """

    __slots__ = ("_element_spec", "_dataset_shape")

    def __init__(self, element_spec: SpecTree, dataset_shape: Any = ()):
        self._element_spec = element_spec
        self._dataset_shape = tensor_shape.as_shape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The spec of the dataset's elements."""
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

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """The spec of a dataset."""
        return DatasetSpec(value.element_spec)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Returns True for a dataset, or its spec, whose elements all fit this spec's elements."""
        other = spec_or_value
        if isinstance(other, _dataset_class()):
            other = DatasetSpec.from_value(other)
        return isinstance(other, DatasetSpec) and are_compatible(
            self._element_spec, other.element_spec
        )

    def _serialize(self) -> tuple:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec(self._dataset_shape, dtypes.variant)

    def _to_components(self, value: Any) -> ops.Tensor:
        return value._variant_tensor

    def _from_components(self, components: Any) -> Any:
        return _dataset_class()._from_variant(components, self._element_spec)


_dataset: list[type] = []


def set_dataset_class(dataset: type) -> None:
    """`Dataset`, made known by the module that defines it, which imports this one."""
    _dataset[:] = [dataset]
    type_spec.register_type_spec_from_value_converter(dataset, DatasetSpec.from_value)


def _dataset_class() -> Any:
    return _dataset[0]


def type_spec_from_value(element: object) -> Any:
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


def normalize_element(element: object) -> Any:
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


def _type_and_shape(spec: Any) -> tuple[dtypes.DType, tensor_shape.TensorShape]:
    """Returns the dtype and the shape of a leaf's tensor."""
    if isinstance(spec, SparseTensorSpec):
        return dtypes.variant, tensor_shape.unknown_shape()
    return spec.dtype, tensor_shape.as_shape(spec.shape)


def get_flat_tensor_types(spec: SpecTree) -> list[dtypes.DType]:
    """Returns the dtypes of all tensors of an element."""
    return [_type_and_shape(leaf)[0] for leaf in nest.flatten(spec)]


def get_flat_tensor_shapes(spec: SpecTree) -> list[tensor_shape.TensorShape]:
    """Returns the shapes of all tensors of an element."""
    return [_type_and_shape(leaf)[1] for leaf in nest.flatten(spec)]


def flat_attrs(spec: SpecTree) -> dict[str, Any]:
    """Attrs of an op whose elements are of a spec."""
    return {
        "output_types": get_flat_tensor_types(spec),
        "output_shapes": get_flat_tensor_shapes(spec),
    }


def as_list(flat: Any) -> list:
    """Returns a wrapper's outputs as a list; the wrapper returns a single output without one."""
    return list(flat) if isinstance(flat, (list, tuple)) else [flat]


def to_tensor_list(spec: SpecTree, element: object) -> list[ops.Tensor]:
    """The tensors of an element that is normalized."""
    return _tensors(spec, element, sparse_ops_serialize.serialize_sparse)


def to_batched_tensor_list(spec: SpecTree, element: object) -> list[ops.Tensor]:
    """The tensors of an element whose rows are elements themselves: sparse ones are [rows, 3]."""
    return _tensors(spec, element, sparse_ops_serialize.serialize_many_sparse)


def _tensors(spec: Any, element: Any, serialize: Callable) -> list[ops.Tensor]:
    nest.assert_same_structure(spec, element, check_types=False)
    tensors: list[ops.Tensor] = []
    for leaf, value in zip(nest.flatten(spec), nest.flatten(element), strict=True):
        if isinstance(leaf, SparseTensorSpec):
            tensors.append(serialize(value, out_type=dtypes.variant))
        elif isinstance(leaf, DatasetSpec):
            tensors.append(value._variant_tensor)
        else:
            tensors.append(ops.convert_to_tensor(value, leaf.dtype))
    return tensors


def from_tensor_list(spec: SpecTree, tensors: Sequence[ops.Tensor]) -> Any:
    """The element that the tensors are."""
    leaves = []
    for leaf, tensor in zip(nest.flatten(spec), tensors, strict=True):
        if isinstance(leaf, SparseTensorSpec):
            leaves.append(_sparse(leaf, tensor))
            continue
        tensor.set_shape(leaf.shape)
        if isinstance(leaf, DatasetSpec):
            leaves.append(_dataset_class()._from_variant(tensor, leaf.element_spec))
        else:
            leaves.append(tensor)
    return nest.pack_sequence_as(spec, leaves)


def _sparse(spec: SparseTensorSpec, packed: ops.Tensor) -> sparse_tensor.SparseTensor:
    """The sparse tensor in `packed`; its shape is known where the spec knows it."""
    found = sparse_ops_serialize.deserialize_sparse(
        packed, spec.dtype, spec.shape.ndims
    )
    sizes = [] if spec.shape.ndims is None else spec.shape.as_list()
    if all(size is None for size in sizes):
        return found
    run = array_ops.unstack(found.dense_shape, len(sizes))
    known = [a if size is None else size for size, a in zip(sizes, run, strict=True)]
    return sparse_tensor.SparseTensor(
        found.indices, found.values, ops.convert_to_tensor(known, dtypes.int64)
    )


# --- As types, shapes and classes ------------------------------------------------------


def legacy_types(spec: SpecTree) -> Any:
    return nest.map_structure(lambda s: s.dtype, spec)


def legacy_shapes(spec: SpecTree) -> Any:
    return nest.map_structure(lambda s: s.shape, spec)


def legacy_classes(spec: SpecTree) -> Any:
    def of(leaf: Any) -> type:
        if isinstance(leaf, SparseTensorSpec):
            return sparse_tensor.SparseTensor
        return leaf.value_type if isinstance(leaf, DatasetSpec) else ops.Tensor

    return nest.map_structure(of, spec)


def from_legacy(types: object, shapes: Any = None, classes: Any = None) -> Any:
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


def are_compatible(a: SpecTree, b: SpecTree) -> bool:
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
        if isinstance(x, DatasetSpec) and not x.is_compatible_with(y):
            return False
    return True


def has_sparse(spec: SpecTree) -> bool:
    """Is part of an element a sparse tensor?"""
    return any(isinstance(leaf, SparseTensorSpec) for leaf in nest.flatten(spec))


def map_shapes(spec: SpecTree, function: Any) -> Any:
    """Each leaf with the shape that `function` makes of its own."""

    def of(leaf: Any) -> Any:
        if isinstance(leaf, DatasetSpec):
            return DatasetSpec(leaf.element_spec, function(leaf.shape))
        return type(leaf)(function(tensor_shape.as_shape(leaf.shape)), leaf.dtype)

    return nest.map_structure(of, spec)
