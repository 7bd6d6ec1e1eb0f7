# SPDX-License-Identifier: Apache-2.0
"""The base classes of feature columns, and the builder that transforms each feature once.

A column describes what a model makes of raw features; it holds no tensors, and one column serves many graphs.
Programs may derive their own from the classes here.  Methods with a leading underscore are called by
`input_layer`, `linear_model` and other columns, and are TensorFlow's names.
"""

from __future__ import annotations

import abc
import collections
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops, sparse_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.type_aliases import FeaturesLike, ParseSpec


# Ids of a categorical column, a SparseTensor of int64 [batch, ...], and their weights, one of floats with the same
# indices, or None: each weighs 1.
IdWeightPair = collections.namedtuple("IdWeightPair", ["id_tensor", "weight_tensor"])

# The result of a sequence column: [batch, steps, ...], and the number of steps of each example, int64 [batch].
TensorSequenceLengthPair = collections.namedtuple(
    "TensorSequenceLengthPair", ["dense_tensor", "sequence_length"]
)


class FeatureColumn(abc.ABC):
    """A column; equal columns are transformed once."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Names variables and scopes; differs from the names of other columns of a model."""

    @property
    def _var_scope_name(self) -> str:
        """The scope of variables that the column has."""
        return self.name

    @abc.abstractmethod
    def _transform_feature(self, inputs: LazyBuilder) -> Any:
        """Returns a Tensor, a SparseTensor or a tuple of them, made from `inputs.get(...)`.

        `inputs` keeps the result: call `inputs.get(column)`, not this method.
        """

    @property
    @abc.abstractmethod
    def _parse_example_spec(self) -> dict[str, Any]:
        """The features that the column needs, as `tf.parse_example` takes them."""

    @property
    def parse_example_spec(self) -> dict[str, ParseSpec]:
        """The features that the column needs, as `tf.parse_example` takes them."""
        return self._parse_example_spec


class DenseColumn(FeatureColumn):
    """A column of floats [batch, ...], the input of a network."""

    @property
    @abc.abstractmethod
    def _variable_shape(self) -> tensor_shape.TensorShape:
        """The shape of an example's part, known in full."""

    @property
    def variable_shape(self) -> tensor_shape.TensorShape:
        """The shape of an example's part, known in full."""
        return self._variable_shape

    @abc.abstractmethod
    def _get_dense_tensor(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> ops.Tensor:
        """A Tensor [batch] + variable_shape.

        Args:
            inputs: transforms features.
            weight_collections: where variables of the column go.
            trainable: whether they are trained.
        """


class CategoricalColumn(FeatureColumn):
    """A column of ids below a number of buckets, any number of them an example."""

    IdWeightPair = IdWeightPair

    @property
    @abc.abstractmethod
    def _num_buckets(self) -> int:
        """Above every id."""

    @property
    def num_buckets(self) -> int:
        """Above every id."""
        return self._num_buckets

    @abc.abstractmethod
    def _get_sparse_tensors(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        """The ids and their weights; arguments as in `_get_dense_tensor`."""


class SequenceDenseColumn(FeatureColumn):
    """A column of floats [batch, steps, ...], the input of a recurrent network."""

    TensorSequenceLengthPair = TensorSequenceLengthPair

    # The shape of a step's part, known in full; a property of derived classes.
    _variable_shape: tensor_shape.TensorShape

    @abc.abstractmethod
    def _get_sequence_dense_tensor(
        self,
        inputs: LazyBuilder,
        weight_collections: list[str] | None = None,
        trainable: bool | None = None,
    ) -> TensorSequenceLengthPair:
        """Floats and lengths; arguments as in `_get_dense_tensor`."""


class LazyBuilder:
    """Keeps features by key, and the values of columns; each value is computed once, when it is first needed."""

    def __init__(self, features: FeaturesLike):
        """Takes Tensors, SparseTensors or values by key.  A key may be a column, whose value is transformed already."""
        self._features: dict[Any, Any] = dict(features)
        self._made: dict[Any, Any] = {}

    def get(self, key: object) -> Any:
        """The feature `key`, of rank 2 or more, or the transformed feature of a column.

        Raises:
            ValueError: there is no such feature, it is a scalar, or a column gives None.
            TypeError: `key` is neither a str nor a column.
        """
        if key in self._made:
            return self._made[key]
        if key in self._features:
            made = _with_rows(key, self._features[key])
        elif isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary.")
        elif not isinstance(key, FeatureColumn):
            raise TypeError(
                f'"key" must be either a "str" or "_FeatureColumn", got {key!r}'
            )
        else:
            made = key._transform_feature(self)
            if made is None:
                raise ValueError(f"Column {key.name} is not supported: it gave None")
        self._made[key] = made
        return made


def _with_rows(key: Any, feature: Any) -> Any:
    """The feature; a vector [batch] as [batch, 1]."""
    feature = sparse_tensor.convert_to_tensor_or_sparse_tensor(feature)
    is_sparse = isinstance(feature, sparse_tensor.SparseTensor)
    scalar = f"Feature (key: {key}) cannot have rank 0. Given: {feature}"
    rank = feature.get_shape().ndims
    if rank == 0:
        raise ValueError(scalar)
    if rank == 1 and not is_sparse:
        return array_ops.expand_dims(feature, -1)
    if rank == 1:
        return sparse_ops.sparse_reshape(feature, [array_ops.shape(feature)[0], 1])
    if rank is not None:
        return feature
    sizes = array_ops.shape(feature)
    check = check_ops.assert_positive(array_ops.size(sizes), message=scalar)
    with ops.control_dependencies([check]):
        is_vector = math_ops.cast(math_ops.equal(array_ops.size(sizes), 1), "int32")
        ones = array_ops.ones([is_vector], sizes.dtype)
        sizes = array_ops.concat([sizes, ones], 0)
    if is_sparse:
        return sparse_ops.sparse_reshape(feature, sizes)
    return array_ops.reshape(feature, sizes)


def normalize_feature_columns(
    feature_columns: FeatureColumn | Iterable[FeatureColumn],
) -> list[FeatureColumn]:
    """The columns as a list.

    Raises:
        ValueError: there are none, one is no column, two have one name, or they come as a dict.
    """
    if isinstance(feature_columns, FeatureColumn):
        return [feature_columns]
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns = list(feature_columns)
    by_name: dict[str, FeatureColumn] = {}
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                "Items of feature_columns must be a _FeatureColumn. Given (type "
                f"{type(column)}): {column}."
            )
        if column.name in by_name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{by_name[column.name]}. Leave one out, or give its feature another key."
            )
        by_name[column.name] = column
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    return columns


