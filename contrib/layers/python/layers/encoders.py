# SPDX-License-Identifier: Apache-2.0
"""Sequences of ids as embeddings, or as the mean of these."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorwright.contrib.framework.python.ops import variables
from tensorwright.contrib.layers.python.layers import embedding_ops as contrib_ops
from tensorwright.contrib.layers.python.ops import sparse_ops
from tensorwright.python.framework import ops, sparse_tensor
from tensorwright.python.framework.type_aliases import (
    InitializerLike,
    ScopeLike,
    TensorLike,
)
from tensorwright.python.ops import embedding_ops, math_ops, variable_scope

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor


__all__ = ["bow_encoder", "embed_sequence"]


def bow_encoder(
    ids: TensorLike | SparseTensor,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: InitializerLike | None = None,
    regularizer: Callable | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
    reuse: bool | None = None,
) -> ops.Tensor:
    """The mean of the embeddings of each row's ids: [n, length] -> [n, embed_dim].

    Args:
        ids: a tensor or SparseTensor.
        vocab_size, embed_dim: the sizes of the variable `embeddings`.
        sparse_lookup: whether ids that are absent, or 0 in a tensor, are left out.
        initializer, regularizer, trainable: for the variable.
        scope, reuse: for the variable scope, "bow_encoder" by default.

    Raises:
        TypeError: a SparseTensor without `sparse_lookup`.
    """
    with variable_scope.variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = variables.model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        sparse = isinstance(ids, sparse_tensor.SparseTensor)
        if sparse_lookup:
            if not sparse:
                ids = sparse_ops.dense_to_sparse_tensor(ids)
            return contrib_ops.safe_embedding_lookup_sparse(
                [embeddings], ids, combiner="mean", default_id=0
            )
        if sparse:
            raise TypeError(f"ids are expected to be dense Tensor, got: {ids}")
        found = embedding_ops.embedding_lookup(embeddings, ids)
        return math_ops.reduce_mean(found, 1)


def embed_sequence(
    ids: TensorLike,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: InitializerLike | None = None,
    regularizer: Callable | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
    reuse: bool | None = None,
) -> ops.Tensor:
    """The embedding of each id: [n, length] -> [n, length, embed_dim].

    Args:
        ids: int32 or int64.
        vocab_size, embed_dim: the sizes of the variable `embeddings`; may be absent with `reuse`.
        unique: whether an id that is there twice is looked up once.
        initializer, regularizer, trainable: for the variable.
        scope, reuse: for the variable scope, "EmbedSequence" by default.

    Raises:
        ValueError: a size is absent without `reuse`.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. Got "
            f"vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
        embeddings = variables.model_variable(
            "embeddings",
            shape=shape,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if unique:
            return contrib_ops.embedding_lookup_unique(embeddings, ids)
        return embedding_ops.embedding_lookup(embeddings, ids)
