# SPDX-License-Identifier: Apache-2.0
"""Columns of ids: of words and integers, weighted, and of crosses."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from tensorwright.contrib.layers.python.layers.feature_column_base import (
    ZEROS,
    EmbeddingLookupArguments,
    FeatureColumn,
    sparse_input,
)
from tensorwright.python.feature_column._columns import (
    feature_column_categorical as core,
)
from tensorwright.python.feature_column._columns.feature_column_dense import (
    check_checkpoint,
)
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    parsing_ops,
    sparse_ops,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import ParseSpec
    from tensorwright.python.ops._parsing.parsing_ops_features import VarLenFeature


def checked_combiner(combiner: str) -> str:
    """The combiner; ValueError for another than sum, mean, sqrtn."""
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be mean, sqrtn or sum, got {combiner!r}")
    return combiner


class IdColumn(FeatureColumn):
    """A column whose transformed value is ids, or (ids, weights)."""

    combiner: str

    @property
    def length(self) -> int:
        """How many ids there are."""
        raise NotImplementedError

    def id_tensor(self, transformed: SparseTensor) -> sparse_tensor.SparseTensor:
        return transformed

    def weight_tensor(
        self, transformed: SparseTensor
    ) -> sparse_tensor.SparseTensor | None:
        del transformed
        return None

    def wide_arguments(
        self, transformed: Tensor | SparseTensor
    ) -> EmbeddingLookupArguments:
        return EmbeddingLookupArguments(
            input_tensor=self.id_tensor(cast(Any, transformed)),
            weight_tensor=self.weight_tensor(cast(Any, transformed)),
            vocab_size=self.length,
            initializer=ZEROS(),
            combiner=self.combiner,
        )


@dataclasses.dataclass(frozen=True)
class SparseColumn(IdColumn):
    """A feature of words or integers; `kind` says how ids are made of them."""

    column_name: str
    kind: str
    bucket_size: int
    combiner: str
    dtype: dtypes.DType
    keys: tuple[Any, ...] | None = None
    vocabulary_file: str | None = None
    num_oov_buckets: int = 0
    default_value: int = -1

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def is_integerized(self) -> bool:
        """Whether the feature's values are ids themselves."""
        return self.kind == "integerized"

    @property
    def config(self) -> dict[str, VarLenFeature]:
        return {self.column_name: parsing_ops.VarLenFeature(self.dtype)}

    @property
    def length(self) -> int:
        return self.bucket_size

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        tensor = sparse_input(self, columns_to_tensors[self.name])
        is_text = tensor.dtype.base_dtype == dtypes.string
        if self.is_integerized and is_text:
            raise ValueError(f"Column {self.name} has integers, got strings")
        if self.kind in ("keys", "file") and is_text != (self.dtype == dtypes.string):
            raise ValueError(
                f"dtype of {self.name} must be {self.dtype.name}, got {tensor.dtype.name}"
            )
        columns_to_tensors[self] = self._ids(tensor)

    def _ids(self, feature: sparse_tensor.SparseTensor) -> sparse_tensor.SparseTensor:
        if self.is_integerized:
            values = math_ops.cast(feature.values, dtypes.int64)
            return feature.with_values(
                math_ops.mod(values, self.bucket_size, name="mod")
            )
        if self.kind == "hash":
            # The feature's dtype need not be the column's: the digits of integers are hashed.
            return core.HashedCategoricalColumn(
                self.name, self.bucket_size, feature.dtype.base_dtype
            ).ids(feature)
        if self.kind == "file":
            return core.VocabularyFileCategoricalColumn(
                self.name,
                str(self.vocabulary_file),
                self.bucket_size - self.num_oov_buckets,
                self.num_oov_buckets,
                self.dtype,
                self.default_value,
            ).ids(feature)
        return core.VocabularyListCategoricalColumn(
            self.name, self.keys or (), self.dtype, self.default_value, 0
        ).ids(feature)


def _check_bucket_size(size: int) -> None:
    if size is None or size < 1:
        raise ValueError(f"bucket size must be at least 1, got {size}")


