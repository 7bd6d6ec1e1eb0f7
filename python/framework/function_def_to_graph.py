# SPDX-License-Identifier: Apache-2.0
"""The graph of a FunctionDef's body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tensorwright.python.framework import function_def, ops
from tensorwright.python.framework.function_graph import FuncGraph
from tensorwright.python.framework.type_aliases import ShapeLike

if TYPE_CHECKING:
    from tensorwright.core.framework.function_pb2 import FunctionDef


def function_def_to_graph(
    fdef: FunctionDef, input_shapes: Sequence[ShapeLike] | None = None
) -> FuncGraph:
    """A graph with the nodes of a function, `inputs` and `outputs`.

    Args:
        fdef: its arguments have types, not type attrs; the functions that it calls are in the default graph.
        input_shapes: the static shapes of the arguments.

    Raises:
        ValueError: there are not as many shapes as arguments.
    """
    count = len(fdef.signature.input_arg)
    if input_shapes is not None and len(input_shapes) != count:
        raise ValueError(
            f"Length of input_shapes must match the number of input_args. len(input_shapes): {len(input_shapes)} "
            f"len(input_arg): {count}"
        )
    return function_def.build_body(
        fdef, {}, ops.get_default_graph(), shapes=list(input_shapes or ())
    )
