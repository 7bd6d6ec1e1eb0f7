# SPDX-License-Identifier: Apache-2.0
"""Input that a Python generator makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.ops import parsing_ops, script_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import ParseSpec


__all__ = ["python_input"]


def _checked(key: str, feature: Any, value: Any) -> list[np.ndarray]:
    """The arrays that a feature's tensors are of."""
    dtype = feature.dtype.as_numpy_dtype
    if isinstance(feature, parsing_ops.FixedLenFeature):
        if value is None:
            value = feature.default_value
        if value is None:
            raise ValueError(f"feature {key} is missing and has no default value")
        array = np.asarray(value, dtype=dtype)
        if array.size != int(np.prod(feature.shape)):
            raise ValueError(
                f"feature {key} has {array.size} elements, its shape is {feature.shape}"
            )
        return [array.reshape(feature.shape)]
    array = np.asarray([] if value is None else value, dtype=dtype)
    if array.ndim != 1:
        raise ValueError(f"feature {key} must be a vector, got shape {array.shape}")
    return [
        np.arange(array.size, dtype=np.int64)[:, None],
        array,
        np.array([array.size], np.int64),
    ]


def python_input(
    generator: Callable[[], Iterator[dict[str, Any]]] | Iterator[dict[str, Any]],
    features: dict[str, ParseSpec],
    name: str | None = None,
) -> dict[str, Any]:
    """The next dict of a generator, as tensors by key; at its end a run raises OutOfRangeError.

    Args:
        generator: an iterator of dicts of arrays, or a function that makes one.
        features: FixedLenFeature or VarLenFeature by key.
        name: the name of the ops.

    Raises:
        TypeError: features of another kind, or no dict of them.
        ValueError: no feature.
    """
    if not isinstance(features, dict):
        raise TypeError(f"features must be a dict, got {type(features).__name__}")
    if not features:
        raise ValueError("features is empty")
    for key, feature in features.items():
        if not isinstance(
            feature, (parsing_ops.FixedLenFeature, parsing_ops.VarLenFeature)
        ):
            raise TypeError(f"feature {key} must be a FixedLenFeature or VarLenFeature, got {feature!r}")  # fmt: skip
    items = iter(generator() if callable(generator) else generator)
    keys = sorted(features)
    kinds: list[Any] = []
    for key in keys:
        feature = features[key]
        if isinstance(feature, parsing_ops.FixedLenFeature):
            kinds.append(feature.dtype)
        else:
            kinds += [dtypes.int64, feature.dtype, dtypes.int64]

    def following() -> list[np.ndarray]:
        # StopIteration becomes OutOfRangeError.
        item = next(items)
        return [a for key in keys for a in _checked(key, features[key], item.get(key))]

    with ops.name_scope(name, "python_input"):
        flat = list(script_ops.py_func(following, [], kinds, stateful=True))
    found: dict[str, Any] = {}
    for key in keys:
        feature = features[key]
        if isinstance(feature, parsing_ops.FixedLenFeature):
            tensor = flat.pop(0)
            tensor.set_shape(feature.shape)
            found[key] = tensor
        else:
            indices, values, shape = flat.pop(0), flat.pop(0), flat.pop(0)
            indices.set_shape([None, 1])
            values.set_shape([None])
            shape.set_shape([1])
            found[key] = sparse_tensor.SparseTensor(indices, values, shape)
    return found
