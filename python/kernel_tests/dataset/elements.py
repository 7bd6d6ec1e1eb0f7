# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of datasets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorwright as tf


def elements(dataset: Any, limit: int = 100_000, iterator: Any = None) -> list:
    """The elements of a dataset of the default graph, as Python values."""
    iterator = iterator or tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        return rest(session, element, limit)


def rest(session: Any, element: Any, limit: int = 100_000) -> list:
    """Returns the remaining elements, up to `limit`."""
    found = []
    while len(found) < limit:
        try:
            found.append(plain(session.run(element)))
        except tf.errors.OutOfRangeError:
            break
    return found


def plain(value: Any) -> Any:
    """Arrays as lists and numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, tf.SparseTensorValue):
        return tuple(plain(part) for part in value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return tuple(plain(v) for v in value)
    return value


def refuses(words: str, build: Any, *classes: type) -> None:
    """`build` gives a dataset that cannot be built or run, for a reason with these words."""
    with pytest.raises(
        classes or (tf.errors.InvalidArgumentError, ValueError), match=words
    ):
        elements(build())


def fed(value: Any, dtype: Any = np.int64) -> Any:
    """Returns a tensor whose value is unknown while the graph is built."""
    return tf.py_func(lambda: np.asarray(value, dtype), [], tf.as_dtype(dtype))


def scalar(value: Any, dtype: Any = np.int64) -> Any:
    result = fed(value, dtype)
    result.set_shape([])
    return result


Dataset = tf.data.Dataset
