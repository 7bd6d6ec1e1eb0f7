# SPDX-License-Identifier: Apache-2.0
"""Ops that only move elements, by shapes or by indices; ScatterNd and UnsortedSegmentSum with them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from gpu_cases import FLOATS, SIZES, Case

import tensorwright as tf

# One of each size of an element, and those that TensorFlow keeps on the host.
_DTYPES = (
    "int8",
    "float16",
    "float32",
    "int32",
    "float64",
    "int64",
    "complex128",
    "bool",
)


def _values(
    shape: Any, dtype: str = "float32", seed: int = 1
) -> tuple[np.ndarray, str]:
    integers = np.random.RandomState(seed).randint(
        0, 2 if dtype == "bool" else 100, shape
    )
    return integers.astype("complex128") if dtype == "complex128" else integers, dtype


def _move_cases(dtype: str) -> Iterator[Case]:
    def case(op: str, call: Any, *arrays: Any) -> Case:
        return Case(op, dtype, call, arrays, exact=True)

    def one(*shape: int) -> tuple[np.ndarray, str]:
        return _values(shape, dtype)

    for perm, shape in (
        ((1, 0), (33, 31)),
        ((1, 0), (257, 64)),
        ((0, 2, 1), (5, 33, 40)),
        ((2, 0, 1), (7, 9, 33)),
        ((1, 2, 0), (7, 9, 33)),
        ((3, 1, 0, 2), (4, 5, 6, 7)),
        ((0, 2, 3, 1), (2, 5, 8, 9)),
        ((1, 0), (0, 3)),
        ((4, 3, 2, 1, 0), (2, 3, 4, 5, 6)),
    ):
        yield case("Transpose", lambda x, p=perm: tf.transpose(x, p), one(*shape))
    for axis, shapes in (
        (0, [(3, 31), (5, 31)]),
        (1, [(33, 3), (33, 1), (33, 5)]),
        (1, [(2, 3, 4), (2, 0, 4), (2, 5, 4)]),
    ):
        parts = [_values(shape, dtype, s) for s, shape in enumerate(shapes)]
        yield case("ConcatV2", lambda *x, a=axis: tf.concat(list(x), a), *parts)
    many = [_values((5, 7), dtype, s) for s in range(40)]
    yield case("ConcatV2 of 40", lambda *x: tf.concat(list(x), 1), *many)
    for axis in (0, 1, -1):
        trio = [_values((5, 7), dtype, s) for s in range(3)]
        yield case("Pack", lambda *x, a=axis: tf.stack(list(x), a), *trio)
        yield case("Unpack", lambda x, a=axis: tf.unstack(x, axis=a), one(3, 5, 7))
        yield case("Split", lambda x, a=axis: tf.split(x, 3, a), one(6, 9, 12))
    yield case("SplitV", lambda x: tf.split(x, [4, 0, 11, 16], 1), one(33, 31))
    yield case("Slice", lambda x: tf.slice(x, [1, 3], [7, 11]), one(33, 31))
    yield case("Slice", lambda x: tf.slice(x, [1, 0, 2], [2, 5, 4]), one(5, 7, 8))
    yield case("Slice of nothing", lambda x: tf.slice(x, [1, 3], [0, 4]), one(33, 31))
    yield case("StridedSlice", lambda x: x[1:30:3, ::-2], one(33, 31))
    yield case("StridedSlice", lambda x: x[..., 1, tf.newaxis, 2:], one(5, 7, 9))
    yield case("StridedSlice", lambda x: x[3], one(5, 7, 9))
    yield case("Tile", lambda x: tf.tile(x, [3, 1, 2]), one(5, 7, 9))
    yield case("Tile", lambda x: tf.tile(x, [33]), one(31))
    yield case("BroadcastTo", lambda x: tf.broadcast_to(x, [4, 5, 7]), one(5, 1))
    yield case("ReverseV2", lambda x: tf.reverse(x, [0, -1]), one(5, 7, 9))
    yield case("Pad", lambda x: tf.pad(x, [[1, 2], [0, 0], [3, 0]]), one(5, 7, 9))
    if dtype not in ("bool",):
        yield case(
            "PadV2",
            lambda x: tf.pad(x, [[1, 2], [3, 4]], constant_values=7),
            one(33, 31),
        )
        yield case("OnesLike", lambda x: tf.raw_ops.OnesLike(x=x), one(33, 31))
    yield case("ZerosLike", lambda x: tf.raw_ops.ZerosLike(x=x), one(33, 31))
    yield case("Fill", lambda x: tf.fill([33, 31], x), one())
    yield case("Fill of nothing", lambda x: tf.fill([0, 31], x), one())


def _index_cases(dtype: str) -> Iterator[Case]:
    def case(op: str, call: Any, *arrays: Any) -> Case:
        return Case(op, dtype, call, arrays, exact=True)

    for index in ("int32", "int64"):
        random = np.random.RandomState(3)
        picked = (random.randint(0, 33, (7, 5)), index)
        for axis, shape in (
            (0, (33,)),
            (0, (33, 31)),
            (0, (33, 32)),
            (1, (4, 33, 3)),
            (2, (4, 5, 33)),
        ):
            yield case(
                "GatherV2",
                lambda x, i, a=axis: tf.gather(x, i, axis=a),
                _values(shape, dtype),
                picked,
            )
        yield case(
            "GatherV2 batch",
            lambda x, i: tf.gather(x, i, batch_dims=1, axis=1),
            _values((4, 33, 3), dtype),
            (random.randint(0, 33, (4, 5)), index),
        )
        yield case(
            "GatherV2 of nothing",
            tf.gather,
            _values((33, 31), dtype),
            (np.zeros((0,)), index),
        )
        yield case(
            "GatherNd",
            tf.gather_nd,
            _values((9, 31, 5), dtype),
            (random.randint(0, 9, (257, 2)), index),
        )
        yield case(
            "GatherNd",
            tf.gather_nd,
            _values((9, 31), dtype),
            (random.randint(0, 9, (33, 2)), index),
        )
        for axis in (-1, 0, 1):
            yield case(
                "OneHot",
                lambda i, on, off, a=axis: tf.one_hot(i, 7, on, off, a),
                (random.randint(-1, 8, (33, 5)), index),
                _values((), dtype, 1),
                _values((), dtype, 2),
            )


def _scatter_cases() -> Iterator[Case]:
    for dtype in (*FLOATS, "int32", "int64"):
        for index in ("int32", "int64"):
            random = np.random.RandomState(11)
            places = (random.randint(0, 9, (257, 1)), index)
            pairs = (random.randint(0, 5, (33, 2)), index)
            small = random.randint(0, 4, (257, 7)), dtype
            yield Case(
                "ScatterNd",
                dtype,
                lambda i, u: tf.scatter_nd(i, u, [9, 7]),
                [places, small],
            )
            yield Case(
                "ScatterNd",
                dtype,
                lambda i, u: tf.scatter_nd(i, u, [5, 6]),
                [pairs, (random.randint(0, 4, 33), dtype)],
            )
            ids = (random.randint(-1, 5, 257), index)
            yield Case(
                "UnsortedSegmentSum",
                dtype,
                lambda u, i: tf.unsorted_segment_sum(u, i, 6),
                [small, ids],
            )
            yield Case(
                "UnsortedSegmentMax",
                dtype,
                lambda u, i: tf.unsorted_segment_max(u, i, 6),
                [small, ids],
            )
            yield Case(
                "UnsortedSegmentMin",
                dtype,
                lambda u, i: tf.unsorted_segment_min(u, i, 6),
                [small, ids],
            )
            ones = (random.randint(1, 2, (257, 7)), dtype)
            yield Case(
                "UnsortedSegmentProd",
                dtype,
                lambda u, i: tf.unsorted_segment_prod(u, i, 6),
                [ones, ids],
            )
            base = _values((9, 7), dtype)
            for op in (
                "TensorScatterAdd",
                "TensorScatterSub",
                "TensorScatterMin",
                "TensorScatterMax",
            ):
                yield Case(
                    op,
                    dtype,
                    lambda t, i, u, o=op: getattr(tf.raw_ops, o)(
                        tensor=t, indices=i, updates=u
                    ),
                    [base, places, small],
                    slack=4,
                )
            once = (np.array([[3], [1], [8]]), index)
            yield Case(
                "TensorScatterUpdate",
                dtype,
                lambda t, i, u: tf.raw_ops.TensorScatterUpdate(
                    tensor=t, indices=i, updates=u
                ),
                [base, once, _values((3, 7), dtype, 2)],
                exact=True,
            )


def cases() -> Iterator[Case]:
    """Yields the cases of this family."""
    for dtype in _DTYPES:
        yield from _move_cases(dtype)
        yield from _index_cases(dtype)
    yield from _scatter_cases()
    for size in SIZES:
        yield Case(
            "ConcatV2",
            "float32",
            lambda x, y: tf.concat([x, y], 0),
            [_values(size), _values(size, seed=2)],
            exact=True,
        )
    yield Case("Transpose", "float32", tf.transpose, [_values((300, 301))], exact=True)
    yield Case(
        "StridedSliceGrad",
        "float32",
        lambda x: tf.gradients(x[1:30:3, ::-2] * 3.0, x)[0],
        [_values((33, 31))],
        exact=True,
    )
