# SPDX-License-Identifier: Apache-2.0
"""Parsing specs for classifiers and regressions: features, label and weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.feature_column import feature_column as fc
from tensorwright.python.framework import dtypes
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import parsing_ops

if TYPE_CHECKING:
    from tensorwright.python.feature_column._columns.feature_column_base import (
        FeatureColumn,
    )
    from tensorwright.python.framework.type_aliases import ParseSpec


__all__ = ["classifier_parse_example_spec", "regressor_parse_example_spec"]


def classifier_parse_example_spec(
    feature_columns: Iterable[FeatureColumn] | None,
    label_key: str,
    label_dtype: DTypeLike = dtypes.int64,
    label_default: TensorLike | None = None,
    weight_column: str | FeatureColumn | None = None,
) -> dict[str, ParseSpec]:
    """Returns the features that `tf.parse_example` must parse for a classifier.

    Args:
        feature_columns: the columns of the classifier's features.
        label_key: the key of the label; each example has one.
        label_dtype: int64, or string if the classifier has a vocabulary of labels.
        label_default: the label of an example that has none; if None, such an example is an error.
        weight_column: the key of the weights, or a numeric column.

    Raises:
        ValueError: the label's or the weights' key is a feature's.
    """
    label = parsing_ops.FixedLenFeature((1,), label_dtype, label_default)
    return _spec(feature_columns, label_key, label, weight_column)


def regressor_parse_example_spec(
    feature_columns: Iterable[FeatureColumn] | None,
    label_key: str,
    label_dtype: DTypeLike = dtypes.float32,
    label_default: TensorLike | None = None,
    label_dimension: int = 1,
    weight_column: str | FeatureColumn | None = None,
) -> dict[str, ParseSpec]:
    """As `classifier_parse_example_spec`, for a regression of `label_dimension` numbers.

    Raises:
        ValueError: the label's or the weights' key is a feature's.
    """
    label = parsing_ops.FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _spec(feature_columns, label_key, label, weight_column)


def _spec(columns: Any, label_key: str, label: Any, weight_column: Any) -> Any:
    found = fc.make_parse_example_spec(columns)
    if label_key in found:
        raise ValueError(
            f"label should not be used as feature. label_key: {label_key}, features: {sorted(found)}"
        )
    found[label_key] = label
    if weight_column is None:
        return found
    if isinstance(weight_column, str):
        weight_column = fc.numeric_column(weight_column)
    if not isinstance(weight_column, fc._NumericColumn):
        raise ValueError(
            "weight_column should be an instance of tf.feature_column.numeric_column. "
            f"Given type: {type(weight_column)} value: {weight_column}"
        )
    key = weight_column.key
    if key in found:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {key}, features: {sorted(found)}"
        )
    found.update(fc.make_parse_example_spec([weight_column]))
    return found
