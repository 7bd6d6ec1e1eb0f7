# SPDX-License-Identifier: Apache-2.0
"""Elementwise ops, Select, Cast, AddN and BiasAdd."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from gpu_cases import FLOATS, SIZES, Case

import tensorwright as tf

_SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.5, 3.0])

# Op -> the range of its arguments.
_UNARY = {
    "Abs": (-3, 3),
    "Neg": (-3, 3),
    "Square": (-3, 3),
    "Sign": (-3, 3),
    "Sqrt": (0, 9),
    "Rsqrt": (0.1, 9),
    "Reciprocal": (0.2, 9),
    "Floor": (-3, 3),
    "Ceil": (-3, 3),
    "Rint": (-3, 3),
    "Exp": (-3, 3),
    "Expm1": (-1, 2),
    "Log": (0.1, 9),
    "Log1p": (-0.5, 9),
    "Sin": (-3, 3),
    "Cos": (-3, 3),
    "Tan": (-1, 1),
    "Tanh": (-3, 3),
    "Sigmoid": (-6, 6),
    "Erf": (-2, 2),
    "Relu": (-3, 3),
    "Relu6": (-3, 9),
    "Elu": (-3, 3),
    "Selu": (-3, 3),
    "Softplus": (-6, 6),
    "Softsign": (-3, 3),
    "IsNan": (-3, 3),
    "IsInf": (-3, 3),
    "IsFinite": (-3, 3),
}
_BINARY = {
    "Add": (-3, 3),
    "AddV2": (-3, 3),
    "Sub": (-3, 3),
    "Mul": (-3, 3),
    "RealDiv": (0.5, 3),
    "Maximum": (-3, 3),
    "Minimum": (-3, 3),
    "SquaredDifference": (-3, 3),
    "Pow": (0.2, 2),
    "FloorDiv": (0.5, 3),
    "Less": (-1, 1),
    "LessEqual": (-1, 1),
    "Greater": (-1, 1),
    "GreaterEqual": (-1, 1),
    "Equal": (-1, 1),
    "NotEqual": (-1, 1),
    "ReluGrad": (-3, 3),
    "Relu6Grad": (-3, 9),
    "TanhGrad": (-0.9, 0.9),
    "SigmoidGrad": (0.1, 0.9),
    "SqrtGrad": (0.5, 3),
    "RsqrtGrad": (0.5, 3),
    "EluGrad": (-0.9, 3),
    "SoftplusGrad": (-3, 3),
    "SoftsignGrad": (-3, 3),
}
# CPU kernels of these have no half or bfloat16.
_WIDE_ONLY = {"Abs", "Neg", "Sign", "Rsqrt", "Maximum", "Minimum"}
_FUNCTIONS = {"Softplus": "softplus", "Softsign": "softsign"}


def _uniform(shape: Any, low: float, high: float, seed: int = 1) -> np.ndarray:
    return np.random.RandomState(seed).uniform(low, high, shape)


def _raw(op: str) -> Any:
    """Returns the function of a raw op of the registry."""
    return getattr(tf.raw_ops, op)


def _unary(op: str) -> Any:
    names = {
        "Relu": "features",
        "Relu6": "features",
        "Elu": "features",
        "Selu": "features",
    }
    names |= {"Softplus": "features", "Softsign": "features"}
    return lambda x: _raw(op)(**{names.get(op, "x"): x})


def _binary(op: str) -> Any:
    names = ("x", "y")
    if op in ("ReluGrad", "Relu6Grad", "SoftplusGrad", "SoftsignGrad"):
        names = ("gradients", "features")
    elif op == "EluGrad":
        names = ("gradients", "outputs")
    elif op.endswith("Grad"):
        names = ("y", "dy")
    return lambda x, y: _raw(op)(**{names[0]: x, names[1]: y})


def _floats_of(op: str) -> tuple[str, ...]:
    return FLOATS[2:] if op in _WIDE_ONLY else FLOATS


def _unary_cases() -> Iterator[Case]:
    for op, (low, high) in _UNARY.items():
        for dtype in _floats_of(op):
            sizes = SIZES if dtype == "float32" else (31, 1025)
            for size in sizes:
                yield Case(
                    op, dtype, _unary(op), [(_uniform(size, low, high), dtype)], slack=8
                )
            yield Case(f"{op} special", dtype, _unary(op), [(_SPECIAL, dtype)], slack=8)


def _binary_cases() -> Iterator[Case]:
    shapes = [
        ((5, 1, 7), (1, 3, 1)),
        ((257,), ()),
        ((), (33,)),
        ((33, 31), (31,)),
        ((2, 1, 3, 1), (4, 1, 5)),
        ((0, 3), (3,)),
    ]
    for op, (low, high) in _BINARY.items():
        # Quotients of bfloat16 that are nearly whole would be rounded either way.
        slack = 8
        for dtype in _floats_of(op):
            for size in SIZES if dtype == "float32" else (31, 1025):
                pair = [(_uniform(size, low, high, s), dtype) for s in (1, 2)]
                yield Case(op, dtype, _binary(op), pair, slack=slack)
            special = [(np.repeat(_SPECIAL, 10), dtype), (np.tile(_SPECIAL, 10), dtype)]
            if not op.endswith("Grad") and op not in ("Pow", "FloorDiv"):
                yield Case(f"{op} special", dtype, _binary(op), special, slack=slack)
        if op.endswith("Grad"):
            continue
        for a, b in shapes:
            pair = [
                (_uniform(a, low, high), "float32"),
                (_uniform(b, low, high, 2), "float32"),
            ]
            yield Case(f"{op} broadcast", "float32", _binary(op), pair, slack=slack)
    integers = np.random.RandomState(3).randint(-9, 9, (2, 33, 31))
    for op in ("Add", "Sub", "Mul", "Maximum", "Minimum", "Less", "Equal"):
        yield Case(
            op, "int64", _binary(op), [(integers[0], "int64"), (integers[1], "int64")]
        )
        yield Case(
            op, "int32", _binary(op), [(integers[0], "int32"), (integers[1], "int32")]
        )
    bools = integers > 0
    for op in ("LogicalAnd", "LogicalOr"):
        yield Case(op, "bool", _binary(op), [(bools[0], "bool"), (bools[1], "bool")])
    yield Case("LogicalNot", "bool", _unary("LogicalNot"), [(bools[0], "bool")])


def _select_cases() -> Iterator[Case]:
    for dtype in (
        "float16",
        "float32",
        "float64",
        "int32",
        "int64",
        "bool",
        "int8",
        "complex128",
    ):
        for shape, condition in (
            ((33, 31), (33, 31)),
            ((33, 31), (33,)),
            ((33, 31), ()),
            ((1025,), (1025,)),
            ((0, 3), (0,)),
        ):
            chosen = _uniform(condition, -1, 1) > 0
            pair = [(np.round(_uniform(shape, -5, 5, s)), dtype) for s in (2, 3)]
            yield Case("Select", dtype, _select, [(chosen, "bool"), *pair], exact=True)
    chosen = _uniform((5, 1, 1), -1, 1) > 0
    yield Case(
        "SelectV2",
        "float32",
        lambda c, x, y: tf.raw_ops.SelectV2(condition=c, t=x, e=y),
        [
            (chosen, "bool"),
            (_uniform((31,), -1, 1), "float32"),
            (_uniform((7, 1), -1, 1), "float32"),
        ],
        exact=True,
    )


def _select(c: Any, x: Any, y: Any) -> Any:
    return tf.raw_ops.Select(condition=c, t=x, e=y)


def _cast_cases() -> Iterator[Case]:
    dtypes = (
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "float16",
        "bfloat16",
        "float32",
        "float64",
    )
    for source in dtypes:
        values = (
            _uniform(1025, 0, 90) if source != "bool" else _uniform(1025, -1, 1) > 0
        )
        for target in dtypes:
            if source != target:
                yield Case(
                    f"Cast to {target}",
                    source,
                    lambda x, to=target: tf.cast(x, to),
                    [(values, source)],
                    exact=True,
                )
    yield Case(
        "Cast to int32",
        "float32",
        lambda x: tf.cast(x, tf.int32),
        [(_uniform(70001, -9, 9), "float32")],
        exact=True,
    )


def _sum_cases() -> Iterator[Case]:
    for dtype in FLOATS:
        for count in (1, 2, 3, 20):
            tensors = [(_uniform((33, 31), -1, 1, s), dtype) for s in range(count)]
            yield Case(
                f"AddN of {count}",
                dtype,
                lambda *x: tf.add_n(list(x)),
                tensors,
                slack=4,
            )
        for shape in ((2, 5), (3, 7, 31), (2, 3, 4, 33), (0, 3), (257, 1025)):
            pair = [
                (_uniform(shape, -1, 1), dtype),
                (_uniform(shape[-1], -1, 1, 2), dtype),
            ]
            yield Case("BiasAdd", dtype, tf.nn.bias_add, pair, slack=4)
    pair = [
        (_uniform((2, 5, 3, 7), -1, 1), "float32"),
        (_uniform(5, -1, 1, 2), "float32"),
    ]
    yield Case(
        "BiasAdd NCHW",
        "float32",
        lambda x, b: tf.nn.bias_add(x, b, data_format="NCHW"),
        pair,
    )


def cases() -> Iterator[Case]:
    """Yields the cases of this family."""
    yield from _unary_cases()
    yield from _binary_cases()
    yield from _select_cases()
    yield from _cast_cases()
    yield from _sum_cases()
