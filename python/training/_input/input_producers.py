# SPDX-License-Identifier: Apache-2.0
"""Queues of file names, indices and rows, an epoch after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    tensor_shape,
)
from tensorwright.python.framework.type_aliases import ShapeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    data_flow_ops,
    io_ops,
    math_ops,
    random_ops,
    variable_scope,
    variables,
)
from tensorwright.python.training import queue_runner_impl
from tensorwright.python.training._input import input_queue


def match_filenames_once(
    pattern: TensorLike, name: str | None = None
) -> variables.Variable:
    """The paths that match `pattern` when it is initialized: a local variable, strings [files].

    `tf.local_variables_initializer()` looks for the files.

    Args:
        pattern: string [], or [n], of the shell's kind.
        name: the op's name.
    """
    with ops.name_scope(name, "matching_filenames", [pattern]) as scope:
        found = io_ops.matching_files(pattern)
        # There may be other files each time, so other numbers of them.
        return variable_scope.variable(
            found,
            collections=[ops.GraphKeys.LOCAL_VARIABLES],
            validate_shape=False,
            trainable=False,
            name=scope,
        )


def limit_epochs(
    tensor: TensorLike, num_epochs: int | None = None, name: str | None = None
) -> Any:
    """Returns `tensor`, which raises OutOfRangeError after `num_epochs` runs.

    The count is a local variable: `tf.local_variables_initializer()` sets it to zero.
    None: `tensor` as it is.

    Raises:
        ValueError: for a number of epochs that is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with ops.name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = variable_scope.variable(
            constant_op.constant(0, dtype=dtypes.int64),
            name="epochs",
            trainable=False,
            collections=[ops.GraphKeys.LOCAL_VARIABLES],
        )
        with ops.control_dependencies([epochs.count_up_to(num_epochs)]):
            return array_ops.identity(tensor, name=scope)


def input_producer(
    input_tensor: TensorLike,
    element_shape: ShapeLike = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: ops.Operation | None = None,
) -> data_flow_ops.QueueBase:
    """A queue of the rows of a tensor, again and again.

    Args:
        input_tensor: a tensor of rank 1 or more.
        element_shape: the shape of its rows, where that is not known.
        num_epochs: how often each row comes; None: for ever.  See `limit_epochs`.
        shuffle: the rows of each epoch come in random order.
        seed: the seed of that order.
        capacity: the capacity of the queue.
        shared_name: the name of the queue.
        summary_name: the tag of a summary of the share of the capacity that is used; None: there is none.
        name: the name of the ops.
        cancel_op: the operation with which the QueueRunner cancels.

    Raises:
        ValueError: if the shape of a row is not known.
    """
    with ops.name_scope(name, "input_producer", [input_tensor]):
        input_tensor = ops.convert_to_tensor(input_tensor, name="input_tensor")
        row = input_tensor.get_shape()[1:].merge_with(
            tensor_shape.as_shape(element_shape)
        )
        if not row.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or "
                "`element_shape` must be specified"
            )
        if shuffle:
            input_tensor = random_ops.random_shuffle(input_tensor, seed=seed)
        rows = limit_epochs(input_tensor, num_epochs)
        queue = data_flow_ops.FIFOQueue(
            capacity=capacity,
            dtypes=[rows.dtype.base_dtype],
            shapes=[row],
            shared_name=shared_name,
            name=name or "fifo_queue",
        )
        enqueue = queue.enqueue_many([rows])
        queue_runner_impl.add_queue_runner(
            queue_runner_impl.QueueRunner(queue, [enqueue], cancel_op=cancel_op)
        )
        if summary_name is not None:
            input_queue.summarize_fullness(queue, capacity, name=summary_name)
        return queue


def string_input_producer(
    string_tensor: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: ops.Operation | None = None,
) -> data_flow_ops.QueueBase:
    """A queue of strings, such as names of files; see `input_producer`.

    Raises:
        ValueError: for an empty list.  An empty tensor is an InvalidArgumentError of
            the run.
    """
    nothing = "string_input_producer requires a non-null input tensor"
    if not ops.is_dense_tensor_like(string_tensor) and not len(
        cast(Any, string_tensor)
    ):
        raise ValueError(nothing)
    with ops.name_scope(name, "input_producer", [string_tensor]) as scope:
        strings = ops.convert_to_tensor(string_tensor, dtype=dtypes.string)
        some = control_flow_ops.Assert(
            math_ops.greater(array_ops.size(strings), 0), [nothing]
        )
        with ops.control_dependencies([some]):
            strings = array_ops.identity(strings)
        return input_producer(
            input_tensor=strings,
            element_shape=[],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=f"fraction_of_{capacity}_full",
            cancel_op=cancel_op,
        )


def range_input_producer(
    limit: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> data_flow_ops.QueueBase:
    """A queue of the numbers 0, 1, ..., limit - 1; see `input_producer`."""
    with ops.name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            math_ops.range(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name=shared_name,
            name=scope,
            summary_name=f"fraction_of_{capacity}_full",
        )


def slice_input_producer(
    tensor_list: Sequence[TensorLike],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[ops.Tensor]:
    """One row of each tensor, the same of all; see `input_producer`.

    Raises:
        ValueError: for no tensors.
    """
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    with ops.name_scope(name, "input_producer", list(tensor_list)):
        tensors = [ops.convert_to_tensor(t) for t in tensor_list]
        queue = range_input_producer(
            array_ops.shape(tensors[0])[0],
            num_epochs=num_epochs,
            shuffle=shuffle,
            seed=seed,
            capacity=capacity,
            shared_name=shared_name,
        )
        index = queue.dequeue()
        return [array_ops.gather(t, index) for t in tensors]
