# SPDX-License-Identifier: Apache-2.0
"""Graphs around queues and tables: they hold something before the op, and its effect is read after it.

A queue is closed before anything is taken out: a request for too much fails instead of waiting.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.scenarios import _counted, _plain, scenario

# So many are in a queue that is taken from, vectors of two.
ELEMENTS = 4
_BOTH = ("", "V2")


def _version(b: Any) -> str:
    return "V2" if b.sig.name.endswith("V2") else ""


def _queue(b: Any, types: list[int], shapes: list[list[int]]) -> str:
    queue = b.node(f"FIFOQueue{_version(b)}", "queue", [])
    queue.attr["component_types"].list.type.extend(types)
    queue.attr["shapes"].list.SetInParent()
    for shape in shapes:
        proto = queue.attr["shapes"].list.shape.add()
        proto.SetInParent()
        for size in shape:
            proto.dim.add(size=size)
    queue.attr["capacity"].i = 1000
    return "queue"


def _filled(b: Any, types: list[int]) -> str:
    """Makes a queue of ELEMENTS elements; returns the name of the last enqueue."""
    queue = _queue(b, types, [[2]] * len(types))
    names = []
    for i, enum in enumerate(types):
        content = _counted(i, 2 * ELEMENTS, enum).reshape(ELEMENTS, 2)
        b.constant(f"rows{i}", content, enum)
        names.append(f"rows{i}")
    put = b.node(f"QueueEnqueueMany{_version(b)}", "put", [queue, *names])
    put.attr["Tcomponents"].list.type.extend(types)
    return "put"


def _close(b: Any, after: str) -> str:
    b.node(f"QueueClose{_version(b)}", "close", ["queue", f"^{after}"])
    return "close"


@scenario(*(f"QueueEnqueue{n}{v}" for n in ("", "Many") for v in _BOTH))
def _enqueue(b: Any, inputs: list[str]) -> list[str]:
    """Takes out the element that the op has put in."""
    types = list(b.case.attrs["Tcomponents"])
    b.op([_queue(b, types, []), *inputs[1:]])
    take = b.node(
        f"QueueDequeue{_version(b)}", "take", ["queue", f"^{_close(b, 'op')}"]
    )
    take.attr["component_types"].list.type.extend(types)
    b.node(f"QueueSize{_version(b)}", "size", ["queue", "^take"])
    return [f"take:{i}" for i in range(len(types))] + ["size:0"]


@scenario(*(f"QueueDequeue{n}{v}" for n in ("", "Many", "UpTo") for v in _BOTH))
def _dequeue(b: Any, inputs: list[str]) -> list[str]:
    types = list(b.case.attrs["component_types"])
    before = f"^{_close(b, _filled(b, types))}"
    b.op(["queue", *inputs[1:], before])
    b.node(f"QueueSize{_version(b)}", "size", ["queue", "^op"])
    return [f"op:{i}" for i in range(len(types))] + ["size:0"]


@scenario(*(f"Queue{n}{v}" for n in ("Close", "IsClosed", "Size") for v in _BOTH))
def _ask(b: Any, inputs: list[str]) -> list[str]:
    put = _filled(b, [sig.FLOAT, sig.STRING])
    if not b.sig.name.startswith("QueueClose"):
        b.op(["queue", *inputs[1:], f"^{put}"])
        return ["op:0"]
    b.op(["queue", *inputs[1:], f"^{put}"])
    b.node(f"QueueIsClosed{_version(b)}", "closed", ["queue", "^op"])
    return ["closed:0"]


@scenario("FakeQueue")
def _fake(b: Any, inputs: list[str]) -> list[str]:
    queue = b.node("FIFOQueueV2", "queue", [])
    queue.attr["component_types"].list.type.append(sig.FLOAT)
    b.op(["queue", *inputs[1:]])
    b.node("QueueSize", "size", ["op"])
    return ["size:0"]


@scenario(
    *(
        f"{kind}{v}"
        for kind in (
            "FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue", "PriorityQueue",
            "HashTable", "MutableHashTable", "MutableHashTableOfTensors",
            "MutableDenseHashTable",
        )
        for v in _BOTH
    )
)  # fmt: skip
def _maker(b: Any, inputs: list[str]) -> list[str]:
    """Takes the size of the new queue or table, whose handle the op returns: it is empty."""
    b.op(inputs)
    size = "QueueSize" if "Queue" in b.sig.name else "LookupTableSize"
    b.node(f"{size}{_version(b)}", "size", ["op"])
    return ["size:0"]


def _table(b: Any, kind: str, key: int, value: int) -> str:
    table = b.node(f"{kind}{_version(b)}", "table", [])
    table.attr["key_dtype"].type = key
    table.attr["value_dtype"].type = value
    return "table"


def _insert(b: Any, key: int, value: int) -> str:
    """Three entries in the table."""
    b.constant("keys", _counted(0, 3, key), key)
    b.constant("values", _counted(5, 3, value), value)
    insert = b.node(
        f"LookupTableInsert{_version(b)}", "insert", ["table", "keys", "values"]
    )
    insert.attr["Tin"].type, insert.attr["Tout"].type = key, value
    return "insert"


@scenario(*(f"LookupTable{n}{v}" for n in ("Find", "Insert", "Import") for v in _BOTH))
def _table_user(b: Any, inputs: list[str]) -> list[str]:
    """Looks up the elements that were put in."""
    key, value = b.case.attrs["Tin"], b.case.attrs["Tout"]
    table = _table(b, "MutableHashTable", key, value)
    before = f"^{_insert(b, key, value)}"
    b.op([table, *inputs[1:], before])
    if b.sig.name.startswith("LookupTableFind"):
        return ["op:0"]
    b.constant("default", _plain([], value), value)
    find = b.node(
        f"LookupTableFind{_version(b)}", "find", [table, "keys", "default", "^op"]
    )
    find.attr["Tin"].type, find.attr["Tout"].type = key, value
    return ["find:0"]


@scenario(*(f"InitializeTable{v}" for v in _BOTH))
def _initialize(b: Any, inputs: list[str]) -> list[str]:
    key, value = b.case.attrs["Tkey"], b.case.attrs["Tval"]
    table = _table(b, "HashTable", key, value)
    b.op([table, *inputs[1:]])
    b.constant("default", _plain([], value), value)
    b.constant("asked", _counted(0, 3, key), key)
    find = b.node(
        f"LookupTableFind{_version(b)}", "find", [table, "asked", "default", "^op"]
    )
    find.attr["Tin"].type, find.attr["Tout"].type = key, value
    return ["find:0"]


@scenario(*(f"LookupTable{n}{v}" for n in ("Size", "Export") for v in _BOTH))
def _table_asker(b: Any, inputs: list[str]) -> list[str]:
    key, value = sig.INT64, sig.FLOAT
    if b.sig.name.startswith("LookupTableExport"):
        key, value = b.case.attrs["Tkeys"], b.case.attrs["Tvalues"]
    table = _table(b, "MutableHashTable", key, value)
    b.constant("one", _counted(0, 1, key), key)
    b.constant("its_value", _counted(5, 1, value), value)
    insert = b.node(
        f"LookupTableInsert{_version(b)}", "insert", [table, "one", "its_value"]
    )
    insert.attr["Tin"].type, insert.attr["Tout"].type = key, value
    b.op([table, *inputs[1:], "^insert"])
    return [f"op:{i}" for i in range(len(b.sig.outputs))]


@scenario("TakeManySparseFromTensorsMap")
def _take_from_map(b: Any, inputs: list[str]) -> list[str]:
    """Takes from a map of four rows, of which row i has i + 1 elements.  TensorFlow numbers empty rows last."""
    enum = b.case.attrs["dtype"]
    counts = [1, 2, 3, 4]
    rows = [(row, place) for row, n in enumerate(counts) for place in range(n)]
    b.constant("rows", np.array(rows, np.int64), sig.INT64)
    b.constant("elements", _counted(0, len(rows), enum), enum)
    b.constant("sizes", np.array([len(counts), 4], np.int64), sig.INT64)
    add = b.node("AddManySparseToTensorsMap", "add", ["rows", "elements", "sizes"])
    add.attr["T"].type = enum
    name = b.case.attrs["shared_name"]
    add.attr["shared_name"].s = name if isinstance(name, bytes) else name.encode()
    b.op([*inputs, "^add"])
    return ["op:0", "op:1", "op:2"]
