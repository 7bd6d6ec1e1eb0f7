# SPDX-License-Identifier: Apache-2.0
"""Input of estimators: a function's tensors, or arrays that are fed batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tensorwright.contrib.learn.python.learn.learn_io import frames_io
from tensorwright.python.framework import dtypes
from tensorwright.python.ops import array_ops

# Features, labels, and a function that returns the feeds of a run.
Source = Callable[[], tuple[Any, Any, Any]]


def source(
    x: Any,
    y: Any,
    input_fn: Callable[[], object] | None,
    batch_size: int | None,
    shuffle: bool,
    epochs: int | None,
) -> Source:
    """Returns a function that makes the input in a graph.

    Raises:
        ValueError: both or neither of `x` and `input_fn` are given.
    """
    if input_fn is not None:
        if x is not None or y is not None or batch_size is not None:
            raise ValueError("Can not provide both input_fn and x, y or batch_size.")
        return lambda: _called(input_fn)
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    return lambda: _Arrays(x, y, batch_size, shuffle, epochs).placeholders()


def _called(input_fn: Callable[[], Any]) -> tuple[Any, Any, Any]:
    found = input_fn()
    if isinstance(found, tuple) and len(found) == 2:
        return found[0], found[1], None
    return found, None, None


def _array(value: Any, label: bool) -> np.ndarray:
    value = frames_io.extract_dask_labels(value) if label else frames_io.extract_dask_data(value)  # fmt: skip
    value = frames_io.extract_pandas_labels(value) if label else frames_io.extract_pandas_data(value)  # fmt: skip
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return array.astype(np.float32)
    if array.dtype.kind in "iub":
        return array.astype(np.int64) if label else array.astype(np.int64 if array.dtype.kind != "b" else np.float32)  # fmt: skip
    return array


class _Arrays:
    """Arrays, or dicts of them, in batches; the last one of an epoch may have fewer examples."""

    def __init__(self, x: Any, y: Any, batch_size: int | None, shuffle: bool, epochs: int | None):  # fmt: skip
        self._x = {k: _array(v, False) for k, v in x.items()} if isinstance(x, dict) else _array(x, False)  # fmt: skip
        self._y = None if y is None else {k: _array(v, True) for k, v in y.items()} if isinstance(y, dict) else _array(y, True)  # fmt: skip
        self._count = len(next(iter(self._x.values())) if isinstance(self._x, dict) else self._x)  # fmt: skip
        if not self._count:
            raise ValueError("x has no examples")
        self._size = batch_size or min(self._count, 128 if not isinstance(self._x, dict) else self._count)  # fmt: skip
        self._shuffle, self._epochs = shuffle, epochs

    def _holder(self, array: np.ndarray) -> Any:
        return array_ops.placeholder(
            dtypes.as_dtype(array.dtype if array.dtype.kind not in "UOS" else "string"),
            [None, *array.shape[1:]],
        )

    def _holders(self, arrays: Any) -> Any:
        if arrays is None:
            return None
        if isinstance(arrays, dict):
            return {k: self._holder(v) for k, v in arrays.items()}
        return self._holder(arrays)

    def placeholders(self) -> tuple[Any, Any, Any]:
        x, y = self._holders(self._x), self._holders(self._y)
        chosen = self._chosen()

        def feed() -> dict[Any, np.ndarray]:
            places = next(chosen)
            feeds = {}
            for holders, arrays in ((x, self._x), (y, self._y)):
                if isinstance(holders, dict):
                    feeds.update((holders[k], arrays[k][places]) for k in holders)
                elif holders is not None:
                    feeds[holders] = arrays[places]
            return feeds

        return x, y, feed

    def _chosen(self) -> Iterator[np.ndarray]:
        epoch = 0
        while self._epochs is None or epoch < self._epochs:
            order = np.random.permutation(self._count) if self._shuffle else np.arange(self._count)  # fmt: skip
            for first in range(0, self._count, self._size):
                yield order[first : first + self._size]
            epoch += 1


def each(batches: Iterator[Any]) -> Iterator[Any]:
    """The examples of batches, one by one."""
    for batch in batches:
        if not isinstance(batch, dict):
            yield from batch
            continue
        for i in range(len(next(iter(batch.values())))):
            yield {key: value[i] for key, value in batch.items()}


def together(batches: list[Any]) -> Any:
    """All batches as one; None without any."""
    if not batches:
        return None
    if isinstance(batches[0], dict):
        return {k: np.concatenate([b[k] for b in batches]) for k in batches[0]}
    return np.concatenate(batches)
