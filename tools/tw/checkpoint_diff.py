# SPDX-License-Identifier: Apache-2.0
"""Compares two checkpoints, for `tw checkpoint PATH OTHER`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def compare(paths: Sequence[str], readers: Sequence[Any]) -> int:
    """Prints the differences of two checkpoints; returns 1 if there are any, else 0.

    Holds two tensors at a time.  NaN equals NaN.  OpError for a tensor that cannot be read.
    """
    shapes = [reader.get_variable_to_shape_map() for reader in readers]
    dtypes = [reader.get_variable_to_dtype_map() for reader in readers]
    kinds = [
        {name: f"{types[name].name} {shape}" for name, shape in sorted(of.items())}
        for of, types in zip(shapes, dtypes, strict=True)
    ]
    differ = 0
    for here, there in ((0, 1), (1, 0)):
        for name, kind in kinds[here].items():
            if name not in kinds[there]:
                differ += 1
                print(f"only in {paths[here]}: {name}  {kind}")
    equal = 0
    changed = []
    for name, kind in kinds[0].items():
        other = kinds[1].get(name, kind)
        if name not in kinds[1]:
            continue
        if kind != other:
            differ += 1
            print(f"differs: {name}  {kind} against {other}")
            continue
        found = difference(*(reader.get_tensor(name) for reader in readers))
        if found is None:
            equal += 1
        else:
            changed.append((found[0], f"differs: {name}  {kind}: {found[1]}"))
    # The largest first, those of one size by name.
    for _, text in sorted(changed, key=lambda c: -c[0]):
        print(text)
    differ += len(changed)
    print(f"{equal} tensor{'s are' if equal != 1 else ' is'} equal")
    return 1 if differ else 0


def difference(a: np.ndarray, b: np.ndarray) -> tuple[float, str] | None:
    """How two arrays of one shape and dtype differ, the size first and then in words; None if they are equal."""
    a, b = np.asarray(a), np.asarray(b)
    numbers = a.dtype != object
    unequal = a != b
    if numbers and a.dtype.kind not in "biu":
        unequal &= ~(np.isnan(_wide(a)) & np.isnan(_wide(b)))
    unequal = np.asarray(unequal)
    count = int(np.count_nonzero(unequal))
    if count == 0:
        return None
    if numbers:
        with np.errstate(all="ignore"):
            distance = np.where(unequal, np.abs(_wide(a) - _wide(b)), 0)
        # A NaN on one side is further away than any number.
        distance = np.where(np.isnan(distance), np.inf, distance)
    else:
        distance = unequal.astype(np.float64)
    most = np.unravel_index(int(np.argmax(distance)), a.shape)
    size = float(distance[most])
    values = f"{a[most]} against {b[most]}"
    if a.ndim == 0:
        return size, values
    place = [int(i) for i in most]
    by = f", most by {size:.6g}" if numbers else ", the first"
    return size, f"{count} of {a.size} elements{by} at {place}: {values}"


def _wide(a: np.ndarray) -> np.ndarray:
    """The values in a type in which differences of them do not overflow."""
    if a.dtype.kind == "c":
        return a.astype(np.complex128)
    return a.astype(np.longdouble if a.dtype.itemsize == 8 else np.float64)
