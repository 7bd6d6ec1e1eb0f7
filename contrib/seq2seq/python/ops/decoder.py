# SPDX-License-Identifier: Apache-2.0
"""Decoder, which makes each step of a sequence from the one before, and dynamic_decode, which runs it to the end."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    tensor_shape,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import TensorLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    rnn,
    tensor_array_ops,
    variable_scope as vs,
)
from tensorwright.python.ops._rnn.rnn_cell_base import static_with_batch, with_batch
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops.variable_scope import VariableScope


class Decoder(abc.ABC):
    """Makes sequences step by step; `dynamic_decode` calls it.

    `batch_size` is an int or scalar; `output_size` and `output_dtype` are structures that describe a step's outputs.
    """

    @property
    @abc.abstractmethod
    def batch_size(self) -> ops.Tensor:
        """The number of sequences."""

    @property
    @abc.abstractmethod
    def output_size(self) -> Any:
        """Sizes of outputs: ints or TensorShapes, without the batch."""

    @property
    @abc.abstractmethod
    def output_dtype(self) -> Any:
        """Dtypes of outputs, in the structure of `output_size`."""

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` alone decides which sequences have ended: one that had ended may go on in its place."""
        return False

    @abc.abstractmethod
    def initialize(self, name: str | None = None) -> tuple:
        """(finished [batch] bool, first inputs, first state)."""

    @abc.abstractmethod
    def step(
        self,
        time: ops.Tensor,
        inputs: TensorTree,
        state: TensorTree,
        name: str | None = None,
    ) -> tuple:
        """(outputs, next state, next inputs, finished) of step number `time`."""

    def finalize(
        self, outputs: TensorTree, final_state: TensorTree, sequence_lengths: ops.Tensor
    ) -> tuple:
        """(outputs, state) that `dynamic_decode` returns, of all outputs [time, batch, ...]."""
        raise NotImplementedError


def _zero_outputs(sizes: Any, kinds: Any, batch_size: Any) -> Any:
    def zeros(size: Any, dtype: Any) -> ops.Tensor:
        made = array_ops.zeros(with_batch(batch_size, size), dtype=dtype)
        made.set_shape(static_with_batch(batch_size, size))
        return made

    return nest.map_structure(zeros, sizes, kinds)


def _output_arrays(decoder: Decoder) -> Any:
    def array(size: Any, dtype: Any) -> Any:
        shape = tensor_shape.unknown_shape()
        if not isinstance(size, ops.Tensor) or tensor_util.constant_value(size):
            shape = static_with_batch(decoder.batch_size, size)
        return tensor_array_ops.TensorArray(
            dtype, size=0, dynamic_size=True, element_shape=shape
        )

    return nest.map_structure(array, decoder.output_size, decoder.output_dtype)


def _keep_ended(finished: ops.Tensor, new: Any, current: Any) -> Any:
    """Rows of `current` where sequences have ended; scalars and TensorArrays have no rows."""
    if isinstance(current, tensor_array_ops.TensorArray):
        return new
    new.set_shape(current.get_shape())
    if new.get_shape().ndims == 0:
        return new
    return array_ops.where(finished, current, new)


def _after(finished: Any, time: Any, maximum_iterations: Any) -> Any:
    if maximum_iterations is None:
        return finished
    return math_ops.logical_or(finished, time >= maximum_iterations)


def dynamic_decode(
    decoder: Decoder,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: TensorLike | None = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple:
    """Calls `decoder.step` until all sequences have ended.

    Args:
        decoder: a Decoder.
        output_time_major: whether outputs are [time, batch, ...]; else [batch, time, ...].
        impute_finished: whether a sequence that has ended keeps its state and gives zeros.
        maximum_iterations: the most steps, an int32 scalar; no bound if absent.
        parallel_iterations, swap_memory: as in `tf.while_loop`.
        scope: the scope of the variables, "decoder" if absent.

    Returns:
        (outputs, final state, lengths [batch] int32).

    Raises:
        TypeError: where `decoder` is no Decoder.
        ValueError: where `maximum_iterations` is no scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(
            f"Expected decoder to be type Decoder, but saw: {type(decoder)}"
        )
    with vs.variable_scope(scope or "decoder") as varscope:
        if varscope.caching_device is None:
            varscope.set_caching_device(lambda op: op.device)
        if maximum_iterations is not None:
            maximum_iterations = ops.convert_to_tensor(
                maximum_iterations, dtype=dtypes.int32, name="maximum_iterations"
            )
            if maximum_iterations.get_shape().ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        zero_outputs = _zero_outputs(
            decoder.output_size, decoder.output_dtype, decoder.batch_size
        )

        def going_on(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> Any:  # fmt: skip
            return math_ops.logical_not(math_ops.reduce_all(finished))

        def step(time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any) -> tuple:  # fmt: skip
            outputs, new_state, new_inputs, ended = decoder.step(time, inputs, state)
            nest.assert_same_structure(state, new_state)
            nest.assert_same_structure(arrays, outputs)
            nest.assert_same_structure(inputs, new_inputs)
            if not decoder.tracks_own_finished:
                ended = math_ops.logical_or(ended, finished)
            ended = _after(ended, time + 1, maximum_iterations)
            # The place of a sequence that tracks its own end is alive in each step in which it is not ended.
            alive = math_ops.logical_not(finished)
            if not decoder.tracks_own_finished:
                alive = math_ops.logical_and(alive, ended)
            now = array_ops.fill(array_ops.shape(lengths), time + 1)
            lengths = array_ops.where(alive, now, lengths)
            if impute_finished:
                outputs = nest.map_structure(
                    lambda new, zero: array_ops.where(finished, zero, new),
                    outputs,
                    zero_outputs,
                )
                new_state = nest.map_structure(
                    lambda new, old: _keep_ended(finished, new, old), new_state, state
                )
            arrays = nest.map_structure(lambda a, x: a.write(time, x), arrays, outputs)
            return time + 1, arrays, new_state, new_inputs, ended, lengths

        zero = constant_op.constant(0, dtype=dtypes.int32)
        finished = _after(finished, zero, maximum_iterations)
        _, arrays, state, _, _, lengths = control_flow_ops.while_loop(
            going_on,
            step,
            loop_vars=[
                zero,
                _output_arrays(decoder),
                state,
                inputs,
                finished,
                array_ops.zeros_like(finished, dtype=dtypes.int32),
            ],
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
        )
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        try:
            outputs, state = decoder.finalize(outputs, state, lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            outputs = nest.map_structure(rnn._transpose_batch_time, outputs)
    return outputs, state, lengths
