# SPDX-License-Identifier: Apache-2.0
"""Scopes whose operations are marked to be compiled together.

Our plans fuse what they can, with the marks and without; a saved graph keeps the marks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tensorwright.python.framework import ops

if TYPE_CHECKING:
    from tensorwright.core.framework.node_def_pb2 import NodeDef


__all__ = ["experimental_jit_scope"]

_SCOPES = "__jit_scopes__"


@contextlib.contextmanager
def experimental_jit_scope(
    compile_ops: bool | Callable[[NodeDef], bool] = True,
    separate_compiled_gradients: bool = False,
) -> Iterator[None]:
    """Marks the operations that are made inside by the attributes `_XlaCompile` and `_XlaScope`.

    Args:
        compile_ops: whether they are to be compiled, or a function of a NodeDef that says so.
        separate_compiled_gradients: whether gradients are in a scope of their own.
    """
    graph = ops.get_default_graph()
    # [how many scopes there were, the name of the outermost one that is open]
    state = graph.get_collection_ref(_SCOPES)
    if not state:
        state.extend([0, None])
    outer = state[1]
    if outer is None:
        state[1] = f"jit_scope_{state[0]}"
        state[0] += 1
    name, before = state[1], len(graph.get_operations())
    try:
        yield
    finally:
        state[1] = outer
        for op in graph.get_operations()[before:]:
            # An inner scope has the last word on its own operations.
            if _marked(op):
                continue
            chosen = compile_ops(op.node_def) if callable(compile_ops) else compile_ops
            op._set_attr("_XlaCompile", bool(chosen))
            op._set_attr("_XlaScope", name.encode())
            op._set_attr("_XlaSeparateCompiledGradients", separate_compiled_gradients)


def _marked(op: ops.Operation) -> bool:
    try:
        op.get_attr("_XlaScope")
    except ValueError:
        return False
    return True
