# SPDX-License-Identifier: Apache-2.0
"""Writes docs/differences.md, the page of what ops do otherwise than TensorFlow's, from the explanations.

./run tools/difftest/differences.py            writes it
./run tools/difftest/differences.py --check    fails if it would change
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys

import numpy as np

from tensorwright.tools.difftest import explained
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    KERNELS,
    PEER_DIED,
    REFUSAL,
    SHAPE,
    VALUE,
)
from tensorwright.tools.difftest.explanation import (
    ANY_DTYPE,
    ANY_OP,
    FLOATS,
    INTEGERS,
    OURS_ONLY,
    QUANTIZED,
    Explanation,
)

_PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/differences.md"

_HEAD = """# Differences from TensorFlow

Ops whose results, gradients or errors are not those of TensorFlow 2.21 on a CPU, by family. What is not on this page is
meant to be the same, up to rounding; `tools/difftest` compares every op on random calls, and what differs there without a
row here is a bug.

A row has the ops; what of them differs, in which types; what TensorFlow does, what tensorwright does, and why. Results that
differ are either a little apart, and then the row says how far, or ours is another number altogether, which the tests
compute with NumPy or check against the call. `tools/difftest/differences.py` writes this page from the table that the tests
use.
"""
_COLUMNS = (
    "| ops | what | TensorFlow | tensorwright | why |\n| --- | --- | --- | --- | --- |"
)
# Groups of dtypes that have a name.
_GROUPS = {
    ANY_DTYPE: "all types",
    FLOATS: "all floats",
    INTEGERS: "all integers",
    f"{FLOATS} {INTEGERS}": "all numbers",
    QUANTIZED: "quantized",
}
_KINDS = {
    REFUSAL: "the call",
    ERROR_CLASS: "the error",
    GRADIENT_ERROR: "the gradient",
    PEER_DIED: "the call",
    KERNELS: "the kernel",
    SHAPE: "the inferred shape",
}


def _types(dtypes: str) -> str:
    return _GROUPS.get(dtypes, ", ".join(dtypes.split()))


def _what(e: Explanation) -> str:
    """Names the output or gradient that differs, and the types."""
    places = [str(i) for i in e.outputs]
    # Any output of a list may be the one.
    places = places if len(places) <= 8 else ["any"]
    if e.kind == VALUE:
        text = f"output {', '.join(places)}"
    elif e.kind == GRADIENT:
        text = f"gradient by input {', '.join(places)}"
    else:
        text = _KINDS[e.kind]
        text += f" {', '.join(places)}" if e.kind == SHAPE and places else ""
    return f"{text}, {_types(e.dtypes)}" if e.dtypes else text


def _errors(pattern: str) -> str:
    """The classes of error that a pattern begins with."""
    head = re.split(r"Error: |Error\)", pattern)[0]
    names = re.findall(r"[A-Z]\w+", head)
    if "(" in head and pattern.find("Error") > pattern.find(")"):
        return " or ".join(f"{n}Error" for n in names)
    found = re.findall(r"(?:^|\|)(?:\(\?:)?([A-Z]\w+Error): ", pattern)
    return " or ".join(dict.fromkeys(found)) or "an error"


def _sides(e: Explanation) -> tuple[str, str]:
    """Two cells: one for TensorFlow, one for tensorwright."""
    if e.kind == PEER_DIED:
        return "its process ends", _errors(e.ours) if e.ours else "a result"
    if e.kind == KERNELS:
        return "has one", "has none"
    if e.kind == SHAPE:
        return "infers another", e.gives or "infers what the output has"
    if e.kind in (REFUSAL, ERROR_CLASS, GRADIENT_ERROR):
        there, here = (_errors(p) if p else "computed" for p in (e.theirs, e.ours))
        return there, here
    if e.path:
        there, here = ("none", "there is one")
        return (there, here) if e.path == OURS_ONLY else (here, there)
    if e.shapes is not None:
        return "of another shape", "of the shape that is right"
    if np.isfinite(e.bound):
        return "rounds otherwise", f"at most {e.bound:g} apart"
    return e.there or "another result", e.gives


def _row(e: Explanation) -> str:
    ops = "any op" if e.ops == ANY_OP else ", ".join(e.ops.split())
    why = e.why[0].upper() + e.why[1:] + ("" if e.why.endswith(".") else ".")
    cells = (ops, _what(e), *_sides(e), why)
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"


def page() -> str:
    """The text of the page."""
    lines = [_HEAD]
    for family, table in explained.FAMILIES.items():
        rows = list(dict.fromkeys(_row(e) for e in table))
        lines += [f"## {family}\n", _COLUMNS, *rows, ""]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    text = page()
    if parser.parse_args().check:
        if not _PAGE.exists() or text != _PAGE.read_text():
            print(
                f"{_PAGE.name} is not up to date: ./run tools/difftest/differences.py"
            )
            return 1
        return 0
    _PAGE.write_text(text)
    print(f"docs/{_PAGE.name}: {len(explained.TABLE)} differences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
