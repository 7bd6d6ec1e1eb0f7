# SPDX-License-Identifier: Apache-2.0
"""SequenceExamples as tensors."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_parsing_ops
from tensorwright.python.ops._parsing import parsing_ops_features as features_lib

_Tensors = dict[str, Any]


@dataclasses.dataclass
class _Lists:
    """Feature lists as the ops take them."""

    sparse_keys: list[str] = dataclasses.field(default_factory=list)
    sparse_types: list[dtypes.DType] = dataclasses.field(default_factory=list)
    dense_keys: list[str] = dataclasses.field(default_factory=list)
    dense_types: list[dtypes.DType] = dataclasses.field(default_factory=list)
    dense_shapes: list[Any] = dataclasses.field(default_factory=list)
    maybe_empty: list[str] = dataclasses.field(default_factory=list)


def _lists(features: Mapping[str, Any]) -> _Lists:
    lists = _Lists()
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, features_lib.VarLenFeature):
            raw = features_lib.raw_features(
                {key: feature}, (features_lib.VarLenFeature,)
            )
            lists.sparse_keys += raw.sparse_keys
            lists.sparse_types += raw.sparse_types
            continue
        if not isinstance(feature, features_lib.FixedLenSequenceFeature):
            raise ValueError(
                f"Unsupported {type(feature).__name__} {feature} for key {key!r}"
            )
        if feature.default_value is not None:
            raise ValueError(
                f"A feature list has no default value, got {feature} for key {key!r}"
            )
        raw = features_lib.raw_features(
            {key: features_lib.FixedLenFeature(feature.shape, feature.dtype)},
            (features_lib.FixedLenFeature,),
        )
        lists.dense_keys += raw.dense_keys
        lists.dense_types += raw.dense_types
        lists.dense_shapes += raw.dense_shapes
        if feature.allow_missing:
            lists.maybe_empty.append(key)
    return lists


def _checked(
    context_features: Mapping[str, Any] | None,
    sequence_features: Mapping[str, Any] | None,
) -> tuple[features_lib.RawFeatures, _Lists]:
    if not (context_features or sequence_features):
        raise ValueError(
            "Both context_features and sequence_features are None, but at least one "
            "should have values."
        )
    kinds = (features_lib.VarLenFeature, features_lib.FixedLenFeature)
    context = features_lib.raw_features(context_features or {}, kinds)
    return context, _lists(sequence_features or {})


def _sparse(keys: list[str], indices: Any, values: Any, shapes: Any) -> _Tensors:
    return {
        key: sparse_tensor.SparseTensor(i, v, s)
        for key, i, v, s in zip(keys, indices, values, shapes)
    }


def _keys(keys: list[str]) -> Any:
    return ops.convert_to_tensor(keys, dtypes.string)


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, object] | None = None,
    sequence_features: Mapping[str, object] | None = None,
    example_name: TensorLike | None = None,
    name: str | None = None,
) -> tuple[_Tensors, _Tensors]:
    """Context and feature lists of one SequenceExample.

    Args:
        serialized: string [], a serialized `SequenceExample` proto.
        context_features: name -> `FixedLenFeature` or `VarLenFeature`.
        sequence_features: name -> `FixedLenSequenceFeature` (a Tensor [frames, shape...]) or
            `VarLenFeature` (a SparseTensor [frames, most values]).
        example_name: string [], how errors call the example.
        name: the op's name.

    Returns:
        The tensors of the context and those of the lists, by their names.

    Raises:
        ValueError: if nothing is asked for, or of kinds that are not allowed.
    """
    context, lists = _checked(context_features, sequence_features)
    with ops.name_scope(
        name, "ParseSingleSequenceExample", [serialized, example_name]
    ) as scope:
        out = gen_parsing_ops._parse_single_sequence_example(
            serialized=serialized,
            feature_list_dense_missing_assumed_empty=ops.convert_to_tensor(
                lists.maybe_empty, dtypes.string
            ),
            context_sparse_keys=context.sparse_keys,
            context_dense_keys=context.dense_keys,
            feature_list_sparse_keys=lists.sparse_keys,
            feature_list_dense_keys=lists.dense_keys,
            context_dense_defaults=context.default_tensors(),
            debug_name="" if example_name is None else example_name,
            context_sparse_types=context.sparse_types,
            feature_list_dense_types=lists.dense_types,
            context_dense_shapes=context.dense_shapes,
            feature_list_sparse_types=lists.sparse_types,
            feature_list_dense_shapes=lists.dense_shapes,
            name=scope,
        )
    in_context = _sparse(context.sparse_keys, *out[:3])
    in_context.update(zip(context.dense_keys, out[3]))
    in_lists = _sparse(lists.sparse_keys, *out[4:7])
    in_lists.update(zip(lists.dense_keys, out[7]))
    return in_context, in_lists


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, object] | None = None,
    sequence_features: Mapping[str, object] | None = None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> tuple[_Tensors, _Tensors, _Tensors]:
    """Context and feature lists of a batch of SequenceExamples, or of one.

    Args:
        serialized: string [batch], a serialized `SequenceExample` proto each; or [], and
            then no shape below has a batch.
        context_features: name -> `FixedLenFeature` or `VarLenFeature`.
        sequence_features: name -> `FixedLenSequenceFeature` (a Tensor [batch, most frames,
            shape...], zeros behind the frames of each) or `VarLenFeature` (a SparseTensor
            [batch, most frames, most values]).
        example_names: string, in the shape of `serialized`: how errors call the examples.
        name: the op's name.

    Returns:
        The tensors of the contexts, those of the lists, and int64 [batch] with the number of
        frames for each dense list, by their names.

    Raises:
        ValueError: if nothing is asked for, or of kinds that are not allowed.
    """
    context, lists = _checked(context_features, sequence_features)
    with ops.name_scope(
        name, "ParseSequenceExample", [serialized, example_names]
    ) as scope:
        if example_names is None:
            example_names = ops.convert_to_tensor([], dtypes.string)
        no_keys = _keys([])
        out = gen_parsing_ops.parse_sequence_example_v2(
            serialized=serialized,
            debug_name=example_names,
            context_sparse_keys=_keys(context.sparse_keys),
            context_dense_keys=_keys(context.dense_keys),
            context_ragged_keys=no_keys,
            feature_list_sparse_keys=_keys(lists.sparse_keys),
            feature_list_dense_keys=_keys(lists.dense_keys),
            feature_list_ragged_keys=no_keys,
            feature_list_dense_missing_assumed_empty=ops.convert_to_tensor(
                [key in lists.maybe_empty for key in lists.dense_keys], dtypes.bool
            ),
            context_dense_defaults=context.default_tensors(),
            Ncontext_sparse=len(context.sparse_keys),
            Nfeature_list_sparse=len(lists.sparse_keys),
            Nfeature_list_dense=len(lists.dense_keys),
            context_sparse_types=context.sparse_types,
            feature_list_dense_types=lists.dense_types,
            context_dense_shapes=context.dense_shapes,
            feature_list_sparse_types=lists.sparse_types,
            feature_list_dense_shapes=lists.dense_shapes,
            name=scope,
        )
    in_context = _sparse(context.sparse_keys, *out[:3])
    in_context.update(zip(context.dense_keys, out.context_dense_values))
    in_lists = _sparse(
        lists.sparse_keys,
        out.feature_list_sparse_indices,
        out.feature_list_sparse_values,
        out.feature_list_sparse_shapes,
    )
    in_lists.update(zip(lists.dense_keys, out.feature_list_dense_values))
    lengths = dict(zip(lists.dense_keys, out.feature_list_dense_lengths))
    return in_context, in_lists, lengths
