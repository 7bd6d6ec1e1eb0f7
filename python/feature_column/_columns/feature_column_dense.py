# SPDX-License-Identifier: Apache-2.0
"""Categorical columns as floats: counts of ids, and embeddings."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.feature_column._columns.feature_column_base import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    LazyBuilder,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    sequence_length,
)
from tensorwright.python.feature_column._columns.feature_column_categorical import (
    WeightedCategoricalColumn,
)
from tensorwright.python.feature_column._columns.feature_column_sequence import (
    SequenceCategoricalColumn,
)
from tensorwright.python.framework import dtypes, ops, sparse_tensor, tensor_shape
from tensorwright.python.framework.type_aliases import InitializerLike
from tensorwright.python.ops import (
    array_ops,
    embedding_ops,
    init_ops,
    math_ops,
    sparse_ops,
    variable_scope,
    variables,
)
from tensorwright.python.training import checkpoint_utils


class _OfCategories(DenseColumn, SequenceDenseColumn):
    """The base of columns over a `categorical_column`; derived classes define `_dense_of`."""

    categorical_column: CategoricalColumn

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column._parse_example_spec

    def _transform_feature(self, inputs: LazyBuilder) -> Any:
        return inputs.get(self.categorical_column)

    def _dense_of(
        self,
        inputs: LazyBuilder,
        ids: IdWeightPair,
        weight_collections: list[str] | None,
        trainable: bool | None,
    ) -> ops.Tensor:
        raise NotImplementedError

    def _get_dense_tensor(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> ops.Tensor:
        if isinstance(self.categorical_column, SequenceCategoricalColumn):
            raise ValueError(
                f"In {self.name}: categorical_column must not be of type "
                "_SequenceCategoricalColumn; input_layer takes a categorical_column_with_*, "
                f"sequence_input_layer a sequence. Given: {self.categorical_column}"
            )
        ids = self.categorical_column._get_sparse_tensors(
            inputs, weight_collections, trainable
        )
        return self._dense_of(inputs, ids, weight_collections, trainable)

    def _get_sequence_dense_tensor(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> TensorSequenceLengthPair:
        if not isinstance(self.categorical_column, SequenceCategoricalColumn):
            raise ValueError(
                f"In {self.name}: categorical_column must be of type "
                "_SequenceCategoricalColumn to use sequence_input_layer; make it with "
                f"sequence_categorical_column_with_*. Given: {self.categorical_column}"
            )
        ids = self.categorical_column._get_sparse_tensors(
            inputs, weight_collections, trainable
        )
        dense = self._dense_of(inputs, ids, weight_collections, trainable)
        return TensorSequenceLengthPair(dense, sequence_length(ids.id_tensor))


def counts_of_ids(
    ids: sparse_tensor.SparseTensor,
    weights: sparse_tensor.SparseTensor | None,
    depth: int,
) -> ops.Tensor:
    """Returns how often an example has each id below `depth`, or the sum of its weights: [batch, ..., depth]."""
    if weights is not None:
        merged = sparse_ops.sparse_merge(
            sp_ids=ids, sp_values=weights, vocab_size=depth
        )
        # Ids of -1, words that no vocabulary has, are cut off.
        start = array_ops.zeros_like(merged.dense_shape)
        merged = sparse_ops.sparse_slice(merged, start, merged.dense_shape)
        # An id may come twice, which no sparse tensor allows.
        return array_ops.scatter_nd(merged.indices, merged.values, merged.dense_shape)
    dense = sparse_ops.sparse_tensor_to_dense(ids, default_value=-1)
    ones = array_ops.one_hot(dense, depth=depth, on_value=1.0, off_value=0.0)
    return math_ops.reduce_sum(ones, axis=[-2])


@dataclasses.dataclass(frozen=True)
class IndicatorColumn(_OfCategories):
    """See `indicator_column`."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def _variable_shape(self) -> tensor_shape.TensorShape:
        return tensor_shape.TensorShape([1, self.categorical_column._num_buckets])

    def _transform_feature(self, inputs: LazyBuilder) -> ops.Tensor:
        """`counts_of_ids`: [batch, ..., ids]."""
        column = self.categorical_column
        return counts_of_ids(*column._get_sparse_tensors(inputs), column._num_buckets)

    def _dense_of(
        self,
        inputs: LazyBuilder,
        ids: IdWeightPair,
        weight_collections: list[str] | None,
        trainable: bool | None,
    ) -> ops.Tensor:
        return inputs.get(self)


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """A column that counts how often an example has each id of a categorical column, or sums the weights of each.

    Example:
        words = tf.feature_column.categorical_column_with_vocabulary_list("word", ["bob", "george", "wanda"])
        columns = [tf.feature_column.indicator_column(words)]
        tf.feature_column.input_layer({"word": [["bob", "wanda"], ["bob", "bob"]]}, columns)  # [[1, 0, 1], [2, 0, 0]]
    """
    return IndicatorColumn(categorical_column)


