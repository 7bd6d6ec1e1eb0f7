# SPDX-License-Identifier: Apache-2.0
"""`K.rnn`: a function of one step, applied to each time step of a batch of sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.ops.tensor_array_ops import TensorArray
from tensorwright.python.util import nest

Step = Callable[[Any, list[Any]], tuple[Any, Sequence[Any]]]


def _rank(x: ops.Tensor) -> int:
    rank = x.get_shape().rank
    if rank is None:
        raise ValueError(f"K.rnn: the rank of {x.name} must be known")
    return rank


def _swap_batch_and_time(x: ops.Tensor) -> ops.Tensor:
    """[a, b, ...] -> [b, a, ...]"""
    return array_ops.transpose(x, [1, 0, *range(2, _rank(x))])


def _masked(mask: ops.Tensor, x: ops.Tensor) -> ops.Tensor:
    """The mask of a step, [batch, 1], as the condition that chooses among tensors like `x`."""
    rank = x.get_shape().rank or 2
    while _rank(mask) < rank:
        mask = array_ops.expand_dims(mask, -1)
    # Axes after the batch are of `x`'s size, the batch is its own.
    tiles = array_ops.concat([[1], array_ops.shape(x)[1:]], 0)
    return array_ops.tile(mask, tiles)


def _choose(mask: ops.Tensor, new: Any, old: Any) -> Any:
    """`new` where the step counts, else `old`, of structures alike."""

    def one(a: ops.Tensor, b: ops.Tensor) -> ops.Tensor:
        if a.get_shape().rank == 0:
            return a
        return array_ops.where(_masked(mask, a), a, b)

    return nest.map_structure(one, new, nest.pack_sequence_as(new, nest.flatten(old)))


class _Sequences:
    """The inputs of a run by time step: tensors [time, batch, ...] and their mask [time, batch, 1]."""

    def __init__(self, inputs: Any, mask: Any, backwards: bool, time_major: bool):
        if not time_major:
            inputs = nest.map_structure(_swap_batch_and_time, inputs)
        if mask is not None:
            mask = math_ops.cast(mask, dtypes.bool)
            if mask.get_shape().rank == 2:
                mask = array_ops.expand_dims(mask, -1)
            if not time_major:
                mask = _swap_batch_and_time(mask)
        if backwards:
            inputs = nest.map_structure(lambda x: array_ops.reverse(x, [0]), inputs)
            mask = None if mask is None else array_ops.reverse(mask, [0])
        self.inputs, self.mask = inputs, mask
        first = nest.flatten(inputs)[0]
        self.steps = tensor_shape.dimension_value(first.get_shape()[0])
        self.length = array_ops.shape(first)[0]

    def at(self, step: Any) -> Any:
        """The inputs of one step."""
        return nest.map_structure(lambda x: x[step], self.inputs)


def rnn(
    step_function: Step,
    inputs: Any,
    initial_states: Sequence[Any],
    go_backwards: bool = False,
    mask: TensorLike | None = None,
    constants: Sequence[TensorLike] | None = None,
    unroll: bool = False,
    input_length: TensorLike | None = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
) -> tuple[Any, Any, list[Any]]:
    """Applies `step_function` to each time step.

    Args:
        step_function: (inputs of a step [batch, ...], states and constants) -> (output [batch, ...], new states).
        inputs: [batch, time, ...], or a structure of such.
        initial_states: the states before the first step.
        go_backwards: begin with the last time step.
        mask: [batch, time]; a step where it is false keeps the states and repeats the output before it.
        constants: arguments of each step after the states.
        unroll: build each step instead of a loop; the number of steps must be known.
        input_length: the number of steps, where `inputs` do not say.
        time_major: inputs, mask and outputs are [time, batch, ...].
        zero_output_for_mask: the output of a masked step is zero.

    Returns:
        (the last output, outputs [batch, time, ...], the last states).

    Raises:
        ValueError: `unroll` with an unknown number of steps, or inputs of fewer than three axes.
    """
    for x in nest.flatten(inputs):
        if x.get_shape().rank is not None and x.get_shape().rank < 3 and not time_major:
            # A sequence of numbers has no axis for its elements.
            if x.get_shape().rank < 2:
                raise ValueError(
                    f"rnn: inputs must have rank >= 2, got shape {x.get_shape()}"
                )
    sequences = _Sequences(inputs, mask, go_backwards, time_major)
    constants = list(constants or [])

    def step(x: Any, states: Any) -> tuple[Any, list[Any]]:
        output, new = step_function(x, [*states, *constants])
        for a, b in zip(nest.flatten(new), nest.flatten(states)):
            if hasattr(a, "set_shape") and b.get_shape().rank is not None:
                a.set_shape(a.get_shape().merge_with(_loose(b)))
        return output, list(new)

    states = [
        nest.map_structure(ops.convert_to_tensor, state) for state in initial_states
    ]
    run = _unrolled if unroll else _looped
    last, outputs, states = run(
        step, sequences, states, zero_output_for_mask, input_length
    )
    if not time_major:
        outputs = nest.map_structure(_swap_batch_and_time, outputs)
    return last, outputs, states


def _loose(state: Any) -> tensor_shape.TensorShape:
    """Returns a state's shape with any batch, for the state of the first step may have one row."""
    shape = state.get_shape()
    return (
        tensor_shape.TensorShape([None, *shape.as_list()[1:]]) if shape.rank else shape
    )


