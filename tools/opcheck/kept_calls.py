# SPDX-License-Identifier: Apache-2.0
"""Remembers, in kept_calls.txt, how many sizes of outputs an op's shape function tells, and the dtypes in which the op
computes the same as in the widest.

Nothing in a registration says that a sum of float16 numbers is near that of the same float64 numbers, and for some ops
it is not: bits, texts and codes depend on the dtype.  So this is remembered, and a loss is a finding.  A line is

    OP  sizes=N  ATTR=DTYPE...

`tw check-op --keep OP...` writes an op's line anew.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import (
    allowed,
    draws,
    graphs,
    hints,
    promises,
    signature as sig,
    wire,
)
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.outcome import Result
from tensorwright.tools.opcheck.processes import Died, Worker
from tensorwright.tools.opcheck.signature import Signature

FILE = pathlib.Path(__file__).resolve().with_name("kept_calls.txt")

# Dtypes, and the order in which others are tried for a comparison with them.
_REFERENCES = [
    (sig.COMPLEXES, (sig.COMPLEX128, sig.COMPLEX64)),
    (sig.FLOATS, (sig.DOUBLE, sig.FLOAT)),
    (sig.INTEGERS, (sig.INT64, sig.INT32, sig.DOUBLE, sig.FLOAT)),
]
# How far apart numbers may be, of those larger than 1 relatively: far more than rounding, and less than any fault.
_NEAR = {sig.HALF: 0.1, sig.BFLOAT16: 0.1, sig.FLOAT: 1e-2, sig.COMPLEX64: 1e-2}
# Draws in search of one that is computed; how many must agree so that it is remembered.
_TRIES, _AGREE = 8, 3
# Draws whose shapes are counted.
_SIZES, _SIZED = "sizes=", 6


def read(file: pathlib.Path = FILE) -> dict[str, list[str]]:
    """Op -> "attr=dtype" of all lines; none where there is no file: a wheel has none."""
    if not file.exists():
        return {}
    lines = (line.split() for line in file.read_text().splitlines())
    return {words[0]: words[1:] for words in lines if words and words[0][0] != "#"}


def write(lines: dict[str, list[str]], file: pathlib.Path = FILE) -> None:
    head = [line for line in file.read_text().splitlines() if line.startswith("#")]
    body = [f"{op:40} {' '.join(lines[op])}" for op in sorted(lines) if lines[op]]
    file.write_text("\n".join([*head, *body]) + "\n")


def check(result: Result, kept: list[str], worker: Worker, start: int) -> None:
    """Finds results that calls of the op do not give any more."""
    _check_sizes(result, kept, worker, start)
    for attr, enum, reference in _pairs(result.signature):
        name = promises.dtype_name(attr, enum)
        if name not in kept:
            continue
        try:
            told = next(
                _compared(worker, result.signature, start, attr, enum, reference), None
            )
        except Died as death:
            result.find("kept", f"with {name} the process died: {death.how}")
            continue
        result.kept += told is not None
        if told is None or told[1]:
            what = "nothing is computed" if told is None else told[1]
            words = (
                f"{name} against {sig.type_name(reference)}: {what}; these agreed once"
            )
            result.find("kept", f"{words}{_AGAIN}", told and told[0])


_AGAIN = " (`tw check-op --keep` writes the line anew, if that is right)"


def _check_sizes(result: Result, kept: list[str], worker: Worker, start: int) -> None:
    wanted = [int(word[len(_SIZES) :]) for word in kept if word.startswith(_SIZES)]
    if not wanted:
        return
    try:
        told = _sizes(worker, result.signature, start)
    except Died as death:
        result.find("kept", f"the process died: {death.how}")
        return
    result.kept += 1
    if told < wanted[0]:
        words = f"the shape function tells {told} sizes and ranks of outputs, and told {wanted[0]} once"
        result.find("kept", f"{words}{_AGAIN}")


def _sizes(worker: Worker, signature: Signature, start: int) -> int:
    """Counts the dimensions of outputs whose size is told in the first draws, and each output's rank."""
    told = 0
    for seed in range(start, start + _SIZED):
        try:
            case = hints.draw(signature, seed)
        except Unsuitable:
            continue
        (answer,) = worker.ask(
            "run", graphs=[graphs.build(signature, [case], graphs.KNOWN)]
        )
        shapes = [s for s in answer.get("static", []) if s is not None]
        told += sum(1 + sum(size is not None for size in s) for s in shapes)
    return told


def learn(signature: Signature, worker: Worker, start: int) -> list[str]:
    """An op's line."""
    sizes = 0
    try:
        sizes = _sizes(worker, signature, start)
    except Died:
        pass
    found = [f"{_SIZES}{sizes}"] if sizes else []
    for attr, enum, reference in _pairs(signature):
        try:
            compared = _compared(worker, signature, start, attr, enum, reference)
            told = [text for _, (_, text) in zip(range(_AGREE), compared)]
        except Died:
            continue
        if len(told) == _AGREE and not any(told):
            found.append(promises.dtype_name(attr, enum))
    return found


