# SPDX-License-Identifier: Apache-2.0
"""Columns of sequences: a value, or several, for each step of an example."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.feature_column._columns import (
    feature_column_categorical as categorical,
)
from tensorwright.python.feature_column._columns.feature_column_base import (
    CategoricalColumn,
    IdWeightPair,
    LazyBuilder,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    check_key,
    elements_of,
    sequence_length,
)
from tensorwright.python.feature_column._columns.feature_column_numeric import (
    checked_shape,
)
from tensorwright.python.framework import dtypes, sparse_tensor, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    parsing_ops,
    sparse_ops,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor


@dataclasses.dataclass(frozen=True)
class SequenceCategoricalColumn(CategoricalColumn):
    """The ids of another column, step by step: [batch, steps, ids of a step]."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        return self.categorical_column.name

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column._parse_example_spec

    def _transform_feature(self, inputs: LazyBuilder) -> Any:
        return self.categorical_column._transform_feature(inputs)

    @property
    def _num_buckets(self) -> int:
        return self.categorical_column._num_buckets

    def _get_sparse_tensors(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        ids, weights = self.categorical_column._get_sparse_tensors(
            inputs, weight_collections, trainable
        )
        # The rest is multiplied, not -1: a sequence without steps leaves nothing to divide by.
        sizes = array_ops.shape(ids)
        steps = [sizes[0], sizes[1], math_ops.reduce_prod(sizes[2:])]
        ids = sparse_ops.sparse_reshape(ids, steps)
        if weights is not None:
            weights = sparse_ops.sparse_reshape(weights, steps)
        return IdWeightPair(ids, weights)


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> SequenceCategoricalColumn:
    """`categorical_column_with_hash_bucket` of each step."""
    return SequenceCategoricalColumn(
        categorical.categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """`categorical_column_with_identity` of each step."""
    return SequenceCategoricalColumn(
        categorical.categorical_column_with_identity(key, num_buckets, default_value)
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> SequenceCategoricalColumn:
    """`categorical_column_with_vocabulary_file` of each step."""
    return SequenceCategoricalColumn(
        categorical.categorical_column_with_vocabulary_file(
            key,
            vocabulary_file,
            vocabulary_size,
            num_oov_buckets,
            default_value,
            dtype,
        )
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[object],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """`categorical_column_with_vocabulary_list` of each step."""
    return SequenceCategoricalColumn(
        categorical.categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )


@dataclasses.dataclass(frozen=True)
class SequenceNumericColumn(SequenceDenseColumn):
    """See `sequence_numeric_column`."""

    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: dtypes.DType
    normalizer_fn: Callable[[Any], Any] | None

    @property
    def name(self) -> str:
        return self.key

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return {self.key: parsing_ops.VarLenFeature(self.dtype)}

    @property
    def _variable_shape(self) -> tensor_shape.TensorShape:
        return tensor_shape.TensorShape(self.shape)

    @property
    def variable_shape(self) -> tensor_shape.TensorShape:
        """The shape of a step's part."""
        return self._variable_shape

    def _transform_feature(self, inputs: LazyBuilder) -> sparse_tensor.SparseTensor:
        feature = inputs.get(self.key)
        return feature if self.normalizer_fn is None else self.normalizer_fn(feature)

    def _get_sequence_dense_tensor(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> TensorSequenceLengthPair:
        """Numbers [batch, steps] + shape, of the column's dtype.

        A feature [batch, values] is cut into steps of as many values as the shape has; a feature
        [batch, steps, values] has steps already.
        """
        del weight_collections, trainable  # It has no variables.
        feature = inputs.get(self)
        dense = sparse_ops.sparse_tensor_to_dense(
            feature, default_value=self.default_value
        )
        sizes = array_ops.concat([array_ops.shape(dense)[:1], [-1], self.shape], 0)
        dense = array_ops.reshape(dense, sizes)
        width = 1
        if feature.get_shape().ndims == 2:
            width = elements_of(self)
        return TensorSequenceLengthPair(dense, sequence_length(feature, width))


def sequence_numeric_column(
    key: str,
    shape: int | Iterable[int] = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[[SparseTensor], object] | None = None,
) -> SequenceNumericColumn:
    """Numbers of each step.

    Args:
        key: the feature's, a SparseTensor, and the column's name.
        shape: the shape of a step's part.
        default_value: pads steps that an example does not have.
        dtype: the dtype of the feature, a number.
        normalizer_fn: changes the SparseTensor before it is used.

    Raises:
        TypeError: a size that is no int, or a `normalizer_fn` that is not callable.
        ValueError: a size that is not positive, or a dtype that is no number.
    """
    check_key(key)
    shape = checked_shape(key, shape)
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(
            f"dtype must be convertible to float. dtype: {dtype}, key: {key}"
        )
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)