class _Embedding(_OfCategories):
    """A row of a table for each id; derived classes have `_weights` and the fields."""

    dimension: int
    combiner: str
    initializer: Callable[..., Any]
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool

    @property
    def _variable_shape(self) -> tensor_shape.TensorShape:
        return tensor_shape.TensorShape([self.dimension])

    @property
    def _table_shape(self) -> list[int]:
        return [self.categorical_column._num_buckets, self.dimension]

    def _new_weights(
        self, weight_collections: list[str] | None, trainable: bool | None
    ) -> Any:
        """A variable, or its parts, in the scope at hand."""
        if weight_collections and ops.GraphKeys.GLOBAL_VARIABLES not in (
            weight_collections
        ):
            weight_collections = [*weight_collections, ops.GraphKeys.GLOBAL_VARIABLES]
        return variable_scope.get_variable(
            name="embedding_weights",
            shape=self._table_shape,
            dtype=dtypes.float32,
            initializer=self.initializer,
            trainable=bool(self.trainable and (trainable is None or trainable)),
            collections=weight_collections,
        )

    def _restore(self, weights: Any) -> None:
        if self.ckpt_to_load_from is None:
            return
        assert self.tensor_name_in_ckpt is not None  # A column has both or neither.
        if isinstance(weights, variables.PartitionedVariable):
            weights = list(weights)
        checkpoint_utils.init_from_checkpoint(
            self.ckpt_to_load_from, {self.tensor_name_in_ckpt: weights}
        )

    def _look_up(self, weights: Any, ids: IdWeightPair) -> ops.Tensor:
        """The rows of each example's ids, combined: [batch, ..., dimension]."""
        look_up = embedding_ops.safe_embedding_lookup_sparse
        more: dict[str, Any] = {}
        rank = ids.id_tensor.get_shape().ndims
        if not self.use_safe_embedding_lookup and rank is not None and rank <= 2:
            look_up = embedding_ops.embedding_lookup_sparse
            # Parts of a variable are ranges of its rows.
            more["partition_strategy"] = "div"
        return look_up(
            weights,
            ids.id_tensor,
            ids.weight_tensor,
            combiner=self.combiner,
            name=f"{self.name}_weights",
            max_norm=self.max_norm,
            **more,
        )


