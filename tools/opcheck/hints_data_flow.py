# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of queues, tables and what else keeps data between runs; see draws.hint, and scenarios_data_flow.py for
the graphs around them."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import (
    allowed,
    scenarios_data_flow as scenarios,
    signature as sig,
)
from tensorwright.tools.opcheck.draws import Drawer, hint

_BOTH = ("", "V2")
_VALUES = (sig.STRING, sig.FLOAT, sig.DOUBLE, sig.INT32, sig.INT64)


def _handle(d: Drawer):
    """Stands where a scenario puts a handle."""
    return d.values(d.types_of(0), [], "normal")


# Queues. -----------------------------------------------------------------------------------------------------


def _no_names(d: Drawer) -> None:
    for name in ("container", "shared_name"):
        if name in d.attrs:
            d.attrs[name] = ""


@hint(
    *(f"{kind}Queue{v}" for kind in ("FIFO", "PaddingFIFO", "RandomShuffle") for v in _BOTH),
    *(f"PriorityQueue{v}" for v in _BOTH),
)  # fmt: skip
def _queue(d: Drawer):
    if not d["component_types"]:
        d.attrs["component_types"] = [sig.FLOAT]
    d.attrs["shapes"] = [d.shape() for _ in d["component_types"]]
    d.attrs["capacity"] = d.int(3, 9)
    if "min_after_dequeue" in d.attrs:
        d.attrs["min_after_dequeue"] = d.int(0, 2)
    _no_names(d)
    return []


@hint(*(f"QueueEnqueue{v}" for v in _BOTH))
def _enqueue(d: Drawer):
    d.attrs["timeout_ms"] = -1
    shapes = [d.shape() for _ in d["Tcomponents"]]
    return [_handle(d), [d.values(t, s) for t, s in zip(d["Tcomponents"], shapes)]]


@hint(*(f"QueueEnqueueMany{v}" for v in _BOTH))
def _enqueue_many(d: Drawer):
    d.attrs["timeout_ms"] = -1
    rows = d.int(1, 4)
    shapes = [[rows, *d.shape(high=3)] for _ in d["Tcomponents"]]
    return [_handle(d), [d.values(t, s) for t, s in zip(d["Tcomponents"], shapes)]]


@hint(*(f"QueueDequeue{v}" for v in _BOTH))
def _dequeue(d: Drawer):
    d.attrs["timeout_ms"] = -1
    return [_handle(d)]


@hint(*(f"QueueDequeue{n}{v}" for n in ("Many", "UpTo") for v in _BOTH))
def _dequeue_many(d: Drawer):
    d.attrs["timeout_ms"] = -1
    most = scenarios.ELEMENTS + (2 if "UpTo" in d.sig.name else 0)
    return [_handle(d), d.array(sig.INT32, d.int(0, most))]


@hint(
    *(f"Queue{n}{v}" for n in ("Close", "IsClosed", "Size") for v in _BOTH), "FakeQueue"
)
def _ask(d: Drawer):
    return [_handle(d)]


# Tables. -----------------------------------------------------------------------------------------------------


_KEYS = (sig.STRING, sig.INT64, sig.INT32)


def _pair(d: Drawer, key: str, value: str) -> None:
    """Draws a pair of dtypes for which tables exist."""
    if d.attrs[key] not in _KEYS:
        d.attrs[key] = d.pick(_KEYS)
    values = _VALUES if d.attrs[key] == sig.INT32 else (*_VALUES, sig.BOOL)
    if d.attrs[value] not in values:
        d.attrs[value] = d.pick(values)


def _allow_no_other(ops: list[str], key: str, value: str) -> None:
    for enum in sig.ALL_TYPES:
        name = sig.type_name(enum)
        if enum not in _KEYS:
            why = "there are no tables with such keys"
            allowed.allow(allowed.DTYPE, ops, why, of=f"{key}={name}")
        if enum not in (*_VALUES, sig.BOOL):
            why = "there are no tables with such values"
            allowed.allow(allowed.DTYPE, ops, why, of=f"{value}={name}")


@hint(*(f"{kind}{v}" for kind in ("HashTable", "MutableHashTable") for v in _BOTH))
def _table(d: Drawer):
    _no_names(d)
    return []


@hint(*(f"MutableHashTableOfTensors{v}" for v in _BOTH))
def _table_of_tensors(d: Drawer):
    _no_names(d)
    d.attrs["value_shape"] = [d.int(0, 4)]
    return []


