# SPDX-License-Identifier: Apache-2.0
"""Columns with dense values: numbers, buckets, embeddings, one-hot codes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorwright.contrib.layers.python.layers.feature_column_base import (
    ZEROS,
    EmbeddingLookupArguments,
    FeatureColumn,
    at_rank,
    sparse_input,
)
from tensorwright.contrib.layers.python.layers.feature_column_sparse import (
    CrossedColumn,
    IdColumn,
    SparseColumn,
    WeightedSparseColumn,
    checked_combiner,
)
from tensorwright.python.feature_column._columns import (
    feature_column_dense as core_dense,
    feature_column_numeric as core_numeric,
)
from tensorwright.python.feature_column._columns.feature_column_base import LazyBuilder
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    InitializerLike,
    TensorLike,
)
from tensorwright.python.ops import (
    array_ops,
    gen_math_ops,
    init_ops,
    math_ops,
    parsing_ops,
)
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import ParseSpec
    from tensorwright.python.ops._parsing.parsing_ops_features import (
        FixedLenFeature,
        VarLenFeature,
    )


@dataclasses.dataclass(frozen=True)
class RealValuedColumn(FeatureColumn):
    """See `real_valued_column`."""

    column_name: str
    dimension: int
    default_value: tuple[Any, ...] | None
    dtype: dtypes.DType
    normalizer: Callable | None

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def config(self) -> dict[str, FixedLenFeature]:
        default = None if self.default_value is None else list(self.default_value)
        feature = parsing_ops.FixedLenFeature([self.dimension], self.dtype, default)
        return {self.column_name: feature}

    def insert_transformed_feature(
        self, columns_to_tensors: dict[object, Tensor | SparseTensor]
    ) -> None:
        tensor = columns_to_tensors[self.name]
        if isinstance(tensor, sparse_tensor.SparseTensor):
            raise ValueError(f"Column {self.name} must be dense, got a SparseTensor")
        tensor = ops.convert_to_tensor(tensor)
        if self.normalizer is not None:
            tensor = self.normalizer(tensor)
        columns_to_tensors[self] = math_ops.cast(tensor, dtypes.float32)

    def to_dnn_input_layer(
        self, transformed: TensorLike | SparseTensor, output_rank: int = 2
    ) -> ops.Tensor:
        tensor = at_rank(transformed, self.name, output_rank)
        if output_rank == 2:
            tensor = array_ops.reshape(tensor, [-1, self.dimension])
        return tensor

    def to_dense_tensor(self, transformed: Tensor | SparseTensor) -> ops.Tensor:
        return self.to_dnn_input_layer(transformed)


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer: Callable | None = None,
) -> RealValuedColumn:
    """Numbers: [n, dimension].

    Args:
        column_name: the feature's key.
        dimension: how many an example has.
        default_value: the value of examples without the feature: a number, or `dimension` numbers.
        dtype: a number dtype.
        normalizer: a function of the tensor.

    Raises:
        TypeError: a dimension that is no int, a normalizer that is not callable, or a default of another kind.
        ValueError: a dimension less than 1, a dtype that is not of numbers, or not as many defaults.
    """
    if not isinstance(dimension, compat.integral_types):
        raise TypeError(f"dimension must be an integer. dimension: {dimension}, column_name: {column_name}")  # fmt: skip
    if dimension < 1:
        raise ValueError(f"dimension must be greater than 0. dimension: {dimension}, column_name: {column_name}")  # fmt: skip
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}")  # fmt: skip
    if normalizer is not None and not callable(normalizer):
        raise TypeError(f"normalizer must be a callable. Given: {normalizer}")
    default = None
    if default_value is not None:
        default = _defaults(default_value, dimension, dtype, column_name)
    return RealValuedColumn(column_name, dimension, default, dtype, normalizer)


def _defaults(value: Any, dimension: int, dtype: Any, name: str) -> tuple[Any, ...]:
    values = np.asarray(value).reshape(-1).tolist()
    if np.ndim(value) == 0:
        values *= dimension
    if len(values) != dimension:
        raise ValueError(
            f"The length of default_value must be equal to dimension. default_value: {value}, dimension: {dimension}, column_name: {name}"  # fmt: skip
        )
    for v in values:
        integral = isinstance(v, int) or (isinstance(v, float) and v.is_integer())
        if not isinstance(v, (int, float)) or (dtype.is_integer and not integral):
            raise TypeError(
                f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, column_name: {name}"  # fmt: skip
            )
    return tuple(int(v) if dtype.is_integer else float(v) for v in values)


@dataclasses.dataclass(frozen=True)
class BucketizedColumn(FeatureColumn):
    """See `bucketized_column`."""

    source_column: RealValuedColumn
    boundaries: tuple[float, ...]

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> int:
        """How many buckets a number has."""
        return len(self.boundaries) + 1

    @property
    def config(self) -> dict[str, FixedLenFeature]:
        return self.source_column.config

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        source = self.source_column
        if source not in columns_to_tensors:
            source.insert_transformed_feature(columns_to_tensors)
        columns_to_tensors[self] = gen_math_ops._bucketize(
            columns_to_tensors[source],
            boundaries=list(self.boundaries),
            name="bucketize",
        )

    def to_dnn_input_layer(
        self, transformed: TensorLike | SparseTensor, output_rank: int = 2
    ) -> ops.Tensor:
        if output_rank != 2:
            raise ValueError("BucketizedColumn currently only supports output_rank=2")
        column, inputs = self._core(transformed)
        width = column._variable_shape.num_elements()
        codes = column._get_dense_tensor(inputs)
        return array_ops.reshape(codes, [-1, width], name="reshape")

    def to_sparse_tensor(
        self, transformed: Tensor | SparseTensor
    ) -> sparse_tensor.SparseTensor:
        """The ids of an example's buckets: those of its second number follow all those of the first."""
        column, inputs = self._core(transformed)
        return column._get_sparse_tensors(inputs).id_tensor

    def _core(
        self, transformed: Any
    ) -> tuple[core_numeric.BucketizedColumn, LazyBuilder]:
        """(the column of tf.feature_column, the buckets as its transformed value)."""
        source = self.source_column
        numbers = core_numeric.numeric_column(source.name, source.dimension)
        column = core_numeric.BucketizedColumn(numbers, self.boundaries)
        buckets = array_ops.reshape(transformed, [-1, source.dimension])
        return column, LazyBuilder({column: buckets})

    def wide_arguments(
        self, transformed: Tensor | SparseTensor
    ) -> EmbeddingLookupArguments:
        return EmbeddingLookupArguments(
            input_tensor=self.to_sparse_tensor(transformed),
            weight_tensor=None,
            vocab_size=self.length * self.source_column.dimension,
            initializer=ZEROS(),
            combiner="sum",
        )


