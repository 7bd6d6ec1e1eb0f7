# SPDX-License-Identifier: Apache-2.0
"""The base of feature columns: a column parses a feature, transforms it, and gives it to a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.framework.python.framework import checkpoint_utils
from tensorwright.contrib.framework.python.ops import variables as contrib_variables
from tensorwright.contrib.layers.python.layers import embedding_ops
from tensorwright.python.feature_column._columns.feature_column_base import to_sparse
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    sparse_ops,
    variables,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import ParseSpec
    from tensorwright.python.ops._variables.variables_variable import Variable


@dataclasses.dataclass
class EmbeddingLookupArguments:
    """The arguments for looking up a column's ids."""

    input_tensor: sparse_tensor.SparseTensor
    weight_tensor: sparse_tensor.SparseTensor | None
    vocab_size: int
    combiner: str
    initializer: Any
    dimension: int | None = None
    shared_embedding_name: str | None = None
    hash_key: int | None = None
    max_norm: float | None = None
    trainable: bool = True
    hashed: bool = False


class FeatureColumn:
    """A feature, or a combination of others.  Columns of equal arguments are equal."""

    @property
    def name(self) -> str:
        """The name of its scope."""
        raise NotImplementedError

    @property
    def config(self) -> dict[str, ParseSpec]:
        """How the features that it needs are parsed, by key."""
        raise NotImplementedError

    @property
    def key(self) -> str:
        """The key by which columns are sorted; no two columns of a model may share it."""
        return str(self)

    def insert_transformed_feature(
        self, columns_to_tensors: dict[object, Tensor | SparseTensor]
    ) -> None:
        """Adds its transformed value, under itself, to raw features and those of other columns."""
        raise NotImplementedError

    def wide_arguments(
        self, transformed: Tensor | SparseTensor
    ) -> EmbeddingLookupArguments:
        """For a linear model: of its ids, one weight each."""
        raise NotImplementedError(f"{self.name} has no ids")

    def deep_arguments(
        self, transformed: Tensor | SparseTensor
    ) -> EmbeddingLookupArguments:
        """For a dense input layer: of its ids, an embedding each."""
        raise NotImplementedError(f"{self.name} has no embedding")

    def to_dnn_input_layer(
        self, transformed: TensorLike | SparseTensor, output_rank: int = 2
    ) -> ops.Tensor:
        """Its dense value for an input layer."""
        raise ValueError(
            f"Column {self.name} cannot be given to a dense input layer; use embedding_column or one_hot_column"
        )

    def to_dense_tensor(self, transformed: Tensor | SparseTensor) -> ops.Tensor:
        """Its dense value for a linear model."""
        raise ValueError(f"Column {self.name} has no dense value")

    def checkpoint_path(self) -> tuple[str, str] | None:
        """(checkpoint, tensor) that its variables start from."""
        return None


def restore_from_checkpoint(column: FeatureColumn, parts: Sequence[Variable]) -> None:
    """Makes a column's variables start from its checkpoint, if it has one."""
    path = column.checkpoint_path()
    if path is not None:
        checkpoint, tensor = path
        value = parts[0] if len(parts) == 1 else list(parts)
        checkpoint_utils.init_from_checkpoint(checkpoint, {tensor: value})


def parts_of(variable: Variable) -> list[Variable]:
    """A variable, or all parts of one."""
    if isinstance(variable, variables.PartitionedVariable):
        return list(variable)
    return [variable]


