# SPDX-License-Identifier: Apache-2.0
"""Graphs around barriers and accumulators: they hold something before the op, and its effect is read after it.

A barrier is closed before anything is taken out, and of an accumulator no more gradients are asked for than it has:
nothing waits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.scenarios import _counted, scenario

# Tuples that a barrier has whole, vectors of _WIDTH.
TUPLES = 4
_WIDTH = 2
# Gradients that an accumulator has when it is asked.
GRADIENTS = 2
# Larger shapes are not filled.
_LARGEST = 1 << 12


# Barriers. ---------------------------------------------------------------------------------------------------


def _barrier(b: Any, types: list[int], shapes: list[list[int]]) -> None:
    barrier = b.node("Barrier", "barrier", [])
    barrier.attr["component_types"].list.type.extend(types)
    for shape in shapes:
        proto = barrier.attr["shapes"].list.shape.add()
        proto.SetInParent()
        for size in shape:
            proto.dim.add(size=size)


def _insert(
    b: Any, name: str, index: int, enum: int, keys: str, rows: Any, after: list[str]
) -> None:
    b.constant(f"{name}_rows", rows, enum)
    node = b.node("BarrierInsertMany", name, ["barrier", keys, f"{name}_rows", *after])
    node.attr["T"].type = enum
    node.attr["component_index"].i = index


def _filled(b: Any, types: list[int], more: bool) -> str:
    """Makes a barrier of TUPLES tuples, and of a part of one if `more`; returns the last node's name.

    The keys come one after the other: tuples that come at once are in no order.
    """
    _barrier(b, types, [[_WIDTH]] * len(types))
    last, n = "barrier", TUPLES + (more and len(types) > 1)
    for place in range(n):
        key = f"key{place}"
        b.constant(key, np.array([b"%d" % place], object), sig.STRING)
        for i, enum in enumerate(types if place < TUPLES else types[:1]):
            rows = _counted(i + place * _WIDTH, _WIDTH, enum).reshape(1, _WIDTH)
            name = f"insert{place}_{i}"
            _insert(b, name, i, enum, key, rows, [f"^{last}"])
            last = name
    return last


def _sizes(b: Any, after: str) -> list[str]:
    for what in ("Ready", "Incomplete"):
        b.node(f"Barrier{what}Size", what.lower(), ["barrier", f"^{after}"])
    return ["ready:0", "incomplete:0"]


@scenario("Barrier")
def _new_barrier(b: Any, inputs: list[str]) -> list[str]:
    """It is empty."""
    b.op(inputs)
    b.node("BarrierReadySize", "ready", ["op"])
    b.node("BarrierIncompleteSize", "incomplete", ["op"])
    return ["ready:0", "incomplete:0"]


@scenario("BarrierInsertMany")
def _insert_many(b: Any, inputs: list[str]) -> list[str]:
    """The other component, a row's number, comes after the op's; then all tuples are taken out.

    Tuples that come at once are in no order: they are sorted by that number.
    """
    index, keys, values = b.case.attrs["component_index"], *b.case.inputs[1:]
    types, shapes = [sig.FLOAT, sig.FLOAT], [[], []]
    own = index if 0 <= index < 2 else 0
    types[own], shapes[own] = b.case.attrs["T"], list(values.shape[1:])
    _barrier(b, types, shapes)
    b.op(["barrier", *inputs[1:]])
    n, other = keys.size, 1 - own
    # Numbered from the last, as they are sorted from the largest.
    numbers = np.arange(n, 0, -1, dtype=np.float32)
    _insert(b, "other", other, sig.FLOAT, inputs[1], numbers, ["^op"])
    sizes = _sizes(b, "other")
    b.constant("n", np.int32(n), sig.INT32)
    take = b.node("BarrierTakeMany", "take", ["barrier", "n", "^ready", "^incomplete"])
    take.attr["component_types"].list.type.extend(types)
    order = b.node("TopKV2", "order", [f"take:{2 + other}", "n"])
    order.attr["T"].type = sig.FLOAT
    for i, enum in ((1, sig.STRING), (2, types[0]), (3, types[1])):
        sort = b.node("Gather", f"sorted{i}", [f"take:{i}", "order:1"])
        sort.attr["Tparams"].type, sort.attr["Tindices"].type = enum, sig.INT32
    return [*sizes, "take:0", "sorted1:0", "sorted2:0", "sorted3:0"]


@scenario("BarrierTakeMany")
def _take_many(b: Any, inputs: list[str]) -> list[str]:
    types = list(b.case.attrs["component_types"])
    # If the op waits for incomplete tuples, all must be complete.
    filled = _filled(b, types, not b.case.attrs["wait_for_incomplete"])
    b.node("BarrierClose", "close", ["barrier", f"^{filled}"])
    b.op(["barrier", *inputs[1:], "^close"])
    return [f"op:{i}" for i in range(2 + len(types))] + _sizes(b, "op")


@scenario("BarrierClose", "BarrierReadySize", "BarrierIncompleteSize")
def _ask_barrier(b: Any, inputs: list[str]) -> list[str]:
    filled = _filled(b, [sig.FLOAT, sig.STRING], True)
    b.op(["barrier", *inputs[1:], f"^{filled}"])
    return _sizes(b, "op") if b.sig.name == "BarrierClose" else ["op:0"]


# Accumulators. -----------------------------------------------------------------------------------------------


def _shape_attr(attr: Any, shape: list[int] | None) -> None:
    attr.shape.SetInParent()
    if shape is None:
        attr.shape.unknown_rank = True
        return
    for size in shape:
        attr.shape.dim.add(size=size)


def _accumulator(b: Any, enum: int, shape: list[int] | None, sparse: bool) -> str:
    """Makes an accumulator at its first step, in each run; returns the last node's name."""
    kind = "SparseConditionalAccumulator" if sparse else "ConditionalAccumulator"
    node = b.node(kind, "accumulator", [])
    node.attr["dtype"].type = enum
    _shape_attr(node.attr["shape"], shape)
    b.constant("first_step", np.int64(0), sig.INT64)
    b.node("AccumulatorSetGlobalStep", "begin", ["accumulator", "first_step"])
    return "^begin"


