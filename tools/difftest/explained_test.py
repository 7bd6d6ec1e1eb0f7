# SPDX-License-Identifier: Apache-2.0
"""Explanations excuse what they are about, and nothing beside it."""

import dataclasses

import numpy as np
import pytest

from tensorwright.tools.difftest import compare, difference as diff, explained
from tensorwright.tools.difftest.difference import Arrays
from tensorwright.tools.difftest.examples import call, gave
from tensorwright.tools.difftest.explanation import ANY_OP
from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.signature import registered_ops

_CASES = [(e, d) for e in explained.TABLE for d in e.true]
_WRONG = [(e, d) for e in explained.TABLE for d in e.wrong]


def _names(cases):
    return [f"{e.kind}-{d.op}-{e.why[:40]}" for e, d in cases]


@pytest.mark.parametrize("entry, d", _CASES, ids=_names(_CASES))
def test_what_it_is_about_is_excused(entry, d):
    assert d.arrays is None or d.arrays.far is None or d.arrays.far.any()
    assert entry.excuses(d)
    assert explained.reason(d) == entry.why


@pytest.mark.parametrize("entry, d", _WRONG, ids=_names(_WRONG))
def test_what_is_wrong_beside_it_is_not(entry, d):
    assert explained.reason(d) == ""


@pytest.mark.parametrize("entry", explained.TABLE, ids=lambda e: f"{e.kind}-{e.ops}")
def test_it_is_narrow(entry):
    assert entry.why and entry.true and entry.wrong
    ops = set(entry.ops.split())
    # All ops may be meant only if TensorFlow alone refuses the call or dies of it.
    alone = (diff.PEER_DIED, diff.REFUSAL, diff.GRADIENT_ERROR)
    assert ANY_OP not in ops or entry.kind in alone and entry.theirs
    unknown = ops - {ANY_OP} - set(registered_ops())
    assert not unknown, f"no such ops: {unknown}"
    if entry.kind in diff.OF_ARRAYS:
        assert entry.dtypes and entry.outputs
        of_all = entry.path or entry.shapes
        assert of_all or entry.elements or entry.where or entry.bound > 0
        # With a bound or without, something of the call must say what ours is.
        assert of_all or entry.elements or entry.where
        # The page says what ours is.
        assert of_all or np.isfinite(entry.bound) or entry.gives
    elif entry.kind in diff.OF_ERRORS:
        assert entry.ours or entry.theirs
        for pattern in (entry.ours, entry.theirs):
            # A class, and words of its text.
            assert (
                not pattern or ": " in pattern and len(pattern.split(": ", 1)[1]) >= 3
            )


def _moved(d, by):
    """The same, with ours further off where it was off."""
    arrays = d.arrays
    ours = arrays.ours.copy()
    with np.errstate(all="ignore"):
        far = arrays.theirs[arrays.far].astype(compare.widest(ours).dtype)
        far = np.where(np.isfinite(far), far, 0)
        info = np.finfo if ours.dtype.kind in "fc" else None
        moved = far + by if info else far - by
        ours[arrays.far] = moved.astype(ours.dtype)
    return dataclasses.replace(d, arrays=Arrays(ours, arrays.theirs, arrays.far))


_ARRAYS = [
    (e, d)
    for e, d in _CASES
    if e.kind in diff.OF_ARRAYS
    and not (e.path or e.shapes)
    and d.arrays.ours.dtype != object
]


@pytest.mark.parametrize("entry, d", _ARRAYS, ids=_names(_ARRAYS))
def test_ours_may_not_be_anything(entry, d):
    size = 1.0 if not np.isfinite(entry.bound) else 3 * entry.bound
    for by in (17 * size, 1e4 * size):
        assert not entry.excuses(_moved(d, by))


@pytest.mark.parametrize("entry, d", _ARRAYS, ids=_names(_ARRAYS))
def test_other_outputs_dtypes_and_ops_are_not_excused(entry, d):
    assert not entry.excuses(dataclasses.replace(d, output=max(entry.outputs) + 1))
    other = [e for e in sig.ALL_TYPES if sig.type_name(e) not in entry.dtypes.split()]
    for enum in other:
        assert not entry.excuses(dataclasses.replace(d, enum=enum))
    assert not entry.excuses(dataclasses.replace(d, op="AddN"))


_ERRORS = [(e, d) for e, d in _CASES if e.kind in diff.OF_ERRORS]


@pytest.mark.parametrize("entry, d", _ERRORS, ids=_names(_ERRORS))
def test_another_error_is_not_excused(entry, d):
    other = "UnavailableError: out of order"
    swapped = dataclasses.replace(d, ours=d.theirs, theirs=d.ours)
    assert not entry.excuses(swapped)
    assert not entry.excuses(
        dataclasses.replace(d, ours=d.ours and other, theirs=d.theirs and other)
    )
    if entry.ops != ANY_OP:
        assert not entry.excuses(dataclasses.replace(d, op="AddN"))


def test_elements_of_one_array_may_differ_for_two_reasons():
    sequence = call("BlockLSTM", np.int64(1))

    def why(ours, theirs):
        return explained.reason(gave(sequence, ours, theirs, dtype="float16", output=4))

    both = why([[[0.1615]], [[0]]], [[[0.1606]], [[0.15]]])
    assert "rounds a step's sums" in both and "seq_len_max" in both
    assert why([[[0.1815]], [[0]]], [[[0.1606]], [[0.15]]]) == ""
    assert why([[[0.1615]], [[1]]], [[[0.1606]], [[0.15]]]) == ""
