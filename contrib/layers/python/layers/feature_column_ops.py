# SPDX-License-Identifier: Apache-2.0
"""Models of feature columns: input layers and weighted sums."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.framework.python.ops import variables as contrib_variables
from tensorwright.contrib.layers.python.layers import embedding_ops
from tensorwright.contrib.layers.python.layers.feature_column_base import (
    FeatureColumn,
    at_rank,
    embeddings_from_arguments,
    parts_of,
    restore_from_checkpoint,
)
from tensorwright.contrib.layers.python.layers.feature_column_parsing import (
    Transformer,
    check_feature_columns,
    infer_real_valued_columns,
    parse_feature_columns_from_examples,
    parse_feature_columns_from_sequence_examples,
    transform_features,
)
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import ScopeLike
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_ops,
    sparse_ops,
    variable_scope,
)
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = [
    "check_feature_columns",
    "infer_real_valued_columns",
    "input_from_feature_columns",
    "joint_weighted_sum_from_feature_columns",
    "parse_feature_columns_from_examples",
    "parse_feature_columns_from_sequence_examples",
    "sequence_input_from_feature_columns",
    "transform_features",
    "weighted_sum_from_feature_columns",
]

Features = Mapping[Any, Any]
Columns = Iterable[FeatureColumn]


def _sorted(columns: Columns) -> list[FeatureColumn]:
    return sorted(set(columns), key=lambda column: column.key)


def _with_global(weight_collections: Sequence[str] | None) -> list[str]:
    return list({*(weight_collections or ()), ops.GraphKeys.GLOBAL_VARIABLES})


def _input(
    features: Features,
    feature_columns: Columns,
    weight_collections: Sequence[str] | None,
    trainable: bool,
    scope: Any,
    output_rank: int,
    default_name: str,
) -> ops.Tensor:
    features = dict(features)
    check_feature_columns(feature_columns)
    collections = _with_global(weight_collections)
    with variable_scope.variable_scope(scope, default_name):
        outputs = []
        transformer = Transformer(features)
        for column in _sorted(feature_columns):
            with variable_scope.variable_scope(None, column.name):
                value = transformer.transform(column)
                if output_rank == 3:
                    value = nest.map_structure(
                        functools.partial(
                            at_rank, column_name=column.name, output_rank=3
                        ),
                        value,
                    )
                outputs.append(
                    _dense(column, value, collections, trainable, output_rank)
                )
        return array_ops.concat(outputs, output_rank - 1)


def _dense(
    column: FeatureColumn, value: Any, collections: Any, trainable: bool, rank: int
) -> ops.Tensor:
    try:
        arguments = column.deep_arguments(value)
    except NotImplementedError:
        try:
            return column.to_dnn_input_layer(value, output_rank=rank)
        except ValueError as error:
            raise ValueError(
                f"Error creating input layer for column: {column.name}.\n{error}"
            ) from error
    return embeddings_from_arguments(column, arguments, collections, trainable, rank)


def input_from_feature_columns(
    columns_to_tensors: Features,
    feature_columns: Columns,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """The values of dense columns, side by side, sorted by their keys: [n, sum of sizes].

    Args:
        columns_to_tensors: features by key, or values of columns.
        feature_columns: real valued, bucketized, one-hot and embedding ones.
        weight_collections: that the variables join.
        trainable: whether these are trained.
        scope: the variable scope, "input_from_feature_columns" by default.

    Raises:
        ValueError: a column without a dense value, or two of one key.
    """
    return _input(
        columns_to_tensors,
        feature_columns,
        weight_collections,
        trainable,
        scope,
        output_rank=2,
        default_name="input_from_feature_columns",
    )


def sequence_input_from_feature_columns(
    columns_to_tensors: Features,
    feature_columns: Columns,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """`input_from_feature_columns` of sequences: [n, length, sum of sizes].

    Bucketized columns, and embeddings that are scattered or of crosses, are ValueErrors.
    """
    for column in feature_columns:
        kind = type(column).__name__
        inner = type(getattr(column, "sparse_id_column", None)).__name__
        if (
            kind in ("BucketizedColumn", "ScatteredEmbeddingColumn")
            or inner == "CrossedColumn"
        ):
            raise ValueError(
                f"Feature column type {kind} is not currently supported for sequence data."
            )
    return _input(
        columns_to_tensors,
        feature_columns,
        weight_collections,
        trainable,
        scope,
        output_rank=3,
        default_name="sequence_input_from_feature_columns",
    )


def _lookup(
    column: FeatureColumn,
    value: Any,
    num_outputs: int,
    trainable: bool,
    collections: Sequence[str],
) -> tuple[list[Any], ops.Tensor]:
    """(variables, sums of the weights of each example's ids)."""
    arguments = column.wide_arguments(value)
    with variable_scope.variable_scope(None, column.name):
        variable = contrib_variables.model_variable(
            name="weights",
            shape=[arguments.vocab_size, num_outputs],
            dtype=dtypes.float32,
            initializer=arguments.initializer,
            trainable=trainable,
            collections=collections,
        )
        parts = parts_of(variable)
        sums = embedding_ops.safe_embedding_lookup_sparse(
            parts,
            arguments.input_tensor,
            sparse_weights=arguments.weight_tensor,
            combiner=arguments.combiner,
            name=column.name + "_weights",
        )
    return parts, sums


def _product(
    column: FeatureColumn,
    value: Any,
    num_outputs: int,
    trainable: bool,
    collections: Sequence[str],
) -> tuple[list[Any], ops.Tensor]:
    with variable_scope.variable_scope(None, column.name):
        tensor = at_rank(column.to_dense_tensor(value), column.name, 2)
        variable = contrib_variables.model_variable(
            name="weight",
            shape=[tensor.get_shape()[1].value, num_outputs],
            initializer=init_ops.zeros_initializer(),
            trainable=trainable,
            collections=collections,
        )
        return parts_of(variable), math_ops.matmul(tensor, variable, name="matmul")


def _with_bias(
    total: ops.Tensor, num_outputs: int, trainable: bool, collections: Sequence[str]
) -> tuple[ops.Tensor, Any]:
    bias = contrib_variables.model_variable(
        "bias_weight",
        shape=[num_outputs],
        initializer=init_ops.zeros_initializer(),
        trainable=trainable,
        collections=collections,
    )
    return nn_ops.bias_add(total, bias), bias


def weighted_sum_from_feature_columns(
    columns_to_tensors: Features,
    feature_columns: Columns,
    num_outputs: int,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> tuple[ops.Tensor, dict[FeatureColumn, list[Variable]], Variable]:
    """A linear model: for each example the weights of its ids and numbers times weights, added up with a bias.

    Args:
        columns_to_tensors: features by key, or values of columns.
        feature_columns: columns of ids, bucketized and real valued ones.
        num_outputs: how many sums.
        weight_collections: that the variables join.
        trainable: whether these are trained.
        scope: the variable scope, "weighted_sum_from_feature_columns" by default.

    Returns:
        The sums [n, num_outputs], the variables of each column, and the bias.

    Raises:
        ValueError: a column that has neither ids nor numbers, or two of one key.
    """
    features = dict(columns_to_tensors)
    check_feature_columns(feature_columns)
    collections = _with_global(weight_collections)
    default = "weighted_sum_from_feature_columns"
    with variable_scope.variable_scope(scope, default):
        sums, found = [], {}
        transformer = Transformer(features)
        for column in _sorted(feature_columns):
            value = transformer.transform(column)
            try:
                try:
                    make = _lookup(column, value, num_outputs, trainable, collections)
                except NotImplementedError:
                    make = _product(column, value, num_outputs, trainable, collections)
            except ValueError as error:
                raise ValueError(
                    f"Error creating weighted sum for column: {column.name}.\n{error}"
                ) from error
            found[column], one = make
            sums.append(array_ops.reshape(one, [-1, num_outputs]))
            restore_from_checkpoint(column, found[column])
        total = math_ops.add_n(sums)
        out, bias = _with_bias(total, num_outputs, trainable, collections)
        return out, found, bias


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Features,
    feature_columns: Columns,
    num_outputs: int,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> tuple[ops.Tensor, dict[FeatureColumn, list[Variable]], Variable]:
    """`weighted_sum_from_feature_columns` with one variable for all columns, and one look-up.

    Only columns of ids with combiner "sum", and bucketized ones, can be in it: others are a ValueError or, without
    ids, a NotImplementedError.
    """
    features = dict(columns_to_tensors)
    check_feature_columns(feature_columns)
    collections = _with_global(weight_collections)
    default = "joint_weighted_sum_from_feature_columns"
    with variable_scope.variable_scope(scope, default):
        transformer = Transformer(features)
        columns = _sorted(feature_columns)
        ids, weights, size = [], [], 0
        for column in columns:
            arguments = column.wide_arguments(transformer.transform(column))
            if arguments.combiner != "sum":
                raise ValueError(
                    f"Combiner sum is expected for column {column.name}, got {arguments.combiner}"
                )
            here = arguments.input_tensor
            ids.append(_shifted(here, size, arguments.vocab_size))
            weights.append(_weights(arguments.weight_tensor, here))
            size += arguments.vocab_size
        variable = contrib_variables.model_variable(
            name="weights",
            shape=[size, num_outputs],
            dtype=dtypes.float32,
            initializer=init_ops.zeros_initializer(),
            trainable=trainable,
            collections=collections,
        )
        parts = parts_of(variable)
        total = embedding_ops.safe_embedding_lookup_sparse(
            parts,
            sparse_ops.sparse_concat(1, ids),
            sparse_weights=sparse_ops.sparse_concat(1, weights),
            combiner="sum",
            name="joint_weights",
        )
        out, bias = _with_bias(total, num_outputs, trainable, collections)
        return out, dict.fromkeys(columns, parts), bias


def _shifted(
    ids: sparse_tensor.SparseTensor, first: int, count: int
) -> sparse_tensor.SparseTensor:
    """Ids behind those of the columns before; negative ones stay so."""
    values = math_ops.cast(ids.values, dtypes.int64)
    inside = math_ops.logical_and(values >= 0, values < count)
    moved = array_ops.where(inside, values + first, -array_ops.ones_like(values))
    return sparse_tensor.SparseTensor(ids.indices, moved, ids.dense_shape)


def _weights(
    weights: sparse_tensor.SparseTensor | None, ids: sparse_tensor.SparseTensor
) -> sparse_tensor.SparseTensor:
    if weights is None:
        ones = array_ops.ones_like(ids.values, dtype=dtypes.float32)
        return sparse_tensor.SparseTensor(ids.indices, ones, ids.dense_shape)
    return weights
