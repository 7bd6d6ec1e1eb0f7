# SPDX-License-Identifier: Apache-2.0
"""An Explanation: a difference from TensorFlow that is meant, said so narrowly that a bug beside it still shows.

records.py makes them, and says how to add one.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import OF_ARRAYS, OF_ERRORS, Difference

# The value of `ops` of a record that the rest describes well enough, such as TensorFlow's death.
ANY_OP = "*"
# Values of `dtypes`; ANY_DTYPE is for ops that move elements and do not look at them.
FLOATS = "float16 bfloat16 float32 float64 complex64 complex128"
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
QUANTIZED = "qint8 qint16 qint32 quint8 quint16"
ANY_DTYPE = f"{FLOATS} {INTEGERS} {QUANTIZED} bool string"
# Values of `path`.
OURS_ONLY, THEIRS_ONLY = "ours", "theirs"
# The seed of the upstream gradients that difftest's workers draw.
UPSTREAM_SEED = 20170711

# A test or formula of a difference.
Test = Callable[[Difference], Any]


@dataclasses.dataclass(frozen=True)
class Explanation:
    ops: str  # Names, with blanks between.
    kind: str
    why: str
    true: Sequence[Difference] = ()
    wrong: Sequence[Difference] = ()
    gives: str = ""  # Our result in a few words, for docs/differences.md,
    there: str = ""  # and TensorFlow's.
    # Patterns of all of "Class: text"; "" of a side that does not refuse.
    ours: str = ""
    theirs: str = ""
    dtypes: str = ""  # Names, with blanks between.
    outputs: tuple[int, ...] = ()
    # Which elements are meant: a mask of those that are apart, or one answer for all,
    elements: Test | None = None
    # and a mask of all elements, which broadcasts to the output.
    where: Test | None = None
    # How far apart elements may be, which are finite then; infinite if the tests say what ours has to be.
    bound: float = 0.0
    path: str = ""  # Who alone has a gradient.
    # Our shape and TensorFlow's; or a test of all of ours, where shapes differ.
    shapes: tuple[tuple[int, ...], tuple[int, ...]] | Test | None = None
    # Results that ours may have instead: names of what perturbed_test.py makes of it.
    also: tuple[str, ...] = ()
    when: Test | None = None  # A test of the call.
    # It depends on memory, threads or the process, so that no draw is sure to show it.
    by_chance: bool = False

    def excuses(self, d: Difference) -> bool:
        """Whether it explains all of a difference."""
        return bool(np.all(self.excused(d)))

    def excused(self, d: Difference) -> Any:
        """Whether a difference is explained; for elements, a mask of those that are apart."""
        if d.kind != self.kind or self.ops != ANY_OP and d.op not in self.ops.split():
            return False
        if d.kind in OF_ERRORS and not (
            _says(self.ours, d.ours) and _says(self.theirs, d.theirs)
        ):
            return False
        if self.dtypes and d.dtype not in self.dtypes.split():
            return False
        if self.outputs and d.output not in self.outputs:
            return False
        # There are elements to be looked at if dtypes and shapes are alike.
        of_elements = d.kind in OF_ARRAYS and not self.path and self.shapes is None
        if of_elements and (d.arrays is None or d.arrays.far is None):
            return False
        with np.errstate(all="ignore"):
            if self.when is not None and not self.when(d):
                return False
            if d.kind not in OF_ARRAYS:
                return True
            return self._elements(d) if of_elements else self._arrays(d)

    def _arrays(self, d: Difference) -> bool:
        """Whether the difference of paths or shapes is the one that is meant."""
        assert d.arrays is not None
        ours, theirs, far = d.arrays.ours, d.arrays.theirs, d.arrays.far
        if ours is None or theirs is None:
            return self.path == (OURS_ONLY if theirs is None else THEIRS_ONLY)
        if callable(self.shapes):
            return far is None and bool(self.shapes(d))
        return not self.path and (ours.shape, theirs.shape) == self.shapes

    def _elements(self, d: Difference) -> Any:
        meant = np.ones(d.a.shape, np.bool_)
        if self.elements is not None:
            meant = meant & self.elements(d)
        if self.where is not None:
            mask = np.asarray(self.where(d))
            try:
                meant = meant & np.broadcast_to(mask, d.here.shape)[d.far]
            except ValueError:  # It is no mask of the output.
                return False
        if math.isinf(self.bound):
            return meant
        return meant & (np.abs(compare.widest(d.a) - compare.widest(d.b)) <= self.bound)


def _says(pattern: str, text: str) -> bool:
    if not pattern or not text:
        return pattern == text
    return re.match(pattern, text, re.DOTALL) is not None


# Parts of explanations. --------------------------------------------------------------------------------------


def ours_is(formula: Test, tolerance: float = 0.0, slack: float = 0.0) -> Test:
    """Elements where ours is what a formula of the call says of the output.

    It may be off by `tolerance`, or by `slack` times the tolerance that difftest has for the dtype.
    """

    def right(d: Difference) -> Any:
        by = tolerance or slack * compare.TOLERANCE.get(d.enum, 0.0)
        as_text = object if d.a.dtype == object else None
        wanted = np.asarray(formula(d), as_text)
        wanted = np.broadcast_to(wanted, d.here.shape)[d.far]
        return d.a == wanted if as_text else compare.close(d.a, wanted, by)

    return right


def upstream(output: np.ndarray) -> np.ndarray:
    """The gradient that difftest's workers give for the output of an op that has one output with a gradient."""
    return upstreams([output])[0]


def upstreams(outputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """As `upstream`, of all outputs that have gradients."""
    rng = np.random.RandomState(UPSTREAM_SEED)
    found = []
    for output in outputs:
        numbers = rng.normal(size=output.shape)
        if output.dtype.kind == "c":
            numbers = numbers + 1j * rng.normal(size=output.shape)
        finite = np.isfinite(output.astype(numbers.dtype))
        found.append(np.where(finite, numbers, 0).astype(output.dtype))
    return found


def texts(d: Difference) -> list[bytes]:
    """All strings that the call gives as inputs."""
    assert d.case is not None
    arrays = [a for i in d.case.inputs for a in (i if isinstance(i, list) else [i])]
    found = [x for a in arrays for x in np.asarray(a).reshape(-1).tolist()]
    return [x for x in found if isinstance(x, bytes)]
