# SPDX-License-Identifier: Apache-2.0
"""Decoders that look at the outputs of an encoder (Bahdanau et al. 2014, Vinyals et al. 2014)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.legacy_seq2seq.python.ops._decoders import (
    _extract_argmax_and_embed,
    another,
    check_projection,
    either,
)
from tensorwright.contrib.rnn.python.ops import core_rnn_cell
from tensorwright.contrib.rnn.python.ops._linear import linear
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    embedding_ops,
    math_ops,
    nn_ops,
    rnn,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import RNNCell
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops.variable_scope import VariableScope


class _Heads:
    """Means of `memory` [batch, length, size] by softmax(v tanh(W memory + U query)), one for each head."""

    def __init__(self, memory: ops.Tensor, count: int):
        self._memory = memory
        self._size = memory.get_shape()[2].value
        size = self._size
        self._heads = []
        for i in range(count):
            kernel = vs.get_variable(f"AttnW_{i}", [1, 1, size, size])
            v = vs.get_variable(f"AttnV_{i}", [size])
            rows = array_ops.reshape(memory, [-1, size])
            hidden = math_ops.matmul(rows, array_ops.reshape(kernel, [size, size]))
            hidden = array_ops.reshape(hidden, array_ops.shape(memory))
            hidden.set_shape(memory.get_shape())
            self._heads.append((hidden, v))

    def none_yet(self, batch_size: Any) -> list:
        zeros = array_ops.zeros(
            array_ops.stack([batch_size, self._size]), self._memory.dtype
        )
        zeros.set_shape([None, self._size])
        return [zeros] * len(self._heads)

    def __call__(self, state: Any) -> list:
        query = (
            array_ops.concat(nest.flatten(state), 1)
            if nest.is_sequence(state)
            else state
        )
        means = []
        for i, (hidden, v) in enumerate(self._heads):
            with vs.variable_scope(f"Attention_{i}"):
                asked = linear(query, self._size, True)
            both = math_ops.tanh(hidden + array_ops.expand_dims(asked, 1))
            weights = nn_ops.softmax(math_ops.reduce_sum(v * both, [2]))
            mean = math_ops.reduce_sum(
                array_ops.expand_dims(weights, 2) * self._memory, [1]
            )
            means.append(array_ops.reshape(mean, [-1, self._size]))
        return means


def attention_decoder(
    decoder_inputs: Sequence[TensorLike],
    initial_state: TensorTree,
    attention_states: ops.Tensor,
    cell: RNNCell,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Callable | None = None,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
    initial_state_attention: bool = False,
) -> tuple:
    """Steps of a cell, each with a mean of `attention_states` weighed by the state of the step before.

    Args:
        decoder_inputs: a list of [batch, n].
        initial_state: the initial state of the cell.
        attention_states: [batch, length, size], with a known size.
        cell: an RNNCell.
        output_size: the size of the outputs, a linear map of the cell's and the means; the cell's if absent.
        num_heads: how many means there are.
        loop_function: f(outputs of the step before, step) makes the inputs of a step, but the first one's.
        dtype: the dtype of the variables; the scope's if absent.
        scope: "attention_decoder" if absent.
        initial_state_attention: whether the first step has means by `initial_state`; else zeros.

    Returns:
        (a list of outputs [batch, output_size], the last state).

    Raises:
        ValueError: without inputs or heads, or where a size is not known.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.get_shape()[2].value is None:
        raise ValueError(
            f"Shape[2] of attention_states must be known: {attention_states.get_shape()}"
        )
    if output_size is None:
        output_size = cell.output_size
    with vs.variable_scope(scope or "attention_decoder", dtype=dtype):
        attention = _Heads(attention_states, num_heads)
        state, outputs = initial_state, []
        means = attention.none_yet(array_ops.shape(decoder_inputs[0])[0])
        if initial_state_attention:
            means = attention(initial_state)
        for i, inputs in enumerate(decoder_inputs):
            if i > 0:
                vs.get_variable_scope().reuse_variables()
            if loop_function is not None and outputs:
                with vs.variable_scope("loop_function", reuse=True):
                    inputs = loop_function(outputs[-1], i)
            size = inputs.get_shape().with_rank(2)[1].value
            if size is None:
                raise ValueError(f"Could not infer input size from input: {inputs}")
            output, state = cell(linear([inputs, *means], size, True), state)
            again = True if i == 0 and initial_state_attention else None
            with vs.variable_scope(vs.get_variable_scope(), reuse=again):
                means = attention(state)
            with vs.variable_scope("AttnOutputProjection"):
                outputs.append(linear([output, *means], output_size, True))
    return outputs, state


def embedding_attention_decoder(
    decoder_inputs: Sequence[TensorLike],
    initial_state: TensorTree,
    attention_states: ops.Tensor,
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: tuple | None = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
    initial_state_attention: bool = False,
) -> tuple:
    """attention_decoder of ids, a list of [batch] int32.

    Args are those of `attention_decoder` and `embedding_rnn_decoder`.
    """
    if output_size is None:
        output_size = cell.output_size
    if output_projection is not None:
        bias = ops.convert_to_tensor(output_projection[1])
        bias.get_shape().assert_is_compatible_with([num_symbols])
    with vs.variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = vs.get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = _extract_argmax_and_embed(
                embedding, output_projection, update_embedding_for_previous
            )
        inputs = [embedding_ops.embedding_lookup(embedding, i) for i in decoder_inputs]
        return attention_decoder(
            inputs,
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=loop_function,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: tuple | None = None,
    feed_previous: bool | ops.Tensor = False,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
    initial_state_attention: bool = False,
) -> tuple:
    """embedding_rnn_seq2seq whose decoder looks at all outputs of the encoder.

    Args are those of `embedding_rnn_seq2seq` and `attention_decoder`.
    """
    with vs.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as own:
        dtype = own.dtype
        encoder = core_rnn_cell.EmbeddingWrapper(
            another(cell), num_encoder_symbols, embedding_size
        )
        encoded, state = rnn.static_rnn(encoder, encoder_inputs, dtype=dtype)
        memory = array_ops.stack(encoded, axis=1)
        output_size = None
        if output_projection is None:
            cell = core_rnn_cell.OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols
        else:
            check_projection(output_projection, cell.output_size, num_decoder_symbols)

        def decode(flag: bool, reuse: bool | None) -> tuple:
            with vs.variable_scope(vs.get_variable_scope(), reuse=reuse):
                return embedding_attention_decoder(
                    decoder_inputs,
                    state,
                    memory,
                    cell,
                    num_decoder_symbols,
                    embedding_size,
                    num_heads=num_heads,
                    output_size=output_size,
                    output_projection=output_projection,
                    feed_previous=flag,
                    update_embedding_for_previous=isinstance(feed_previous, bool),
                    initial_state_attention=initial_state_attention,
                )

        return either(feed_previous, decode, len(decoder_inputs))
