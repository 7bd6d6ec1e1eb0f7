# SPDX-License-Identifier: Apache-2.0
"""Long sequences in parts: batches of parts of `num_unroll` steps, each with the state that the part before left.

A part waits in a barrier until its state is there: `save_state` of the part before puts it in.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import (
    dtypes,
    ops,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    data_flow_ops,
    math_ops,
    string_ops,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = [
    "NextQueuedSequenceBatch",
    "SequenceQueueingStateSaver",
]

# Components of the barrier in front of sequences, context and states.
_SEQUENCE, _COUNT, _TOTAL, _NEXT = range(4)


def as_tensors(given: Mapping[str, TensorLike], what: str) -> dict[str, ops.Tensor]:
    """Returns the tensors of a dict, by name; TypeError, which calls the argument `what`, for another kind of value."""
    if not isinstance(given, dict):
        raise TypeError(f"{what} must be a dict")
    return {k: ops.convert_to_tensor(given[k], name=k) for k in sorted(given)}


class SequenceQueueingStateSaver:
    """Cuts sequences into parts, and keeps the states of those whose next part has not come.

    Args:
        batch_size: how many parts a batch has.
        num_unroll: how many steps a part has.
        input_length: the number of steps of the sequence, int32 [].
        input_key: its name, a string []; another one for each.
        input_sequences: by name, tensors [time, ...], where time is a multiple of `num_unroll`; shapes are known but for
            the time.
        input_context: by name, tensors of known shapes that all parts get.
        initial_states: by name, the states of the first part, of known shapes.
        capacity: how many sequences wait at most, at least `batch_size`; None: any number.
        allow_small_batch: whether batches may be smaller when the input has ended.
        name: the name of the operations.

    Raises:
        TypeError: arguments of another kind.
        ValueError: shapes that are not known, no sequences, a name of both a state and an input, or too small a capacity.

    The time of sequences that is no multiple is an InvalidArgumentError of a run.
    """

    def __init__(
        self,
        batch_size: TensorLike,
        num_unroll: TensorLike,
        input_length: TensorLike,
        input_key: TensorLike,
        input_sequences: dict[str, TensorLike],
        input_context: dict[str, TensorLike],
        initial_states: dict[str, TensorLike],
        capacity: int | None = None,
        allow_small_batch: bool = False,
        name: str | None = None,
    ):
        if capacity is not None and isinstance(batch_size, int) and capacity < batch_size:  # fmt: skip # noqa: E501
            raise ValueError(
                f"capacity {capacity} needs to be >= batch_size {batch_size}"
            )
        with ops.name_scope(name, "SQSS") as scope:
            self._scope = scope
            self._batch_size = ops.convert_to_tensor(batch_size, dtypes.int32)
            self._num_unroll = ops.convert_to_tensor(num_unroll, dtypes.int32)
            self._length = math_ops.cast(input_length, dtypes.int32)
            self._key = ops.convert_to_tensor(input_key, dtypes.string)
            self._sequences = as_tensors(input_sequences, "input_sequences")
            self._context = as_tensors(input_context, "input_context")
            self._states = as_tensors(initial_states, "initial_states")
            self._capacity, self._allow_small_batch = capacity, allow_small_batch
            self._check()
            self._make_barrier()
        self._prefetch_op: Any = None
        self._next_batch: Any = None

    def _check(self) -> None:
        if not self._sequences:
            raise ValueError("input_sequences must have at least one sequence")
        for group, known in (
            (self._sequences, slice(1, None)),
            (self._context, slice(None)),
            (self._states, slice(None)),
        ):
            for key, tensor in group.items():
                shape = tensor.get_shape()
                if shape.ndims is None or not shape[known].is_fully_defined():
                    raise ValueError(f"The shape of {key} must be known, got {shape}")
        taken = set(self._states) & (set(self._sequences) | set(self._context))
        if taken:
            raise ValueError(
                f"names of states must not be those of inputs: {sorted(taken)}"
            )

    def _make_barrier(self) -> None:
        parts = [*self._sequences.values(), *self._context.values(), *self._states.values()]  # fmt: skip # noqa: E501
        types = [dtypes.int32] * 3 + [dtypes.string, *(t.dtype for t in parts)]
        names = [*self._sequences, *self._context, *self._states]
        self._places = {name: 4 + i for i, name in enumerate(names)}
        self._barrier = data_flow_ops.Barrier(types, name="barrier")
        self._waiting = None
        if self._capacity is not None:
            self._waiting = data_flow_ops.FIFOQueue(
                self._capacity, [dtypes.int32], [[]]
            )

    @property
    def name(self) -> str:
        return self._scope.rstrip("/")

    @property
    def barrier(self) -> data_flow_ops.Barrier:
        return self._barrier

    @property
    def batch_size(self) -> ops.Tensor:
        return self._batch_size

    @property
    def num_unroll(self) -> ops.Tensor:
        return self._num_unroll

    def close(
        self, cancel_pending_enqueues: bool = False, name: str | None = None
    ) -> ops.Operation:
        """An operation after which no new sequences come; with `cancel_pending_enqueues` no states either."""
        with ops.name_scope(name, "SQSSClose"):
            closing = [self._barrier.close(cancel_pending_enqueues)]
            if self._waiting is not None:
                closing.append(self._waiting.close(cancel_pending_enqueues))
            return control_flow_ops.group(*closing)

    # --- In -------------------------------------------------------------------------

    @property
    def prefetch_op(self) -> ops.Operation:
        """Puts one sequence in: threads of a QueueRunner run it."""
        if self._prefetch_op is None:
            with ops.name_scope(f"{self._scope}prefetch/"):
                self._prefetch_op = self._insert()
        return self._prefetch_op

    def _insert(self) -> ops.Operation:
        unroll, checks = self._num_unroll, []
        first = next(iter(self._sequences.values()))
        time = array_ops.shape(first)[0]
        for key, tensor in self._sequences.items():
            steps = array_ops.shape(tensor)[0]
            message = f"sequence {key}: "
            checks += [
                check_ops.assert_equal(steps % unroll, 0, message=f"{message}its length must be a multiple of num_unroll"),
                check_ops.assert_equal(steps, time, message=f"{message}all sequences must be of one length"),
            ]  # fmt: skip # noqa: E501
        checks.append(check_ops.assert_less_equal(self._length, time, message="input_length must not be more than the steps of sequences"))  # fmt: skip # noqa: E501
        if self._waiting is not None:
            checks.append(self._waiting.enqueue([0]))
        with ops.control_dependencies(checks):
            count = time // unroll
        numbers = math_ops.range(count)
        keys = _part_keys(numbers, count, self._key)
        last = string_ops.string_join(["STOP", self._key], ":")
        following = array_ops.concat([keys[1:], array_ops.expand_dims(last, 0)], 0)

        def repeated(value: ops.Tensor) -> ops.Tensor:
            multiples = array_ops.concat([[count], array_ops.ones([array_ops.rank(value)], dtypes.int32)], 0)  # fmt: skip # noqa: E501
            return array_ops.tile(array_ops.expand_dims(value, 0), multiples)

        insert = self._barrier.insert_many
        done = [
            insert(_SEQUENCE, keys, numbers),
            insert(_COUNT, keys, repeated(count)),
            insert(_TOTAL, keys, repeated(self._length)),
            insert(_NEXT, keys, following),
        ]
        for name, value in self._context.items():
            done.append(insert(self._places[name], keys, repeated(value)))
        for name, value in self._sequences.items():
            shape = array_ops.concat(
                [array_ops.stack([count, unroll]), array_ops.shape(value)[1:]], 0
            )
            done.append(
                insert(self._places[name], keys, array_ops.reshape(value, shape))
            )
        for name, value in self._states.items():
            first_value = array_ops.expand_dims(value, 0)
            done.append(insert(self._places[name], keys[:1], first_value))
        return control_flow_ops.group(*done)

    # --- Out ------------------------------------------------------------------------

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The batch of each run."""
        if self._next_batch is None:
            with ops.name_scope(f"{self._scope}next/"):
                self._next_batch = NextQueuedSequenceBatch(self)
        return self._next_batch


