# SPDX-License-Identifier: Apache-2.0
"""Numbers as they are, and in buckets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tensorwright.python.feature_column._columns.feature_column_base import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    LazyBuilder,
    check_key,
)
from tensorwright.python.framework import dtypes, ops, sparse_tensor, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_math_ops, math_ops, parsing_ops
from tensorwright.python.util import nest


@dataclasses.dataclass(frozen=True)
class NumericColumn(DenseColumn):
    """See `numeric_column`."""

    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: dtypes.DType
    normalizer_fn: Callable[[ops.Tensor], ops.Tensor] | None

    @property
    def name(self) -> str:
        return self.key

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        feature = parsing_ops.FixedLenFeature(
            self.shape, self.dtype, self.default_value
        )
        return {self.key: feature}

    def _transform_feature(self, inputs: LazyBuilder) -> ops.Tensor:
        tensor = inputs.get(self.key)
        if isinstance(tensor, sparse_tensor.SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. "
                f"SparseTensor is not supported. key: {self.key}"
            )
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return math_ops.cast(tensor, dtypes.float32)

    @property
    def _variable_shape(self) -> tensor_shape.TensorShape:
        return tensor_shape.TensorShape(self.shape)

    def _get_dense_tensor(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> ops.Tensor:
        del weight_collections, trainable  # It has no variables.
        return inputs.get(self)


def numeric_column(
    key: str,
    shape: int | Iterable[int] = (1,),
    default_value: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[[ops.Tensor], ops.Tensor] | None = None,
) -> NumericColumn:
    """Numbers, as float32.

    Args:
        key: the key of the feature, and the column's name.
        shape: the shape of an example's part: an int or several.
        default_value: the value for an example that lacks the feature, a number, or numbers of `shape`; None: that is
            an error.
        dtype: the dtype of the feature, a number.
        normalizer_fn: changes the feature before it is used, such as `lambda x: (x - 3.0) / 4.2`.

    Raises:
        TypeError: a size is no int, the default value has another dtype, or `normalizer_fn` is not callable.
        ValueError: a size is not positive, the default value has another shape, or the dtype is no number.

    Example:
        columns = [tf.feature_column.numeric_column("price")]
        features = tf.parse_example(serialized, tf.feature_column.make_parse_example_spec(columns))
        prices = tf.feature_column.input_layer(features, columns)
    """
    check_key(key)
    shape = checked_shape(key, shape)
    dtype = _checked_number(key, dtype)
    default_value = checked_default(key, shape, default_value, dtype)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def _checked_number(key: str, dtype: Any) -> dtypes.DType:
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_integer and not dtype.is_floating:
        raise ValueError(
            f"dtype must be convertible to float. dtype: {dtype}, key: {key}"
        )
    return dtype


def checked_shape(key: str, shape: Any) -> tuple[int, ...]:
    """`shape` as a tuple of positive ints; TypeError or ValueError if it is none."""
    sizes = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    for size in sizes:
        if not isinstance(size, (int, np.integer)):
            raise TypeError(
                f"shape dimensions must be integer. shape: {shape}, key: {key}"
            )
        if size < 1:
            raise ValueError(
                f"shape dimensions must be greater than 0. shape: {shape}, key: {key}"
            )
    return tuple(int(size) for size in sizes)


def checked_default(
    key: str, shape: tuple[int, ...], value: Any, dtype: dtypes.DType
) -> Any:
    """`value` as nested tuples of `shape`; a number stands everywhere."""
    if value is None:
        return None
    given = np.asarray(value) if not isinstance(value, np.ndarray) else value
    fits = given.dtype.kind in "iu" or (given.dtype.kind == "f" and dtype.is_floating)
    if not fits or _has_bool(value):
        raise TypeError(
            "default_value must be compatible with dtype. "
            f"default_value: {value}, dtype: {dtype}, key: {key}"
        )
    if not isinstance(value, (list, tuple, np.ndarray)):
        given = np.full(shape, given)
    if given.shape != shape:
        raise ValueError(
            "The shape of default_value must be equal to given shape. "
            f"default_value: {value}, shape: {shape}, key: {key}"
        )
    return _nested(given.tolist())


def _has_bool(value: Any) -> bool:
    return any(isinstance(v, (bool, np.bool_)) for v in nest.flatten(value))


def _nested(value: Any) -> Any:
    return tuple(map(_nested, value)) if isinstance(value, list) else value


@dataclasses.dataclass(frozen=True)
class BucketizedColumn(DenseColumn, CategoricalColumn):
    """See `bucketized_column`."""

    source_column: NumericColumn
    boundaries: tuple[float, ...]

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.source_column._parse_example_spec

    @property
    def _buckets(self) -> int:
        """The number of buckets of one number."""
        return len(self.boundaries) + 1

    def _transform_feature(self, inputs: LazyBuilder) -> ops.Tensor:
        """The bucket of each number, int32."""
        return gen_math_ops._bucketize(
            inputs.get(self.source_column), boundaries=list(self.boundaries)
        )

    @property
    def _variable_shape(self) -> tensor_shape.TensorShape:
        return tensor_shape.TensorShape([*self.source_column.shape, self._buckets])

    def _get_dense_tensor(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> ops.Tensor:
        """Ones where the numbers are, zeros elsewhere."""
        del weight_collections, trainable  # It has no variables.
        buckets = math_ops.cast(inputs.get(self), dtypes.int64)
        return array_ops.one_hot(
            buckets, depth=self._buckets, on_value=1.0, off_value=0.0
        )

    @property
    def _num_buckets(self) -> int:
        return self._buckets * self.source_column.shape[0]

    def _get_sparse_tensors(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        """Number d of an example in bucket b: id d * buckets + b."""
        del weight_collections, trainable  # It has no variables.
        buckets = inputs.get(self)
        width = self.source_column.shape[0]
        batch = array_ops.shape(buckets)[0]
        places = math_ops.range(batch * width)
        rows, columns = places // width, places % width
        ids = array_ops.reshape(buckets, [-1]) + self._buckets * columns
        indices = array_ops.stack([rows, columns], 1)
        return IdWeightPair(
            sparse_tensor.SparseTensor(
                math_ops.cast(indices, dtypes.int64),
                math_ops.cast(ids, dtypes.int64),
                math_ops.cast(array_ops.stack([batch, width]), dtypes.int64),
            ),
            None,
        )


def bucketized_column(
    source_column: NumericColumn, boundaries: Sequence[float]
) -> BucketizedColumn:
    """A column that says which of len(boundaries) + 1 ranges numbers are in; a boundary belongs to the range above it.

    As a dense column it is one-hot, [batch] + shape + [ranges]; as a categorical column it has an id for each number.

    Args:
        source_column: a `numeric_column` of one dimension.
        boundaries: a list or tuple of ascending numbers.

    Raises:
        ValueError: the source is another column, or the boundaries do not ascend.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). "
            f"Given: {source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(
            f"source_column must be one-dimensional column. Given: {source_column}"
        )
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, (list, tuple)) or any(
        a >= b for a, b in zip(boundaries, boundaries[1:])
    ):
        raise ValueError(f"boundaries must be a sorted list. Given: {boundaries}")
    return BucketizedColumn(source_column, tuple(boundaries))
