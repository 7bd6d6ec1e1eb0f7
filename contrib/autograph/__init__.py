# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.autograph`: code that is not to be converted is marked; nothing is converted.

A program of graphs writes `tf.cond` and `tf.while_loop` itself, so code that AutoGraph must leave alone runs unchanged.
"""

# ruff: noqa: F401
from tensorwright.contrib import _missing
from tensorwright.contrib.autograph.api import RunMode, do_not_convert, is_converted

__getattr__ = _missing.names(
    __name__, "convert", "converted_call", "stack", "to_code", "to_graph"
)
