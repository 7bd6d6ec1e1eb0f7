# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of kernels: values of any dtype, runs of one op, gradient checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.python.client import session
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gradient_checker, gradients

# A dtype of each kind and size; object stands for strings.
DTYPES = [np.bool_, np.int8, np.float16, np.float32, np.int64, np.complex128]
NUMBERS = [
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
    np.uint16,
    np.float16,
    np.float32,
    np.float64,
    np.complex64,
    np.complex128,
]


def values(shape: Any, dtype: Any = np.float32) -> np.ndarray:
    """0, 1, 2, ... 99, 0 ... in a shape; strings "s0", "s1" ... for object."""
    numbers = np.arange(int(np.prod(shape)))
    if dtype is object:
        return np.array([b"s%d" % i for i in numbers], dtype=object).reshape(shape)
    return (numbers % 100).astype(dtype).reshape(shape)


def tf_dtype(array: np.ndarray) -> dtypes.DType:
    """The dtype of a tensor of these elements."""
    return dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)


def fed(build: Callable[..., Any], *arrays: Any, known: bool = False) -> Any:
    """Runs what `build` makes of placeholders, whose shapes are unknown unless `known`."""
    arrays = tuple(np.asarray(a) for a in arrays)
    with ops.Graph().as_default(), session.Session() as sess:
        placeholders = [
            array_ops.placeholder(tf_dtype(a), a.shape if known else None)
            for a in arrays
        ]
        built = build(*placeholders)
        result = sess.run(built, dict(zip(placeholders, arrays, strict=True)))
        if isinstance(built, ops.Tensor):
            shape = np.shape(result)
            assert built.shape.is_compatible_with(shape), (
                f"{built.shape} was inferred, {shape} came out"
            )
            if known:
                assert built.shape.ndims == len(shape)
        return result


def evaluate(fetches: Any, feed: dict | None = None) -> Any:
    """The values of tensors of the default graph, in a session of their own."""
    with session.Session() as sess:
        return sess.run(fetches, feed)


def run(build: Callable[[], Any]) -> Any:
    """Runs what `build` makes in a graph of its own."""
    with ops.Graph().as_default(), session.Session() as sess:
        return sess.run(build())


def gradient_error(
    build: Callable[..., Any], *shapes: Any, dtype: Any = np.float64
) -> float:
    """The largest error of the first and second derivatives of a linear function.

    `build` takes a tensor of each shape and gives one.  Its Jacobian is compared with
    finite differences, and so is the Jacobian of the gradient by the upstream
    gradient: what differentiating twice rests on.
    """
    rng = np.random.RandomState(len(shapes))
    with ops.Graph().as_default(), session.Session():
        starts = [np.asarray(rng.uniform(size=s), dtype) for s in shapes]
        inputs = [array_ops.placeholder(tf_dtype(s), s.shape) for s in starts]
        y = build(*inputs)
        feed = dict(zip(inputs, starts, strict=True))
        y_shape = y.eval(feed).shape
        first = gradient_checker.compute_gradient_error(
            inputs, list(shapes), y, y_shape, starts, 0.5
        )
        upstream = array_ops.placeholder(y.dtype, y_shape)
        start = np.asarray(rng.uniform(size=y_shape), dtype)
        second = 0.0
        for x, shape in zip(inputs, shapes, strict=True):
            dx = gradients.gradients(y, x, grad_ys=upstream)[0]
            assert dx is not None, f"{y.op.type} has no gradient by {x.name}"
            error = gradient_checker.compute_gradient_error(
                upstream, y_shape, dx, shape, start, 0.5, extra_feed_dict=feed
            )
            second = max(second, error)
        return max(first, second)
