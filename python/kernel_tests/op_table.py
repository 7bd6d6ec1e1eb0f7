# SPDX-License-Identifier: Apache-2.0
"""Tests of ops as tables: an op costs a few lines.

    TABLE = [
        Entry("expm1", tf.expm1, np.expm1, REALS, span=(-2, 2)),
        Entry("atan2", tf.atan2, np.arctan2, REALS, arguments=2, bad=[([np.zeros(2), np.zeros(3)], "ncompatible")]),
    ]
    test_values = values_test(TABLE)
    test_gradients = gradients_test(TABLE)
    test_bad_input = bad_input_test(TABLE)

`test_values` compares with the NumPy or SciPy reference over dtypes x shapes (empty, one, odd, a vector and one more,
many, several axes; for two arguments broadcast too), with the shapes known and not.  `test_gradients` compares the
derivative along a random direction, under a random upstream gradient, with finite differences in double precision.
`test_bad_input` expects InvalidArgumentError with the words, in the run and, where shapes say it all, before it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf

HALVES = (np.float16, ml_dtypes.bfloat16)
REALS = (*HALVES, np.float32, np.float64)
COMPLEXES = (np.complex64, np.complex128)
INTEGERS = (
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
    np.uint16,
    np.uint32,
    np.uint64,
)
NUMBERS = (*INTEGERS, *REALS, *COMPLEXES)

SHAPES = ([], [0], [1], [7], [17], [3, 5], [2, 0, 3], [4, 1, 9], [100_003])
BROADCASTS = (([], [3]), ([4, 1], [3]), ([2, 1, 5], [2, 3, 1]), ([0, 1], [1, 4]))

_STEP = 1e-6


def rounding(dtype: Any, units: float) -> float:
    """So many units of rounding of a dtype, of a complex one's parts; 0 of integers."""
    dtype = np.dtype(tf.as_dtype(dtype).as_numpy_dtype)
    if dtype.kind in "iub":
        return 0.0
    return units * float(ml_dtypes.finfo(dtype).eps)


# Relative error that a dtype's own rounding explains.
_TOLERANCE = {
    np.dtype(t).name: rounding(t, 3 if t in HALVES else 25 if t in REALS else 50)
    for t in (*REALS, *COMPLEXES)
}


@dataclasses.dataclass(frozen=True)
class Entry:
    """One op.

    `build` makes a tensor of `arguments` tensors, `reference` an array of as many arrays (of a half, in float32).
    Values lie in `span`; `inputs` draws them where that is not enough: (rng, dtype, shapes) -> arrays, one per shape.
    `gradient_by` are the arguments to differentiate by; none for an op without a gradient.
    `bad` has (arrays, words of the error) pairs.
    """

    name: str
    build: Callable[..., Any]
    reference: Callable[..., Any]
    dtypes: Sequence[Any]
    arguments: int = 1
    span: tuple[float, float] = (-3, 3)
    shapes: Sequence[Any] = SHAPES
    inputs: Callable[..., list[np.ndarray]] | None = None
    gradient_by: tuple[int, ...] | None = None
    tolerance: float = 1.0  # In multiples of the dtype's.
    bad: Sequence[tuple[Sequence[Any], str]] = ()

    def draw(self, dtype: Any, shapes: Sequence[Any], seed: int = 0) -> list[Any]:
        rng = np.random.RandomState(seed)
        if self.inputs is not None:
            return self.inputs(rng, np.dtype(dtype), shapes)
        return [uniform(rng, dtype, shape, *self.span) for shape in shapes]

    def differentiable(self) -> tuple[int, ...]:
        if self.gradient_by is not None:
            return self.gradient_by
        return tuple(range(self.arguments)) if np.float64 in self.dtypes else ()


