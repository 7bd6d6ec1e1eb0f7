# SPDX-License-Identifier: Apache-2.0
"""The first layer of a network from columns, linear models of columns, and the features that an Example must have."""

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
    from tensorwright.python.framework.type_aliases import FeaturesLike, ParseSpec
    from tensorwright.python.ops._variables.variables_variable import Variable


def _with_model_variables(collections: Iterable[str] | None) -> list[str]:
    names = list(collections or [])
    for needed in (ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.MODEL_VARIABLES):
        if needed not in names:
            names.append(needed)
    return names


def _variables_here() -> list[Any]:
    """The variables of the scope at hand."""
    scope = variable_scope.get_variable_scope().name
    return [
        v
        for v in ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES)
        if v.op.name.startswith(f"{scope}/")
    ]


def _flat(tensor: ops.Tensor, column: DenseColumn) -> ops.Tensor:
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
    columns = _dense(feature_columns)
    with variable_scope.variable_scope(None, "input_layer", list(tensors_of(features))):
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
    collections = _with_model_variables(weight_collections)
    builder = LazyBuilder(features)
    outputs = []
    for column in columns:
        with variable_scope.variable_scope(None, column._var_scope_name):
            tensor = column._get_dense_tensor(
                builder, weight_collections=collections, trainable=trainable
            )
            outputs.append(_flat(tensor, column))
            if cols_to_vars is not None:
                cols_to_vars[column] = _variables_here()
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
    columns = normalize_feature_columns(feature_columns)
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                "Items of feature_columns must be either a _DenseColumn or "
                f"_CategoricalColumn. Given: {column}"
            )
    columns.sort(key=lambda c: c.name)
    collections = _with_model_variables(weight_collections)
    with variable_scope.variable_scope(
        None, "linear_model", list(tensors_of(features))
    ):
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
                    cols_to_vars[column] = _variables_here()
        check_batch_sizes(sums, columns)
        total = math_ops.add_n(sums, name="weighted_sum_no_bias")
        bias = _zeros("bias_weights", [units], trainable, collections)
        if cols_to_vars is not None:
            is_cut = isinstance(bias, variables.PartitionedVariable)
            cols_to_vars["bias"] = list(bias) if is_cut else [bias]
        return nn_ops.bias_add(total, ops.convert_to_tensor(bias), name="weighted_sum")


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
        _flat(tensor, column), ops.convert_to_tensor(weights), name="weighted_sum"
    )


def _as_matrix(tensor: Any) -> Any:
    """A SparseTensor [batch, ...] as [batch, all]."""
    if tensor.get_shape().ndims == 2:
        return tensor
    sizes = array_ops.shape(tensor)
    return sparse_ops.sparse_reshape(
        tensor, [sizes[0], math_ops.reduce_prod(sizes[1:])]
    )


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
