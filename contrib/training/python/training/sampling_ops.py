# SPDX-License-Identifier: Apache-2.0
"""Batches of chosen elements: by a probability of each, or so that classes have a distribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    math_ops,
    random_ops,
    state_ops,
    variable_scope,
    variables,
)
from tensorwright.python.training import input as input_ops

__all__ = ["rejection_sample", "stratified_sample"]


def _one_by_one(
    tensors: list[ops.Tensor], threads: int, capacity: int
) -> list[ops.Tensor]:
    """The elements of batches, one in each run."""
    batch = input_ops.batch(
        tensors, batch_size=1, num_threads=threads, capacity=capacity, enqueue_many=True
    )
    batch = batch if isinstance(batch, (list, tuple)) else [batch]
    return [array_ops.squeeze(t, [0]) for t in batch]


def _kept_batch(
    tensors: list[ops.Tensor], probability: ops.Tensor, batch_size: int, threads: int
) -> list[ops.Tensor]:
    keep = random_ops.random_uniform([]) < probability
    batch = input_ops.maybe_batch(
        tensors, keep_input=keep, batch_size=batch_size, num_threads=threads
    )
    return list(batch) if isinstance(batch, (list, tuple)) else [batch]


def rejection_sample(
    tensors: Sequence[TensorLike],
    accept_prob_fn: Callable[[list[ops.Tensor]], ops.Tensor],
    batch_size: int,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> list[ops.Tensor]:
    """Batches of elements, each kept with a probability of its own.

    Queue runners fill the queues: see `tf.train.start_queue_runners`.

    Args:
        tensors: one element, or a batch of them with `enqueue_many`.
        accept_prob_fn: the probability, a scalar in [0, 1], of an element.
        batch_size: elements of a batch that comes out.
        queue_threads: that enqueue elements.
        enqueue_many: whether `tensors` are batches.
        prebatch_capacity, prebatch_threads: for the queue that takes these apart.
        runtime_checks: whether a probability outside of [0, 1] fails the run.
        name: the name of the ops.
    """
    with variable_scope.variable_scope(name, "rejection_sample", list(tensors)):
        listed = [ops.convert_to_tensor(t) for t in tensors]
        if enqueue_many:
            listed = _one_by_one(listed, prebatch_threads, prebatch_capacity)
        probability = ops.convert_to_tensor(accept_prob_fn(listed))
        probability.get_shape().assert_is_compatible_with([])
        if runtime_checks:
            zero = ops.convert_to_tensor(0, probability.dtype.base_dtype)
            checks = [
                check_ops.assert_less_equal(probability, zero + 1),
                check_ops.assert_less_equal(zero, probability),
            ]
            with ops.control_dependencies(checks):
                probability = array_ops.identity(probability)
        return _kept_batch(listed, probability, batch_size, queue_threads)


def stratified_sample(
    tensors: Sequence[TensorLike],
    labels: TensorLike,
    target_probs: TensorLike,
    batch_size: int,
    init_probs: TensorLike | None = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> tuple[list[ops.Tensor], ops.Tensor]:
    """Leaves out some elements, so that the classes of batches have the distribution `target_probs`.

    Queue runners fill the queues: see `tf.train.start_queue_runners`.

    Args:
        tensors: one element, or a batch of elements with `enqueue_many`.
        labels: the class of each element, an int in [0, classes).
        target_probs: floats [classes] that add up to 1.
        batch_size: the number of elements in a batch that is returned.
        init_probs: the distribution of the input; if None, it is counted on the way.
        enqueue_many: whether `tensors` are batches.
        queue_capacity: the capacity of the queue that takes these apart.
        threads_per_queue: the number of threads that fill each queue.
        name: the name of the ops.

    Returns:
        The tensors of a batch, and its classes.

    Raises:
        ValueError: the shapes do not fit.
    """
    with ops.name_scope(name, "stratified_sample", [*tensors, labels]):
        listed = [ops.convert_to_tensor(t) for t in tensors]
        labels = ops.convert_to_tensor(labels)
        target = ops.convert_to_tensor(target_probs, dtype=dtypes.float32)
        target.get_shape().assert_has_rank(1)
        labels.get_shape().assert_has_rank(1 if enqueue_many else 0)
        classes = target.get_shape()[0].value
        if classes is None:
            raise ValueError("target_probs: the number of classes must be known")
        if enqueue_many:
            *listed, labels = _one_by_one([*listed, labels], threads_per_queue, queue_capacity)  # fmt: skip
        labels = math_ops.cast(labels, dtypes.int32)
        with ops.control_dependencies(_label_checks(labels, classes, target)):
            labels = array_ops.identity(labels)
        if init_probs is None:
            initial = _counted_distribution(labels, classes)
        else:
            initial = ops.convert_to_tensor(init_probs, dtype=dtypes.float32)
            initial.get_shape().assert_is_compatible_with(target.get_shape())
        probabilities = _accept_probabilities(initial, target)
        *batch, chosen = _kept_batch(
            [*listed, labels],
            array_ops.gather(probabilities, labels),
            batch_size,
            threads_per_queue,
        )
        return batch, chosen


def _label_checks(labels: Any, classes: int, target: Any) -> list[ops.Operation]:
    total = math_ops.abs(math_ops.reduce_sum(target) - 1.0)
    return [
        check_ops.assert_non_negative(labels, message="labels must not be negative"),
        check_ops.assert_less(labels, classes, message="labels must be classes"),
        check_ops.assert_less(total, 1e-3, message="target_probs must add up to 1"),
    ]


def _counted_distribution(label: ops.Tensor, classes: int) -> ops.Tensor:
    """The share of each class so far; all count one at the beginning, so that none has a share of 0."""
    counts = variables.Variable(
        array_ops.ones([classes]),
        trainable=False,
        collections=[ops.GraphKeys.LOCAL_VARIABLES],
        name="examples_per_class_seen",
    )
    seen = state_ops.assign_add(counts, array_ops.one_hot(label, classes))
    return seen / math_ops.reduce_sum(seen)


def _accept_probabilities(initial: ops.Tensor, target: ops.Tensor) -> ops.Tensor:
    """Returns target / initial, scaled so that the largest is 1; 0 for a class that never occurs."""
    there = initial > 0
    safe = array_ops.where(there, initial, array_ops.ones_like(initial))
    ratio = array_ops.where(there, target / safe, array_ops.zeros_like(target))
    return ratio / math_ops.reduce_max(ratio)
