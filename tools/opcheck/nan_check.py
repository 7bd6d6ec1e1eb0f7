# SPDX-License-Identifier: Apache-2.0
"""Checks that a NaN spoils everything that depends on it, and nothing else.

One element of a float input becomes a NaN.  To find the outputs that depend on it, the element also becomes several
other numbers: the outputs that change depend on it.  Those must become NaN, if they are floats, and all others must
keep their bits.  A kernel that loses a NaN (a maximum that compares the wrong way round, a vector loop that masks it)
hides a network that diverged.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import (
    allowed,
    draws,
    graphs,
    hints,
    signature as sig,
    wire,
)
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.outcome import Result
from tensorwright.tools.opcheck.processes import Died, Worker

# The other numbers that an element of value x becomes.
_OTHERS = (
    lambda x: x + 0.0625,
    lambda x: 61.0 + 0 * x,
    lambda x: -53.0 + 0 * x,
    lambda x: 0.001 + 0 * x,
)
# How far apart two results are, relatively, that rounding does not explain: a vector's lanes may be rounded otherwise
# where one of them is out of the common range.
_ROUNDING = {sig.FLOAT: 1e-5, sig.DOUBLE: 1e-13, sig.HALF: 4e-3, sig.BFLOAT16: 3e-2}
# Inputs that get a NaN, of a call.
_INPUTS = 3
# Calls of a dtype that are compared, and draws in search of them.
_CALLS, _TRIES = 2, 12


class NanCheck:
    """The check of one op's `result`, from draws from `start` on, in each of the dtypes."""

    def __init__(self, worker: Worker, result: Result, start: int):
        self._worker, self._result, self._start = worker, result, start

    def run(self, dtypes: tuple[int, ...]) -> None:
        if "seed" in self._result.signature.attrs:
            self._result.why["nan"] = "each run draws anew"
            return
        for enum in dtypes:
            done = 0
            for seed in range(self._start, self._start + _TRIES):
                try:
                    case = hints.draw(
                        self._result.signature, seed, draws.SMOOTH, (enum,)
                    )
                except Unsuitable:
                    continue
                if not self._floats(case, enum):
                    break
                self._result.why["nan"] = (
                    "no call with a float gave two results to compare"
                )
                done += self._call(case, enum)
                if done == _CALLS:
                    break

    def _floats(self, case: Case, enum: int) -> list[int]:
        """The inputs that have elements of that dtype."""
        return [i for i, (a, t) in enumerate(case.flat()) if t == enum and a.size]

    def _call(self, case: Case, enum: int) -> bool:
        """Compares a call with itself, an input after the other; False if the call is refused."""
        cases = [case]
        for i in self._floats(case, enum)[:_INPUTS]:
            at = case.seed % case.flat()[i][0].size
            for change in (*_OTHERS, lambda x: x * np.nan):
                cases.append(_changed(case, i, at, change))
        try:
            graph = graphs.build(self._result.signature, cases)
            answer = self._worker.ask("run", graphs=[graph])[0]
        except Died as death:
            self._result.died("nan", death, case)
            return True
        if "error" in answer or "error" in answer["runs"][0]:
            return False
        first, *runs = (
            None if "error" in run else [_output(v) for v in run["values"]]
            for run in answer["runs"]
        )
        step = len(_OTHERS) + 1
        for k, i in enumerate(self._floats(case, enum)[:_INPUTS]):
            *others, spoilt = runs[k * step : (k + 1) * step]
            # A NaN may be refused; so may another number.
            if spoilt is not None:
                what = f"a NaN in tensor {i}, {sig.type_name(enum)},"
                self._judge(case, what, first, [o for o in others if o], spoilt)
        return True

    def _judge(
        self, case: Case, what: str, first: list, others: list, spoilt: list
    ) -> None:
        for i, (base, now) in enumerate(zip(first, spoilt)):
            if base is None or now is None or base.raw.shape != now.raw.shape:
                continue
            changed = np.zeros(len(base.raw), bool)  # At all.
            moved = changed.copy()  # By more than rounding.
            for other in (o[i] for o in others):
                if other is not None and other.raw.shape == base.raw.shape:
                    changed |= (other.raw != base.raw).any(-1)
                    moved |= other.far(base)
            self._result.nans += 1
            if now.numbers is not None:
                lost = ~np.isnan(now.numbers[moved]).any(-1)
                if lost.any():
                    words = f"output {i} depends on {what} and is a number"
                    self._find(case, allowed.NAN_LOST, words)
            if now.far(base)[~changed].any():
                words = f"output {i} does not depend on {what} and is changed by it"
                self._find(case, allowed.NAN_SPREAD, words)

    def _find(self, case: Case, check: str, text: str) -> None:
        if not self._result.excuse(allowed.find(case.op, check)):
            self._result.find("nan", text, case)


def _changed(case: Case, index: int, at: int, change: Any) -> Case:
    """The call with one element of one of its flat inputs changed."""
    seen = -1
    inputs: list[Any] = []
    for value in case.inputs:
        parts = list(value) if isinstance(value, list) else [value]
        for k, array in enumerate(parts):
            seen += 1
            if seen == index:
                array = np.array(array)
                with np.errstate(all="ignore"):
                    array.reshape(-1)[at] = change(array.reshape(-1)[at])
                parts[k] = array
        inputs.append(parts if isinstance(value, list) else parts[0])
    return dataclasses.replace(case, inputs=inputs)


@dataclasses.dataclass
class _Output:
    """The compared parts of an output of n elements."""

    raw: np.ndarray  # Bytes, [n, size].
    numbers: np.ndarray | None = None  # For floats: float64 [n, parts].
    rounding: float = 0.0

    def far(self, other: _Output) -> np.ndarray:
        """Which elements are further apart than rounding explains."""
        if self.numbers is None or other.numbers is None:
            return (self.raw != other.raw).any(-1)
        with np.errstate(all="ignore"):
            gap = np.abs(self.numbers - other.numbers)
            near = gap <= self.rounding * np.abs(other.numbers)
        both = np.isnan(self.numbers) & np.isnan(other.numbers)
        return ~(near | both | (self.numbers == other.numbers)).all(-1)


def _output(value: wire.Array) -> _Output | None:
    """Returns None for strings and handles, and for empty arrays."""
    enum, shape, content = value
    if enum in (sig.STRING, sig.RESOURCE, sig.VARIANT) or not content:
        return None
    n = int(np.prod(shape, dtype=np.int64))
    raw = np.frombuffer(content, np.uint8).reshape(n, -1)
    kind = {sig.COMPLEX64: sig.FLOAT, sig.COMPLEX128: sig.DOUBLE}.get(enum, enum)
    if kind not in sig.FLOATS:
        return _Output(raw)
    dtype = sig.numpy_type(kind)
    numbers = wire.decode((kind, (len(content) // dtype.itemsize,), content), dtype)
    with np.errstate(all="ignore"):
        numbers = numbers.astype(np.float64).reshape(n, -1)
    return _Output(raw, numbers, _ROUNDING[kind])
