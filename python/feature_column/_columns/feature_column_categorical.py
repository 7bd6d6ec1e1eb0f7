# SPDX-License-Identifier: Apache-2.0
"""Ids of words and numbers: by a hash, a vocabulary, or themselves; with weights."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.python.feature_column._columns.feature_column_base import (
    CategoricalColumn,
    IdWeightPair,
    LazyBuilder,
    check_key,
    check_sparse_dtype,
    check_string_or_int,
    to_sparse,
)
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    gen_string_ops,
    lookup_ops,
    math_ops,
    parsing_ops,
    string_ops,
)
from tensorwright.python.platform import gfile, tf_logging as logging


class _KeyColumn(CategoricalColumn):
    """A column of one feature with any number of values; derived classes have `key` and `ids`."""

    key: str
    dtype: dtypes.DType

    @property
    def name(self) -> str:
        return self.key

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return {self.key: parsing_ops.VarLenFeature(self.dtype)}

    def ids(self, feature: sparse_tensor.SparseTensor) -> sparse_tensor.SparseTensor:
        """Returns the int64 id of each value of `feature`; ValueError for values of another dtype."""
        raise NotImplementedError

    def _transform_feature(self, inputs: LazyBuilder) -> sparse_tensor.SparseTensor:
        return self.ids(to_sparse(inputs.get(self.key)))

    def _get_sparse_tensors(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        del weight_collections, trainable  # It has no variables.
        return IdWeightPair(inputs.get(self), None)


@dataclasses.dataclass(frozen=True)
class HashedCategoricalColumn(_KeyColumn):
    """See `categorical_column_with_hash_bucket`."""

    key: str
    hash_bucket_size: int
    dtype: dtypes.DType

    @property
    def _num_buckets(self) -> int:
        return self.hash_bucket_size

    def ids(self, feature: sparse_tensor.SparseTensor) -> sparse_tensor.SparseTensor:
        check_sparse_dtype(self.key, self.dtype, feature)
        values = feature.values
        if self.dtype != dtypes.string:
            values = gen_string_ops.as_string(values)
        return sparse_tensor.SparseTensor(
            feature.indices,
            string_ops.string_to_hash_bucket_fast(
                values, self.hash_bucket_size, name="lookup"
            ),
            feature.dense_shape,
        )


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> HashedCategoricalColumn:
    """Ids of words that are not known beforehand: their hashes.

    Args:
        key: the key of the feature, and the column's name.  In a dense feature, "" and -1 are no values.
        hash_bucket_size: the number of ids; words may share one.
        dtype: string, or an integer dtype, whose decimal digits are hashed.

    Raises:
        ValueError: `hash_bucket_size` is less than one, or the dtype is another one.
    """
    check_key(key)
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            "hash_bucket_size must be at least 1. "
            f"hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    dtype = dtypes.as_dtype(dtype)
    check_string_or_int(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


@dataclasses.dataclass(frozen=True)
class IdentityCategoricalColumn(_KeyColumn):
    """See `categorical_column_with_identity`."""

    key: str
    number_buckets: int
    default_value: int | None

    @property
    def dtype(self) -> dtypes.DType:
        return dtypes.int64

    @property
    def _num_buckets(self) -> int:
        return self.number_buckets

    def ids(self, feature: sparse_tensor.SparseTensor) -> sparse_tensor.SparseTensor:
        if not feature.dtype.is_integer:
            raise ValueError(
                f"Invalid input, not integer. key: {self.key} dtype: {feature.dtype}"
            )
        ids = math_ops.cast(feature.values, dtypes.int64, name="values")
        count = ops.convert_to_tensor(self.number_buckets, dtypes.int64, "num_buckets")
        zero = ops.convert_to_tensor(0, dtypes.int64, "zero")
        if self.default_value is None:
            checks = [
                check_ops.assert_less(
                    ids, count, data=(ids, count), name="assert_less_than_num_buckets"
                ),
                check_ops.assert_greater_equal(
                    ids, zero, data=(ids,), name="assert_greater_or_equal_0"
                ),
            ]
            with ops.control_dependencies(checks):
                ids = array_ops.identity(ids)
        else:
            outside = math_ops.logical_or(ids < zero, ids >= count, name="out_of_range")
            default = ops.convert_to_tensor(self.default_value, dtypes.int64)
            defaults = array_ops.fill(
                array_ops.shape(ids), default, name="default_values"
            )
            ids = array_ops.where(outside, defaults, ids)
        return sparse_tensor.SparseTensor(feature.indices, ids, feature.dense_shape)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Integers that are ids already.

    Args:
        key: the key of the feature, and the column's name.  In a dense feature, -1 is no value.
        num_buckets: a number above every id.
        default_value: replaces integers that are no ids; if None, the run fails for them.

    Raises:
        ValueError: `num_buckets` is less than one, or `default_value` is no id.
    """
    check_key(key)
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), "
            f"column_name {key}"
        )
    return IdentityCategoricalColumn(key, num_buckets, default_value)


