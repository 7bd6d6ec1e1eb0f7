# SPDX-License-Identifier: Apache-2.0
"""The kinds of features of an Example, and the arguments they become of the ops that parse them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    sparse_tensor,
    tensor_shape,
)
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike
from tensorwright.python.ops import array_ops, math_ops, sort_ops


class VarLenFeature(NamedTuple):
    """A feature with any number of values: a `SparseTensor`.

    Fields: `dtype` of the values, float32, int64 or string.
    """

    dtype: Any


class SparseFeature(NamedTuple):
    """Two or more features that together are a `SparseTensor`: indices, and values.

    Fields:
        index_key: the name of the int64 feature with the indices; several for a tensor
            with several dimensions, one each.
        value_key: the name of the feature with the values.
        dtype: the dtype of the values, float32, int64 or string.
        size: the size of the dimension of the indices; for several dimensions, one size each.
        already_sorted: whether the indices are in order; they are sorted if not.
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class FixedLenFeature(NamedTuple):
    """A feature with as many values in each example: a `Tensor`.

    Fields:
        shape: the shape of the feature, known in full.
        dtype: the dtype of the values, float32, int64 or string.
        default_value: stands in where an example lacks the feature; None: that is an error.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of rows: a `Tensor`, padded to the largest number.

    Fields:
        shape: the shape of a row.
        dtype: the dtype of the values, float32, int64 or string.
        allow_missing: whether an example may lack the feature; in `parse_example` it must be True.
        default_value: the value of padded rows; None for zero or an empty string.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


_VALUE_DTYPES = (dtypes.float32, dtypes.int64, dtypes.string)


@dataclasses.dataclass
class RawFeatures:
    """The features as the ops take them."""

    sparse_keys: list[str] = dataclasses.field(default_factory=list)
    sparse_types: list[dtypes.DType] = dataclasses.field(default_factory=list)
    dense_keys: list[str] = dataclasses.field(default_factory=list)
    dense_types: list[dtypes.DType] = dataclasses.field(default_factory=list)
    dense_shapes: list[tensor_shape.TensorShape] = dataclasses.field(
        default_factory=list
    )
    dense_defaults: dict[str, Any] = dataclasses.field(default_factory=dict)

    def add_sparse(self, key: str, dtype: DTypeLike) -> None:
        """Adds a feature once, however many want it."""
        dtype = dtypes.as_dtype(dtype)
        if key not in self.sparse_keys:
            self.sparse_keys.append(key)
            self.sparse_types.append(dtype)
            return
        had = self.sparse_types[self.sparse_keys.index(key)]
        if had != dtype:
            raise ValueError(
                f"Conflicting type {had!r} vs {dtype!r} for feature {key}."
            )

    def add_dense(
        self, key: str, dtype: DTypeLike, shape: ShapeLike, default: object
    ) -> None:
        self.dense_keys.append(key)
        self.dense_types.append(dtypes.as_dtype(dtype))
        self.dense_shapes.append(tensor_shape.as_shape(shape))
        if default is not None:
            self.dense_defaults[key] = default

    def default_tensors(self) -> list[ops.Tensor]:
        """The defaults in the order of the keys; an empty one where there is none."""
        defaults = []
        for key, dtype, shape in zip(
            self.dense_keys, self.dense_types, self.dense_shapes
        ):
            value = self.dense_defaults.get(key)
            name = "key_" + "".join(c if c.isalnum() else "_" for c in key)
            rows = (
                shape.ndims is not None and shape.ndims > 0 and shape[0].value is None
            )
            if value is None:
                if not rows:
                    value = constant_op.constant([], dtype=dtype)
                else:
                    value = "" if dtype == dtypes.string else 0
                    value = ops.convert_to_tensor(value, dtype=dtype, name=name)
            elif rows:
                value = ops.convert_to_tensor(value, dtype=dtype, name=name)
            else:
                value = ops.convert_to_tensor(value, dtype=dtype, name=name)
                value = array_ops.reshape(value, shape)
            defaults.append(value)
        return defaults

    def check(self) -> None:
        both = set(self.dense_keys) & set(self.sparse_keys)
        if both:
            raise ValueError(
                "Dense and sparse keys must not intersect; dense_keys: "
                f"{self.dense_keys}, sparse_keys: {self.sparse_keys}, "
                f"intersection: {both}"
            )


def _require_dtype(key: str, feature: Any) -> None:
    if not feature.dtype:
        raise ValueError(f"Missing type for feature {key}. Received feature={feature}")
    if dtypes.as_dtype(feature.dtype) not in _VALUE_DTYPES:
        raise TypeError(
            f"Feature {key} must be of float32, int64 or string, got {feature.dtype!r}"
        )


def _fixed_shape(key: str, feature: Any) -> tensor_shape.TensorShape:
    if feature.shape is None:
        raise ValueError(
            f"Missing shape for feature {key}. Received feature={feature}."
        )
    shape = tensor_shape.as_shape(feature.shape)
    if shape.ndims and shape[0].value is None:
        raise ValueError(
            f"First dimension of shape for feature {key} unknown. Consider using "
            f"FixedLenSequenceFeature. Received feature={feature}."
        )
    if not shape.is_fully_defined():
        raise ValueError(
            f"All dimensions of shape for feature {key} need to be known but received {shape}."
        )
    return shape


def _sparse_parts(key: str, feature: SparseFeature) -> tuple[list[Any], list[int]]:
    """Keys and sizes of the dimensions."""
    keys, sizes = feature.index_key, feature.size
    if not keys:
        raise ValueError(f"Missing index_key for SparseFeature {feature}")
    if not feature.value_key:
        raise ValueError(f"Missing value_key for SparseFeature {feature}")
    if isinstance(keys, (str, bytes)):
        keys, sizes = [keys], [sizes]
    if not isinstance(sizes, Sequence) or len(keys) != len(sizes):
        raise ValueError(
            f"SparseFeature {key} must have as many sizes as index keys, got {feature}"
        )
    return list(keys), list(sizes)


def raw_features(
    features: Mapping[str, object], kinds: tuple[type, ...]
) -> RawFeatures:
    """Returns the ops' arguments for features of these kinds."""
    raw = RawFeatures()
    for key in sorted(features):
        feature = features[key]
        if not isinstance(feature, kinds):
            raise ValueError(
                f"Unsupported {type(feature).__name__} {feature} for key {key!r}"
            )
        _require_dtype(key, feature)
        if isinstance(feature, VarLenFeature):
            raw.add_sparse(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            for index_key in sorted(_sparse_parts(key, feature)[0]):
                raw.add_sparse(index_key, dtypes.int64)
            raw.add_sparse(feature.value_key, feature.dtype)
        elif isinstance(feature, FixedLenFeature):
            shape = _fixed_shape(key, feature)
            raw.add_dense(key, feature.dtype, shape, feature.default_value)
        else:
            assert isinstance(feature, FixedLenSequenceFeature), "the last of the kinds"
            if feature.shape is None:
                raise ValueError(
                    f"Missing shape for feature {key}. Received feature={feature}."
                )
            shape = tensor_shape.as_shape(feature.shape)
            if not feature.allow_missing:
                raise ValueError(
                    "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
                )
            rows = tensor_shape.TensorShape([None]).concatenate(shape)
            raw.add_dense(key, feature.dtype, rows, feature.default_value)
    raw.check()
    return raw


def _sorted_rows(indices: ops.Tensor, rank: int) -> ops.Tensor:
    """The order of the rows of int64 [n, rank], first column first."""
    order = math_ops.range(array_ops.shape(indices)[0])
    for column in reversed(range(rank)):
        keys = array_ops.gather(indices[:, column], order)
        order = array_ops.gather(order, sort_ops.argsort(keys, stable=True))
    return order


def _sparse_of(
    feature: SparseFeature, key: str, tensors: dict[str, Any]
) -> sparse_tensor.SparseTensor:
    """The SparseTensor of the parsed features `tensors`."""
    keys, sizes = _sparse_parts(key, feature)
    ids = [tensors[k] for k in keys]
    values = tensors[feature.value_key]
    # These are all dimensions but the place within the feature: the batch, if there is one.
    outer = ids[0].indices[:, :-1]
    columns = [array_ops.expand_dims(i.values, -1) for i in ids]
    indices = array_ops.concat([outer, *columns], axis=1)
    shape = array_ops.concat(
        [ids[0].dense_shape[:-1], np.array(sizes, np.int64)], axis=0
    )
    if feature.already_sorted:
        return sparse_tensor.SparseTensor(indices, values.values, shape)
    rank = (ids[0].indices.get_shape()[1].value or 2) - 1 + len(keys)
    order = _sorted_rows(indices, rank)
    return sparse_tensor.SparseTensor(
        array_ops.gather(indices, order), array_ops.gather(values.values, order), shape
    )


def with_sparse_features(
    features: Mapping[str, Any], tensors: dict[str, Any]
) -> dict[str, Any]:
    """The tensors that were asked for: those of SparseFeatures put together of their parts."""
    for key in sorted(features):
        if isinstance(features[key], SparseFeature):
            tensors[key] = _sparse_of(features[key], key, tensors)
    return {key: tensors[key] for key in features}
