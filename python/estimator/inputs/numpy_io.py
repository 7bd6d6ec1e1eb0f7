# SPDX-License-Identifier: Apache-2.0
"""Input functions of arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.estimator.inputs.queues import feeding_functions

if TYPE_CHECKING:
    from tensorwright.python.framework import ops


__all__ = ["numpy_input_fn"]


def check_shuffle(shuffle: object) -> None:
    """Raises ValueError if `shuffle` is no bool: the caller has to choose the order of the examples."""
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended "
            f"to set it as True for training); got {shuffle}"
        )


def dequeue(
    data: dict[str, np.ndarray],
    batch_size: int,
    num_epochs: int | None,
    shuffle: bool,
    queue_capacity: int,
    num_threads: int,
) -> dict[str, ops.Tensor]:
    """Batches of the arrays' rows; with a number of epochs, the last one may be smaller."""
    queue = feeding_functions._enqueue_data(
        data,
        queue_capacity,
        shuffle=shuffle,
        num_threads=num_threads,
        enqueue_size=batch_size,
        num_epochs=num_epochs,
    )
    take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
    values = take(batch_size)
    if not isinstance(values, (list, tuple)):
        values = [values]
    return dict(zip(data, values))


def _arrays(value: Any, name: str, single: str) -> dict[str, np.ndarray]:
    if isinstance(value, np.ndarray):
        value = {single: value}
    if not isinstance(value, dict):
        raise TypeError(f"{name} must be a dict or array; got {type(value).__name__}")
    if not value:
        raise ValueError(f"{name} cannot be an empty dict.")
    return {key: np.asarray(value[key]) for key in sorted(value)}


def numpy_input_fn(
    x: np.ndarray | Mapping[str, np.ndarray],
    y: np.ndarray | Mapping[str, np.ndarray] | None = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """An input function that gives batches of arrays.

    Args:
        x: an array of examples, or a dict of them.
        y: targets, in the same form; None: the function gives features alone.
        batch_size: how many examples a batch has.
        num_epochs: how often all are gone through; None: without end.
        shuffle: whether they come in random order; to be given.
        queue_capacity: how many examples are read ahead.
        num_threads: how many threads read; in the order of the arrays only if it is 1.

    Returns:
        A function that gives features, a dict if `x` is one, or (features, targets).

    Raises:
        ValueError: `shuffle` is no bool, or, when it is called, arrays of different lengths or an empty dict.
        TypeError: `x` or `y` is no array and no dict, when it is called.

    Example:
        input_fn = tf.estimator.inputs.numpy_input_fn({"age": ages}, labels, batch_size=32, shuffle=True)
    """
    check_shuffle(shuffle)
    assert shuffle is not None

    def input_fn() -> Any:
        features = _arrays(x, "x", "x")
        targets = {} if y is None else _arrays(y, "y", "y")
        lengths = {k: len(v) for k, v in (*features.items(), *targets.items())}
        if len(set(lengths.values())) != 1:
            raise ValueError(
                "Length of tensors in x and y is mismatched. All elements in x and y "
                f"must have the same length; lengths: {lengths}"
            )
        data = {f"x/{k}": v for k, v in features.items()}
        data.update({f"y/{k}": v for k, v in targets.items()})
        found = dequeue(
            data, batch_size, num_epochs, shuffle, queue_capacity, num_threads
        )
        given: Any = {k: found[f"x/{k}"] for k in features}
        if isinstance(x, np.ndarray):
            given = given["x"]
        if y is None:
            return given
        labels: Any = {k: found[f"y/{k}"] for k in targets}
        return given, labels["y"] if isinstance(y, np.ndarray) else labels

    return input_fn