@dataclasses.dataclass(frozen=True)
class EmbeddingColumn(_Embedding):
    """See `embedding_column`."""

    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Callable[..., Any]
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"

    def _dense_of(
        self,
        inputs: LazyBuilder,
        ids: IdWeightPair,
        weight_collections: list[str] | None,
        trainable: bool | None,
    ) -> ops.Tensor:
        weights = self._new_weights(weight_collections, trainable)
        self._restore(weights)
        return self._look_up(weights, ids)


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Maps each id to a trained vector, and combines the vectors of an example: [batch, dimension].

    The table is the variable `embedding_weights` [ids, dimension] of the column's scope.

    Args:
        categorical_column: provides the ids; its weights count.
        dimension: the length of a vector.
        combiner: "mean", "sqrtn" or "sum"; see `tf.nn.embedding_lookup_sparse`.
        initializer: the table's initializer; None for a truncated normal of deviation 1 / sqrt(dimension).
        ckpt_to_load_from: a checkpoint, or a folder of checkpoints, from which the table is initialized.
        tensor_name_in_ckpt: the table's name there.
        max_norm: longer vectors are scaled down to this l2 norm.
        trainable: whether the table is trained.
        use_safe_embedding_lookup: whether examples without ids get zeros; if not, each example must have ids, and
            they must be in the table.  Ids of more than two dimensions are looked up safely in any case.

    Raises:
        ValueError: `dimension` is less than one, one of the two arguments about checkpoints is given without the other,
            or `initializer` is not callable.
    """
    initializer = _checked_embedding(
        categorical_column.name,
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
    )
    return EmbeddingColumn(
        categorical_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
        use_safe_embedding_lookup,
    )


def _checked_embedding(
    of: str,
    dimension: Any,
    initializer: Any,
    ckpt_to_load_from: Any,
    tensor_name_in_ckpt: Any,
) -> Callable[..., Any]:
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
    if initializer is None:
        return init_ops.truncated_normal_initializer(
            mean=0.0, stddev=1 / math.sqrt(dimension)
        )
    if not callable(initializer):
        raise ValueError(
            "initializer must be callable if specified. "
            f"Embedding of column_name: {of}, given: {initializer!r}"
        )
    return initializer


def check_checkpoint(
    ckpt_to_load_from: str | None, tensor_name_in_ckpt: str | None
) -> None:
    """ValueError for one without the other."""
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of "
            "them."
        )


@dataclasses.dataclass(frozen=True)
class SharedEmbeddingColumn(_Embedding):
    """See `shared_embedding_columns`."""

    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Callable[..., Any]
    shared_embedding_collection_name: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def _var_scope_name(self) -> str:
        return self.shared_embedding_collection_name

    def _dense_of(
        self,
        inputs: LazyBuilder,
        ids: IdWeightPair,
        weight_collections: list[str] | None,
        trainable: bool | None,
    ) -> ops.Tensor:
        # The outer scope is named after the shared columns, so the ops of a column need a scope of their own.
        with ops.name_scope(None, self.name):
            weights = self._shared_weights(weight_collections, trainable)
            self._restore(weights)
            return self._look_up(weights, ids)

    def _shared_weights(
        self, weight_collections: list[str] | None, trainable: bool | None
    ) -> Any:
        """The one element of the collection, made by the first column that is used."""
        name = self.shared_embedding_collection_name
        found = ops.get_collection(name)
        if not found:
            weights = self._new_weights(weight_collections, trainable)
            ops.add_to_collection(name, weights)
            return weights
        if len(found) > 1:
            raise ValueError(
                f"Collection {name} can only contain one variable, the shared embedding. "
                "Choose another shared_embedding_collection_name, or add nothing to it. "
                f"Given: {found}"
            )
        if found[0].get_shape().as_list() != self._table_shape:
            raise ValueError(
                f"Shared embedding collection {name} contains variable {found[0].name} of "
                f"unexpected shape {found[0].get_shape()}. Expected shape is "
                f"{self._table_shape}. Choose another shared_embedding_collection_name, or "
                "add nothing to it."
            )
        return found[0]


def shared_embedding_columns(
    categorical_columns: Sequence[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:
    """An embedding column for each categorical column, all of one table.

    Args:
        categorical_columns: columns of one kind (with weights or without) and as many ids.
        dimension: the size of the vectors.
        combiner: as in `embedding_column`, like the arguments that follow.
        initializer: ...
        shared_embedding_collection_name: the collection that the table is found in, and the scope of the variable;
            None: the columns' names, sorted, and "_shared_embedding".
        ckpt_to_load_from: ...
        tensor_name_in_ckpt: ...
        max_norm: ...
        trainable: ...
        use_safe_embedding_lookup: ...

    Returns:
        The columns, in order.

    Raises:
        ValueError: as in `embedding_column`, or columns of several kinds or with different numbers of ids.
    """
    ordered = sorted(categorical_columns, key=lambda c: c.name)
    initializer = _checked_embedding(
        ", ".join(c.name for c in ordered),
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
    )
    _check_shared(ordered)
    if not shared_embedding_collection_name:
        names = "_".join(c.name for c in ordered)
        shared_embedding_collection_name = f"{names}_shared_embedding"
    return [
        SharedEmbeddingColumn(
            column,
            dimension,
            combiner,
            initializer,
            shared_embedding_collection_name,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm,
            trainable,
            use_safe_embedding_lookup,
        )
        for column in categorical_columns
    ]


def _check_shared(columns: Sequence[CategoricalColumn]) -> None:
    """Raises ValueError for columns that cannot share a table."""

    def kind(column: Any) -> type:
        if isinstance(column, WeightedCategoricalColumn):
            column = column.categorical_column
        return type(column)

    first = columns[0]
    for column in columns:
        if not isinstance(column, CategoricalColumn):
            raise ValueError(
                "All categorical_columns must be subclasses of _CategoricalColumn. "
                f"Given: {column}, of type: {type(column)}"
            )
        if kind(column) is not kind(first):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same "
                "type, or be weighted_categorical_column of the same type. Given column: "
                f"{first} of type: {kind(first)} does not match given column: {column} of "
                f"type: {kind(column)}"
            )
        if column._num_buckets != first._num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same "
                f"number of buckets. Given column: {first} with buckets: "
                f"{first._num_buckets} does not match given column: {column} with buckets: "
                f"{column._num_buckets}"
            )
