# SPDX-License-Identifier: Apache-2.0
"""Which parameter server a variable goes to: the one with the least load."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorwright.python.framework import dtypes, ops, tensor_shape

__all__ = ["GreedyLoadBalancingStrategy", "byte_size_load_fn"]


class GreedyLoadBalancingStrategy:
    """For `tf.train.replica_device_setter`: each operation goes to the task with the least load so far.

    Args:
        num_tasks: how many tasks there are.
        load_fn: the load of an operation, a number.
    """

    def __init__(self, num_tasks: int, load_fn: Callable[[ops.Operation], float]):
        self._load_fn = load_fn
        self._loads = np.zeros(num_tasks)

    def __call__(self, op: ops.Operation) -> int:
        """The task of an operation, whose load it then has."""
        task = int(np.argmin(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: ops.Operation) -> int:
    """The bytes of an operation's one output.

    Raises:
        ValueError: an output of unknown shape, or another number of outputs.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    output = op.outputs[0]
    shape = output.get_shape()
    if "shape" in op.node_def.attr and op.type.startswith("VarHandle"):
        shape = tensor_shape.TensorShape(op.get_attr("shape"))
    if not shape.is_fully_defined():
        raise ValueError(f"The shape of {output.name} must be known, got {shape}")
    dtype = op.get_attr("dtype") if op.type.startswith("VarHandle") else output.dtype
    size = dtypes.as_dtype(dtype).base_dtype.size
    return shape.num_elements() * size
