# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors for tests, and how they are fed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tensorwright as tf


def values(n: int, dtype: Any, seed: int = 0) -> np.ndarray:
    """Numbers, none of them 0; strings for `object`."""
    rng = np.random.RandomState(seed)
    x = rng.randint(1, 100, n)
    if np.dtype(dtype) == object:
        return np.array([b"%d" % v for v in x] + [b""], object)[:-1]
    if np.dtype(dtype) == bool:
        return x % 2 == 0
    signed = x * rng.choice([-1, 1], n) if np.dtype(dtype).kind != "u" else x
    if np.dtype(dtype).kind == "c":
        signed = signed + 1j * x[::-1]
    return signed.astype(dtype)


def draw(
    shape: Sequence[int], dtype: Any = np.float32, part: float = 0.5, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(indices in row-major order, values, shape), with about that part of the places."""
    rng = np.random.RandomState(seed)
    rows = np.argwhere(rng.random_sample(tuple(shape)) < part).astype(np.int64)
    return rows, values(len(rows), dtype, seed + 1), np.array(shape, np.int64)


def dense(parts: Any, fill: Any = None) -> np.ndarray:
    """Returns the dense array that a sparse tensor stands for."""
    indices, found, shape = parts
    if fill is None:
        fill = b"" if found.dtype == object else found.dtype.type(0)
    out = np.full(tuple(shape), fill, found.dtype)
    for row, value in zip(indices.tolist(), found, strict=True):
        out[tuple(row)] = value
    return out


def run(build: Callable[..., Any], *arrays: Any, known: bool = False) -> Any:
    """Runs what `build` makes of the arrays, which are fed with unknown shapes unless `known`."""
    with tf.Graph().as_default(), tf.Session() as session:
        feeds = {}

        def feed(value: Any) -> Any:
            if isinstance(value, tuple):
                return tf.SparseTensor(*(feed(part) for part in value))
            value = np.asarray(value)
            kind = tf.string if value.dtype == object else tf.as_dtype(value.dtype)
            if known:
                return tf.constant(value, kind)
            tensor = tf.placeholder(kind, None)
            feeds[tensor] = value
            return tensor

        out = build(*(feed(a) for a in arrays))
        return session.run(out, feeds)


def gradient(build: Callable[..., Any], by: np.ndarray, upstream: Any) -> Any:
    """d sum(build(x) * upstream) / dx at `by`."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(by)
        (dx,) = tf.gradients(build(x), x, upstream)
        return session.run(tf.convert_to_tensor(dx))


def check_gradient(build: Callable[[Any], Any], x: np.ndarray, seed: int = 0) -> None:
    """Asserts that the gradient by `x` under a random upstream gradient is what finite differences say."""
    rng = np.random.RandomState(seed)
    shape = np.shape(run(build, x))
    upstream, direction = rng.normal(size=shape), rng.normal(size=x.shape)
    found = np.sum(gradient(build, x, upstream) * direction)
    step = 1e-6 * direction
    ends = [np.sum(run(build, x + s) * upstream) for s in (step, -step)]
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-7)
