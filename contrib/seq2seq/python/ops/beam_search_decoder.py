# SPDX-License-Identifier: Apache-2.0
"""BeamSearchDecoder: the most likely sequences of a cell, `beam_width` kept at each step."""

from __future__ import annotations

import collections
from typing import Any

from tensorwright.contrib.seq2seq.python.ops import beam_search_ops, decoder
from tensorwright.contrib.seq2seq.python.ops.basic_decoder import size_behind
from tensorwright.contrib.seq2seq.python.ops.helper import _embedding_function
from tensorwright.python.framework import dtypes, ops, tensor_shape, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike, TensorTree
from tensorwright.python.layers import base
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    nn_ops,
    tensor_array_ops,
)
from tensorwright.python.ops.rnn_cell_impl import RNNCell, assert_like_rnncell
from tensorwright.python.util import nest

BeamSearchDecoderState = collections.namedtuple(
    "BeamSearchDecoderState", ("cell_state", "log_probs", "finished", "lengths")
)
BeamSearchDecoderState.__doc__ = """The state: the cell's [batch, beam, ...]; of each beam [batch, beam] the sum of its logarithms of probabilities,
whether it has ended, and its length (int64), without the end."""

BeamSearchDecoderOutput = collections.namedtuple(
    "BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids")
)
BeamSearchDecoderOutput.__doc__ = """What a step keeps, [batch, beam]: scores, ids, and of which beam of the step before each is."""

FinalBeamSearchDecoderOutput = collections.namedtuple(
    "FinalBeamDecoderOutput", ("predicted_ids", "beam_search_decoder_output")
)
FinalBeamSearchDecoderOutput.__doc__ = """Whole beams: ids [batch, time, beam], the best first and -1 behind the end; and what steps kept."""


def _check_tensor(t: Any) -> None:
    if isinstance(t, tensor_array_ops.TensorArray):
        raise TypeError(f"TensorArray state is not supported by BeamSearchDecoder: {t}")
    if t.get_shape().ndims is None:
        raise ValueError(
            f"Expected tensor ({t}) to have known rank, but ndims == None."
        )


def tile_batch(t: TensorTree, multiplier: int, name: str | None = None) -> Any:
    """Each row `multiplier` times, one after another: [batch, ...] -> [batch * multiplier, ...].

    Args:
        t: a tensor of known rank 1 or more, or a structure of such.
        multiplier: a Python int.
        name: the name of the name scope.

    Raises:
        ValueError: where a rank is not known, or 0.
    """

    def tile(x: Any) -> ops.Tensor:
        x = ops.convert_to_tensor(x, name="t")
        static = x.get_shape()
        if static.ndims is None:
            raise ValueError("t must have statically known rank")
        if static.ndims == 0:
            raise ValueError("t must have rank 1 or more, got a scalar")
        repeats = [1, multiplier] + [1] * (static.ndims - 1)
        tiled = array_ops.tile(array_ops.expand_dims(x, 1), repeats)
        tail = array_ops.shape(x)[1:]
        tiled = array_ops.reshape(tiled, array_ops.concat([[-1], tail], 0))
        rows = static[0].value
        known = tensor_util.constant_value(ops.convert_to_tensor(multiplier))
        rows = None if rows is None or known is None else rows * int(known)
        tiled.set_shape(tensor_shape.TensorShape([rows]).concatenate(static[1:]))
        return tiled

    with ops.name_scope(name, "tile_batch", nest.flatten(t) + [multiplier]):
        return nest.map_structure(tile, t)


