# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of staging areas, barriers and accumulators; see draws.hint, and scenarios_staging.py and
scenarios_accumulators.py for the graphs around them."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import (
    allowed,
    scenarios_accumulators as accumulators,
    scenarios_staging as staging,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Drawer, hint

_ORDERS = ("", "Ordered")


def _handle(d: Drawer):
    """Stands where a scenario puts a handle."""
    return d.values(d.types_of(0), [], "normal")


def _draw_area(d: Drawer) -> None:
    d.attrs["capacity"] = d.pick([0, 0, 3])
    d.attrs["memory_limit"] = d.pick([0, 0, 1 << 30])
    d.attrs["container"], d.attrs["shared_name"] = "", "area"
    d.attrs["dtypes"] = d["dtypes"] or [sig.FLOAT]


# Staging areas. ----------------------------------------------------------------------------------------------


@hint("Stage")
def _stage(d: Drawer):
    _draw_area(d)
    return [[d.values(t, d.shape()) for t in d["dtypes"]]]


@hint("Unstage", "StageSize", "StageClear")
def _unstage(d: Drawer):
    _draw_area(d)
    return []


@hint("StagePeek")
def _stage_peek(d: Drawer):
    _draw_area(d)
    return [d.array(sig.INT32, d.int(0, 1))]


def _some(d: Drawer, n: int, of: int) -> np.ndarray:
    """Places of n components, in order."""
    return np.sort(d.rng.permutation(of)[:n]).astype(np.int32)


@hint(*(f"{order}MapStage" for order in _ORDERS))
def _map_stage(d: Drawer):
    """Puts in those of fake_dtypes; the tuple has others besides."""
    others, given = d["dtypes"], d["fake_dtypes"]
    places = _some(d, len(given), len(given) + len(others))
    left, mine = iter(others), iter(given)
    d.attrs["dtypes"] = [
        next(mine if i in places else left) for i in range(len(given) + len(others))
    ]
    _draw_area(d)
    values = [d.values(t, d.shape()) for t in given]
    return [d.array(sig.INT64, d.int(-9, 9)), places, values]


@hint(*(f"{order}Map{n}" for order in _ORDERS for n in ("Peek", "Unstage")))
def _map_take(d: Drawer):
    _draw_area(d)
    places = _some(d, len(d["dtypes"]), staging.COMPONENTS)
    return [d.array(sig.INT64, d.int(-9, 9)), places]


@hint(*(f"{order}MapUnstageNoKey" for order in _ORDERS))
def _map_take_any(d: Drawer):
    _draw_area(d)
    return [_some(d, len(d["dtypes"]), staging.COMPONENTS)]


@hint(
    *(
        f"{order}Map{n}"
        for order in _ORDERS
        for n in ("Size", "IncompleteSize", "Clear")
    )
)
def _map_ask(d: Drawer):
    _draw_area(d)
    return []


# Barriers. ---------------------------------------------------------------------------------------------------


@hint("Barrier")
def _barrier(d: Drawer):
    d.attrs["shapes"] = [d.shape(min_dim=1) for _ in d["component_types"]]
    d.attrs["capacity"] = -1
    d.attrs["container"] = d.attrs["shared_name"] = ""
    return []


@hint("BarrierInsertMany")
def _insert_many(d: Drawer):
    d.attrs["component_index"] = d.int(0, 1)
    n = d.int(1, 9)
    keys = np.array([b"%d" % i for i in d.rng.permutation(n)], object)
    return [_handle(d), keys, d.values("T", [n, *d.shape(high=3)])]


@hint("BarrierTakeMany")
def _take_many(d: Drawer):
    d.attrs["timeout_ms"] = -1
    more = 2 if d["allow_small_batch"] else 0
    n = d.int(1, accumulators.TUPLES + more)
    return [_handle(d), d.array(sig.INT32, n)]


@hint(
    "BarrierClose", "BarrierReadySize", "BarrierIncompleteSize", "AccumulatorNumAccumulated",
)  # fmt: skip
def _ask(d: Drawer):
    return [_handle(d)]


# Accumulators. -----------------------------------------------------------------------------------------------


# The dtypes of accumulators.
_NUMBERS = (sig.HALF, sig.FLOAT, sig.DOUBLE)
_USERS = [
    f"{kind}Accumulator{n}"
    for kind in ("", "Sparse")
    for n in ("ApplyGradient", "TakeGradient")
]
for _enum in sig.Signature(_USERS[0]).allowed_types("dtype"):
    if _enum not in _NUMBERS:
        why = "there are no accumulators of such numbers"
        allowed.allow(allowed.DTYPE, _USERS, why, of=f"dtype={sig.type_name(_enum)}")


def _draw_numbers(d: Drawer) -> None:
    if d["dtype"] not in _NUMBERS:
        d.attrs["dtype"] = d.pick(_NUMBERS)


@hint("ConditionalAccumulator", "SparseConditionalAccumulator")
def _accumulator(d: Drawer):
    d.attrs["container"] = d.attrs["shared_name"] = ""
    d.attrs["shape"] = d.shape(min_dim=1)
    if d.sig.name.startswith("Sparse"):
        d.attrs["shape"] = d.pick([[4, 2], None])
    return []


def _step(d: Drawer) -> np.ndarray:
    return d.array(sig.INT64, d.int(-1, 2))


@hint("AccumulatorApplyGradient")
def _apply(d: Drawer):
    _draw_numbers(d)
    return [_handle(d), _step(d), d.values("dtype", d.shape())]


@hint("SparseAccumulatorApplyGradient")
def _apply_rows(d: Drawer):
    _draw_numbers(d)
    shape = [d.int(1, 9), *d.shape(high=2, min_dim=1)]
    if d.big:
        shape = [1_000, 100]
    n = d.int(0, shape[0]) if not d.large else shape[0] // 2
    rows = np.sort(d.rng.permutation(shape[0])[:n]).astype(np.int64)
    known = d["has_known_shape"]
    values = d.values("dtype", [n, *shape[1:]])
    return [_handle(d), _step(d), rows, values, np.array(shape * known, np.int64)]


@hint("AccumulatorTakeGradient", "SparseAccumulatorTakeGradient")
def _take(d: Drawer):
    _draw_numbers(d)
    return [_handle(d), d.array(sig.INT32, d.int(1, accumulators.GRADIENTS))]


@hint("AccumulatorSetGlobalStep")
def _set_step(d: Drawer):
    return [_handle(d), d.array(sig.INT64, d.int(0, 3))]


# Exemptions. -------------------------------------------------------------------------------------------------

_MAPS = [
    f"{order}Map{n}"
    for order in _ORDERS
    for n in ("Peek", "Unstage", "UnstageNoKey", "Size", "IncompleteSize", "Clear")
]
_TAKES_NOTHING = "hands over what it has"
allowed.allow(
    allowed.THREADS,
    ["Unstage", "StagePeek", "StageSize", "StageClear", *_MAPS],
    _TAKES_NOTHING,
)
allowed.allow(
    allowed.THREADS,
    [f"Barrier{n}" for n in ("TakeMany", "Close", "ReadySize", "IncompleteSize")],
    _TAKES_NOTHING,
)
allowed.allow(
    allowed.THREADS,
    ["Barrier", "ConditionalAccumulator", "SparseConditionalAccumulator"],
    "makes a handle",
)
allowed.allow(
    allowed.THREADS,
    [
        *("AccumulatorNumAccumulated", "AccumulatorSetGlobalStep"),
        *("AccumulatorTakeGradient", "SparseAccumulatorTakeGradient"),
    ],
    _TAKES_NOTHING,
)
