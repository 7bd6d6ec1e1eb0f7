# SPDX-License-Identifier: Apache-2.0
"""The op seeds that functions take when a graph has a seed, held against those of TensorFlow.

An op seed is the number of operations that the graph has when a function asks for it, so a program draws TensorFlow's
numbers only if functions make as many operations before each draw.  A line of seeds.txt is an expression, which is built
in a graph with a seed, and the op seeds of its random operations in order, as record_seeds.py found them in TensorFlow:

    tf.random_normal([2]) -> RandomStandardNormal 3

If TensorFlow 1 took another than TensorFlow 2.21, ours and the reason follow:

    tf.random_gamma([3], 2.) -> RandomGamma 7 => RandomGamma 5 # 1.x adds zeros where 2.21 broadcasts by shapes
"""

from __future__ import annotations

import dataclasses
import pathlib
import tempfile
from typing import Any

from tensorwright.tools.conformance.call_values import Values

FILE = pathlib.Path(__file__).with_name("seeds.txt")
_TITLE = """\
# Op seeds of random operations: seeds.py says how to read it.  Written by record_seeds.py, but for expressions and reasons.
"""
GRAPH_SEED = 5


@dataclasses.dataclass(frozen=True)
class Draw:
    """A line: the seeds that TensorFlow 2.21 takes, and, if there is a reason for others, ours."""

    expression: str
    expected: str = ""
    ours: str = ""
    reason: str = ""

    def __str__(self) -> str:
        differs = f" => {self.ours} # {self.reason}" if self.ours else ""
        return f"{self.expression} -> {self.expected}{differs}"


def read() -> list[Draw]:
    """Returns all lines of seeds.txt."""
    draws = []
    for line in FILE.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        expression, _, told = line.rpartition(" ->")
        expected, _, differs = told.strip().partition(" => ")
        ours, _, reason = differs.partition(" # ")
        draws.append(Draw(expression, expected, ours, reason))
    return draws


def write(draws: list[Draw]) -> None:
    """Writes seeds.txt anew."""
    FILE.write_text(_TITLE + "".join(f"{draw}\n" for draw in draws))


def taken(tf: Any, expression: str) -> str:
    """Builds an expression in a graph with a seed; returns the types and op seeds of its random operations."""
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default() as graph:
        tf.set_random_seed(GRAPH_SEED)
        eval(expression, Values(tf, folder))
        found = []
        for op in graph.get_operations():
            try:
                seeds = op.get_attr("seed"), op.get_attr("seed2")
            except ValueError:
                continue
            if seeds[0] == GRAPH_SEED:
                found.append(f"{op.type} {seeds[1]}")
        return ", ".join(found)