def sparse_column_with_integerized_feature(
    column_name: str,
    bucket_size: int,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.int64,
) -> SparseColumn:
    """Integers that are ids: their remainder by `bucket_size`.

    Args:
        column_name: the feature's key.
        bucket_size: how many ids there are, more than 1.
        combiner: how an example's ids are combined: "sum", "mean" or "sqrtn".
        dtype: an integer one.

    Raises:
        ValueError: another combiner, fewer ids, or a dtype that is not integer.
    """
    _check_bucket_size(bucket_size)
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_integer:
        raise ValueError(f"dtype must be an integer. dtype is {dtype}, column_name {column_name}")  # fmt: skip
    return SparseColumn(
        column_name, "integerized", bucket_size, checked_combiner(combiner), dtype
    )


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> SparseColumn:
    """Words or integers, whose hash modulo `hash_bucket_size` is the id.

    Args:
        column_name: the feature's key.
        hash_bucket_size: how many ids there are, more than 1.
        combiner: how an example's ids are combined: "sum", "mean" or "sqrtn".
        dtype: string or an integer one.

    Raises:
        ValueError: another combiner, fewer ids, or another dtype.
    """
    _check_bucket_size(hash_bucket_size)
    dtype = dtypes.as_dtype(dtype)
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(
            f"dtype must be string or integer. dtype: {dtype}, column_name: {column_name}"
        )
    return SparseColumn(
        column_name, "hash", hash_bucket_size, checked_combiner(combiner), dtype
    )