def transform_features(
    features: Mapping[str, TensorLike | SparseTensor],
    feature_columns: Iterable[FeatureColumn],
) -> dict[FeatureColumn, Any]:
    """Returns each column's transformed features, by column.

    Raises:
        ValueError: as in `LazyBuilder.get` and `normalize_feature_columns`.
    """
    columns = normalize_feature_columns(feature_columns)
    with ops.name_scope(None, "transform_features", list(tensors_of(features))):
        builder = LazyBuilder(features)
        outputs = {}
        for column in sorted(columns, key=lambda c: c.name):
            with ops.name_scope(None, column.name):
                outputs[column] = builder.get(column)
    return outputs


def tensors_of(features: FeaturesLike) -> Iterator[ops.Tensor]:
    """The features that are in a graph already."""
    for feature in features.values():
        if isinstance(feature, sparse_tensor.SparseTensor):
            yield feature.values
        elif isinstance(feature, ops.Tensor):
            yield feature


def to_sparse(
    feature: TensorLike | sparse_tensor.SparseTensor,
    ignore_value: TensorLike | None = None,
) -> sparse_tensor.SparseTensor:
    """`feature` as a SparseTensor, without elements that are `ignore_value`: "" or -1 if none is given."""
    feature = sparse_tensor.convert_to_tensor_or_sparse_tensor(feature)
    if isinstance(feature, sparse_tensor.SparseTensor):
        return feature
    with ops.name_scope(None, "to_sparse_input", [feature]):
        if ignore_value is None:
            if feature.dtype.base_dtype == dtypes.string:
                ignore_value = ""
            else:
                ignore_value = -1 if feature.dtype.is_integer else 0
        ignored = math_ops.cast(ignore_value, feature.dtype.base_dtype)
        indices = array_ops.where(math_ops.not_equal(feature, ignored), name="indices")
        return sparse_tensor.SparseTensor(
            indices=indices,
            values=array_ops.gather_nd(feature, indices, name="values"),
            dense_shape=array_ops.shape(
                feature, out_type=dtypes.int64, name="dense_shape"
            ),
        )


def check_key(key: object) -> None:
    """Raises ValueError for a key that is no str."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string, got {type(key)}: {key!r}")


def check_string_or_int(dtype: dtypes.DType, prefix: str) -> None:
    """Raises ValueError for another dtype."""
    if dtype.base_dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def check_sparse_dtype(
    key: str, dtype: dtypes.DType, tensor: sparse_tensor.SparseTensor
) -> None:
    """Raises ValueError for values that are integers if `dtype` is string, or the other way round."""
    if dtype.is_integer != tensor.dtype.is_integer:
        raise ValueError(
            "Column dtype and SparseTensors dtype must be compatible. "
            f"key: {key}, column dtype: {dtype}, tensor dtype: {tensor.dtype}"
        )
    check_string_or_int(tensor.dtype, f"column_name: {key} input_tensor")


def sequence_length(
    sp_tensor: sparse_tensor.SparseTensor, num_elements: int = 1
) -> ops.Tensor:
    """Returns the number of steps of `num_elements` in each row of `sp_tensor` [batch, columns, ...]: int64 [batch]."""
    with ops.name_scope(None, "sequence_length") as scope:
        ends = math_ops.unsorted_segment_max(
            sp_tensor.indices[:, 1] + 1,
            sp_tensor.indices[:, 0],
            math_ops.cast(sp_tensor.dense_shape[0], dtypes.int32),
        )
        # The maximum over a row without elements is the lowest integer.
        ends = math_ops.maximum(ends, 0)
        return math_ops.floordiv(ends + (num_elements - 1), num_elements, name=scope)


def elements_of(column: DenseColumn | SequenceDenseColumn) -> int:
    """The number of elements of an example's part, or a step's; ValueError if its shape is not known in full."""
    elements = column._variable_shape.num_elements()
    if elements is None:
        raise ValueError(
            f"the shape of {column.name} must be known, got {column._variable_shape}"
        )
    return elements


def check_batch_sizes(
    tensors: Sequence[ops.Tensor], columns: Sequence[FeatureColumn]
) -> None:
    """Raises ValueError if numbers of rows are known and differ."""
    known = [
        (column.name, tensor.get_shape().as_list()[0])
        for tensor, column in zip(tensors, columns, strict=True)
        if tensor.get_shape().ndims and tensor.get_shape().as_list()[0] is not None
    ]
    for name, size in known[1:]:
        first, expected = known[0]
        if size != expected:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. "
                f"Batch size of columns ({first}, {name}): ({expected}, {size})"
            )
