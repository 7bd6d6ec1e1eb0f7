# SPDX-License-Identifier: Apache-2.0
"""An Explanation: a difference from TensorFlow that is meant, said so narrowly that a bug beside it still shows.

It names ops, and what is to be seen: of errors, the class and the text on either side; of arrays, the dtype, which
output, which of its elements, and how far apart they may be.  `true` are differences as they were seen, `wrong` such
that look like them and are none of its; explained_test.py holds it to both.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes as tf_dtypes
from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    KERNELS,
    OF_ARRAYS,
    OF_ERRORS,
    REFUSAL,
    SHAPE,
    VALUE,
    Arrays,
    Difference,
)
from tensorwright.tools.opcheck.draws import Case

# Of `ops`, where what is to be seen says enough: TensorFlow's death.
ANY_OP = "*"
# Values of `dtypes`.
FLOATS = "float16 bfloat16 float32 float64 complex64 complex128"
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
QUANTIZED = "qint8 qint16 qint32 quint8 quint16"
# Of ops that move elements and do not look at them.
ANY_DTYPE = f"{FLOATS} {INTEGERS} {QUANTIZED} bool string"
# What difftest's workers draw upstream gradients with.
UPSTREAM_SEED = 20170711
# Of gradients that only one of the two has.
OURS_ONLY, THEIRS_ONLY = "ours", "theirs"


@dataclasses.dataclass(frozen=True)
class Explanation:
    ops: str  # Names, with blanks between.
    kind: str
    why: str
    true: Sequence[Difference]
    wrong: Sequence[Difference]
    # What either side says, as a pattern of all of "Class: text"; "" where it does not refuse.
    ours: str = ""
    theirs: str = ""
    # Names of dtypes, with blanks between, and the numbers of outputs.
    dtypes: str = ""
    outputs: tuple[int, ...] = ()
    # Which of the elements that are apart it speaks of: a mask, or one answer for all.
    elements: Callable[[Difference], Any] | None = None
    # How far apart elements may be, which are finite then.  Infinite where `elements` says what ours has to be.
    bound: float = 0.0
    # Who alone has a gradient, where that is the difference.
    path: str = ""
    # The shapes of ours and of TensorFlow's, where these are the difference; or whether ours, all of it, is right.
    shapes: (
        tuple[tuple[int, ...], tuple[int, ...]] | Callable[[Difference], bool] | None
    ) = None
    # Which elements ours may have instead, which `why` says: names of what perturbed_test.py makes of them.
    also: tuple[str, ...] = ()
    # What else must hold of the call.
    when: Callable[[Difference], bool] | None = None

    def excuses(self, d: Difference) -> bool:
        """Whether it explains all of a difference."""
        return bool(np.all(self.excused(d)))

    def excused(self, d: Difference) -> Any:
        """What of a difference it explains: all or nothing, or of arrays a mask of the elements that are apart."""
        if d.kind != self.kind:
            return False
        if self.ops != ANY_OP and d.op not in self.ops.split():
            return False
        if d.kind in OF_ERRORS and not (
            _says(self.ours, d.ours) and _says(self.theirs, d.theirs)
        ):
            return False
        if self.dtypes and d.dtype not in self.dtypes.split():
            return False
        if self.outputs and d.output not in self.outputs:
            return False
        if d.kind not in OF_ARRAYS:
            return self.when is None or self.when(d)
        assert d.arrays is not None
        # What the rest looks at is elements, which are there where dtypes and shapes are alike.
        if d.arrays.far is None and not (self.path or self.shapes is not None):
            return False
        return (self.when is None or self.when(d)) and self._excused_elements(d)

    def _excused_elements(self, d: Difference) -> Any:
        arrays = d.arrays
        assert arrays is not None
        if self.path:
            only = OURS_ONLY if arrays.theirs is None else THEIRS_ONLY
            one = arrays.ours is None or arrays.theirs is None
            return one and only == self.path
        if self.shapes is not None:
            if arrays.ours is None or arrays.theirs is None:
                return False
            if callable(self.shapes):
                return arrays.far is None and self.shapes(d)
            return (arrays.ours.shape, arrays.theirs.shape) == self.shapes
        meant = np.ones(np.shape(arrays.a), np.bool_)
        if self.elements is not None:
            meant = meant & self.elements(d)
        if math.isinf(self.bound):
            return meant
        a, b = compare.widest(arrays.a), compare.widest(arrays.b)
        with np.errstate(all="ignore"):
            near = np.abs(a - b) <= self.bound
        return meant & near


def _says(pattern: str, text: str) -> bool:
    if not pattern or not text:
        return pattern == text
    return re.match(pattern, text, re.DOTALL) is not None


# Parts of explanations. --------------------------------------------------------------------------------------


def ours_is(
    formula: Callable[[Difference], Any], tolerance: float = 0.0
) -> Callable[[Difference], Any]:
    """Elements where ours is what a formula of the call says of the output."""

    def right(d: Difference) -> Any:
        assert d.arrays is not None and d.arrays.ours is not None
        as_text = object if d.arrays.a.dtype == object else None
        wanted = np.asarray(formula(d), as_text)
        wanted = np.broadcast_to(wanted, d.arrays.ours.shape)[d.arrays.far]
        if d.arrays.a.dtype == object:
            return d.arrays.a == wanted
        return compare.close(d.arrays.a, wanted, tolerance)

    return right


def both(*parts: Callable[[Difference], Any]) -> Callable[[Difference], Any]:
    """Elements that all of these speak of."""
    return lambda d: np.logical_and.reduce(
        [np.broadcast_to(p(d), d.arrays.a.shape) for p in parts]  # type: ignore[union-attr]
    )


def at_input(
    index: int, test: Callable[[np.ndarray], Any]
) -> Callable[[Difference], Any]:
    """Elements where those of an input, broadcast to the output, pass a test."""

    def chosen(d: Difference) -> Any:
        assert d.arrays is not None and d.arrays.ours is not None
        x = np.broadcast_to(d.input(index), d.arrays.ours.shape)
        return test(x[d.arrays.far])

    return chosen


def upstream(output: np.ndarray) -> np.ndarray:
    """What difftest's workers give the gradient function of an op with one output that has a gradient."""
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


