# SPDX-License-Identifier: Apache-2.0
"""Graphs that a library's Python makes, for gradients that a GraphDef says too little for: a loop's needs its context.

Used in a worker, with whichever library it has.  A program gets the library and the inputs of the op that it is there
for, and returns what to differentiate.
"""

from __future__ import annotations

from typing import Any


def loop(tf: Any, inputs: list[Any]) -> list[Any]:
    """y = x w^3 with w = x / 2 + 1: x is the loop's variable, w enters it as it is."""
    (x,) = inputs
    w = x / 2 + 1
    _, y = tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * w), [0, x])
    return [y]


PROGRAMS = {"loop": loop}