class _VocabularyColumn(_KeyColumn):
    """A column whose ids come from a table; derived classes have `_table`."""

    def _table(self, key_dtype: dtypes.DType) -> Any:
        raise NotImplementedError

    def ids(self, feature: sparse_tensor.SparseTensor) -> sparse_tensor.SparseTensor:
        check_sparse_dtype(self.key, self.dtype, feature)
        key_dtype = self.dtype
        if feature.dtype.is_integer:
            # There are no tables of smaller integers.
            key_dtype = dtypes.int64
            feature = feature.with_values(math_ops.cast(feature.values, dtypes.int64))
        return self._table(key_dtype).lookup(feature)


@dataclasses.dataclass(frozen=True)
class VocabularyFileCategoricalColumn(_VocabularyColumn):
    """See `categorical_column_with_vocabulary_file`."""

    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: dtypes.DType
    default_value: int

    @property
    def _num_buckets(self) -> int:
        return self.vocabulary_size + self.num_oov_buckets

    def _table(self, key_dtype: dtypes.DType) -> Any:
        return lookup_ops.index_table_from_file(
            vocabulary_file=self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=key_dtype,
            name=f"{self.key}_lookup",
        )


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> VocabularyFileCategoricalColumn:
    """Ids of words: their line numbers in a file, from 0 on; see `tf.tables_initializer`.

    Args:
        key: the key of the feature, and the column's name.  In a dense feature, "" and -1 are no values.
        vocabulary_file: the file's name; each line holds a word.
        vocabulary_size: how many lines to read; None for all.
        num_oov_buckets: how many ids the other words share by their hash; these ids follow those of the lines.
        default_value: the id of other words if there are no buckets; None stands for -1, which embeddings leave out.
        dtype: the dtype of the feature and the lines: string or an integer.

    Raises:
        ValueError: the file's name is empty, it has no line, `num_oov_buckets` is negative or given together with a
            default value, or the dtype is another one.
    """
    check_key(key)
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        if not gfile.Exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        with gfile.GFile(vocabulary_file, mode="rb") as file:
            vocabulary_size = sum(1 for _ in file)
        logging.info(
            "vocabulary_size = %d in %s is inferred from the number of elements in the "
            "vocabulary_file %s.",
            vocabulary_size,
            key,
            vocabulary_file,
        )
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_buckets(key, num_oov_buckets, default_value is not None)
    dtype = dtypes.as_dtype(dtype)
    check_string_or_int(dtype, f"column_name: {key}")
    return VocabularyFileCategoricalColumn(
        key,
        vocabulary_file,
        vocabulary_size,
        num_oov_buckets or 0,
        dtype,
        -1 if default_value is None else default_value,
    )


def _check_buckets(key: str, num_oov_buckets: int, has_default: bool) -> None:
    if not num_oov_buckets:
        return
    if has_default:
        raise ValueError(
            f"Can't specify both num_oov_buckets and default_value in {key}."
        )
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