def _pairs(signature: Signature) -> Iterator[tuple[str, int, int]]:
    """(attr, dtype, the dtype that it is compared with)."""
    if "seed" in signature.attrs:
        return  # Each run draws anew.
    wanted = promises.dtypes(signature)
    for attr, enum in sorted(wanted):
        if signature.attrs[attr].type != "type":
            continue
        for dtypes, references in _REFERENCES:
            others = [r for r in references if (attr, r) in wanted and r != enum]
            if enum in dtypes and others:
                yield attr, enum, others[0]


def _compared(
    worker: Worker, signature: Signature, start: int, attr: str, enum: int, other: int
) -> Iterator[tuple[Case, str]]:
    """Yields calls that are computed in both dtypes, and the differences of their results in words."""
    for seed in range(start, start + _TRIES):
        try:
            case = hints.draw(signature, seed, draws.SMOOTH, (enum,), **{attr: enum})
        except Unsuitable:
            continue
        twin = _recast(signature, case, attr, other)
        if twin is None or not allowed.repeats(signature, case):
            continue
        built = [graphs.build(signature, [c]) for c in (case, twin)]
        answers = worker.ask("run", graphs=built)
        if any("error" in a or "error" in a["runs"][0] for a in answers):
            continue
        one, two = (a["runs"][0]["values"] for a in answers)
        texts = (_apart(i, a, b, enum) for i, (a, b) in enumerate(zip(one, two)))
        yield case, next(filter(None, texts), "")


def _recast(signature: Signature, case: Case, attr: str, enum: int) -> Case | None:
    """The same call in another dtype; None where no kernel takes it."""
    old = case.attrs[attr]
    attrs = {**case.attrs, attr: enum}
    types = {n: v for n, v in attrs.items() if signature.attrs[n].type == "type"}
    if not signature.takes(types):
        return None
    inputs, enums = list(case.inputs), list(case.types)
    for i, arg in enumerate(signature.inputs):
        # A table's keys may be texts.
        of_variable = arg.type == sig.RESOURCE and old == enums[i] != sig.STRING
        if arg.type_attr != attr and not of_variable:
            continue
        if isinstance(inputs[i], list):
            inputs[i] = [_cast(x, enum) for x in inputs[i]]
            enums[i] = [enum] * len(inputs[i])
        elif enums[i] == old and inputs[i].dtype != object:
            inputs[i], enums[i] = _cast(inputs[i], enum), enum
    return dataclasses.replace(case, attrs=attrs, inputs=inputs, types=enums)


def _cast(x: np.ndarray, enum: int) -> np.ndarray:
    return np.asarray(x).astype(sig.numpy_type(enum))


def _apart(index: int, a: wire.Array, b: wire.Array, enum: int) -> str:
    """Returns the difference of an output in words, "" if the dtype explains it."""
    if a[1] != b[1]:
        return f"output {index} has the shapes {list(a[1])} and {list(b[1])}"
    if a[0] in (sig.STRING, sig.BOOL) or a[0] not in _WIDE:
        same = a[0] != b[0] or a[2] == b[2]
        return "" if same else f"output {index} is another one"
    x, y = (wire.decode(v, sig.numpy_type(v[0])).astype(_WIDE[v[0]]) for v in (a, b))
    if a[0] in sig.INTEGERS and b[0] in sig.INTEGERS:
        # Sums that are too large wrap.
        info = np.iinfo(sig.numpy_type(a[0]))
        far = (
            (x.astype(np.int64) - y.astype(np.int64)) % (1 << info.bits) != 0
            if info.bits < 64
            else x != y
        )
    else:
        near = _NEAR.get(a[0], _NEAR.get(enum, 1e-6))
        if a[0] in sig.INTEGERS or b[0] in sig.INTEGERS:
            near = 0.5
        with np.errstate(all="ignore"):
            close = np.abs(x - y) <= near * np.maximum(1, np.abs(y))
        far = ~(close | (x == y) | (np.isnan(x) & np.isnan(y)))
    if not far.any():
        return ""
    at = tuple(np.argwhere(far)[0].tolist())
    return f"output {index} at {list(at)}: {x[at]} and {y[at]}"


# Numbers of a dtype are compared as numbers of this type.
_WIDE: dict[int, Any] = {
    **dict.fromkeys(sig.FLOATS, np.float64),
    **dict.fromkeys(sig.COMPLEXES, np.complex128),
    **dict.fromkeys(sig.INTEGERS, np.int64),
    23: np.uint64,
}