# Examples. ---------------------------------------------------------------------------------------------------


def _types(inputs: Sequence[Any]) -> list[Any]:
    return [[_enum(x) for x in i] if isinstance(i, list) else _enum(i) for i in inputs]


def _enum(x: np.ndarray) -> int:
    return tf_dtypes.as_dtype(x.dtype).as_datatype_enum


def call(op: str, *inputs: Any, types: list[int] | None = None, **attrs: Any) -> Case:
    """A call with these inputs; what is no array becomes one.  `types` are their dtypes where arrays do not say them."""
    arrays = [
        [np.asarray(x) for x in i]
        if isinstance(i, list) and _is_list(i)
        else np.asarray(i)
        for i in inputs
    ]
    return Case(op, 0, attrs, arrays, types or _types(arrays))


def _is_list(value: list[Any]) -> bool:
    """A list of arrays, not an array's content."""
    return bool(value) and all(isinstance(v, np.ndarray) for v in value)


def refused(
    case: Case | str, ours: str = "", theirs: str = "", words: str = "", kind: str = ""
) -> Difference:
    """A call that one of the two refused, or both did, in these words."""
    case = call(case) if isinstance(case, str) else case
    kind = kind or (ERROR_CLASS if ours and theirs else REFUSAL)
    return Difference(case.op, kind, case=case, words=words, ours=ours, theirs=theirs)


def gave(
    case: Case | str,
    ours: Any,
    theirs: Any,
    dtype: str = "float32",
    output: int = 0,
    kind: str = VALUE,
    words: str = "",
    outputs: tuple[list[Any], list[Any]] = ((), ()),  # type: ignore[assignment]
) -> Difference:
    """A call whose output, or gradient, the two computed so; None where there is no path."""
    case = call(case) if isinstance(case, str) else case
    enum = tf_dtypes.as_dtype(dtype).as_datatype_enum
    as_numpy = np.dtype(tf_dtypes.as_dtype(dtype).as_numpy_dtype)
    plain = as_numpy[0] if as_numpy.names else as_numpy
    a, b = (None if v is None else np.asarray(v, plain) for v in (ours, theirs))
    far = None
    if a is not None and b is not None and a.shape == b.shape:
        tolerance = compare.TOLERANCE.get(enum)
        far = np.asarray(
            a != b if tolerance is None else ~compare.close(a, b, tolerance)
        )
    return Difference(
        case.op, kind, case=case, words=words, output=output, enum=enum,
        arrays=Arrays(a, b, far), outputs=outputs,
    )  # fmt: skip


def lacks(op: str, dtype: str) -> Difference:
    """TensorFlow has a kernel for a dtype for which we have none."""
    enum = tf_dtypes.as_dtype(dtype).as_datatype_enum
    return Difference(op, KERNELS, enum=enum)


def inferred(
    op: str, ours: Any, theirs: Any, actual: Any, output: int = 0
) -> Difference:
    """What the shape functions say of an output, and what it is."""
    return Difference(
        op,
        SHAPE,
        case=call(op),
        output=output,
        ours=ours,
        theirs=theirs,
        actual=actual,
    )