def uniform(rng: Any, dtype: Any, shape: Any, low: float, high: float) -> np.ndarray:
    """Values of any dtype in [low, high], integers included; unsigned ones from 0."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        low = max(low, 0) if dtype.kind == "u" else low
        return rng.randint(int(np.ceil(low)), int(high) + 1, shape).astype(dtype)
    if dtype.kind == "b":
        return rng.randint(0, 2, shape).astype(dtype)
    x = rng.uniform(low, high, shape)
    if dtype.kind == "c":
        x = x + 1j * rng.uniform(low, high, shape)
    return np.asarray(x).astype(dtype)


def run(build: Callable[..., Any], arrays: Sequence[Any], known: bool = False) -> Any:
    """Runs what `build` makes of placeholders, whose shapes are unknown unless `known`."""
    arrays = [np.asarray(a) for a in arrays]
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = [
            tf.placeholder(tf.as_dtype(a.dtype), a.shape if known else None)
            for a in arrays
        ]
        out = build(*tensors)
        value = session.run(out, dict(zip(tensors, arrays)))
        assert out.shape.is_compatible_with(np.shape(value))
        assert not known or out.shape.is_fully_defined()
        return value


def values_test(table: Sequence[Entry]) -> Callable[..., None]:
    cases = [
        pytest.param(e, dtype, id=f"{e.name}-{np.dtype(dtype).name}")
        for e in table
        for dtype in e.dtypes
    ]

    @pytest.mark.parametrize(("entry", "dtype"), cases)
    def test(entry: Entry, dtype: Any) -> None:
        """The values are the reference's."""
        sizes = [[s] * entry.arguments for s in entry.shapes]
        if entry.arguments == 2 and entry.shapes is SHAPES:
            sizes += [list(pair) for pair in BROADCASTS]
        for number, shapes in enumerate(sizes):
            arrays = entry.draw(dtype, shapes, seed=number)
            got = run(entry.build, arrays, known=bool(number % 2))
            _compare(entry, np.dtype(dtype), arrays, got)

    return test


def _compare(entry: Entry, dtype: Any, arrays: Sequence[Any], got: Any) -> None:
    half = dtype.name in ("float16", "bfloat16")
    wide = [a.astype(np.float32) if half and a.dtype == dtype else a for a in arrays]
    with np.errstate(all="ignore"):
        want = np.asarray(entry.reference(*wide))
    got = np.asarray(got)
    assert got.shape == want.shape, (entry.name, [a.shape for a in arrays])
    name = got.dtype.name
    if name not in _TOLERANCE:
        np.testing.assert_array_equal(got, want.astype(got.dtype))
        return
    tolerance = entry.tolerance * max(_TOLERANCE[name], _TOLERANCE.get(dtype.name, 0))
    if half:
        got, want = got.astype(np.float32), want.astype(np.float32)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def gradients_test(
    table: Sequence[Entry], shapes: Sequence[Any] = ([5], [2, 3], [])
) -> Callable[..., None]:
    cases = [
        pytest.param(e, shape, id=f"{e.name}-{list(shape)}")
        for e in table
        if e.differentiable()
        for shape in (shapes if e.shapes is SHAPES else e.shapes)
    ]

    @pytest.mark.parametrize(("entry", "shape"), cases)
    def test(entry: Entry, shape: Any) -> None:
        """The derivative along a random direction agrees with finite differences."""
        arrays = entry.draw(np.float64, [shape] * entry.arguments, seed=99)
        check_gradient(entry.build, arrays, entry.differentiable())

    return test


def check_gradient(
    build: Callable[..., Any], arrays: Sequence[Any], by: Sequence[int]
) -> None:
    """Asserts that gradients, random upstream, agree with finite differences."""
    rng = np.random.RandomState(7)
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = [tf.placeholder(tf.as_dtype(a.dtype)) for a in arrays]
        y = build(*tensors)
        feed = dict(zip(tensors, arrays))
        upstream = rng.normal(size=np.shape(session.run(y, feed)))
        gy = tf.placeholder(y.dtype)
        for i in by:
            x = tensors[i]
            (dx,) = tf.gradients(y, x, gy)
            dx = tf.convert_to_tensor(dx) if dx is not None else None
            assert dx is not None, f"no gradient by argument {i}"
            direction = rng.normal(size=arrays[i].shape)
            found = np.sum(session.run(dx, {**feed, gy: upstream}) * direction)
            ends = [
                np.sum(session.run(y, {**feed, x: arrays[i] + d}) * upstream)
                for d in (_STEP * direction, -_STEP * direction)
            ]
            want = (ends[0] - ends[1]) / (2 * _STEP)
            np.testing.assert_allclose(
                found, want, rtol=1e-6, atol=1e-8, equal_nan=False
            )


def bad_input_test(table: Sequence[Entry]) -> Callable[..., None]:
    cases = [
        pytest.param(e, arrays, words, id=f"{e.name}-{number}")
        for e in table
        for number, (arrays, words) in enumerate(e.bad)
    ]

    @pytest.mark.parametrize(("entry", "arrays", "words"), cases)
    def test(entry: Entry, arrays: Sequence[Any], words: str) -> None:
        """The run is refused, in words."""
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
            run(entry.build, arrays)

    return test