class BeamSearchDecoder(decoder.Decoder):
    """Beam search over a cell.

    Args:
        cell: an RNNCell; one with attention must have its memory repeated by `tile_batch`.
        embedding: f(ids) or the table of vectors.
        start_tokens: [batch] int32.
        end_token: an int32 scalar.
        initial_state: the initial state of the cell, for batch times beam_width rows: see `tile_batch`.
        beam_width: a Python int.
        output_layer: a layer that makes logits of the cell's outputs.
        length_penalty_weight: scores are divided by ((5 + length) / 6) to this power (Wu et al. 2016); 0 for none.

    Raises:
        TypeError: where `cell` or `output_layer` is something else, or a state is a TensorArray.
        ValueError: where the ranks of tokens are wrong, or that of a state is not known.
    """

    def __init__(
        self,
        cell: RNNCell,
        embedding: TensorLike,
        start_tokens: TensorLike,
        end_token: TensorLike,
        initial_state: TensorTree,
        beam_width: int,
        output_layer: base.Layer | None = None,
        length_penalty_weight: float = 0.0,
    ):
        assert_like_rnncell("cell", cell)
        if output_layer is not None and not isinstance(output_layer, base.Layer):
            raise TypeError(
                f"output_layer must be a Layer, received: {type(output_layer)}"
            )
        self._cell = cell
        self._output_layer = output_layer
        self._embedding_fn = _embedding_function(embedding)
        tokens = ops.convert_to_tensor(
            start_tokens, dtype=dtypes.int32, name="start_tokens"
        )
        if tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = ops.convert_to_tensor(
            end_token, dtype=dtypes.int32, name="end_token"
        )
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        known = tokens.get_shape()[0].value
        self._static_batch = known
        self._batch_size = array_ops.size(tokens) if known is None else known
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._initial_cell_state = nest.map_structure(self._split, initial_state)
        tiled = array_ops.tile(array_ops.expand_dims(tokens, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(tiled)

    @property
    def batch_size(self) -> ops.Tensor:
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """Beams change places: only `step` knows which have ended."""
        return True

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        beams = tensor_shape.TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(beams, beams, beams)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        return BeamSearchDecoderOutput(dtype, dtypes.int32, dtypes.int32)

    def _split(self, t: Any) -> Any:
        """[batch * beam, ...] -> [batch, beam, ...]; scalars stay."""
        _check_tensor(t)
        shape = t.get_shape()
        if shape.ndims == 0:
            return t
        if (
            shape[0].value is not None
            and self._static_batch is not None
            and shape[0].value != self._static_batch * self._beam_width
        ):
            raise ValueError(
                f"BeamSearchDecoder: a state must have {self._static_batch} * "
                f"{self._beam_width} rows, batch times beam_width, got shape {shape}; "
                "see tile_batch()"
            )
        head = array_ops.stack([self._batch_size, self._beam_width])
        split = array_ops.reshape(
            t, array_ops.concat([head, array_ops.shape(t)[1:]], 0)
        )
        head = tensor_shape.TensorShape([self._static_batch, self._beam_width])
        split.set_shape(head.concatenate(shape[1:]))
        return split

    def _merge(self, t: Any) -> Any:
        """[batch, beam, ...] -> [batch * beam, ...]; scalars stay."""
        _check_tensor(t)
        shape = t.get_shape()
        if shape.ndims == 0:
            return t
        merged = array_ops.reshape(
            t, array_ops.concat([[-1], array_ops.shape(t)[2:]], 0)
        )
        rows = self._static_batch
        rows = None if rows is None else rows * self._beam_width
        merged.set_shape(tensor_shape.TensorShape([rows]).concatenate(shape[2:]))
        return merged

    def initialize(self, name: str | None = None) -> tuple:
        """(finished [batch, beam], first inputs [batch, beam, ...], BeamSearchDecoderState)."""
        shape = array_ops.stack([self._batch_size, self._beam_width])
        known = [self._static_batch, self._beam_width]
        finished = array_ops.zeros(shape, dtype=dtypes.bool)
        lengths = array_ops.zeros(shape, dtype=dtypes.int64)
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        # All beams are equal at first: only the first one goes on.
        first = array_ops.one_hot(
            0, self._beam_width, on_value=0.0, off_value=dtype.min, dtype=dtype
        )
        log_probs = first + array_ops.zeros(shape, dtype=dtype)
        for made in (finished, lengths, log_probs):
            made.set_shape(known)
        state = BeamSearchDecoderState(
            self._initial_cell_state, log_probs, finished, lengths
        )
        return finished, self._start_inputs, state

    def finalize(
        self, outputs: TensorTree, final_state: TensorTree, sequence_lengths: ops.Tensor
    ) -> tuple:
        """(FinalBeamSearchDecoderOutput, state); ids are [time, batch, beam]."""
        del sequence_lengths
        steps = array_ops.shape(outputs.predicted_ids)
        ids = beam_search_ops.gather_tree(
            outputs.predicted_ids,
            outputs.parent_ids,
            sequence_length=array_ops.fill(steps[1:], steps[0]),
        )
        ends = math_ops.cast(math_ops.equal(ids, self._end_token), dtypes.int32)
        ended = math_ops.cumsum(ends, axis=0, exclusive=True) > 0
        ids = array_ops.where(ended, -array_ops.ones_like(ids), ids)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    def step(
        self,
        time: ops.Tensor,
        inputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> tuple:
        """(BeamSearchDecoderOutput, next state, next inputs, finished [batch, beam])."""
        with ops.name_scope(name, "BeamSearchDecoderStep", [time]):
            merged = nest.map_structure(self._merge, inputs)
            cell_state = nest.map_structure(self._merge, state.cell_state)
            logits, cell_state = self._cell(merged, cell_state)
            if self._output_layer is not None:
                logits = self._output_layer(logits)
            size = size_behind(self._cell.output_size, self._output_layer)
            logits.get_shape()[1:].assert_is_compatible_with(
                tensor_shape.as_shape(size)
            )
            cell_state = nest.map_structure(self._split, cell_state)
            output, state = self._keep_best(self._split(logits), cell_state, state)
            next_inputs = control_flow_ops.cond(
                math_ops.reduce_all(state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(output.predicted_ids),
            )
        return output, state, next_inputs, state.finished

    def _keep_best(self, logits: ops.Tensor, cell_state: Any, state: Any) -> tuple:
        """The `beam_width` best of all beams and ids; logits [batch, beam, ids]."""
        vocabulary = logits.get_shape()[-1].value
        if vocabulary is None:
            vocabulary = array_ops.shape(logits)[-1]
        log_probs = nn_ops.log_softmax(logits)
        # A beam that has ended goes on with the end token alone.
        only_end = array_ops.one_hot(
            self._end_token,
            vocabulary,
            on_value=0.0,
            off_value=log_probs.dtype.min,
            dtype=log_probs.dtype,
        )
        ended = array_ops.expand_dims(math_ops.cast(state.finished, log_probs.dtype), 2)
        log_probs = (1.0 - ended) * log_probs + ended * only_end
        # Not below the least number: less would be minus infinity.
        total = math_ops.maximum(
            array_ops.expand_dims(state.log_probs, 2) + log_probs, log_probs.dtype.min
        )
        scores = total / self._penalties(state, vocabulary, total.dtype)
        shape = array_ops.stack([self._batch_size, -1])
        best, places = nn_ops.top_k(
            array_ops.reshape(scores, shape), k=self._beam_width
        )
        known = [self._static_batch, self._beam_width]
        best.set_shape(known)
        places.set_shape(known)
        ids = math_ops.floormod(places, vocabulary)
        parents = math_ops.floordiv(places, vocabulary)
        was_finished = self._rows(parents, state.finished)
        is_end = math_ops.equal(ids, self._end_token)
        finished = math_ops.logical_or(was_finished, is_end)
        longer = math_ops.cast(math_ops.logical_not(finished), dtypes.int64)
        next_state = BeamSearchDecoderState(
            cell_state=nest.map_structure(lambda t: self._rows(parents, t), cell_state),
            log_probs=self._rows(places, array_ops.reshape(total, shape)),
            finished=finished,
            lengths=self._rows(parents, state.lengths) + longer,
        )
        for made in (next_state.log_probs, next_state.finished, next_state.lengths):
            made.set_shape(known)
        return BeamSearchDecoderOutput(best, ids, parents), next_state

    def _penalties(self, state: Any, vocabulary: Any, dtype: Any) -> Any:
        """Returns the divisors of the scores of all beams and ids, [batch, beam, ids]."""
        if self._length_penalty_weight == 0:
            return 1.0
        # An end adds nothing to the length, nor do the ids behind it.
        adds = array_ops.one_hot(
            self._end_token, vocabulary, on_value=0, off_value=1, dtype=dtypes.int64
        )
        alive = math_ops.cast(math_ops.logical_not(state.finished), dtypes.int64)
        lengths = array_ops.expand_dims(state.lengths, 2)
        lengths += array_ops.expand_dims(alive, 2) * adds
        base_length = math_ops.cast(lengths, dtype) + 5.0
        return math_ops.pow(base_length / 6.0, self._length_penalty_weight)

    def _rows(self, places: ops.Tensor, t: Any) -> Any:
        """t[b, places[b, k], ...]: [batch, beam, ...]; scalars stay."""
        if t.get_shape().ndims == 0:
            return t
        width = t.get_shape()[1].value
        width = array_ops.shape(t)[1] if width is None else width
        offsets = array_ops.expand_dims(math_ops.range(self._batch_size) * width, 1)
        flat = array_ops.reshape(t, array_ops.concat([[-1], array_ops.shape(t)[2:]], 0))
        rows = array_ops.gather(flat, places + offsets)
        rows.set_shape(places.get_shape().concatenate(t.get_shape()[2:]))
        return rows