def _apply(
    b: Any, name: str, handle: str, step: int, gradient: list[str], enum: int,
    after: list[str],
) -> None:  # fmt: skip
    """Applies a gradient, of three parts if it is sparse."""
    b.constant(f"{name}_step", np.int64(step), sig.INT64)
    sparse = len(gradient) > 1
    node = b.node(
        f"{'Sparse' if sparse else ''}AccumulatorApplyGradient",
        name,
        [handle, f"{name}_step", *gradient, *after],
    )
    node.attr["dtype"].type = enum
    if sparse:
        node.attr["has_known_shape"].b = True


def _take(b: Any, handle: str, enum: int, n: int, sparse: bool, after: str):
    """How many gradients there are, and then their mean."""
    b.node("AccumulatorNumAccumulated", "number", [handle, f"^{after}"])
    b.constant("required", np.int32(n), sig.INT32)
    kind = f"{'Sparse' if sparse else ''}AccumulatorTakeGradient"
    take = b.node(kind, "take", [handle, "required", "^number"])
    take.attr["dtype"].type = enum
    return ["number:0", *(f"take:{i}" for i in range(3 if sparse else 1))]


def _dense(b: Any, name: str, enum: int, shape: list[int], start: int) -> list[str]:
    size = int(np.prod(shape))
    b.constant(name, _counted(start, size, enum).reshape(shape), enum)
    return [name]


def _rows(b: Any, name: str, enum: int, rows: list[int], start: int) -> list[str]:
    """Rows of a matrix [4, 2]."""
    b.constant(f"{name}_rows", np.array(rows, np.int64), sig.INT64)
    values = _counted(start, 2 * len(rows), enum).reshape(len(rows), 2)
    b.constant(f"{name}_values", values, enum)
    b.constant(f"{name}_shape", np.array([4, 2], np.int64), sig.INT64)
    return [f"{name}_rows", f"{name}_values", f"{name}_shape"]


