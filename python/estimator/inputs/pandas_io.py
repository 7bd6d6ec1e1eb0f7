# SPDX-License-Identifier: Apache-2.0
"""Input functions of pandas' frames.  Pandas itself is not imported: who has a frame has imported it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.python.estimator.inputs import numpy_io

__all__ = ["pandas_input_fn"]


def _is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "index")


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """An input function that gives batches of a frame's rows: a dict of its columns, vectors.

    Args:
        x: a DataFrame.
        y: the targets, a Series, or a DataFrame, which gives a dict; its index is that of `x`.  None: features alone.
        batch_size, num_epochs, shuffle, queue_capacity, num_threads: as in `numpy_input_fn`.
        target_column: a name that no column of `x` has.

    Raises:
        TypeError: `x` is no DataFrame, or `y` neither that nor a Series.
        ValueError: `shuffle` is no bool, indices that differ, or a column of the name `target_column`.
    """
    if not _is_frame(x):
        raise TypeError(f"x must be a pandas DataFrame, got {type(x)}")
    numpy_io.check_shuffle(shuffle)
    assert shuffle is not None
    if y is not None:
        if not hasattr(y, "index") or not hasattr(y, "values"):
            raise TypeError(f"y must be a pandas Series or DataFrame, got {type(y)}")
        if target_column in x:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already "
                f"has a column with that name: {list(x.columns)}"
            )
        if not np.array_equal(x.index, y.index):
            raise ValueError(
                "Index for x and y are mismatched.\n"
                f"Index for x: {x.index}\nIndex for y: {y.index}\n"
            )
    several = y is not None and _is_frame(y)
    # Columns of x and y may have equal names.
    prefix = f"{target_column}_{uuid.uuid4().hex}/"

    def input_fn() -> Any:
        data = {str(column): np.asarray(x[column]) for column in x.columns}
        names = list(data)
        if y is not None and several:
            data.update({prefix + str(c): np.asarray(y[c]) for c in y.columns})
        elif y is not None:
            data[prefix] = np.asarray(y)
        found = numpy_io.dequeue(
            data, batch_size, num_epochs, shuffle, queue_capacity, num_threads
        )
        features = {name: found[name] for name in names}
        if y is None:
            return features
        if several:
            return features, {str(c): found[prefix + str(c)] for c in y.columns}
        return features, found[prefix]

    return input_fn
