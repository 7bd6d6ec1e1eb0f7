# SPDX-License-Identifier: Apache-2.0
"""Reductions, arguments of extrema, scans, L2Loss and the gradient of BiasAdd."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from gpu_cases import FLOATS, SIZES, Case

import tensorwright as tf

_REDUCTIONS = {
    "Sum": tf.reduce_sum,
    "Mean": tf.reduce_mean,
    "Prod": tf.reduce_prod,
    "Max": tf.reduce_max,
    "Min": tf.reduce_min,
}
# Shapes and the axes that are reduced.
_AXES = [
    ((33, 31), (0,)),
    ((33, 31), (1,)),
    ((33, 31), (0, 1)),
    ((5, 7, 9, 3), (0, 2)),
    ((5, 7, 9, 3), (1, 3)),
    ((2, 3, 2, 3, 2), (0, 2, 4)),
    ((257, 1025), (0,)),
    ((257, 1025), (1,)),
    ((9000, 3), (0,)),
    ((3, 9000), (1,)),
    ((0, 3), (0,)),
    ((3, 0), (0,)),
    ((4, 1, 5), (1,)),
]


def _uniform(shape: Any, low: float, high: float, seed: int = 1) -> np.ndarray:
    return np.random.RandomState(seed).uniform(low, high, shape)


def _cases_of_floats() -> Iterator[Case]:
    for op, function in _REDUCTIONS.items():
        for dtype in FLOATS:
            slack = 30 if dtype in ("float32", "float64") else 4
            for shape, axes in _AXES:
                spread = (
                    0.02
                    if op == "Prod" and dtype not in FLOATS[:2]
                    else 0.0
                    if op == "Prod"
                    else 1.0
                )
                values = _uniform(shape, 1 - spread, 1 + spread)
                if op == "Prod" and 9000 in shape:
                    values = np.ones(shape)
                for keep in (False, True):
                    yield Case(
                        op,
                        dtype,
                        lambda x, f=function, a=axes, k=keep: f(x, a, keepdims=k),
                        [(values, dtype)],
                        slack=slack,
                    )
            if op == "Prod":
                continue
            for size in SIZES:
                yield Case(
                    op,
                    dtype,
                    lambda x, f=function: f(x),
                    [(_uniform(size, 0, 1), dtype)],
                    slack=slack,
                )
            special = _uniform((7, 33), -1, 1)
            special[1, 3], special[2, 5], special[3, 7], special[4] = (
                np.nan,
                np.inf,
                -np.inf,
                -np.inf,
            )
            yield Case(
                f"{op} special",
                dtype,
                lambda x, f=function: f(x, 1),
                [(special, dtype)],
                slack=slack,
            )


def _cases_of_others() -> Iterator[Case]:
    for size in ((33, 31), (3, 0), (1025, 33)):
        for axis in (0, 1):
            values = _uniform(size, 0, 1) > 0.03
            yield Case(
                "All", "bool", lambda x, a=axis: tf.reduce_all(x, a), [(values, "bool")]
            )
            yield Case(
                "Any",
                "bool",
                lambda x, a=axis: tf.reduce_any(x, a),
                [(~values, "bool")],
            )
    integers = np.random.RandomState(5).randint(-50, 50, (33, 31))
    for op, function in _REDUCTIONS.items():
        if op != "Mean":
            for dtype in ("int32", "int64"):
                yield Case(
                    op, dtype, lambda x, f=function: f(x, 1), [(integers, dtype)]
                )
    for dtype in FLOATS:
        yield Case(
            "EuclideanNorm",
            dtype,
            lambda x: tf.raw_ops.EuclideanNorm(
                input=x, reduction_indices=[1], keep_dims=False
            ),
            [(_uniform((33, 31), -1, 1), dtype)],
            slack=30,
        )
        for size in SIZES:
            yield Case(
                "L2Loss",
                dtype,
                tf.nn.l2_loss,
                [(_uniform(size, -1, 1), dtype)],
                slack=30,
            )
        for shape, layout in (
            ((33, 31), "NHWC"),
            ((2, 3, 4, 5), "NHWC"),
            ((2, 5, 3, 4), "NCHW"),
            ((9000, 33), "NHWC"),
            ((0, 3), "NHWC"),
        ):
            yield Case(
                f"BiasAddGrad {layout}",
                dtype,
                lambda x, f=layout: tf.raw_ops.BiasAddGrad(
                    out_backprop=x, data_format=f
                ),
                [(_uniform(shape, 0, 1), dtype)],
                slack=30,
            )


def _argument_cases() -> Iterator[Case]:
    for dtype in (*FLOATS, "int32", "int64"):
        for shape, axis in (
            ((33, 31), 0),
            ((33, 31), 1),
            ((5, 7, 9), 1),
            ((3, 9001), 1),
            ((9001,), 0),
        ):
            # Few values, so that many are equal.
            values = np.random.RandomState(7).randint(0, 30, shape)
            for op, function in (("ArgMax", tf.argmax), ("ArgMin", tf.argmin)):
                for output in (tf.int32, tf.int64):
                    yield Case(
                        op,
                        dtype,
                        lambda x, f=function, a=axis, o=output: f(x, a, output_type=o),
                        [(values, dtype)],
                        exact=True,
                    )
    values = _uniform((4, 33), -1, 1)
    values[0, 3] = np.nan
    values[1] = np.nan
    yield Case(
        "ArgMax special",
        "float32",
        lambda x: tf.argmax(x, 1),
        [(values, "float32")],
        exact=True,
    )
    yield Case(
        "ArgMin special",
        "float32",
        lambda x: tf.argmin(x, 1),
        [(values, "float32")],
        exact=True,
    )


def _scan_cases() -> Iterator[Case]:
    for dtype in FLOATS:
        for shape, axis in (
            ((33, 31), 0),
            ((33, 31), 1),
            ((3, 1025), 1),
            ((5, 7, 9), 1),
            ((0, 3), 0),
            ((1,), 0),
        ):
            for exclusive in (False, True):
                for reverse in (False, True):
                    arguments = {
                        "axis": axis,
                        "exclusive": exclusive,
                        "reverse": reverse,
                    }
                    label = f"{' exclusive' * exclusive}{' reverse' * reverse}"
                    yield Case(
                        f"Cumsum{label}",
                        dtype,
                        lambda x, a=arguments: tf.cumsum(x, **a),
                        [(_uniform(shape, 0, 1), dtype)],
                        slack=30,
                    )
                    yield Case(
                        f"Cumprod{label}",
                        dtype,
                        lambda x, a=arguments: tf.cumprod(x, **a),
                        [(_uniform(shape, 0.9, 1.1), dtype)],
                        slack=60,
                    )


def cases() -> Iterator[Case]:
    """Yields the cases of this family."""
    yield from _cases_of_floats()
    yield from _cases_of_others()
    yield from _argument_cases()
    yield from _scan_cases()
