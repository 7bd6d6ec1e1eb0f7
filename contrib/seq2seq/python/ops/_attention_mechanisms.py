# SPDX-License-Identifier: Apache-2.0
"""Attention mechanisms: how well each place of a memory answers a query."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.layers import base, core as layers_core
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    init_ops,
    math_ops,
    nn_ops,
    variable_scope as vs,
)
from tensorwright.python.ops._rnn.rnn_cell_base import _zero_state_tensors
from tensorwright.python.util import nest


class AttentionMechanism:
    """A function that an AttentionWrapper calls: f(query, previous alignments) -> alignments [batch, memory]."""


def _inside(lengths: ops.Tensor, of: ops.Tensor, dtype: dtypes.DType) -> ops.Tensor:
    """[batch, time]: the steps within the lengths of `of` [batch, time, ...]."""
    most = array_ops.shape(of, out_type=lengths.dtype)[1]
    return array_ops.sequence_mask(lengths, maxlen=most, dtype=dtype)


def _prepare_memory(memory: Any, lengths: Any, check_inner_dims_defined: bool) -> Any:
    """`memory` [batch, time, ...] with zeros behind the lengths."""
    memory = nest.map_structure(
        lambda m: ops.convert_to_tensor(m, name="memory"), memory
    )
    if check_inner_dims_defined:
        for m in nest.flatten(memory):
            if not m.get_shape()[2:].is_fully_defined():
                raise ValueError(
                    f"Expected memory {m.name} to have fully defined inner dims, but saw "
                    f"shape: {m.get_shape()}"
                )
    if lengths is None:
        return memory
    first = nest.flatten(memory)[0]
    mask = _inside(lengths, first, first.dtype)

    def masked(m: Any) -> ops.Tensor:
        rank = m.get_shape().ndims
        extra = (
            array_ops.rank(m) - 2 if rank is None else rank - 2
        )  # Axes behind the time.
        ones = array_ops.ones(array_ops.reshape(extra, [-1]), dtype=dtypes.int32)
        shape = array_ops.concat([array_ops.shape(mask), ones], 0)
        result = m * array_ops.reshape(mask, shape)
        result.set_shape(m.get_shape())
        return result

    return nest.map_structure(masked, memory)


def _maybe_mask_score(
    score: ops.Tensor, lengths: Any, score_mask_value: float
) -> ops.Tensor:
    """`score` [batch, memory], `score_mask_value` behind the lengths, which must be positive."""
    if lengths is None:
        return score
    positive = check_ops.assert_positive(
        lengths, message="All values in memory_sequence_length must greater than zero."
    )
    with ops.control_dependencies([positive]):
        mask = _inside(lengths, score, dtypes.bool)
    return array_ops.where(mask, score, score_mask_value * array_ops.ones_like(score))


class _BaseAttentionMechanism(AttentionMechanism):
    """A memory with its values and keys.

    Args:
        query_layer: a layer for the query, or None.
        memory: [batch, time, ...], the values to attend to.
        probability_fn: f(score [batch, time], previous alignments) -> alignments.
        memory_sequence_length: [batch] integers; behind these lengths the memory is zeros, and its score
            `score_mask_value`.
        memory_layer: makes the keys from the values; if None, the values are the keys.
        check_inner_dims_defined: whether `memory` must have known sizes behind the time.
        score_mask_value: the score of places behind the lengths.
        name: the name of the name scope.
    """

    def __init__(
        self,
        query_layer: base.Layer | None,
        memory: TensorTree,
        probability_fn: Callable,
        memory_sequence_length: TensorLike | None = None,
        memory_layer: base.Layer | None = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: float = float("-inf"),
        name: str | None = None,
    ):
        for what, layer in (
            ("query_layer", query_layer),
            ("memory_layer", memory_layer),
        ):
            if layer is not None and not isinstance(layer, base.Layer):
                raise TypeError(f"{what} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(
                f"probability_fn must be callable, saw type: "
                f"{type(probability_fn).__name__}"
            )
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        with ops.name_scope(name, "BaseAttentionMechanismInit", nest.flatten(memory)):
            if memory_sequence_length is not None:
                memory_sequence_length = ops.convert_to_tensor(
                    memory_sequence_length, name="memory_sequence_length"
                )
            self._values = _prepare_memory(
                memory, memory_sequence_length, check_inner_dims_defined
            )
            self._keys = memory_layer(self._values) if memory_layer else self._values
            self._batch_size = _size(self._keys, 0)
            self._alignments_size = _size(self._keys, 1)
        self._probability_fn = lambda score, previous: probability_fn(
            _maybe_mask_score(score, memory_sequence_length, score_mask_value), previous
        )

    @property
    def memory_layer(self) -> base.Layer | None:
        return self._memory_layer

    @property
    def query_layer(self) -> base.Layer | None:
        return self._query_layer

    @property
    def values(self) -> Any:
        return self._values

    @property
    def keys(self) -> Any:
        return self._keys

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """The length of the memory."""
        return self._alignments_size

    def initial_alignments(self, batch_size: TensorLike, dtype: DTypeLike) -> Any:
        """Returns the alignments before the first step: zeros [batch, memory]."""
        return _zero_state_tensors(self._alignments_size, batch_size, dtype)

    def _score(self, query: ops.Tensor) -> ops.Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no scores")

    def __call__(self, query: ops.Tensor, previous_alignments: Any) -> ops.Tensor:
        """Alignments [batch, memory] of a query [batch, n]."""
        return self._probability_fn(self._score(query), previous_alignments)


def _size(tensor: ops.Tensor, axis: int) -> Any:
    known = tensor.get_shape()[axis].value
    return array_ops.shape(tensor)[axis] if known is None else known


def _of_score_alone(probability_fn: Callable | None) -> Callable:
    function = nn_ops.softmax if probability_fn is None else probability_fn
    return lambda score, _: function(score)


def _without_bias(num_units: int, name: str) -> layers_core.Dense:
    return layers_core.Dense(num_units, name=name, use_bias=False)


def luong_score(query: ops.Tensor, keys: ops.Tensor, scale: bool) -> ops.Tensor:
    """query . key of each place, [batch, memory]; times a variable "attention_g" where `scale`."""
    depth, units = query.get_shape()[-1].value, keys.get_shape()[-1].value
    if depth is None or depth != units:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys. "
            f"Query ({query}) has units: {depth}. Keys ({keys}) have units: {units}."
        )
    score = math_ops.matmul(array_ops.expand_dims(query, 1), keys, transpose_b=True)
    score = array_ops.squeeze(score, [1])
    if scale:
        score *= vs.get_variable(
            "attention_g",
            [],
            dtype=query.dtype.base_dtype,
            initializer=init_ops.ones_initializer(),
        )
    return score


def bahdanau_score(
    processed_query: ops.Tensor, keys: ops.Tensor, normalize: bool
) -> ops.Tensor:
    """Returns the score v . tanh(key + query) of each place, [batch, memory].

    With `normalize`, v has its own length "attention_g", and there is a bias (Salimans and Kingma 2016).
    """
    dtype, units = processed_query.dtype.base_dtype, keys.get_shape()[2].value
    v = vs.get_variable("attention_v", [units], dtype=dtype)
    both = keys + array_ops.expand_dims(processed_query, 1)
    if normalize:
        g = vs.get_variable(
            "attention_g",
            [],
            dtype=dtype,
            initializer=init_ops.constant_initializer(math.sqrt(1.0 / units)),
        )
        b = vs.get_variable(
            "attention_b",
            [units],
            dtype=dtype,
            initializer=init_ops.zeros_initializer(),
        )
        v = g * v * math_ops.rsqrt(math_ops.reduce_sum(math_ops.square(v)))
        both += b
    return math_ops.reduce_sum(v * math_ops.tanh(both), [2])


class LuongAttention(_BaseAttentionMechanism):
    """Multiplicative attention (Luong et al. 2015): the score is query . key.

    Args:
        num_units: the size of the keys, a linear map of the memory, and of the query.
        memory: [batch, time, n].
        memory_sequence_length: [batch] integers; by default all places count.
        scale: whether a variable multiplies the score.
        probability_fn: f(score) -> alignments; softmax by default.
        score_mask_value: the score of places behind the lengths.
        name: the name of the name scope.
    """

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        scale: bool = False,
        probability_fn: Callable | None = None,
        score_mask_value: float = float("-inf"),
        name: str = "LuongAttention",
    ):
        super().__init__(
            None,
            memory,
            _of_score_alone(probability_fn),
            memory_sequence_length,
            _without_bias(num_units, "memory_layer"),
            score_mask_value=score_mask_value,
            name=name,
        )
        self._scale = scale

    def _score(self, query: ops.Tensor) -> ops.Tensor:
        with vs.variable_scope(None, "luong_attention", [query]):
            return luong_score(query, self._keys, self._scale)


class BahdanauAttention(_BaseAttentionMechanism):
    """Additive attention (Bahdanau et al. 2014): the score is v . tanh(W key + U query).

    Args:
        num_units: the size of the hidden layer.
        memory: [batch, time, n].
        memory_sequence_length: [batch] integers; by default all places count.
        normalize: whether the length of v is a variable of its own.
        probability_fn: f(score) -> alignments; softmax by default.
        score_mask_value: the score of places behind the lengths.
        name: the name of the name scope.
    """

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        normalize: bool = False,
        probability_fn: Callable | None = None,
        score_mask_value: float = float("-inf"),
        name: str = "BahdanauAttention",
    ):
        super().__init__(
            _without_bias(num_units, "query_layer"),
            memory,
            _of_score_alone(probability_fn),
            memory_sequence_length,
            _without_bias(num_units, "memory_layer"),
            score_mask_value=score_mask_value,
            name=name,
        )
        self._normalize = normalize

    def _score(self, query: ops.Tensor) -> ops.Tensor:
        with vs.variable_scope(None, "bahdanau_attention", [query]):
            return bahdanau_score(self._query_layer(query), self._keys, self._normalize)
