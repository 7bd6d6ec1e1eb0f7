# SPDX-License-Identifier: Apache-2.0
"""An explanation excuses ours as it was seen, and not once one element of it, or one word, is something else."""

import dataclasses

import numpy as np
import pytest

from tensorwright.tools.difftest import compare, difference as diff, explained
from tensorwright.tools.difftest.difference import Arrays

# In large arrays, so many elements are moved, evenly spread.
_ELEMENTS = 24


def _numbers(x):
    """Returns the values that replace an element: name -> value."""
    found = {"zero": 0 * x if np.isfinite(x) else type(x)(0), "twice": 2 * x}
    if np.asarray(x).dtype.kind in "iu":
        high, low = np.iinfo(x.dtype).max, np.iinfo(x.dtype).min
        wide = int(x)
        others = {"zero": 0, "twice": 2 * wide, "lowest": low, "highest": high}
        return {k: x.dtype.type(v) for k, v in others.items() if low <= v <= high}
    found |= {"nan": type(x)(np.nan), "infinite": type(x)(np.inf)}
    return found | {"other sign": -x, "small": x + type(x)(1e-2)}


def _texts(x):
    return {"empty": b"", "garbage": b"GARBAGE", "longer": x + b"?", "zero": b"0"}


def _others(x):
    if isinstance(x, bytes):
        return _texts(x)
    if np.asarray(x).dtype.kind == "b":
        return {"other": ~x}
    return _numbers(x)


def _far(d, ours):
    theirs = d.arrays.theirs
    tolerance = compare.TOLERANCE.get(d.enum)
    if tolerance is None:
        return np.asarray(ours != theirs)
    return np.asarray(~compare.close(ours, theirs, tolerance))


def _with(d, ours):
    """The difference with this in the place of ours; None where it is none, or is none that can be told from ours."""
    far = _far(d, ours)
    if not far.any():
        return None
    seen = d.arrays.ours
    tolerance = compare.TOLERANCE.get(d.enum)
    same = ours == seen if tolerance is None else compare.close(ours, seen, tolerance)
    if np.all(same | ~far):
        return None
    outputs = d.outputs
    if d.kind == diff.VALUE and d.output < len(outputs[0]):
        mine = list(outputs[0])
        mine[d.output] = ours
        outputs = (mine, outputs[1])
    arrays = Arrays(ours, d.arrays.theirs, far)
    return dataclasses.replace(d, arrays=arrays, outputs=outputs)


def moved_arrays(d):
    """(name, difference): ours with one element, or all of them, something else."""
    seen = d.arrays.ours
    flat = seen.reshape(-1)
    step = max(1, flat.size // _ELEMENTS)
    with np.errstate(all="ignore"):
        for i in range(0, flat.size, step):
            for name, value in _others(flat[i]).items():
                ours = flat.copy()
                ours[i] = value
                yield f"[{i}] {name}", _with(d, ours.reshape(seen.shape))
        if flat.size > 1000:
            return
        names = set.union(*(set(_others(x)) for x in flat[::step])) if flat.size else ()
        for name in names:
            ours = flat.copy()
            for i, x in enumerate(flat):
                ours[i] = _others(x).get(name, x)
            yield f"all {name}", _with(d, ours.reshape(seen.shape))


def moved_dtypes(d):
    """(name, difference): ours of another shape, or of none."""
    theirs = d.arrays.theirs
    for name, shape in (("longer", (2, *theirs.shape)), ("empty", (0,))):
        if shape != theirs.shape:
            ours = np.zeros(shape, theirs.dtype)
            arrays = Arrays(ours, theirs, None)
            yield f"shape {name}", dataclasses.replace(d, arrays=arrays)
    yield "no path", dataclasses.replace(d, arrays=Arrays(None, theirs, None))


_ARRAYS = [
    (e, d)
    for e in explained.TABLE
    for d in e.true
    if e.kind in diff.OF_ARRAYS and not (e.path or e.shapes)
]


def _names(cases):
    return [f"{e.kind}-{d.op}-{e.why[:40]}" for e, d in cases]


@pytest.mark.parametrize("entry, d", _ARRAYS, ids=_names(_ARRAYS))
def test_no_other_result_of_ours_is_excused(entry, d):
    found = [*moved_arrays(d), *moved_dtypes(d)]
    found = [(n, x) for n, x in found if not n.endswith(entry.also)]
    wrong = [n for n, x in found if x is not None and explained.reason(x)]
    assert not wrong, f"ours may be anything: {wrong}"


def other_errors(d):
    """(name, difference): one side's error of another class, with other words, or none."""
    for side in ("ours", "theirs"):
        said = getattr(d, side)
        if not said:
            continue
        name, _, text = said.partition(": ")
        others = {"no words": f"{name}: x", "none": ""}
        for other in ("NotFoundError", "InternalError", "InvalidArgumentError"):
            if other != name:
                others[other] = f"{other}: {text}"
        for what, error in others.items():
            yield f"{side} {what}", dataclasses.replace(d, **{side: error})


_ERRORS = [(e, d) for e in explained.TABLE for d in e.true if e.kind in diff.OF_ERRORS]


@pytest.mark.parametrize("entry, d", _ERRORS, ids=_names(_ERRORS))
def test_no_other_error_is_excused(entry, d):
    found = [(n, x) for n, x in other_errors(d) if n not in entry.also]
    wrong = [n for n, x in found if explained.reason(x)]
    assert not wrong, f"either may say anything: {wrong}"


_SHAPES = [(e, d) for e in explained.TABLE for d in e.true if e.kind == diff.SHAPE]


@pytest.mark.parametrize("entry, d", _SHAPES, ids=_names(_SHAPES))
def test_no_shape_that_the_output_does_not_have_is_excused(entry, d):
    longer, larger = [*d.actual, 1], [n + 7 for n in d.actual]
    for ours in (longer, larger):
        if ours != d.actual:
            assert not explained.reason(dataclasses.replace(d, ours=ours)), ours
