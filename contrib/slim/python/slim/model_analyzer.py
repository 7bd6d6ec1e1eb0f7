# SPDX-License-Identifier: Apache-2.0
"""How large a model is: its operations and variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tensorwright.python.framework import ops

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = ["analyze_ops", "analyze_vars", "tensor_description"]


def tensor_description(var: Tensor | Variable) -> str:
    """Dtype and shape of a tensor or variable: "(float32_ref 1x2x3)"."""
    sizes = (str(d or "?") for d in var.get_shape().as_list())
    return f"({var.dtype.name} {'x'.join(sizes)})"


def analyze_ops(graph: ops.Graph, print_info: bool = False) -> int:
    """The number of elements of all outputs of known shape of a graph.

    Args:
        graph: the graph.
        print_info: whether each is printed.
    """
    if print_info:
        print("---------\nOperations: name -> (type shapes) [size]\n---------")
    total = 0
    for op in graph.get_operations():
        size, shapes = 0, []
        for output in op.outputs:
            count = output.get_shape().num_elements() or 0
            if output.get_shape().ndims is not None:
                shapes.append(tensor_description(output))
            size += count
        if print_info:
            print(op.name, "\t->", ", ".join(shapes), f"[{size}]")
        total += size
    return total


def analyze_vars(
    variables: Iterable[Variable], print_info: bool = False
) -> tuple[int, int]:
    """(the number of elements, the number of bytes) of variables.

    Args:
        variables: the variables.
        print_info: whether each is printed.
    """
    if print_info:
        print("---------\nVariables: name (type shape) [size]\n---------")
    total, total_bytes = 0, 0
    for variable in variables:
        size = variable.get_shape().num_elements() or 0
        size_bytes = size * variable.dtype.base_dtype.size
        total, total_bytes = total + size, total_bytes + size_bytes
        if print_info:
            described = tensor_description(variable)
            print(variable.name, described, f"[{size}, bytes: {size_bytes}]")
    if print_info:
        print("Total size of variables:", total)
        print("Total bytes of variables:", total_bytes)
    return total, total_bytes
