# SPDX-License-Identifier: Apache-2.0
"""Ops of rows: Softmax and its cross entropies, TopK; and random numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from gpu_cases import FLOATS, SIZES, Case

import tensorwright as tf

_SHAPES = ((1, 1), (31, 33), (257, 10), (3, 1025), (2, 5000), (0, 3), (5, 6, 7))


def _normal(shape: Any, seed: int = 1) -> np.ndarray:
    return np.random.RandomState(seed).normal(size=shape)


def _softmax_cases() -> Iterator[Case]:
    for dtype in FLOATS:
        slack = 20 if dtype in ("float32", "float64") else 4
        for shape in _SHAPES:
            yield Case(
                "Softmax", dtype, tf.nn.softmax, [(_normal(shape), dtype)], slack=slack
            )
            yield Case(
                "LogSoftmax",
                dtype,
                tf.nn.log_softmax,
                [(_normal(shape), dtype)],
                slack=slack,
            )
            if len(shape) != 2:
                continue
            labels = np.exp(_normal(shape, 2))
            labels /= labels.sum(-1, keepdims=True)
            yield Case(
                "SoftmaxCrossEntropyWithLogits",
                dtype,
                _xent,
                [(_normal(shape), dtype), (labels, dtype)],
                slack=slack,
            )
            for index in ("int32", "int64"):
                classes = np.random.RandomState(3).randint(0, shape[1], shape[:1])
                yield Case(
                    "SparseSoftmaxCrossEntropyWithLogits",
                    dtype,
                    _sparse_xent,
                    [(_normal(shape), dtype), (classes, index)],
                    slack=slack,
                )
        special = _normal((6, 33))
        special[0, 1], special[1, 2], special[2] = np.nan, -np.inf, 1000
        yield Case(
            "Softmax special", dtype, tf.nn.softmax, [(special, dtype)], slack=slack
        )
        yield Case(
            "LogSoftmax special",
            dtype,
            tf.nn.log_softmax,
            [(special, dtype)],
            slack=slack,
        )
    yield Case(
        "SoftmaxCrossEntropyWithLogits broadcast",
        "float32",
        _xent,
        [(_normal((31, 33)), "float32"), (np.ones((1, 33)) / 33, "float32")],
        slack=20,
    )


def _xent(x: Any, labels: Any) -> Any:
    return list(tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=labels))


def _sparse_xent(x: Any, labels: Any) -> Any:
    return list(
        tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=labels)
    )


def _top_cases() -> Iterator[Case]:
    for dtype in (*FLOATS, "int32", "int64"):
        for shape, k in (
            ((31, 33), 5),
            ((3, 1025), 1),
            ((2, 5000), 17),
            ((4, 7), 7),
            ((4, 7), 0),
            ((2, 3, 31), 3),
        ):
            # Few values, so that many are equal.
            values = np.random.RandomState(5).randint(0, 40, shape)
            yield Case(
                "TopKV2",
                dtype,
                lambda x, k=k: list(tf.nn.top_k(x, k)),
                [(values, dtype)],
                exact=True,
            )
    values = _normal((4, 33))
    values[0, 3] = values[1, 5] = values[1, 7] = np.nan
    values[2, 1], values[2, 2] = np.inf, -np.inf
    yield Case(
        "TopKV2 special",
        "float32",
        lambda x: list(tf.nn.top_k(x, 33)),
        [(values, "float32")],
        exact=True,
    )


def _random_cases() -> Iterator[Case]:
    kinds = {
        "RandomUniform": tf.random_uniform,
        "RandomStandardNormal": tf.random_normal,
        "TruncatedNormal": tf.truncated_normal,
    }
    for op, function in kinds.items():
        for dtype in FLOATS:
            for size in SIZES:
                yield Case(
                    f"{op} {size}",
                    dtype,
                    lambda f=function, d=dtype, n=size: f(
                        [n], dtype=tf.as_dtype(d), seed=7
                    ),
                    slack=30 if op != "RandomUniform" else 4,
                )
    for dtype in ("int32", "int64"):
        for size in SIZES:
            yield Case(
                f"RandomUniformInt {size}",
                dtype,
                lambda d=dtype, n=size: tf.random_uniform(
                    [n], -5, 1000, dtype=tf.as_dtype(d), seed=7
                ),
                exact=True,
            )


def cases() -> Iterator[Case]:
    """Yields the cases of this family."""
    yield from _softmax_cases()
    yield from _top_cases()
    yield from _random_cases()
