# SPDX-License-Identifier: Apache-2.0
"""Calls that are wrong: a valid Case with one to three things made odd.

Whether an op refuses the result or computes something is the op's business; it must live.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Case
from tensorwright.tools.opcheck.signature import Signature

_INTS = [
    -1,
    -2,
    0,
    1,
    5,
    1 << 20,
    (1 << 31) - 1,
    -(1 << 31),
    1 << 31,
    1 << 40,
    (1 << 62),
    -(1 << 63),
    (1 << 63) - 1,
]
_FLOATS = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, -1e-300]
_STRINGS = ["", "garbage", b"\xff\x00", "x" * 3000]


def spoil(signature: Signature, case: Case, seed: int) -> tuple[Case, str]:
    """Returns a copy with something odd, and its description."""
    rng = np.random.RandomState(seed % (1 << 32))
    case = copy.deepcopy(case)
    case.seed = seed
    said = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        spoil_inputs = case.flat() and (not case.attrs or rng.randint(3))
        said.append(
            _spoil_input(case, rng)
            if spoil_inputs
            else _spoil_attr(signature, case, rng)
        )
    return case, ", ".join(s for s in said if s)


def _spoil_input(case: Case, rng: Any) -> str:
    which = rng.randint(len(case.inputs))
    value, enum = case.inputs[which], case.types[which]
    if isinstance(value, list):
        if not value:
            return ""
        item = rng.randint(len(value))
        value[item], words = _odd(value[item], enum[item], rng)
        return f"input {which}[{item}]: {words}"
    case.inputs[which], words = _odd(value, enum, rng)
    return f"input {which}: {words}"


def _odd(array: np.ndarray, enum: int, rng: Any) -> tuple[np.ndarray, str]:
    choice = rng.randint(8)
    if choice == 0:
        shape = list(array.shape) or [1]
        shape[rng.randint(len(shape))] = 0
        return _resized(array, shape), f"shape {shape}"
    if choice == 1:
        shape = list(array.shape)
        shape.insert(rng.randint(len(shape) + 1), rng.randint(1, 3))
        return _resized(array, shape), f"shape {shape}"
    if choice == 2:
        shape = list(array.shape)
        if shape:
            del shape[rng.randint(len(shape))]
        return _resized(array, shape), f"shape {shape}"
    if choice == 3:
        shape = list(array.shape) or [2]
        i = rng.randint(len(shape))
        shape[i] = max(0, shape[i] + rng.choice([-1, 1, 3]))
        return _resized(array, shape), f"shape {shape}"
    if choice == 4:
        shape = [1] * rng.randint(5, 12)
        return _resized(array, shape), f"rank {len(shape)}"
    return _odd_values(array, enum, rng)


def _resized(array: np.ndarray, shape: list[int]) -> np.ndarray:
    size = int(np.prod(shape))
    if array.size == 0:
        array = np.zeros(1, array.dtype)
        if array.dtype == object:
            array[:] = [b""]
    return np.resize(array, size).reshape(shape)


def _odd_values(array: np.ndarray, enum: int, rng: Any) -> tuple[np.ndarray, str]:
    array = array.copy()
    if array.size == 0 or enum == sig.BOOL:
        return array, "as it was"
    if enum == sig.STRING:
        odd: Any = [b"", b"\xff\x00", b"9" * 5000][rng.randint(3)]
    elif enum in sig.FLOATS or enum in sig.COMPLEXES:
        odd = _FLOATS[rng.randint(len(_FLOATS))]
    else:
        plain = array.view(array.dtype[0]) if array.dtype.names else array
        info = np.iinfo(plain.dtype)
        fitting = [i for i in _INTS if info.min <= i <= info.max]
        fitting += [int(info.min), int(info.max)]
        odd = fitting[rng.randint(len(fitting))]
        array = plain
    flat = array.reshape(-1)
    where = slice(None) if rng.randint(2) else rng.randint(flat.size)
    with np.errstate(all="ignore"):
        flat[where] = odd
    out = flat.reshape(array.shape)
    original = sig.numpy_type(enum)
    if original.names:
        out = out.view(original)
    place = "all" if isinstance(where, slice) else f"element {where}"
    return out, f"{place} = {odd!r}"[:60]


def _spoil_attr(signature: Signature, case: Case, rng: Any) -> str:
    names = [n for n in case.attrs if signature.attrs[n].type != "tensor"]
    if not names:
        return ""
    name = names[rng.randint(len(names))]
    kind = signature.attrs[name].type
    old = case.attrs[name]
    if kind == "type":
        case.attrs[name] = new = int(rng.choice(sig.ALL_TYPES))
        retype(signature, case, name, new)
        return f"{name} = {sig.type_name(new)}"
    case.attrs[name] = new = _odd_attr(kind, old, rng)
    return f"{name} = {new!r}"[:80]


def _odd_attr(kind: str, old: Any, rng: Any) -> Any:
    if kind == "int":
        return _INTS[rng.randint(len(_INTS))]
    if kind == "float":
        value = _FLOATS[rng.randint(len(_FLOATS))]
        return float(
            np.float32(np.clip(value, -3e38, 3e38)) if np.isfinite(value) else value
        )
    if kind == "bool":
        return not old
    if kind == "string":
        return _STRINGS[rng.randint(len(_STRINGS))]
    if kind == "shape":
        dims = [[], [0], [1 << 40], [1 << 31, 1 << 31, 1 << 31], None, [-1], [3, 0, 2]]
        return dims[rng.randint(len(dims))]
    if kind.startswith("list("):
        return _odd_list(kind[5:-1], list(old), rng)
    return old


def _odd_list(kind: str, old: list[Any], rng: Any) -> list[Any]:
    choice = rng.randint(4)
    if choice == 0 or not old:
        return [] if old else [_odd_item(kind, rng)]
    if choice == 1:
        return old[:-1]
    if choice == 2:
        return [*old, old[-1]]
    old[rng.randint(len(old))] = _odd_item(kind, rng)
    return old


def _odd_item(kind: str, rng: Any) -> Any:
    if kind == "type":
        return int(rng.choice(sig.ALL_TYPES))
    return _odd_attr(kind, False, rng)


def retype(signature: Signature, case: Case, attr: str, enum: int) -> None:
    """Gives the inputs whose type the attr says values of the new dtype."""
    for i, arg in enumerate(signature.inputs):
        if arg.type_attr != attr:
            continue
        if isinstance(case.inputs[i], list):
            case.inputs[i] = [_cast(a, enum) for a in case.inputs[i]]
            case.types[i] = [enum] * len(case.inputs[i])
        else:
            case.inputs[i] = _cast(case.inputs[i], enum)
            case.types[i] = enum


def _cast(array: np.ndarray, enum: int) -> np.ndarray:
    if enum == sig.STRING:
        out = np.empty(array.size, dtype=object)
        out[:] = [b"s"] * array.size
        return out.reshape(array.shape)
    target = sig.numpy_type(enum)
    if array.dtype == object:
        array = np.ones(array.shape, np.int8)
    if array.dtype.names:
        array = array.view(array.dtype[0])
    with np.errstate(all="ignore"):
        if array.dtype.kind == "c" and target.kind != "c":
            array = array.real
        if target.names:
            return array.astype(target[0]).view(target)
        return array.astype(target)
