# SPDX-License-Identifier: Apache-2.0
"""The first layer of a network from columns, and the features that an Example must have."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.python.feature_column._columns.feature_column_base import (
    DenseColumn,
    FeatureColumn,
    LazyBuilder,
    check_batch_sizes,
    elements_of,
    normalize_feature_columns,
    tensors_of,
)
from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, template, variable_scope

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import FeaturesLike, ParseSpec
    from tensorwright.python.ops._variables.variables_variable import Variable


def with_model_variables(collections: Iterable[str] | None) -> list[str]:
    names = list(collections or [])
    for needed in (ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.MODEL_VARIABLES):
        if needed not in names:
            names.append(needed)
    return names


def variables_here() -> list[Variable]:
    """The variables of the scope at hand."""
    scope = variable_scope.get_variable_scope().name
    return [
        v
        for v in ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES)
        if v.op.name.startswith(f"{scope}/")
    ]


def flat(tensor: ops.Tensor, column: DenseColumn) -> ops.Tensor:
    """[batch] + the column's shape as [batch, elements]."""
    elements = elements_of(column)
    return array_ops.reshape(tensor, [array_ops.shape(tensor)[0], elements])


def input_layer(
    features: FeaturesLike,
    feature_columns: FeatureColumn | Iterable[FeatureColumn],
    weight_collections: Iterable[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[FeatureColumn, list[Variable]] | None = None,
    cols_to_output_tensors: dict[FeatureColumn, ops.Tensor] | None = None,
) -> ops.Tensor:
    """Dense columns side by side, in order of their names: float32 [batch, elements of all].

    Variables are `input_layer/COLUMN/...`: a second layer of the same graph is `input_layer_1`.

    Args:
        features: Tensors, SparseTensors or values by key; vectors count as [batch, 1].
        feature_columns: dense ones: numeric, bucketized, embedding, indicator.
        weight_collections: where variables go, besides GLOBAL_VARIABLES and MODEL_VARIABLES.
        trainable: whether they are trained.
        cols_to_vars: gets a list of the variables of each column.
        cols_to_output_tensors: gets each column's part, [batch, elements].

    Raises:
        ValueError: a column that is not dense, no column, two of one name, or a feature that is missing.

    Example:
        price = tf.feature_column.numeric_column("price")
        words = tf.feature_column.categorical_column_with_hash_bucket("word", 10_000)
        columns = [price, tf.feature_column.embedding_column(words, 16)]
        features = tf.parse_example(serialized, tf.feature_column.make_parse_example_spec(columns))
        net = tf.feature_column.input_layer(features, columns)
    """
    return _internal_input_layer(
        features,
        feature_columns,
        weight_collections,
        trainable,
        cols_to_vars,
        cols_to_output_tensors=cols_to_output_tensors,
    )


def _internal_input_layer(
    features: FeaturesLike,
    feature_columns: FeatureColumn | Iterable[FeatureColumn],
    weight_collections: Iterable[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[FeatureColumn, list[Variable]] | None = None,
    scope: Any = None,
    cols_to_output_tensors: dict[FeatureColumn, ops.Tensor] | None = None,
    from_template: bool = False,
) -> ops.Tensor:
    """`input_layer` with its variables in a given scope.

    `scope` is a variable scope or its name, None for a new one named input_layer; `from_template`: the scope at hand
    is taken instead.
    """
    columns = _dense(feature_columns)
    around: Any = contextlib.nullcontext()
    if not from_template:
        around = variable_scope.variable_scope(
            scope, "input_layer", list(tensors_of(features))
        )
    with around:
        return _input_layer(
            features,
            columns,
            weight_collections,
            trainable,
            cols_to_vars,
            cols_to_output_tensors,
        )


def _dense(feature_columns: Any) -> list[DenseColumn]:
    """The columns, in order of their names."""
    columns: list[DenseColumn] = []
    for column in normalize_feature_columns(feature_columns):
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn; embedding_column or "
                f"indicator_column make one of a categorical column. Given: {column}"
            )
        columns.append(column)
    return sorted(columns, key=lambda c: c.name)


def _input_layer(
    features: Mapping[Any, Any],
    columns: list[DenseColumn],
    weight_collections: Iterable[str] | None,
    trainable: bool,
    cols_to_vars: dict[Any, Any] | None,
    cols_to_output_tensors: dict[Any, Any] | None,
) -> ops.Tensor:
    """The layer, in the scope at hand."""
    collections = with_model_variables(weight_collections)
    builder = LazyBuilder(features)
    outputs = []
    for column in columns:
        with variable_scope.variable_scope(None, column._var_scope_name):
            tensor = column._get_dense_tensor(
                builder, weight_collections=collections, trainable=trainable
            )
            outputs.append(flat(tensor, column))
            if cols_to_vars is not None:
                cols_to_vars[column] = variables_here()
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = outputs[-1]
    check_batch_sizes(outputs, columns)
    return array_ops.concat(outputs, 1)


class InputLayer:
    """`input_layer` that may be called several times, with the variables of the first call."""

    def __init__(
        self,
        feature_columns: FeatureColumn | Iterable[FeatureColumn],
        weight_collections: Iterable[str] | None = None,
        trainable: bool = True,
        cols_to_vars: dict[FeatureColumn, list[Variable]] | None = None,
        name: str = "feature_column_input_layer",
        create_scope_now: bool = True,
    ):
        """A layer whose variables are in the scope `name`; arguments as in `input_layer`.

        `create_scope_now`: the scope belongs to the place of this call, not to that of the layer's first call.
        """
        columns = _dense(feature_columns)
        self._name = name

        def layer(features: Mapping[Any, Any]) -> ops.Tensor:
            return _input_layer(
                features, columns, weight_collections, trainable, cols_to_vars, None
            )

        self._template = template.make_template(
            name, layer, create_scope_now_=create_scope_now
        )

    def __call__(self, features: FeaturesLike) -> ops.Tensor:
        """As `input_layer`."""
        return self._template(features=features)

    @property
    def name(self) -> str:
        return self._name

    @property
    def variables(self) -> list[Variable]:
        """All variables of the layer; empty before the first call."""
        return self._template.variables

    @property
    def trainable_variables(self) -> list[Variable]:
        return self._template.trainable_variables

    @property
    def non_trainable_variables(self) -> list[Variable]:
        return self._template.non_trainable_variables

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables


def make_parse_example_spec(
    feature_columns: Iterable[FeatureColumn],
) -> dict[str, ParseSpec]:
    """Returns the features that `tf.parse_example` must parse for columns: {key: FixedLenFeature or VarLenFeature}.

    Raises:
        ValueError: an element is no column, or two columns need one feature differently.
    """
    columns = list(feature_columns)
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"All feature_columns must be _FeatureColumn instances. Given: {column}"
            )
    return merged_parse_specs(column._parse_example_spec for column in columns)


def merged_parse_specs(
    specs: Iterable[Mapping[str, ParseSpec]],
) -> dict[str, ParseSpec]:
    """Returns the features of all of `specs`; ValueError for a key that two of them parse differently."""
    spec: dict[str, Any] = {}
    for part in specs:
        for key, feature in part.items():
            if spec.setdefault(key, feature) != feature:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. "
                    f"Given {feature} and {spec[key]}"
                )
    return spec
