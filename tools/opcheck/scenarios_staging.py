# SPDX-License-Identifier: Apache-2.0
"""Graphs around staging areas and staging maps: they hold something before the op, and its effect is read after it.

A request for a tuple that a staging area does not have waits, as in TensorFlow.  So requests stay within
the tuples that are there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.scenarios import _counted, scenario

# The tuples of a map have so many components.
COMPONENTS = 3
# Keys of a map's tuples; the first in the order is not the first that is put in.
_KEYS = (7, 3)
_ORDERS = ("", "Ordered")


def _beside(b: Any, kind: str, name: str, inputs: list[str], types: list[int]) -> Any:
    """A node that uses the op's area."""
    op = next(n for n in b.definition.node if n.name == "op")
    if not op.attr["shared_name"].s:
        op.attr["shared_name"].s = b"area"
    node = b.node(kind, name, inputs)
    for attr in ("capacity", "memory_limit", "container", "shared_name"):
        node.attr[attr].CopyFrom(op.attr[attr])
    node.attr["dtypes"].list.SetInParent()
    node.attr["dtypes"].list.type.extend(types)
    return node


def _contents(b: Any, prefix: str, types: list[int]) -> list[str]:
    """Constants of these dtypes."""
    names = [f"{prefix}{i}" for i in range(len(types))]
    for i, (name, enum) in enumerate(zip(names, types)):
        b.constant(name, _counted(i + 1, 2 + i, enum), enum)
    return names


def _room(b: Any) -> bool:
    """Whether the area takes any number of tuples."""
    return not b.case.attrs["capacity"] and not b.case.attrs["memory_limit"]


def _clamped(b: Any, name: str, most: int) -> str:
    """An int32 of the call, in [0, most]."""
    b.constant("least", np.int32(0), sig.INT32)
    b.constant("most", np.int32(most), sig.INT32)
    b.node("Minimum", "not_more", [name, "most"]).attr["T"].type = sig.INT32
    b.node("Maximum", "not_less", ["not_more", "least"]).attr["T"].type = sig.INT32
    return "not_less"


# Areas. ------------------------------------------------------------------------------------------------------


@scenario("Stage")
def _stage(b: Any, inputs: list[str]) -> list[str]:
    """Takes out the tuple that the op has put in."""
    b.op(inputs)
    types = list(b.case.attrs["dtypes"])
    _beside(b, "Unstage", "take", ["^op"], types)
    _beside(b, "StageSize", "size", ["^take"], types)
    return [f"take:{i}" for i in range(len(types))] + ["size:0"]


@scenario("Unstage", "StagePeek", "StageSize", "StageClear")
def _unstage(b: Any, inputs: list[str]) -> list[str]:
    types = list(b.case.attrs["dtypes"])
    puts = 2 if _room(b) else 1
    own = inputs
    if b.sig.name == "StagePeek":
        own = [_clamped(b, inputs[0], puts - 1), *inputs[1:]]
    b.op([*own, f"^put{puts - 1}"])
    for i in range(puts):
        before = [f"^put{i - 1}"] if i else []
        put = [*_contents(b, f"value{i}_", types), *before]
        _beside(b, "Stage", f"put{i}", put, types)
    _beside(b, "StageSize", "size", ["^op"], types)
    n = {"StageSize": 1, "StageClear": 0}.get(b.sig.name, len(types))
    return [f"op:{i}" for i in range(n)] + ["size:0"]


# Maps. -------------------------------------------------------------------------------------------------------


def _order(b: Any) -> str:
    return "Ordered" if b.sig.name.startswith("Ordered") else ""


def _put(
    b: Any, name: str, key: str, places: list[int], types: list[int], after: list[str]
) -> None:
    """Puts components into the op's map; `types` are all that its tuples have."""
    b.constant(f"{name}_places", np.array(places, np.int32), sig.INT32)
    own = [types[i] for i in places]
    inputs = [key, f"{name}_places", *_contents(b, f"{name}_", own), *after]
    node = _beside(b, f"{_order(b)}MapStage", name, inputs, types)
    node.attr["fake_dtypes"].list.type.extend(own)


def _sizes(b: Any, after: str) -> list[str]:
    for what in ("Size", "IncompleteSize"):
        types = list(b.case.attrs["dtypes"])
        _beside(b, f"{_order(b)}Map{what}", what.lower(), [f"^{after}"], types)
    return ["size:0", "incompletesize:0"]


@scenario(*(f"{order}MapStage" for order in _ORDERS))
def _map_stage(b: Any, inputs: list[str]) -> list[str]:
    """The components that the op does not put in come after it; then the tuple is taken out."""
    b.op(inputs)
    types = list(b.case.attrs["dtypes"])
    given = set(np.ravel(b.case.inputs[1]).tolist())
    rest = [i for i in range(len(types)) if i not in given]
    done = "op"
    if rest:
        _put(b, "put", inputs[0], rest, types, ["^op"])
        done = "put"
    sizes = _sizes(b, done)
    all_places = np.arange(len(types), dtype=np.int32)
    b.constant("all_places", all_places, sig.INT32)
    take = [inputs[0], "all_places", *(f"^{s.split(':')[0]}" for s in sizes)]
    _beside(b, f"{_order(b)}MapUnstage", "take", take, types)
    return [*sizes, *(f"take:{i}" for i in range(len(types)))]


def _asked_types(b: Any, indices: np.ndarray) -> list[int]:
    """Returns the dtypes of tuples that fit the op's request."""
    types = [sig.FLOAT] * COMPONENTS
    for i, enum in zip(np.ravel(indices).tolist(), b.case.attrs["dtypes"]):
        if 0 <= i < COMPONENTS:
            types[i] = enum
    return types


@scenario(
    *(
        f"{order}Map{n}"
        for order in _ORDERS
        for n in ("Peek", "Unstage", "UnstageNoKey")
    )
)
def _map_take(b: Any, inputs: list[str]) -> list[str]:
    """Takes from a tuple under the key; without a key, from the only one, or the first in the order."""
    alone = b.sig.name.endswith("NoKey")
    types = _asked_types(b, b.case.inputs[0 if alone else 1])
    keys = _KEYS if alone and _order(b) and _room(b) else _KEYS[:1]
    b.op([*inputs, f"^put{len(keys) - 1}"])
    for i, key in enumerate(keys):
        name = inputs[0]
        if alone:
            name = f"key{i}"
            b.constant(name, np.int64(key), sig.INT64)
        after = [f"^put{i - 1}"] if i else []
        _put(b, f"put{i}", name, list(range(COMPONENTS)), types, after)
    n = len(b.case.attrs["dtypes"]) + alone
    return [f"op:{i}" for i in range(n)] + _sizes(b, "op")


@scenario(
    *(
        f"{order}Map{n}"
        for order in _ORDERS
        for n in ("Size", "IncompleteSize", "Clear")
    )
)
def _map_ask(b: Any, inputs: list[str]) -> list[str]:
    """Asks a map with a whole tuple and a part of one."""
    types = list(b.case.attrs["dtypes"])
    whole = list(range(len(types)))
    parts = [whole, whole[:1]] if _room(b) and len(types) > 1 else [whole]
    b.op([*inputs, f"^put{len(parts) - 1}"])
    for i, places in enumerate(parts):
        b.constant(f"key{i}", np.int64(_KEYS[i]), sig.INT64)
        _put(b, f"put{i}", f"key{i}", places, types, [f"^put{i - 1}"] if i else [])
    n = 0 if b.sig.name.endswith("Clear") else 1
    return [f"op:{i}" for i in range(n)] + _sizes(b, "op")