def embeddings_from_arguments(
    column: FeatureColumn,
    args: EmbeddingLookupArguments,
    weight_collections: Sequence[str] | None,
    trainable: bool,
    output_rank: int = 2,
) -> ops.Tensor:
    """The combined embeddings of a column's ids: [n..., dimension]."""
    collections = list(weight_collections or ())
    ids, weights = args.input_tensor, args.weight_tensor
    if args.hashed:
        table = contrib_variables.model_variable(
            name="weights",
            shape=[args.vocab_size],
            dtype=dtypes.float32,
            initializer=args.initializer,
            trainable=trainable and args.trainable,
            collections=collections,
        )
        return embedding_ops.scattered_embedding_lookup_sparse(
            parts_of(table),
            ids,
            args.dimension,
            hash_key=args.hash_key,
            combiner=args.combiner,
            name="lookup",
        )
    options = {
        "shape": [args.vocab_size, args.dimension],
        "dtype": dtypes.float32,
        "initializer": args.initializer,
        "trainable": trainable and args.trainable,
        "collections": collections,
    }
    if args.shared_embedding_name is None:
        table = contrib_variables.model_variable(name="weights", **options)
    else:
        table = _shared(args.shared_embedding_name, options)
    restore_from_checkpoint(column, parts_of(table))
    found = embedding_ops.safe_embedding_lookup_sparse(
        parts_of(table),
        ids,
        sparse_weights=weights,
        combiner=args.combiner,
        name=column.name + "weights",
        max_norm=args.max_norm,
    )
    if output_rank == 3 and found.get_shape().ndims == 2:
        return array_ops.expand_dims(found, 1)
    return found


def _shared(name: str, options: dict[str, Any]) -> Any:
    """The one variable of all columns that share an embedding."""
    kept = ops.get_default_graph().get_collection_ref(
        "SHARED_EMBEDDING_COLLECTION_" + name.upper()
    )
    if not kept:
        kept.append(contrib_variables.model_variable(name=name, **options))
    table = kept[0]
    if table.get_shape().as_list() != options["shape"]:
        raise ValueError(
            f"The embedding variable with name {name} already exists, but its shape does not "
            f"match required embedding shape here: {table.get_shape()} and "
            f"{options['shape']}. Please make sure to use different shared_embedding_name "
            "for different shared embeddings."
        )
    return table


def sparse_input(
    column: FeatureColumn, tensor: TensorLike | SparseTensor
) -> sparse_tensor.SparseTensor:
    """A feature as a SparseTensor: of a dense one "" and negative integers are absent.

    Raises:
        ValueError: neither strings nor integers.
    """
    if not isinstance(tensor, sparse_tensor.SparseTensor):
        tensor = ops.convert_to_tensor(tensor)
        if tensor.get_shape().ndims == 1:
            tensor = array_ops.expand_dims(tensor, 1)
    tensor = to_sparse(tensor)
    dtype = tensor.dtype.base_dtype
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(
            f"dtype of {column.name} must be string or integer, got {dtype!r}"
        )
    return tensor


def at_rank(tensor: Any, column_name: str, output_rank: int) -> Any:
    """A tensor of `output_rank`: the dimensions from there on are put together.

    Raises:
        ValueError: a dense tensor of lower rank, or of an unknown one.
    """
    if isinstance(tensor, sparse_tensor.SparseTensor):
        rank = tensor.get_shape().ndims
        if rank is None or rank <= output_rank:
            return tensor
        sizes = [tensor.dense_shape[: output_rank - 1], [-1]]
        return sparse_ops.sparse_reshape(tensor, array_ops.concat(sizes, 0))
    rank = tensor.get_shape().ndims
    if rank is None:
        raise ValueError(f"Rank of column {column_name} is unknown")
    if rank == output_rank:
        return tensor
    if rank < output_rank - 1:
        raise ValueError(
            f"Error while processing column {column_name}. Rank of input Tensor ({rank}) "
            f"should be the same as output_rank ({output_rank}). For example, sequence data "
            "should typically be 3 dimensional (rank 3) while non-sequence data is "
            "typically 2 dimensional (rank 2)."
        )
    if rank == output_rank - 1:
        return array_ops.expand_dims(tensor, -1)
    outer = array_ops.shape(tensor)[: output_rank - 1]
    last = tensor.get_shape()[output_rank - 1 :].num_elements()
    flat = array_ops.reshape(
        tensor, array_ops.concat([outer, [-1 if last is None else last]], 0)
    )
    flat.set_shape(tensor.get_shape()[: output_rank - 1].concatenate(last))
    return flat


ZEROS = init_ops.zeros_initializer
