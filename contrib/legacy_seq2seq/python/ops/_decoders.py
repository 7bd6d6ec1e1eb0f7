# SPDX-License-Identifier: Apache-2.0
"""Models of an encoder and a decoder; inputs and outputs are lists with an entry for each step."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.rnn.python.ops import core_rnn_cell
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.layers import base
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
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


def another(cell: Any) -> Any:
    """A cell like `cell`, and like those that it wraps, with variables of its own that are yet to be made."""
    if isinstance(cell, (list, tuple)) and any(isinstance(c, base.Layer) for c in cell):
        return type(cell)(another(c) for c in cell)
    if not isinstance(cell, base.Layer):
        return cell
    result = copy.copy(cell)
    for name, value in vars(cell).items():
        setattr(result, name, another(value))
    # A wrapper that makes no variables is built from the beginning, and has no scope.
    result.built = cell.built and cell._scope is None
    result._scope = None
    result._trainable_weights = []
    result._non_trainable_weights = []
    result._nodes = []
    return result


def _extract_argmax_and_embed(
    embedding: Any,
    output_projection: tuple | None = None,
    update_embedding: bool = True,
) -> Callable:
    """f(outputs, step): the vectors of the most likely ids, through which gradients go where `update_embedding`."""

    def loop_function(previous: ops.Tensor, _: Any) -> ops.Tensor:
        if output_projection is not None:
            weights, biases = output_projection
            previous = nn_ops.bias_add(math_ops.matmul(previous, weights), biases)
        vectors = embedding_ops.embedding_lookup(
            embedding, math_ops.argmax(previous, 1)
        )
        return vectors if update_embedding else array_ops.stop_gradient(vectors)

    return loop_function


def rnn_decoder(
    decoder_inputs: Sequence[TensorLike],
    initial_state: TensorTree,
    cell: RNNCell,
    loop_function: Callable | None = None,
    scope: str | VariableScope | None = None,
) -> tuple:
    """Steps of a cell from a state.

    Args:
        decoder_inputs: a list of [batch, n].
        initial_state: the initial state of the cell.
        cell: an RNNCell.
        loop_function: f(outputs of the step before, step) makes the inputs of a step, but the first one's.
        scope: "rnn_decoder" if absent.

    Returns:
        (a list of outputs [batch, output_size], the last state).
    """
    with vs.variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, []
        for i, inputs in enumerate(decoder_inputs):
            if loop_function is not None and outputs:
                with vs.variable_scope("loop_function", reuse=True):
                    inputs = loop_function(outputs[-1], i)
            if i > 0:
                vs.get_variable_scope().reuse_variables()
            output, state = cell(inputs, state)
            outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    dtype: DTypeLike = dtypes.float32,
    scope: str | VariableScope | None = None,
) -> tuple:
    """An encoder whose last state a decoder begins with; each is a cell like `cell`.

    Returns `rnn_decoder`'s pair; inputs are lists of [batch, n].
    """
    with vs.variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = rnn.static_rnn(another(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    loop_function: Callable | None = None,
    dtype: DTypeLike = dtypes.float32,
    scope: str | VariableScope | None = None,
) -> tuple:
    """basic_rnn_seq2seq with one cell for both."""
    with vs.variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = rnn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        vs.get_variable_scope().reuse_variables()
        return rnn_decoder(
            decoder_inputs, state, cell, loop_function=loop_function, scope=scope
        )


def either(feed_previous: bool | ops.Tensor, decode: Callable, steps: int) -> tuple:
    """`decode(flag, reuse)`, (outputs, state), by a flag of Python's or of the run."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous, None)
    structure: list = []

    def branch(flag: bool) -> Callable:
        def run() -> list:
            outputs, state = decode(flag, None if flag else True)
            structure.append(state)
            return list(outputs) + nest.flatten(state)

        return run

    flat = control_flow_ops.cond(feed_previous, branch(True), branch(False))
    return flat[:steps], nest.pack_sequence_as(structure[0], flat[steps:])


def check_projection(projection: tuple | None, size: int, symbols: int) -> None:
    """Raises ValueError where `projection` is no pair of [size, symbols] and [symbols]."""
    if projection is None:
        return
    for value, shape in zip(projection, ([size, symbols], [symbols]), strict=True):
        found = ops.convert_to_tensor(value).get_shape()
        found.assert_is_compatible_with(shape)


def embedding_rnn_decoder(
    decoder_inputs: Sequence[TensorLike],
    initial_state: TensorTree,
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    output_projection: tuple | None = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: str | VariableScope | None = None,
) -> tuple:
    """rnn_decoder of ids.

    Args:
        decoder_inputs: a list of [batch] int32.
        initial_state: the initial state of the cell.
        cell: an RNNCell.
        num_symbols: the number of ids.
        embedding_size: the size of the vector of an id.
        output_projection: (weights [output_size, num_symbols], biases), which make logits of outputs to feed.
        feed_previous: whether each step but the first gets the most likely id of the step before.
        update_embedding_for_previous: whether gradients go through the vectors of these.
        scope: "embedding_rnn_decoder" if absent.
    """
    with vs.variable_scope(scope or "embedding_rnn_decoder"):
        if output_projection is not None:
            check_projection(output_projection, cell.output_size, num_symbols)
        embedding = vs.get_variable("embedding", [num_symbols, embedding_size])
        loop_function = None
        if feed_previous:
            loop_function = _extract_argmax_and_embed(
                embedding, output_projection, update_embedding_for_previous
            )
        inputs = [embedding_ops.embedding_lookup(embedding, i) for i in decoder_inputs]
        return rnn_decoder(inputs, initial_state, cell, loop_function=loop_function)


