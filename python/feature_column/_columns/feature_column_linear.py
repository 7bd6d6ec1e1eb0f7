# SPDX-License-Identifier: Apache-2.0
"""Linear models of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.python.feature_column._columns.feature_column_base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    LazyBuilder,
    check_batch_sizes,
    elements_of,
    normalize_feature_columns,
    tensors_of,
)
from tensorwright.python.feature_column._columns.feature_column_layers import (
    flat,
    variables_here,
    with_model_variables,
)
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    embedding_ops,
    init_ops,
    math_ops,
    nn_ops,
    sparse_ops,
    template,
    variable_scope,
    variables,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import FeaturesLike
    from tensorwright.python.ops._variables.variables_variable import Variable


def linear_model(
    features: FeaturesLike,
    feature_columns: FeatureColumn | Iterable[FeatureColumn],
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Iterable[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[FeatureColumn | str, list[Variable]] | None = None,
) -> ops.Tensor:
    """A bias and the weighted sum of all columns: float32 [batch, units].

    A dense column has weights [elements, units], a categorical one a weight for each id, [ids, units]: its column need
    not be made dense first.  Variables are `linear_model/COLUMN/weights` and `linear_model/bias_weights`; they start
    as zeros.

    Args:
        features: as in `input_layer`.
        feature_columns: dense or categorical ones.
        units: the number of sums.
        sparse_combiner: how the weights of an example's ids of one column are combined: "sum", "mean" or "sqrtn".
        weight_collections: as in `input_layer`, like the arguments that follow.
        trainable: ...
        cols_to_vars: ... and of the bias, under "bias".

    Raises:
        ValueError: a column is neither dense nor categorical, there is none, two have one name, or a feature is
        missing.
    """
    columns = _weighable(feature_columns)
    with variable_scope.variable_scope(
        None, "linear_model", list(tensors_of(features))
    ):
        return _linear_model(
            features,
            columns,
            units,
            sparse_combiner,
            weight_collections,
            trainable,
            cols_to_vars,
        )


def _weighable(feature_columns: Any) -> list[FeatureColumn]:
    """The columns, in order of their names."""
    columns = normalize_feature_columns(feature_columns)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                "Items of feature_columns must be either a _DenseColumn or "
                f"_CategoricalColumn. Given: {column}"
            )
    return sorted(columns, key=lambda c: c.name)


def _linear_model(
    features: Mapping[Any, Any],
    columns: list[FeatureColumn],
    units: int,
    sparse_combiner: str,
    weight_collections: Iterable[str] | None,
    trainable: bool,
    cols_to_vars: dict[Any, Any] | None,
) -> ops.Tensor:
    """The model, in the scope at hand."""
    collections = with_model_variables(weight_collections)
    builder = LazyBuilder(features)
    sums = []
    for column in columns:
        with variable_scope.variable_scope(None, column._var_scope_name):
            sums.append(
                _weighted_sum(
                    column, builder, units, sparse_combiner, collections, trainable
                )
            )
            if cols_to_vars is not None:
                cols_to_vars[column] = variables_here()
    check_batch_sizes(sums, columns)
    total = math_ops.add_n(sums, name="weighted_sum_no_bias")
    bias = _zeros("bias_weights", [units], trainable, collections)
    if cols_to_vars is not None:
        is_cut = isinstance(bias, variables.PartitionedVariable)
        cols_to_vars["bias"] = list(bias) if is_cut else [bias]
    return nn_ops.bias_add(total, ops.convert_to_tensor(bias), name="weighted_sum")


class LinearModel:
    """`linear_model` that may be called several times, with the variables of the first call."""

    def __init__(
        self,
        feature_columns: FeatureColumn | Iterable[FeatureColumn],
        units: int = 1,
        sparse_combiner: str = "sum",
        weight_collections: Iterable[str] | None = None,
        trainable: bool = True,
        name: str | None = None,
    ):
        """A model whose variables are in the scope `name`, "linear_model" if it is None; arguments as in `linear_model`."""
        columns = _weighable(feature_columns)
        self._name = name or "linear_model"
        self._cols_to_vars: dict[Any, Any] = {}

        def model(features: Mapping[Any, Any]) -> ops.Tensor:
            return _linear_model(
                features,
                columns,
                units,
                sparse_combiner,
                weight_collections,
                trainable,
                self._cols_to_vars,
            )

        self._template = template.make_template(
            self._name, model, create_scope_now_=True
        )

    def __call__(self, features: FeaturesLike) -> ops.Tensor:
        """float32 [batch, units], as of `linear_model`."""
        return self._template(features=features)

    def cols_to_vars(self) -> dict[FeatureColumn | str, list[Variable]]:
        """The variables of each column, and of the bias under "bias"; empty before the first call."""
        return self._cols_to_vars

    @property
    def name(self) -> str:
        return self._name

    @property
    def bias(self) -> Variable:
        """The variable of the bias, [units]; KeyError before the first call."""
        return self._cols_to_vars["bias"][0]

    @property
    def variables(self) -> list[Variable]:
        """All variables of the model; empty before the first call."""
        return self._template.variables

    @property
    def trainable_variables(self) -> list[Variable]:
        return self._template.trainable_variables

    weights = variables
    trainable_weights = trainable_variables


def _zeros(name: str, shape: list[int], trainable: bool, collections: list[str]) -> Any:
    return variable_scope.get_variable(
        name,
        shape=shape,
        dtype=dtypes.float32,
        initializer=init_ops.zeros_initializer(),
        trainable=trainable,
        collections=collections,
    )


def _weighted_sum(
    column: FeatureColumn,
    builder: LazyBuilder,
    units: int,
    sparse_combiner: str,
    collections: list[str],
    trainable: bool,
) -> ops.Tensor:
    """[batch, units], with variables in the scope at hand."""
    # A bucketized column is both categorical and dense; looking up its ids is cheaper.
    if isinstance(column, CategoricalColumn):
        ids, weights = column._get_sparse_tensors(
            builder, weight_collections=collections, trainable=trainable
        )
        ids = _as_matrix(ids)
        return embedding_ops.safe_embedding_lookup_sparse(
            _zeros("weights", [column._num_buckets, units], trainable, collections),
            ids,
            sparse_weights=None if weights is None else _as_matrix(weights),
            combiner=sparse_combiner,
            name="weighted_sum",
        )
    if not isinstance(column, DenseColumn):
        raise TypeError(f"neither dense nor categorical: {column}")
    tensor = column._get_dense_tensor(
        builder, weight_collections=collections, trainable=trainable
    )
    weights = _zeros("weights", [elements_of(column), units], trainable, collections)
    return math_ops.matmul(
        flat(tensor, column), ops.convert_to_tensor(weights), name="weighted_sum"
    )


def _as_matrix(tensor: Any) -> Any:
    """A SparseTensor [batch, ...] as [batch, all]."""
    if tensor.get_shape().ndims == 2:
        return tensor
    sizes = array_ops.shape(tensor)
    return sparse_ops.sparse_reshape(
        tensor, [sizes[0], math_ops.reduce_prod(sizes[1:])]
    )
