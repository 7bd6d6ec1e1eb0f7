# SPDX-License-Identifier: Apache-2.0
"""`tw explain EXPRESSION`: what executes one call, for the shapes that it is made with.

    $ tw explain "tf.nn.conv2d(tf.ones([1, 28, 28, 64]), tf.ones([3, 3, 64, 64]), [1, 1, 1, 1], 'SAME')"

`tw where` lists the candidates of a name; this command shows which kernel admits the types of this call, and which of
its algorithms runs these shapes and why.  The expression may use `tf` and `np`; every tensor of its result is
explained.  If the call makes several ops, all of them follow in the order in which it made them.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from tensorwright.tools.tw import libraries, suggest


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "explain",
        help="what executes one call",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "expression", help="as tf.matmul(tf.ones([2, 3]), tf.ones([3, 4]))"
    )
    parser.add_argument(
        "--library", action="append", default=[], help="an op library to load first"
    )
    parser.set_defaults(do=_explain)


def _explain(args: argparse.Namespace) -> int:
    import numpy as np

    import tensorwright as tf

    names: dict[str, Any] = {"tf": tf, "np": np}
    if libraries.are_missing("explain", args.library):
        return 2
    for path in args.library or libraries.beside(["?"]):
        ops = tf.load_op_library(os.path.abspath(path))
        names |= {n: f for n, f in vars(ops).items() if callable(f) and n[0] != "_"}
    with tf.Graph().as_default():
        try:
            value = eval(compile(args.expression, "<expression>", "eval"), names)
        except Exception as error:  # The user's code: any kind.
            text = f"{type(error).__name__}: {error}{suggest.attributes(error, names)}"
            print(f"tw explain: {text}", file=sys.stderr)
            return 1
        found = [
            t for t in tf.nest.flatten(value) if isinstance(t, tf.Tensor | tf.Operation)
        ]
        if not found:
            print(f"tw explain: no tensor, but {value!r}", file=sys.stderr)
            return 1
        ops_shown = []
        for tensor in found:
            op = getattr(tensor, "op", tensor)
            if op not in ops_shown:
                ops_shown.append(op)
                print(tf.explain(op), end="\n\n")
        made = [
            op
            for op in tf.get_default_graph().get_operations()
            if op.type not in ("Const", "Placeholder")
        ]
        if len(made) > len(ops_shown):
            print("made, in this order:")
            print("\n".join(_columns([_row(op) for op in made])), end="\n\n")
    return 0


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Lines in which each column is as wide as its widest cell; the last is as long as it is."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(
            ["", *(f"{c:{w}}" for c, w in zip(row, widths, strict=True))]
        ).rstrip()
        for row in rows
    ]


def _row(op: Any) -> tuple[str, ...]:
    """An op of the call: its type, name, kernel, the kernel's line and, where that has several algorithms, which one runs it."""
    import tensorwright as tf

    found = tf.explain(op)
    kernels = [k for k in found.chains[0].kernels if k.device == "CPU"]
    choice = f"by {found.choice}" if found.choice else ""
    if not kernels:
        return op.type, op.name, "no kernel", "", choice
    place = kernels[0].place
    return op.type, op.name, place.name, f"{place.file}:{place.line}", choice
