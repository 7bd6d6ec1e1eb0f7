# SPDX-License-Identifier: Apache-2.0
"""Batches of parts of sequences, filled by threads."""

from __future__ import annotations

from tensorwright.contrib.training.python.training.sequence_queueing_state_saver import (  # noqa: E501
    NextQueuedSequenceBatch,
    SequenceQueueingStateSaver,
    as_tensors,
)
from tensorwright.python.framework import dtypes, errors, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, random_ops, string_ops
from tensorwright.python.training import queue_runner

__all__ = ["batch_sequences_with_states"]


def batch_sequences_with_states(
    input_key: TensorLike,
    input_sequences: dict[str, TensorLike],
    input_context: dict[str, TensorLike],
    input_length: TensorLike | None,
    initial_states: dict[str, TensorLike],
    num_unroll: int,
    batch_size: int,
    num_threads: int = 3,
    capacity: int | None = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: int | None = None,
    name: str | None = None,
) -> NextQueuedSequenceBatch:
    """Batches of parts of sequences, which a QueueRunner of the graph puts in.

    Args:
        input_key, input_sequences, input_context, initial_states, capacity, allow_small_batch, name: as of
            `SequenceQueueingStateSaver`.
        input_length: the number of steps of the sequence; None: all that it has.
        num_unroll: how many steps a part has.
        batch_size: how many parts a batch has.
        num_threads: how many threads put sequences in.
        pad: whether zeros are put behind sequences whose steps are no multiple of `num_unroll`.
        make_keys_unique: whether a random number is put behind the keys, for keys that come several times.
        make_keys_unique_seed: the seed of that.

    Raises:
        TypeError, ValueError: as in `SequenceQueueingStateSaver`.

    Example:
        batch = tf.contrib.training.batch_sequences_with_states(
            key, {"x": x}, {}, None, {"h": tf.zeros([20])}, num_unroll=10, batch_size=4)
        inputs = tf.unstack(batch.sequences["x"], axis=1)
        outputs, _ = tf.nn.static_state_saving_rnn(cell, inputs, state_saver=batch, state_name="h")
    """
    sequences = as_tensors(input_sequences, "input_sequences")
    with ops.name_scope(name, "batch_sequences_with_states"):
        if make_keys_unique:
            number = random_ops.random_uniform([], 0, 2**62, dtypes.int64, seed=make_keys_unique_seed)  # fmt: skip # noqa: E501
            input_key = string_ops.string_join([input_key, string_ops.as_string(number)], ":")  # fmt: skip # noqa: E501
        if input_length is None:
            input_length = array_ops.shape(next(iter(sequences.values())))[0]
        if pad:
            sequences = {k: _padded(v, num_unroll) for k, v in sequences.items()}
        saver = SequenceQueueingStateSaver(
            batch_size,
            num_unroll,
            input_length,
            input_key,
            sequences,
            input_context,
            initial_states,
            capacity=capacity,
            allow_small_batch=allow_small_batch,
        )
        queue_runner.add_queue_runner(
            queue_runner.QueueRunner(
                saver,  # type: ignore[arg-type]
                [saver.prefetch_op] * num_threads,
                queue_closed_exception_types=(
                    errors.OutOfRangeError,
                    errors.CancelledError,
                ),
            )
        )
        return saver.next_batch


def _padded(sequence: ops.Tensor, unroll: int) -> ops.Tensor:
    """Zeros, or empty strings, behind a sequence up to the next multiple of `unroll` steps."""
    shape = array_ops.shape(sequence)
    missing = (-shape[0]) % unroll
    size = array_ops.concat([array_ops.expand_dims(missing, 0), shape[1:]], 0)
    if sequence.dtype == dtypes.string:
        end = array_ops.fill(size, "")
    else:
        end = array_ops.zeros(size, sequence.dtype)
    padded = array_ops.concat([sequence, end], 0)
    padded.set_shape(tensor_shape.TensorShape([None]).concatenate(sequence.get_shape()[1:]))  # fmt: skip # noqa: E501
    return padded
