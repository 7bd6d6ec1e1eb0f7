# SPDX-License-Identifier: Apache-2.0
"""Examples as tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_parsing_ops
from tensorwright.python.ops._parsing import parsing_ops_features as features_lib

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import ParseSpec


_KINDS = (
    features_lib.VarLenFeature,
    features_lib.SparseFeature,
    features_lib.FixedLenFeature,
    features_lib.FixedLenSequenceFeature,
)


def _sparse_tensors(indices: Any, values: Any, shapes: Any) -> list[Any]:
    return [
        sparse_tensor.SparseTensor(i, v, s) for i, v, s in zip(indices, values, shapes)
    ]


def parse_example(
    serialized: TensorLike,
    features: Mapping[str, ParseSpec],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:
    """Features of a batch of Examples.

    Args:
        serialized: string [batch], a serialized `Example` proto each.
        features: name -> `FixedLenFeature` (a Tensor [batch, shape...]),
            `FixedLenSequenceFeature` (a Tensor [batch, most rows, shape...]), `VarLenFeature`
            or `SparseFeature` (a SparseTensor whose first dimension is the batch).
        name: the op's name.
        example_names: string [batch], the names of the examples in errors.

    Returns:
        name -> Tensor or SparseTensor.

    Raises:
        ValueError: for features that contradict one another, or none.
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    raw = features_lib.raw_features(features, _KINDS)
    with ops.name_scope(name, "ParseExample", [serialized, example_names]) as scope:
        if example_names is None:
            example_names = ops.convert_to_tensor([], dtype=dtypes.string, name="names")
        indices, values, shapes, dense = gen_parsing_ops._parse_example(
            serialized=serialized,
            names=example_names,
            dense_defaults=raw.default_tensors(),
            sparse_keys=raw.sparse_keys,
            sparse_types=raw.sparse_types,
            dense_keys=raw.dense_keys,
            dense_shapes=raw.dense_shapes,
            name=scope,
        )
        tensors = dict(
            zip(
                raw.sparse_keys + raw.dense_keys,
                _sparse_tensors(indices, values, shapes) + list(dense),
            )
        )
        return features_lib.with_sparse_features(features, tensors)


def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, ParseSpec],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:
    """Features of one Example; see `parse_example`.

    Args:
        serialized: string [], a serialized `Example` proto.
        features: name -> the kind of feature; tensors have no dimension of a batch.
        name: the op's name.
        example_names: string [], the name of the example in errors.

    Returns:
        name -> Tensor or SparseTensor.
    """
    if not features:
        raise ValueError("Invalid argument: features cannot be None.")
    raw = features_lib.raw_features(features, _KINDS)
    if example_names is not None:
        return _named_single_example(serialized, features, raw, name, example_names)
    with ops.name_scope(name, "ParseSingleExample", [serialized]) as scope:
        indices, values, shapes, dense = gen_parsing_ops.parse_single_example(
            serialized=serialized,
            dense_defaults=raw.default_tensors(),
            num_sparse=len(raw.sparse_keys),
            sparse_keys=raw.sparse_keys,
            sparse_types=raw.sparse_types,
            dense_keys=raw.dense_keys,
            dense_shapes=raw.dense_shapes,
            name=scope,
        )
        tensors = dict(
            zip(
                raw.sparse_keys + raw.dense_keys,
                _sparse_tensors(indices, values, shapes) + list(dense),
            )
        )
        return features_lib.with_sparse_features(features, tensors)


def _named_single_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    raw: features_lib.RawFeatures,
    name: str | None,
    example_names: TensorLike,
) -> dict[str, Any]:
    """The same by the op that takes names."""
    with ops.name_scope(
        name, "ParseSingleExample", [serialized, example_names]
    ) as scope:
        serialized = ops.convert_to_tensor(serialized, dtypes.string)
        serialized.get_shape().assert_has_rank(0)
        outputs = gen_parsing_ops.parse_example_v2(
            serialized=serialized,
            names=array_ops.reshape(example_names, []),
            sparse_keys=ops.convert_to_tensor(raw.sparse_keys, dtypes.string),
            dense_keys=ops.convert_to_tensor(raw.dense_keys, dtypes.string),
            ragged_keys=ops.convert_to_tensor([], dtypes.string),
            dense_defaults=raw.default_tensors(),
            num_sparse=len(raw.sparse_keys),
            sparse_types=raw.sparse_types,
            ragged_value_types=[],
            ragged_split_types=[],
            dense_shapes=raw.dense_shapes,
            name=scope,
        )
        tensors = dict(
            zip(
                raw.sparse_keys + raw.dense_keys,
                _sparse_tensors(*outputs[:3]) + list(outputs[3]),
            )
        )
        return features_lib.with_sparse_features(features, tensors)