def _unrolled(step, sequences, states, zero_output, input_length):
    if not sequences.steps:
        raise ValueError(
            "rnn: unroll needs a number of time steps that is known, got inputs of shape "
            f"{nest.flatten(sequences.inputs)[0].get_shape()} (time first)"
        )
    outputs: list[Any] = []
    for t in range(sequences.steps):
        output, new = step(sequences.at(t), states)
        if sequences.mask is not None:
            now = sequences.mask[t]
            zeros = nest.map_structure(array_ops.zeros_like, output)
            output = _choose(
                now, output, outputs[-1] if outputs and not zero_output else zeros
            )
            new = _choose(now, new, states)
        outputs.append(output)
        states = new
    stacked = nest.map_structure(lambda *xs: array_ops.stack(xs), *outputs)
    return outputs[-1], stacked, states


def _looped(step, sequences, states, zero_output, input_length):
    # One step outside the loop shows the outputs' shapes and dtypes; pruning drops it.
    with ops.name_scope("first_step"):
        example, _ = step(sequences.at(0), states)
    zeros = [array_ops.zeros_like(x) for x in nest.flatten(example)]
    length = sequences.length if input_length is None else input_length

    def array(x: ops.Tensor) -> Any:
        return TensorArray(x.dtype, size=length, element_shape=x.get_shape())

    arrays = [array(x) for x in zeros]
    # Without a mask, nothing needs the output of the step before.
    before = zeros if sequences.mask is not None and not zero_output else []
    flat_states = nest.flatten(states)

    def body(t: Any, arrays: Any, before: Any, flat: Any) -> Any:
        old = nest.pack_sequence_as(states, flat)
        output, new = step(sequences.at(t), old)
        found = nest.flatten(output)
        if sequences.mask is not None:
            now = sequences.mask[t]
            found = _choose(now, found, before or zeros)
            new = _choose(now, new, old)
        arrays = [a.write(t, x) for a, x in zip(arrays, found)]
        return t + 1, arrays, found if before else [], nest.flatten(new)

    def shapes(tensors: list[Any]) -> list[Any]:
        return [_loose(x) for x in tensors]

    unknown = tensor_shape.TensorShape(None)
    _, arrays, _, flat_states = control_flow_ops.while_loop(
        lambda t, *_: t < length,
        body,
        (0, arrays, before, flat_states),
        (tensor_shape.TensorShape([]), [unknown] * len(arrays), shapes(before), shapes(flat_states)),
        parallel_iterations=32,
        maximum_iterations=length,
    )  # fmt: skip
    outputs = [a.stack() for a in arrays]
    for stacked, x in zip(outputs, nest.flatten(example)):
        stacked.set_shape([sequences.steps, *x.get_shape().as_list()])
    last = [x[-1] for x in outputs]
    for x, y in zip(last, nest.flatten(example)):
        x.set_shape(y.get_shape())
    pack = nest.pack_sequence_as
    return pack(example, last), pack(example, outputs), pack(states, flat_states)
