# SPDX-License-Identifier: Apache-2.0
"""Features of columns: parsed from examples, transformed, as placeholders, or guessed from tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.layers.python.layers.feature_column_base import FeatureColumn
from tensorwright.contrib.layers.python.layers.feature_column_dense import (
    RealValuedColumn,
    real_valued_column,
)
from tensorwright.python.feature_column._columns.feature_column_layers import (
    merged_parse_specs,
)
from tensorwright.python.framework import ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, parsing_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.tensor import Tensor


Columns = Iterable[FeatureColumn]


class Transformer:
    """Values of columns, each made once.  `columns_to_tensors` is added to."""

    def __init__(self, columns_to_tensors: dict[object, Tensor | SparseTensor]):
        self._values = columns_to_tensors

    def transform(self, column: FeatureColumn) -> Tensor | SparseTensor:
        """Returns the value of a column.

        Raises:
            ValueError: `column` is no column, or its feature is not there.
        """
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"{column!r} is no feature column")
        if column not in self._values:
            with ops.name_scope(column.name):
                try:
                    column.insert_transformed_feature(self._values)
                except KeyError as error:
                    raise ValueError(
                        f"Column {column.name} needs the feature {error}, which is not among "
                        f"{sorted(k for k in self._values if isinstance(k, str))}"
                    ) from error
        return self._values[column]


def check_feature_columns(feature_columns: Columns) -> None:
    """ValueError unless the columns' keys differ; a dict is none."""
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    seen: set[str] = set()
    for column in feature_columns:
        if column.key in seen:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. This usually means that the column is almost identical to another column, and one must be discarded."  # fmt: skip
            )
        seen.add(column.key)


def create_feature_spec_for_parsing(feature_columns: Columns) -> dict[str, Any]:
    """Returns the features that `tf.parse_example` must parse for the columns.

    Raises:
        ValueError: an element is no column, or two columns parse one feature in two ways.
    """
    columns = list(feature_columns)
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"{column!r} is no feature column")
    return merged_parse_specs(column.config for column in columns)


def make_place_holder_tensors_for_base_features(
    feature_columns: Columns,
) -> dict[str, Any]:
    """A placeholder of each feature that the columns need, by key."""
    placeholders: dict[str, Any] = {}
    for key, feature in create_feature_spec_for_parsing(feature_columns).items():
        if isinstance(feature, parsing_ops.VarLenFeature):
            placeholders[key] = array_ops.sparse_placeholder(
                feature.dtype, name=f"Placeholder_{key}"
            )
        else:
            placeholders[key] = array_ops.placeholder(
                feature.dtype,
                shape=[None, *feature.shape],
                name=f"Placeholder_{key}",
            )
    return placeholders


def parse_feature_columns_from_examples(
    serialized: TensorLike,
    feature_columns: Columns,
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[Any, Any]:
    """The features of serialized Examples [n] by key, and the columns' values.

    Args:
        serialized: Example protos.
        feature_columns: the columns.
        name: the name of the ops.
        example_names: [n] strings for messages.
    """
    check_feature_columns(feature_columns)
    values: dict[Any, Any] = parsing_ops.parse_example(
        serialized,
        create_feature_spec_for_parsing(feature_columns),
        name=name,
        example_names=example_names,
    )
    transformer = Transformer(values)
    for column in sorted(set(feature_columns), key=lambda c: c.key):
        transformer.transform(column)
    return values


def transform_features(
    features: dict[Any, Any], feature_columns: Columns
) -> dict[FeatureColumn, Any]:
    """The values of columns, by column: of numbers dense tensors, else ids."""
    check_feature_columns(feature_columns)
    transformer = Transformer(dict(features))
    ordered = sorted(set(feature_columns), key=lambda c: c.key)
    return {column: transformer.transform(column) for column in ordered}


def parse_feature_columns_from_sequence_examples(
    serialized: TensorLike,
    context_feature_columns: Columns | None,
    sequence_feature_columns: Columns | None,
    name: str | None = None,
    example_name: TensorLike | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one serialized SequenceExample: those of its context, and those of each step.

    Args:
        serialized: a string scalar.
        context_feature_columns: columns of the context; None: none.
        sequence_feature_columns: columns of the steps, parsed as sequences of any length; None: none.
        name: the name of the ops.
        example_name: a string for messages.
    """
    context = _fixed_as_sequences(context_feature_columns, False)
    steps = _fixed_as_sequences(sequence_feature_columns, True)
    return parsing_ops.parse_single_sequence_example(
        serialized,
        context_features=context,
        sequence_features=steps,
        example_name=example_name,
        name=name,
    )


def _fixed_as_sequences(columns: Columns | None, steps: bool) -> dict[str, Any]:
    if columns is None:
        return {}
    columns = list(columns)
    check_feature_columns(columns)
    spec = create_feature_spec_for_parsing(columns)
    if steps:
        for key, feature in spec.items():
            if isinstance(feature, parsing_ops.FixedLenFeature):
                if feature.default_value is not None:
                    raise ValueError(
                        f"Feature {key} of a sequence cannot have a default value"
                    )
                spec[key] = parsing_ops.FixedLenSequenceFeature(
                    feature.shape, feature.dtype
                )
    return spec


def _real_valued(key: str, tensor: Any) -> RealValuedColumn:
    if isinstance(tensor, sparse_tensor.SparseTensor):
        raise ValueError(f"SparseTensor is not supported for auto detection. Please define corresponding FeatureColumn for tensor {key} {tensor}.")  # fmt: skip
    tensor = ops.convert_to_tensor(tensor)
    dtype = tensor.dtype.base_dtype
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"Non integer or non floating types are not supported for auto detection. Please define corresponding FeatureColumn for tensor {key} {tensor}.")  # fmt: skip
    shape = tensor.get_shape()
    if shape.ndims is None or any(d.value is None for d in shape[1:]):
        raise ValueError(f"Shape of tensor {key} must be known to detect its dimension, got {shape}")  # fmt: skip
    return real_valued_column(
        key, dimension=max(shape[1:].num_elements() or 1, 1), dtype=dtype
    )


def infer_real_valued_columns(
    features: Any,
) -> list[RealValuedColumn]:
    """A real valued column for each feature of a dict, or one, of key "", for a tensor [n, d...].

    Raises:
        ValueError: a feature is sparse, is not numeric, or has an unknown size.
    """
    if not isinstance(features, dict):
        return [_real_valued("", features)]
    return [_real_valued(key, tensor) for key, tensor in features.items()]