def sparse_column_with_keys(
    column_name: str,
    keys: Sequence[object],
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> SparseColumn:
    """Words or integers of a list, whose place in it is the id.

    Args:
        column_name: the feature's key.
        keys: the list.
        default_value: the id of others; -1: they are left out.
        combiner: how an example's ids are combined: "sum", "mean" or "sqrtn".
        dtype: string or an integer one.
    """
    return SparseColumn(
        column_name,
        "keys",
        len(tuple(keys)),
        checked_combiner(combiner),
        dtypes.as_dtype(dtype),
        keys=tuple(keys),
        default_value=default_value,
    )


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> SparseColumn:
    """Words or integers of a file, one a line, whose line number is the id.

    Args:
        column_name: the feature's key.
        vocabulary_file: its name.
        num_oov_buckets: how many ids others share, by their hash, behind those of the file.
        vocab_size: how many lines are read.
        default_value: the id of others without such buckets.
        combiner: how an example's ids are combined: "sum", "mean" or "sqrtn".
        dtype: string or an integer one.

    Raises:
        ValueError: no `vocab_size`, or both buckets and a default value.
    """
    if vocab_size is None:
        raise ValueError("vocab_size should be defined")
    if num_oov_buckets and default_value != -1:
        raise ValueError("num_oov_buckets and default_value do not go together")
    return SparseColumn(
        column_name,
        "file",
        vocab_size + num_oov_buckets,
        checked_combiner(combiner),
        dtypes.as_dtype(dtype),
        vocabulary_file=vocabulary_file,
        num_oov_buckets=num_oov_buckets,
        default_value=default_value,
    )


@dataclasses.dataclass(frozen=True)
class WeightedSparseColumn(IdColumn):
    """See `weighted_sparse_column`."""

    sparse_id_column: SparseColumn
    weight_column_name: str
    dtype: dtypes.DType

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def combiner(self) -> str:  # type: ignore[override]
        return self.sparse_id_column.combiner

    @property
    def config(self) -> dict[str, VarLenFeature]:
        weights = {self.weight_column_name: parsing_ops.VarLenFeature(self.dtype)}
        return {**self.sparse_id_column.config, **weights}

    @property
    def length(self) -> int:
        return self.sparse_id_column.length

    def id_tensor(
        self, transformed: tuple[SparseTensor, SparseTensor]
    ) -> sparse_tensor.SparseTensor:
        return transformed[0]

    def weight_tensor(
        self, transformed: tuple[SparseTensor, SparseTensor]
    ) -> sparse_tensor.SparseTensor:
        return transformed[1]

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        self.sparse_id_column.insert_transformed_feature(columns_to_tensors)
        ids = columns_to_tensors[self.sparse_id_column]
        weights = columns_to_tensors[self.weight_column_name]
        if not isinstance(weights, sparse_tensor.SparseTensor):
            # Weights of a dense tensor stand where the ids do.
            weights = ops.convert_to_tensor(weights)
            if weights.get_shape().ndims == 1:
                weights = array_ops.expand_dims(weights, 1)
            weights = sparse_tensor.SparseTensor(
                ids.indices, array_ops.gather_nd(weights, ids.indices), ids.dense_shape
            )
        if weights.dtype.base_dtype != dtypes.float32:
            weights = weights.with_values(math_ops.cast(weights.values, dtypes.float32))
        columns_to_tensors[self] = (ids, weights)


def weighted_sparse_column(
    sparse_id_column: SparseColumn,
    weight_column_name: str,
    dtype: DTypeLike = dtypes.float32,
) -> WeightedSparseColumn:
    """The ids of a column, each with a weight of another feature.

    Args:
        sparse_id_column: the ids.
        weight_column_name: the key of the weights, which stand where the ids do.
        dtype: integer or floating.

    Raises:
        ValueError: another dtype.
    """
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype is not convertible to float. Got {dtype}")
    return WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


@dataclasses.dataclass(frozen=True)
class CrossedColumn(IdColumn):
    """See `crossed_column`."""

    columns: tuple[FeatureColumn, ...]
    hash_bucket_size: int
    hash_key: int | None
    combiner: str
    ckpt_to_load_from: str | None = None
    tensor_name_in_ckpt: str | None = None

    @property
    def name(self) -> str:
        return "_X_".join(sorted(c.name for c in self.leaves()))

    def leaves(self) -> list[FeatureColumn]:
        """The columns, with those of crosses in their place."""
        found: list[FeatureColumn] = []
        for column in self.columns:
            crossed = isinstance(column, CrossedColumn)
            found += column.leaves() if crossed else [column]
        return sorted(set(found), key=lambda c: c.key)

    @property
    def config(self) -> dict[str, ParseSpec]:
        merged: dict[str, Any] = {}
        for column in self.columns:
            merged.update(column.config)
        return merged

    @property
    def length(self) -> int:
        return self.hash_bucket_size

    def checkpoint_path(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None:
            return None
        return self.ckpt_to_load_from, str(self.tensor_name_in_ckpt)

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        features = []
        for column in self.leaves():
            if isinstance(column, SparseColumn):
                raw = columns_to_tensors[column.name]
                features.append(sparse_input(column, raw))
                continue
            if column not in columns_to_tensors:
                column.insert_transformed_feature(columns_to_tensors)
            features.append(column.to_sparse_tensor(columns_to_tensors[column]))
        columns_to_tensors[self] = sparse_ops.sparse_cross_hashed(
            features, num_buckets=self.hash_bucket_size, hash_key=self.hash_key
        )


def crossed_column(
    columns: Sequence[FeatureColumn],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> CrossedColumn:
    """Ids of all combinations of a value of each of several columns: hash(values) modulo the number of ids.

    Args:
        columns: two or more: sparse, bucketized or crossed ones.
        hash_bucket_size: how many ids there are.
        combiner: how an example's ids are combined: "sum", "mean" or "sqrtn".
        ckpt_to_load_from, tensor_name_in_ckpt: the initial values of its weights; both or neither.
        hash_key: the key of the hashes.

    Raises:
        TypeError: a column of another kind.
        ValueError: fewer than two columns, or one of the two about the checkpoint.
    """
    for column in columns:
        crossable = isinstance(column, (SparseColumn, CrossedColumn)) or hasattr(
            column, "to_sparse_tensor"
        )
        if not crossable:
            raise TypeError(
                f"columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn instances (column {column} is a {type(column).__name__})."  # fmt: skip
            )
    if len(tuple(columns)) < 2:
        raise ValueError("crossed_column needs at least two columns")
    _check_bucket_size(hash_bucket_size)
    check_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt)
    return CrossedColumn(
        tuple(sorted(columns, key=lambda c: c.key)),
        hash_bucket_size,
        hash_key,
        checked_combiner(combiner),
        ckpt_to_load_from,
        tensor_name_in_ckpt,
    )
