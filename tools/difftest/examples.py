# SPDX-License-Identifier: Apache-2.0
"""Examples of differences: calls, and what either library made of them.

A record (explanation.py) says most of its examples itself: a call of `on` has the record's op, `seen` gets its dtype,
output and texts, and `but` is the record's first example with something changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes as tf_dtypes
from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    KERNELS,
    OF_ARRAYS,
    REFUSAL,
    SHAPE,
    VALUE,
    Arrays,
    Difference,
)
from tensorwright.tools.opcheck.draws import Case


def call(op: str, *inputs: Any, types: list[int] | None = None, **attrs: Any) -> Case:
    """A call with these inputs; what is no array becomes one.  `types` are their dtypes where arrays do not say them."""
    arrays = [
        [_array(x) for x in i] if isinstance(i, list) and _is_list(i) else _array(i)
        for i in inputs
    ]
    return Case(op, 0, attrs, arrays, types or _types(arrays))


def _array(x: Any) -> np.ndarray:
    """NumPy's own arrays of bytes lose zero bytes at the end."""
    found = np.asarray(x)
    return np.asarray(x, object) if found.dtype.kind == "S" else found


def on(*inputs: Any, **attrs: Any) -> Case:
    """A call of the record's first op."""
    return call("", *inputs, **attrs)


def _types(inputs: Sequence[Any]) -> list[Any]:
    return [[_enum(x) for x in i] if isinstance(i, list) else _enum(i) for i in inputs]


def _enum(x: np.ndarray) -> int:
    return tf_dtypes.as_dtype(x.dtype).as_datatype_enum


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
    outputs: Any = ((), ()),
) -> Difference:
    """A call whose output, or gradient, the two computed so; None for a gradient that one of them does not have.

    `outputs` are all outputs, of ours and of TensorFlow, or a list of what both have.
    """
    outputs = (outputs, outputs) if isinstance(outputs, list) else outputs
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
    case: Case | str, ours: Any, theirs: Any, actual: Any, output: int = 0
) -> Difference:
    """An output's shape, as the two shape functions infer it and as it is."""
    case = call(case) if isinstance(case, str) else case
    return Difference(
        case.op, SHAPE, case=case, output=output, ours=ours, theirs=theirs, actual=actual
    )  # fmt: skip


# Examples that the record completes. -------------------------------------------------------------------------


class Part(dict[str, Any]):
    """Some of an example's `call`, `op`, `ours`, `theirs`, `dtype`, `output`, `outputs`, `words`, `kind`, `actual`."""

    changes = False  # The first example, and not only the record, says the rest.


def seen(*what: Any, **more: Any) -> Part:
    """An example: a call, what we gave or said, what TensorFlow did; what is not said is the record's."""
    return Part(zip(("call", "ours", "theirs"), what), **more)


def but(*what: Any, **more: Any) -> Part:
    """The first example, with another call, or ours, or anything else that `seen` takes."""
    part = seen(*what, **more)
    part.changes = True
    return part


Example = Difference | Case | Part


def complete(kind: str, record: dict[str, Any], found: Sequence[Example]) -> list[Any]:
    """The differences that these are, where `record` has what its examples have unless they say so."""
    done: list[Difference] = []
    for example in found:
        if isinstance(example, Difference):
            done.append(example)
            continue
        if isinstance(example, Case):
            example = but(example)
        changes = getattr(example, "changes", False) and done
        known = _parts(done[0]) if changes else {}
        parts = {"kind": kind} | record | known | example
        case = parts.get("call") or on()
        op = example.get("op") or case.op or record["op"]
        done.append(_difference(dataclasses.replace(case, op=op), parts))
    return done


def _parts(d: Difference) -> dict[str, Any]:
    parts = {
        "op": d.op, "call": d.case, "output": d.output, "outputs": d.outputs, "words": d.words,
        "kind": d.kind, "ours": d.ours, "theirs": d.theirs, "actual": d.actual,
    }  # fmt: skip
    if d.enum:
        parts["dtype"] = d.dtype
    if d.arrays is not None:
        parts |= {"ours": d.arrays.ours, "theirs": d.arrays.theirs}
    return parts


def _difference(case: Case, p: dict[str, Any]) -> Difference:
    kind, words = p["kind"], p.get("words", "")
    if kind == KERNELS:
        return lacks(case.op, p["dtype"])
    if kind == SHAPE:
        return inferred(case, p["ours"], p["theirs"], p["actual"], p["output"])
    if kind not in OF_ARRAYS:
        return refused(case, p.get("ours", ""), p.get("theirs", ""), words, kind)
    return gave(
        case, p["ours"], p["theirs"], p["dtype"], p["output"], kind, words,
        p.get("outputs", ((), ())),
    )  # fmt: skip