@dataclasses.dataclass(frozen=True)
class VocabularyListCategoricalColumn(_VocabularyColumn):
    """See `categorical_column_with_vocabulary_list`."""

    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: dtypes.DType
    default_value: int
    num_oov_buckets: int

    @property
    def _num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _table(self, key_dtype: dtypes.DType) -> Any:
        return lookup_ops.index_table_from_tensor(
            vocabulary_list=tuple(self.vocabulary_list),
            default_value=self.default_value,
            num_oov_buckets=self.num_oov_buckets,
            dtype=key_dtype,
            name=f"{self.key}_lookup",
        )


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[object],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Ids of words: their positions in a list; see `tf.tables_initializer`.

    Args:
        key: the key of the feature, and the column's name.  In a dense feature, "" and -1 are no values.
        vocabulary_list: strings or integers, each once.
        dtype: the feature's dtype, string or an integer; None for that of the list.
        default_value: the id of other words if there are no buckets; embeddings leave out -1.
        num_oov_buckets: how many ids the other words share by their hash; these ids follow those of the list.

    Raises:
        ValueError: the list is empty or has a word twice, `num_oov_buckets` is negative or given together with a
            default value, or the dtype is neither string nor an integer, or does not fit the list.
    """
    check_key(key)
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(
            f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}"
        )
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(
            f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}"
        )
    listed = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_buckets(key, num_oov_buckets, default_value != -1)
    check_string_or_int(listed, f"column_name: {key} vocabulary")
    dtype = listed if dtype is None else dtypes.as_dtype(dtype)
    if dtype.is_integer != listed.is_integer:
        raise ValueError(
            f"dtype {dtype} and vocabulary dtype {listed} do not match, "
            f"column_name: {key}"
        )
    check_string_or_int(dtype, f"column_name: {key}")
    return VocabularyListCategoricalColumn(
        key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets
    )


@dataclasses.dataclass(frozen=True)
class WeightedCategoricalColumn(CategoricalColumn):
    """See `weighted_categorical_column`."""

    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: dtypes.DType

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        spec = dict(self.categorical_column._parse_example_spec)
        if self.weight_feature_key in spec:
            raise ValueError(
                f"Parse config {spec[self.weight_feature_key]} already exists for "
                f"{self.weight_feature_key}."
            )
        spec[self.weight_feature_key] = parsing_ops.VarLenFeature(self.dtype)
        return spec

    @property
    def _num_buckets(self) -> int:
        return self.categorical_column._num_buckets

    def _transform_feature(self, inputs: LazyBuilder) -> tuple[Any, Any]:
        """(ids, weights)."""
        weights = inputs.get(self.weight_feature_key)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(
                f"Bad dtype, expected {self.dtype}, but got {weights.dtype}."
            )
        weights = to_sparse(weights, ignore_value=0)
        if not weights.dtype.is_floating:
            floats = math_ops.cast(weights.values, dtypes.float32)
            weights = weights.with_values(floats)
        return inputs.get(self.categorical_column), weights

    def _get_sparse_tensors(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        del weight_collections, trainable  # It has no variables.
        return IdWeightPair(*inputs.get(self))


def weighted_categorical_column(
    categorical_column: CategoricalColumn,
    weight_feature_key: str,
    dtype: DTypeLike = dtypes.float32,
) -> WeightedCategoricalColumn:
    """The ids of a column, each with a weight.

    Args:
        categorical_column: the ids.
        weight_feature_key: the key of the weights: a SparseTensor with the indices of the ids, or a Tensor, of
            which zeros are left out.
        dtype: the dtype of the weights, a number.

    Raises:
        ValueError: another dtype.
    """
    if dtype is None or not (
        dtypes.as_dtype(dtype).is_integer or dtypes.as_dtype(dtype).is_floating
    ):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(
        categorical_column, weight_feature_key, dtypes.as_dtype(dtype)
    )
