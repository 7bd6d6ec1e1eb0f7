# SPDX-License-Identifier: Apache-2.0
"""The first layer of a recurrent network from sequence columns.

watches = tf.feature_column.sequence_categorical_column_with_identity("watches", 1000)
columns = [tf.feature_column.embedding_column(watches, 10)]
inputs, lengths = sequence_input_layer(features, columns)
outputs, state = tf.nn.dynamic_rnn(cell, inputs, lengths, dtype=tf.float32)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.feature_column._columns.feature_column_base import (
    FeatureColumn,
    LazyBuilder,
    SequenceDenseColumn,
    check_batch_sizes,
    elements_of,
    normalize_feature_columns,
    tensors_of,
)
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    math_ops,
    variable_scope,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import FeaturesLike


def sequence_input_layer(
    features: FeaturesLike,
    feature_columns: FeatureColumn | Iterable[FeatureColumn],
    weight_collections: Iterable[str] | None = None,
    trainable: bool = True,
) -> tuple[ops.Tensor, ops.Tensor]:
    """Sequence columns side by side, in order of their names.

    Args:
        features: Tensors, SparseTensors or values by key.
        feature_columns: sequence_numeric_column, or embeddings and indicators of sequence_categorical_column_with_*.
        weight_collections: where variables go, besides GLOBAL_VARIABLES and MODEL_VARIABLES.
        trainable: whether they are trained.

    Returns:
        (float32 [batch, steps, elements of all], how many steps each example has: int64 [batch]).  That the columns
        agree about the steps is checked in the run.

    Raises:
        ValueError: a column of another kind, no column, two of one name, or a feature that is missing.
    """
    columns: list[SequenceDenseColumn] = []
    for column in normalize_feature_columns(feature_columns):
        if not isinstance(column, SequenceDenseColumn):
            raise ValueError(
                "All feature_columns must be of type _SequenceDenseColumn; "
                "embedding_column or indicator_column make one of a "
                f"sequence_categorical_column. Given (type {type(column)}): {column}"
            )
        columns.append(column)
    collections = list(weight_collections or [])
    for needed in (ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.MODEL_VARIABLES):
        if needed not in collections:
            collections.append(needed)
    columns.sort(key=lambda c: c.name)
    with variable_scope.variable_scope(
        None, "sequence_input_layer", list(tensors_of(features))
    ):
        builder = LazyBuilder(features)
        outputs, lengths = [], []
        for column in columns:
            with variable_scope.variable_scope(None, column._var_scope_name):
                dense, length = column._get_sequence_dense_tensor(
                    builder, weight_collections=collections, trainable=trainable
                )
                sizes = array_ops.shape(dense)
                flat = array_ops.reshape(
                    dense, [sizes[0], sizes[1], elements_of(column)]
                )
                outputs.append(math_ops.cast(flat, dtypes.float32))
                lengths.append(length)
        check_batch_sizes(outputs, columns)
        check_batch_sizes(lengths, columns)
        return array_ops.concat(outputs, -1), _all_equal(lengths)


def _all_equal(tensors: list[ops.Tensor]) -> ops.Tensor:
    """Returns the first tensor; InvalidArgumentError in the run if another differs."""
    with ops.name_scope(None, "assert_all_equal", tensors):
        if len(tensors) == 1:
            return tensors[0]
        checks = [check_ops.assert_equal(tensors[0], t) for t in tensors[1:]]
        return control_flow_ops.with_dependencies(checks, tensors[0])


def concatenate_context_input(
    context_input: TensorLike, sequence_input: TensorLike
) -> ops.Tensor:
    """Appends a context to each step of a sequence: [batch, m], [batch, steps, n] -> [batch, steps, n + m].

    Raises:
        ValueError: a tensor has another rank, or is not float32.  A rank that only the run knows raises
            InvalidArgumentError there.
    """
    sequence = _checked(sequence_input, "sequence_input", 3)
    context = _checked(context_input, "context_input", 2)
    steps = array_ops.shape(sequence)[1]
    everywhere = array_ops.tile(
        array_ops.expand_dims(context, 1), array_ops.stack([1, steps, 1])
    )
    return array_ops.concat([sequence, everywhere], 2)


def _checked(value: Any, name: str, rank: int) -> ops.Tensor:
    tensor = ops.convert_to_tensor(value, name=name)
    if tensor.dtype.base_dtype != dtypes.float32:
        raise ValueError(f"{name} must have dtype float32, got {tensor.dtype}")
    check = check_ops.assert_rank(tensor, rank, message=f"{name} must have rank {rank}")
    if check is None:
        return tensor
    with ops.control_dependencies([check]):
        return array_ops.identity(tensor)