def _two(
    b: Any, handle: str, enum: int, shape: list[int] | None, before: str = ""
) -> str:
    """Applies GRADIENTS gradients of a shape, of rows if there is none; returns the last node's name."""
    for i, rows in enumerate(([0, 2], [1, 2, 3])):
        name = f"gradient{i}"
        gradient = (
            _rows(b, name, enum, rows, 3 * i + 1)
            if shape is None
            else _dense(b, name, enum, shape, 3 * i + 1)
        )
        after = [f"^apply{i - 1}"] if i else [before] * bool(before)
        _apply(b, f"apply{i}", handle, 0, gradient, enum, after)
    return "apply1"


@scenario("ConditionalAccumulator", "SparseConditionalAccumulator")
def _new_accumulator(b: Any, inputs: list[str]) -> list[str]:
    """Two gradients are put in, and taken out."""
    b.op(inputs)
    enum, shape = b.case.attrs["dtype"], b.case.attrs["shape"]
    sparse = b.sig.name.startswith("Sparse")
    if not shape or min(shape) < 0 or np.prod(shape, dtype=float) > _LARGEST:
        shape = []
    last = _two(b, "op", enum, None if sparse else list(shape))
    return _take(b, "op", enum, GRADIENTS, sparse, last)


@scenario("AccumulatorApplyGradient", "SparseAccumulatorApplyGradient")
def _apply_gradient(b: Any, inputs: list[str]) -> list[str]:
    """The gradient is applied once more before: it counts, however old the op's is."""
    enum, sparse = b.case.attrs["dtype"], b.sig.name.startswith("Sparse")
    shape = None if sparse else list(b.case.inputs[2].shape)
    begin = _accumulator(b, enum, shape, sparse)
    n = 3 if sparse else 1
    after = [*inputs[2 + n :], begin]
    _apply(b, "before", "accumulator", 0, inputs[2 : 2 + n], enum, after)
    if sparse:
        before = next(node for node in b.definition.node if node.name == "before")
        before.attr["has_known_shape"].b = b.case.attrs["has_known_shape"]
    b.op(["accumulator", *inputs[1:], "^before"])
    return _take(b, "accumulator", enum, 1, sparse, "op")


@scenario("AccumulatorTakeGradient", "SparseAccumulatorTakeGradient")
def _take_gradient(b: Any, inputs: list[str]) -> list[str]:
    enum, sparse = b.case.attrs["dtype"], b.sig.name.startswith("Sparse")
    begin = _accumulator(b, enum, [4, 2], sparse)
    last = _two(b, "accumulator", enum, None if sparse else [4, 2], begin)
    b.constant("most", np.int32(GRADIENTS), sig.INT32)
    b.node("Minimum", "wanted", [inputs[1], "most"]).attr["T"].type = sig.INT32
    b.op(["accumulator", "wanted", *inputs[2:], f"^{last}"])
    b.node("AccumulatorNumAccumulated", "number", ["accumulator", "^op"])
    return [f"op:{i}" for i in range(3 if sparse else 1)] + ["number:0"]


@scenario("AccumulatorNumAccumulated", "AccumulatorSetGlobalStep")
def _ask_accumulator(b: Any, inputs: list[str]) -> list[str]:
    """After a new step a gradient of the first one may be too old."""
    begin = _accumulator(b, sig.FLOAT, [4, 2], False)
    last = _two(b, "accumulator", sig.FLOAT, [4, 2], begin)
    b.op(["accumulator", *inputs[1:], f"^{last}"])
    if b.sig.name == "AccumulatorNumAccumulated":
        return ["op:0"]
    gradient = _dense(b, "later", sig.FLOAT, [4, 2], 9)
    _apply(b, "apply_later", "accumulator", 1, gradient, sig.FLOAT, ["^op"])
    return _take(b, "accumulator", sig.FLOAT, GRADIENTS, False, "apply_later")