def bucketized_column(
    source_column: RealValuedColumn, boundaries: Sequence[float]
) -> BucketizedColumn:
    """The buckets of numbers: [boundaries[i - 1], boundaries[i]) is bucket i.

    Raises:
        TypeError: another column than a real valued one.
        ValueError: no boundaries, or not in order.
    """
    if not isinstance(source_column, RealValuedColumn):
        raise TypeError(f"source_column must be an instance of _RealValuedColumn. source_column: {source_column}")  # fmt: skip
    if not isinstance(boundaries, (list, tuple)) or not boundaries:
        raise ValueError(f"boundaries must be a non-empty list or tuple. boundaries: {boundaries}")  # fmt: skip
    # Equal boundaries are one.
    kept = tuple(dict.fromkeys(boundaries))
    if list(kept) != sorted(kept):
        raise ValueError(f"boundaries must be a sorted list. boundaries: {boundaries}")
    return BucketizedColumn(source_column, kept)


@dataclasses.dataclass(frozen=True)
class OneHotColumn(FeatureColumn):
    """See `one_hot_column`."""

    sparse_id_column: IdColumn

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> int:
        return self.sparse_id_column.length

    @property
    def config(self) -> dict[str, ParseSpec]:
        return self.sparse_id_column.config

    def insert_transformed_feature(
        self, columns_to_tensors: dict[object, Tensor | SparseTensor]
    ) -> None:
        self.sparse_id_column.insert_transformed_feature(columns_to_tensors)
        columns_to_tensors[self] = columns_to_tensors[self.sparse_id_column]

    def to_dnn_input_layer(
        self, transformed: Tensor | SparseTensor, output_rank: int = 2
    ) -> ops.Tensor:
        ids = self.sparse_id_column.id_tensor(cast(Any, transformed))
        weights = self.sparse_id_column.weight_tensor(cast(Any, transformed))
        ids = at_rank(ids, self.name, output_rank)
        if weights is not None:
            weights = at_rank(weights, self.name, output_rank)
        total = core_dense.counts_of_ids(ids, weights, self.length)
        outer = ids.get_shape()[: output_rank - 1] if ids.get_shape().ndims else [None]
        known = [None] * (output_rank - 1) if ids.get_shape().ndims is None else outer
        total.set_shape([*list(known), self.length])
        return total