@hint(*(f"MutableDenseHashTable{v}" for v in _BOTH))
def _dense_table(d: Drawer):
    _no_names(d)
    d.attrs["value_shape"] = [d.int(0, 4)] if d.chance(0.5) else []
    d.attrs["initial_num_buckets"] = 1 << d.int(0, 9)
    d.attrs["max_load_factor"] = float(d.rng.uniform(0.1, 0.9))
    return [d.values("key_dtype", [] if d.chance(0.5) else [d.int(1, 3)])]


@hint(*(f"LookupTable{n}{v}" for n in ("Find", "Insert", "Import") for v in _BOTH))
def _table_user(d: Drawer):
    _pair(d, "Tin", "Tout")
    keys = d.values("Tin", d.shape() if "Import" not in d.sig.name else [d.int(0, 9)])
    values = [] if "Find" in d.sig.name else np.shape(keys)
    return [_handle(d), keys, d.values("Tout", values)]


@hint(*(f"LookupTable{n}{v}" for n in ("Size", "Export") for v in _BOTH))
def _table_asker(d: Drawer):
    if "Tkeys" in d.attrs:
        _pair(d, "Tkeys", "Tvalues")
    return [_handle(d)]


@hint(*(f"InitializeTable{v}" for v in _BOTH))
def _initialize(d: Drawer):
    _pair(d, "Tkey", "Tval")
    n = d.int(1, 9)
    keys = np.array([b"%d" % i for i in range(n)], object)
    if d["Tkey"] != sig.STRING:
        keys = d.array("Tkey", np.arange(n))
    return [_handle(d), keys, d.values("Tval", [n])]


_allow_no_other(
    [f"LookupTable{n}{v}" for n in ("Find", "Insert", "Import") for v in _BOTH],
    "Tin",
    "Tout",
)
_allow_no_other([f"LookupTableExport{v}" for v in _BOTH], "Tkeys", "Tvalues")
_allow_no_other([f"InitializeTable{v}" for v in _BOTH], "Tkey", "Tval")
_QUEUES = [
    f"{k}Queue{v}"
    for k in ("FIFO", "PaddingFIFO", "RandomShuffle", "Priority")
    for v in _BOTH
]
_TABLES = [
    f"{k}{v}"
    for k in (
        "HashTable",
        "MutableHashTable",
        "MutableHashTableOfTensors",
        "MutableDenseHashTable",
    )
    for v in _BOTH
]
allowed.allow(allowed.THREADS, [*_QUEUES, *_TABLES, "FakeQueue"], "makes a handle")
allowed.allow(
    allowed.THREADS,
    [
        f"Queue{n}{v}"
        for n in ("Close", "IsClosed", "Size", "Dequeue", "DequeueMany", "DequeueUpTo")
        for v in _BOTH
    ],
    "hands over what it has",
)
allowed.allow(
    allowed.THREADS,
    [f"LookupTable{n}{v}" for n in ("Size", "Export") for v in _BOTH],
    "hands over what it has",
)
allowed.allow(
    allowed.SHAPE,
    [f"LookupTable{n}{v}" for n in ("Find", "Export") for v in _BOTH],
    "its handle does not say what is in it",
)
allowed.allow(
    allowed.THREADS,
    [f"{n}{v}" for n in ("InitializeTable", "LookupTableImport") for v in _BOTH],
    "one thread fills a table",
)


# Strings. ----------------------------------------------------------------------------------------------------


@hint("StringToHashBucketStrong")
def _strong(d: Drawer):
    d.attrs["num_buckets"] = d.int(1, 1 << 30)
    d.attrs["key"] = [d.int(0, 1 << 30), d.int(0, 1 << 30)]
    return [d.values(sig.STRING, d.shape())]


@hint("AsString")
def _as_string(d: Drawer):
    real = d["T"] in (*sig.FLOATS, *sig.COMPLEXES)
    d.attrs["precision"] = d.int(-1, 9) if real else -1
    d.attrs["scientific"] = real and d.chance(0.3)
    d.attrs["shortest"] = real and not d["scientific"] and d.chance(0.4)
    d.attrs["width"] = d.int(-1, 20)
    d.attrs["fill"] = d.pick(["", "0", "-", "+", " "])
    return [d.values("T", d.shape())]