def _part_keys(numbers: ops.Tensor, count: ops.Tensor, key: ops.Tensor) -> ops.Tensor:
    """ "00002_of_00007:key" of each part."""
    five = functools.partial(string_ops.as_string, width=5, fill="0")
    named = string_ops.string_join([five(numbers), five(count)], "_of_")
    return string_ops.string_join([named, key], ":")


class NextQueuedSequenceBatch:
    """A batch of parts of sequences, as `tf.nn.static_state_saving_rnn` takes it for its `state_saver`.

    Args:
        state_saver: a SequenceQueueingStateSaver.
    """

    def __init__(self, state_saver: SequenceQueueingStateSaver):
        self._saver = state_saver
        saver = state_saver
        index, key, values = saver._barrier.take_many(
            saver._batch_size, allow_small_batch=saver._allow_small_batch
        )
        values = list(values)
        if saver._waiting is not None:
            ended = math_ops.equal(values[_SEQUENCE] + 1, values[_COUNT])
            many = math_ops.reduce_sum(math_ops.cast(ended, dtypes.int32))
            with ops.control_dependencies([saver._waiting.dequeue_many(many)]):
                values = [array_ops.identity(v) for v in values]
        self._index, self._key, self._values = index, key, values
        self._rows = index.get_shape()[0].value
        for name, place in saver._places.items():
            self._values[place].set_shape(self._shape_of(name))

    def _shape_of(self, name: str) -> list[Any]:
        saver = self._saver
        if name in saver._sequences:
            from_sequence = saver._sequences[name].get_shape()[1:].as_list()
            unroll = tensor_util.constant_value(saver._num_unroll)
            return [self._rows, None if unroll is None else int(unroll), *from_sequence]
        tensor = saver._context.get(name, saver._states.get(name))
        return [self._rows, *tensor.get_shape().as_list()]

    @property
    def batch_size(self) -> ops.Tensor:
        """How many parts it has: int32 []."""
        return array_ops.shape(self._key)[0]

    @property
    def key(self) -> ops.Tensor:
        """The keys of the parts: strings [batch], "00000_of_00003:" and the sequence's."""
        return self._key

    @property
    def next_key(self) -> ops.Tensor:
        """The keys of the parts after them; "STOP:" and the sequence's of last ones."""
        return self._values[_NEXT]

    @property
    def sequence(self) -> ops.Tensor:
        """Which parts they are: int32 [batch]."""
        return self._values[_SEQUENCE]

    @property
    def sequence_count(self) -> ops.Tensor:
        """How many parts their sequences have: int32 [batch]."""
        return self._values[_COUNT]

    @property
    def total_length(self) -> ops.Tensor:
        """How many steps their sequences have: int32 [batch]."""
        return self._values[_TOTAL]

    @property
    def length(self) -> ops.Tensor:
        """How many steps of a part are of the sequence, not of its padding: int32 [batch]."""
        unroll = self._saver._num_unroll
        left = self.total_length - self.sequence * unroll
        return math_ops.maximum(math_ops.minimum(left, unroll), 0)

    @property
    def insertion_index(self) -> ops.Tensor:
        """Numbers that grow with the order in which parts were put in: int64 [batch]."""
        return self._index

    @property
    def sequences(self) -> dict[str, ops.Tensor]:
        """The steps, [batch, num_unroll, ...] by name."""
        return {n: self._values[self._saver._places[n]] for n in self._saver._sequences}

    @property
    def context(self) -> dict[str, ops.Tensor]:
        """The context, [batch, ...] by name."""
        return {n: self._values[self._saver._places[n]] for n in self._saver._context}

    def state(self, state_name: str) -> ops.Tensor:
        """The state that the parts begin with, [batch, ...].

        Raises:
            KeyError: there is no state of that name.
        """
        if state_name not in self._saver._states:
            raise KeyError(f"state was not declared: {state_name}")
        return self._values[self._saver._places[state_name]]

    def save_state(
        self, state_name: str, value: TensorLike, name: str | None = None
    ) -> ops.Operation:
        """An operation that gives the state at the end of the parts, [batch, ...], to the parts after them.

        Raises:
            KeyError: there is no state of that name.
        """
        if state_name not in self._saver._states:
            raise KeyError(f"state was not declared: {state_name}")
        with ops.name_scope(name, "InsertState"):
            value = ops.convert_to_tensor(value)
            goes_on = math_ops.less(self.sequence + 1, self.sequence_count)
            rows = array_ops.reshape(array_ops.where(goes_on), [-1])
            return self._saver._barrier.insert_many(
                self._saver._places[state_name],
                array_ops.gather(self.next_key, rows),
                array_ops.gather(value, rows),
            )