def one_hot_column(sparse_id_column: IdColumn) -> OneHotColumn:
    """The sum of the one-hot codes of an example's ids: [n, ids]."""
    return OneHotColumn(sparse_id_column)


@dataclasses.dataclass(frozen=True)
class EmbeddingColumn(FeatureColumn):
    """See `embedding_column`."""

    sparse_id_column: IdColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    shared_embedding_name: str | None
    shared_vocab_size: int | None
    max_norm: float | None
    trainable: bool

    @property
    def name(self) -> str:
        if self.shared_embedding_name is None:
            return f"{self.sparse_id_column.name}_embedding"
        return f"{self.sparse_id_column.name}_shared_embedding"

    @property
    def length(self) -> int:
        if self.shared_vocab_size is None:
            return self.sparse_id_column.length
        return self.shared_vocab_size

    @property
    def config(self) -> dict[str, ParseSpec]:
        return self.sparse_id_column.config

    def checkpoint_path(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None:
            return None
        return self.ckpt_to_load_from, str(self.tensor_name_in_ckpt)

    def insert_transformed_feature(
        self, columns_to_tensors: dict[object, Tensor | SparseTensor]
    ) -> None:
        if self.sparse_id_column not in columns_to_tensors:
            self.sparse_id_column.insert_transformed_feature(columns_to_tensors)
        columns_to_tensors[self] = columns_to_tensors[self.sparse_id_column]

    def deep_arguments(
        self, transformed: Tensor | SparseTensor
    ) -> EmbeddingLookupArguments:
        return EmbeddingLookupArguments(
            input_tensor=self.sparse_id_column.id_tensor(cast(Any, transformed)),
            weight_tensor=self.sparse_id_column.weight_tensor(cast(Any, transformed)),
            vocab_size=self.length,
            dimension=self.dimension,
            initializer=self.initializer,
            combiner=self.combiner,
            shared_embedding_name=self.shared_embedding_name,
            max_norm=self.max_norm,
            trainable=self.trainable,
        )


def _default_initializer(length: int) -> Any:
    return init_ops.truncated_normal_initializer(
        mean=0.0, stddev=1 / math.sqrt(max(length, 1))
    )


def _check_embedding(dimension: int, initializer: Any) -> None:
    if dimension is None or dimension < 1:
        raise ValueError(f"dimension must be at least 1, got {dimension}")
    if initializer is not None and not callable(initializer):
        raise ValueError(
            f"initializer must be callable if specified. Got {initializer}"
        )


def embedding_column(
    sparse_id_column: IdColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> EmbeddingColumn:
    """The combined embeddings of an example's ids: [n, dimension].

    Args:
        sparse_id_column: the ids.
        dimension: size of an embedding.
        combiner: "mean", "sqrtn" or "sum".
        initializer: the initializer of the variable [ids, dimension]; None: a truncated normal of deviation
            1 / sqrt(ids).
        ckpt_to_load_from, tensor_name_in_ckpt: the initial values; both or neither.
        max_norm: rows are scaled down to this norm.
        trainable: whether the variable is trained.

    Raises:
        ValueError: another combiner, dimension or initializer, or one of the two about the checkpoint.
    """
    _check_embedding(dimension, initializer)
    core_dense.check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
    return EmbeddingColumn(
        sparse_id_column,
        dimension,
        checked_combiner(combiner),
        initializer or _default_initializer(sparse_id_column.length),
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        None,
        None,
        max_norm,
        trainable,
    )


def shared_embedding_columns(
    sparse_id_columns: Sequence[IdColumn],
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: str | None = None,
    initializer: InitializerLike | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> list[EmbeddingColumn]:
    """Embedding columns with one variable for all.

    Args:
        sparse_id_columns: columns of one kind, with equally many ids.
        shared_embedding_name: the variable's; None: made of the columns' names.

    The others are as for `embedding_column`.

    Raises:
        TypeError: `sparse_id_columns` is no list or tuple of columns of ids, or these are of different kinds.
        ValueError: an empty list.
    """
    columns = sparse_id_columns
    if not isinstance(columns, (list, tuple)):
        raise TypeError(f"sparse_id_columns must be a list or tuple, got {type(columns).__name__}")  # fmt: skip
    if not columns:
        raise ValueError(
            "The input sparse_id_columns should have at least one element."
        )
    for column in columns:
        if not isinstance(column, (SparseColumn, WeightedSparseColumn, CrossedColumn)):
            raise TypeError(f"Elements of sparse_id_columns must be columns of ids, got {column}")  # fmt: skip
        if type(column) is not type(columns[0]) or column.length != columns[0].length:
            raise ValueError(
                "The columns must have the same type and number of ids to share an "
                f"embedding, got {column} and {columns[0]}"
            )
    _check_embedding(dimension, initializer)
    core_dense.check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
    if not shared_embedding_name:
        names = sorted(c.name for c in columns)
        few = names if len(names) <= 3 else [*names[:3], "plus", str(len(names) - 3), "others"]  # fmt: skip
        shared_embedding_name = "_".join([*few, "shared_embedding"])
    length = columns[0].length
    chosen = initializer or _default_initializer(length)
    return [
        EmbeddingColumn(
            column,
            dimension,
            checked_combiner(combiner),
            chosen,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            shared_embedding_name,
            length,
            max_norm,
            trainable,
        )
        for column in columns
    ]


@dataclasses.dataclass(frozen=True)
class ScatteredEmbeddingColumn(FeatureColumn):
    """See `scattered_embedding_column`."""

    column_name: str
    size: int
    dimension: int
    hash_key: int
    combiner: str
    initializer: Any

    @property
    def name(self) -> str:
        return f"{self.column_name}_scattered_embedding"

    @property
    def config(self) -> dict[str, VarLenFeature]:
        return {self.column_name: parsing_ops.VarLenFeature(dtypes.string)}

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        columns_to_tensors[self] = sparse_input(
            self, columns_to_tensors[self.column_name]
        )

    def deep_arguments(self, transformed: SparseTensor) -> EmbeddingLookupArguments:
        return EmbeddingLookupArguments(
            input_tensor=transformed,
            weight_tensor=None,
            vocab_size=self.size,
            initializer=self.initializer,
            combiner=self.combiner,
            dimension=self.dimension,
            hash_key=self.hash_key,
            hashed=True,
        )


def scattered_embedding_column(
    column_name: str,
    size: int,
    dimension: int,
    hash_key: int,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
) -> ScatteredEmbeddingColumn:
    """Embeddings of words whose elements are at hashed places of one vector: [n, dimension].

    Args:
        column_name: the feature's key.
        size: the size of the vector.
        dimension: the size of an embedding.
        hash_key: says how they are scattered.
        combiner: "mean", "sqrtn" or "sum".
        initializer: the initializer of the vector; None: a truncated normal of deviation 0.1.

    Raises:
        ValueError: dimension or size less than 1, another combiner, or an initializer that is not callable.
    """
    _check_embedding(dimension, initializer)
    if size < 1:
        raise ValueError(f"size must be greater than 0. size: {size}, dimension: {dimension}, column_name: {column_name}")  # fmt: skip
    chosen = initializer or init_ops.truncated_normal_initializer(mean=0.0, stddev=0.1)
    return ScatteredEmbeddingColumn(
        column_name, size, dimension, hash_key, checked_combiner(combiner), chosen
    )