def embedding_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: tuple | None = None,
    feed_previous: bool | ops.Tensor = False,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
) -> tuple:
    """basic_rnn_seq2seq of ids, lists of [batch] int32.

    Args are those of `embedding_rnn_decoder`; without `output_projection` outputs are logits [batch,
    num_decoder_symbols].  `feed_previous` may be a boolean scalar.
    """
    with vs.variable_scope(scope or "embedding_rnn_seq2seq") as varscope:
        if dtype is not None:
            varscope.set_dtype(dtype)
        dtype = varscope.dtype
        encoder = core_rnn_cell.EmbeddingWrapper(
            another(cell), num_encoder_symbols, embedding_size
        )
        _, state = rnn.static_rnn(encoder, encoder_inputs, dtype=dtype)
        if output_projection is None:
            cell = core_rnn_cell.OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(flag: bool, reuse: bool | None) -> tuple:
            with vs.variable_scope(vs.get_variable_scope(), reuse=reuse):
                return embedding_rnn_decoder(
                    decoder_inputs,
                    state,
                    cell,
                    num_decoder_symbols,
                    embedding_size,
                    output_projection=output_projection,
                    feed_previous=flag,
                    update_embedding_for_previous=isinstance(feed_previous, bool),
                )

        return either(feed_previous, decode, len(decoder_inputs))


def embedding_tied_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs: Sequence[TensorLike],
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: tuple | None = None,
    feed_previous: bool | ops.Tensor = False,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
) -> tuple:
    """embedding_rnn_seq2seq with one cell and one table of vectors for encoder and decoder.

    Logits are [batch, num_decoder_symbols], `num_symbols` if that is absent.
    """
    with vs.variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as own:
        dtype = own.dtype
        symbols = num_symbols if num_decoder_symbols is None else num_decoder_symbols
        check_projection(output_projection, cell.output_size, symbols)
        embedding = vs.get_variable(
            "embedding", [num_symbols, embedding_size], dtype=dtype
        )
        given, wanted = (
            [embedding_ops.embedding_lookup(embedding, ids) for ids in inputs]
            for inputs in (encoder_inputs, decoder_inputs)
        )
        if output_projection is None:
            cell = core_rnn_cell.OutputProjectionWrapper(cell, symbols)

        def decode(flag: bool, reuse: bool | None) -> tuple:
            loop_function = None
            if flag:
                loop_function = _extract_argmax_and_embed(
                    embedding, output_projection, isinstance(feed_previous, bool)
                )
            with vs.variable_scope(vs.get_variable_scope(), reuse=reuse):
                return tied_rnn_seq2seq(
                    given, wanted, cell, loop_function=loop_function, dtype=dtype
                )

        return either(feed_previous, decode, len(decoder_inputs))


def one2many_rnn_seq2seq(
    encoder_inputs: Sequence[TensorLike],
    decoder_inputs_dict: dict,
    enc_cell: RNNCell,
    dec_cells_dict: dict,
    num_encoder_symbols: int,
    num_decoder_symbols_dict: dict,
    embedding_size: int,
    feed_previous: bool | ops.Tensor = False,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
) -> tuple:
    """Runs one encoder, and a decoder for each name of the dicts (Luong et al. 2015).

    Returns:
        (outputs, states), dicts of the results of `embedding_rnn_seq2seq`.
    """
    outputs_dict, state_dict = {}, {}
    with vs.variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as own:
        dtype = own.dtype
        encoder = core_rnn_cell.EmbeddingWrapper(
            enc_cell, num_encoder_symbols, embedding_size
        )
        _, state = rnn.static_rnn(encoder, encoder_inputs, dtype=dtype)
        for name, inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with vs.variable_scope(f"one2many_decoder_{name}"):
                cell = core_rnn_cell.OutputProjectionWrapper(
                    dec_cells_dict[name], symbols
                )

                def decode(
                    flag: bool,
                    reuse: bool | None,
                    inputs: Any = inputs,
                    cell: Any = cell,
                    symbols: int = symbols,
                ) -> tuple:
                    with vs.variable_scope(vs.get_variable_scope(), reuse=reuse):
                        return embedding_rnn_decoder(
                            inputs,
                            state,
                            cell,
                            symbols,
                            embedding_size,
                            feed_previous=flag,
                            update_embedding_for_previous=isinstance(
                                feed_previous, bool
                            ),
                        )

                outputs_dict[name], state_dict[name] = either(
                    feed_previous, decode, len(inputs)
                )
    return outputs_dict, state_dict
